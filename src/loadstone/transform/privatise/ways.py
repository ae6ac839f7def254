"""How a tiling is made legal by privatisation: as few subscripts as it needs.

Where reductions are to run in the order of the tiling, their order in the text asks for none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

from loadstone.analysis.dataflow import dependences_through
from loadstone.model.kernel import Kernel
from loadstone.poly.limits import if_affordable
from loadstone.transform.legality import violation
from loadstone.transform.privatise.own_cell import kept_in_own_cells
from loadstone.transform.privatise.subscripts import Subscript, choices, expanded, possible_subscripts
from loadstone.transform.privatise.webs import temporaries, with_webs
from loadstone.transform.reductions.orderless import free_pairs
from loadstone.transform.reductions.updates import without_order
from loadstone.transform.removal import can_go
from loadstone.transform.tiling import TiledKernel

Order = Literal["text", "exact", "free"]
"""Which order reductions keep: that of the text, or that of the tiling where bits stay the same, or wherever."""
MOST_SUBSCRIPTS = 4
"""With more possible subscripts, some that suffice are found, of which none can go, instead of the fewest."""


def privatised_ways(tiles: TiledKernel, order: Order = "text") -> Iterator[TiledKernel]:
    """Tilings in the same order with temporaries in places of their own, legal as far as these are concerned."""
    for kernel in kernels_without_sharing(tiles.kernel):
        theta = {statement.name: tiles.theta[statement.name] for statement in kernel.statements}
        found = if_affordable(partial(privatised, replace(tiles, kernel=kernel, theta=theta), order))
        if found is not None:
            yield found


def kernels_without_sharing(kernel: Kernel) -> Iterator[Kernel]:
    """The kernel with its temporaries split into webs: kept in the elements that they end in, and as they are."""
    split = with_webs(kernel)
    kept = if_affordable(partial(kept_in_own_cells, split)) or split
    yield kept
    if kept is not split:
        yield split


def privatised(tiles: TiledKernel, order: Order = "text") -> TiledKernel | None:
    """The tiling with each temporary along as few loops as it needs; None where a temporary forbids it all the same."""
    for array in temporaries(tiles.kernel):
        found = _expanded_for(tiles, array, order)
        if found is None:
            return None
        tiles = found
    return tiles


def fully_expanded(kernel: Kernel) -> Kernel:
    """The kernel with each temporary along all loops that it can be expanded along."""
    for array in temporaries(kernel):
        kernel = expanded(kernel, array, possible_subscripts(kernel, array)) if can_go(kernel, array) else kernel
    return kernel


def _expanded_for(tiles: TiledKernel, array: str, order: Order) -> TiledKernel | None:
    """The tiling with a temporary along as few loops as it needs; None where even all of them are too few."""
    if _is_respected(tiles, array, order):
        return tiles
    subscripts = possible_subscripts(tiles.kernel, array) if can_go(tiles.kernel, array) else ()
    is_enough = partial(_is_enough, tiles, array, order)
    if not is_enough(subscripts):
        return None
    search = _fewest if len(subscripts) <= MOST_SUBSCRIPTS else _irreducible
    return replace(tiles, kernel=expanded(tiles.kernel, array, search(is_enough, subscripts)))


Test = Callable[[Sequence[Subscript]], bool]


def _fewest(is_enough: Test, subscripts: Sequence[Subscript]) -> Sequence[Subscript]:
    """The fewest of some subscripts, which suffice together, that suffice."""
    fewer = (each for each in choices(subscripts) if len(each) < len(subscripts))
    return next(filter(is_enough, fewer), subscripts)


def _irreducible(is_enough: Test, subscripts: Sequence[Subscript]) -> Sequence[Subscript]:
    """Some of the subscripts that suffice, none of which can go; inner loops go first."""
    for each in reversed(subscripts):
        rest = [kept for kept in subscripts if kept is not each]
        subscripts = rest if is_enough(rest) else subscripts
    return subscripts


def _is_enough(tiles: TiledKernel, array: str, order: Order, subscripts: Sequence[Subscript]) -> bool:
    """Whether a temporary with these subscripts allows a tiling."""
    kernel = expanded(tiles.kernel, array, subscripts)
    return bool(subscripts) and _is_respected(replace(tiles, kernel=kernel), kernel.privatised[-1].array, order)


def _is_respected(tiles: TiledKernel, array: str, order: Order) -> bool:
    """Whether the tiling respects all dependences through an array, but for the order of reductions that is free."""
    known = dependences_through(tiles.kernel, array)
    pairs = () if order == "text" else free_pairs(tiles.kernel, free=order == "free")
    own = [pair for pair in pairs if pair[0].write.array == array]
    return violation(tiles, without_order(tiles.kernel, known, own)) is None
