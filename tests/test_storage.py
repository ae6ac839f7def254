"""Local memories against enumeration: who is alive with whom, whether cells suffice, and how many are needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace
from itertools import product
from pathlib import Path

import islpy as isl
import pytest

import loadstone as ls
from kernels import EXAMPLES, random_kernel, tiny_parameters
from loadstone.pipeline import choose_tiling, plan_tiles
from loadstone.poly import fixed, pairs
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.storage import crowd, differences
from loadstone.storage.buffers import Buffer, make_buffers
from loadstone.storage.crowd import max_live
from loadstone.storage.handover import handover
from loadstone.storage.lifetimes import lifetimes
from loadstone.storage.local_plan import with_buffers
from loadstone.transfer import Plan
from loadstone.transform.tiling import TiledKernel
from strip_oracle import Cell, Coordinates, Strip, Tile, moves, strips_of
from tilings import example_tilings, random_tilings

ROOT = Path(__file__).parent.parent
QUICK = ("matmul", "polymul", "fir", "jacobi1d_sa", "threshold", "histogram", "cholesky", "jacobi-1d", "gemver", "trmm")
RANDOM_LIMIT = 3_000_000
Alive = frozenset[Cell]
Moves = Mapping[Coordinates, Set[Cell]]


def states(tiles: int, depth: int) -> Iterator[tuple[int, int, int]]:
    """Where store, compute and load may be at the same time: their tiles, at most `depth` apart."""
    for oldest, ahead in product(range(tiles), range(depth)):
        for newest in range(oldest + ahead, min(oldest + depth, tiles)):
            yield oldest, oldest + ahead, newest


def alive_together(strip: Strip, load: Moves, store: Moves, depth: int) -> Iterator[Alive]:
    """For every state of the pipeline, the cells that must be in local memory.

    A process may be anywhere inside of its tile: what it touches there is alive, before and after.
    """
    nothing: Alive = frozenset()
    touched = [tile.reads | tile.over for tile in strip]
    loads = [load.get(tile.coordinates, nothing) for tile in strip]
    stores = [store.get(tile.coordinates, nothing) for tile in strip]
    brought = nothing.union(*loads)
    for oldest, current, newest in states(len(strip), depth):
        there = nothing.union(*loads[: newest + 1], *(t - brought for t in touched[: current + 1]))
        wanted = nothing.union(*touched[current:], *stores[oldest:])
        yield there & wanted


def address_of(
    buffer: Buffer, parameters: Mapping[str, int], elements: Iterable[tuple[int, ...]]
) -> dict[object, object]:
    shape = buffer.shape(parameters)
    found: dict[object, object] = {}
    for element in elements:
        address = tuple(
            sum(a * b for a, b in zip(part.row, element, strict=True)) % (part.modulus or 10**9)
            for part in buffer.components
        )
        assert all(0 <= index < size for index, size in zip(address, shape, strict=True))
        found[element] = address
    return found


def check_buffers(plan: Plan, depth: int, rows: Iterable[Mapping[str, int]], *, power_of_two: bool = False) -> None:
    buffers = make_buffers(plan, depth, power_of_two=power_of_two)
    for parameters in rows:
        strips = strips_of(plan.tiles, parameters)
        for name, buffer in buffers.items():
            load, store = (moves(side, plan.tiles, parameters) for side in (plan[name].load, plan[name].store))
            most = check_array(name, buffer, strips, load, store, depth, parameters)
            life = lifetimes(plan.tiles, plan.tiles.kernel.arrays[name], plan[name], depth)
            assert max_live(plan.tiles, life, parameters) == most


def check_array(
    name: str,
    buffer: Buffer,
    strips: list[Strip],
    load: Moves,
    store: Moves,
    depth: int,
    parameters: Mapping[str, int],
) -> int:
    """No two elements of an array that are alive together have one address; returns the largest number of them."""
    largest = 0
    for strip in strips:
        own = [only(tile, name) for tile in strip]
        for alive in alive_together(tuple(own), load, store, depth):
            addresses = address_of(buffer, parameters, (element for _, element in alive))
            assert len(set(addresses.values())) == len(alive), f"{name}: two live elements share a cell"
            largest = max(largest, len(alive))
    assert largest <= buffer.cells(parameters) or not largest
    return largest


def only(tile: Tile, name: str) -> Tile:
    """The tile as one array sees it."""

    def of_array(cells: Alive) -> Alive:
        return frozenset(cell for cell in cells if cell[0] == name)

    return replace(tile, reads=of_array(tile.reads), over=of_array(tile.over), under=of_array(tile.under))


@pytest.fixture(autouse=True)
def count_all_strips(monkeypatch: pytest.MonkeyPatch) -> None:
    """The largest number of live elements is that of all strips, however many there are."""
    monkeypatch.setattr(crowd, "ENOUGH_POINTS", crowd.MOST_POINTS)


def never(_: object) -> bool:
    return False


def example(stem: str) -> Path:
    return next(path for path in EXAMPLES if path.stem == stem)


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("stem", QUICK)
def test_live_elements_of_examples_never_share_a_cell(stem: str, depth: int) -> None:
    kernel = ls.parse(example(stem))
    for tiles in example_tilings(kernel):
        check_buffers(plan_tiles(tiles), depth, list(tiny_parameters(kernel))[-3:])


@pytest.mark.parametrize("seed", range(12))
def test_live_elements_of_random_kernels_never_share_a_cell(seed: int) -> None:
    check_random(seed, may=seed % 3 == 0)


@pytest.mark.sweep
@pytest.mark.parametrize("may", [False, True])
@pytest.mark.parametrize("seed", range(100, 200))
def test_live_elements_of_many_random_kernels_never_share_a_cell(seed: int, may: bool) -> None:
    check_random(seed, may=may)


def check_random(seed: int, *, may: bool) -> None:
    kernel, rows = random_kernel(seed, may=may)
    for tiles in tilings_of(kernel, seed):
        check_buffers(plan_tiles(tiles), 1 + seed % 3, rows[:3], power_of_two=seed % 2 == 1)


def tilings_of(kernel: ls.Kernel, seed: int) -> list[TiledKernel]:
    try:
        with operation_limit(RANDOM_LIMIT):
            return list(random_tilings(kernel, seed, (1 + seed % 2,)))
    except LimitReached:
        pytest.skip("the dependences are too many")


def test_a_box_around_the_differences_serves_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(differences, "is_small", never)
    for stem in ("polymul", "jacobi1d_sa", "threshold"):
        kernel = ls.parse(example(stem))
        for tiles in example_tilings(kernel):
            check_buffers(plan_tiles(tiles), 2, list(tiny_parameters(kernel))[-2:])


def test_without_differences_arrays_are_held_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(differences, "is_small", never)
    monkeypatch.setattr(differences, "BOX_LIMIT", 1)
    plan = ls.plan(ls.parse(example("matmul")))
    assert [part.buffer.shape({"n": 17}) for part in plan.arrays.values()] == [(17, 17)] * 3


def test_matmul_as_published() -> None:
    """[RR-7648, III-B]: a in 32 x 64 cells, (i mod 32, k mod 64); c held for the strip."""
    plan = ls.plan(ls.parse(example("matmul")), ls.Tiling((32, 32, 32)))
    published = isl.Map("[n] -> { a[i, k] -> [i mod 32, k mod 64] }")
    assert plan["a"].buffer.mapping.is_equal(published)
    assert {name: part.buffer.shape({}) for name, part in plan.arrays.items()} == {
        "a": (32, 64),
        "b": (64, 32),
        "c": (32, 32),
    }
    assert [part.buffer.most_live for part in plan.arrays.values()] == [1024, 2048, 2048]


def test_the_conflict_set_of_matmul_as_published() -> None:
    """[RR-7648, III-B]: DS = [-b+1; b-1] x [-2b+1; 2b-1], which needs equal dates to conflict."""
    plan = ls.plan(ls.parse(example("matmul")), ls.Tiling((32, 32, 32)))
    life = lifetimes(plan.tiles, plan.tiles.kernel.arrays["a"], plan["a"], 2)
    found = differences.conflict_differences(life)
    assert found is not None
    assert found.is_equal(isl.Set("{ [x, y] : -31 <= x <= 31 and -63 <= y <= 63 }"))


def test_depth_decides_how_many_tiles_share_the_buffers() -> None:
    kernel = ls.parse(example("dma"))
    assert [ls.plan(kernel, depth=depth)["a"].buffer.shape({}) for depth in (1, 2, 3, 5)] == [
        (64,),
        (128,),
        (192,),
        (320,),
    ]


def test_powers_of_two() -> None:
    kernel = ls.parse(example("fir"))
    plan = ls.plan(kernel, power_of_two=True)
    moduli = [part.modulus for array in plan.arrays.values() for part in array.buffer.components]
    assert all(modulus is None or modulus & (modulus - 1) == 0 for modulus in moduli)
    assert plan["A"].buffer.cells({}) == 64


def test_strips_follow_each_other() -> None:
    follow = handover(plan_tiles(choose_tiling(ls.parse(example("polymul")))))
    assert (follow.mode, follow.early) == ("overlap", ("a", "b"))
    assert "loaded by a later one" in follow.reasons["c"]
    matmul = handover(plan_tiles(choose_tiling(ls.parse(example("matmul")))))
    assert "its buffer holds results" in matmul.reasons["c"]
    cholesky = handover(plan_tiles(choose_tiling(ls.parse(example("cholesky")))))
    assert (cholesky.mode, cholesky.early) == ("drain", ())


def test_a_strip_reads_back_what_an_earlier_one_stored() -> None:
    """The reason that handover gives is that of the enumerated plan."""
    for stem in ("polymul", "matmul", "cholesky", "jacobi-1d", "trmm", "gemm"):
        plan = plan_tiles(choose_tiling(ls.parse(example(stem)), (3,)))
        follow = handover(plan)
        parameters = dict.fromkeys(plan.tiles.kernel.parameters, 8)
        for name, reason in follow.reasons.items():
            part = plan[name]
            loaded = pairs(fixed(part.strip_to_loaded, parameters))
            stored = pairs(fixed(part.strip_to_stored, parameters))
            back = any(early < late and x == y for early, x in stored for late, y in loaded)
            assert back == ("loaded by a later one" in reason)


def test_what_a_plan_says_of_memories_is_made_once() -> None:
    plan = plan_tiles(choose_tiling(ls.parse(example("gemm"))))
    local = with_buffers(plan, 3)
    assert (local.depth, local.tiles, local["a"].load) == (3, plan.tiles, plan["a"].load)
