"""Which tiling a kernel gets: the chosen one, that of its source, the loops as they stand, or one that is found.

Ways to tile are tried in order, smaller changes first, until one respects all dependences. The last one, nest by nest,
always does: see `automatic/nests.py`. Where the loops as they stand fail, the order of reductions gives way before
their schedule does: see `executed_order.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import chain

from loadstone.analysis import Dependences, dependences
from loadstone.errors import Diagnostic, IllegalTransformation
from loadstone.model.kernel import Kernel, TilingRequest
from loadstone.poly.limits import if_affordable, within_limit
from loadstone.transform.automatic.nests import nest_by_nest
from loadstone.transform.automatic.tilings import band_tilings
from loadstone.transform.legality import Missing, Violation, violation
from loadstone.transform.privatise.ways import (
    Order,
    fully_expanded,
    kernels_without_sharing,
    privatised,
    privatised_ways,
)
from loadstone.transform.privatise.webs import may_have_temporaries, with_webs
from loadstone.transform.reductions.executed_order import in_executed_order
from loadstone.transform.reductions.orderless import free_pairs
from loadstone.transform.sink import sunk
from loadstone.transform.temporaries import without_temporaries
from loadstone.transform.tiling import DEFAULT_SIZE, TiledKernel, Tiling, requested, tiled

Ways = Iterator[TiledKernel]
"""Tilings, legal or not, in the order in which they are tried."""


def choose_tiling(
    kernel: Kernel,
    sizes: int | tuple[int, ...] | None = None,
    schedule: str | None = None,
    strip: int | None = None,
    *,
    free_reductions: bool = False,
) -> TiledKernel:
    """The tiled kernel; missing choices come from the source, then from the defaults.

    Sizes given without a schedule belong to the loops as they stand, or to the schedule of the source if there is one,
    of which one size for all leaves dimensions of size 1 alone where it must.
    Where the loops as they stand cannot be tiled, other ways are tried, with these sizes. With nothing said, or with
    one size for all dimensions, a legal tiling is always found.
    """
    request = kernel.tiling
    if schedule is not None or request is None:
        return tiled_as(kernel, Tiling(sizes or DEFAULT_SIZE, schedule, strip or 1, free_reductions))
    if request.schedule:
        return _as_in_source(kernel, request, sizes, strip, free_reductions)
    return tiled_as(kernel, Tiling(sizes or request.sizes, None, strip or request.strip, free_reductions))


def _as_in_source(
    kernel: Kernel, request: TilingRequest, sizes: int | tuple[int, ...] | None, strip: int | None, free: bool
) -> TiledKernel:
    """The schedule of the source; where one size for all is illegal, dimensions of size 1 there keep that size."""
    found = _in_legal_order(requested(kernel, request, sizes, strip), free)
    size = sizes[0] if isinstance(sizes, tuple) and len(sizes) == 1 else sizes
    if not isinstance(size, int) or is_legal(found):
        return found
    kept = tuple(1 if own == 1 else size for own in request.sizes)
    other = _in_legal_order(requested(kernel, request, kept, strip), free)
    return other if is_legal(other) else found


def tiled_as(kernel: Kernel, tiling: Tiling) -> TiledKernel:
    """The kernel with a tiling, whatever its source says; loops are made tileable where possible."""
    if tiling.schedule == "auto":
        return _first_legal(_automatic_ways(kernel, tiling))
    if tiling.schedule is not None:
        return _in_legal_order(tiled(kernel, tiling), tiling.free_reductions)
    if isinstance(tiling.sizes, int) or len(tiling.sizes) == 1:
        return _first_legal(_all_ways(kernel, tiling))
    plain = tiled(kernel, tiling)
    bands = (way for way in _bands(kernel, tiling, _LOOPS_FAIL) if _has_sizes(way, tiling.sizes))
    return next(filter(is_legal, chain(_loop_ways(kernel, tiling), bands)), plain)


def _first_legal(ways: Ways) -> TiledKernel:
    """The first legal way, or the last one where nobody can tell within the limit."""
    last = next(ways)
    while not is_legal(last) and (way := next(ways, None)) is not None:
        last = way
    return last


def _in_legal_order(tiles: TiledKernel, free: bool) -> TiledKernel:
    """The tiling, with temporaries in places of their own and reductions in its order where only they forbid it."""
    if is_legal(tiles):
        return tiles
    has_temporaries = may_have_temporaries(tiles.kernel)
    private = tuple(privatised_ways(tiles)) if has_temporaries else ()
    reordered = _reordered_ways((tiles, *private), free)
    both = _reordered_ways(privatised_ways(tiles, _order(free)) if has_temporaries else (), free)
    return next(filter(is_legal, chain(private, reordered, both)), tiles)


def _order(free: bool) -> Order:
    """Which order reductions keep where they may run in that of the tiles."""
    return "free" if free else "exact"


def _reordered_ways(ways: Iterable[TiledKernel], free: bool) -> Ways:
    """The tilings with reductions in their order, where that is enough."""
    return (found for way in ways if (found := _reordered(way, free)) is not None)


def _reordered(tiles: TiledKernel, free: bool) -> TiledKernel | None:
    """The tiling with reductions in its order; None where that is not enough, or cannot be decided."""
    return if_affordable(lambda: in_executed_order(tiles, dependences(tiles.kernel), free=free))


_LOOPS_FAIL = "the loops as they stand break a dependence"
_BANDS_FAIL = "isl's scheduler finds no legal band in its time"


def _all_ways(kernel: Kernel, tiling: Tiling) -> Ways:
    """All ways to tile, the loops as they stand first."""
    yield from _loop_ways(kernel, tiling)
    yield from _bands(kernel, tiling, _LOOPS_FAIL)
    yield from _nest_by_nest(kernel, tiling)


def _loop_ways(kernel: Kernel, tiling: Tiling) -> Ways:
    """The ways to tile the loops as they stand, reductions in the order of the text, then in that of the tiles."""
    tried: list[TiledKernel] = []
    for way in _ways_to_tile(kernel, tiling):
        tried.append(way)
        yield way
    yield from _reordered_ways(tried, tiling.free_reductions)
    if free_pairs(kernel, free=tiling.free_reductions):
        private = _private_loops(kernel, tiling, _order(tiling.free_reductions))
        yield from _reordered_ways(private, tiling.free_reductions)


def _automatic_ways(kernel: Kernel, tiling: Tiling) -> Ways:
    """All ways to tile, isl's bands first."""
    yield from _bands(kernel, tiling, "uses of values are brought together")
    yield from _nest_by_nest(kernel, tiling)


