"""The checker accepts our plans, and names the violated condition, a tile and an element of spoilt ones."""

from __future__ import annotations

import json
from pathlib import Path

import islpy as isl
import pytest

import loadstone as ls
from kernels import EXAMPLES, ROOT
from loadstone.errors import InputError, Source
from loadstone.transfer import Plan, make_plan
from loadstone.transfer.check import Verdict, check_plan
from loadstone.transfer.coarse import coarse_arrays
from loadstone.transfer.plan_file import parse_plan, read_plan
from loadstone.transform.tiling import Tiling, requested, tiled

HEAVY = {"heat-3d", "seidel-2d", "jacobi-2d", "fdtd-2d", "idwt97", "adi", "deriche", "correlation"}
HEAVIEST = {"heat-3d"}


def plan_of(path: Path, **options: bool) -> Plan:
    kernel = ls.parse(path)
    tiles = requested(kernel, kernel.tiling) if kernel.tiling else tiled(kernel, Tiling())
    return make_plan(tiles, **options)


def verdict_on(plan: Plan) -> Verdict:
    arrays = plan.arrays.items()
    return check_plan(plan.tiles, {n: part.load for n, part in arrays}, {n: part.store for n, part in arrays})


@pytest.mark.parametrize("path", [p for p in EXAMPLES if p.stem not in HEAVY], ids=lambda p: p.stem)
def test_our_plans_are_valid_and_exact(path: Path) -> None:
    assert verdict_on(plan_of(path)) == Verdict(True, True, None)


@pytest.mark.sweep
@pytest.mark.parametrize("path", [p for p in EXAMPLES if p.stem in HEAVY - HEAVIEST], ids=lambda p: p.stem)
def test_our_heavy_plans_are_valid_and_exact(path: Path) -> None:
    assert verdict_on(plan_of(path)) == Verdict(True, True, None)


@pytest.mark.parametrize("name", ["devos_3_19", "lpsf", "threshold", "polybench/2mm"])
def test_plans_that_keep_dead_stores_are_valid_and_exact(name: str) -> None:
    path = ROOT / "examples" / f"{name}.c"
    kept, plan = plan_of(path, keep_dead_stores=True), plan_of(path)
    assert verdict_on(kept) == Verdict(True, True, None)
    dead = name != "threshold"
    assert dead == any(not part.store.is_equal(plan[array].store) for array, part in kept.arrays.items())


@pytest.mark.parametrize("name", ["polymul", "fir", "histogram", "threshold", "polybench/lu", "polybench/jacobi-1d"])
def test_coarse_plans_are_valid(name: str) -> None:
    plan = plan_of(ROOT / "examples" / f"{name}.c")
    verdict = verdict_on(Plan(plan.tiles, coarse_arrays(plan.tiles), False, "limit"))
    assert verdict.valid


POLYMUL = plan_of(ROOT / "examples" / "polymul.c")
THRESHOLD = plan_of(ROOT / "examples" / "threshold.c")
HISTOGRAM = plan_of(ROOT / "examples" / "histogram.c")


def pairs(plan: Plan, text: str) -> isl.Map:
    """Pairs of tile and element under a condition on the parameters of the plan."""
    names = ", ".join((*plan.tiles.kernel.parameters, *plan.tiles.outer))
    return isl.Map.read_from_str(isl.DEFAULT_CONTEXT, f"[{names}] -> {{ {text} }}")


def spoilt(plan: Plan, side: str, *, less: str = "", more: str = "") -> Verdict:
    """The verdict on a plan with some pairs taken from, and others put to, one side."""
    moved = {s: {name: getattr(part, s) for name, part in plan.arrays.items()} for s in ("load", "store")}
    for text, change in ((less, isl.Map.subtract), (more, isl.Map.union)):
        if text:
            relation = pairs(plan, text)
            array = relation.get_tuple_name(isl.dim_type.out)
            moved[side][array] = change(moved[side].get(array, isl.Map.empty(relation.get_space())), relation)
    return check_plan(plan.tiles, moved["load"], moved["store"])


