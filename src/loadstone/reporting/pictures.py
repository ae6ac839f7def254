"""Pictures of what the tiles of a strip load and store: an array as a plane of elements, in few rectangles.

Runs of neighbours are found with isl, by their two ends, so that large sets cost no more than their outlines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import isqrt

import islpy as isl

from loadstone.poly import map_from_values, points
from loadstone.poly.dimensions import first_coordinates
from loadstone.poly.enumeration import Point, fixed_input
from loadstone.poly.extrema import least
from loadstone.poly.spaces import Dim, constant, dimension, tile_map
from loadstone.reporting.strips import middle_point
from loadstone.transfer.volumes import count

MOST_RUNS = 20_000
MOST_RECTANGLES = 2_500


@dataclass(frozen=True, slots=True)
class Rectangle:
    """Neighbouring elements of the plane, by their first row and column."""

    row: int
    column: int
    height: int
    width: int


@dataclass(frozen=True, slots=True)
class Picture:
    """The elements of an array that the tiles of a strip move, each shown at the tile that moves it.

    The plane is spanned by the last two subscripts; `slice_at` are the values of those before them. Blocks of
    `block` elements in both directions are shown as a whole, at the first tile that moves one of their elements.
    `frame` is the array, `tiles` are the rectangles of each tile that moves elements, by its position in the strip.
    """

    array: str
    side: str
    rank: int
    slice_at: Point
    block: tuple[int, int]
    frame: Rectangle
    tiles: Mapping[int, tuple[Rectangle, ...]]


def picture(
    side: str,
    tile_to_elements: isl.Map,
    tiles: Sequence[Point],
    extents: Sequence[int],
    values: Mapping[str, int],
    most: int = MOST_RECTANGLES,
) -> Picture:
    """The picture of what `tiles` move of an array with these extents, in at most `most` rectangles.

    `tile_to_elements` belongs to one strip, chosen by the `values` of its parameters, and is not empty.
    """
    elements = tile_to_elements.range()
    slice_at = _slice(elements)
    tile_to_cells = tile_to_elements.apply_range(_element_to_cell(elements.get_space(), slice_at))
    frame = _frame(tile_to_cells.range(), extents)
    block, shown = _within(tile_to_cells, tiles, frame, values, most)
    drawn = {position: rectangles for position, rectangles in enumerate(shown) if rectangles}
    name = elements.get_tuple_name() or ""
    return Picture(name, side, elements.dim(Dim.set), slice_at, block, frame, drawn)


def _slice(elements: isl.Set) -> Point:
    """Values for the subscripts before the last two, in the middle of what moves."""
    rank = elements.dim(Dim.set)
    return middle_point(first_coordinates(elements, rank - 2)) if rank > 2 else ()


def _element_to_cell(space: isl.Space, slice_at: Point) -> isl.Map:
    """Elements of the slice to row and column: the last two subscripts, with zeros before them where there are less."""
    rank = space.dim(Dim.set)
    subscripts = [dimension(space, position) for position in range(max(0, rank - 2), rank)]
    missing = [constant(space, 0)] * (2 - len(subscripts))
    return fixed_input(map_from_values(space, [*missing, *subscripts]), slice_at)


def _frame(cells: isl.Set, extents: Sequence[int]) -> Rectangle:
    """The plane of an array, made larger where cells lie outside of it."""
    sizes = (1, 1, *extents)[-2:]
    spans = [_span(cells, position, size) for position, size in enumerate(sizes)]
    (top, bottom), (left, right) = spans
    return Rectangle(top, left, bottom - top, right - left)


def _span(cells: isl.Set, position: int, size: int) -> tuple[int, int]:
    low, high = cells.dim_min_val(position).to_python(), cells.dim_max_val(position).to_python()
    return min(0, low), max(size, high + 1)


Shown = list[tuple[Rectangle, ...]]


def _within(
    tile_to_cells: isl.Map, tiles: Sequence[Point], frame: Rectangle, values: Mapping[str, int], most: int
) -> tuple[tuple[int, int], Shown]:
    """The rectangles of each tile, and the blocks that were needed to have no more than `most` of them."""
    parts = [fixed_input(tile_to_cells, tile).range() for tile in tiles]
    if sum(count(_run_ends(part, 1), values) for part in parts) <= MOST_RUNS:
        shown = [tuple(_rectangles(part)) for part in parts]
        if sum(map(len, shown)) <= most:
            return (1, 1), shown
    block = (_block(frame.height, most), _block(frame.width, most))
    coarse = _coarse(tile_to_cells, block)
    blocks = [_rectangles(fixed_input(coarse, tile).range()) for tile in tiles]
    return block, [tuple(_enlarged(part, block, frame) for part in parts) for parts in blocks]


def _block(size: int, most: int) -> int:
    return -(-size // isqrt(most))


def _coarse(tile_to_cells: isl.Map, block: tuple[int, int]) -> isl.Map:
    """Tiles to the blocks of cells of which they are the first to move one."""
    return least(tile_to_cells.apply_range(tile_map((), block)).reverse()).reverse()


def _enlarged(blocks: Rectangle, block: tuple[int, int], frame: Rectangle) -> Rectangle:
    """The elements in a rectangle of blocks that lie in the frame."""
    top, left = max(blocks.row * block[0], frame.row), max(blocks.column * block[1], frame.column)
    bottom = min((blocks.row + blocks.height) * block[0], frame.row + frame.height)
    right = min((blocks.column + blocks.width) * block[1], frame.column + frame.width)
    return Rectangle(top, left, bottom - top, right - left)


def _rectangles(cells: isl.Set) -> Iterator[Rectangle]:
    """The cells as rectangles that do not overlap: equal runs in successive rows are one."""
    starts, ends = points(_run_ends(cells, 1)), points(_run_ends(cells, -1))
    runs = sorted((left, right, row) for (row, left), (_, right) in zip(starts, ends, strict=True))
    for (left, right, _), group in groupby(enumerate(runs), lambda item: (*item[1][:2], item[1][2] - item[0])):
        rows = [row for _, (_, _, row) in group]
        yield Rectangle(rows[0], left, len(rows), right - left + 1)


def _run_ends(cells: isl.Set, step: int) -> isl.Set:
    """The cells without a neighbour in their row one step back: the starts (step 1) or the ends (step -1) of runs."""
    space = cells.get_space()
    row, column = dimension(space, 0), dimension(space, 1)
    return cells.subtract(cells.apply(map_from_values(space, [row, column.add(constant(space, step))])))
