"""Intervals and independence in pipelined loops of HLS C++, against the iterations themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import pytest

import loadstone as ls
from kernels import EXAMPLES
from loadstone.emit.c.compute.recurrences import Pipelining, Recurrences, innermost_loops, path_latency
from loadstone.loops.accelerator import Accelerator
from loadstone.loops.model import Block, For, If, Instance, Node
from loadstone.loops.ranges import parameter_limits
from loadstone.loops.tile_loops import existing_coordinates
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
