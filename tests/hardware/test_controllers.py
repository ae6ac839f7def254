"""Loop controllers start the instances of their loops in order, each in the cycle that the protocol says."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from pathlib import Path as FilePath
from typing import Literal

import islpy as isl
import pytest
from flat_controllers import make_flat_controller
from loop_trees import independent, loops_at, node_at, with_counters
from thesis_controllers import PLAIN, Options, make_controller

import loadstone as ls
from kernels import EXAMPLES, ROOT, random_kernel, tiny_parameters
from loadstone.analysis import dependences
from loadstone.errors import InputError, ToolError, UnsupportedError
from loadstone.hardware.control import controller
from loadstone.hardware.control.controller import Registers
from loadstone.hardware.control.expressions import Arithmetic
from loadstone.hardware.control.interface import parameter_inputs
from loadstone.hardware.control.ranged import digits, reciprocal
from loadstone.hardware.names import Names
from loadstone.loops import Block, For, If, Instance, Node, generate, scan
from loadstone.loops.model import walk
from loadstone.loops.paths import Path, blocks, children, statements
from loadstone.loops.transformed import Style, program_loops
from loadstone.model.evaluate import evaluate
from loadstone.model.expression import Binary, Expression, Select, Unary, Variable, integer
from loadstone.model.kernel import Kernel
from loadstone.model.tidy import tidy
from loadstone.model.types import INT
from loadstone.poly import fixed
from loadstone.poly.enumeration import pairs
from loadstone.rtl import Module, Simulation, emit_verilog, emit_vhdl, hierarchy, vectors
from loadstone.rtl.programs import ghdl, icarus, verilator, yosys
from loadstone.rtl.programs.command import find_program
from loadstone.rtl.programs.synthesis import cells
from loadstone.transform.program import Program
from rtl_designs import combined

Event = tuple[int, str, tuple[int, ...]]
Latency = Callable[[str, tuple[int, ...]], int]
MOST_CYCLES = 5000
OPTIONS: tuple[Literal["atomic", "separate"] | None, ...] = (None, "atomic", "separate")

# --- What should happen -----------------------------------------------------------------------------------------------


def one_cycle(statement: str, arguments: tuple[int, ...]) -> int:
    return 1


def mixed(statement: str, arguments: tuple[int, ...]) -> int:
    """One to four cycles, as if at random; unknown to the controller."""
    return 1 + random.Random(f"{statement}{arguments}").randrange(4)


@dataclass(slots=True)
class Oracle:
    """The cycles in which a controller should start instances."""

    options: Options = field(default_factory=Options)
    latency: Latency = one_cycle
    events: list[Event] = field(default_factory=list[Event])

    def run(self, node: Node, env: Mapping[str, int], now: int = 0, path: Path = (), depth: int = 0) -> int:
        """Records what a node does from a cycle on; returns the first cycle after it."""
        match node:
            case Instance(statement=statement, arguments=arguments):
                values = tuple(number(argument, env) for argument in arguments)
                self.events.append((now, statement, values))
                return now + self.latency(statement, values)
            case Block(items=items) if path in self.options.parallel:
                return max(self.run(item, env, now, (*path, k), depth) for k, item in enumerate(items))
            case Block(items=items):
                begin = now
                for k, item in enumerate(items):
                    now = self.run(item, env, now, (*path, k), depth)
                return now if items else begin + 1
            case If(condition=condition, then=then, otherwise=otherwise):
                branch, position = (then, 0) if number(condition, env) else (otherwise, 1)
                return now + 1 if branch is None else self.run(branch, env, now, (*path, position), depth)
            case For():
                registers = self.options.registers.get(depth, Registers())
                return self._loop(node, env, now + registers.down, path, depth) + registers.up

    def _loop(self, loop: For, env: Mapping[str, int], now: int, path: Path, depth: int) -> int:
        begin, value = now, number(loop.start, env)
        while number(loop.condition, inside := {**env, loop.iterator: value}):
            now = self.run(loop.body, inside, now, (*path, 0), depth + 1)
            value += number(loop.step, inside)
        return now if now > begin else begin + 1


def number(expression: Expression, env: Mapping[str, int]) -> int:
    return int(evaluate(expression, env, ()))


# --- What does happen -------------------------------------------------------------------------------------------------


class Driver:
    """A controller in the interpreter, with statements that take as long as they like.

    While a statement is not at work, its last-cycle signal is noise: 1 most of the time, as when it is tied high.
    """

    def __init__(self, module: Module, latency: Latency = one_cycle) -> None:
        self.simulation = Simulation(module)
        self.latency = latency
        self.noise = random.Random(1)
        outputs = [port.name for port in module.of_kind("output")]
        self.statements = [name.removesuffix("_start") for name in outputs if name.endswith("_start")]
        self.arguments = {
            s: [o for o in outputs if o.startswith(f"{s}_") and o != f"{s}_start"] for s in self.statements
        }
        self.remaining = dict.fromkeys(self.statements, 0)
        self.held: dict[str, tuple[int, ...]] = {}
        self.ends = dict.fromkeys(self.statements, False)
        self.log: list[dict[str, int]] = []
        self.inputs = [port.name for port in module.of_kind("input")]

    def run(self, parameters: Mapping[str, int], limit: int = MOST_CYCLES) -> tuple[list[Event], int]:
        """The starts of instances, and the number of cycles until the last one, inclusively."""
        for name, value in parameters.items():
            self.simulation.set(name, value)
        assert self.simulation.get("ready")
        events: list[Event] = []
        for cycle in range(limit):
            self.simulation.set("start", int(cycle == 0))
            events += self.cycle(cycle)
            last = self.simulation.get("last")
            self.log.append({name: self.simulation.get(name) for name in self.inputs})
            self.simulation.step()
            assert self.simulation.get("ready") == last
            if last:
                self.simulation.set("start", 0)
                return events, cycle + 1
        return events, -1

    def cycle(self, cycle: int) -> list[Event]:
        """The statements that start in this cycle; sets their last cycles."""
        found = [self._started(cycle, s) for s in self.statements if self.simulation.get(f"{s}_start")]
        self.ends = {s: self.remaining[s] == 1 for s in self.statements}
        for s in self.statements:
            if self.remaining[s]:
                assert self._values(s) == self.held[s], "arguments change at work"
                self.simulation.set(f"{s}_last", int(self.remaining[s] == 1))
                self.remaining[s] -= 1
            else:
                self.simulation.set(f"{s}_last", int(self.noise.random() < 0.8))
        return found

    def _started(self, cycle: int, statement: str) -> Event:
        assert self.remaining[statement] == 0, "started at work"
        self.held[statement] = self._values(statement)
        self.remaining[statement] = self.latency(statement, self.held[statement])
        return cycle, statement, self.held[statement]

    def _values(self, statement: str) -> tuple[int, ...]:
        return tuple(map(self.simulation.get, self.arguments[statement]))


def check(
    tree: Node,
    rows: Sequence[Mapping[str, int]],
    options: Options = PLAIN,
    latency: Latency = one_cycle,
    context: isl.Set | None = None,
) -> int:
    """Compares a controller with the oracle for parameters, one after the other; returns the instances."""
    module = make_controller("run", tree, ranges(rows), options, context).module
    driver = Driver(module, latency)
    total = 0
    for row in rows:
        oracle = Oracle(options, latency)
        expected = oracle.run(tree, row)
        events, cycles = driver.run(row)
        assert sorted(events) == sorted(oracle.events), row
        assert cycles == expected, row
        total += len(events)
    return total


def ranges(rows: Sequence[Mapping[str, int]]) -> dict[str, tuple[int, int]]:
    names: Iterable[str] = rows[0] if rows else ()
    return {name: (min(row[name] for row in rows), max(row[name] for row in rows)) for name in names}


# --- Trees ------------------------------------------------------------------------------------------------------------


def var(name: str) -> Expression:
    return Variable(name, INT)


def plus(value: Expression, offset: int) -> Expression:
    return Binary("+", value, integer(offset), INT)


def count(iterator: str, first: Expression | int, last: Expression | int, *body: Node) -> For:
    begin, end = (integer(bound) if isinstance(bound, int) else bound for bound in (first, last))
    return For(iterator, begin, Binary("<=", var(iterator), end, INT), integer(1), Block(body))


def call(statement: str, *arguments: Expression | int) -> Instance:
    return Instance(statement, tuple(integer(a) if isinstance(a, int) else a for a in arguments))


def figure_5_5() -> Node:
    """Devos' example, as Appendix F has it."""
    first = call("S1", 0, 0, var("p3"), 0, var("p5"), 0)
    second = call("S2", 0, 1, var("p5"), 0, plus(var("p3"), -1), 0)
    end = plus(var("cols"), -2)
    return Block(
        (
            count("p3", 0, 1, count("p5", 1, end, first)),
            count("p3", 2, plus(var("rows"), -1), count("p5", 1, end, first, second)),
        )
    )


