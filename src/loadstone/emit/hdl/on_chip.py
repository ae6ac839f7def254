"""Hardware of kernels as folders: sources, file list, testbench with its words, Makefile, and a page on its use."""

from __future__ import annotations

import json
from collections.abc import Sequence

from loadstone.emit.hdl.description import emit_readme, hardware_info
from loadstone.emit.hdl.vectors import Vectors, data_files
from loadstone.emit.hdl.verilog_bench import emit_verilog_testbench
from loadstone.emit.hdl.vhdl_bench import emit_vhdl_testbench
from loadstone.emit.project import Project
from loadstone.hardware.on_chip import OnChipDesign
from loadstone.rtl.verilog import verilog_files
from loadstone.rtl.vhdl import vhdl_files

HARDWARE_TARGETS = ("verilog", "vhdl")

_VERILOG_MAKEFILE = """\
# make run            the testbench in Icarus Verilog
# make waves          the same, with a waveform in testbench.vcd
# make run-verilator  the testbench in Verilator 5
# make lint           all warnings of Verilator
# LIMIT=...           the most cycles that a run may take
# Icarus Verilog 11 says "sorry: constant selects in always_* processes" of what it handles rightly.

IVERILOG = iverilog
VVP = vvp
VERILATOR = verilator
LIMIT =

SOURCES = $(shell cat files.f)
OPTIONS = $(if $(LIMIT),+limit=$(LIMIT))
VERILATOR_FLAGS = --binary --timing --timescale 1ns/1ps --quiet -MAKEFLAGS CFG_CXXFLAGS_PCH_I=-include

.PHONY: run waves run-verilator lint clean

run: testbench.vvp
	$(VVP) -n testbench.vvp $(OPTIONS)

waves: testbench.vvp
	$(VVP) -n testbench.vvp $(OPTIONS) +vcd

testbench.vvp: $(SOURCES) testbench.sv
	echo +timescale+1ns/1ps > timescale.f
	$(IVERILOG) -g2012 -s testbench -o $@ -c timescale.f -c files.f testbench.sv

run-verilator: obj_dir/testbench
	obj_dir/testbench $(OPTIONS)

obj_dir/testbench: $(SOURCES) testbench.sv
	$(VERILATOR) $(VERILATOR_FLAGS) --top-module testbench -o testbench -f files.f testbench.sv

lint:
	$(VERILATOR) --lint-only --quiet -Wall --top-module {top} -f files.f

clean:
	rm -rf testbench.vvp testbench.vcd timescale.f obj_dir
"""

_VERILOG_USAGE = """\
`make run` runs the testbench in Icarus Verilog, `make run-verilator` in Verilator 5; `make waves` leaves a waveform,
and `make lint` shows the warnings of Verilator. `files.f` lists the sources in the order in which they are compiled:
simulators take it with `-f` in this folder, and for Quartus or Vivado they are added to a project with `{top}` as top.
`data/` has the words that the testbench writes to the ports, and those that it expects there.
"""

_VHDL_MAKEFILE = """\
# make run    the testbench in GHDL
# make waves  the same, with a waveform in testbench.vcd
# LIMIT=...   the most cycles that a run may take

GHDL = ghdl
LIMIT =

SOURCES = $(shell cat files.f)
FLAGS = --std=08 --workdir=build
OPTIONS = --ieee-asserts=disable-at-0 $(if $(LIMIT),-gLIMIT=$(LIMIT))

.PHONY: run waves clean

run: build/analysed
	$(GHDL) --elab-run $(FLAGS) testbench $(OPTIONS)

waves: build/analysed
	$(GHDL) --elab-run $(FLAGS) testbench $(OPTIONS) --vcd=testbench.vcd

build/analysed: $(SOURCES) testbench.vhd
	mkdir -p build
	$(GHDL) -a $(FLAGS) $^
	touch $@

clean:
	rm -rf build testbench testbench.vcd
"""

_VHDL_USAGE = """\
`make run` runs the testbench in GHDL; `make waves` leaves a waveform. The language is VHDL-2008. `files.f` lists the
sources in the order in which they are compiled; for Quartus or Vivado they are added to a project with `{top}` as top.
`data/` has the words that the testbench writes to the ports, and those that it expects there.
"""


def hardware_project(design: OnChipDesign, targets: Sequence[str], vectors: Vectors) -> Project:
    """The files for hardware targets, each in a folder of its own, and the description of the hardware."""
    files = {"hardware.json": json.dumps(hardware_info(design, vectors.parameters), indent=2) + "\n"}
    for target in targets:
        made = (_vhdl_files if target == "vhdl" else _verilog_files)(design, vectors)
        files.update({f"{target}/{path}": text for path, text in made.items()})
    return Project(files)


def _verilog_files(design: OnChipDesign, vectors: Vectors) -> dict[str, str]:
    sources, top = verilog_files(design.module), design.module.name
    return {
        **sources,
        "files.f": _listed(sources),
        "testbench.sv": emit_verilog_testbench(design, vectors),
        **dict(data_files(design, vectors)),
        "Makefile": _VERILOG_MAKEFILE.format(top=top),
        "README.md": emit_readme(design, vectors.parameters, _VERILOG_USAGE.format(top=top)),
    }


def _vhdl_files(design: OnChipDesign, vectors: Vectors) -> dict[str, str]:
    sources = vhdl_files(design.module)
    return {
        **sources,
        "files.f": _listed(sources),
        "testbench.vhd": emit_vhdl_testbench(design, vectors),
        **dict(data_files(design, vectors)),
        "Makefile": _VHDL_MAKEFILE,
        "README.md": emit_readme(design, vectors.parameters, _VHDL_USAGE.format(top=design.module.name)),
    }


def _listed(sources: dict[str, str]) -> str:
    return "".join(f"{path}\n" for path in sources)
