"""Whole accelerators as folders for hardware people: sources, lists of files, registers, and testbenches."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from loadstone.bus.ports import Protocol
from loadstone.dram.timing import Timing
from loadstone.emit.hdl.accelerator_description import accelerator_info, emit_accelerator_readme
from loadstone.emit.hdl.accelerator_verilog_bench import emit_verilog_bench
from loadstone.emit.hdl.accelerator_vhdl_bench import emit_vhdl_bench
from loadstone.emit.hdl.benches import Bench
from loadstone.emit.hdl.cocotb_bench import emit_cocotb_bench
from loadstone.emit.hdl.core_file import Language, Sources, emit_core, emit_file_list, emit_script
from loadstone.emit.hdl.image import image_files, make_trial
from loadstone.emit.hdl.register_page import emit_register_header, emit_register_page
from loadstone.emit.hdl.vectors import Vectors
from loadstone.emit.project import Project
from loadstone.hardware.accelerator.registers import RegisterMap, make_controlled, register_map
from loadstone.hardware.design import AcceleratorDesign
from loadstone.hardware.harness.bench import make_bench
from loadstone.hardware.harness.cycle_limits import cycle_limit
from loadstone.loops.accelerator import Accelerator, predicted_words
from loadstone.rtl.module import Module
from loadstone.rtl.verilog import verilog_files
from loadstone.rtl.vhdl import vhdl_files

_VERILOG_MAKEFILE = """\
# make run            the testbench in Icarus Verilog
# make waves          the same, with a waveform in testbench.vcd
# make run-verilator  the testbench in Verilator 5
# make cocotb         the testbench in Python, in the simulator SIM (icarus or verilator)
# make lint           all warnings of Verilator
# LIMIT=...           the most cycles that a run may take
# Icarus Verilog 11 says "sorry: constant selects in always_* processes" of what it handles rightly.

IVERILOG = iverilog
VVP = vvp
VERILATOR = verilator
PYTHON = python3
LIMIT =
SIM = icarus

SOURCES = $(shell cat files.f tb/files.f)
OPTIONS = $(if $(LIMIT),+limit=$(LIMIT))
VERILATOR_FLAGS = --binary --timing --timescale 1ns/1ps --quiet -MAKEFLAGS CFG_CXXFLAGS_PCH_I=-include

.PHONY: run waves run-verilator cocotb lint clean

run: testbench.vvp
	$(VVP) -n testbench.vvp $(OPTIONS)

waves: testbench.vvp
	$(VVP) -n testbench.vvp $(OPTIONS) +vcd

testbench.vvp: $(SOURCES)
	echo +timescale+1ns/1ps > timescale.f
	$(IVERILOG) -g2012 -s testbench -o $@ -c timescale.f $(SOURCES)

run-verilator: obj_dir/testbench
	obj_dir/testbench $(OPTIONS)

obj_dir/testbench: $(SOURCES)
	$(VERILATOR) $(VERILATOR_FLAGS) --top-module testbench -o testbench $(SOURCES)

cocotb:
	SIM=$(SIM) $(PYTHON) {bench}

lint:
	$(VERILATOR) --lint-only --quiet -Wall --top-module {top} -f files.f

clean:
	rm -rf testbench.vvp testbench.vcd timescale.f obj_dir cocotb_build __pycache__ results.xml
"""

_VHDL_MAKEFILE = """\
# make run     the testbench in GHDL
# make waves   the same, with a waveform in testbench.vcd
# make cocotb  the testbench in Python, in GHDL
# LIMIT=...    the most cycles that a run may take

GHDL = ghdl
PYTHON = python3
LIMIT =

SOURCES = $(shell cat files.f tb/files.f)
FLAGS = --std=08 --workdir=build
OPTIONS = --ieee-asserts=disable-at-0 $(if $(LIMIT),-gLIMIT=$(LIMIT))

.PHONY: run waves cocotb clean

run: build/analysed
	$(GHDL) --elab-run $(FLAGS) testbench $(OPTIONS)

waves: build/analysed
	$(GHDL) --elab-run $(FLAGS) testbench $(OPTIONS) --vcd=testbench.vcd

build/analysed: $(SOURCES)
	mkdir -p build
	$(GHDL) -a $(FLAGS) $^
	touch $@

cocotb:
	SIM=ghdl $(PYTHON) {bench}

clean:
	rm -rf build testbench testbench.vcd cocotb_build __pycache__ results.xml
