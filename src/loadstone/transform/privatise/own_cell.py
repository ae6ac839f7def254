"""The element that a value ends in holds it from the start.

    acc = 0;                                     c[i][j] = 0;
    for (k...) acc += a[i][k] * b[k][j];   ->    for (k...) c[i][j] += a[i][k] * b[k][j];
    c[i][j] = acc;

Where the end is no plain copy but computes, `c[i][j] = acc >> 8`, the statement stays and reads the element that it
writes.

The proof is one of flow: in the kernel where the element has taken the place of the temporary, and copies of elements
to themselves have gone, every read finds the value of the same writer as before, where the value of a copy is that of
the writer it copies; and the same values are left at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
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
    while (kept := _one_more_kept(kernel)) is not None:
        kernel = kept
    return kernel


def _one_more_kept(kernel: Kernel) -> Kernel | None:
    """The kernel with one more temporary in elements of an array that is none."""
    private = temporaries(kernel)
    return next((kept for array in private for kept in _kept(kernel, array, private)), None)


def _kept(kernel: Kernel, array: str, private: Sequence[str]) -> Iterator[Kernel]:
    """Kernels in which elements hold the values of a temporary, one for each statement that names them."""
    if not _is_exact(kernel, array) or not can_go(kernel, array):
        return
    flows = flows_of(kernel, array)
    for end in (s for s in _ends(kernel, array) if s.write.array not in private):
        label = affine_label(kernel, end.name, end.write.relation)
        read = next(k for k, access in enumerate(end.reads) if access.array == array)
        labels = None if label is None else agreed_labels(kernel, {(end.name, read): label}, flows)
        if label is not None and labels is not None and labels.keys() == set(refs_of(kernel, array)):
            yield from _kept_in(kernel, array, end.write.array, labels, label_text(label))


def _kept_in(kernel: Kernel, array: str, target: str, labels: Mapping[Ref, Label], subscripts: str) -> Iterator[Kernel]:
    """The kernel in which the elements that labels name hold the values of a temporary, if that is right."""
    held = _holding(kernel, labels, target)
    idle = frozenset(s.name for s in _ends(kernel, array) if _is_idle(held.statement(s.name)))
    bare = replace(held, statements=tuple(s for s in held.statements if s.name not in idle))
    if _is_same_flow(kernel, bare, idle, array, target):
        record = Privatised(array, target, target + subscripts)
        yield replace(without_array(bare, array), privatised=(*bare.privatised, record))


def _ends(kernel: Kernel, array: str) -> list[Statement]:
    """The statements that bring values of an array to elements of the same type, which they write; copies first."""
    kind = kernel.arrays[array].type
    reading = [s for s in kernel.statements if any(read.array == array for read in s.reads)]
    ends = [
        s
        for s in reading
        if s.write.array != array and kernel.arrays[s.write.array].type == kind and _is_exact(kernel, s.write.array)
    ]
    return sorted(ends, key=lambda s: not _is_copy(s))


def _is_copy(statement: Statement) -> bool:
    """Whether a statement writes, always, what it reads."""
    kinds = [read.array for read in statement.reads]
    return len(kinds) == 1 and isinstance(statement.value, Operand) and statement.condition is None


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
    """The last instances to write each element of an array."""
    domains = (s.domain.intersect_params(kernel.context) for s in kernel.statements if s.write.array == array)
    empty = isl.UnionSet.empty(kernel.context.get_space())
    writers = reduce(lambda found, domain: found.union(domain.to_union_set()), domains, empty)
    return writers.subtract(dependences_through(kernel, array).output.domain())


def _is_idle(statement: Statement) -> bool:
    """Whether a statement copies an element to itself."""
    return _is_copy(statement) and statement.reads[0].relation.is_equal(statement.write.relation)