def _ways_to_tile(kernel: Kernel, tiling: Tiling) -> Ways:
    """Tilings of the loops as they stand, smaller changes first."""
    yield tiled(kernel, tiling)
    yield sunk(tiled(kernel, tiling))
    simpler = without_temporaries(kernel)
    if simpler is not kernel:
        yield tiled(simpler, tiling)
        yield sunk(tiled(simpler, tiling))
    yield from _private_loops(kernel, tiling, "text")


def loops_as_they_stand(kernel: Kernel) -> Ways:
    """Tilings of the loops with size 1 in every dimension, which larger sizes may break."""
    plain = tiled(kernel, Tiling(1))
    yield plain
    yield sunk(plain)


def _private_loops(kernel: Kernel, tiling: Tiling, order: Order) -> Ways:
    """Tilings of the loops as they stand with temporaries in places of their own."""
    plain = tiled(_of_separate_webs(without_temporaries(kernel)), tiling)
    yield from privatised_ways(plain, order)
    yield from privatised_ways(sunk(plain), order)


def _bands(kernel: Kernel, tiling: Tiling, why: str) -> Ways:
    """Tilings by isl's bands; temporaries give way to their values, or get places of their own, where that helps."""

    def bands(each: Kernel) -> Ways:
        return band_tilings(each, tiling, dependences(each))

    simpler = without_temporaries(kernel)
    kernels = (kernel,) if simpler is kernel else (kernel, simpler)
    for found in chain(chain.from_iterable(map(bands, kernels)), _private_ways(kernel, bands)):
        yield replace(found, choice=f"{found.choice}: {why}")


def _nest_by_nest(kernel: Kernel, tiling: Tiling) -> Ways:
    """Tilings of each nest; the last one is always legal."""

    def nests(each: Kernel) -> Ways:
        yield nest_by_nest(each, tiling, dependences(each), _respects)

    for found in chain(_private_ways(kernel, nests), nests(without_temporaries(kernel))):
        yield replace(found, choice=f"nest by nest, {found.choice}: {_BANDS_FAIL}")


def _private_ways(kernel: Kernel, ways: Callable[[Kernel], Ways]) -> Ways:
    """Tilings that are found for temporaries along all loops, with these along as few loops as the tiling needs."""
    separate = _of_separate_webs(kernel)
    for each in kernels_without_sharing(separate):
        whole = fully_expanded(each)
        if whole is not without_temporaries(kernel):
            yield from (privatised(replace(found, kernel=each)) or found for found in ways(whole))


def _of_separate_webs(kernel: Kernel) -> Kernel:
    """The kernel with its temporaries split into webs, and these forward-substituted where possible."""
    return without_temporaries(with_webs(kernel))


def _has_sizes(tiles: TiledKernel, sizes: tuple[int, ...]) -> bool:
    """Whether the tiles have some sizes, but for dimensions in which all dates are constants."""
    return [size for size in tiles.sizes if size > 1] == [size for size in sizes if size > 1]


def is_legal(tiles: TiledKernel) -> bool:
    """Whether the tiling surely respects all dependences: what cannot be decided within the limit is not legal."""
    return bool(if_affordable(lambda: _violation(tiles) is None))


def _respects(tiles: TiledKernel, known: Dependences) -> bool:
    """Whether a tiling surely respects dependences."""
    return bool(if_affordable(lambda: violation(tiles, known) is None))


@lru_cache(maxsize=8)
def _violation(tiles: TiledKernel) -> Violation | Missing | None:
    """A dependence that a tiling breaks, if there is one."""
    return violation(tiles, dependences(tiles.kernel))


def check_tiling(tiles: TiledKernel, limit: int | None = None) -> None:
    """Raise `IllegalTransformation` unless the tiling respects all dependences."""
    within_limit("the dependences", limit, lambda: dependences(tiles.kernel))
    found = within_limit("the legality of the tiling", limit, lambda: _violation(tiles))
    if found:
        hint = "--schedule auto finds a legal one"
        raise IllegalTransformation(Diagnostic(f"the tiling is illegal: {found.text()}", None, hint))