FIRST = "N = 25 and T0 = 0"
SPOILT = {
    "an element is never loaded": (
        ("load", f"[0] -> c[20] : {FIRST}", ""),
        ("Definition 1 (i)", "c", (0, 0), (20,)),
    ),
    "an element is loaded one tile too late": (
        ("load", f"[0] -> a[3] : {FIRST}", f"[1] -> a[3] : {FIRST}"),
        ("Definition 1 (i)", "a", (0, 0), (3,)),
    ),
    "an element is loaded again after a write": (
        ("load", "", f"[1] -> c[25] : {FIRST}"),
        ("Definition 1 (ii)", "c", (0, 1), (25,)),
    ),
    "an element is never stored": (
        ("store", f"[1] -> c[30] : {FIRST}", ""),
        ("Definition 2 (i)", "c", (0, 1), (30,)),
    ),
    "an element that nobody touched is stored": (
        ("store", "", f"[0] -> b[3] : {FIRST}"),
        ("Definition 2 (i)", "b", (0, 0), (3,)),
    ),
    "an element is stored one tile too early": (
        ("store", f"[1] -> c[30] : {FIRST}", f"[0] -> c[30] : {FIRST}"),
        ("Definition 2 (ii)", "c", (0, 0), (30,)),
    ),
    "a tile that does not exist loads": (
        ("load", "", f"[3] -> a[3] : {FIRST}"),
        ("the tiling", "a", (0, 3), (3,)),
    ),
    "a tile that does not exist stores": (
        ("store", f"[2] -> c[50] : {FIRST}", f"[3] -> c[50] : {FIRST}"),
        ("the tiling", "c", (0, 3), (50,)),
    ),
    "an element outside of its array is loaded": (
        ("load", "", f"[0] -> a[26] : {FIRST}"),
        ("the array", "a", (0, 0), (26,)),
    ),
    "an array that does not exist is loaded": (
        ("load", "", f"[0] -> d[1] : {FIRST}"),
        ("the array", "d", (0, 0), (1,)),
    ),
}

INEXACT = {
    "an element is loaded twice": (
        ("load", "", f"[1] -> a[3] : {FIRST}"),
        ("Definition 3 (iii)", "a", (0, 1), (3,)),
    ),
    "a useless element is loaded": (
        ("load", "", f"[0] -> b[3] : {FIRST}"),
        ("Definition 3 (ii)", "b", (0, 0), (3,)),
    ),
    "an element is loaded and stored back unchanged": (
        ("store", "", f"[0] -> a[3] : {FIRST}"),
        ("Definition 2 (i)", "a", (0, 0), (3,)),
    ),
    "an element is stored twice": (
        ("store", "", f"[1] -> c[20] : {FIRST}"),
        ("Definition 4 (ii)", "c", (0, 1), (20,)),
    ),
}

Change = tuple[str, str, str]
Expected = tuple[str, str, tuple[int, ...], tuple[int, ...]]


def found_by(verdict: Verdict) -> Expected:
    assert verdict.finding is not None
    finding = verdict.finding
    return finding.condition, finding.array, tuple(finding.tile.values()), finding.element


@pytest.mark.parametrize(("change", "expected"), SPOILT.values(), ids=SPOILT.keys())
def test_spoilt_plans_are_invalid(change: Change, expected: Expected) -> None:
    side, less, more = change
    verdict = spoilt(POLYMUL, side, less=less, more=more)
    assert (verdict.valid, verdict.exact) == (False, False)
    assert found_by(verdict) == expected
    assert verdict.finding
    assert verdict.finding.parameters == {"N": 25}


@pytest.mark.parametrize(("change", "expected"), INEXACT.values(), ids=INEXACT.keys())
def test_wasteful_plans_are_valid_and_not_exact(change: Change, expected: Expected) -> None:
    side, less, more = change
    verdict = spoilt(POLYMUL, side, less=less, more=more)
    assert (verdict.valid, verdict.exact) == (True, False)
    assert found_by(verdict) == expected


@pytest.mark.parametrize(
    ("side", "less", "more"),
    [
        ("store", f"[0] -> c[20] : {FIRST}", f"[2] -> c[20] : {FIRST}"),
        ("load", f"[1] -> a[15] : {FIRST}", f"[0] -> a[15] : {FIRST}"),
    ],
    ids=["stored later", "loaded earlier"],
)
def test_the_definitions_leave_the_time_open(side: str, less: str, more: str) -> None:
    assert spoilt(POLYMUL, side, less=less, more=more) == Verdict(True, True, None)