def figure_5_16() -> Node:
    """Devos' example of a partition."""
    n, twice = var("N"), Binary("*", integer(2), var("N"), INT)
    negative = Binary("-", integer(0), n, INT)
    difference = Binary("-", var("i"), var("j"), INT)
    return count(
        "i",
        0,
        n,
        count("j", var("i"), n, call("S1", var("i"), var("j"))),
        count("j", 0, plus(twice, -1), call("S2", var("i"), var("j")), call("S3", var("i"), var("j"))),
        count("j", negative, 0, count("k", difference, twice, call("S4", var("i"), var("j"), var("k")))),
    )


def tree_of(kernel: Kernel, option: Literal["atomic", "separate"] | None = None) -> Node:
    length = max(statement.schedule.dim(isl.dim_type.out) for statement in kernel.statements)
    return generate(kernel.schedule, kernel.context, [f"c{k}" for k in range(length)], option=option)


def random_options(tree: Node, seed: int) -> Options:
    """Registers, modules of their own and parts at the same time, wherever they may be."""
    source = random.Random(seed)
    registers = {depth: Registers(source.randrange(3), source.randrange(3)) for depth in range(source.randrange(4))}
    loops = sorted(path for depth in range(6) for path in loops_at(tree, depth))
    apart = [path for path in sorted(blocks(tree)) if not shares_statements(node_at(tree, path))]
    return Options(
        shared=source.random() < 0.5,
        registers=registers,
        parts=frozenset(path for path in loops if source.random() < 0.4),
        parallel=frozenset(path for path in apart if source.random() < 0.5),
    )


