"""Which strips there are, and which one follows which: strips that execute nothing do not count."""

from __future__ import annotations

from functools import lru_cache

import islpy as isl

from loadstone.poly.extrema import least
from loadstone.poly.order import later
from loadstone.poly.spaces import parameters_to_inputs, without_dims
from loadstone.transfer.strips import strip_space
from loadstone.transfer.tile_accesses import existing_tiles
from loadstone.transform.tiling import TiledKernel


def existing_strips(tiles: TiledKernel) -> isl.Set:
    """The strips with at least one tile, by their outer tile coordinates."""
    every = parameters_to_inputs(isl.Map.from_domain(existing_tiles(tiles)), tiles.outer).domain()
    return without_dims(every, range(len(tiles.outer), len(tiles.sizes)))


@lru_cache(maxsize=2)
def later_strips(tiles: TiledKernel) -> isl.Map:
    """Strips to all strips that run after them."""
    strips = existing_strips(tiles)
    return later(strip_space(tiles)).intersect_domain(strips).intersect_range(strips)


def next_strip(tiles: TiledKernel) -> isl.Map:
    """Strips to the one that runs directly after them."""
    return least(later_strips(tiles))
