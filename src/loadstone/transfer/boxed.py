"""A plan whose sets are simple: tiles load and store boxes around the elements that they touch and write.

Over-approximated but valid, as the coarse plan, and element by element as late and as early as a tile needs it: an
element is loaded by the first tile of the strip whose box holds it, and stored by the last one whose box of written
elements does. These boxes lie in the ones that are loaded, so that what is stored without having been written has been
loaded. Used where what tiles move by the exact plan is too complicated for hardware.
"""

from __future__ import annotations

import islpy as isl

from loadstone.analysis import within_extents
from loadstone.model.kernel import Array
from loadstone.poly import coalesced
from loadstone.poly.boxes import box_around
from loadstone.transfer.coarse import coarse_plan
from loadstone.transfer.plan import ArrayPlan, first_tile, last_tile
from loadstone.transfer.strips import memory_arrays
from loadstone.transfer.tile_accesses import existing_tiles, tile_space, tile_to_touched, tile_to_written
from loadstone.transform.tiling import TiledKernel


def boxed_arrays(tiles: TiledKernel) -> dict[str, ArrayPlan]:
    """For each array the elements of boxes, with the first and the last tile of a strip whose box holds them."""
    return {array.name: _boxed(tiles, array) for array in memory_arrays(tiles.kernel)}


def _boxed(tiles: TiledKernel, array: Array) -> ArrayPlan:
    written, touched = tile_to_written(tiles, array), tile_to_touched(tiles, array)
    stored = _box(written, tiles, array)
    held = _box(touched.union(stored), tiles, array)
    load = _among(first_tile(held).reverse(), held)
    store = _among(last_tile(stored).reverse(), stored)
    return coarse_plan(tiles, array, load, store)


def _box(tile_to_elements: isl.Map, tiles: TiledKernel, array: Array) -> isl.Map:
    """Tiles to boxes around elements, within the array."""
    if tile_to_elements.is_empty():
        return tile_to_elements
    box = box_around(tile_to_elements).intersect_domain(existing_tiles(tiles))
    inside = box.intersect_range(within_extents(array, tile_space(tiles, array).range()))
    return inside.intersect_params(tiles.kernel.context)


def _among(part: isl.Map, whole: isl.Map) -> isl.Map:
    """Part of a map, without constraints that the whole implies."""
    return coalesced(part.gist(whole).intersect(whole))
