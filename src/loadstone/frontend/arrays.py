"""The arrays of a kernel: extents, and what is known of the parameters from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

import islpy as isl

from loadstone.errors import InputError, Problems, refused
from loadstone.frontend import syntax
from loadstone.frontend.linearised import Shape
from loadstone.frontend.scopes import names_in
from loadstone.frontend.typing import Names, Typing
from loadstone.model.affine import NotAffine, affine_value, constant_value
from loadstone.model.expression import Expression, Variable, integer, walk
from loadstone.model.from_isl import expression_of
from loadstone.model.kernel import Array, Statement
from loadstone.model.types import INT
from loadstone.poly import set_space
from loadstone.poly.dimensions import coordinate
from loadstone.poly.extrema import greatest_value


@dataclass(frozen=True, slots=True)
class KernelArrays:
    """The arrays by name, and the parameters for which no extent is negative."""

    arrays: dict[str, Array]
    context: isl.Set


class UnknownExtent(Exception):
    """The source leaves an extent open, and subscripts that are not affine do not tell it."""

    def __init__(self, symbol: syntax.Symbol, position: int) -> None:
        super().__init__(f"the extent of '{symbol.name}' is not known")
        self.symbol = symbol
        self.position = position


def kernel_arrays(
    names: Names, statements: tuple[Statement, ...], shapes: Mapping[str, Shape], problems: Problems
) -> KernelArrays:
    """The arrays that the statements access, in order of first access; `shapes` are those addressed linearly."""
    context = isl.Set.universe(set_space(names.parameters, "", ()))
    touched = dict.fromkeys(a.array for s in statements for a in (*s.reads, s.write))
    written = {s.write.array for s in statements}
    arrays: dict[str, Array] = {}
    for name in touched:
        symbol = names.symbols[name]
        try:
            shape = shapes.get(name)
            extents = _extents(symbol, names, statements) if shape is None else _rows(symbol, shape, names, statements)
        except InputError as error:
            problems.extend(error)
            continue
        live_out = symbol.live_out and name in written
        values = _filled(symbol, extents)
        arrays[name] = Array(
            *(name, symbol.type.plain, extents, symbol.initialised, live_out, values, symbol.local, symbol.span),
            flat=0 if shape is None else len(shape) - len(symbol.extents) + 1,
            record=symbol.record,
        )
        context = context if shape else _nonnegative(context, symbol, extents)
    return KernelArrays(arrays, context)


def declared_context(names: Names, arrays: Iterable[str]) -> isl.Set:
    """The parameters for which no declared extent of some arrays is negative, as far as they are affine."""
    context = isl.Set.universe(set_space(names.parameters, "", ()))
    for symbol in (names.symbols[name] for name in arrays):
        if not symbol.local and None not in symbol.extents:
            with suppress(InputError):
                declared = (_declared_extent(symbol, extent, names) for extent in symbol.extents if extent is not None)
                context = _nonnegative(context, symbol, tuple(declared))
    return context


def _extents(symbol: syntax.Symbol, names: Names, statements: tuple[Statement, ...]) -> tuple[Expression, ...]:
    return tuple(
        _accessed_extent(symbol, len(symbol.extents), position, names, statements)
        if extent is None or (symbol.local and not _is_fixed(extent, names))
        else _declared_extent(symbol, extent, names)
        for position, extent in enumerate(symbol.extents)
    )


def _rows(
    symbol: syntax.Symbol, shape: Shape, names: Names, statements: tuple[Statement, ...]
) -> tuple[Expression, ...]:
    """The extents of an array that is addressed linearly."""
    return tuple(
        _accessed_extent(symbol, len(shape), position, names, statements) if extent is None else extent
        for position, extent in enumerate(shape)
    )


def _is_fixed(extent: syntax.Expr, names: Names) -> bool:
    """Whether an extent depends on parameters alone."""
    return all(_is_fixed_name(name, names) for name in names_in(extent))


def _is_fixed_name(name: str, names: Names) -> bool:
    if name in names.aliases:
        variables = (part.name for part in walk(names.aliases[name]) if isinstance(part, Variable))
        return all(variable in names.parameters for variable in variables)
    return name in names.parameters or (name in names.symbols and names.symbols[name].constant)


def _declared_extent(symbol: syntax.Symbol, extent: syntax.Expr, names: Names) -> Expression:
    typing = Typing(names, {}, isl.Set.universe(set_space(names.parameters, "", ())))
    expression = typing.expression(extent)
    if typing.reads:
        hint = "give it an extent that the kernel does not change"
        raise refused(f"the extent of '{symbol.name}' changes during the kernel", extent.span, hint)
    return expression


def _accessed_extent(
    symbol: syntax.Symbol, rank: int, position: int, names: Names, statements: tuple[Statement, ...]
) -> Expression:
    """One more than the largest subscript in a dimension whose extent the source leaves open."""
    touched = isl.Set.empty(set_space(names.parameters, symbol.name, [f"x{k}" for k in range(rank)]))
    for access in (a for s in statements for a in (*s.reads, s.write) if a.array == symbol.name):
        touched = touched.union(access.relation.range())
    column = coordinate(touched, position)
    if column.is_empty():
        return integer(0)
    if not column.is_bounded():
        raise UnknownExtent(symbol, position)
    largest = greatest_value(column)
    size = largest.add_constant_val(isl.Val.one(column.get_ctx())).coalesce()
    return expression_of(size.gist(size.domain()))


def _filled(symbol: syntax.Symbol, extents: tuple[Expression, ...]) -> tuple[int | float, ...] | None:
    """The values of a constant array, filled up with zeros as C does."""
    if symbol.values is None:
        return None
    size = 1
    for extent in extents:
        try:
            value = constant_value(affine_value(extent, set_space((), "", ())))
        except NotAffine:
            return symbol.values
        size *= value or 0
    return symbol.values + (symbol.type.wrap(0),) * (size - len(symbol.values))


def _nonnegative(context: isl.Set, symbol: syntax.Symbol, extents: tuple[Expression, ...]) -> isl.Set:
    """The context in which declared extents, and the parameters that they are made of, are not negative."""
    for declared, extent in zip(symbol.extents, extents, strict=True):
        if declared is None:
            continue
        try:
            context = context.intersect(affine_value(extent, context.get_space()).nonneg_set())
            for name in {part.name for part in walk(extent) if isinstance(part, Variable)}:
                context = context.intersect(affine_value(Variable(name, INT), context.get_space()).nonneg_set())
        except NotAffine:
            continue
    return context


def with_size(program: syntax.Program, symbol: syntax.Symbol, position: int) -> syntax.Program:
    """The program with a new integer as one extent of an array: `count_size` for `int *count`."""
    if symbol.local:
        hint = f"declare '{symbol.name}' with extents that the kernel does not change"
        raise refused(f"the extent of '{symbol.name}' is not known", symbol.span, hint)
    name = f"{symbol.name}_size" + (f"_{position}" if len(symbol.extents) > 1 else "")
    extents = list(symbol.extents)
    extents[position] = syntax.Name(name, symbol.span)
    others = tuple(other for other in program.symbols if other.name != symbol.name)
    size = syntax.Symbol(name, INT, (), True, False, symbol.span)
    return replace(program, symbols=(*others, replace(symbol, extents=tuple(extents)), size))
