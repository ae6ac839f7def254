"""Labels: affine values that writers and readers of a temporary agree on.

A label gives each instance that accesses a temporary a tuple, such that whoever reads a value computes the same tuple
as its writer. Whatever labels are, they can become subscripts: the last writer of an element of the old array writes
the same element of the new one as its readers read, and what others write there, they wrote there before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import islpy as isl

from loadstone.model.affine import signed_sum
from loadstone.model.kernel import WRITE, Kernel
from loadstone.poly import map_from_values
from loadstone.poly.linear import affine_pieces, linear, variable_names
from loadstone.transform.privatise.webs import Flow, Ref

Label = tuple[isl.Aff, ...]


def agreed_labels(kernel: Kernel, seed: Mapping[Ref, Label], flows: Sequence[Flow]) -> dict[Ref, Label] | None:
    """Labels of all accesses that flows connect with those of the seed; None where no affine ones are found."""
    labels = dict(seed)
    waiting = sorted(flows, key=_freedom, reverse=True)
    while waiting:
        ready = next((flow for flow in waiting if (flow.source, WRITE) in labels or flow.target in labels), None)
        if ready is None:
            break
        waiting.remove(ready)
        if not _derived(kernel, ready, labels):
            return None
    return labels if all(is_agreed(kernel, flow, labels) for flow in flows) else None


def _freedom(flow: Flow) -> int:
    """The number of dimensions in which the reader moves: labels are derived from flows that say much first."""
    hull = flow.relation.range().affine_hull()
    return hull.dim(isl.dim_type.set) - sum(c.is_equality() for c in hull.get_constraints())


def _derived(kernel: Kernel, flow: Flow, labels: dict[Ref, Label]) -> bool:
    """Whether the label of one end of a flow is known, or follows from that of the other; adds it."""
    source, target = (flow.source, WRITE), flow.target
    if source in labels and target in labels:
        return True
    known, unknown = (source, target) if source in labels else (target, source)
    pairs = flow.relation.reverse() if known == source else flow.relation
    found = affine_label(kernel, unknown[0], pairs.apply_range(as_map(kernel, known, labels[known])))
    if found is not None:
        labels[unknown] = found
    return found is not None


def affine_label(kernel: Kernel, statement: str, values: isl.Map) -> Label | None:
    """The affine functions that a map from instances to tuples is part of; None where it is in no single piece."""
    if values.is_empty() or not values.is_single_valued():
        return None
    names = kernel.statement(statement).iterators
    plain = values.reset_tuple_id(isl.dim_type.out) if values.has_tuple_id(isl.dim_type.out) else values
    for _, label in affine_pieces(plain, names):
        if plain.is_subset(as_map(kernel, (statement, WRITE), label)):
            return label
    return None


def as_map(kernel: Kernel, ref: Ref, label: Iterable[isl.Aff], name: str = "") -> isl.Map:
    """The map from all instances of the statement of an access to their labels."""
    domain = kernel.statement(ref[0]).domain
    return map_from_values(domain.get_space(), [isl.PwAff.from_aff(part) for part in label], name).intersect_domain(
        domain
    )


def is_agreed(kernel: Kernel, flow: Flow, labels: Mapping[Ref, Label]) -> bool:
    """Whether writers and readers of a flow compute the same labels."""
    ends = (flow.source, WRITE), flow.target
    if not all(end in labels for end in ends):
        return False
    first, second = (as_map(kernel, end, labels[end]) for end in ends)
    pairs = flow.relation.intersect_params(kernel.context)
    return pairs.is_subset(first.apply_range(second.reverse()))


def label_text(label: Label) -> str:
    """A label as subscripts."""
    return "".join(f"[{_text(part)}]" for part in label)


def _text(value: isl.Aff) -> str:
    parts = linear(value, variable_names(value.get_domain_space()))
    if parts.floors or parts.divisor != 1:
        return str(value)
    return signed_sum([*parts.variables, (parts.constant, "")])
