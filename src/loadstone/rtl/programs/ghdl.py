"""Modules in GHDL."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from loadstone.progress import working
from loadstone.rtl.module import Module
from loadstone.rtl.programs.batch import Batch
from loadstone.rtl.programs.command import find_program, run_program, write_files
from loadstone.rtl.types import Bits, bit
from loadstone.rtl.vectors import Cycle, Field, Session, inputs_of, outputs_of, packed_lines
from loadstone.rtl.vhdl import vhdl_files
from loadstone.texts import text_of

_INSTALL = "install it with: apt install ghdl"

_TESTBENCH = text_of(__name__, "ghdl.vhd")


def _simulate(module: Module, cycles: Sequence[Cycle], session: Session | None, dumped: bool, folder: Path) -> None:
    program = find_program("ghdl", _INSTALL)
    files = {**vhdl_files(module), "testbench.vhd": _testbench(module, session)}
    write_files(folder, {**files, "inputs.hex": packed_lines(module, cycles)})
    flags = ["--ieee-asserts=disable-at-0", *(["--vcd=trace.vcd"] if dumped else [])]
    with working(f"simulating {module.name} in GHDL"):
        run_program([program, "-a", "--std=08", *files], folder)
        run_program([program, "--elab-run", "--std=08", "testbench", *flags], folder)


def lint(module: Module) -> str:
    """The warnings of GHDL; empty where all is well."""
    program = find_program("ghdl", _INSTALL)
    with tempfile.TemporaryDirectory() as folder:
        files = vhdl_files(module)
        write_files(Path(folder), files)
        return run_program([program, "-a", "--std=08", *files], Path(folder))


def _testbench(module: Module, session: Session | None) -> str:
    taken, given = inputs_of(module), outputs_of(module)
    fields = (*taken.fields, *given.fields)
    ports = ["clk => clk"] if module.has_clock else []
    ports += [f"{field.name} => {field.name}" for field in fields]
    return _TESTBENCH.format(
        module=module.name,
        signals="\n".join(f"  signal {field.name} : {_type(field.type)};" for field in fields),
        ports=",\n".join(f"    {port}" for port in ports),
        inputs=taken.width - 1,
        outputs=given.width - 1,
        taken="\n".join(f"      {field.name} <= {_from_word(field)};" for field in taken.fields),
        given="\n".join(f"      {_into_word(field)};" for field in given.fields),
        before=-1 if session is None else len(session.before),
        done="clk" if session is None else session.done,
        limit=0 if session is None else session.limit,
    )


def _type(type: Bits) -> str:
    name = "signed" if type.signed else "unsigned"
    return "std_logic := '0'" if type == bit else f"{name}({type.width - 1} downto 0) := (others => '0')"


def _from_word(field: Field) -> str:
    if field.type == bit:
        return f"tb_taken({field.low})"
    return f"{'signed' if field.type.signed else 'unsigned'}(tb_taken({field.high} downto {field.low}))"


def _into_word(field: Field) -> str:
    if field.type == bit:
        return f"tb_given({field.low}) := {field.name}"
    return f"tb_given({field.high} downto {field.low}) := std_logic_vector({field.name})"


_BATCH = Batch(_simulate)
trace, run = _BATCH.trace, _BATCH.run
