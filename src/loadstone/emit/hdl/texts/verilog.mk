# make run            the testbench in Icarus Verilog
# make waves          the same, with a waveform in testbench.vcd
# make run-verilator  the testbench in Verilator 5
{about_cocotb}# make lint           all warnings of Verilator
# LIMIT=...           the most cycles that a run may take
# Icarus Verilog 11 says "sorry: constant selects in always_* processes" of what it handles rightly.

IVERILOG = iverilog
VVP = vvp
VERILATOR := $(or $(shell command -v verilator 2>&-),$(shell command -v verilator-cli 2>&-),verilator)
{python}LIMIT =
{simulator}
SOURCES = $(shell cat {lists})
OPTIONS = $(if $(LIMIT),+limit=$(LIMIT))
VERILATOR_FLAGS = --binary --timing --timescale 1ns/1ps --quiet -MAKEFLAGS CFG_CXXFLAGS_PCH_I=-include

.PHONY: run waves run-verilator{phony} lint clean

run: testbench.vvp
	$(VVP) -n testbench.vvp $(OPTIONS)

waves: testbench.vvp
	$(VVP) -n testbench.vvp $(OPTIONS) +vcd

testbench.vvp: $(SOURCES){testbench}
	echo +timescale+1ns/1ps > timescale.f
	$(IVERILOG) -g2012 -s testbench -o $@ -c timescale.f {icarus}

run-verilator: obj_dir/testbench
	obj_dir/testbench $(OPTIONS)

obj_dir/testbench: $(SOURCES){testbench}
	$(VERILATOR) $(VERILATOR_FLAGS) --top-module testbench -o testbench {verilator}
{cocotb}
lint:
	$(VERILATOR) --lint-only --quiet -Wall --top-module {top} -f files.f

clean:
	rm -rf testbench.vvp testbench.vcd timescale.f obj_dir{built}
