"""The element that a value ends in holds it from the start.

    acc = 0;                                     c[i][j] = 0;
    for (k...) acc += a[i][k] * b[k][j];   ->    for (k...) c[i][j] += a[i][k] * b[k][j];
    c[i][j] = acc;

The proof is one of flow: in the kernel where the element has taken the place of the temporary, and copies `c = c` still
stand, every read finds the value of the same writer as before, and each value that the element holds for the
temporary is overwritten by a copy. Then copies change nothing, and go.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
            held = _holding(kernel, labels, copy.write.array)
            if _is_same_flow(kernel, held, array, copy.write.array):
                yield _without_copies(held, kernel, array, copy.write.array + label_text(labels[copy.name, 0]))


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


def _is_same_flow(kernel: Kernel, held: Kernel, array: str, target: str) -> bool:
    """Whether all reads find the same writers, and no value that was the temporary's is left in the other array."""
    for name, position in (*refs_of(kernel, array), *refs_of(kernel, target)):
        before, after = kernel.statement(name), held.statement(name)
        if position != WRITE and not (
            flow_by(kernel, before, position).is_equal(flow_by(held, after, position))
            and unwritten_by(held, after, position).is_subset(unwritten_by(kernel, before, position))
        ):
            return False
    return _left_over(held, array_writers(kernel, array), target).is_empty()


def array_writers(kernel: Kernel, array: str) -> isl.UnionSet:
    """All instances that write an array."""
    domains = (s.domain.intersect_params(kernel.context) for s in kernel.statements if s.write.array == array)
    empty = isl.UnionSet.empty(kernel.context.get_space())
    return reduce(lambda found, domain: found.union(domain.to_union_set()), domains, empty)


def _left_over(held: Kernel, writers: isl.UnionSet, target: str) -> isl.UnionSet:
    """The instances among some writers of an array whose value nobody overwrites."""
    return writers.subtract(dependences_through(held, target).output.domain())


def _without_copies(held: Kernel, kernel: Kernel, array: str, element: str) -> Kernel:
    """The kernel without a temporary and without the statements that copy elements to themselves."""
    idle = {s.name for s in _copies(kernel, array) if _is_idle(held.statement(s.name))}
    kept = replace(held, statements=tuple(s for s in held.statements if s.name not in idle))
    record = Privatised(array, element.partition("[")[0], element)
    return replace(without_array(kept, array), privatised=(*held.privatised, record))


def _is_idle(statement: Statement) -> bool:
    """Whether a copy writes the element that it reads."""
    return statement.reads[0].relation.is_equal(statement.write.relation)
