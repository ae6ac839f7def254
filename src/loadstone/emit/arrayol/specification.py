"""A kernel as a specification: a task for each loop nest, repeated along as many of its loops as tilers allow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

import islpy as isl

from loadstone.analysis import flow_of_reads
from loadstone.analysis.dataflow import unwritten_reads
from loadstone.emit.arrayol.accesses import Row, refused, row_of
from loadstone.emit.arrayol.borders import Joined, joined
from loadstone.emit.arrayol.nests import distributed, nest_of, nests_of, shared_depth, without_parameters
from loadstone.emit.arrayol.patterns import Patterns
from loadstone.emit.c.code import PLAIN, Text
from loadstone.emit.c.code import Body as Code
from loadstone.emit.c.printer import instance_code, loop_code
from loadstone.errors import InputError, Source, Span, UnsupportedError
from loadstone.frontend.arrayol.bodies import tokens_at
from loadstone.frontend.arrayol.kernel import application_of
from loadstone.frontend.arrayol.specification import ArrayShape, Body, Specification, Task
from loadstone.frontend.arrayol.subscripts import FRAMES
from loadstone.loops import Instance, generate
from loadstone.model.cases import with_cases
from loadstone.model.expression import Expression, Variable, binary, integer, substituted, walk
from loadstone.model.free_name import free_name
from loadstone.model.kernel import Access, Array, Kernel, Statement
from loadstone.model.types import INT, ScalarType
from loadstone.poly.dimensions import compared, only_parameters
from loadstone.poly.spaces import Dim, maps_of


def specification_of(kernel: Kernel, values: Mapping[str, int]) -> Specification:
    """The kernel as a specification, for values of its parameters; raises `UnsupportedError` with the reason if none.

    Loops that stand side by side in others become tasks of their own, where that is possible.
    """
    kernel = with_cases(kernel)
    _check_arrays(kernel)
    given = {name: value for name, value in values.items() if name in kernel.parameters}
    settled, numbers = without_parameters(kernel, given)
    nests = nests_of(settled)
    apart = [part for nest in nests for part in distributed(nest)]
    if len(apart) > len(nests):
        with suppress(UnsupportedError):
            return _specification(settled, apart, numbers)
    return _specification(settled, nests, numbers)


def _specification(
    kernel: Kernel, nests: Sequence[Sequence[Statement]], numbers: Mapping[str, Expression]
) -> Specification:
    span = Source(kernel.name, "").span(1, 1)
    tasks = tuple(_task(kernel, statements, numbers) for statements in nests)
    used = {port.array for task in tasks for port in (*task.inputs, *task.outputs)}
    arrays = {name: _shape(kernel.arrays[name], numbers, span) for name in kernel.arrays if name in used}
    found = Specification(kernel.name, arrays, tasks, span)
    try:
        application_of(found)
    except InputError as error:
        raise refused(error.diagnostics[0].message, None) from None
    return found


def _check_arrays(kernel: Kernel) -> None:
    """Raise `UnsupportedError` for arrays that are both read and written in ways that Array-OL has not."""
    early = {part.get_tuple_name(Dim.out) for part in maps_of(unwritten_reads(kernel)) if not part.is_empty()}
    for name, array in kernel.arrays.items():
        writers = [each for each in kernel.statements if each.write.array == name]
        if writers and name in early:
            span = writers[0].write.span
            raise refused(f"{name} is written, and read before that", span, "inputs and outputs are different arrays")
        if array.values is not None:
            raise refused(f"{name} is a table of constants", array.span, "make it an input")


def _shape(array: Array, numbers: Mapping[str, Expression], span: Span) -> ArrayShape:
    sizes: list[int | None] = []
    for extent in array.extents:
        if isinstance(extent, Variable) and extent.name == FRAMES and FRAMES not in numbers:
            sizes.append(None)
        else:
            sizes.append(row_of(substituted(extent, dict(numbers)), (), array.span).constant)
    return ArrayShape(tuple(sizes), _type(array.type, array.span), span)


def _type(kind: ScalarType, span: Span | None) -> str:
    if kind.is_integer and kind.is_c:
        return f"{'' if kind.signed else 'u'}int{kind.bits}"
    if kind.name in ("float", "double"):
        return kind.name
    raise refused(f"there is no type {kind.name}", span)


def _task(kernel: Kernel, statements: Sequence[Statement], numbers: Mapping[str, Expression]) -> Task:
    """The task of a nest, repeated along as many loops as possible."""
    reason: UnsupportedError | None = None
    for depth in range(shared_depth(statements), 0, -1):
        try:
            return _repeated(kernel, statements, depth, numbers)
        except UnsupportedError as error:
            reason = reason or error
    raise reason or refused("a statement stands in no loop", statements[0].span, "tasks are repeated along loops")


def _repeated(kernel: Kernel, statements: Sequence[Statement], depth: int, numbers: Mapping[str, Expression]) -> Task:
    nest = nest_of(statements, depth, numbers)
    own = _private(kernel, statements, depth)
    parts = joined(nest)
    span = statements[0].span or Source(kernel.name, "").span(1, 1)
    patterns = Patterns(nest, parts, own, span)
    _check_single(patterns, kernel, statements)
    body = _body(kernel, parts, patterns, own, numbers)
    outputs = tuple(patterns.port(key) for key in patterns.outputs)
    inputs = tuple(patterns.port(key) for key in patterns.names if key not in patterns.outputs)
    _check_moduli(patterns, kernel, numbers)
    before = tuple(patterns.before.values())
    name = statements[0].name.lower()
    return Task(name, nest.repetition, inputs, before, outputs, body, {}, (), span)


def _private(kernel: Kernel, statements: Sequence[Statement], depth: int) -> frozenset[str]:
    """Scalars that begin and end within each repetition."""
    written = {each.write.array for each in statements}
    own = {n for n in written if kernel.arrays[n].rank == 0 and not kernel.arrays[n].live_out}
    inside = {each.name for each in statements}
    for (reader, position), flow in flow_of_reads(kernel).items():
        array = kernel.statement(reader).reads[position].array
        if array in own and not all(_stays(each, depth, inside) for each in maps_of(flow)):
            raise refused(f"{array} goes from one repetition to another", kernel.statement(reader).span)
    return frozenset(own)


def _stays(flow: isl.Map, depth: int, inside: set[str]) -> bool:
    if {flow.get_tuple_name(Dim.in_), flow.get_tuple_name(Dim.out)} - inside:
        return False
    return all(flow.is_subset(compared(flow, k, "=")) for k in range(depth))


def _check_single(patterns: Patterns, kernel: Kernel, statements: Sequence[Statement]) -> None:
    """Raise `UnsupportedError` for results that other nests read, which Array-OL would not keep."""
    for key in patterns.outputs:
        array = kernel.arrays[key[0]]
        others = [each for each in kernel.statements if each not in statements]
        readers = [each for each in others if any(read.array == array.name for read in each.reads)]
        if array.live_out and readers:
            hint = "make it local, or write a copy of it"
            raise refused(f"{array.name} is a result, and read by {readers[0].name}", readers[0].span, hint)


def _check_moduli(patterns: Patterns, kernel: Kernel, numbers: Mapping[str, Expression]) -> None:
    for array, _, moduli in patterns.names:
        extents = kernel.arrays[array].extents
        for extent, modulus in zip(extents, moduli, strict=True):
            if modulus is None:
                continue
            if row_of(substituted(extent, dict(numbers)), (), patterns.span).constant != modulus:
                raise refused(f"a subscript of {array} wraps around elsewhere than at its end", patterns.span)


def _body(
    kernel: Kernel, parts: Sequence[Joined], patterns: Patterns, own: frozenset[str], numbers: Mapping[str, Expression]
) -> Body:
    """The C of a repetition: what the loops inside do to patterns."""
    statements = {each.part.statement.name: _in_patterns(each, patterns, own, numbers) for each in parts}
    context = isl.Set("{ : }")
    orders = isl.UnionMap("{ }")
    for each in parts:
        order = each.part.order.set_tuple_name(Dim.in_, each.part.statement.name)
        orders = orders.union(only_parameters(order, ()).to_union_map())
    length = max(each.part.order.dim(Dim.out) for each in parts)
    taken = {*patterns.names.values(), *kernel.arrays, *(each.name for each in patterns.before.values())}
    tree = generate(orders, context, [free_name(f"k{k // 2}", taken) if k % 2 else f"c{k}" for k in range(length)])

    def element(array: str, subscripts: Sequence[Text], _: bool) -> Text:
        return Text(array + "".join(f"[{each.text}]" for each in subscripts))

    def instance(leaf: Instance) -> Code:
        return instance_code(statements[leaf.statement], leaf.arguments, element)

    lines = [f"{kernel.arrays[name].type} {name};" for name in sorted(own)]
    lines += PLAIN.lines(loop_code(tree, instance))
    return Body(tuple(tokens_at("\n".join(lines), patterns.span)))


def _in_patterns(each: Joined, patterns: Patterns, own: frozenset[str], numbers: Mapping[str, Expression]) -> Statement:
    """A statement on patterns, with the iterators inside of a repetition alone."""
    statement, depth = each.part.statement, patterns.nest.depth
    iterators = statement.iterators[depth:]
    if any(name in statement.iterators[:depth] for name in _variables(statement)):
        raise refused(f"{statement.name} computes with the counter of a repetition", statement.span)

    def access(original: Access, position: int | None) -> Access:
        if original.array in own:
            return original
        reference = each.part.write if position is None else each.part.reads[position]
        name, rows = patterns.place(reference, each, position)
        return replace(original, array=name, subscripts=tuple(_expression(row, iterators) for row in rows))

    return replace(
        statement,
        iterators=iterators,
        reads=tuple(access(read, k) for k, read in enumerate(statement.reads)),
        write=access(statement.write, None),
        value=substituted(statement.value, dict(numbers)),
        condition=None if statement.condition is None else substituted(statement.condition, dict(numbers)),
    )


def _variables(statement: Statement) -> Iterator[str]:
    trees = [statement.value, *([statement.condition] if statement.condition is not None else [])]
    for tree in trees:
        yield from (part.name for part in walk(tree) if isinstance(part, Variable))


def _expression(row: Row, iterators: Sequence[str]) -> Expression:
    """A subscript as an expression."""
    found: Expression | None = None
    for factor, name in zip(row.factors, iterators, strict=True):
        if factor:
            variable = Variable(name, INT)
            term = variable if factor == 1 else binary("*", integer(factor), variable)
            found = term if found is None else binary("+", found, term)
    if found is None:
        return integer(row.constant)
    if row.constant == 0:
        return found
    return binary("+" if row.constant > 0 else "-", found, integer(abs(row.constant)))
