"""Where the values of a channel are written and read in the tiling, and parts of the channel that this defines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import gcd, prod

import islpy as isl

from loadstone.poly.dimensions import compared, for_any_parameters
from loadstone.poly.enumeration import Point
from loadstone.poly.linear import shifted, where_nonnegative
from loadstone.poly.spaces import Dim, without_dims

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Coordinate:
    """A number that each value of a channel has: a sum of factors times components of its dates.

    Distances compare the tile that writes the value with the tile that reads it; positions are those of the writing or
    of the reading instance inside of its tile.
    """

    factors: Point
    is_distance: bool

    def at(self, dates: Point) -> int:
        """The coordinate of a value with these dates of writing and reading, one after the other."""
        return sum(factor * component for factor, component in zip(self.factors, dates, strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class Crossing:
    """Values of a channel by their dates of writing and reading; these begin with the tile, followed by theta."""

    sizes: Point
    dated: isl.Map

    def spans(self) -> dict[Coordinate, Span]:
        """The coordinates that have bounds, over all parameters, and are not the same for all values; the bounds."""
        bounded = {**self._distance_spans(), **self._bounded(self._positions())}
        return {coordinate: span for coordinate, span in bounded.items() if span[0] < span[1]}

    def within(self, coordinate: Coordinate, low: int, high: int) -> Crossing:
        """The values whose coordinate is between two numbers, both included."""
        value = self._expression(coordinate)
        at_least, at_most = where_nonnegative(shifted(value, -low)), where_nonnegative(shifted(value.neg(), high))
        return Crossing(self.sizes, self.dated.intersect(at_least.intersect(at_most).unwrap()))

    def by_depth(self) -> Iterator[tuple[int, Crossing]]:
        """SPLIT [RR-9131, 3]: the values that cross tile dimension 1, 2, ... first, and the values inside of a tile.

        Without the depths that no value has.
        """
        inside = self.dated
        for position in range(len(self.sizes)):
            crossing = compared(inside, position, "<")
            if not crossing.is_empty():
                yield position + 1, Crossing(self.sizes, crossing)
            inside = compared(inside, position, "=")
        if not inside.is_empty():
            yield len(self.sizes) + 1, Crossing(self.sizes, inside)

    def by_distance(self, most: int) -> tuple[Crossing, ...]:
        """The values in parts of equal bounded distances; none where there may be more than `most`."""
        spans = self._distance_spans()
        if prod(high - low + 1 for low, high in spans.values()) > most:
            return ()
        choices = product(*(range(low, high + 1) for low, high in spans.values()))
        parts = (self._at(dict(zip(spans, numbers, strict=True))) for numbers in choices)
        return tuple(part for part in parts if not part.dated.is_empty())

    def _at(self, numbers: Mapping[Coordinate, int]) -> Crossing:
        found = self
        for coordinate, number in numbers.items():
            found = found.within(coordinate, number, number)
        return found

    def _distance_spans(self) -> dict[Coordinate, Span]:
        """Distances and their bounds: those between tiles in each dimension; if one has no bounds, skewed ones, too."""
        dims, reading = len(self.sizes), self.dated.dim(Dim.in_)
        plain = self._bounded([self._distance({k: -1, reading + k: 1}) for k in range(dims)])
        return plain if len(plain) == dims else {**plain, **self._bounded(self._skewed_distances())}

    def _bounded(self, coordinates: Iterable[Coordinate]) -> dict[Coordinate, Span]:
        """The coordinates that have bounds over all parameters, and these."""
        found: dict[Coordinate, Span] = {}
        for coordinate in coordinates:
            values, value = self.dated.wrap(), self._expression(coordinate)
            least, greatest = values.min_val(value), values.max_val(value)
            if least.is_int() and greatest.is_int():
                found[coordinate] = least.to_python(), greatest.to_python()
        return found

    def _skewed_distances(self) -> Iterator[Coordinate]:
        """For each equation between theta of the writer and theta' of the reader the like sum of tiles.

        That is, for sum of a theta + sum of a' theta' = constant, the sum of a b phi + sum of a' b phi', divided by the
        greatest common divisor of its factors. It has bounds, because the positions theta - b phi have.
        """
        dims, reading = len(self.sizes), self.dated.dim(Dim.in_)
        for equation in self._equations():
            yield self._distance({k - dims: a * self.sizes[(k - dims) % reading] for k, a in equation.items()})

    def _distance(self, factors: Mapping[int, int]) -> Coordinate:
        divisor = gcd(*factors.values()) or 1
        return Coordinate(self._row({k: factor // divisor for k, factor in factors.items()}), is_distance=True)

    def _positions(self) -> list[Coordinate]:
        dims, reading = len(self.sizes), self.dated.dim(Dim.in_)
        tiles = [(first + k, size) for first in (0, reading) for k, size in enumerate(self.sizes)]
        return [Coordinate(self._row({tile + dims: 1, tile: -size}), is_distance=False) for tile, size in tiles]

    def _row(self, factors: Mapping[int, int]) -> Point:
        return tuple(factors.get(k, 0) for k in range(self.dated.dim(Dim.in_) + self.dated.dim(Dim.out)))

    def _equations(self) -> list[dict[int, int]]:
        """The equations between thetas that hold for all values and parameters: component of the dates to factor."""
        dims, reading = len(self.sizes), self.dated.dim(Dim.in_)
        thetas = [*range(dims, 2 * dims), *range(reading + dims, reading + 2 * dims)]
        values = for_any_parameters(self.dated.wrap().flatten())
        hull = without_dims(values, [k for k in range(values.dim(Dim.set)) if k not in thetas]).affine_hull()
        return [
            {theta: constraint.get_coefficient_val(Dim.set, k).to_python() for k, theta in enumerate(thetas)}
            for constraint in hull.get_constraints()
            if constraint.is_equality()
        ]

    def _expression(self, coordinate: Coordinate) -> isl.Aff:
        """A coordinate as a function of the dates."""
        result = isl.Aff.zero_on_domain(isl.LocalSpace.from_space(self.dated.get_space().wrap()))
        for position, factor in enumerate(coordinate.factors):
            result = result.set_coefficient_val(Dim.in_, position, isl.Val.int_from_si(result.get_ctx(), factor))
        return result
