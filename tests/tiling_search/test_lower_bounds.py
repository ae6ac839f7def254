"""Lower bounds: no tiling undercuts them, and for the matrix product they are close to the published form."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import sqrt
from pathlib import Path
from random import Random

import pytest

import loadstone as ls
from kernels import ROOT
from loadstone.options import Choices
from loadstone.pipeline import Compilation
from loadstone.tiling_search.bounds import compulsory_words, io_bound
from loadstone.tiling_search.closed_counts import BoxCount, Intervals, StripTraffic, box_counts, counted_boxes
from loadstone.tiling_search.orders import legal_orders, numbering, sign_patterns
from loadstone.tiling_search.published import published_bound
from loadstone.tiling_search.strip_boxes import Boxes, Values
from loadstone.transfer.strips import memory_arrays
from loadstone.transfer.volumes import array_words, count
from loadstone.transform.choice import choose_tiling

POLYBENCH = ROOT / "examples" / "polybench"
CASES = {
    "gemm": {"ni": 20, "nj": 22, "nk": 24},
    "syrk": {"n": 24, "m": 20},
    "syr2k": {"n": 20, "m": 18},
    "trmm": {"m": 22, "n": 18},
    "2mm": {"ni": 14, "nj": 15, "nk": 16, "nl": 17},
    "3mm": {"ni": 14, "nj": 15, "nk": 16, "nl": 17, "nm": 13},
    "floyd-warshall": {"n": 20},
    "lu": {"n": 12},
}


def most_live(counts: tuple[BoxCount, ...], boxes: Boxes, sizes: dict[int, int]) -> int:
    """The most elements that a tile finds in local memory; fewer cells than that cannot hold them."""
    tiles = product(*(list(Intervals(reach, sizes[k])) for k, reach in enumerate(boxes.reach)))
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


def test_products_in_a_chain_add_up() -> None:
    values = {"ni": 180, "nj": 190, "nk": 210, "nl": 220, "nm": 200}
    bound = io_bound(ls.parse(POLYBENCH / "3mm.c"), values, 1024)
    products, handed_on = 180 * 190 * 210 + 190 * 220 * 200 + 180 * 220 * 190, 180 * 190 + 190 * 220
    assert bound == pytest.approx(2 * products / sqrt(1024) - handed_on, rel=0.01)


def test_no_bound_where_nothing_is_reused_in_two_ways() -> None:
    assert io_bound(ls.parse(POLYBENCH / "atax.c"), {"m": 40, "n": 40}, 64) is None


PUBLISHED = {
    "lu": {"n": 13},
    "ludcmp": {"n": 12},
    "cholesky": {"n": 14},
    "syrk": {"n": 15, "m": 9},
    "syr2k": {"n": 12, "m": 9},
    "symm": {"m": 12, "n": 9},
    "trmm": {"m": 13, "n": 9},
    "gramschmidt": {"m": 11, "n": 10},
    "covariance": {"m": 12, "n": 11},
    "correlation": {"m": 12, "n": 11},
    "nussinov": {"n": 14},
    "floyd-warshall": {"n": 12},
}


def words_and_cells(name: str, size: int, values: dict[str, int]) -> tuple[int, int]:
    """The words of a kernel in tiles of some size, and the cells of its buffers."""
    kernel = replace(ls.parse(POLYBENCH / f"{name}.c"), tiling=None)
    compilation = Compilation(kernel, Choices(sizes=(size,), split_buffers=True), values)
    parts = compilation.plan.arrays.values()
    moved = (side for part in parts for side in (part.strip_to_loaded, part.strip_to_stored))
    return sum(count(side, values) for side in moved), sum(max(1, part.buffer.cells(values)) for part in parts)


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_bounds_are_recognised_and_not_undercut(name: str) -> None:
    kernel, values = Compilation(ls.parse(POLYBENCH / f"{name}.c")).tileable, PUBLISHED[name]
    least = compulsory_words(kernel, values).words
    everything = sum(array_words(array, values) or 1 for array in memory_arrays(kernel))
    for words, local in ((least, everything), words_and_cells(name, 3, values)):
        bound = published_bound(kernel, values, local)
        assert bound is not None
        assert bound.words <= words
        assert (io_bound(kernel, values, local) or 0) <= words


@pytest.mark.sweep
@pytest.mark.parametrize("path", sorted(POLYBENCH.glob("*.c")), ids=lambda path: path.stem)
def test_no_plan_of_polybench_undercuts_its_bound(path: Path) -> None:
    kernel = ls.parse(path)
    values = {name: min(value, 9) for name, value in kernel.defaults.items()}
    for size in (2, 4):
        words, local = words_and_cells(path.stem, size, values)
        assert (io_bound(kernel, values, local) or 0) <= words
        assert compulsory_words(kernel, values).words <= words


def test_forms_of_soap_are_undercut() -> None:
    kernel, values = ls.parse(POLYBENCH / "syrk.c"), {"n": 60, "m": 2000}
    local = 60 * 61 // 2 + 60
    words = 2 * 60 * 61 // 2 + 60 * 2000
    bound = io_bound(kernel, values, local)
    assert bound is not None
    assert bound <= words < values["n"] ** 2 * values["m"] / sqrt(local)
