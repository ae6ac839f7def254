"""Schedules that hold an array, and what stays in a strip."""

from __future__ import annotations

import islpy as isl
import pytest

import loadstone as ls
from kernels import ROOT
from loadstone.model.kernel import union_of_maps
from loadstone.tiling_search.footprints import footprints
from loadstone.tiling_search.held_arrays import schedules_that_hold
from loadstone.transform.choice import choose_tiling, is_legal

POLYBENCH = ROOT / "examples" / "polybench"
SCHEDULES = {
    "symm": "{ S0[i, j] -> [0, i, j, i]; S1[i, j, k] -> [1, k, j, i]; S2[i, j, k] -> [1, i, j, k] }",
    "symm apart": "{ S0[i, j] -> [0, i, j, i]; S1[i, j, k] -> [2, k, j, i]; S2[i, j, k] -> [1, i, j, k] }",
    "2mm": "{ S0[i, j] -> [0, i, j, 0]; S1[i, j, k] -> [0, i, j, k];"
    "  S2[i, j] -> [1, i, 0, j]; S3[i, j, k] -> [1, i, k, j] }",
    "trmm": "[m] -> { S0[i, j, k] -> [k, i, j]; S1[i, j] -> [m - 1, i, j] }",
}


@pytest.mark.parametrize("name", SCHEDULES)
def test_a_legal_schedule_holds_an_array(name: str) -> None:
    kernel, expected = ls.parse(POLYBENCH / f"{name.split(maxsplit=1)[0]}.c"), isl.UnionMap(SCHEDULES[name])
    domains = union_of_maps(kernel, (s.domain.identity() for s in kernel.statements)).domain()
    legal = [tiles for tiles, _ in schedules_that_hold(kernel) if is_legal(tiles)]
    assert any(tiles.schedule.is_equal(expected.intersect_domain(domains)) for tiles in legal)


@pytest.mark.parametrize("name", ["2mm", "3mm", "correlation", "doitgen", "lu", "symm", "trmm"])
def test_all_instances_have_dates_for_all_parameters(name: str) -> None:
    kernel = ls.parse(POLYBENCH / f"{name}.c")
    every = list(schedules_that_hold(kernel))
    assert every
    for tiles, _ in every:
        for statement in kernel.statements:
            assert tiles.theta[statement.name].domain().is_equal(statement.domain)
            assert tiles.theta[statement.name].is_single_valued()


def test_what_the_next_iteration_of_a_loop_uses_again_stays() -> None:
    kernel, values = ls.parse(POLYBENCH / "doitgen.c"), {"nr": 3, "nq": 5, "np": 7}
    found = footprints(kernel, choose_tiling(kernel).theta, values)
    whole = [3, 5, 2, 7, 7]
    assert found.live([1, 1, 1, 2, 3], (3, 4), whole)["c4"] == 2 * 3
    assert found.live([1, 1, 1, 2, 3], (1, 2, 3, 4), whole)["c4"] == 7 * 7
    assert found.live([1, 5, 1, 2, 3], (1, 2, 3, 4), whole)["c4"] == 2 * 3
