"""Strides of arrays in external memory that follow the parameters of a run: registers for them, and rows times strides.

A stride is a product of extents, each a register of the next one times an extent. All have settled when the first
element of a run comes out of the queue behind a mover.
"""

from __future__ import annotations

from collections.abc import Mapping

from loadstone.hardware.control.expressions import Arithmetic
from loadstone.hardware.control.ranged import Ranged, ranged
from loadstone.hardware.layout import PackedLayouts
from loadstone.hardware.names import Names
from loadstone.loops.ranges import Limits
from loadstone.model.expression import Expression
from loadstone.rtl.expressions import Signal, Value, const
from loadstone.rtl.types import unsigned

SETTLED = 3
"""The cycles from the start of a run to the first element behind a mover, at least."""


class Strides:
    """The strides of arrays, in elements, by array and dimension; those that change with parameters are registers."""

    def __init__(
        self, names: Names, layouts: PackedLayouts, parameters: Mapping[str, Signal], limits: Mapping[str, Limits]
    ) -> None:
        known = {(name, 1): Ranged(port, *limits[name]) for name, port in parameters.items()}
        self._names, self._layouts = names, layouts
        self._extents = Arithmetic(names, known, "extent")
        self._products: dict[tuple[Expression, ...], Ranged] = {}

    def of(self, array: str) -> tuple[Value, ...]:
        """The strides of the dimensions of an array that change with parameters, in order."""
        layout = self._layouts[array]
        return tuple(self._product(layout.factors(k)).value for k in layout.moving)

    @property
    def late(self) -> int:
        """The cycles by which the deepest product settles too late."""
        factors = [len(layout.factors(min(layout.moving))) for layout in self._layouts.values() if layout.moving]
        return max(0, max(factors, default=0) - SETTLED)

    def _product(self, sizes: tuple[Expression, ...]) -> Ranged:
        """The product of extents, a cycle after the extents and the product without the first of them."""
        if not sizes:
            return Ranged(const(1), 1, 1)
        if sizes not in self._products:
            rest, extent = self._product(sizes[1:]), self._extents.value(sizes[0])
            self._products[sizes] = self._stored(extent, rest)
        return self._products[sizes]

    def _stored(self, left: Ranged, right: Ranged) -> Ranged:
        greatest = max(1, left.high) * max(1, right.high)
        both = left.constant, right.constant
        if None not in both:
            return ranged(const(greatest), greatest, greatest)
        factor = left if right.constant == 1 else None
        value = (left.value * right.value if factor is None else factor.value).wrapped(unsigned(greatest.bit_length()))
        return Ranged(self._names.module.stored(self._names.fresh("stride"), value), 0, greatest)
