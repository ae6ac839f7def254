"""About how many elements a strip holds at once, for any sizes: footprints of references, as boxes.

While tiles of a strip run, each iterator of a statement has values in a window: of a dimension of the schedule that it
follows, as many as a tile has; of the dimension in which tiles follow each other, as many as the tiles in flight. An
element of a reference then lies in a box, and references whose subscripts differ by constants in a common one. Where a
tile loop of the strip is not seen by a reference, its next iteration uses the same elements again: they stay, for all
iterations of the loops inside. Other values that live longer than the tiles in flight are not seen: this is an
estimate, to be corrected by the buffers of a plan.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import islpy as isl

from loadstone.model.kernel import Kernel, Statement
from loadstone.poly import fixed
from loadstone.poly.linear import linear
from loadstone.poly.names import names_of
from loadstone.poly.spaces import Dim, values_of
from loadstone.poly.terms import without_parameters
from loadstone.tiling_search.strip_boxes import Theta
from loadstone.transfer.strips import in_memory

Form = Mapping[str, int]
"""Factors of iterators."""
ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Footprint:
    """References to an array whose subscripts are the same but for constants; `forms` has None where they are unknown.

    `spread` is by how much the constants of each subscript differ, `extents` how many values it has in all.
    """

    array: str
    statement: str
    forms: tuple[Form | None, ...]
    spread: tuple[int, ...]
    extents: tuple[int, ...]

    @property
    def iterators(self) -> frozenset[str]:
        """The iterators that are known to be in the subscripts."""
        return frozenset(name for form in self.forms for name in form or {})

    def cells(self, widths: Mapping[str, int]) -> int:
        """The elements in a box, for the number of values of each iterator."""
        return prod(map(min, self.extents, (self._reach(k, widths) for k in range(len(self.forms)))))

    def _reach(self, subscript: int, widths: Mapping[str, int]) -> int:
        form = self.forms[subscript]
        return self.extents[subscript] if form is None else _width(form, widths) + self.spread[subscript]


@dataclass(frozen=True, slots=True)
class Iterators:
    """The iterators of a statement: how many values each has, and the dimensions of the schedule in terms of them."""

    extents: Mapping[str, int]
    dates: tuple[Form | None, ...]

    def widths(self, tiles: Sequence[int]) -> Mapping[str, int]:
        """The values of each iterator while dates have so many values in each dimension."""
        found = dict(self.extents)
        for _ in range(ROUNDS):
            for date, size in zip(self.dates, tiles, strict=True):
                for name, factor in (date or {}).items():
                    if abs(factor) == 1:
                        others = {other: value for other, value in (date or {}).items() if other != name}
                        found[name] = min(found[name], size + _width(others, found) - 1)
        return found

    def staying(self, seen: frozenset[str], loops: Sequence[int], strip: Sequence[int]) -> Sequence[int]:
        """The dimensions of a strip inside of the first of its loops that runs along none of the iterators seen."""
        unseen = (k for k in loops if (date := self.dates[k]) and seen.isdisjoint(date))
        first = next(unseen, None)
        return () if first is None else strip[strip.index(first) + 1 :]


@dataclass(frozen=True, eq=False)
class Footprints:
    """All footprints of a kernel under a schedule."""

    iterators: Mapping[str, Iterators]
    footprints: tuple[Footprint, ...]

    def live(self, tiles: Sequence[int], strip: Sequence[int], whole: Sequence[int]) -> dict[str, int]:
        """About how many elements of each array are held, where dates have so many values in each dimension.

        Those of the strip are given outermost first; `whole` are all values that there are.
        """
        boxes: dict[str, set[tuple[str, int]]] = {}
        for each in self.footprints:
            iterators = self.iterators[each.statement]
            staying = iterators.staying(each.iterators, [k for k in strip if tiles[k] < whole[k]], strip)
            widths = iterators.widths([whole[k] if k in staying else size for k, size in enumerate(tiles)])
            boxes.setdefault(each.array, set()).add((str(each.forms), each.cells(widths)))
        return {array: sum(cells for _, cells in found) for array, found in boxes.items()}


def footprints(kernel: Kernel, theta: Theta, parameters: Mapping[str, int]) -> Footprints:
    """The footprints of a kernel for given parameters."""
    iterators = {s.name: _iterators(s, theta[s.name], parameters) for s in kernel.statements}
    return Footprints(iterators, tuple(f for s in kernel.statements for f in _footprints(kernel, s, parameters)))


def _iterators(statement: Statement, theta: isl.Map, parameters: Mapping[str, int]) -> Iterators:
    domain = without_parameters(fixed(statement.domain, parameters), parameters)
    extents = {name: _extent(domain, k) for k, name in enumerate(statement.iterators)}
    return Iterators(extents, tuple(form for form, _ in forms(theta, statement)))


def _footprints(kernel: Kernel, statement: Statement, parameters: Mapping[str, int]) -> Iterator[Footprint]:
    """The footprints of a statement: one for all references to an array with the same factors."""
    found: dict[tuple[str, str], list[tuple[tuple[Form | None, ...], list[int], tuple[int, ...]]]] = {}
    for access in (*statement.reads, statement.write):
        if in_memory(kernel.arrays[access.array]):
            subscripts = forms(access.relation, statement)
            elements = fixed(access.relation.intersect_domain(statement.domain), parameters).range()
            extents = tuple(_extent(elements, k) for k in range(len(subscripts)))
            shape, shifts = tuple(form for form, _ in subscripts), [shift for _, shift in subscripts]
            found.setdefault((access.array, str(shape)), []).append((shape, shifts, extents))
    for (array, _), group in found.items():
        spread = tuple(max(shifts) - min(shifts) for shifts in zip(*(shifts for _, shifts, _ in group), strict=True))
        extents = tuple(map(max, zip(*(extents for _, _, extents in group), strict=True)))
        yield Footprint(array, statement.name, group[0][0], spread, extents)


def forms(relation: isl.Map, statement: Statement) -> list[tuple[Form | None, int]]:
    """The components of a relation on instances: factors of iterators, None where there are none, and shifts."""
    if not relation.is_single_valued():
        return [(None, 0)] * relation.dim(Dim.out)
    return [_form(value, statement) for value in values_of(relation)]


def _form(value: isl.PwAff, statement: Statement) -> tuple[Form | None, int]:
    found: list[isl.Aff] = []
    value.foreach_piece(lambda _, function: found.append(function))
    if len(found) != 1:
        return None, 0
    parts = linear(found[0], (*names_of(value.get_space()), *statement.iterators))
    if parts.floors or parts.divisor != 1:
        return None, 0
    return {name: factor for factor, name in parts.variables if name in statement.iterators}, parts.constant


def _width(form: Form, widths: Mapping[str, int]) -> int:
    """How many values a sum has."""
    return 1 + sum(abs(factor) * (widths[name] - 1) for name, factor in form.items())


def _extent(points: isl.Set, position: int) -> int:
    if points.is_empty():
        return 0
    return points.dim_max_val(position).to_python() - points.dim_min_val(position).to_python() + 1