def shares_statements(block: Node) -> bool:
    names = [name for item in children(block) for name in statements(item)]
    return len(set(names)) < len(names)


# --- Figure 5.5 and Appendix F of Devos -------------------------------------------------------------------------------

COLUMNS = "start sf1 ss1 sf2 ss2 sS1 S1lc sS2 S2lc seq2lc for2lc seq1lc for1lc lc t0 t1 t2 p3 p5 ready"
TRACE = """
4  0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1
5  1 1 1 1 1 1 1 0 0 1 0 0 0 0 0 0 0 0 1 1
6  0 0 0 0 1 1 1 0 0 1 1 1 0 0 0 0 0 0 2 0
7  0 0 1 1 1 1 1 0 0 1 0 0 0 0 0 0 0 1 1 0
8  0 0 0 0 1 1 1 0 0 1 1 1 1 0 0 0 0 1 2 0
9  0 1 1 1 1 1 1 0 0 0 0 0 0 0 1 0 0 2 1 0
10 0 0 0 0 0 0 0 1 0 0 0 0 0 0 1 0 1 2 1 0
11 0 0 0 0 0 0 0 0 1 1 0 0 0 0 1 0 1 2 1 0
12 0 0 0 0 1 1 1 0 0 0 0 0 0 0 1 0 0 2 2 0
13 0 0 0 0 0 0 0 1 0 0 0 0 0 0 1 0 1 2 2 0
14 0 0 0 0 0 0 0 0 1 1 1 1 0 0 1 0 1 2 2 0
15 0 0 1 1 1 1 1 0 0 0 0 0 0 0 1 0 0 3 1 0
16 0 0 0 0 0 0 0 1 0 0 0 0 0 0 1 0 1 3 1 0
17 0 0 0 0 0 0 0 0 1 1 0 0 0 0 1 0 1 3 1 0
18 0 0 0 0 1 1 1 0 0 0 0 0 0 0 1 0 0 3 2 0
19 0 0 0 0 0 0 0 1 0 0 0 0 0 0 1 0 1 3 2 0
20 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 0 1 3 2 0
"""
"""The signals of Figure 5.7 in each cycle, from the model of Appendix F, for cols = rows = 4."""


def devos_signals(get: Callable[[str], int], shared: bool) -> dict[str, int]:
    """Devos' signals: the automaton of a level is both loops of the depth together, or the one that they share."""
    nest = get("part")
    second = "" if shared else "_2"

    def both(loop: str, what: str) -> int:
        return get(f"{loop}_{what}") | get(f"{loop}{second}_{what}")

    def body_last(loop: str) -> int:
        return int(any(get(f"{name}_active") and get(f"{name}_body_last") for name in (loop, f"{loop}{second}")))

    return {
        "sf1": both("p3", "start"),
        "ss1": both("p3", "body_start"),
        "sf2": both("p5", "start"),
        "ss2": both("p5", "body_start"),
        "seq2lc": body_last("p5"),
        "for2lc": both("p5", "done"),
        "seq1lc": body_last("p3"),
        "for1lc": both("p3", "done"),
        "t0": nest,
        "t1": 0,
        "t2": get(f"part_of_p5{second}"),
        "p3": get(f"p3{second}" if nest else "p3"),
        "p5": get(f"p5{second}" if nest else "p5"),
    }


@pytest.mark.parametrize("shared", [False, True])
def test_figure_5_7_in_every_cycle(shared: bool) -> None:
    limits = {"cols": (0, 7), "rows": (0, 7)}
    simulation = Simulation(make_controller("filter_comp", figure_5_5(), limits, Options(shared=shared)).module)
    simulation.set("cols", 4)
    simulation.set("rows", 4)
    second_cycle = 0
    for line in TRACE.strip().splitlines():
        cycle, *row = map(int, line.split())
        simulation.set("start", int(cycle == 5))
        s1, s2 = simulation.get("S1_start"), simulation.get("S2_start")
        simulation.set("S1_last", s1)
        simulation.set("S2_last", second_cycle)
        found = {"start": int(cycle == 5), "sS1": s1, "S1lc": s1, "sS2": s2, "S2lc": second_cycle}
        found |= {"lc": simulation.get("last"), "ready": simulation.get("ready")}
        found |= devos_signals(simulation.get, shared)
        assert [found[name] for name in COLUMNS.split()] == row, cycle
        second_cycle = s2
        simulation.step()
    assert simulation.get("ready")


def two_cycles_for_s2(statement: str, arguments: tuple[int, ...]) -> int:
    return 2 if statement == "S2" else 1


DOWN = {depth: Registers(down=1) for depth in range(2)}
BOTH = {depth: Registers(down=1, up=1) for depth in range(2)}
UP = {depth: Registers(up=1) for depth in range(2)}
INNER = frozenset({(1, 0, 0, 0)})
"""The block of S1 and S2 in Figure 5.5, which may run at the same time."""
NONE: frozenset[Path] = frozenset()


