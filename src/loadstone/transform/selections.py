"""Conditional updates become selections, so that it is known who wrote each value.

    if (v > m[i])                  m[i] = v > m[i] ? v : m[i];
      m[i] = v;           ->

The element must be surely one of its array, for all parameters that leave the accesses which surely happen in theirs,
and its old value surely defined. Of two branches that both write, the first one writes always:

    if (c) t = x;                  t = c ? x : 0;
    else   t = y;         ->       t = !c ? y : t;

What a selection reads on one side only is read always, where it surely is an element and has a value: whether the
value is used depends on data, where it comes from does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial, reduce
from itertools import pairwise

import islpy as isl

from loadstone.analysis import within_extents
from loadstone.analysis.bounds import beyond_arrays
from loadstone.analysis.dataflow import unwritten_by
from loadstone.model.affine import NotAffine, affine_value
from loadstone.model.expression import Cast, Constant, Expression, Operand, Select, Unary, cast, walk
from loadstone.model.kernel import Access, Kernel, Statement
from loadstone.model.types import ScalarType
from loadstone.poly.dimensions import with_components
from loadstone.poly.limits import if_affordable
from loadstone.poly.spaces import Dim, map_from_values


def with_selections(kernel: Kernel) -> Kernel:
    """The kernel with every conditional update of a known element as a selection, where that is right."""
    if kernel.exact:
        return kernel
    found = replace(kernel, context=if_affordable(partial(_possible_parameters, kernel)) or kernel.context)
    for name in [s.name for s in found.statements if not s.exact]:
        found = if_affordable(partial(_with_whole_accesses, found, found.statement(name))) or found
    for name in [s.name for s in found.statements if _is_conditional_update(found, s)]:
        found = if_affordable(partial(_with_selection, found, name)) or found
    for name in [s.name for s in found.statements if s.condition is None and not s.exact]:
        found = if_affordable(partial(_settled, found, found.statement(name))) or found
    return replace(found, context=kernel.context)


def _possible_parameters(kernel: Kernel) -> isl.Set:
    """The parameters for which no access that surely happens leaves its array; all, if that is so for none."""
    beyond = (relation.domain().params() for relation in beyond_arrays(kernel))
    found = reduce(isl.Set.subtract, beyond, kernel.context)
    return kernel.context if found.is_empty() else found


def _with_whole_accesses(kernel: Kernel, statement: Statement) -> Kernel:
    """The kernel in which accesses of a statement that stay in their arrays are not limited to instances that do."""

    def whole(access: Access) -> Access:
        if access.exact or not _is_known(access) or not all(_is_affine(s, space) for s in access.subscripts):
            return access
        values = [affine_value(subscript, space) for subscript in access.subscripts]
        relation = map_from_values(space, values).set_tuple_name(Dim.out, access.array)
        wider = replace(access, relation=relation.intersect_domain(statement.domain))
        return wider if _is_inside(kernel, wider) else access

    space = statement.domain.get_space()
    changed = replace(statement, reads=tuple(map(whole, statement.reads)), write=whole(statement.write))
    return _with_statement(kernel, changed)


def _is_conditional_update(kernel: Kernel, statement: Statement) -> bool:
    """Whether a statement writes one known element, under a condition that depends on data."""
    write = statement.write
    return statement.condition is not None and _is_known(write) and statement.domain.is_subset(write.relation.domain())


def _is_known(access: Access) -> bool:
    """Whether an access touches at most one element, which does not depend on data."""
    parts = (part for subscript in access.subscripts for part in walk(subscript))
    return access.relation.is_single_valued() and not any(isinstance(part, Operand) for part in parts)


def _with_selection(kernel: Kernel, name: str) -> Kernel | None:
    """The kernel with one update as a selection; None where the old value may be undefined."""
    statement = kernel.statement(name)
    kind = kernel.arrays[statement.write.array].type
    if not _is_inside(kernel, statement.write):
        return None
    if _is_first_branch(kernel, statement):
        return _settled(kernel, _selecting(statement, kind, Constant(kind.wrap(0), kind), ()))
    kept = Operand(len(statement.reads), kind)
    changed = _selecting(statement, kind, kept, (replace(statement.write, exact=True),))
    whole = _with_statement(kernel, changed)
    return _settled(whole, changed) if _is_defined(whole, changed, kept.position) else None


def _selecting(statement: Statement, kind: ScalarType, otherwise: Expression, more: Sequence[Access]) -> Statement:
    """The statement as one that always writes: another value, with its reads, where its condition is zero."""
    assert statement.condition is not None
    value = Select(statement.condition, cast(spelled(statement.value), kind), otherwise, kind)
    reads, write = (*statement.reads, *more), replace(statement.write, exact=True)
    return replace(statement, reads=reads, write=write, value=value, condition=None)


def spelled(value: Expression) -> Expression:
    """The value with its conversion as one that must be spelled, since it is no longer that of an assignment."""
    return replace(value, implicit=False) if isinstance(value, Cast) else value


def _is_first_branch(kernel: Kernel, statement: Statement) -> bool:
    """Whether the next statement that touches the temporary is the other branch of the same condition."""
    array = statement.write.array
    using = [s for s in kernel.statements if any(access.array == array for access in (*s.reads, s.write))]
    return any(one is statement and _is_other_branch(one, other) for one, other in pairwise(using))


def _is_other_branch(one: Statement, other: Statement) -> bool:
    """Whether a statement writes the same element where the one before it does not, in the same iterations.

    It must not read what the other one overwrites.
    """
    if any(read.array == one.write.array for read in other.reads):
        return False
    match one.condition, other.condition:
        case (found, Unary(op="!", operand=operand)) if found is not None and found == operand:
            used = {part.position for part in walk(found) if isinstance(part, Operand)}
        case _:
            return False
    accesses = (*((one.reads[k], other.reads[k]) for k in used), (one.write, other.write))
    return all(_element(a) == _element(b) for a, b in accesses) and _loops(one).is_equal(_loops(other))


def _element(access: Access) -> tuple[str, tuple[Expression, ...]]:
    return access.array, access.subscripts


def _loops(statement: Statement) -> isl.Map:
    """When a statement is executed, but for its place in the innermost loop; instances are those of `instance`."""
    dates = statement.schedule.intersect_domain(statement.domain)
    return with_components(dates, range(dates.dim(Dim.out) - 1)).set_tuple_name(Dim.in_, "instance")


def _with_statement(kernel: Kernel, changed: Statement) -> Kernel:
    """The kernel with another statement in place of the one with its name."""
    statements = tuple(changed if s.name == changed.name else s for s in kernel.statements)
    return replace(kernel, statements=statements)


def _settled(kernel: Kernel, statement: Statement) -> Kernel:
    """The kernel with a selection whose reads are exact where they can happen always."""
    kernel = _with_statement(kernel, statement)
    reads = tuple(
        replace(read, exact=read.exact or _can_always_happen(kernel, statement, position))
        for position, read in enumerate(statement.reads)
    )
    return _with_statement(kernel, replace(statement, reads=reads))


def _can_always_happen(kernel: Kernel, statement: Statement, position: int) -> bool:
    """Whether a read surely finds an element of its array that has a value."""
    read = statement.reads[position]
    return (
        _is_known(read)
        and statement.domain.is_subset(read.relation.domain())
        and _is_inside(kernel, read)
        and _is_defined(kernel, statement, position)
    )


def _is_inside(kernel: Kernel, access: Access) -> bool:
    """Whether an access surely stays within the extents of its array, which must be affine for that."""
    array, elements = kernel.arrays[access.array], access.relation.intersect_params(kernel.context)
    inside, space = within_extents(array, elements.get_space().range()), kernel.context.get_space()
    return all(_is_affine(e, space) for e in array.extents) and elements.subtract_range(inside).is_empty()


def _is_affine(value: Expression, space: isl.Space) -> bool:
    try:
        affine_value(value, space)
    except NotAffine:
        return False
    return True


def _is_defined(kernel: Kernel, statement: Statement, position: int) -> bool:
    """Whether a read surely finds a value."""
    array = kernel.arrays[statement.reads[position].array]
    return array.initialised or unwritten_by(kernel, statement, position).is_empty()
