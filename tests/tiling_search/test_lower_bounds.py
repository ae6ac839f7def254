"""Lower bounds: no tiling undercuts them, and for the matrix product they are close to the published form."""

from __future__ import annotations

from itertools import product
from math import sqrt
from random import Random

import pytest

import loadstone as ls
from kernels import ROOT
from loadstone.tiling_search.bounds import compulsory_words, io_bound
from loadstone.tiling_search.closed_counts import BoxCount, StripTraffic, box_counts, counted_boxes, intervals
from loadstone.tiling_search.orders import legal_orders, numbering, sign_patterns
from loadstone.tiling_search.strip_boxes import Boxes, Values
from loadstone.transform.choice import choose_tiling

POLYBENCH = ROOT / "examples" / "polybench"
CASES = {
    "gemm": {"ni": 20, "nj": 22, "nk": 24},
    "syrk": {"n": 24, "m": 20},
    "syr2k": {"n": 20, "m": 18},
    "trmm": {"m": 22, "n": 18},
    "2mm": {"ni": 14, "nj": 15, "nk": 16, "nl": 17},
    "floyd-warshall": {"n": 20},
    "lu": {"n": 12},
}


def most_live(counts: tuple[BoxCount, ...], boxes: Boxes, sizes: dict[int, int]) -> int:
    """The most elements that a tile finds in local memory; fewer cells than that cannot hold them."""
    tiles = product(*(list(intervals(reach, sizes[k])) for k, reach in enumerate(boxes.reach)))
    return max(sum(c.at([box[k] for k in c.dims]) for c in counts) for box in tiles)


@pytest.mark.parametrize("name", CASES)
def test_no_tiling_moves_fewer_words_than_the_bound(name: str) -> None:
    kernel, values, random = ls.parse(POLYBENCH / f"{name}.c"), CASES[name], Random(name)
    base = choose_tiling(kernel)
    boxes = Boxes(Values(base.kernel, values), base.theta)
    patterns = sign_patterns(base.kernel, base.theta)
    assert patterns is not None
    every = [order for order in legal_orders(patterns, len(base.sizes), numbering(base.theta)) if len(order.strip) == 1]
    for order in every:
        outer = tuple(sorted(order.outer))
        moved, sets = box_counts(boxes.moved(outer)), boxes.held(order.strip)
        held = box_counts(sets) or counted_boxes(sets)
        assert moved is not None
        traffic = StripTraffic(moved, outer, boxes.reach)
        for _ in range(3):
            free = [k for k in outer if k not in order.single]
            sizes = {**dict.fromkeys(order.dims, 1), **{k: random.randint(3, 9) for k in free}}
            live = most_live(held, boxes, sizes)
            bound = io_bound(kernel, values, live)
            assert bound is not None
            assert compulsory_words(kernel, values).stores <= bound <= traffic.words(sizes), (order, sizes)


def test_bound_of_the_matrix_product_is_the_published_one_and_the_stores() -> None:
    size, local = 1000, 4096
    kernel = ls.parse(POLYBENCH / "gemm.c")
    bound = io_bound(kernel, {"ni": size, "nj": size, "nk": size}, local)
    assert bound == pytest.approx(2 * size**3 / sqrt(local) + size**2, rel=0.001)


def test_two_products_add_up() -> None:
    values = {"ni": 180, "nj": 190, "nk": 210, "nl": 220}
    bound = io_bound(ls.parse(POLYBENCH / "2mm.c"), values, 1024)
    products = 180 * 190 * 210 + 180 * 190 * 220
    assert bound == pytest.approx(2 * products / sqrt(1024), rel=0.02)


def test_no_bound_where_nothing_is_reused_in_two_ways() -> None:
    assert io_bound(ls.parse(POLYBENCH / "atax.c"), {"m": 40, "n": 40}, 64) is None
