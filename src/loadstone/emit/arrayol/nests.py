"""Loop nests as repetitions: the loops that all statements of a nest share, and what is left of them inside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import islpy as isl

from loadstone.emit.arrayol.accesses import Row, refused, row_of
from loadstone.frontend.arrayol.specification import Sizes
from loadstone.frontend.arrayol.subscripts import FRAMES, extent
from loadstone.model.expression import Expression, integer, substituted
from loadstone.model.kernel import Access, Kernel, Statement
from loadstone.poly.dimensions import (
    constant_component,
    first_coordinates,
    only_parameters,
    padded,
    with_components,
    with_inputs,
    without_first_components,
)
from loadstone.poly.names import names_of
from loadstone.poly.spaces import Dim, without_dims


@dataclass(frozen=True, slots=True)
class Reference:
    """An access of a statement: its array and the rows of its subscripts."""

    array: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A statement of a nest: where in the repetition it is done, what is done inside, and in which order."""

    statement: Statement
    reads: tuple[Reference, ...]
    write: Reference
    repetitions: isl.Set
    inside: isl.Set
    order: isl.Map


@dataclass(frozen=True, slots=True, eq=False)
class Nest:
    """Statements that share loops: `first` is the first value of each of these."""

    parts: tuple[Part, ...]
    repetition: Sizes
    first: tuple[int, ...]
    box: isl.Set

    @property
    def depth(self) -> int:
        """How many loops they share."""
        return len(self.repetition)


def nests_of(kernel: Kernel) -> list[list[Statement]]:
    """The statements of a kernel by the loop nests that they stand in, in textual order."""
    found: dict[int, list[Statement]] = {}
    for statement in kernel.statements:
        place = constant_component(statement.schedule, 0)
        if place is None:
            raise refused(f"the loops around {statement.name} are not those of the source", statement.span)
        found.setdefault(place, []).append(statement)
    return [found[place] for place in sorted(found)]


def distributed(statements: Sequence[Statement]) -> list[list[Statement]]:
    """The statements of a nest by the loops that stand side by side in the loops that they share."""
    depth = shared_depth(statements)
    groups: dict[int | None, list[Statement]] = {}
    for each in statements:
        place = constant_component(each.schedule, 2 * depth) if each.schedule.dim(Dim.out) > 2 * depth else None
        groups.setdefault(place, []).append(each)
    found = list(groups.values())
    if len(found) == 1 or not all(_has_loop(each, depth) for each in statements):
        return [list(statements)]
    return [part for group in found for part in distributed(group)]


def shared_depth(statements: Sequence[Statement]) -> int:
    """How many loops all statements share."""
    depth = 0
    while all(_has_loop(each, depth) for each in statements):
        places = {constant_component(each.schedule, 2 * depth) for each in statements}
        if len(places) != 1 or None in places:
            break
        depth += 1
    return depth


def _has_loop(statement: Statement, depth: int) -> bool:
    """Whether the loop of a depth counts an iterator of the statement, upwards or downwards."""
    if depth >= len(statement.iterators):
        return False
    names = ", ".join(f"i{k}" for k in range(len(statement.iterators)))
    parameters = ", ".join(names_of(statement.domain.get_space()))
    counter = with_components(statement.schedule, {2 * depth + 1})
    for sign in ("", "-"):
        plain = isl.Map(f"[{parameters}] -> {{ {statement.name}[{names}] -> [{sign}i{depth}] }}")
        if counter.is_subset(plain):
            return True
    return False


def nest_of(statements: Sequence[Statement], depth: int, values: Mapping[str, Expression]) -> Nest:
    """The statements as a body that is repeated along the first loops; raises `UnsupportedError` if they are none."""
    length = max(each.schedule.dim(Dim.out) for each in statements)
    parts = tuple(_part(each, depth, length, values) for each in statements)
    done = parts[0].repetitions
    for part in parts[1:]:
        done = done.union(part.repetitions)
    first, sizes = _bounds(done, depth, statements[0])
    box = _box(first, sizes)
    if not done.is_equal(box):
        hint = "bounds and steps must not depend on loops"
        raise refused("the loops do not run through a box", statements[0].span, hint)
    return Nest(parts, sizes, first, box)


def _part(statement: Statement, depth: int, length: int, values: Mapping[str, Expression]) -> Part:
    domain = statement.domain.reset_tuple_id()
    repetitions = first_coordinates(domain, depth)
    inside = without_dims(domain, range(depth))
    if not repetitions.flat_product(inside).is_equal(domain):
        raise refused(f"the loops inside of {statement.name} depend on those around", statement.span)
    dates = without_first_components(padded(statement.schedule, length), 2 * depth)
    order = with_inputs(dates.reset_tuple_id(Dim.in_), range(depth, len(statement.iterators)))
    reads = tuple(_reference(each, statement, values) for each in statement.reads)
    write = _reference(statement.write, statement, values)
    return Part(statement, reads, write, repetitions, inside, order.intersect_domain(inside))


def _reference(access: Access, statement: Statement, values: Mapping[str, Expression]) -> Reference:
    span = access.span or statement.span
    subscripts = (substituted(each, dict(values)) for each in access.subscripts)
    return Reference(access.array, tuple(row_of(each, statement.iterators, span) for each in subscripts))


def _bounds(done: isl.Set, depth: int, statement: Statement) -> tuple[tuple[int, ...], Sizes]:
    first, sizes = list[int](), list[int | None]()
    for k in range(depth):
        least = done.dim_min_val(k)
        greatest = done.dim_max_val(k)
        if not least.is_int():
            raise refused("a loop has no first iteration that is a number", statement.span, "give parameters with -p")
        first.append(least.to_python())
        sizes.append(greatest.to_python() - first[-1] + 1 if greatest.is_int() else None)
    return tuple(first), tuple(sizes)


def _box(first: Sequence[int], sizes: Sizes) -> isl.Set:
    names = [f"r{k}" for k in range(len(sizes))]
    bounds = [
        f"{start} <= {name} < {extent(size)}{f' + {start}' if size is not None else ''}"
        for name, start, size in zip(names, first, sizes, strict=True)
    ]
    return isl.Set(f"[{FRAMES}] -> {{ [{', '.join(names)}] : {' and '.join(bounds) or '1 = 1'} }}")


def without_parameters(kernel: Kernel, values: Mapping[str, int]) -> tuple[Kernel, Mapping[str, Expression]]:
    """The kernel for values of parameters, which give way to numbers; `frames` may stay."""
    missing = [name for name in kernel.parameters if name not in values and name != FRAMES]
    if missing:
        raise refused(f"shapes are numbers, and {missing[0]} has no value", None, f"give one with -p {missing[0]}=16")
    equal = " and ".join(f"{name} = {value}" for name, value in values.items())
    known = isl.Set(f"[{', '.join(kernel.parameters)}] -> {{ : {equal or '1 = 1'} }}")

    def settled(value: isl.Set) -> isl.Set:
        return only_parameters(value.intersect_params(known), [] if FRAMES in values else [FRAMES])

    def settled_map(value: isl.Map) -> isl.Map:
        return settled(value.wrap()).unwrap()

    statements = tuple(
        replace(each, domain=settled(each.domain), schedule=settled_map(each.schedule)) for each in kernel.statements
    )
    numbers: dict[str, Expression] = {name: integer(value) for name, value in values.items()}
    return replace(kernel, statements=statements), numbers
