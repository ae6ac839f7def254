"""Lists of hardware sources for other programs: a core file of FuseSoC, a list of names, and a script in Tcl."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from loadstone.emit.hdl.folder import Language


@dataclass(frozen=True, slots=True)
class Sources:
    """The files of a folder: those of the hardware and of its testbench in the order of compilation, and data."""

    language: Language
    name: str
    top: str
    hardware: tuple[str, ...]
    testbench: tuple[str, ...]
    data: tuple[str, ...]


_CORE = """\
CAPI=2:
# fusesoc --cores-root . run --target=sim {name}
name: loadstone:accelerator:{name}:1.0.0
description: The accelerator {name} behind registers

filesets:
  rtl:
    files:
{hardware}
    file_type: {kind}
  tb:
    files:
{testbench}
{data}
    file_type: {kind}

targets:
  default:
    filesets: [rtl]
    toplevel: {top}
  sim:
    description: The testbench, which compares memory with what is expected
    filesets: [rtl, tb]
    toplevel: testbench
{tools}"""

_VERILOG_TOOLS = """\
    default_tool: icarus
    tools:
      icarus:
        iverilog_options: [-g2012]
        timescale: 1ns/1ps
      verilator:
        mode: binary
        verilator_options: [--timing, --timescale, 1ns/1ps, -MAKEFLAGS, CFG_CXXFLAGS_PCH_I=-include]
  lint:
    description: All warnings of Verilator
    default_tool: verilator
    filesets: [rtl]
    toplevel: {top}
    tools:
      verilator:
        mode: lint-only
        verilator_options: [-Wall]
"""

_VHDL_TOOLS = """\
    default_tool: ghdl
    tools:
      ghdl:
        analyze_options: [--std=08]
        run_options: [--ieee-asserts=disable-at-0]
  lint:
    description: The hardware alone, analysed and elaborated by GHDL
    default_tool: ghdl
    filesets: [rtl]
    toplevel: {top}
    tools:
      ghdl:
        analyze_options: [--std=08]
        run_options: [--no-run]
"""

_SCRIPT = """\
# Adds the sources to a project: `source files.tcl` in Vivado or Quartus. The top is {top}.
set folder [file dirname [file normalize [info script]]]
set sources {{
{sources}
}}
foreach source $sources {{
  if {{[llength [info commands {command}]] > 0}} {{
    {command} {option} [file join $folder $source]
  }} else {{
    set_global_assignment -name {assignment} [file join $folder $source]
  }}
}}
if {{[llength [info commands {command}]] == 0}} {{
  set_global_assignment -name TOP_LEVEL_ENTITY {top}
}}
"""


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
