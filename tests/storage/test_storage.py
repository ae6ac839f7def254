"""Local memories against enumeration: who is alive with whom, whether cells suffice, and how many are needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace
from itertools import product
from pathlib import Path
from unittest.mock import Mock

import islpy as isl
import pytest

import loadstone as ls
from kernels import EXAMPLES, random_kernel, tiny_parameters
from loadstone.model.evaluate import evaluate
from loadstone.pipeline import plan_tiles
from loadstone.poly import fixed, pairs
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.storage import buffers, differences
from loadstone.storage import handover as handovers
from loadstone.storage import max_live as crowd
from loadstone.storage.buffers import Buffer, Component, make_buffers
from loadstone.storage.handover import Handover, Mode, handover
from loadstone.storage.lifetimes import lifetimes
from loadstone.storage.local_plan import with_buffers
from loadstone.storage.max_live import max_live
from loadstone.storage.windows import Window
from loadstone.transfer import Plan
from loadstone.transform.choice import choose_tiling
from loadstone.transform.tiling import TiledKernel
from strip_oracle import Cell, Coordinates, Strip, Tile, moves, strips_of
from tilings import example_tilings, random_tilings

ROOT = Path(__file__).parents[2]
POLYBENCH = ROOT / "examples" / "polybench"
QUICK = ("matmul", "polymul", "fir", "jacobi1d_sa", "threshold", "histogram", "cholesky", "jacobi-1d", "trmm")
SLOW = ("gemver",)
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
    buffer: Buffer, parameters: Mapping[str, int], elements: Iterable[tuple[int, ...]], tile: Coordinates
) -> dict[object, object]:
    found: dict[object, object] = {}
    for element in elements:
        number, components = part_of(buffer, element, tile)
        shape = [evaluate(component.size, parameters, ()) for component in components]
        address = tuple(
            sum(a * b for a, b in zip(part.row, element, strict=True)) % (part.modulus or 10**9) for part in components
        )
        assert all(0 <= index < size for index, size in zip(address, shape, strict=True))
        found[element] = (number, *address)
    return found


def part_of(buffer: Buffer, element: tuple[int, ...], tile: Coordinates) -> tuple[int, tuple[Component, ...]]:
    """The first part of a buffer with windows that hold the element, in the strip of a tile."""
    for number, part in enumerate(buffer.parts):
        starts = [(w, w.size * tile[buffer.tiles.outer.index(w.tile)] + w.shift) for w in part.windows]
        if all(start <= element[w.subscript] < start + w.width for w, start in starts):
            return number, part.components
    assert not buffer.parts
    return 0, buffer.components


def check_buffers(
    plan: Plan, depth: int, rows: Iterable[Mapping[str, int]], *, power_of_two: bool = False, split: bool = False
) -> None:
    buffers = make_buffers(plan, depth, power_of_two=power_of_two, split=split)
    for parameters in rows:
        strips = strips_of(plan.tiles, parameters)
        for name, buffer in buffers.items():
            load, store = (moves(side, plan.tiles, parameters) for side in (plan[name].load, plan[name].store))
            most = check_array(name, buffer, strips, load, store, depth, parameters)
            life = lifetimes(plan.tiles, plan.tiles.kernel.arrays[name], plan[name], depth)
            with pytest.MonkeyPatch.context() as patch:
                counted = max_live(plan.tiles, life, parameters)
                patch.setattr(crowd, "MOST_COUNTED", 0)
                listed = max_live(plan.tiles, life, parameters)
            assert counted == listed
            assert counted == most if has_exact_uses(plan) else (counted or most) >= most


def has_exact_uses(plan: Plan) -> bool:
    """Whether a plan knows what tiles use; behind the limit of operations it knows boxes around it."""
    return "isl operations" not in plan.reason


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
            elements = (element for _, element in alive)
            addresses = address_of(buffer, parameters, elements, strip[0].coordinates)
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


@pytest.mark.sweep
@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("stem", SLOW)
def test_live_elements_of_slow_examples_never_share_a_cell(stem: str, depth: int) -> None:
    test_live_elements_of_examples_never_share_a_cell(stem, depth)


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
        check_buffers(plan_tiles(tiles), 1 + seed % 3, rows[:3], power_of_two=seed % 2 == 1, split=seed % 2 == 0)


def tilings_of(kernel: ls.Kernel, seed: int) -> list[TiledKernel]:
    try:
        with operation_limit(RANDOM_LIMIT):
            return list(random_tilings(kernel, seed, (1 + seed % 2,)))
    except LimitReached:
        pytest.skip("the dependences are too many")


@pytest.mark.parametrize(
    ("stem", "in_parts"),
    [("lu", True), ("syrk", True), ("trmm", True), ("nussinov", False), ("floyd-warshall", False)],
)
def test_live_elements_in_split_buffers_never_share_a_cell(stem: str, in_parts: bool) -> None:
    kernel = ls.parse(POLYBENCH / f"{stem}.c")
    plan = plan_tiles(choose_tiling(kernel, 2))
    buffers = make_buffers(plan, 2, split=True).values()
    assert any(buffer.parts for buffer in buffers) == in_parts
    assert all(buffer.folds_all for buffer in buffers if buffer.parts)
    check_buffers(plan, 2, list(tiny_parameters(kernel))[-2:], split=True)


def test_a_part_for_the_rows_of_the_tile_and_one_for_the_rest() -> None:
    plan = plan_tiles(choose_tiling(ls.parse(POLYBENCH / "syrk.c"), (24, 24, 2)))
    whole, split = (make_buffers(plan, 2, split=split)["a"] for split in (False, True))
    assert not whole.folds_all
    assert [part.windows for part in split.parts] == [(Window(0, "T1", 24, 0, 24),), ()]
    assert split.cells({}) == 2 * 24 * 4


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
    assert [part.buffer.most_live() for part in plan.arrays.values()] == [1024, 2048, 2048]


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


def follow_of(stem: str, mode: Mode = "overlap", depth: int = 2) -> Handover:
    return handover(plan_tiles(choose_tiling(ls.parse(example(stem)))), depth, mode)


def test_strips_follow_each_other() -> None:
    polymul = follow_of("polymul")
    assert (polymul.mode, polymul.early, polymul.doubled) == ("drain", ("a", "b"), ())
    assert polymul.why == "a strip loads what the one before it stored"
    assert "loaded by the next one" in polymul.reasons["c"]
    matmul = follow_of("matmul")
    assert (matmul.mode, matmul.early, matmul.doubled) == ("overlap", (), ("c", "a", "b"))
    assert matmul.why == "no strip loads what the one before it stored"
    assert "never stored" in matmul.reasons["a"]
    assert "no strip loads what an earlier one stored" in matmul.reasons["c"]
    cholesky = follow_of("cholesky")
    assert (cholesky.mode, cholesky.early) == ("drain", ())


def test_strips_may_be_asked_to_drain() -> None:
    matmul = follow_of("matmul", "drain")
    assert (matmul.mode, matmul.why, matmul.early, matmul.doubled) == ("drain", "requested", ("a", "b"), ())
    assert "its buffer holds results" in matmul.reasons["c"]


def test_one_strip_and_one_tile_need_no_copies() -> None:
    dma = follow_of("dma")
    assert (dma.mode, dma.why, dma.doubled) == ("overlap", "there is one strip", ())
    matmul = follow_of("matmul", depth=1)
    assert (matmul.mode, matmul.why, matmul.doubled, matmul.early) == ("drain", "one tile is in flight", (), ())


def test_an_undecided_successor_drains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handovers, "NEXT_LIMIT", 1)
    assert follow_of("matmul").mode == "overlap"
    assert follow_of("polymul").why == "a strip loads what an earlier one stored"


@pytest.mark.parametrize(
    "stem", ["polymul", "matmul", "cholesky", "jacobi-1d", "trmm", "gemm", "mvt", "gramschmidt", "3mm"]
)
def test_what_strips_load_of_what_others_stored(stem: str) -> None:
    """The reasons that handover gives are those of the enumerated plans, with the strips that there are."""
    plan = plan_tiles(next(example_tilings(ls.parse(example(stem)))))
    follow = handover(plan, 2)
    for name, reason in follow.reasons.items():
        found = {distance for size in (1, 2, 5, 8) for distance in strips_between(plan, name, size)}
        assert (1 in found) == ("loaded by the next one" in reason)
        assert (bool(found) and 1 not in found) == ("loaded by a later one" in reason)
    assert follow.mode == (
        "drain" if any("by the next one" in reason for reason in follow.reasons.values()) else "overlap"
    )


def strips_between(plan: Plan, name: str, size: int) -> set[int]:
    """How many strips after the one that stores an element of an array it is loaded, if all parameters are `size`."""
    parameters = dict.fromkeys(plan.tiles.kernel.parameters, size)
    strips = strips_of(plan.tiles, parameters)
    number = {strip[0].coordinates[: len(plan.tiles.outer)]: k for k, strip in enumerate(strips)}
    loaded = pairs(fixed(plan[name].strip_to_loaded, parameters))
    stored = pairs(fixed(plan[name].strip_to_stored, parameters))
    return {number[late] - number[early] for early, x in stored for late, y in loaded if x == y and early < late}


def test_volumes_may_be_read_before_buffers_are_made() -> None:
    plan = plan_tiles(choose_tiling(ls.parse(next(path for path in EXAMPLES if path.stem == "polymul"))))
    volumes = {name: part.load_volume for name, part in plan.arrays.items()}
    local = with_buffers(plan)
    assert volumes
    for name, volume in volumes.items():
        found = local[name].load_volume
        assert volume is not None
        assert found is not None
        assert found.plain_is_equal(volume)


def test_what_a_plan_says_of_memories_is_made_once() -> None:
    plan = plan_tiles(choose_tiling(ls.parse(example("gemm"))))
    local = with_buffers(plan, 3)
    assert (local.depth, local.tiles, local["a"].load) == (3, plan.tiles, plan["a"].load)


ALIKE = """
void alike(int n, int a[n], int b[n], int c[n + 1], int d[n])
{
#pragma scop
  for (int i = 0; i < n; i++) d[i] = a[i] + b[i] + c[i + 1];
#pragma endscop
}
"""


def test_arrays_that_live_alike_have_one_buffer(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_tiles(choose_tiling(ls.parse(ALIKE)))
    apart = {name: make_buffers(replace(plan, arrays={name: plan[name]}), 2)[name] for name in plan.arrays}
    made = Mock(wraps=buffers._buffer)  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(buffers, "_buffer", made)
    together = make_buffers(plan, 2)
    assert [call.args[2] for call in made.call_args_list] == ["a", "c", "d"]
    assert {name: buffer.mapping_text() for name, buffer in together.items()} == {
        name: buffer.mapping_text() for name, buffer in apart.items()
    }
    assert [buffer.array.name for buffer in together.values()] == ["a", "b", "c", "d"]


def test_the_next_strip_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the operation limit ends the search, which costs its time once and not for each array."""
    asked: list[TiledKernel] = []

    def limited(tiles: TiledKernel) -> isl.Map:
        asked.append(tiles)
        raise LimitReached

    monkeypatch.setattr(handovers, "next_strip", limited)
    found = handover(plan_tiles(choose_tiling(ls.parse(example("fdtd-2d")))), 2)
    assert found.mode == "drain"
    assert len(asked) == 1


