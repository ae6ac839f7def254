"""The element that a value ends in holds it from the start.

    acc = 0;                                     c[i][j] = 0;
    for (k...) acc += a[i][k] * b[k][j];   ->    for (k...) c[i][j] += a[i][k] * b[k][j];
    c[i][j] = acc;

The proof is one of flow: in the kernel where the element has taken the place of the temporary, and copies of elements
to themselves have gone, every read finds the value of the same writer as before, where the value of a copy is that of
the writer it copies; and the same values are left at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import replace
from functools import reduce

import islpy as isl

from loadstone.analysis.dataflow import dependences_through, flow_by, unwritten_by
from loadstone.model.expression import Operand
from loadstone.model.from_isl import from_aff
from loadstone.model.kernel import WRITE, Access, Kernel, Privatised, Statement
from loadstone.model.tidy import tidy
from loadstone.transform.privatise.labels import Label, affine_label, agreed_labels, as_map, label_text
from loadstone.transform.privatise.webs import Ref, flows_of, refs_of, temporaries, with_accesses
from loadstone.transform.removal import can_go, without_array


def kept_in_own_cells(kernel: Kernel) -> Kernel:
    """The kernel with each temporary, of one web, in the element that its values end in, where they have such."""
    for array in temporaries(kernel):
        kernel = next(_kept(kernel, array), kernel)
    return kernel


def _kept(kernel: Kernel, array: str) -> Iterator[Kernel]:
    """Kernels in which elements hold the values of a temporary, one for each copy that names them."""
    if not _is_exact(kernel, array) or not can_go(kernel, array):
        return
    flows = flows_of(kernel, array)
    for copy in _copies(kernel, array):
        label = affine_label(kernel, copy.name, copy.write.relation)
        labels = None if label is None else agreed_labels(kernel, {(copy.name, 0): label}, flows)
        if labels is not None and labels.keys() == set(refs_of(kernel, array)):
            yield from _kept_in(kernel, array, copy, labels)


def _kept_in(kernel: Kernel, array: str, copy: Statement, labels: Mapping[Ref, Label]) -> Iterator[Kernel]:
    """The kernel in which the elements that labels name hold the values of a temporary, if that is right."""
    target = copy.write.array
    held = _holding(kernel, labels, target)
    idle = frozenset(s.name for s in _copies(kernel, array) if _is_idle(held.statement(s.name)))
    bare = replace(held, statements=tuple(s for s in held.statements if s.name not in idle))
    if _is_same_flow(kernel, bare, idle, array, target):
        record = Privatised(array, target, target + label_text(labels[copy.name, 0]))
        yield replace(without_array(bare, array), privatised=(*bare.privatised, record))


def _copies(kernel: Kernel, array: str) -> Iterator[Statement]:
    """The statements that copy a value of an array, as it is, to an element that is surely written."""
    kind = kernel.arrays[array].type
    for statement in kernel.statements:
        target = kernel.arrays[statement.write.array]
        reads = [read.array for read in statement.reads]
        is_copy = reads == [array] and statement.value == Operand(0, kind) and statement.condition is None
        if is_copy and target.name != array and target.type == kind and _is_exact(kernel, target.name):
            yield statement


def _is_exact(kernel: Kernel, array: str) -> bool:
    return all(_access(kernel, ref).exact for ref in refs_of(kernel, array))


def _access(kernel: Kernel, ref: Ref) -> Access:
    statement = kernel.statement(ref[0])
    return statement.write if ref[1] == WRITE else statement.reads[ref[1]]


def _holding(kernel: Kernel, labels: Mapping[Ref, Label], target: str) -> Kernel:
    """The kernel with elements of another array, named by labels, in place of the accesses that have these."""

    def element(ref: Ref, access: Access) -> Access:
        subscripts = tuple(tidy(from_aff(part)) for part in labels[ref])
        return Access(target, subscripts, as_map(kernel, ref, labels[ref], target), True, access.span)

    return with_accesses(kernel, labels, element)


def _is_same_flow(kernel: Kernel, bare: Kernel, idle: Set[str], array: str, target: str) -> bool:
    """Whether all reads find the same values, and the same are left, once idle copies of an array have gone."""
    copied = reduce(
        isl.UnionMap.union,
        (flow_by(kernel, kernel.statement(name), 0) for name in idle),
        isl.UnionMap.empty(kernel.context.get_space()),
    )
    reads = (ref for ref in (*refs_of(kernel, array), *refs_of(kernel, target)) if ref[1] != WRITE)
    left = _behind_copies(copied, final_writers(kernel, target))
    return final_writers(bare, target).is_subset(left) and all(
        _finds_the_same(kernel, bare, copied, ref) for ref in reads if ref[0] not in idle
    )


def _finds_the_same(kernel: Kernel, bare: Kernel, copied: isl.UnionMap, ref: Ref) -> bool:
    """Whether a read finds the values of the same writers, those of copies being values of others."""
    (name, position), statement = ref, bare.statement(ref[0])
    before, after = flow_by(kernel, kernel.statement(name), position), flow_by(bare, statement, position)
    through = copied.apply_range(before.intersect_domain(copied.range()))
    expected = before.subtract_domain(copied.range()).union(through)
    unwritten = unwritten_by(bare, statement, position)
    return after.is_equal(expected) and unwritten.is_subset(unwritten_by(kernel, kernel.statement(name), position))


def _behind_copies(copied: isl.UnionMap, writers: isl.UnionSet) -> isl.UnionSet:
    """Writers, with those whose values copies bring in place of the copies."""
    return writers.subtract(copied.range()).union(copied.intersect_range(writers).domain())


def final_writers(kernel: Kernel, array: str) -> isl.UnionSet:
    """The instances that write an array, without those that a later one overwrites."""
    domains = (s.domain.intersect_params(kernel.context) for s in kernel.statements if s.write.array == array)
    empty = isl.UnionSet.empty(kernel.context.get_space())
    writers = reduce(lambda found, domain: found.union(domain.to_union_set()), domains, empty)
    return writers.subtract(dependences_through(kernel, array).output.domain())


def _is_idle(statement: Statement) -> bool:
    """Whether a copy writes the element that it reads."""
    return statement.reads[0].relation.is_equal(statement.write.relation)
