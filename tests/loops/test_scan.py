"""Scans against the enumerated elements of each tile: order, content and runs, exact and through a larger set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import islpy as isl
import pytest

import loadstone as ls
from kernels import EXAMPLES, random_kernel, tiny_parameters
from loadstone.loops import scan as scans
from loadstone.loops.scan import Scan, burst_lengths, scan
from loadstone.model.evaluate import evaluate
from loadstone.model.expression import Expression, Variable
from loadstone.poly import fixed, pairs, points
from loadstone.poly.enumeration import Point
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.poly.spaces import Dim, parameters_to_inputs
from loadstone.transfer import Plan
from loadstone.transfer.tile_accesses import existing_tiles
from strip_oracle import plan_within_limit
from tilings import example_tilings, random_tilings

SLOW = {"heat-3d", "jacobi-2d", "seidel-2d", "fdtd-2d", "floyd-warshall", "ludcmp", "lu", "nussinov", "adi", "deriche"}
SLOW_SEEDS = (3, 6, 9, 12)
PLAN_LIMIT = 10_000_000
RANDOM_LIMIT = 3_000_000
MOST_VISITED = 5_000
QUICK_STRIPS = 8
QUICK_PIECES = 12
SWEEP_PIECES = 50

EXACT, HULL, BOX = WAYS = "exact", "hull", "box"


def force(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have sets scanned exactly where that is possible, or through a convex set, or without any isl operations."""
    monkeypatch.undo()
    for kept in ("_scan", "_lengths"):
        monkeypatch.setattr(scans, kept, getattr(scans, kept).__wrapped__)
    if way != EXACT:
        monkeypatch.setattr(scans, "MOST_PIECES", -1)
    if way == BOX:
        monkeypatch.setattr(scans, "SCAN_LIMIT", 1)


def value(expression: Expression, values: Mapping[str, int]) -> int:
    return int(evaluate(expression, values, ()))