@pytest.mark.parametrize(
    ("registers", "parallel", "cycles"),
    [({}, False, 16), (DOWN, False, 22), (UP, False, 22), (BOTH, False, 28), ({}, True, 12), (DOWN, True, 18)],
)
def test_figures_5_7_to_5_9_take_these_cycles(registers: dict[int, Registers], parallel: bool, cycles: int) -> None:
    """A visit of a loop takes a cycle more for each register: 2 visits of loops p3, 4 of loops p5."""
    options = Options(registers=registers, parallel=INNER if parallel else NONE)
    module = make_controller("filter_comp", figure_5_5(), {"cols": (0, 7), "rows": (0, 7)}, options).module
    assert Driver(module, two_cycles_for_s2).run({"cols": 4, "rows": 4})[1] == cycles


def test_figure_5_8_start_needs_two_cycles_to_the_bottom() -> None:
    options = Options(registers=DOWN)
    simulation = Simulation(
        make_controller("filter_comp", figure_5_5(), {"cols": (0, 7), "rows": (0, 7)}, options).module
    )
    for name, value in (("cols", 4), ("rows", 4), ("start", 1)):
        simulation.set(name, value)
    seen: list[tuple[int, int, int]] = []
    for _ in range(3):
        seen.append((simulation.get("p3_body_start"), simulation.get("p5_body_start"), simulation.get("S1_start")))
        simulation.step()
        simulation.set("start", 0)
    assert seen == [(0, 0, 0), (1, 0, 0), (0, 1, 1)]


@pytest.mark.parametrize("latency", [two_cycles_for_s2, one_cycle, mixed])
@pytest.mark.parametrize("registers", [{}, DOWN, UP, BOTH, {1: Registers(2, 1)}])
@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("shared", [False, True])
def test_figure_5_5_for_all_sizes(
    registers: dict[int, Registers], parallel: bool, shared: bool, latency: Latency
) -> None:
    options = Options(registers=registers, parallel=INNER if parallel else NONE, shared=shared)
    rows = [{"cols": cols, "rows": rows} for cols in range(6) for rows in range(6)]
    assert check(figure_5_5(), rows, options, latency) > 0


def test_figure_5_5_cycles_are_those_of_its_statements() -> None:
    """An empty second nest takes one cycle, as the guard in Appendix F has it."""
    driver = Driver(
        make_controller("filter_comp", figure_5_5(), {"cols": (0, 15), "rows": (0, 15)}).module, two_cycles_for_s2
    )
    for cols, rows in ((4, 3), (4, 4), (8, 5), (3, 9)):
        expected = 2 * (cols - 2) + (rows - 2) * (cols - 2) * 3
        assert driver.run({"cols": cols, "rows": rows})[1] == expected
    assert driver.run({"cols": 4, "rows": 2})[1] == 2 * 2 + 1
    assert driver.run({"cols": 0, "rows": 0})[1] == 2 + 1


def test_parts_at_the_same_time_end_as_par_sync_does() -> None:
    """Figure 5.11: `last` in every cycle, for statements that take one to four cycles."""
    tree = count("i", 0, 40, call("S1", var("i")), call("S2", var("i")))
    driver = Driver(make_controller("top", tree, {}, Options(parallel=frozenset({(0,)}))).module, mixed)
    get, ready = driver.simulation.get, [1, 1]
    for cycle in range(150):
        driver.simulation.set("start", int(cycle == 3))
        driver.cycle(cycle)
        start = get("S1_start")
        lasts = [int(driver.ends[s]) for s in ("S1", "S2")]
        done = [r or last for r, last in zip(ready, lasts, strict=True)]
        expected = all(lasts) if start else any(lasts) and all(done)
        assert get("all_of_i_done") == int(expected), cycle
        ready = lasts if start else done
        driver.simulation.step()
    assert get("ready")


# --- Figure 5.16: registers at alpha, beta and gamma, one module or four ----------------------------------------------


@pytest.mark.parametrize("depths", [(), (0,), (1,), (2,), (0, 1), (0, 1, 2), (0, 2), (1, 2), (2, 2), (1, 2, 2)])
@pytest.mark.parametrize("split", [False, True])
@pytest.mark.parametrize("shared", [False, True])
def test_figure_5_16_with_the_registers_of_table_5_6(depths: tuple[int, ...], split: bool, shared: bool) -> None:
    registers = {depth: Registers(depths.count(depth), depths.count(depth)) for depth in depths}
    tree = figure_5_16()
    options = Options(registers=registers, parts=loops_at(tree, 1) if split else frozenset(), shared=shared)
    assert len(hierarchy(make_controller("top", tree, {"N": (0, 5)}, options).module)) == (4 if split else 1)
    assert check(tree, [{"N": n} for n in range(5)], options, mixed) == sum(map(instances_5_16, range(5)))


def test_loops_of_a_depth_share_a_counter() -> None:
    """Five loops, but three dimensions: i, j and k."""
    module = make_controller("top", figure_5_16(), {"N": (0, 5)}, Options(shared=True)).module
    counters = [signal.name for signal in module.of_kind("register") if signal.name.endswith("_count")]
    assert counters == ["i_count", "j_count", "k_count"]


