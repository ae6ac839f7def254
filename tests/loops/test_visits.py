"""Loops visit all instances, and none but these, also where isl's AST generator would not see to that."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Literal

import islpy as isl
import pytest

from loadstone.loops.compiled_walk import IDLE, compiled_walk
from loadstone.loops.generation import generate
from loadstone.loops.model import Block, For, Instance
from loadstone.loops.verification import visits_all
from loadstone.model.expression import Variable, binary, integer
from loadstone.model.types import INT
from loadstone.poly.enumeration import points
from loadstone.poly.names import fixed

NAMES: tuple[str, ...] = ("n", "T", "U")
CONDITION = "k <= j <= 2k and 3T <= k <= 2 + 3T and 3k <= 2n and 3U - 10 <= j <= 3U - 8 and (2n + 3k) mod 6 <= 2"
"""Tiles of 3 by 3 of a loop that counts down from 2n / 3 in steps of 2; isl takes it to have one iteration in each."""


def parameters() -> Iterator[tuple[int, ...]]:
    yield from product(range(12), range(4), range(9))


@pytest.mark.parametrize("option", [None, "atomic", "separate"])
def test_strides_from_quotients(option: Literal["atomic", "separate"] | None) -> None:
    schedule = isl.UnionMap(f"[n, T, U] -> {{ S[k, j] -> [k, j] : {CONDITION} }}")
    walk = compiled_walk(generate(schedule, isl.Set("[n, T, U] -> { : n >= 0 }"), option=option), NAMES)
    for n, tile, strip in parameters():
        found = [
            tuple(first + k * step for first, step in zip(run.arguments, run.steps, strict=True))
            for run in walk(n, tile, strip)
            for k in range(run.length if run.name != IDLE else 0)
        ]
        assert found == [
            (k, j)
            for k in range(3 * tile, 3 * tile + 3)
            for j in range(3 * strip - 10, 3 * strip - 7)
            if k <= j <= 2 * k and 3 * k <= 2 * n and (2 * n + 3 * k) % 6 <= 2
        ]


def test_missing_and_extra_instances_are_seen() -> None:
    schedule, context = isl.UnionMap("[n] -> { S[i] -> [i] : 0 <= i < n }"), isl.Set("[n] -> { : n >= 0 }")
    i, n = Variable("i", INT), Variable("n", INT)

    def loop(end: int) -> For:
        bound = binary("<", i, binary("+", n, integer(end)))
        return For("i", integer(0), bound, integer(1), Instance("S", (i,)))

    assert visits_all(loop(0), schedule, context)
    assert not visits_all(loop(-1), schedule, context)
    assert not visits_all(loop(1), schedule, context)
    assert not visits_all(Block((loop(0), loop(0))), schedule, context)
    assert not visits_all(loop(0), schedule.intersect_params(isl.Set("[n] -> { : n != 5 }")), context)


def test_loops_that_isl_never_makes_right_have_their_strides_in_conditions() -> None:
    """isl's loops for this set, atomic or not, leave out tiles; strides as conditions of the instances visit all."""
    context = isl.Set("[N, M, P] -> { : N >= 0 and M >= 0 and P >= 0 }")
    tiles = isl.Set(
        "[N, M, P] -> { T[0, i, j] : (1 + i) mod 3 = 0 and (1 + j) mod 3 = 0 and i >= -1 and j >= i "
        "and 2i - M < j <= 1 + M and ((P <= N - 2 and i < N) or (P >= N - 1 and i <= 1 + P));"
        "T[1, i, 0] : i >= 0 and (i <= 1 + P or ((1 + i) mod 2 = 0 and 0 < i <= 5)) }"
    )
    order = tiles.identity().reset_tuple_id(isl.dim_type.out).to_union_map()
    walk = compiled_walk(generate(order, context, option="atomic"), ("N", "M", "P"))
    for values in product(range(7), repeat=3):
        found = [
            tuple(first + k * step for first, step in zip(run.arguments, run.steps, strict=True))
            for run in walk(*values)
            for k in range(run.length if run.name != IDLE else 0)
        ]
        assert found == points(fixed(tiles, dict(zip(("N", "M", "P"), values, strict=True))))
