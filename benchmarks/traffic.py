"""Words moved at PolyBench MEDIUM sizes, against what cannot be avoided and against published figures.

    python benchmarks/traffic.py

The tiling is the kernel's loops in tiles of 32 with a strip that spans all tile loops, so that everything stays local
from its first to its last use; `live` is the largest number of elements that one tile finds in local memory, which is
what the buffers must hold.

Sources. Prometheus: words counted in the generated code that the tool ships. Lower bounds for a memory of S words:
matrix product 2mnk/sqrt(S) - 2S [Smith, Lowery, Langou, van de Geijn, Tight I/O lower bounds for matrix multiplication,
2019], here without the subtracted term for chains of products as the sum over the products; where nothing better is
known the compulsory traffic, each input once and each output once.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import islpy as isl

import loadstone as ls
from loadstone.pipeline import plan_tiles
from loadstone.poly import fixed, points
from loadstone.transfer import Plan
from loadstone.transfer.description import comparison
from loadstone.transfer.plan import first_tile, last_tile
from loadstone.transfer.strips import memory_arrays
from loadstone.transfer.tile_accesses import tile_to_touched
from loadstone.transform.choice import choose_tiling

POLYBENCH = Path(__file__).parent.parent / "examples" / "polybench"
BUFFER_WORDS = 256 * 1024
TILE = 32


@dataclass(frozen=True, slots=True)
class Case:
    """A kernel at MEDIUM size, the words that Prometheus moves, and the lower bound for S words of local memory."""

    name: str
    parameters: Mapping[str, int]
    prometheus: int
    bound: Callable[[Mapping[str, int], int], float] = lambda _parameters, _size: 0.0


def product(*sizes: int) -> Callable[[int], float]:
    """Lower bound of one matrix product as a function of the local memory."""
    return lambda size: max(0.0, 2 * math.prod(sizes) / math.sqrt(size) - 2 * size)


CASES = (
    Case("gemm", {"ni": 200, "nj": 220, "nk": 240}, 191_360, lambda p, s: product(p["ni"], p["nj"], p["nk"])(s)),
    Case(
        "2mm",
        {"ni": 180, "nj": 190, "nk": 210, "nl": 220},
        238_848,
        lambda p, s: product(p["ni"], p["nj"], p["nk"])(s) + product(p["ni"], p["nj"], p["nl"])(s),
    ),
    Case(
        "3mm",
        {"ni": 180, "nj": 190, "nk": 200, "nl": 210, "nm": 220},
        286_336,
        lambda p, s: (
            product(p["ni"], p["nj"], p["nk"])(s)
            + product(p["nj"], p["nl"], p["nm"])(s)
            + product(p["ni"], p["nl"], p["nj"])(s)
        ),
    ),
    Case("atax", {"m": 390, "n": 410}, 334_032),
    Case("bicg", {"m": 390, "n": 410}, 330_826),
    Case("mvt", {"n": 400}, 322_400),
    Case("gesummv", {"n": 250}, 129_012),
    Case("gemver", {"n": 400}, 324_000),
)


def largest_live(plan: Plan, parameters: Mapping[str, int]) -> int:
    """The largest number of elements that a tile finds in local memory: touched before or in it, and in or after it."""
    tiles = plan.tiles
    lives: list[isl.Map] = []
    steps: set[tuple[int, ...]] = set()
    for array in memory_arrays(tiles.kernel):
        touched = fixed(tile_to_touched(tiles, array), parameters)
        space = touched.get_space().domain()
        since = first_tile(touched).apply_range(isl.Map.lex_le(space))
        until = last_tile(touched).apply_range(isl.Map.lex_ge(space))
        lives.append(since.intersect(until).reverse().coalesce())
        steps |= set(points(touched.domain()))
    counts = [live.card() for live in lives]
    return max(sum(_value(count, step, parameters) for count in counts) for step in steps)


def _value(count: isl.PwQPolynomial, tile: tuple[int, ...], parameters: Mapping[str, int]) -> int:
    space = count.get_domain_space()
    point = isl.Point.zero(space)
    for position, number in enumerate(tile):
        point = point.set_coordinate_val(isl.dim_type.set, position, isl.Val.int_from_si(space.get_ctx(), number))
    for position in range(space.dim(isl.dim_type.param)):
        value = parameters[space.get_dim_name(isl.dim_type.param, position) or ""]
        point = point.set_coordinate_val(isl.dim_type.param, position, isl.Val.int_from_si(space.get_ctx(), value))
    return count.eval(point).to_python()


def main() -> None:
    print(
        f"{'kernel':9} {'loaded':>8} {'stored':>8} {'total':>8} {'compulsory':>11} {'Prometheus':>11} "
        f"{'live':>8} {'bound(live)':>12} {'s':>5}"
    )
    for case in CASES:
        start = time.perf_counter()
        kernel = ls.parse(POLYBENCH / f"{case.name}.c")
        tiles = choose_tiling(kernel)
        tiles = choose_tiling(kernel, tuple(1 if size == 1 else TILE for size in tiles.sizes), strip=len(tiles.sizes))
        plan = plan_tiles(tiles)
        rows = {row["way"]: row for row in comparison(plan, case.parameters)}
        ours, least = rows["this plan"], rows["compulsory"]
        live = largest_live(plan, case.parameters)
        bound = max(case.bound(case.parameters, live), least["load"] + least["store"])
        print(
            f"{case.name:9} {ours['load']:8} {ours['store']:8} {ours['load'] + ours['store']:8} "
            f"{least['load'] + least['store']:11} {case.prometheus:11} {live:8} {bound:12.0f} "
            f"{time.perf_counter() - start:5.1f}",
            "" if live <= BUFFER_WORDS else "more than the buffers hold",
        )


if __name__ == "__main__":
    main()