def instances_5_16(n: int) -> int:
    oracle = Oracle()
    oracle.run(figure_5_16(), {"N": n})
    return len(oracle.events)


# --- All kernels ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path: FilePath) -> None:
    kernel = ls.parse(path)
    tree, rows = tree_of(kernel), list(tiny_parameters(kernel))[:9]
    check(tree, rows, Options(), one_cycle, kernel.context)
    check(tree, rows[::2], random_options(tree, len(path.stem)), mixed, kernel.context)
    check_flat(kernel, tree, rows[::2], mixed)


@pytest.mark.parametrize("seed", range(6))
def test_random_kernels(seed: int) -> None:
    check_random(seed)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(6, 150))
def test_more_random_kernels(seed: int) -> None:
    check_random(seed)


def check_random(seed: int) -> None:
    kernel, rows = random_kernel(seed)
    for position, option in enumerate(OPTIONS):
        tree = tree_of(kernel, option)
        check(tree, rows[:4], Options(), (one_cycle, mixed)[position % 2], kernel.context)
        check(tree, rows[:4], random_options(tree, seed + position), mixed, kernel.context)
    check_flat(kernel, tree_of(kernel), rows[:4], mixed)


def check_flat(kernel: Kernel, tree: Node, rows: Sequence[Mapping[str, int]], latency: Latency) -> None:
    """A flat controller runs the same instances, with nothing in between unless its walk has to be tested."""
    module = make_flat_controller("flat", kernel.schedule, ranges(rows), context=kernel.context).module
    tested = any(signal.name == "member" for signal in module.signals)
    driver = Driver(module, latency)
    for row in rows:
        oracle = Oracle(latency=latency)
        oracle.run(tree, row)
        events, cycles = driver.run(row)
        assert [event[1:] for event in events] == [event[1:] for event in oracle.events], row
        needed = max(1, sum(latency(name, values) for _, name, values in oracle.events))
        assert cycles >= needed if tested else cycles == needed, row


TILINGS = ("by 4 4 2", "by 3 5 7", "by 2 77 1")


@pytest.mark.parametrize("sizes", TILINGS)
@pytest.mark.parametrize("style", ["compact", "separated"])
def test_tiled_matmul(sizes: str, style: Style) -> None:
    program = tiled_matmul(sizes)
    tree, rows = program_loops(program, style), [{"n": n} for n in (0, 1, 3, 6)]
    for options in (Options(), random_options(tree, 3)):
        assert check(tree, rows, options, mixed, program.kernel.context) == 1 + 27 + 216
    check_flat(program.kernel, tree, rows, one_cycle)


def tiled_matmul(sizes: str) -> Program:
    return ls.transformed(ls.parse(ROOT / "examples" / "matmul.c"), f"tile S0.i S0.j S0.k {sizes}").program


def test_a_flat_walk_that_is_tested_skips_points_in_a_cycle_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "MOST_DECISIONS", -1)
    schedule = isl.UnionMap("[n] -> { S[i, j] -> [i, j] : 0 <= i < n and 0 <= j < n and (j < i or j > i + 1) }")
    module = make_flat_controller("flat", schedule, {"n": (0, 6)}).module
    events, cycles = Driver(module).run({"n": 6})
    assert [values for _, _, values in events] == [(i, j) for i in range(6) for j in range(6) if j < i or j > i + 1]
    assert len(events) < cycles <= 36


# --- Runs -------------------------------------------------------------------------------------------------------------


def test_a_run_may_begin_in_the_cycle_after_another_with_other_parameters() -> None:
    """`Driver.run` starts again at once."""
    rows = [{"N": n} for n in (3, 0, 4, 1, 1)]
    assert check(figure_5_16(), rows, Options(registers=BOTH), mixed) == sum(instances_5_16(row["N"]) for row in rows)


@pytest.mark.parametrize("cycle", range(1, 40, 3))
def test_reset_stops_a_run(cycle: int) -> None:
    options = Options(registers=BOTH, parallel=frozenset({(0, 1, 0)}), parts=frozenset({(0, 2)}))
    driver = Driver(make_controller("top", figure_5_16(), {"N": (0, 5)}, options).module, mixed)
    driver.run({"N": 3}, limit=cycle)
    driver.simulation.set("start", 0)
    driver.simulation.set("rst", 1)
    driver.simulation.step()
    driver.simulation.set("rst", 0)
    driver.remaining = dict.fromkeys(driver.statements, 0)
    assert driver.cycle(0) == []
    oracle = Oracle(options, mixed)
    expected = oracle.run(figure_5_16(), {"N": 2})
    events, cycles = driver.run({"N": 2})
    assert (sorted(events), cycles) == (sorted(oracle.events), expected)


def test_nothing_happens_without_a_start() -> None:
    driver = Driver(make_controller("top", figure_5_16(), {"N": (0, 5)}, Options(registers=BOTH)).module)
    driver.simulation.set("N", 4)
    for cycle in range(30):
        assert driver.cycle(cycle) == []
        assert driver.simulation.get("ready")
        assert not driver.simulation.get("last")
        driver.simulation.step()