HALF = "rows = 9 and cols = 40 and T0 = 0"
MAY = {
    "a read is not loaded": (
        (THRESHOLD, "load", f"[1] -> image[2, 20] : {HALF}", ""),
        ("Theorem 3 (i)", "image", (0, 1), (2, 20)),
    ),
    "a load overwrites what may be written": (
        (THRESHOLD, "load", "", f"[1] -> count[2] : {HALF}"),
        ("Theorem 3 (ii)", "count", (0, 1), (2,)),
    ),
    "a may-write is not stored": (
        (THRESHOLD, "store", f"[1] -> mark[2, 20] : {HALF}", ""),
        ("Theorem 4 (i)", "mark", (0, 1), (2, 20)),
    ),
    "a may-write is stored before the last one": (
        (THRESHOLD, "store", f"[2] -> count[2] : {HALF}", f"[1] -> count[2] : {HALF}"),
        ("Theorem 4 (ii)", "count", (0, 1), (2,)),
    ),
    "a may-write is stored without being loaded": (
        (THRESHOLD, "load", f"[1] -> mark[2, 20] : {HALF}", ""),
        ("Theorem 4 (iii)", "mark", (0, 1), (2, 20)),
    ),
    "an element is loaded where it may be counted already": (
        (HISTOGRAM, "load", "[0] -> h[5] : n = 100", "[1] -> h[5] : n = 100"),
        ("Theorem 3 (i)", "h", (0,), (5,)),
    ),
}


@pytest.mark.parametrize(("change", "expected"), MAY.values(), ids=MAY.keys())
def test_spoilt_plans_with_may_accesses_are_invalid(change: tuple[Plan, str, str, str], expected: Expected) -> None:
    plan, side, less, more = change
    verdict = spoilt(plan, side, less=less, more=more)
    assert (verdict.valid, verdict.exact) == (False, False)
    assert found_by(verdict) == expected


def test_a_verdict_speaks() -> None:
    verdict = spoilt(POLYMUL, "load", less=f"[0] -> c[20] : {FIRST}")
    assert verdict.text() == (
        "the plan is invalid: Definition 1 (i) is violated at tile T0 = 0, T1 = 0, element c[20] (with N = 25): "
        "the tile reads the element, which no tile of the strip has surely written or loaded by then"
    )
    assert verdict.described()["violation"]["tile"] == {"T0": 0, "T1": 0}
    assert verdict_on(POLYMUL).text() == "the plan is valid and exact"


def text_of(plan: Plan) -> str:
    arrays = {name: {"load": str(part.load), "store": str(part.store)} for name, part in plan.arrays.items()}
    return json.dumps({"arrays": arrays}, indent=2)


@pytest.mark.parametrize("plan", [POLYMUL, THRESHOLD], ids=["polymul", "threshold"])
def test_a_printed_plan_is_read_back(plan: Plan, tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text(text_of(plan))
    load, store = read_plan(path, plan.tiles)
    assert all(load[name].is_equal(part.load) for name, part in plan.arrays.items())
    assert all(store[name].is_equal(part.store) for name, part in plan.arrays.items())


def test_what_a_plan_leaves_out_does_not_move() -> None:
    load, store = parse_plan(Source("plan.json", '{"arrays": {"c": {"load": "{ }"}}}'), POLYMUL.tiles)
    assert load["c"].is_empty()
    assert not store
    assert not check_plan(POLYMUL.tiles, load, store).valid


BAD_FILES = {
    '{"arrays": {': "plan.json:1:13: error: not JSON: ",
    "[]": "error: plan.json holds no plan: there is no object 'arrays' in it",
    '{"arrays": {"d": {}}}': "plan.json:1:13: error: the kernel has no array 'd'",
    '{"arrays": {"c": 3}}': "plan.json:1:13: error: array 'c' must be an object with the keys load and store",
    '{"arrays": {"c": {"load": 3}}}': "plan.json:1:27: error: the load map of 'c' is not a map that isl can read",
    '{"arrays": {"c": {"load": "{ c["}}}': "plan.json:1:27: error: the load map of 'c' is not a map that isl can read",
    '{"arrays": {"c": {"store": "[M] -> { [t] -> c[M] }"}}}': "error: the store map of 'c' has the unknown parameter M",
    '{"arrays": {"c": {"load": "{ [t] -> a[t] }"}}}': "error: the load map of 'c' does not map the tiles of a strip",
    '{"arrays": {"c": {"load": "{ [t] -> c[t, t] }"}}}': "error: the load map of 'c' does not map the tiles of a strip",
    '{"arrays": {"c": {"load": "{ [t, u] -> c[t] }"}}}': "error: the load map of 'c' does not map the tiles of a strip",
}


@pytest.mark.parametrize(("text", "message"), BAD_FILES.items())
def test_bad_plan_files_are_refused(text: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        parse_plan(Source("plan.json", text), POLYMUL.tiles)
    assert message in str(raised.value)


def test_a_missing_plan_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read"):
        read_plan(tmp_path / "none.json", POLYMUL.tiles)
