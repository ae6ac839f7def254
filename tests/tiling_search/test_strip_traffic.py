"""Words by closed forms in the bounds of strips against the plans of tilings, for random sizes and orders."""

from __future__ import annotations

from random import Random

import pytest

import loadstone as ls
from kernels import ROOT, ROWS_LATER
from loadstone.model.kernel import Kernel
from loadstone.pipeline import plan_tiles
from loadstone.tiling_search.closed_counts import StripTraffic, box_counts, counted_boxes
from loadstone.tiling_search.orders import legal_orders, numbering, permuted, sign_patterns
from loadstone.tiling_search.strip_boxes import Boxes, Values
from loadstone.transfer.volumes import count
from loadstone.transform.choice import choose_tiling
from loadstone.transform.tiling import TiledKernel

PARAMETERS = {
    "gemm": {"ni": 7, "nj": 9, "nk": 5},
    "lu": {"n": 9},
    "trmm": {"m": 8, "n": 5},
    "2mm": {"ni": 5, "nj": 6, "nk": 4, "nl": 7},
    "jacobi-1d": {"tsteps": 6, "n": 13},
    "nussinov": {"n": 9},
}


def planned_words(tiles: TiledKernel, parameters: dict[str, int]) -> int:
    parts = plan_tiles(tiles).arrays.values()
    return sum(count(moved, parameters) for part in parts for moved in (part.strip_to_loaded, part.strip_to_stored))


def check_orders(kernel: Kernel, parameters: dict[str, int], random: Random, orders: int) -> None:
    base = choose_tiling(kernel)
    boxes = Boxes(Values(base.kernel, parameters), base.theta)
    patterns = sign_patterns(base.kernel, base.theta)
    assert patterns is not None
    every = list(legal_orders(patterns, len(base.sizes), numbering(base.theta)))
    for order in random.sample(every, min(orders, len(every))):
        sizes = {k: 1 if k in order.single else random.randint(1, 6) for k in order.dims}
        theta = permuted(base.theta, order.dims)
        tiles = TiledKernel(base.kernel, theta, tuple(sizes[k] for k in order.dims), len(order.strip))
        counts = box_counts(boxes.moved(sorted(order.outer)))
        assert counts is not None
        found = StripTraffic(counts, tuple(sorted(order.outer)), boxes.reach).words(sizes)
        assert found == planned_words(tiles, parameters), (order, sizes)


@pytest.mark.parametrize("name", PARAMETERS)
def test_words_of_strips_are_those_of_the_plan(name: str) -> None:
    kernel = ls.parse(ROOT / "examples" / "polybench" / f"{name}.c")
    check_orders(kernel, PARAMETERS[name], Random(name), 3)


def test_words_where_results_are_handed_on() -> None:
    check_orders(ls.parse(ROWS_LATER), {"n": 9, "m": 4}, Random(1), 4)


def test_counts_on_demand_are_those_in_closed_form() -> None:
    kernel = ls.parse(ROOT / "examples" / "polybench" / "lu.c")
    tiles = choose_tiling(kernel)
    boxes = Boxes(Values(kernel, {"n": 9}), tiles.theta)
    sets = boxes.moved((0, 1))
    closed = box_counts(sets)
    assert closed is not None
    for box in ([(0, 2), (3, 8)], [(4, 8), (4, 8)], [(5, 6), (0, 1)]):
        values = {(c.array, k): c.at([box[dim] for dim in c.dims]) for k, c in enumerate(closed)}
        counted = {(c.array, k): c.at([box[dim] for dim in c.dims]) for k, c in enumerate(counted_boxes(sets))}
        assert counted == values