def test_loops_of_nothing_take_one_cycle() -> None:
    """At every level: the kernel, a loop in a loop, a branch, a block of nothing."""
    n, m = var("n"), var("m")
    inner = count("j", 0, plus(m, -1), call("S", var("i"), var("j")))
    skipped = If(Binary("<", n, m, INT), call("T", n), None)
    tree = Block((count("i", 0, plus(n, -1), inner, skipped), Block(()), count("k", m, n, call("T", var("k")))))
    rows = [{"n": a, "m": b} for a in range(4) for b in range(4)]
    for options in (Options(), Options(registers=BOTH, parts=loops_at(tree, 1))):
        check(tree, rows, options, mixed)
    events, cycles = Driver(make_controller("top", tree, ranges(rows)).module).run({"n": 0, "m": 3})
    assert (events, cycles) == ([], 3)


def test_steps_other_than_one_and_bounds_with_everything() -> None:
    n, i = var("n"), var("i")
    third = Binary("floordiv", Binary("-", i, n, INT), integer(3), INT)
    rest = Binary("mod", Binary("-", i, n, INT), integer(5), INT)
    product = Binary("*", integer(-77), i, INT)
    inner = For(
        "j", third, Binary("&&", less("j", rest), less("j", n), INT), integer(2), call("S", i, var("j"), product)
    )
    outer = For("i", Unary("-", n, INT), less("i", Binary("max", n, integer(3), INT)), integer(3), inner)
    rows = [{"n": n} for n in range(9)]
    assert check(outer, rows, Options(registers=BOTH, parts=loops_at(outer, 1)), mixed) > 0
    text = emit_verilog(make_controller("top", outer, ranges(rows)).module)
    assert "i_times_77_count" in text
    assert "*" not in text.replace("//", "")


def less(name: str, bound: Expression) -> Expression:
    return Binary("<", var(name), bound, INT)


def test_arguments_are_the_original_iterators_or_the_counters() -> None:
    program = tiled_matmul("by 4 4 2")
    tree, names = program_loops(program), {"S0": ("i", "j", "k")}
    rows = [{"n": 5}]
    module = make_controller("mm", tree, ranges(rows), Options(arguments=names), program.kernel.context).module
    assert {"S0_i", "S0_j", "S0_k"} <= {port.name for port in module.of_kind("output")}
    counting = with_counters(tree)
    assert check(counting, rows, Options(), mixed, program.kernel.context) == 125
    leaf = next(node for node in walk(counting) if isinstance(node, Instance))
    assert leaf.arguments == tuple(map(var, ("it", "jt", "kt", "i", "j", "k")))


def test_counters_have_the_bits_that_their_values_need() -> None:
    tree = count("i", var("n"), plus(var("n"), 7), count("j", var("i"), 9, call("S", var("i"), var("j"))))
    module = make_controller("top", tree, {"n": (1, 8)}).module
    assert {name: module[f"{name}_count"].width for name in "ij"} == {"i": 4, "j": 4}
    assert str(module["S_arg_0"].type) == "unsigned(4)"
    check(tree, [{"n": n} for n in range(1, 9)])


def test_names_that_clash_are_changed() -> None:
    """Parameters are called like ports, statements differ in capitals, a loop is called like a reserved word."""
    body = Block((call("s", var("signal")), call("S", var("last"))))
    tree = count("signal", 0, var("start"), body)
    module = make_controller("shared", tree, {"start": (0, 5), "last": (3, 3)}).module
    ports = [port.name for port in module.of_kind("input", "output")]
    assert len({port.lower() for port in ports}) == len(ports)
    assert {"start", "last", "ready", "start_2", "last_2", "s_start", "S_start_2"} <= set(ports)
    assert emit_vhdl(module)


# --- What is refused --------------------------------------------------------------------------------------------------


def test_a_statement_cannot_run_twice_at_the_same_time() -> None:
    tree = Block((call("S", 1), call("S", 2)))
    with pytest.raises(UnsupportedError, match="share statement 'S'"):
        make_controller("top", tree, {}, Options(parallel=frozenset({()})))


def test_places_that_are_not_there_are_refused() -> None:
    options = Options(parts=frozenset({(), (5,)}), parallel=frozenset({(0,)}))
    with pytest.raises(InputError) as error:
        make_controller("top", figure_5_5(), {"cols": (0, 7), "rows": (0, 7)}, options)
    messages = [diagnostic.message for diagnostic in error.value.diagnostics]
    assert messages == ["no loop is at path ()", "no loop is at path (5,)", "no block is at path (0,)"]


def test_a_parameter_without_a_range_is_named() -> None:
    with pytest.raises(InputError, match="parameter 'rows' has no range"):
        make_controller("top", figure_5_5(), {"cols": (0, 7)})
    with pytest.raises(InputError, match="parameter 'n' has no range"):
        make_flat_controller("flat", isl.UnionMap("[n] -> { S[i] -> [i] : 0 <= i < n }"), {})


def test_products_of_variables_are_refused() -> None:
    tree = count("i", 0, Binary("*", var("n"), var("m"), INT), call("S", var("i")))
    with pytest.raises(UnsupportedError, match="more arithmetic than a loop controller has"):
        make_controller("top", tree, {"n": (0, 5), "m": (0, 5)})


