"""The elements that are alive as a kernel runs in some order, and how many [Devos, 4.1 and 4.7].

An element is alive at time t if it holds, before the instances of t run, a value that one of them or of later ones
reads: from its write (or the first read of a value from before the kernel) to its last read (4.2). With `commutative`,
from its first access to its last one, whatever they are (4.31): that fits any order of sums, whose instances all update
one element. Output is gone when it is ready, and input comes with its first use, unless requested otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce

import islpy as isl

from loadstone.analysis import flow_of_reads, live_in, output
from loadstone.analysis.dataflow import unwritten_reads
from loadstone.counting.bounding import Hybrid, Method, PolyApproximation, bound
from loadstone.counting.cardinality import counted, parts_of
from loadstone.counting.extremum import Extremum
from loadstone.counting.pieces import Pieces, pieces_of
from loadstone.errors import Diagnostic, IllegalTransformation, InputError
from loadstone.model.kernel import Access, Kernel
from loadstone.poly import coalesced
from loadstone.poly.inflation import upper_count
from loadstone.poly.order import earlier, not_earlier
from loadstone.poly.reading import SyntaxProblem, read
from loadstone.poly.spaces import Dim
from loadstone.poly.terms import without_parameters

SCHEDULE_HINT = "a schedule looks like { S0[i, j] -> [i + 3 * j] }"


@dataclass(frozen=True, slots=True)
class Lifetime:
    """When elements are alive.

    `commutative`: from first to last access. `early_inputs`: what comes from before the kernel is there from the
    beginning. `late_outputs`: what is seen after the kernel stays until its end.
    """

    commutative: bool = False
    early_inputs: bool = False
    late_outputs: bool = False


def read_schedule(kernel: Kernel, text: str) -> isl.UnionMap:
    """A schedule in isl's syntax: for each instance one date, all with as many dimensions."""
    try:
        found = read(isl.UnionMap.read_from_str, text)
    except SyntaxProblem as problem:
        raise InputError(Diagnostic(f"in the schedule: {problem.message}: {text}", None, SCHEDULE_HINT)) from None
    if found is None:
        raise InputError(Diagnostic(f"this is not a schedule: {text}", None, SCHEDULE_HINT))
    found = found.align_params(kernel.context.get_space()).intersect_domain(kernel.domain)
    missing = kernel.domain.intersect_params(kernel.context).subtract(found.domain())
    if not missing.is_empty():
        raise InputError(Diagnostic(f"the schedule has no date for {missing}", None, SCHEDULE_HINT))
    if not found.is_single_valued() or len(parts_of(found.range())) > 1:
        hint = "one date for each instance, all with the same number of dimensions"
        raise InputError(Diagnostic("the schedule does not order the instances", None, hint))
    return found


def memory_size(
    kernel: Kernel,
    schedule: isl.UnionMap | None = None,
    parameters: Mapping[str, int] | None = None,
    *,
    lifetime: Lifetime | None = None,
    method: Method | None = None,
) -> Extremum:
    """The largest number of elements of all arrays that are alive together, or a bound on it [Devos, 4.3].

    A bound, too, for kernels whose accesses depend on data.
    """
    chosen = method or Hybrid()
    basic = chosen.basic if isinstance(chosen, Hybrid) else chosen
    approximate = isinstance(basic, PolyApproximation)
    found = bound(live_count(kernel, schedule, parameters, lifetime, approximate=approximate), chosen)
    return found if kernel.exact and not approximate else found.unattained()


def live_count(
    kernel: Kernel,
    schedule: isl.UnionMap | None = None,
    parameters: Mapping[str, int] | None = None,
    lifetime: Lifetime | None = None,
    *,
    approximate: bool = False,
) -> Pieces:
    """The number of elements of all arrays that are alive, as a function of time, for given parameters or all.

    With `approximate`, a polynomial that is nowhere smaller [Devos, 4.6.3].
    """
    maps = live_elements(kernel, schedule, parameters, lifetime)
    if not maps:
        return ()
    card = upper_count if approximate else isl.Map.card
    total = counted(lambda: reduce(isl.PwQPolynomial.add, map(card, maps.values())))
    return pieces_of(total)


def live_elements(
    kernel: Kernel,
    schedule: isl.UnionMap | None = None,
    parameters: Mapping[str, int] | None = None,
    lifetime: Lifetime | None = None,
) -> dict[str, isl.Map]:
    """For each array, the elements that are alive at each time; the default is the kernel's own order.

    Times are those of the smallest polyhedron around all dates. Raises `IllegalTransformation` for an order in which a
    value is not written before it is read.
    """
    dated = _Dated(kernel, kernel.schedule if schedule is None else schedule, parameters or {}, lifetime or Lifetime())
    return {name: part for name in kernel.arrays if not (part := dated.alive(name)).is_empty()}


