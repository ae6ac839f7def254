"""Generated programs, executed: bit by bit as the original, words as predicted, no local cell overrun."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

import loadstone as ls
from kernels import EXAMPLES, FILTER, ROWS_LATER, STYLED, random_kernel, tiny_parameters
from loadstone.emit.c.compute.interleaving import interleaved
from loadstone.emit.c.external.beats import program_beats
from loadstone.loops import scan
from loadstone.loops.accelerator import Accelerator, predicted_words
from loadstone.loops.ranges import parameter_limits
from loadstone.model.kernel import Kernel
from loadstone.parallel.beats import NO_BEATS, Beats
from loadstone.parallel.lanes import NO_LANES, Lanes
from loadstone.pipeline import plan_tiles
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.simulate.memory import copied, initial_memory, live_out_arrays, mismatches
from loadstone.simulate.programs.compiled import CompiledKernel, compile_reference
from loadstone.simulate.programs.generated import compile_c, compile_hls
from loadstone.storage.local_plan import with_buffers
from loadstone.transfer import Plan
from loadstone.transfer.coarse import coarse_arrays
from loadstone.transform.choice import choose_tiling
from loadstone.transform.tiling import TiledKernel
from tilings import example_tilings, random_tilings

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
HEAVY = {"heat-3d", "seidel-2d", "jacobi-2d", "fdtd-2d", "idwt97", "adi", "deriche", "correlation", "gramschmidt"}
WAYS = ("threads", "checked", "sequential", "hls", "intel", "wide")
RANDOM_LIMIT = 3_000_000


def compiled(accelerator: Accelerator, way: str, rows: list[dict[str, int]]) -> CompiledKernel:
    match way:
        case "threads":
            return compile_c(accelerator)
        case "checked":
            return compile_c(accelerator, checked=True)
        case "sequential":
            return compile_c(accelerator, sequential=True)
        case _:
            largest = {name: max(row[name] for row in rows) for name in accelerator.kernel.parameters}
            lanes, beats = wide(accelerator, largest) if way == "wide" else (NO_LANES, NO_BEATS)
            return compile_hls(accelerator, "intel" if way == "intel" else "vitis", largest, lanes, beats)


def wide(accelerator: Accelerator, largest: Mapping[str, int]) -> tuple[Lanes, Beats]:
    """HLS C++ on a bus of 256 bits, in its own order inside of tiles."""
    limits = parameter_limits(accelerator.kernel, largest)
    beats, banked = program_beats(accelerator, limits, NO_LANES, 256)
    return interleaved(accelerator, limits, banked), beats


def check(tiles: TiledKernel, depth: int, rows: Iterable[Mapping[str, int]], ways: Iterable[str]) -> None:
    check_accelerator(Accelerator(with_buffers(plan_tiles(tiles), depth)), rows, ways, seed=depth)


def check_accelerator(
    accelerator: Accelerator, rows: Iterable[Mapping[str, int]], ways: Iterable[str], *, seed: int
) -> None:
    """The accelerator in some languages, for all parameters, against the original."""
    kernel = accelerator.kernel
    original = compile_reference(kernel)
    known = [dict(row) for row in rows]
    programs = {way: compiled(accelerator, way, known) for way in ways}
    for parameters in known:
        start = initial_memory(kernel, parameters, seed=seed)
        expected = copied(start)
        original.run(parameters, expected)
        for way, program in programs.items():
            actual = copied(start)
            words = program.run(parameters, actual)
            assert not mismatches(expected, actual, live_out_arrays(kernel)), f"{way} {parameters}"
            assert words == predicted_words(accelerator, parameters), f"{way} {parameters}"


def some_ways(seed: int) -> tuple[str, ...]:
    """The checked program, and one other."""
    return ("checked", ("threads", "hls", "sequential", "intel", "wide")[seed % 5])


@pytest.mark.parametrize("path", [p for p in EXAMPLES if p.stem not in HEAVY], ids=lambda p: p.stem)
def test_examples(path: Path) -> None:
    kernel = ls.parse(path)
    number = EXAMPLES.index(path)
    rows = list(tiny_parameters(kernel))
    chosen = random.Random(number).choice(list(example_tilings(kernel)))
    check(chosen, 1 + number % 3, rows[:1] + rows[-2:], some_ways(number))


@pytest.mark.parametrize("seed", [*range(24), *range(STYLED, STYLED + 6)])
def test_random_kernels(seed: int) -> None:
    check_random(seed, may=False)


@pytest.mark.parametrize("seed", range(12))
def test_random_kernels_with_may_accesses(seed: int) -> None:
    check_random(seed, may=True)


@pytest.mark.parametrize("stem", [pytest.param("threshold", marks=pytest.mark.sweep), "histogram"])
def test_may_accesses_run_in_all_ways(stem: str) -> None:
    kernel = ls.parse(next(path for path in EXAMPLES if path.stem == stem))
    for tiles in example_tilings(kernel):
        check(tiles, 2, list(tiny_parameters(kernel))[-2:], WAYS)


@pytest.mark.parametrize("stem", ["polymul", "matmul", "jacobi-1d", "threshold", "trisolv"])
def test_coarse_plans_make_right_accelerators(stem: str) -> None:
    kernel = ls.parse(next(path for path in EXAMPLES if path.stem == stem))
    for tiles in example_tilings(kernel):
        accelerator = Accelerator(with_buffers(Plan(tiles, coarse_arrays(tiles), False, "by order"), 2))
        check_accelerator(accelerator, list(tiny_parameters(kernel))[-2:], ("checked", "hls"), seed=1)


@pytest.mark.parametrize("stem", ["matmul", "fir", "trmm", "syr2k"])
def test_strips_that_could_overlap_may_drain(stem: str) -> None:
    kernel = ls.parse(next(path for path in EXAMPLES if path.stem == stem))
    plan = with_buffers(plan_tiles(next(example_tilings(kernel))), 2, strips="drain")
    assert (plan.handover.mode, plan.handover.why) == ("drain", "requested")
    check_accelerator(Accelerator(plan), list(tiny_parameters(kernel))[-2:], ("checked", "hls"), seed=1)


@pytest.mark.parametrize("depth", [pytest.param(2, marks=pytest.mark.sweep), 3])
def test_rows_that_a_later_strip_loads(depth: int, tmp_path: Path) -> None:
    """A strip loads what the one two before stored: in all ways, with strips of several tiles and of one."""
    path = tmp_path / "rows_later.c"
    path.write_text(ROWS_LATER)
    plan = with_buffers(plan_tiles(choose_tiling(ls.parse(path), (1, 3))), depth)
    assert plan.handover.mode == "overlap"
    rows = [{"n": n, "m": m} for n, m in ((0, 0), (1, 4), (2, 3), (23, 2), (7, 31))]
    check_accelerator(Accelerator(plan), rows, WAYS, seed=depth)


@pytest.mark.parametrize("seed", [5, *(pytest.param(k, marks=pytest.mark.sweep) for k in (3, 9))])
def test_scans_that_are_too_costly_walk_a_box(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "SCAN_LIMIT", 1)
    check_random(seed, may=seed == 5)


def test_a_nest_with_statements_behind_its_loops(tmp_path: Path) -> None:
    path = tmp_path / "filter.c"
    path.write_text(FILTER)
    kernel = ls.parse(path)
    check(choose_tiling(kernel, (1, 3)), 2, list(tiny_parameters(kernel))[-4:], WAYS)


@pytest.mark.sweep
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_all_examples_in_all_ways(path: Path) -> None:
    """Every tiling and depth as the checked program and one other way, which changes from one to the next."""
    kernel = ls.parse(path)
    for number, tiles in enumerate(example_tilings(kernel)):
        for depth in (1, 2, 3):
            check(tiles, depth, tiny_parameters(kernel), some_ways(EXAMPLES.index(path) + number + depth))


@pytest.mark.sweep
@pytest.mark.parametrize("may", [False, True])
@pytest.mark.parametrize("seed", [*range(100, 250), *range(STYLED, STYLED + 100)])
def test_many_random_kernels(seed: int, may: bool) -> None:
    check_random(seed, may=may, strips=(1, 2))


def check_random(seed: int, *, may: bool, strips: tuple[int, ...] | None = None) -> None:
    kernel, rows = random_kernel(seed, may=may)
    for number, tiles in enumerate(tilings_of(kernel, seed, strips or (1 + seed % 2,))):
        check(tiles, 1 + (seed + number) % 3, rows, some_ways(seed))


def tilings_of(kernel: Kernel, seed: int, strips: tuple[int, ...]) -> list[TiledKernel]:
    try:
        with operation_limit(RANDOM_LIMIT):
            return list(random_tilings(kernel, seed, strips))
    except LimitReached:
        pytest.skip("the dependences are too many")