def visited(automaton: Scan, values: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """The points of a walk, each with all values that the expressions may use."""
    if not value(automaton.some, values):
        return
    current = dict(values)
    moved: int | None = -1
    while moved is not None:
        for step in automaton.steps[moved + 1 :]:
            current[step.variable] = value(step.first, current)
        yield dict(current)
        moved = next((k for k in reversed(range(len(automaton.steps))) if more(automaton, k, current)), None)
        if moved is not None:
            step = automaton.steps[moved]
            current[step.variable] = value(step.next, current)


def more(automaton: Scan, position: int, current: Mapping[str, int]) -> bool:
    return bool(value(automaton.steps[position].more, current))


def check_walk(automaton: Scan, values: Mapping[str, int], elements: Sequence[Point]) -> None:
    """Hold the walk of one tile against its elements in order."""
    found: list[Point] = []
    last: Point | None = None
    for number, current in enumerate(visited(automaton, values)):
        assert number < MOST_VISITED
        point = tuple(current[step.variable] for step in automaton.steps)
        assert last is None or last < point
        last = point
        if automaton.member is None or value(automaton.member, current):
            found.append(point)
            check_run(automaton, current, point, set(elements))
    assert found == list(elements)


def check_run(automaton: Scan, current: Mapping[str, int], point: Point, elements: set[Point]) -> None:
    if automaton.run_end is None:
        assert point == ()
        return
    end = value(automaton.run_end, current)
    run = [(*point[:-1], y) for y in range(point[-1], end + 1)]
    assert run
    assert elements.issuperset(run)
    if not isinstance(automaton.run_end, Variable):
        assert (*point[:-1], end + 1) not in elements


def check_map(relation: isl.Map, known: isl.Set, rows: Iterable[Mapping[str, int]], way: str) -> Scan:
    """Scan a relation from tiles to elements, and walk all tiles that exist for the given parameters."""
    variables = [f"x{k}" for k in range(relation.dim(Dim.out))]
    automaton = scan(relation, known, variables)
    assert len(automaton.steps) == len(variables)
    if way != EXACT and not relation.is_empty():
        assert automaton.member is not None
    names = names_of(relation, Dim.in_)
    for row in rows:
        elements = elements_by_tile(fixed(relation, row))
        for tile in points(fixed(known, row)):
            chosen = sorted(elements.get(tile, ()))
            values = {**row, **dict(zip(names, tile, strict=True))}
            check_walk(automaton, values, chosen)
            if automaton.member is None:
                assert bool(value(automaton.some, values)) == bool(chosen)
    return automaton


def elements_by_tile(relation: isl.Map) -> dict[Point, list[Point]]:
    found: dict[Point, list[Point]] = {}
    for tile, element in pairs(relation):
        found.setdefault(tile, []).append(element)
    return found


def check_plan(
    plan: Plan, rows: Iterable[Mapping[str, int]], monkeypatch: pytest.MonkeyPatch, strips: int, pieces: int
) -> None:
    """Walk what tiles load and store of all arrays in all ways: some of the strips, relations of few pieces."""
    known = existing_tiles(plan.tiles)
    all_strips = [strip for row in rows for strip in strips_of(known, plan.tiles.outer, row)]
    chosen = all_strips[:: -(-len(all_strips) // strips) or 1]
    for part in plan.arrays.values():
        for relation in (part.load, part.store):
            for way in WAYS if relation.n_basic_map() <= pieces else ():
                force(way, monkeypatch)
                check_map(relation, known, chosen, way)


def strips_of(known: isl.Set, outer: Sequence[str], row: Mapping[str, int]) -> list[dict[str, int]]:
    """The parameters and outer tile coordinates of all strips."""
    strips = parameters_to_inputs(isl.Map.from_domain(fixed(known, row)).reverse(), outer)
    return [{**row, **dict(zip(outer, strip, strict=True))} for strip in points(strips.domain().reset_tuple_id())]


MAPS = {
    "strided": "[n] -> { [T0] -> a[x] : 0 <= x < n and 8T0 <= x < 8T0 + 8 and x mod 3 = 1 and 0 <= T0 < 3 }",
    "strided rows": "[n] -> { [T0] -> a[x, y] : 0 <= x < n and x mod 2 = 0 and T0 <= y <= T0 + x and 0 <= T0 < 3 }",
    "two intervals": """[n] -> { [T0] -> a[x, y] : 0 <= T0 < 3 and 0 <= x < n and
                                 (T0 <= y <= T0 + 2 or T0 + x + 3 <= y < T0 + x + 5) }""",
    "far apart": "[n, m] -> { [T0] -> a[x] : 0 <= T0 < 2 and (0 <= x < n or m <= x < m + 3 + T0) }",
    "triangle": "[n] -> { [T0] -> a[x, y] : 0 <= x <= y < n and 3T0 <= y < 3T0 + 3 and 0 <= T0 < 3 }",
    "scalar": "[n] -> { [T0] -> s[] : 0 <= 2T0 < n }",
    "rank 4": """[n] -> { [T0, T1] -> a[x, y, z, w] : 0 <= T0 < 2 and 0 <= T1 < 2 and 2T0 <= x < 2T0 + 2 and x < n and
                          2T1 <= y < 2T1 + 2 and y < n and 0 <= z <= x and z <= w <= z + y }""",
    "one of seven": "[n] -> { [T0] -> a[7T0 + n, x] : 0 <= T0 <= 2 and 0 <= x < T0 }",
    "diagonals": """[n] -> { [T0] -> a[x, y] : 0 <= T0 < 3 and exists i, j : x = 2i + j and y = i + 2j and
                             0 <= i < n and T0 <= j <= T0 + 1 }""",
    "nothing": "[n] -> { [T0] -> a[x, y] : false }",
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", MAPS)
def test_scans_of_hand_made_maps(name: str, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    force(way, monkeypatch)
    relation = isl.Map(MAPS[name])
    rows = [{name: n + 3 * k for k, name in enumerate(names_of(relation, Dim.param))} for n in range(6)]
    check_map(relation, isl.Set(tiles_around(relation)), rows, way)


def tiles_around(relation: isl.Map) -> str:
    """Tiles with and without elements, for whatever parameters."""
    tile = names_of(relation, Dim.in_)
    bounds = " and ".join(f"-1 <= {name} <= 3" for name in tile)
    return f"[{', '.join(names_of(relation, Dim.param))}] -> {{ [{', '.join(tile)}] : {bounds} }}"


def names_of(relation: isl.Map, kind: isl.dim_type) -> list[str]:
    return [relation.get_dim_name(kind, k) or "" for k in range(relation.dim(kind))]


def test_scan_of_full_tiles_is_short() -> None:
    relation = isl.Map("[n] -> { [T0, T1] -> a[x, y] : 0 <= x, y < n and 8T0 <= x < 8T0 + 8 and 8T1 <= y < 8T1 + 8 }")
    known = isl.Set("[n] -> { [T0, T1] : 0 <= T0 and 8T0 < n and 0 <= T1 and 8T1 < n }")
    automaton = check_map(relation, known, [{"n": n} for n in (0, 1, 8, 13)], EXACT)
    assert automaton.member is None
    assert automaton.decisions <= 5


def test_nothing_to_scan() -> None:
    automaton = scan(isl.Map(MAPS["nothing"]), isl.Set("[n] -> { [T0] }"), ("x0", "x1"))
    assert value(automaton.some, {"n": 3, "T0": 0}) == 0
    assert automaton.decisions == 0


def test_costly_runs_are_single_elements(monkeypatch: pytest.MonkeyPatch) -> None:
    force(EXACT, monkeypatch)
    relation = isl.Map(MAPS["two intervals"])
    known = isl.Set("[n] -> { [T0] : 0 <= T0 < 3 }")
    whole = scan(relation, known, ("x0", "x1"))
    monkeypatch.setattr(scans, "MOST_DECISIONS", whole.decisions - 1)
    cheap = scan(relation, known, ("x0", "x1"))
    assert cheap.member is None
    assert cheap.steps == whole.steps
    assert cheap.run_end != whole.run_end
    assert cheap.decisions < whole.decisions


def test_costly_walks_go_through_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scans, "MOST_DECISIONS", 1)
    automaton = check_map(isl.Map(MAPS["triangle"]), isl.Set("[n] -> { [T0] : 0 <= T0 < 3 }"), [{"n": 8}], HULL)
    assert automaton.member is not None


@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        ("[n] -> { [T0] -> a[x] : 0 <= x < n and 8T0 <= x < 8T0 + 8 }", (1, 8)),
        ("[n] -> { [T0] -> a[x, y] : 0 <= x < n and 8T0 <= y < 8T0 + 8 }", (8, 8)),
        ("[n] -> { [T0] -> a[x] : 0 <= x < n }", (1, None)),
        ("{ [T0] -> a[x] : 8T0 <= x < 8T0 + 8 and x mod 2 = 0 }", (1, 1)),
        ("{ [T0] -> a[x] : 8T0 <= x < 8T0 + 2 or 8T0 + 3 <= x < 8T0 + 8 }", (2, 5)),
        ("{ [T0] -> a[x] : 8T0 <= x < 8T0 + 2 or 8T0 + 2 <= x < 8T0 + 8 }", (8, 8)),
        ("{ [T0] -> s[] : T0 = 0 }", (1, 1)),
        ("{ [T0] -> a[x] : false }", None),
    ],
)
def test_burst_lengths(relation: str, expected: tuple[int, int | None] | None) -> None:
    given = isl.Map(relation)
    assert burst_lengths(given, [f"x{k}" for k in range(given.dim(Dim.out))]) == expected


def test_burst_lengths_beyond_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scans, "SCAN_LIMIT", 1)
    assert burst_lengths(isl.Map("{ [T0] -> a[x] : 8T0 <= x < 8T0 + 8 }"), ("x0",)) == (1, None)


def check_example(path: Path, monkeypatch: pytest.MonkeyPatch, parameters: int, strips: int, pieces: int) -> None:
    kernel = ls.parse(path)
    rows = list(tiny_parameters(kernel))[-parameters:]
    for tiles in example_tilings(kernel):
        check_plan(plan_within_limit(tiles, PLAN_LIMIT), rows, monkeypatch, strips, pieces)


def check_random(seed: int, monkeypatch: pytest.MonkeyPatch, strips: int, pieces: int) -> None:
    kernel, rows = random_kernel(seed)
    try:
        with operation_limit(RANDOM_LIMIT):
            tilings = list(random_tilings(kernel, seed, (1 + seed % 2,)))
    except LimitReached:
        pytest.skip("the dependences are too many")
    for tiles in tilings:
        check_plan(plan_within_limit(tiles, RANDOM_LIMIT), rows, monkeypatch, strips, pieces)


@pytest.mark.parametrize("path", [p for p in EXAMPLES if p.stem not in SLOW][::3], ids=lambda p: p.stem)
def test_scans_of_examples(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_example(path, monkeypatch, 1, QUICK_STRIPS, QUICK_PIECES)


@pytest.mark.parametrize("seed", [seed for seed in range(19) if seed not in SLOW_SEEDS])
def test_scans_of_random_kernels(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    check_random(seed, monkeypatch, QUICK_STRIPS, QUICK_PIECES)


@pytest.mark.sweep
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_scans_of_all_examples(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_example(path, monkeypatch, 3, 3 * QUICK_STRIPS, SWEEP_PIECES)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", [*SLOW_SEEDS, *range(100, 160)])
def test_scans_of_many_random_kernels(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    check_random(seed, monkeypatch, 3 * QUICK_STRIPS, QUICK_PIECES)