def test_strips_that_do_not_use_an_array_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """The strips in the middle belong to the other nests: none of them must stop the search with nothing found."""
    monkeypatch.setattr(crowd, "ENOUGH_POINTS", 8_000)
    nests = "".join(f"for (int i = 0; i < n; i++) b{k}[i] = b{k}[i] + 1;\n" for k in range(3))
    source = f"void f(int n, int a[n][n], int b0[n], int b1[n], int b2[n]) {{\n#pragma scop\n{nests}"
    source += "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] = a[i][j] + 1;\n#pragma endscop\n}"
    plan = plan_tiles(choose_tiling(ls.parse(source), 60))
    array = plan.tiles.kernel.arrays["a"]
    assert max_live(plan.tiles, lifetimes(plan.tiles, array, plan["a"], 3), {"n": 180}) == 10800


SHORT_COUNTER = """
void short_counter(int N, int a[2 * N + 5][2 * N + 5], int c[N]) {
  for (int i = 0; i < N; i++)
    for (short j = 0; j < N + 3; j++)
      c[i] += a[j][i] + a[i + 1][j];
}
"""


def test_the_range_of_a_counter_is_no_size_of_a_buffer() -> None:
    """A parameter below 32,768, for a counter is a short, is no reason to hold 32,768 rows."""
    plan = ls.plan(ls.parse(SHORT_COUNTER), ls.Tiling(4))
    shape = plan["a"].buffer.shape({"N": 9})
    assert max(shape) <= 2 * 9 + 5
    known = ls.plan(ls.parse("#pragma loadstone assume(N <= 64)\n" + SHORT_COUNTER), ls.Tiling(4))
    assert known["a"].buffer.folds_all


def test_of_very_many_strips_those_near_the_middle_are_looked_at() -> None:
    """Over three dimensions of size 1 there are two million strips, each with two tiles of eight elements."""
    source = "void f(int n, int a[n][n][n][16]) {\n#pragma scop\n"
    source += "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++)\n"
    source += "for (int l = 0; l < 16; l++) a[i][j][k][l] = a[i][j][k][l] + 1;\n#pragma endscop\n}"
    plan = plan_tiles(choose_tiling(ls.parse(source), (1, 1, 1, 8)))
    life = lifetimes(plan.tiles, plan.tiles.kernel.arrays["a"], plan["a"], 2)
    assert max_live(plan.tiles, life, {"n": 128}) == 16
