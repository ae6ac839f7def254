"""Which tiling a kernel gets: the chosen one, that of its source, or the loops as they stand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from loadstone.analysis import Dependences, dependences
from loadstone.errors import Diagnostic, UnsupportedError
from loadstone.model.kernel import Kernel
from loadstone.poly.limits import DEFAULT_LIMIT, LimitReached, operation_limit, within_limit
from loadstone.transform.automatic.tilings import automatic_tiling
from loadstone.transform.legality import check_legal, violation
from loadstone.transform.privatise.ways import fully_expanded, kernels_without_sharing, privatised, privatised_ways
from loadstone.transform.privatise.webs import with_webs
from loadstone.transform.sink import sunk
from loadstone.transform.temporaries import without_temporaries
from loadstone.transform.tiling import DEFAULT_SIZE, TiledKernel, Tiling, requested, tiled


def choose_tiling(
    kernel: Kernel, sizes: int | tuple[int, ...] | None = None, schedule: str | None = None, strip: int | None = None
) -> TiledKernel:
    """The tiled kernel; missing choices come from the source, then from the defaults.

    Sizes given without a schedule belong to the loops as they stand, or to the schedule of the source if there is one.
    Where the loops as they stand cannot be tiled, statements behind inner loops are sunk into these, and temporary
    scalars are forward-substituted, if that helps.
    """
    request = kernel.tiling
    if schedule is not None or request is None:
        return tiled_as(kernel, Tiling(sizes or DEFAULT_SIZE, schedule, strip or 1))
    if request.schedule:
        return privatised_where_needed(requested(kernel, request, sizes, strip))
    return tiled_as(kernel, Tiling(sizes or request.sizes, None, strip or request.strip))


def tiled_as(kernel: Kernel, tiling: Tiling) -> TiledKernel:
    """The kernel with a tiling, whatever its source says; loops are made tileable where possible."""
    if tiling.schedule == "auto":
        return _automatically_tiled(kernel, tiling)
    plain = tiled(kernel, tiling)
    if tiling.schedule is not None:
        return privatised_where_needed(plain)
    return next(filter(is_legal, _ways_to_tile(kernel, tiling)), plain)


def privatised_where_needed(tiles: TiledKernel) -> TiledKernel:
    """The tiling, with temporaries in places of their own where that makes it legal."""
    return tiles if is_legal(tiles) else next(filter(is_legal, privatised_ways(tiles)), tiles)


def _automatically_tiled(kernel: Kernel, tiling: Tiling) -> TiledKernel:
    """The kernel with isl's tiling; temporaries are forward-substituted where isl finds none otherwise."""
    found = automatic_tiling(kernel, tiling, dependences(kernel))
    if found is None and (simpler := without_temporaries(kernel)) is not kernel:
        found = automatic_tiling(simpler, tiling, dependences(simpler))
    if found is None:
        found = next(_automatic_private_ways(_of_separate_webs(kernel), tiling), None)
    if found is None:
        hint = "give a schedule with --schedule or a pragma"
        raise UnsupportedError(Diagnostic("no legal tiling was found automatically", None, hint))
    return found


def _automatic_private_ways(kernel: Kernel, tiling: Tiling) -> Iterator[TiledKernel]:
    """Tilings that isl finds for temporaries along all loops, with these along as few loops as the tiling needs."""
    for each in kernels_without_sharing(kernel):
        whole = fully_expanded(each)
        found = automatic_tiling(whole, tiling, dependences(whole))
        if found is not None:
            yield privatised(replace(found, kernel=each)) or found


def _ways_to_tile(kernel: Kernel, tiling: Tiling) -> Iterator[TiledKernel]:
    """Tilings of the loops as they stand, smaller changes first."""
    yield tiled(kernel, tiling)
    yield sunk(tiled(kernel, tiling))
    simpler = without_temporaries(kernel)
    if simpler is not kernel:
        yield tiled(simpler, tiling)
        yield sunk(tiled(simpler, tiling))
    plain = tiled(_of_separate_webs(simpler), tiling)
    yield from privatised_ways(plain)
    yield from privatised_ways(sunk(plain))


def _of_separate_webs(kernel: Kernel) -> Kernel:
    """The kernel with its temporaries split into webs, and these forward-substituted where possible."""
    return without_temporaries(with_webs(kernel))


def is_legal(tiles: TiledKernel) -> bool:
    """Whether the tiling surely respects all dependences: what cannot be decided within the limit is not legal."""
    try:
        with operation_limit(DEFAULT_LIMIT):
            return violation(tiles, dependences(tiles.kernel)) is None
    except LimitReached:
        return False


def check_tiling(tiles: TiledKernel, limit: int | None = None) -> None:
    """Raise `IllegalTransformation` unless the tiling respects all dependences."""
    known = within_limit("the dependences", limit, lambda: dependences(tiles.kernel))
    within_limit("the legality of the tiling", limit, lambda: check_legal(tiles, known, lambda: _advice(tiles, known)))


def _advice(tiles: TiledKernel, known: Dependences) -> str:
    """What to do about an illegal tiling."""
    strip = min(tiles.strip, 1)
    if automatic_tiling(tiles.kernel, Tiling(max(tiles.sizes), None, strip), known) is not None:
        return "--schedule auto finds a legal one"
    return "give another schedule with --schedule, or tiles of size 1 in the dimension that runs backwards"
