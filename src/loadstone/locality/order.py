"""The order in which a kernel runs, as one date per instance: its own schedules, or tiles and theta."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import islpy as isl

from loadstone.model.kernel import Kernel, Statement, union_of_maps
from loadstone.poly import map_from_values
from loadstone.poly.dimensions import constant_component, padded
from loadstone.poly.spaces import Dim, constant, dimension, range_product
from loadstone.transform.tiling import TiledKernel


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """A kernel and the dates of its instances: maps into one space, no two instances at the same date.

    The first `tile_dims` dimensions of the dates are tile coordinates.
    """

    kernel: Kernel
    dates: Mapping[str, isl.Map]
    tile_dims: int = 0

    @property
    def length(self) -> int:
        """The number of dimensions of the dates."""
        return next((date.dim(Dim.out) for date in self.dates.values()), 0)

    @property
    def varying(self) -> tuple[int, ...]:
        """The dimensions of the dates that are not the same constant for all statements."""
        return tuple(k for k in range(self.length) if self._varies(k))

    def _varies(self, position: int) -> bool:
        values = {constant_component(date, position) for date in self.dates.values()}
        return None in values or len(values) > 1

    @property
    def schedule(self) -> isl.UnionMap:
        """The dates of all statements."""
        return union_of_maps(self.kernel, iter(self.dates.values()))


def order_of(program: Kernel | TiledKernel | Order) -> Order:
    """The order of a kernel's own schedules, or of a tiling; instances at the same date run in textual order."""
    if isinstance(program, Order):
        return program
    if isinstance(program, TiledKernel):
        tiles = {s.name: program.instance_to_order(s.name) for s in program.kernel.statements}
        return _order(program.kernel, tiles, len(program.sizes))
    length = max((s.schedule.dim(Dim.out) for s in program.statements), default=0)
    return _order(program, {s.name: padded(s.schedule, length) for s in program.statements}, 0)


def _order(kernel: Kernel, times: Mapping[str, isl.Map], tile_dims: int) -> Order:
    known = {s.name: times[s.name].intersect_domain(s.domain) for s in kernel.statements}
    if not all(time.is_injective() for time in known.values()):
        known = {s.name: range_product((known[s.name], _iterators(kernel, s))) for s in kernel.statements}
    dates = {s.name: range_product((known[s.name], _place(kernel, s))) for s in kernel.statements}
    return Order(kernel, dates, tile_dims)


def _place(kernel: Kernel, statement: Statement) -> isl.Map:
    """Instances to the textual position of their statement."""
    space = statement.domain.get_space()
    return map_from_values(space, [constant(space, kernel.statements.index(statement))])


def _iterators(kernel: Kernel, statement: Statement) -> isl.Map:
    """Instances to their iterators, with zeros appended until all statements have as many."""
    space = statement.domain.get_space()
    values = [dimension(space, k) for k in range(len(statement.iterators))]
    return padded(map_from_values(space, values), max(len(s.iterators) for s in kernel.statements))
