"""Expansion: iterations of a loop get values of a temporary of their own, by one more subscript.

    for (i...) {                     for (i...) {
      acc = 0;                         acc[i] = 0;
      for (k...) acc += a[i][k];  ->   for (k...) acc[i] += a[i][k];
      s[i] = acc / 2;                  s[i] = acc[i] / 2;
    }                                }

The subscript is a label: the counter of a loop around one writer, and what follows from it for all other accesses.
Where a value is carried from one iteration to the next, its readers get `prev[i - 1]`, and what is written before the
loop goes where the first iteration reads it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations

import islpy as isl

from loadstone.model.expression import Expression
from loadstone.model.free_name import free_name
from loadstone.model.from_isl import expression_of, from_aff
from loadstone.model.kernel import WRITE, Access, Kernel, Privatised, Statement
from loadstone.model.tidy import tidy
from loadstone.poly.dimensions import constant_component
from loadstone.poly.extrema import greatest_value, least_value
from loadstone.poly.linear import shifted
from loadstone.poly.spaces import Dim, range_product, values_of, variable
from loadstone.transform.privatise.labels import Label, affine_label, agreed_labels, as_map
from loadstone.transform.privatise.webs import Flow, Ref, flows_of, refs_of, with_accesses
from loadstone.transform.removal import without_array


@dataclass(frozen=True, slots=True, eq=False)
class Subscript:
    """One more subscript of a temporary: the loop that it is named after, its extent, its value at each access."""

    loop: str
    extent: Expression
    values: Mapping[Ref, isl.Aff]


def possible_subscripts(kernel: Kernel, array: str) -> tuple[Subscript, ...]:
    """The subscripts that a temporary, of one web, can get: one for each loop around its writers, outer ones first."""
    flows = flows_of(kernel, array)
    writers = [s for s in kernel.statements if s.write.array == array]
    found: dict[tuple[int, ...], Subscript] = {}
    for depth in range(max((s.depth for s in writers), default=0)):
        for writer in writers:
            place = _places(writer)[: depth + 1]
            if writer.depth > depth and place not in found:
                made = _subscript(kernel, array, flows, writer, depth)
                found.update({} if made is None else {place: made})
    return tuple(found.values())


def _places(statement: Statement) -> tuple[int, ...]:
    """The textual positions in the 2d+1 schedule: one in each loop, outermost first."""
    schedule = statement.schedule
    return tuple(constant_component(schedule, k) or 0 for k in range(0, schedule.dim(Dim.out), 2))


def _subscript(kernel: Kernel, array: str, flows: Sequence[Flow], writer: Statement, depth: int) -> Subscript | None:
    """The subscript that counts the iterations of a loop around a writer; None where the others have no label."""
    counter = _counter(kernel, writer, depth)
    if counter is None:
        return None
    name, label = counter
    labels = agreed_labels(kernel, {(writer.name, WRITE): label}, flows)
    if labels is None or labels.keys() != set(refs_of(kernel, array)):
        return None
    return _based(kernel, name, {ref: value for ref, (value,) in labels.items()})


def _counter(kernel: Kernel, statement: Statement, depth: int) -> tuple[str, Label] | None:
    """The name of a loop around a statement and its counter, as the source counts; None where it is not affine."""
    dates = values_of(statement.schedule)
    value, space = dates[2 * depth + 1], statement.domain.get_space()
    for iterator in statement.iterators:
        own = variable(space, iterator)
        if own is not None and any(statement.domain.is_subset(value.eq_set(each)) for each in (own, own.neg())):
            value, name = own, iterator
            break
    else:
        name = f"t{depth + 1}"
    label = affine_label(kernel, statement.name, isl.Map.from_pw_aff(value).intersect_domain(statement.domain))
    return None if label is None else (name, label)


def _based(kernel: Kernel, loop: str, values: Mapping[Ref, isl.Aff]) -> Subscript | None:
    """The subscript moved so that it begins at 0 or above, and its extent; None where no affine function bounds it."""
    ranges = [as_map(kernel, ref, (value,)).intersect_params(kernel.context).range() for ref, value in values.items()]
    numbers = reduce(isl.Set.union, ranges)
    if numbers.is_empty() or not numbers.is_bounded():
        return None
    least = least_value(numbers).min_val()
    if not least.is_int():
        return None
    base = min(0, least.to_python())
    size = greatest_value(numbers).add_constant_val(isl.Val.int_from_si(numbers.get_ctx(), 1 - base)).coalesce()
    extent = expression_of(size.gist(size.domain()))
    return Subscript(loop, extent, {ref: shifted(value, -base) for ref, value in values.items()})


def expanded(kernel: Kernel, array: str, subscripts: Sequence[Subscript]) -> Kernel:
    """The kernel with more subscripts, in front, for a temporary: an array of its own."""
    if not subscripts:
        return kernel
    old = kernel.arrays[array]
    name = array if old.local else free_name(array, {*kernel.arrays, *kernel.parameters}, "_")
    new = replace(
        old, name=name, extents=(*(s.extent for s in subscripts), *old.extents), initialised=False, local=True
    )
    changed = with_accesses(kernel, refs_of(kernel, array), lambda ref, a: _longer(kernel, ref, a, name, subscripts))
    record = Privatised(array, name, "", tuple(s.loop for s in subscripts))
    rest = without_array(changed, array)
    return replace(rest, arrays={**rest.arrays, name: new}, privatised=(*kernel.privatised, record))


def _longer(kernel: Kernel, ref: Ref, access: Access, name: str, subscripts: Sequence[Subscript]) -> Access:
    values = [subscript.values[ref] for subscript in subscripts]
    relation = range_product((as_map(kernel, ref, values), access.relation)).set_tuple_name(Dim.out, name)
    more = tuple(tidy(from_aff(value)) for value in values)
    return replace(access, array=name, subscripts=(*more, *access.subscripts), relation=relation)


def choices(subscripts: Sequence[Subscript]) -> Iterator[tuple[Subscript, ...]]:
    """All selections of some subscripts, fewer first, then outer loops first."""
    for count in range(1, len(subscripts) + 1):
        yield from combinations(subscripts, count)
