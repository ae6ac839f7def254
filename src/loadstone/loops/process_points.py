"""Questions about the current instance of a process, as expressions of its coordinates.

Answers hold for all parameters, or, where relations have many pieces, for the parameters of the program.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import islpy as isl

from loadstone.loops import Node, generate
from loadstone.model.expression import Expression
from loadstone.model.from_isl import from_ast
from loadstone.networks.model import Channel, Process
from loadstone.networks.patterns import deciding_dates
from loadstone.poly import coalesced, fixed
from loadstone.poly.dimensions import are_equal, with_components
from loadstone.poly.extrema import greatest, least
from loadstone.poly.spaces import Dim, inputs_to_parameters, range_product

FEW_PIECES = 6

Pieced = TypeVar("Pieced", isl.Set, isl.Map)


def order_of(process: Process, parameters: Mapping[str, int]) -> isl.Map:
    """The instances of a process to those components of their dates that decide their order."""
    return deciding_dates(_simple(process.dates, parameters))


def equal_coordinates(process: Process, tile: int, parameters: Mapping[str, int]) -> Iterator[Iterator[int]]:
    """For each component that `order_of` keeps, the coordinates that always equal it.

    These are counted from the instance's own; the `tile` coordinates of its tile follow.
    """
    order = order_of(process, parameters)
    tiles = with_components(process.dates, range(tile))
    own = process.dates.domain().identity().reset_tuple_id(Dim.out)
    values = range_product((range_product((own, tiles)), order))
    known = own.dim(Dim.out) + tile
    for position in range(known, known + order.dim(Dim.out)):
        yield (k for k in range(known) if are_equal(values, k, position))


@dataclass(frozen=True, eq=False)
class Points:
    """The instances of a process, with variables for the coordinates of the current one."""

    process: Process
    variables: tuple[str, ...]
    parameters: Mapping[str, int]

    def loops(self, context: isl.Set, iterators: Sequence[str]) -> Node:
        """Loops over the instances in their order; `iterators` name its components."""
        known = context if _is_simple(self.process.dates) else fixed(context, self.parameters)
        return generate(self._order.to_union_map(), known, iterators, option="atomic")

    def is_in(self, part: isl.Set, known: isl.Set) -> Expression | None:
        """Whether the current instance, which is known to be in a set, is in a part of it; None if it always is."""
        if not all(map(_is_simple, (part, known, self.process.dates))):
            part, known = fixed(part, self.parameters), coalesced(fixed(known, self.parameters))
        context = self._as_parameters(known)
        inside = coalesced(self._as_parameters(part).intersect(context))
        if context.is_subset(inside):
            return None
        return from_ast(isl.AstBuild.from_context(context).expr_from_set(inside.gist(context)))

    def source(self, channel: Channel) -> list[Expression]:
        """The coordinates of the instance that made the value that the current one gets through a channel."""
        relation = _simple(channel.relation, self.parameters)
        context = self._as_parameters(relation.range())
        values = isl.PwMultiAff.from_set(coalesced(inputs_to_parameters(relation.reverse(), self.variables)))
        build = isl.AstBuild.from_context(context)
        parts = (coalesced(values.get_at(k).gist(context)) for k in range(values.dim(Dim.out)))
        return [from_ast(build.expr_from_pw_aff(part)) for part in parts]

    def first_reads(self, channel: Channel) -> isl.Set:
        """The instances that are the first ones to read their value from a channel."""
        return self._at_dates(least(self._dated(channel)))

    def last_reads(self, channel: Channel) -> isl.Set:
        """The instances that are the last ones to read their value from a channel."""
        return self._at_dates(greatest(self._dated(channel)))

    @cached_property
    def _order(self) -> isl.Map:
        return order_of(self.process, self.parameters)

    def _dated(self, channel: Channel) -> isl.Map:
        """The values of a channel to the dates at which they are read."""
        return coalesced(_simple(channel.relation, self.parameters).apply_range(self._order))

    def _at_dates(self, dated: isl.Map) -> isl.Set:
        return coalesced(dated.range().apply(self._order.reverse()))

    def _as_parameters(self, part: isl.Set) -> isl.Set:
        return inputs_to_parameters(isl.Map.from_domain(part), self.variables).params()


def _is_simple(value: isl.Set | isl.Map) -> bool:
    return (value.n_basic_set() if isinstance(value, isl.Set) else value.n_basic_map()) <= FEW_PIECES


def _simple(value: Pieced, parameters: Mapping[str, int]) -> Pieced:
    """The value, for given parameters only where it has many pieces."""
    return value if _is_simple(value) else coalesced(fixed(value, parameters))
