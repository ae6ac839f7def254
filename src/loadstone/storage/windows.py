"""Elements of an array told apart by where the tiles of a strip are: those in its rows, those in its columns, the rest.

A reference whose subscript follows a dimension of the schedule, but for a bounded shift, stays in a window of this
subscript while a strip runs, if the dimension is not one of the strip. References to one array that stay in different
windows, as a[i][k] and a[k][j] do, are as far apart as the array is large; in parts by window they are not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

import islpy as isl

from loadstone.model.affine import signed_sum
from loadstone.model.kernel import Array
from loadstone.poly.dimensions import with_components
from loadstone.poly.spaces import Dim
from loadstone.transform.tiling import TiledKernel

WIDEST = 16
"""By how much shifts of a subscript against its dimension may differ."""


@dataclass(frozen=True, slots=True, order=True)
class Window:
    """The values of a subscript that are reached from one tile coordinate: `size` * tile + `shift`, and `width` on."""

    subscript: int
    tile: str
    size: int
    shift: int
    width: int

    def text(self, both: str) -> str:
        """The condition on subscripts x0, x1, ..., as isl and C write it, with their words for `both`."""
        first = signed_sum([(self.size, self.tile), (self.shift, "")], "*")
        end = signed_sum([(self.size, self.tile), (self.shift + self.width, "")], "*")
        return f"x{self.subscript} >= {first} {both} x{self.subscript} < {end}"


Windows = tuple[Window, ...]
"""Conditions that hold together."""


def regions(tiles: TiledKernel, array: Array) -> list[Windows]:
    """The windows of all references to an array, those with most conditions first, and none for the rest."""
    references = [tuple(_windows(tiles, *reference)) for reference in _references(tiles, array)]
    widest: dict[tuple[int, str], Window] = {}
    for window in chain.from_iterable(references):
        known = widest.get((window.subscript, window.tile), window)
        widest[window.subscript, window.tile] = _around(known, window)
    found = {tuple(sorted({widest[w.subscript, w.tile] for w in windows})) for windows in references}
    return sorted({*found, ()}, key=lambda windows: (-len(windows), windows))


def region(tiles: TiledKernel, array: Array, windows: Windows) -> isl.Set:
    """The elements in some windows, with outer tile coordinates as parameters."""
    names = ", ".join(f"x{k}" for k in range(array.rank))
    where = " and ".join(window.text("and") for window in windows) or "true"
    return isl.Set(f"[{', '.join(tiles.outer)}] -> {{ {array.name}[{names}] : {where} }}")


def _references(tiles: TiledKernel, array: Array) -> Iterator[tuple[isl.Map, isl.Map]]:
    """The dates of the instances of each reference to an array, and its elements."""
    for statement in tiles.kernel.statements:
        for access in (*statement.reads, statement.write):
            if access.array == array.name:
                yield tiles.theta[statement.name], access.relation.intersect_domain(statement.domain)


def _windows(tiles: TiledKernel, theta: isl.Map, accesses: isl.Map) -> Iterator[Window]:
    """The windows of a reference: subscripts that follow an outer dimension."""
    for position, (tile, size) in enumerate(zip(tiles.outer, tiles.sizes, strict=False)):
        dates = with_components(theta, [position]).reset_tuple_id(Dim.out)
        for subscript in range(accesses.dim(Dim.out)):
            values = with_components(accesses, [subscript]).reset_tuple_id(Dim.out)
            shifts = _reach(dates.reverse().apply_range(values).deltas())
            if shifts is not None and shifts[1] - shifts[0] <= WIDEST:
                yield Window(subscript, tile, size, shifts[0], size + shifts[1] - shifts[0])


def _reach(values: isl.Set) -> tuple[int, int] | None:
    """The least and the greatest value; None where there are none, or they grow with the parameters."""
    if values.is_empty():
        return None
    least, greatest = values.dim_min_val(0), values.dim_max_val(0)
    return (least.to_python(), greatest.to_python()) if least.is_int() and greatest.is_int() else None


def _around(one: Window, other: Window) -> Window:
    """The smallest window around two."""
    first = min(one.shift, other.shift)
    return replace(one, shift=first, width=max(w.shift + w.width for w in (one, other)) - first)
