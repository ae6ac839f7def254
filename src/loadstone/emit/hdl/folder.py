"""The folders of hardware, in one layout for both languages: sources and their list, and a Makefile.

A folder with a testbench for cocotb has its other testbench in `tb/`, with a list of its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from loadstone.emit.project import Project
from loadstone.rtl.module import Module
from loadstone.rtl.verilog import verilog_files
from loadstone.rtl.vhdl import vhdl_files

Language = Literal["verilog", "vhdl"]

_VERILOG_MAKEFILE = """\
# make run            the testbench in Icarus Verilog
# make waves          the same, with a waveform in testbench.vcd
# make run-verilator  the testbench in Verilator 5
{about_cocotb}# make lint           all warnings of Verilator
# LIMIT=...           the most cycles that a run may take
# Icarus Verilog 11 says "sorry: constant selects in always_* processes" of what it handles rightly.

IVERILOG = iverilog
VVP = vvp
VERILATOR = verilator
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
"""

_VHDL_MAKEFILE = """\
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
"""

_COCOTB = ("about_cocotb", "python", "simulator", "phony", "cocotb", "built", "pad")
"""The parts of Makefiles that only folders with a testbench for cocotb have."""


@dataclass(frozen=True, slots=True, eq=False)
class Tools:
    """A language in a folder: how its files end and are printed, its Makefile, and how cocotb is run in it."""

    ending: str
    printed: Callable[[Module], dict[str, str]]
    makefile: str
    about_cocotb: str
    simulator: str


TOOLS: Mapping[Language, Tools] = {
    "verilog": Tools(
        "sv",
        verilog_files,
        _VERILOG_MAKEFILE,
        "# make cocotb         the testbench in Python, in the simulator SIM (icarus or verilator)\n",
        "$(SIM)",
    ),
    "vhdl": Tools("vhd", vhdl_files, _VHDL_MAKEFILE, "# make cocotb  the testbench in Python, in GHDL\n", "ghdl"),
}


def emit_makefile(language: Language, top: str, script: str | None = None) -> str:
    """The Makefile of a folder; `script` is its testbench for cocotb, if there is one."""
    tools = TOOLS[language]
    if script is None:
        name = f"testbench.{tools.ending}"
        used = {"lists": "files.f", "testbench": f" {name}", "icarus": f"-c files.f {name}"}
        return tools.makefile.format(top=top, **used, verilator=f"-f files.f {name}", **dict.fromkeys(_COCOTB, ""))
    return tools.makefile.format(
        top=top,
        **{"lists": "files.f tb/files.f", "testbench": "", "icarus": "$(SOURCES)", "verilator": "$(SOURCES)"},
        about_cocotb=tools.about_cocotb,
        python="PYTHON = python3\n",
        simulator="SIM = icarus\n",
        phony=" cocotb",
        cocotb=f"\ncocotb:\n\tSIM={tools.simulator} $(PYTHON) {script}\n",
        built=" cocotb_build __pycache__ results.xml",
        pad=" ",
    )


def emit_file_list(paths: Iterable[str]) -> str:
    """Names of files, one in a line."""
    return "".join(f"{path}\n" for path in paths)


def make_project(
    info: Mapping[str, Any], targets: Sequence[str], files: Callable[[Language], Mapping[str, str]]
) -> Project:
    """A folder for each target, with files by their paths in it, and the description of the hardware."""
    chosen: list[Language] = ["vhdl" if target == "vhdl" else "verilog" for target in targets]
    found = {f"{language}/{path}": text for language in chosen for path, text in files(language).items()}
    return Project({"hardware.json": json.dumps(info, indent=2) + "\n", **found})
