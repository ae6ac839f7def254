"""theta_db [RR-7648, Figure 7] as a special case of our pipeline with two tiles in flight, by enumeration of dates."""

from __future__ import annotations

import random
from itertools import product

import islpy as isl
import pytest

import loadstone as ls
from kernels import ROOT
from loadstone.poly import fixed, pairs
from loadstone.storage.lifetimes import Lifetimes, for_parameters, lifetimes

Date = tuple[int, int]
Element = tuple[int, ...]
THETA_DB = {"L": (0, 1), "C": (1, 2), "S": (2, 3)}
"""The second component of the dates of L, C and S for even and for odd tiles; the first is K, or K - 1."""


def theta_db(process: str, tile: int) -> Date:
    return tile - tile % 2, THETA_DB[process][tile % 2]


def spans(life: Lifetimes) -> dict[Element, tuple[Date, Date]]:
    """When each element appears and when it is gone, both ends included, by the dates of Figure 7."""
    loaded = {element for _, element in pairs(isl.Map.from_domain_and_range(isl.Set("{ [] }"), life.loaded))}
    first: dict[Element, Date] = {}
    last: dict[Element, Date] = {}
    for (tile,), element in pairs(life.held):
        dates = theta_db("L" if element in loaded else "C", tile), theta_db("C", tile)
        first[element] = min(first.get(element, dates[0]), dates[0])
        last[element] = max(last.get(element, dates[1]), dates[1])
    for (tile,), element in pairs(life.store):
        last[element] = max(last[element], theta_db("S", tile))
    return {element: (first[element], last[element]) for element in first}


def conflicts_of_theta_db(life: Lifetimes) -> set[tuple[Element, Element]]:
    found = spans(life)
    return {(x, y) for x, y in product(found, repeat=2) if found[x][0] <= found[y][1] and found[y][0] <= found[x][1]}


def conflicts_of_ours(life: Lifetimes) -> set[tuple[Element, Element]]:
    found = set(pairs(life.conflicts()))
    return found | {(y, x) for x, y in found}


def differences(conflicts: set[tuple[Element, Element]]) -> set[Element]:
    return {tuple(a - b for a, b in zip(x, y, strict=True)) for x, y in conflicts}


@pytest.mark.parametrize("size", [2, 3])
def test_the_conflict_set_of_the_product_is_that_of_theta_db(size: int) -> None:
    """DS = [-b+1; b-1] x [-2b+1; 2b-1], for a, in both; theta_db drains after each pair of tiles, ours does not."""
    plan = ls.plan(ls.parse(ROOT / "examples" / "matmul.c"), ls.Tiling((size, size, size)))
    life = lifetimes(plan.tiles, plan.tiles.kernel.arrays["a"], plan["a"], 2)
    strip = for_parameters(life, {"n": 6 * size, **dict.fromkeys(plan.tiles.outer, 0)})
    published = {(x, y) for x in range(-size + 1, size) for y in range(-2 * size + 1, 2 * size)}
    assert differences(conflicts_of_theta_db(strip)) == published
    assert differences(conflicts_of_ours(strip)) == published
    assert conflicts_of_theta_db(strip) < conflicts_of_ours(strip)


def test_with_one_pair_of_tiles_both_are_the_same() -> None:
    plan = ls.plan(ls.parse(ROOT / "examples" / "matmul.c"), ls.Tiling((2, 2, 2)))
    life = lifetimes(plan.tiles, plan.tiles.kernel.arrays["a"], plan["a"], 2)
    strip = for_parameters(life, {"n": 4, **dict.fromkeys(plan.tiles.outer, 0)})
    assert conflicts_of_theta_db(strip) == conflicts_of_ours(strip)


@pytest.mark.parametrize("seed", range(8))
def test_what_conflicts_in_theta_db_conflicts_here(seed: int) -> None:
    """So that our buffers serve the five drivers of the report as well."""
    rng = random.Random(seed)
    tiles, elements = rng.randint(1, 6), range(4)
    held = {(t, e) for t in range(tiles) for e in elements if rng.random() < 0.4} or {(0, 0)}
    stored = {max((t, e) for t, e in held if e == one) for one in elements if any(e == one for _, e in held)}
    loaded = [e for e in elements if rng.random() < 0.5]
    life = Lifetimes(
        isl.Set(f"{{ [t] : 0 <= t < {tiles} }}"),
        relation(held),
        isl.Set("{ A[e] : " + (" or ".join(f"e = {e}" for e in loaded) or "1 = 0") + " }"),
        relation({pair for pair in stored if rng.random() < 0.5}),
        2,
    )
    assert conflicts_of_theta_db(life) <= conflicts_of_ours(life)


def relation(listed: set[tuple[int, int]]) -> isl.Map:
    union = "; ".join(f"[{t}] -> A[{e}]" for t, e in sorted(listed)) or "[t] -> A[e] : 1 = 0"
    return fixed(isl.Map(f"{{ {union} }}"), {})
