"""Modules in Icarus Verilog."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from loadstone.progress import working
from loadstone.rtl.module import Module
from loadstone.rtl.programs.batch import Batch
from loadstone.rtl.programs.command import find_program, run_program, write_files
from loadstone.rtl.vectors import Cycle, Field, Layout, Session, inputs_of, outputs_of, packed_lines
from loadstone.rtl.verilog import verilog_files
from loadstone.texts import text_of

_INSTALL = "install it with: apt install iverilog"
_LIMIT_OF_VERSION_11 = "sorry: constant selects in always_* processes"

_TESTBENCH = text_of(__name__, "icarus.sv")


def _simulate(module: Module, cycles: Sequence[Cycle], session: Session | None, dumped: bool, folder: Path) -> None:
    compiler, machine = find_program("iverilog", _INSTALL), find_program("vvp", _INSTALL)
    files = {**verilog_files(module), "testbench.sv": _testbench(module, session, dumped)}
    write_files(folder, {**files, "inputs.hex": packed_lines(module, cycles)})
    with working(f"simulating {module.name} in Icarus Verilog"):
        run_program([compiler, "-g2012", "-s", "testbench", "-o", "program", *files], folder)
        run_program([machine, "program"], folder)


def lint(module: Module) -> str:
    """The warnings of Icarus Verilog, without one about a limit of its own; empty where all is well."""
    compiler = find_program("iverilog", _INSTALL)
    with tempfile.TemporaryDirectory() as folder:
        files = verilog_files(module)
        write_files(Path(folder), files)
        printed = run_program([compiler, "-g2012", "-Wall", "-s", module.name, "-o", "program", *files], Path(folder))
    return "\n".join(line for line in printed.splitlines() if _LIMIT_OF_VERSION_11 not in line)


def _testbench(module: Module, session: Session | None, dumped: bool) -> str:
    taken, given = inputs_of(module), outputs_of(module)
    ports = [".clk(clk)"] if module.has_clock else []
    ports += [_port(field, "taken") for field in taken.fields] + [_port(field, "given") for field in given.fields]
    used = sum(field.type.width for field in given.fields)
    padding = f"  assign given[{given.width - 1}:{used}] = 0;\n" if used < given.width else ""
    return _TESTBENCH.format(
        module=module.name,
        inputs=taken.width - 1,
        outputs=given.width - 1,
        ports=",\n".join(f"    {port}" for port in ports),
        padding=padding,
        before=-1 if session is None else len(session.before),
        done="1" if session is None else _bit(given, session.done),
        limit=0 if session is None else session.limit,
        dump='    $dumpfile("trace.vcd");\n    $dumpvars;\n' if dumped else "",
    )


def _bit(layout: Layout, name: str) -> str:
    """The bit of an output among all of them."""
    return next(f"given[{field.low}]" for field in layout.fields if field.name == name)


def _port(field: Field, word: str) -> str:
    return f".{field.name}({word}[{field.high}:{field.low}])"


_BATCH = Batch(_simulate)
trace, run = _BATCH.trace, _BATCH.run
