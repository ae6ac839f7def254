"""Intervals and independence in pipelined loops of HLS C++, against the iterations themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import pytest

import loadstone as ls
from kernels import EXAMPLES
from loadstone.emit.c.compute.recurrences import Pipelining, Recurrences, innermost_loops, path_latency
from loadstone.emit.c.loops.trip_counts import in_beats, trip_counts
from loadstone.loops.accelerator import Accelerator
from loadstone.loops.model import Block, For, If, Instance, Node, walk
from loadstone.loops.ranges import parameter_limits, within
from loadstone.loops.tile_loops import array_moves, existing_coordinates
from loadstone.model.evaluate import evaluate
from loadstone.model.expression import Expression, substituted
from loadstone.model.kernel import Access, Kernel
from loadstone.options import Choices
from loadstone.parallel.group_loops import LaneLoops, counted_lanes
from loadstone.parallel.lanes import find_lanes
from loadstone.pipeline import Compilation

Values = Mapping[str, int]
ACCUMULATED = """
void accumulated(int n, int m, float s[n], double a[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      s[i] = s[i] + a[i][j] * 2;
}
"""
DELAYED = """
void delayed(int n, float x[n]) {
  for (int i = 3; i < n; i++)
    x[i] = x[i - 3] * 0.5f + 1;
}
"""
TOGETHER = """
void together(int n, float x[n + 1], float y[n + 1]) {
  for (int i = 0; i < n; i++) {
    y[i] = x[i] + 1;
    x[i + 1] = y[i] * 3;
  }
}
"""
SHIFTED = """
void shifted(int n, int x[n + 1], int y[n]) {
  for (int i = 0; i < n; i++) {
    y[i] = y[i] + x[i];
    x[i] = x[i + 1] - y[i];
  }
}
"""


def accelerator_of(text: str, sizes: int | tuple[int, ...]) -> Accelerator:
    return Compilation(ls.parse(text), Choices(sizes=sizes)).accelerator


def found_in(accelerator: Accelerator, tree: Node, lanes: Mapping[str, LaneLoops]) -> list[tuple[For, Pipelining]]:
    statements = {statement.name: statement for statement in accelerator.kernel.statements}
    facts = existing_coordinates(accelerator.plan.tiles)
    return list(zip(innermost_loops(tree), Recurrences(statements, lanes).of(tree, facts), strict=True))


@pytest.mark.parametrize(
    ("text", "sizes", "interval", "independent"),
    [(ACCUMULATED, 4, 5, ()), (DELAYED, 8, 3, ()), (TOGETHER, 4, 7, ("y",)), (SHIFTED, 4, 1, ("x", "y"))],
)
def test_intervals(text: str, sizes: int, interval: int, independent: tuple[str, ...]) -> None:
    accelerator = accelerator_of(text, sizes)
    assert [each for _, each in found_in(accelerator, accelerator.compute, {})] == [Pipelining(interval, independent)]


def test_latencies_go_from_an_operand_to_the_value() -> None:
    (statement,) = ls.parse(ACCUMULATED).statements
    of_sum = next(k for k, read in enumerate(statement.reads) if read.array == "s")
    assert path_latency(statement.value, of_sum) == 5
    assert path_latency(statement.value, 1 - of_sum) == 10


def executions(node: Node, values: Values, loops: Sequence[For]) -> Iterator[tuple[For, list[tuple[Instance, Values]]]]:
    """The executions of innermost loops, with the instances of each in order, and the values around these."""
    match node:
        case For() if any(node is loop for loop in loops):
            yield node, [pair for inner in iterations(node, values) for pair in instances(node.body, inner)]
        case For():
            for inner in iterations(node, values):
                yield from executions(node.body, inner, loops)
        case If(condition=condition, then=then, otherwise=otherwise):
            chosen = then if evaluate(condition, values, ()) else otherwise
            yield from () if chosen is None else executions(chosen, values, loops)
        case Block(items=items):
            for item in items:
                yield from executions(item, values, loops)
        case Instance():
            pass


def iterations(loop: For, values: Values) -> Iterator[Values]:
    at = int(evaluate(loop.start, values, ()))
    while evaluate(loop.condition, {**values, loop.iterator: at}, ()):
        yield {**values, loop.iterator: at}
        at += int(evaluate(loop.step, values, ()))


def instances(node: Node, values: Values) -> Iterator[tuple[Instance, Values]]:
    match node:
        case If(condition=condition, then=then, otherwise=otherwise):
            chosen = then if evaluate(condition, values, ()) else otherwise
            yield from () if chosen is None else instances(chosen, values)
        case Block(items=items):
            for item in items:
                yield from instances(item, values)
        case Instance():
            yield node, values
        case For():
            raise AssertionError("an innermost loop")


def elements(
    kernel: Kernel, leaf: Instance, values: Values, lanes: Mapping[str, LaneLoops]
) -> Iterator[tuple[list[tuple[str, tuple[int, ...]]], tuple[str, tuple[int, ...]]]]:
    """What an instance reads and writes, in each lane that exists."""
    statement, found = kernel.statement(leaf.statement), lanes.get(leaf.statement)
    counts = [range(count) for _, count in found.counters] if found else []
    for place in product(*counts):
        known = {**values, **{name: at for (name, _), at in zip(found.counters if found else (), place, strict=True)}}
        arguments = found.iterators(leaf.arguments) if found else leaf.arguments
        if found and not evaluate(found.condition(arguments), known, ()):
            continue
        iterators = dict(zip(statement.iterators, arguments, strict=True))

        yield [touched(r, iterators, known) for r in statement.reads], touched(statement.write, iterators, known)


def touched(access: Access, iterators: dict[str, Expression], values: Values) -> tuple[str, tuple[int, ...]]:
    subscripts = (evaluate(substituted(each, iterators), values, ()) for each in access.subscripts)
    return access.array, tuple(map(int, subscripts))


def check(accelerator: Accelerator, tree: Node, lanes: Mapping[str, LaneLoops], values: Values, tile: Values) -> int:
    """Asserts that no iteration reads from independent arrays what an earlier one wrote; how many were executed."""
    found, count = found_in(accelerator, tree, lanes), 0
    claims = {id(loop): each for loop, each in found}
    for loop, done in executions(tree, {**values, **tile}, [each for each, _ in found]):
        written, at, now = dict[tuple[str, tuple[int, ...]], int](), 0, None
        for leaf, inner in done:
            at, now = (at + (inner[loop.iterator] != now), inner[loop.iterator])
            for reads, write in elements(accelerator.kernel, leaf, inner, lanes):
                for each in reads:
                    count += 1
                    if each[0] in claims[id(loop)].independent:
                        assert written.get(each, at) == at, (loop, each)
                written[write] = at
    return count


def check_counts(node: Node, values: Values, known: Mapping[int, tuple[int, int]]) -> int:
    """Asserts that loops have as many iterations as is known of them; how many loops were executed."""
    match node:
        case For(body=body):
            inner = list(iterations(node, values))
            if id(node) in known:
                least, greatest = known[id(node)]
                assert least <= len(inner) <= greatest, node
            return 1 + sum(check_counts(body, each, known) for each in inner)
        case If(condition=condition, then=then, otherwise=otherwise):
            chosen = then if evaluate(condition, values, ()) else otherwise
            return 0 if chosen is None else check_counts(chosen, values, known)
        case Block(items=items):
            return sum(check_counts(item, values, known) for item in items)
        case Instance():
            return 0


@pytest.mark.parametrize("name", ["matmul", "jacobi-1d", "trisolv", "lu"])
def test_numbers_of_iterations(name: str) -> None:
    kernel = ls.parse(str(next(path for path in EXAMPLES if path.stem == name)))
    accelerator, most = Compilation(kernel, Choices(sizes=3)).accelerator, dict.fromkeys(kernel.parameters, 7)
    facts, names = existing_coordinates(accelerator.plan.tiles), accelerator.plan.tiles.coordinates
    known = facts.intersect(within(parameter_limits(kernel, most), kernel.context))
    loads = (array_moves(accelerator, "load", array) for array in sorted(accelerator.loaded))
    for tree in (accelerator.compute, *loads):
        loops, counts = [node for node in walk(tree) if isinstance(node, For)], trip_counts(tree, known)
        limits = {id(loop): each for loop, each in zip(loops, counts, strict=True) if each is not None}
        assert limits
        for size, tile in product((1, 5, 7), product(range(3), repeat=len(names))):
            values = {**dict.fromkeys(kernel.parameters, size), **dict(zip(names, tile, strict=True))}
            if not facts.intersect(within({name: (at, at) for name, at in values.items()})).is_empty():
                check_counts(tree, values, limits)


def test_rows_in_beats() -> None:
    for words, begin, size in product(range(20), range(8), (2, 4, 8)):
        limits = in_beats((words, words), size)
        beats = {at // size for at in range(begin, begin + words)}
        assert limits is not None
        assert limits[0] <= len(beats) <= limits[1]


KERNELS = ("matmul", "jacobi-1d", "trisolv", "lu", "durbin")


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("unroll", [1, 2])
def test_independent_arrays_against_the_iterations(name: str, unroll: int) -> None:
    path = next(path for path in EXAMPLES if path.stem == name)
    kernel = ls.parse(str(path))
    compilation = Compilation(kernel, Choices(sizes=3))
    accelerator, values = compilation.accelerator, dict.fromkeys(kernel.parameters, 5)
    lanes = find_lanes(accelerator, parameter_limits(kernel, values), unroll)
    tree, loops = (accelerator.compute, {}) if lanes.grouping is None else counted_lanes(accelerator, lanes.grouping)
    tiles = accelerator.plan.tiles.coordinates
    counts = [
        check(accelerator, tree, loops, values, dict(zip(tiles, place, strict=True)))
        for place in product(range(3), repeat=len(tiles))
    ]
    assert sum(counts) > 0
