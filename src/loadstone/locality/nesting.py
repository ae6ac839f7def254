"""The loops that an order of execution has: which dimensions of the dates are loops, of which statements."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import islpy as isl

from loadstone.emit.c.printer import emit_expression
from loadstone.locality.order import Order
from loadstone.model.from_isl import from_aff
from loadstone.model.kernel import Statement
from loadstone.poly import renamed_dims
from loadstone.poly.dimensions import constant_component, first_coordinates, last_is_determined, with_components
from loadstone.poly.linear import linear, variable_names
from loadstone.poly.spaces import Dim


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop around some statements: a dimension of their dates that takes more than one value.

    `name` is the iterator where the dimension counts one up or down, else what the dimension counts, as C; tile loops
    are named T0, T1, ... `lines` are those of the first and the last statement, where the source has lines.
    """

    name: str
    depth: int
    statements: tuple[str, ...]
    lines: tuple[int, int] | None

    def __str__(self) -> str:
        if self.lines is None:
            return f"loop {self.name}"
        first, last = self.lines
        return f"loop {self.name} ({f'line {first}' if first == last else f'lines {first}-{last}'})"


@dataclass(frozen=True, eq=False)
class Nesting:
    """The loops of an order."""

    order: Order

    def loop(self, statement: str, depth: int) -> Loop | None:
        """The loop around a statement that a dimension of the dates is; None where the dimension is no loop."""
        return self._loops[statement][depth]

    def first_loop_inside(self, statement: str, depth: int) -> Loop | None:
        """The outermost loop around a statement that is inside of a dimension of the dates; None if there is none."""
        return next((loop for loop in self._loops[statement][depth + 1 :] if loop is not None), None)

    @cached_property
    def _loops(self) -> dict[str, tuple[Loop | None, ...]]:
        return {
            s.name: tuple(self._loop(s, k) if is_loop else None for k, is_loop in enumerate(self._shapes[s.name]))
            for s in self.order.kernel.statements
        }

    @cached_property
    def _shapes(self) -> dict[str, tuple[bool, ...]]:
        """For each statement, which dimensions of its dates are loops."""
        return {s.name: _shape(self.order, s) for s in self.order.kernel.statements}

    def _loop(self, statement: Statement, depth: int) -> Loop:
        inside = [s for s in self.order.kernel.statements if self._shares(statement, s, depth)]
        lines = [s.span.line for s in inside if s.span is not None]
        return Loop(
            f"T{depth}" if depth < self.order.tile_dims else _name(self.order, inside[0], depth),
            depth,
            tuple(s.name for s in inside),
            (min(lines), max(lines)) if lines else None,
        )

    def _shares(self, left: Statement, right: Statement, depth: int) -> bool:
        """Whether two statements are in the same loop: nothing sets them apart outside of it, and both are in it."""
        places = (self._place(left.name, depth), self._place(right.name, depth))
        return self._shapes[right.name][depth] and places[0] == places[1]

    def _place(self, statement: str, depth: int) -> list[int | None]:
        """The constants among the dimensions of the dates before this one."""
        date, shape = self.order.dates[statement], self._shapes[statement]
        return [None if shape[k] else constant_component(date, k) for k in range(depth)]


def _shape(order: Order, statement: Statement) -> tuple[bool, ...]:
    """Which dimensions of the dates of a statement are loops: dimensions not determined by earlier ones.

    In schedules that alternate textual positions and iterators, all iterators are loops, also with a single value.
    """
    times = order.dates[statement.name].range()
    nested = 0 if order.tile_dims else len(statement.iterators)
    return tuple(
        (k in range(1, 2 * nested, 2) and _alternates(statement)) or not _is_determined(times, k)
        for k in range(order.length)
    )


def _alternates(statement: Statement) -> bool:
    """Whether a schedule has the form position, iterator, position, ..., iterator, position."""
    length = statement.schedule.dim(Dim.out)
    even = all(constant_component(statement.schedule, k) is not None for k in range(0, length, 2))
    return even and length == 2 * len(statement.iterators) + 1


def _is_determined(times: isl.Set, position: int) -> bool:
    return last_is_determined(first_coordinates(times, position + 1))


def _name(order: Order, statement: Statement, depth: int) -> str:
    """The iterator that a dimension of the dates counts, else the expression that it is."""
    dates = renamed_dims(order.dates[statement.name], statement.iterators, Dim.in_)
    value = isl.PwMultiAff.from_map(with_components(dates, (depth,))).get_pw_aff(0).get_pieces()[0][1]
    parts = linear(value, variable_names(value.get_domain_space()))
    moving = [(factor, name) for factor, name in parts.variables if name in statement.iterators]
    plain = not parts.floors and parts.divisor == 1 and len(moving) == 1 and abs(moving[0][0]) == 1
    return moving[0][1] if plain else re.sub(r"\b0 \+ ", "", emit_expression(from_aff(value)))