class _Dated:
    """A kernel whose instances have dates, for given values of some parameters."""

    def __init__(
        self, kernel: Kernel, schedule: isl.UnionMap, parameters: Mapping[str, int], lifetime: Lifetime
    ) -> None:
        self._kernel, self._parameters, self._lifetime = kernel, parameters, lifetime
        known = schedule.intersect_params(kernel.context)
        self._dates = {part.get_tuple_name(Dim.in_): self._fixed(part) for part in parts_of(known)}
        times = [part.range() for part in self._dates.values()]
        self._times = reduce(isl.Set.union, times).remove_divs().simple_hull().to_set()
        self._space = self._times.get_space()

    def _fixed(self, part: isl.Map) -> isl.Map:
        return without_parameters(part.wrap(), self._parameters).unwrap()

    def alive(self, array: str) -> isl.Map:
        """The elements of an array that are alive at each time."""
        parts = [*self._between(array), *self._inputs(array), *self._outputs(array)]
        space = self._elements(array).get_space()
        whole = reduce(isl.Map.union, parts, isl.Map.empty(self._space.map_from_domain_and_range(space)))
        return coalesced(whole.intersect_domain(self._times))

    def _elements(self, array: str) -> isl.Set:
        accesses = [a for s in self._kernel.statements for a in (*s.reads, s.write) if a.array == array]
        found = [self._fixed(a.relation.intersect_params(self._kernel.context)).range() for a in accesses]
        return reduce(isl.Set.union, found) if found else isl.Set.empty(self._space)

    def _accesses(self, array: str, *, reads: bool, writes: bool) -> Iterator[tuple[str, Access]]:
        for statement in self._kernel.statements:
            chosen = (*(statement.reads if reads else ()), *((statement.write,) if writes else ()))
            yield from ((statement.name, access) for access in chosen if access.array == array)

    def _dates_of(self, touched: Iterator[tuple[str, isl.Map]], array: str) -> isl.Map:
        """Elements to the dates at which they are touched."""
        space = self._elements(array).get_space().map_from_domain_and_range(self._space)
        parts = (self._fixed(relation).reverse().apply_range(self._dates[name]) for name, relation in touched)
        return coalesced(reduce(isl.Map.union, parts, isl.Map.empty(space)))

    def _since(self, dates: isl.Map) -> isl.Map:
        """Times to the elements with an earlier date."""
        return earlier(self._space).apply_range(dates.reverse())

    def _until(self, dates: isl.Map) -> isl.Map:
        """Times to the elements with a date that is not earlier."""
        return not_earlier(self._space).apply_range(dates.reverse())

    def _between(self, array: str) -> Iterator[isl.Map]:
        """Elements between two accesses, or between the write and a read of one value."""
        if self._lifetime.commutative:
            dates = self._dates_of(self._relations(array, reads=True, writes=True), array)
            yield self._since(dates).intersect(self._until(dates))
            return
        for (name, position), flow in flow_of_reads(self._kernel).items():
            access = self._kernel.statement(name).reads[position]
            if access.array == array:
                yield from (self._in_flow(name, access, self._fixed(part)) for part in parts_of(flow))

    def _relations(self, array: str, *, reads: bool, writes: bool) -> Iterator[tuple[str, isl.Map]]:
        context = self._kernel.context
        for name, access in self._accesses(array, reads=reads, writes=writes):
            if name in self._dates:
                yield name, access.relation.intersect_params(context)

    def _in_flow(self, reader: str, access: Access, flow: isl.Map) -> isl.Map:
        """Elements between the write and the read of a value, for the values of one dependence."""
        flow = flow.apply_domain(self._dates[flow.get_tuple_name(Dim.in_)])
        read_at = self._dates[reader].range_product(self._fixed(access.relation))
        if not flow.apply_range(self._dates[reader]).is_subset(earlier(self._space).reverse()):
            text = f"the order is illegal: some value of {access.array} is read before it is written"
            hint = "if only sums are reordered, --commutative allows it"
            raise IllegalTransformation(Diagnostic(text, None, hint))
        later_reads = earlier(self._space).apply_range(flow.apply_range(read_at)).uncurry()
        return later_reads.intersect_domain(not_earlier(self._space).wrap()).domain_factor_domain()

    def _inputs(self, array: str) -> Iterator[isl.Map]:
        """Elements whose values come from before the kernel, between their first and last reads."""
        if self._lifetime.commutative:
            if self._lifetime.early_inputs and array in live_in(self._kernel):
                yield self._until(self._dates_of(self._relations(array, reads=True, writes=True), array))
            return
        found = [part for part in parts_of(unwritten_reads(self._kernel)) if part.get_tuple_name(Dim.out) == array]
        dates = self._dates_of(((part.get_tuple_name(Dim.in_), part) for part in found), array)
        until = self._until(dates)
        yield until if self._lifetime.early_inputs else until.intersect(self._since(dates))

    def _outputs(self, array: str) -> Iterator[isl.Map]:
        """Elements that have got their last value, if they stay until the end."""
        if not self._lifetime.late_outputs or not self._kernel.arrays[array].live_out:
            return
        overwritten = output(self._kernel).domain()
        final = ((name, part) for name, part in self._relations(array, reads=False, writes=True))
        kept = ((name, part.subtract_domain(_named(overwritten, part))) for name, part in final)
        yield self._since(self._dates_of(kept, array))


def _named(instances: isl.UnionSet, like: isl.Map) -> isl.Set:
    """The instances of the statement that a map is about."""
    return instances.extract_set(like.get_space().domain())
