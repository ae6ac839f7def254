"""Plans whose tiles move boxes: valid, simple, and right when they are executed."""

from __future__ import annotations

from functools import cache
from itertools import product
from pathlib import Path

import islpy as isl
import pytest

import loadstone as ls
from kernels import EXAMPLES, ROOT, tiny_parameters
from loadstone.circuits import CircuitCompilation
from loadstone.loops import tile_loops
from loadstone.loops.accelerator import Accelerator
from loadstone.loops.tile_loops import has_move_loops, move_loops
from loadstone.options import RunOptions
from loadstone.poly.boxes import box_around
from loadstone.storage.local_plan import with_buffers
from loadstone.transfer import Plan, make_plan
from loadstone.transfer.boxed import boxed_arrays
from loadstone.transfer.check import check_plan
from loadstone.transform.choice import choose_tiling
from loadstone.transform.tiling import requested
from ready import PAPER, run_accelerator, run_compilation, run_system

HEAT = ROOT / "examples/polybench/heat-3d.c"
HEAVY = {"heat-3d", "seidel-2d", "jacobi-2d", "fdtd-2d", "idwt97", "adi", "deriche", "correlation", "gramschmidt"}
LIGHT = [path for path in EXAMPLES if path.stem not in HEAVY]


def boxed(path: Path) -> Plan:
    kernel = ls.parse(path)
    tiles = requested(kernel, kernel.tiling) if kernel.tiling else choose_tiling(kernel, None)
    return Plan(tiles, boxed_arrays(tiles), False, "boxes")


@cache
def accelerator_with_boxes(path: Path) -> Accelerator:
    return Accelerator(with_buffers(boxed(path), 2))


@pytest.mark.parametrize(
    ("text", "box"),
    [
        (
            "{ [t] -> [x, y] : 8t <= x + y < 8t + 8 and 0 <= x < 8 }",
            "{ [t] -> [x, y] : 0 <= x < 8 and 8t - 7 <= y < 8t + 8 }",
        ),
        ("[n] -> { [t] -> [x] : 4t <= x < 4t + 4 and 0 <= x < n }", "[n] -> { [t] -> [x] : 4t <= x < 4t + 4 }"),
        ("[n] -> { [t] -> [x] : t <= x <= n }", "[n] -> { [t] -> [x] : t <= x <= n }"),
        ("{ [t] -> [2t] }", "{ [t] -> [2t] }"),
        ("{ [t] -> [x] : exists e : x = 2e and 4t <= e < 4t + 4 }", "{ [t] -> [x] : 8t <= x <= 8t + 6 }"),
        ("{ [t] -> [x] : (t <= x <= t + 1) or (t + 5 <= x <= t + 6) }", "{ [t] -> [x] : t <= x <= t + 6 }"),
    ],
)
def test_a_box_has_the_closest_parallel_bounds(text: str, box: str) -> None:
    value = isl.Map(text)
    assert value.is_subset(box_around(value))
    assert box_around(value).is_equal(isl.Map(box))


@pytest.mark.parametrize("path", LIGHT, ids=lambda p: p.stem)
def test_boxes_are_valid_plans_that_move_what_the_exact_ones_do(path: Path) -> None:
    plan = boxed(path)
    arrays = plan.arrays.items()
    assert check_plan(plan.tiles, {n: p.load for n, p in arrays}, {n: p.store for n, p in arrays}).valid
    exact = make_plan(plan.tiles)
    for name, part in arrays:
        assert exact[name].strip_to_loaded.is_subset(part.strip_to_loaded)
        assert exact[name].strip_to_stored.is_subset(part.strip_to_stored)


@pytest.mark.parametrize("name", ["fir", "matmul", "histogram", "polybench/jacobi-1d", "polybench/lu"])
def test_programs_with_boxes_give_the_results_of_the_original(name: str) -> None:
    accelerator = accelerator_with_boxes(ROOT / f"examples/{name}.c")
    for parameters in list(tiny_parameters(accelerator.kernel, (0, 1, 7, 9)))[-3:]:
        assert run_accelerator(accelerator, parameters, "c").is_right, parameters


def test_hardware_with_boxes_gives_the_results_of_the_original() -> None:
    accelerator = accelerator_with_boxes(ROOT / "examples/polybench/jacobi-1d.c")
    for tsteps, n in ((3, 17), (1, 3)):
        outcome = run_system(accelerator, {"tsteps": tsteps, "n": n}, PAPER)
        assert outcome.is_right
        assert outcome.approximated == "boxes"


def test_boxes_replace_what_is_too_complicated_for_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = ls.parse(ROOT / "examples/polybench/fdtd-2d.c")
    with monkeypatch.context() as limited:
        limited.setattr(tile_loops, "MOVE_LIMIT", 12_000)
        assert CircuitCompilation(kernel).transfers.reason == "tiles move boxes, what they need is too complicated"
    assert CircuitCompilation(kernel).transfers.exact


@pytest.mark.sweep
def test_the_boxes_of_heat_3d_have_loops() -> None:
    accelerator = accelerator_with_boxes(HEAT)
    assert not has_move_loops(make_plan(accelerator.plan.tiles))
    for verb in ("load", "store"):
        assert move_loops(accelerator, verb)


@pytest.mark.sweep
@pytest.mark.parametrize(("bus", "unroll"), [("axi", 1), ("avalon", 2)])
def test_heat_3d_runs_as_hardware(bus: str, unroll: int) -> None:
    kernel = ls.parse(HEAT)
    for tsteps, n in product((1, 3), (3, 7, 10)):
        given = {"tsteps": tsteps, "n": n}
        made = ls.accelerator(kernel, parameters=given, bus=bus, unroll=unroll)
        outcome = run_compilation(made, PAPER, RunOptions(target="verilog", no_baseline=True))
        assert outcome.is_right, given
        assert "boxes" in outcome.approximated
