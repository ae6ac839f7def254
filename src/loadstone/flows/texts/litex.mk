# make run  writes the SoC (LiteX and LiteDRAM of PYTHON), builds it in Verilator, and runs the host against it

PYTHON = python3
VERILATOR = verilator

.PHONY: run clean

run: obj_dir/V{name}_soc
	./obj_dir/V{name}_soc

{name}_soc.v: {name}_soc.py {name}_litex.py
	$(PYTHON) {name}_soc.py

obj_dir/V{name}_soc: {name}_soc.v host.cpp
	$(VERILATOR) --cc --exe --build -Wno-fatal -Wno-lint -Wno-COMBDLY --x-assign 0 --x-initial 0 \
	  -MAKEFLAGS CFG_CXXFLAGS_PCH_I=-include --top-module {name}_soc --Mdir obj_dir \
	  {name}_soc.v {sources} host.cpp

clean:
	rm -rf obj_dir {name}_soc.v *.init __pycache__
