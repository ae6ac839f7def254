# make run  writes the SoC (LiteX and LiteDRAM of PYTHON), builds it in Verilator, and runs the host against it
# BUS is that of the accelerator in the SoC: axi, with a port of LiteDRAM, or wishbone

PYTHON = python3
VERILATOR = verilator
BUS = axi

.PHONY: run clean

run: obj_$(BUS)/V{name}_soc
	./obj_$(BUS)/V{name}_soc

{name}_soc_$(BUS).v: {name}_soc.py {name}_litex.py
	$(PYTHON) {name}_soc.py $(BUS)

obj_$(BUS)/V{name}_soc: {name}_soc_$(BUS).v host.cpp
	$(VERILATOR) --cc --exe --build -Wno-fatal -Wno-lint -Wno-COMBDLY --x-assign 0 --x-initial 0 \
	  -MAKEFLAGS CFG_CXXFLAGS_PCH_I=-include --top-module {name}_soc --Mdir obj_$(BUS) \
	  {name}_soc_$(BUS).v {sources} host.cpp

clean:
	rm -rf obj_* {name}_soc_*.v *.init __pycache__