"""

_VERILOG_USAGE = """\
`make run` runs the testbench in Icarus Verilog, `make run-verilator` in Verilator 5, `make cocotb` the one in Python;
`make waves` leaves a waveform, and `make lint` shows the warnings of Verilator.
"""

_VHDL_USAGE = """\
`make run` runs the testbench in GHDL, `make cocotb` the one in Python; `make waves` leaves a waveform. The language is
VHDL-2008, and ports are `std_logic` and `unsigned`.
"""


@dataclass(frozen=True, slots=True, eq=False)
class _Package:
    """An accelerator and all that its folders are made of."""

    name: str
    design: AcceleratorDesign
    top: Module
    bench: Module
    registers: RegisterMap
    timing: Timing
    test: Bench
    info: Mapping[str, Any]


def accelerator_project(
    accelerator: Accelerator,
    design: AcceleratorDesign,
    targets: Sequence[str],
    vectors: Vectors,
    timing: Timing,
    control: Protocol = "axi",
) -> Project:
    """The files of an accelerator behind registers for hardware targets, and its description.

    The testbenches run it on a memory of some timing; `vectors` say what they give and expect.
    """
    package = _packed(accelerator, design, vectors, timing, control)
    files = {"hardware.json": json.dumps(package.info, indent=2) + "\n"}
    for target in targets:
        made = _folder(package, "vhdl" if target == "vhdl" else "verilog")
        files.update({f"{target}/{path}": text for path, text in made.items()})
    return Project(files)


def _packed(
    accelerator: Accelerator, design: AcceleratorDesign, vectors: Vectors, timing: Timing, control: Protocol
) -> _Package:
    registers, kernel = register_map(design), accelerator.kernel
    moved = predicted_words(accelerator, vectors.parameters)
    trial = make_trial(design, registers, vectors, accelerator.stored, moved)
    bench, top = make_bench(design, control, timing, trial.depth), make_controlled(design, control)
    limit = cycle_limit(kernel, vectors.parameters)
    return _Package(
        kernel.name,
        design,
        top,
        bench,
        registers,
        timing,
        Bench(bench, design, control, registers, trial, limit),
        accelerator_info(kernel.name, top, design, registers, control, vectors.parameters),
    )


def _folder(package: _Package, language: Language) -> dict[str, str]:
    """The files of a target by their paths in its folder."""
    is_verilog, name = language == "verilog", package.name
    sources_of, ending = (verilog_files, "sv") if is_verilog else (vhdl_files, "vhd")
    hardware, whole = sources_of(package.top), sources_of(package.bench)
    emit = emit_verilog_bench if is_verilog else emit_vhdl_bench
    benches = {f"tb/{path}": text for path, text in whole.items() if path not in hardware}
    benches[f"tb/testbench.{ending}"] = emit(package.test)
    data, script = image_files(package.design, package.test.trial), f"test_{name}.py"
    listed = Sources(language, name, package.top.name, tuple(hardware), tuple(benches), tuple(data))
    makefile, usage = (_VERILOG_MAKEFILE, _VERILOG_USAGE) if is_verilog else (_VHDL_MAKEFILE, _VHDL_USAGE)
    return {
        **hardware,
        **benches,
        **data,
        "files.f": emit_file_list(hardware),
        "tb/files.f": emit_file_list(benches),
        "files.tcl": emit_script(listed),
        f"{name}.core": emit_core(listed),
        f"{name}_registers.h": emit_register_header(name, package.design, package.registers),
        "registers.md": emit_register_page(name, package.registers),
        script: emit_cocotb_bench(package.test, package.top.name, script, language),
        "Makefile": makefile.format(top=package.top.name, bench=script),
        "README.md": emit_accelerator_readme(package.info, package.timing.name, _files(listed), usage),
    }


def _files(sources: Sources) -> dict[str, str]:
    """What the files of a folder are for."""
    return {
        sources.hardware[-1]: "the top module; the other modules lie beside it",
        "files.f": "the sources in the order of compilation; simulators take it with `-f`",
        "files.tcl": "adds the sources to a project of Vivado or Quartus",
        f"{sources.name}.core": "the same for FuseSoC, with the targets `default`, `sim` and `lint`",
        "registers.md": "the registers, and how software drives them",
        f"{sources.name}_registers.h": "the registers for C",
        "tb/": "a testbench with external memory; `tb/files.f` lists its files",
        f"test_{sources.name}.py": "a testbench for cocotb",
        "data/": "memory before and after a run, and which bits of it are compared",
    }
