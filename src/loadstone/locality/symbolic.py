"""Reuse distances in closed form, for all parameters at once, where accesses do not depend on data (barvinok).

An access happens at a moment: the date of its instance, then its turn among the accesses of the instance. The use of a
reuse is the last moment before it at which the same element is accessed, a lexicographic maximum; the distance is the
number of elements that are accessed at moments in between, counted as a quasi-polynomial of the instance and the
parameters. What takes too many operations is left out, and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import NamedTuple

import islpy as isl

from loadstone.errors import Diagnostic, UnsupportedError
from loadstone.locality.order import Order, order_of
from loadstone.locality.program import is_steered
from loadstone.locality.references import Reference, access_of, evaluated, references_of
from loadstone.model.kernel import Kernel
from loadstone.poly import coalesced, map_from_values
from loadstone.poly.dimensions import with_components
from loadstone.poly.extrema import greatest
from loadstone.poly.isolated import isolated
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.poly.linear import shifted, where_nonnegative
from loadstone.poly.order import earlier, later
from loadstone.poly.polynomials import affine
from loadstone.poly.spaces import constant, range_product, without_determined_dims
from loadstone.transform.tiling import TiledKernel

LONGEST_TEXT = 4_000


class Effort(NamedTuple):
    """What a closed form may cost: isl operations, and seconds of processor time."""

    operations: int = 2_000_000
    seconds: int | None = 2

    def __str__(self) -> str:
        operations = f"{self.operations} isl operations"
        return operations if self.seconds is None else f"{operations} or {self.seconds} s"


@dataclass(frozen=True, slots=True, eq=False)
class SymbolicReuse:
    """The reuses from one reference to another; the use is None where it could not be found.

    `instances`: those of the reuse. `distance`: its value for each of them, 0 outside of its domain. `count`: how many
    they are. `long`: how many have a distance of at least the given size. None where the closed form is
    too hard, too long, or does not exist; `reason` then says why.
    """

    use: Reference | None
    reuse: Reference
    instances: isl.Set
    distance: isl.PwQPolynomial | None = None
    count: isl.PwQPolynomial | None = None
    long: isl.PwQPolynomial | None = None
    reason: str = ""


@dataclass(frozen=True, eq=False)
class _Moments:
    """The moments of all accesses."""

    order: Order
    references: tuple[Reference, ...]
    effort: Effort

    @cached_property
    def of(self) -> dict[Reference, isl.Map]:
        """Instances to the moments of each reference."""
        return {reference: self._moments(reference) for reference in self.references}

    def _moments(self, reference: Reference) -> isl.Map:
        statement = self.order.kernel.statement(reference.statement)
        space = statement.domain.get_space()
        turn = map_from_values(space, [constant(space, evaluated(statement).index(reference.position))])
        date = with_components(self.order.dates[statement.name], self.order.varying)
        return range_product((date, turn)).intersect_params(self.order.kernel.context)

    @cached_property
    def touched(self) -> dict[str, isl.Map]:
        """For each array, moments to the elements that are accessed then."""
        found: dict[str, isl.Map] = {}
        for reference, moments in self.of.items():
            part = moments.reverse().apply_range(access_of(self.order.kernel, reference).relation)
            found[reference.array] = found[reference.array].union(part) if reference.array in found else part
        return {array: coalesced(relation) for array, relation in found.items()}

    def uses(self, reuse: Reference) -> dict[Reference, isl.Map]:
        """For each reference, the instances of a reuse whose use it is, to the moments of those uses."""
        kernel = self.order.kernel
        now = self.of[reuse]
        before = now.apply_range(earlier(now.get_space().range()))
        last: dict[Reference, isl.Map] = {}
        for use in self.references:
            if use.array == reuse.array:
                same = access_of(kernel, reuse).relation.apply_range(access_of(kernel, use).relation.reverse())
                last[use] = greatest(same.apply_range(self.of[use]).intersect(before))
        latest = greatest(reduce(isl.Map.union, last.values()))
        return {use: coalesced(latest.intersect(moments)) for use, moments in last.items()}

    def between(self, reuse: Reference, use_moments: isl.Map) -> Iterator[isl.Map]:
        """For each array, the instances of a reuse to the elements that are accessed between use and reuse."""
        now = self.of[reuse]
        space = now.get_space().range()
        window = use_moments.apply_range(later(space)).intersect(now.apply_range(earlier(space)))
        for relation in self.touched.values():
            yield coalesced(window.apply_range(relation))


def symbolic_reuses(
    program: Kernel | TiledKernel | Order, *, scalars: bool = False, size: int | None = None, limit: int | None = None
) -> tuple[SymbolicReuse, ...]:
    """The distances of all pairs of references that reuse elements, as functions of instances and parameters.

    Distances of at least `size` are long. `limit`: how many isl operations each closed form may take; unless it is
    given, there is a limit of time, too. Raises `UnsupportedError` where accesses are not affine or depend on data.
    """
    order = order_of(program)
    if is_steered(order.kernel) or not order.kernel.exact:
        message = (
            "the accesses of the kernel are not all affine, or depend on data: their distances have no closed form"
        )
        raise UnsupportedError(Diagnostic(message, None, "measure them: give parameters instead of --symbolic"))
    known = references_of(order.kernel, scalars=scalars)
    happening = tuple(r for r in known if r.position in evaluated(order.kernel.statement(r.statement)))
    moments = _Moments(order, happening, Effort() if limit is None else Effort(limit, None))
    return tuple(found for reuse in happening for found in _of_reuse(moments, reuse, size))


def _of_reuse(moments: _Moments, reuse: Reference, size: int | None) -> Iterator[SymbolicReuse]:
    try:
        with operation_limit(moments.effort.operations):
            uses = moments.uses(reuse)
    except LimitReached:
        instances = moments.of[reuse].domain()
        yield SymbolicReuse(None, reuse, instances, reason=f"the previous access takes more than {moments.effort}")
        return
    for use, use_moments in uses.items():
        if not use_moments.is_empty():
            yield _of_pair(moments, use, reuse, use_moments, size)


def _of_pair(
    moments: _Moments, use: Reference, reuse: Reference, use_moments: isl.Map, size: int | None
) -> SymbolicReuse:
    instances = use_moments.domain()
    count = _closed_form(moments.effort, lambda: _cardinality(instances))
    distance = _closed_form(moments.effort, lambda: _distance(moments, reuse, use_moments))
    long = "" if size is None else _long_form(moments.effort, distance, size)
    named = {"the distance": distance, "the number of reuses": count, "the number of long reuses": long}
    reasons = [f"{name} {found}" for name, found in named.items() if isinstance(found, str) and found]
    return SymbolicReuse(use, reuse, instances, _known(distance), _known(count), _known(long), "; ".join(reasons))


def _known(found: isl.PwQPolynomial | str) -> isl.PwQPolynomial | None:
    return None if isinstance(found, str) else found


def _long_form(effort: Effort, distance: isl.PwQPolynomial | str, size: int) -> isl.PwQPolynomial | str:
    return "" if isinstance(distance, str) else _closed_form(effort, lambda: _long(distance, size))


def _closed_form(effort: Effort, compute: Callable[[], isl.PwQPolynomial | None]) -> isl.PwQPolynomial | str:
    """A closed form, or the reason why there is none."""
    try:
        text = isolated(lambda: _text(compute()), effort.operations, effort.seconds)
    except LimitReached:
        return f"takes more than {effort}"
    if not text:
        return "has no closed form, because the distance is not affine"
    if len(text) > LONGEST_TEXT:
        return f"has more than {LONGEST_TEXT} characters"
    return isl.PwQPolynomial.read_from_str(isl.DEFAULT_CONTEXT, text)


def _text(polynomial: isl.PwQPolynomial | None) -> str:
    return "" if polynomial is None else str(polynomial)


def _cardinality(points: isl.Set) -> isl.PwQPolynomial:
    return without_determined_dims(points).card().coalesce()


def _distance(moments: _Moments, reuse: Reference, use_moments: isl.Map) -> isl.PwQPolynomial:
    """The number of elements between use and reuse, for each instance of the reuse."""
    parts = (between.card() for between in moments.between(reuse, use_moments))
    return reduce(isl.PwQPolynomial.add, parts).coalesce()


def _long(distance: isl.PwQPolynomial, size: int) -> isl.PwQPolynomial | None:
    """How many distances are at least a size; None if they are not affine."""
    found = isl.Set.empty(distance.get_domain_space())
    for domain, polynomial in distance.get_pieces():
        value = affine(polynomial)
        if value is None:
            return None
        found = found.union(domain.intersect(where_nonnegative(shifted(value, -size))))
    return _cardinality(coalesced(found))