def test_a_loop_that_counts_down_is_refused() -> None:
    tree = For("i", var("n"), Binary(">=", var("i"), integer(0), INT), integer(-1), call("S", var("i")))
    with pytest.raises(UnsupportedError, match="cannot count 'i'"):
        make_controller("top", tree, {"n": (0, 5)})


# --- Arithmetic -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("divisor", [2, 3, 5, 7, 8, 10, 11, 77, 100, 127, 128, 129])
def test_reciprocals_are_exact(divisor: int) -> None:
    for most in (0, 1, divisor - 1, divisor, 255, 1000, 4095):
        factor, shift = reciprocal(divisor, most)
        assert all(value * factor >> shift == value // divisor for value in range(most + 1))


def test_digits_add_up_and_are_few() -> None:
    for factor in range(1, 600):
        found = digits(factor)
        assert sum(sign << place for place, sign in found) == factor
        assert len(found) <= (factor.bit_length() + 1) // 2 + 1


def operations() -> Iterator[Expression]:
    """Each operation on x and y."""
    x, y = var("x"), var("y")
    for op in ("+", "-", "min", "max", "<", "<=", ">", ">=", "==", "!="):
        yield Binary(op, x, y, INT)
    for op in ("*", "floordiv", "mod", "/", "%"):
        for right in (1, 2, 3, 5, 7, 8, 24):
            yield Binary(op, plus(x, -3), integer(right), INT)
            yield Binary("==", Binary(op, x, integer(right), INT), integer(0), INT)
    yield Binary("*", integer(-6), Binary("+", x, y, INT), INT)
    yield Unary("-", x, INT)
    yield Select(Binary("||", Binary("<", x, y, INT), Unary("!", y, INT), INT), y, integer(100), INT)
    yield Binary("&&", x, Binary("!=", y, integer(2), INT), INT)


@pytest.mark.parametrize("limits", [(-9, 12), (0, 15), (-40, -3), (3, 3)])
def test_expressions_are_what_c_computes(limits: tuple[int, int]) -> None:
    m = Module("values")
    values = parameter_inputs(m, {"x": limits, "y": (-2, 5)})
    names = Names(m, [f"out_{k}" for k in range(len(list(operations())))])
    found = [Arithmetic(names, values, "part").value(tidy(expression)) for expression in operations()]
    for k, value in enumerate(found):
        m.output(f"out_{k}", value.value)
    simulation = Simulation(m)
    for x in range(limits[0], limits[1] + 1):
        for y in range(-2, 6):
            simulation.set("x", x)
            simulation.set("y", y)
            for k, expression in enumerate(operations()):
                expected = number(expression, {"x": x, "y": y})
                assert simulation.get(f"out_{k}") == expected, (expression, x, y)
                assert found[k].low <= expected <= found[k].high, (expression, x, y)


# --- Independent parts ------------------------------------------------------------------------------------------------


INDEPENDENT = {"mvt": (0, 1), "bicg": (2, 1), "gemver": (3, 0), "3mm": (4, 1), "fdtd-2d": (1, 2), "gesummv": (2, 2)}
"""How many pairs of items need each other, and how many do not."""


@pytest.mark.parametrize("name", INDEPENDENT)
def test_parts_are_independent_if_no_dependence_is_between_them(name: str) -> None:
    kernel = ls.parse(ROOT / "examples" / "polybench" / f"{name}.c")
    tree, every = tree_of(kernel), dependences(kernel).all
    rows = [row for row in tiny_parameters(kernel) if all(value >= 3 for value in row.values())]
    answers = [0, 0]
    for path in blocks(tree):
        for pair in combinations(range(len(children(node_at(tree, path)))), 2):
            found = independent(tree, path, pair, every, kernel.context)
            assert found != any(meet(tree, path, pair, every, row) for row in rows), (path, pair)
            answers[found] += 1
    assert tuple(answers) == INDEPENDENT[name]


def test_parts_may_share_an_array_in_different_executions_of_their_block() -> None:
    """Iteration i of one part needs iteration i - 1 of the other."""
    tree = count("i", 1, 9, call("S", var("i")), call("T", var("i")))
    context = isl.Set("{ : }")
    assert independent(tree, (0,), (0, 1), isl.UnionMap("{ T[i] -> S[i + 1] }"), context)
    assert not independent(tree, (0,), (0, 1), isl.UnionMap("{ S[i] -> T[i] : i = 9 }"), context)


def meet(tree: Node, path: Path, pair: tuple[int, int], every: isl.UnionMap, row: Mapping[str, int]) -> bool:
    """Whether a dependence is between two items in one execution of a block."""
    found: list[isl.Map] = []
    fixed(every, dict(row)).foreach_map(found.append)
    needs = {
        (part.get_tuple_name(isl.dim_type.in_), source, part.get_tuple_name(isl.dim_type.out), target)
        for part in found
        for source, target in pairs(part)
    }
    for env in executions(tree, path, row):
        first, second = (executed(node_at(tree, (*path, k)), env) for k in pair)
        if any((*a, *b) in needs or (*b, *a) in needs for a in first for b in second):
            return True
    return False


def executed(node: Node, env: Mapping[str, int]) -> list[tuple[str, tuple[int, ...]]]:
    oracle = Oracle()
    oracle.run(node, env)
    return [(name, values) for _, name, values in oracle.events]


def executions(node: Node, path: Path, env: Mapping[str, int]) -> Iterator[Mapping[str, int]]:
    """The values of variables with which the node at a path is executed."""
    if not path:
        yield env
        return
    child = children(node)[path[0]]
    match node:
        case For(iterator=iterator):
            value = number(node.start, env)
            while number(node.condition, inside := {**env, iterator: value}):
                yield from executions(child, path[1:], inside)
                value += number(node.step, inside)
        case If(condition=condition) if bool(number(condition, env)) != (path[0] == 0):
            return
        case _:
            yield from executions(child, path[1:], env)


# --- Simulators and synthesis -----------------------------------------------------------------------------------------

TRACES = {"verilator-cli": verilator.trace, "iverilog": icarus.trace, "ghdl": ghdl.trace}
LINTS = {"verilator-cli": verilator.lint, "iverilog": icarus.lint, "ghdl": ghdl.lint}


def require(program: str) -> None:
    try:
        find_program(program, "")
    except ToolError:
        pytest.skip(f"{program} is not installed")


@dataclass(frozen=True, slots=True, eq=False)
class Recorded:
    """A controller with the inputs of some runs."""

    module: Module
    cycles: list[dict[str, int]]


def recorded(module: Module, rows: Iterable[Mapping[str, int]]) -> Recorded:
    driver = Driver(module, mixed)
    for row in rows:
        driver.run(row)
    return Recorded(module, driver.log)


@cache
def designs() -> tuple[Recorded, ...]:
    thirds = tiled_matmul("by 3 5 77")
    sizes = [{"n": n} for n in (0, 1, 4, 5)]
    known = thirds.kernel.context
    split = Options(registers=BOTH, parts=loops_at(figure_5_16(), 1), parallel=frozenset({(0, 1, 0)}))
    return (
        recorded(make_controller("top", figure_5_16(), {"N": (0, 5)}, split).module, [{"N": n} for n in (0, 3, 1)]),
        recorded(make_controller("mm", program_loops(thirds), {"n": (0, 99)}, context=known).module, sizes),
        recorded(make_flat_controller("flat", thirds.kernel.schedule, {"n": (0, 99)}, context=known).module, sizes),
        recorded(make_controller("dimensions", figure_5_16(), {"N": (0, 5)}, Options(shared=True)).module, [{"N": 2}]),
    )


def together() -> tuple[Module, list[dict[str, int]]]:
    """All designs side by side, with a reset in between."""
    every = designs()
    cycles = [
        {f"{design.module.name}_{name}": value for design in every for name, value in at(design, k).items()}
        | {"rst": 0}
        for k in range(max(len(design.cycles) for design in every))
    ]
    cycles[len(cycles) // 2]["rst"] = 1
    return combined(tuple(design.module for design in every)), cycles


def at(design: Recorded, cycle: int) -> dict[str, int]:
    return design.cycles[cycle] if cycle < len(design.cycles) else {"start": 0}


@pytest.mark.parametrize("program", TRACES)
def test_simulators_agree_with_the_interpreter(program: str) -> None:
    require(program)
    module, cycles = together()
    assert TRACES[program](module, cycles) == vectors.trace(module, cycles)


@pytest.mark.parametrize("program", LINTS)
def test_texts_have_no_warning(program: str) -> None:
    require(program)
    assert [LINTS[program](design.module) for design in designs()] == [""] * len(designs())


HARD = {"$mul", "$div", "$mod", "$divfloor", "$modfloor", "$macc", "$pow"}


@pytest.mark.parametrize("kind", ["own", "shared", "flat"])
@pytest.mark.parametrize("sizes", ["by 16 16 8", "by 3 5 7"])
def test_control_of_matmul_in_tiles_has_no_multiplier_and_no_divider(kind: str, sizes: str) -> None:
    try:
        yosys.version()
    except ToolError:
        pytest.skip("Yosys is not installed")
    program = tiled_matmul(sizes)
    limits, known = {"n": (0, 4095)}, program.kernel.context
    if kind == "flat":
        module = make_flat_controller("mm", program.kernel.schedule, limits, context=known).module
    else:
        module = make_controller("mm", program_loops(program), limits, Options(shared=kind == "shared"), known).module
    found = cells(module)
    assert found["$add"]
    assert not HARD & set(found)


# --- Documentation ----------------------------------------------------------------------------------------------------


def test_the_page_shows_what_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    page = (ROOT / "docs" / "controllers.md").read_text()

    def found(language: str) -> list[str]:
        return re.findall(rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)

    scope: dict[str, Module] = {}
    for block in found("python"):
        exec(block, scope)
    assert found("systemverilog") == [emit_verilog(scope["m"])]


@pytest.mark.parametrize("tree", [figure_5_5(), figure_5_16()], ids=["5.5", "5.16"])
def test_the_plain_controller_is_that_of_accelerators(tree: Node) -> None:
    limits = {"cols": (0, 7), "rows": (0, 7), "N": (0, 7)}
    assert emit_verilog(make_controller("run", tree, limits).module) == emit_verilog(
        controller.make_controller("run", tree, limits).module
    )
