"""Plans against the enumerated trace: Definitions 1 to 4, Theorems 3 and 4, a replay on local memories, volumes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

import loadstone as ls
from kernels import EXAMPLES, random_kernel, tiny_parameters
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.simulate.interpreter import execute
from loadstone.simulate.memory import copied, initial_memory, live_out_arrays, mismatches
from loadstone.transfer import Plan
from loadstone.transfer.volumes import value_of
from loadstone.transform.tiling import TiledKernel
from set_formulas import violated
from strip_oracle import Cell, Coordinates, Strip, moves, needed_cells, plan_within_limit, replayed, strips_of
from tilings import example_tilings, random_tilings

HEAVY = {"heat-3d", "seidel-2d", "jacobi-2d", "fdtd-2d", "idwt97", "adi", "deriche", "correlation", "gramschmidt"}
QUICK_PARAMETERS = 3
EXAMPLE_LIMIT = 40_000_000
RANDOM_LIMIT = 3_000_000

Moved = dict[Coordinates, frozenset[Cell]]


def check_by_trace(tiles: TiledKernel, rows: Iterable[Mapping[str, int]], limit: int) -> None:
    """Make the plan of a legal tiling, and hold it against the trace for all given parameters."""
    plan = plan_within_limit(tiles, limit)
    for parameters in rows:
        strips = strips_of(tiles, parameters)
        load, store = (moved(plan, side, parameters) for side in ("load", "store"))
        check_tiles(strips, load, store)
        check_conditions(plan, strips, load, store)
        check_replay(plan, strips, parameters, load, store)
        check_volumes(plan, parameters, load, store)


def moved(plan: Plan, side: str, parameters: Mapping[str, int]) -> Moved:
    found: Moved = {}
    for part in plan.arrays.values():
        for tile, cells in moves(getattr(part, side), plan.tiles, parameters).items():
            found[tile] = found.get(tile, frozenset()) | cells
    return found


def check_tiles(strips: list[Strip], load: Moved, store: Moved) -> None:
    existing = {tile.coordinates for strip in strips for tile in strip}
    assert load.keys() | store.keys() <= existing


def check_conditions(plan: Plan, strips: list[Strip], load: Moved, store: Moved) -> None:
    nothing: frozenset[Cell] = frozenset()
    tolerated = {"Definition 2 (i)", "Definition 3 (ii)"} if plan.reason == "limit" else set[str]()
    for strip, needed in zip(strips, needed_cells(strips, plan.tiles.kernel), strict=True):
        loads = [load.get(tile.coordinates, nothing) for tile in strip]
        stores = [store.get(tile.coordinates, nothing) for tile in strip]
        reads, over, under = ([getattr(tile, side) for tile in strip] for side in ("reads", "over", "under"))
        assert violated(reads, over, under, loads, stores, needed) <= tolerated
        if plan.exact:
            assert loads == first_reads(strip)
            assert stores == [cells & needed for cells in last_writes(strip)]


def first_reads(strip: Strip) -> list[frozenset[Cell]]:
    """The cells whose first access in the strip is a read, by tile."""
    accessed: set[Cell] = set()
    found: list[frozenset[Cell]] = []
    for tile in strip:
        found.append(tile.reads - accessed)
        accessed |= tile.reads | tile.over
    return found


def last_writes(strip: Strip) -> list[frozenset[Cell]]:
    """The cells written for the last time in the strip, by tile."""
    written: set[Cell] = set()
    found: list[frozenset[Cell]] = []
    for tile in reversed(strip):
        found.append(tile.over - written)
        written |= tile.over
    return found[::-1]


def check_replay(plan: Plan, strips: list[Strip], parameters: Mapping[str, int], load: Moved, store: Moved) -> None:
    kernel = plan.tiles.kernel
    start = initial_memory(kernel, parameters)
    expected = copied(start)
    execute(kernel, parameters, expected)
    actual = replayed(plan.tiles, strips, parameters, start, load, store)
    assert not mismatches(expected, actual, live_out_arrays(kernel))


def check_volumes(plan: Plan, parameters: Mapping[str, int], load: Moved, store: Moved) -> None:
    for name, part in plan.arrays.items():
        for closed, found in ((part.load_volume, load), (part.store_volume, store)):
            if closed is not None:
                assert value_of(closed, parameters) == sum(
                    cell[0] == name for cells in found.values() for cell in cells
                )


@pytest.mark.parametrize("path", [p for p in EXAMPLES if p.stem not in HEAVY], ids=lambda p: p.stem)
def test_plans_of_examples(path: Path) -> None:
    kernel = ls.parse(path)
    rows = list(tiny_parameters(kernel))
    for tiles in example_tilings(kernel):
        check_by_trace(tiles, rows[:1] + rows[-QUICK_PARAMETERS:], EXAMPLE_LIMIT)


@pytest.mark.parametrize("seed", range(20))
def test_plans_of_random_kernels(seed: int) -> None:
    check_random(seed, may=False, strips=(1 + seed % 2,))


@pytest.mark.parametrize("seed", range(14))
def test_plans_of_random_kernels_with_may_accesses(seed: int) -> None:
    check_random(seed, may=True, strips=(1 + seed % 2,))


def check_random(seed: int, *, may: bool, strips: tuple[int, ...]) -> None:
    kernel, rows = random_kernel(seed, may=may)
    try:
        with operation_limit(RANDOM_LIMIT):
            tilings = list(random_tilings(kernel, seed, strips))
    except LimitReached:
        pytest.skip("the dependences are too many")
    if not tilings:
        pytest.skip("no legal tiling")
    for tiles in tilings:
        check_by_trace(tiles, rows, RANDOM_LIMIT)


@pytest.mark.sweep
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_plans_of_all_examples(path: Path) -> None:
    kernel = ls.parse(path)
    for tiles in example_tilings(kernel):
        check_by_trace(tiles, tiny_parameters(kernel), EXAMPLE_LIMIT)


@pytest.mark.sweep
@pytest.mark.parametrize("may", [False, True])
@pytest.mark.parametrize("seed", range(100, 250))
def test_plans_of_many_random_kernels(seed: int, may: bool) -> None:
    check_random(seed, may=may, strips=(1, 2))
