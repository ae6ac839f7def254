"""The folders of hardware, in one layout for both languages: sources and their list, and a Makefile.

A folder with a testbench for cocotb has its other testbench in `tb/`, with a list of its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from loadstone.emit.hdl.origin import Origin, all_headed
from loadstone.emit.project import Project
from loadstone.rtl.module import Module
from loadstone.rtl.verilog import verilog_files
from loadstone.rtl.vhdl import vhdl_files
from loadstone.texts import text_of

Language = Literal["verilog", "vhdl"]

_VERILOG_MAKEFILE = text_of(__name__, "verilog.mk")

_VHDL_MAKEFILE = text_of(__name__, "vhdl.mk")

_COCOTB = ("about_cocotb", "python", "simulator", "phony", "cocotb", "built", "pad")
"""The parts of Makefiles that only folders with a testbench for cocotb have."""


@dataclass(frozen=True, slots=True, eq=False)
class Tools:
    """A language in a folder: how its files end, its Makefile, and how cocotb is run in it.

    Modules are `printed` with the prefix that their names have.
    """

    ending: str
    printed: Callable[[Module, str], dict[str, str]]
    makefile: str
    about_cocotb: str
    simulator: str


TOOLS: Mapping[Language, Tools] = {
    "verilog": Tools(
        "sv",
        lambda top, _: verilog_files(top),
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
    info: Mapping[str, Any], origin: Origin, targets: Sequence[str], files: Callable[[Language], Mapping[str, str]]
) -> Project:
    """A folder for each target, with files by their paths in it, and the description of the hardware.

    Files have headers that say where they come from.
    """
    chosen: list[Language] = ["vhdl" if target == "vhdl" else "verilog" for target in targets]
    found = {f"{language}/{path}": text for language in chosen for path, text in files(language).items()}
    described = json.dumps({**info, "origin": origin.as_json()}, indent=2) + "\n"
    return Project({"hardware.json": described, **all_headed(found, origin)})
