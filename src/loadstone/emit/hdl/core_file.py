"""Lists of hardware sources for other programs: a core file of FuseSoC, a list of names, and a script in Tcl."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from loadstone.emit.hdl.folder import Language
from loadstone.texts import text_of


@dataclass(frozen=True, slots=True)
class Sources:
    """The files of a folder: those of the hardware and of its testbench in the order of compilation, and data."""

    language: Language
    name: str
    top: str
    hardware: tuple[str, ...]
    testbench: tuple[str, ...]
    data: tuple[str, ...]


_CORE = text_of(__name__, "fusesoc.core")

_VERILOG_TOOLS = text_of(__name__, "verilog_tools.core")

_VHDL_TOOLS = text_of(__name__, "vhdl_tools.core")

_SCRIPT = text_of(__name__, "files.tcl")


def emit_core(sources: Sources) -> str:
    """The core file of FuseSoC: sets of files `rtl` and `tb`, and the targets `default`, `sim` and `lint`."""
    is_verilog = sources.language == "verilog"
    tools = _VERILOG_TOOLS if is_verilog else _VHDL_TOOLS
    return _CORE.format(
        name=sources.name,
        top=sources.top,
        kind="systemVerilogSource" if is_verilog else "vhdlSource-2008",
        hardware=_items(sources.hardware),
        testbench=_items(sources.testbench),
        data=_items(f"{path}: {{file_type: user, copyto: {path}}}" for path in sources.data),
        tools=tools.format(top=sources.top),
    )


def _items(texts: Iterable[str]) -> str:
    return "\n".join(f"      - {text}" for text in texts)


def emit_script(sources: Sources) -> str:
    """A script for Vivado and Quartus that adds the hardware to a project."""
    command, option, assignment = {
        "verilog": ("read_verilog", "-sv", "SYSTEMVERILOG_FILE"),
        "vhdl": ("read_vhdl", "-vhdl2008", "VHDL_FILE"),
    }[sources.language]
    listed = "\n".join(f"  {path}" for path in sources.hardware)
    return _SCRIPT.format(top=sources.top, sources=listed, command=command, option=option, assignment=assignment)
