# make run{pad}    the testbench in GHDL
# make waves{pad}  the same, with a waveform in testbench.vcd
{about_cocotb}# LIMIT=...{pad}   the most cycles that a run may take

GHDL = ghdl
{python}LIMIT =

SOURCES = $(shell cat {lists})
FLAGS = --std=08 --workdir=build
OPTIONS = --ieee-asserts=disable-at-0 $(if $(LIMIT),-gLIMIT=$(LIMIT))

.PHONY: run waves{phony} clean

run: build/analysed
	$(GHDL) --elab-run $(FLAGS) testbench $(OPTIONS)

waves: build/analysed
	$(GHDL) --elab-run $(FLAGS) testbench $(OPTIONS) --vcd=testbench.vcd

build/analysed: $(SOURCES){testbench}
	mkdir -p build
	$(GHDL) -a $(FLAGS) $^
	touch $@
{cocotb}
clean:
	rm -rf build testbench testbench.vcd{built}
