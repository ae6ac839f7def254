"""Strips as boxes with symbolic bounds: what a strip moves and holds, for all sizes of tiles at once.

The tile of an instance is floor(theta_k / size_k), which is not affine in the size. A strip is a box of dates, with
L_k <= theta_k <= H_k in its outer dimensions; with L_k and H_k as parameters all is affine, whatever the sizes are. The
sets follow those of `transfer.strips`:

    loaded   elements that a reader in the box reads, if the last writer of the value is not in the box
    stored   elements that a writer in the box writes for a reader outside, or whose last write is in the box

Which elements two strips share does not matter: each strip loads and stores its own. Exact where all accesses are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import islpy as isl

from loadstone.analysis import dependences
from loadstone.model.kernel import Kernel
from loadstone.poly import coalesced, fixed
from loadstone.poly.dimensions import with_components
from loadstone.poly.spaces import Dim
from loadstone.poly.terms import without_parameters
from loadstone.transfer.strips import flow_through_elements, in_memory, memory_arrays, reads_in_memory
from loadstone.transform.legality import maps_of

Theta = Mapping[str, isl.Map]
Elements = tuple[str, isl.Set]
"""An array and some of its elements."""


@dataclass(frozen=True, slots=True, eq=False)
class ReadValues:
    """A read reference: instances to elements, and writers to pairs of reader and element."""

    array: str
    reader: str
    accesses: isl.Map
    sources: tuple[isl.Map, ...]


@dataclass(frozen=True, eq=False)
class Values:
    """The values of a kernel for given parameters: who reads what, from where, and what remains."""

    kernel: Kernel
    parameters: Mapping[str, int]

    @cached_property
    def reads(self) -> tuple[ReadValues, ...]:
        """The reads of arrays in memory."""
        return tuple(self._read(s.name, k) for s, k in reads_in_memory(self.kernel))

    def _read(self, name: str, position: int) -> ReadValues:
        reader = self.kernel.statement(name)
        read = reader.reads[position]
        sources = maps_of(flow_through_elements(self.kernel, reader, position))
        return ReadValues(read.array, name, self._at(read.relation), tuple(map(self._at, sources)))

    @cached_property
    def last_writes(self) -> tuple[tuple[str, str, isl.Map], ...]:
        """Arrays seen after the kernel, with the statements that write their last values, and those writes."""
        overwritten = dependences(self.kernel).output.domain()
        found: list[tuple[str, str, isl.Map]] = []
        for statement in self.kernel.statements:
            array = self.kernel.arrays[statement.write.array]
            if in_memory(array) and array.live_out:
                again = overwritten.extract_set(statement.domain.get_space())
                last = statement.write.relation.subtract_domain(again)
                found.append((array.name, statement.name, self._at(last)))
        return tuple(found)

    def accesses(self, array: str) -> Iterator[tuple[str, isl.Map]]:
        """The statements that access an array, with each of these accesses."""
        for statement in self.kernel.statements:
            for access in (*statement.reads, statement.write):
                if access.array == array:
                    yield statement.name, self._at(access.relation)

    def _at(self, relation: isl.Map) -> isl.Map:
        return fixed(relation, self.parameters)


def low(dim: int) -> str:
    """The parameter that is the lower bound of a box in one dimension."""
    return f"L{dim}"


def high(dim: int) -> str:
    """The parameter that is the upper bound of a box in one dimension."""
    return f"H{dim}"


@dataclass(frozen=True, eq=False)
class Boxes:
    """The instances of a kernel in boxes of a schedule theta, for given parameters."""

    values: Values
    theta: Theta

    @property
    def dims(self) -> int:
        """The number of dimensions of the schedule."""
        return next(iter(self.theta.values())).dim(Dim.out)

    @cached_property
    def reach(self) -> tuple[tuple[int, int], ...]:
        """The least and the greatest date in each dimension; 0 where nothing runs."""
        dates = [d for t in self.theta.values() if not (d := fixed(t, self.values.parameters).range()).is_empty()]
        return tuple(
            (
                min((d.dim_min_val(k).to_python() for d in dates), default=0),
                max((d.dim_max_val(k).to_python() for d in dates), default=0),
            )
            for k in range(self.dims)
        )

    def moved(self, outer: Sequence[int]) -> list[Elements]:
        """What a strip over all but the outer dimensions loads and stores: arrays may appear several times."""
        inside = {name: self._instances(name, _box(outer), outer) for name in self.theta}
        return self._counted([*self._loaded(inside), *self._stored(inside)], outer)

    def _loaded(self, inside: Mapping[str, isl.Set]) -> list[Elements]:
        found: list[Elements] = []
        for read in self.values.reads:
            exposed = read.accesses.intersect_domain(inside[read.reader]).wrap()
            for source in read.sources:
                exposed = exposed.subtract(source.intersect_domain(inside[_writer(source)]).range())
            found.append((read.array, exposed.unwrap().range()))
        return _united(found)

    def _stored(self, inside: Mapping[str, isl.Set]) -> list[Elements]:
        found: list[Elements] = []
        for read in self.values.reads:
            for source in read.sources:
                handed_on = source.intersect_domain(inside[_writer(source)]).range().unwrap()
                found.append((read.array, handed_on.subtract_domain(inside[read.reader]).range()))
        for array, statement, writes in self.values.last_writes:
            found.append((array, writes.intersect_domain(inside[statement]).range()))
        return _united(found)

    def held(self, strip: Sequence[int]) -> list[Elements]:
        """What is in local memory while a box of tiles of a strip runs: touched in it or before, and in it or after.

        `strip` are the dimensions of the strip in the order of its tile loops, bounds of the box their L and H.
        """
        every = range(self.dims)
        outer = [k for k in every if k not in strip]
        before, after = (_in_order(outer, strip, sign) for sign in "<>")
        found: list[Elements] = []
        for array in memory_arrays(self.values.kernel):
            sides = [part for dates in (before, after) if (part := self._touched(array.name, dates)) is not None]
            few = [part for _, part in self._counted([(array.name, side) for side in sides], every)]
            found += [(array.name, coalesced(reduce(isl.Set.intersect, few)))] if few else []
        return found

    def _touched(self, array: str, dates: str) -> isl.Set | None:
        every = range(self.dims)
        parts = [
            access.intersect_domain(self._instances(name, dates, every)).range()
            for name, access in self.values.accesses(array)
        ]
        return reduce(isl.Set.union, parts) if parts else None

    def _instances(self, statement: str, dates: str, dims: Sequence[int]) -> isl.Set:
        """The instances of a statement whose dates, in some dimensions, satisfy a condition."""
        names = ", ".join(f"{low(k)}, {high(k)}" for k in dims)
        chosen = isl.Set(f"[{names}] -> {{ [{', '.join(f't{k}' for k in sorted(dims))}] : {dates} }}")
        dates_of = with_components(fixed(self.theta[statement], self.values.parameters), dims)
        return dates_of.intersect_range(chosen).domain()

    def _counted(self, sets: list[Elements], dims: Sequence[int]) -> list[Elements]:
        """Sets without the parameters of the kernel, for boxes inside of what is reached."""
        within = [f"{self.reach[k][0]} <= {low(k)} <= {high(k)} <= {self.reach[k][1]}" for k in dims]
        names = ", ".join(f"{low(k)}, {high(k)}" for k in dims)
        known = isl.Set(f"[{names}] -> {{ : {' and '.join(within) or 'true'} }}")
        return [
            (array, coalesced(without_parameters(part, self.values.parameters).intersect_params(known)))
            for array, part in sets
        ]


def _box(dims: Sequence[int]) -> str:
    return " and ".join(f"{low(k)} <= t{k} <= {high(k)}" for k in dims) or "true"


def _in_order(outer: Sequence[int], strip: Sequence[int], sign: str) -> str:
    """The dates of a strip that come not after a box of it, in the order of tiles, or not before it."""
    ways = [" and ".join([_box(strip[:k]), f"t{dim} {sign} {_near(dim, sign)}"]) for k, dim in enumerate(strip)]
    ways.append(" and ".join([_box(strip[:-1]), f"t{strip[-1]} {sign}= {_far(strip[-1], sign)}"]))
    return f"{_box(outer)} and ({' or '.join(f'({way})' for way in ways)})"


def _near(dim: int, sign: str) -> str:
    return low(dim) if sign == "<" else high(dim)


def _far(dim: int, sign: str) -> str:
    return high(dim) if sign == "<" else low(dim)


def _writer(flow: isl.Map) -> str:
    return flow.get_tuple_name(Dim.in_) or ""


def _united(sets: list[Elements]) -> list[Elements]:
    """The union for each array."""
    found: dict[str, isl.Set] = {}
    for array, part in sets:
        found[array] = found[array].union(part) if array in found else part
    return list(found.items())
