"""From syntax to typed expressions: names become variables, operands and constants; reads become accesses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import assert_never

import islpy as isl

from loadstone.errors import InputError, Span, refused
from loadstone.frontend import syntax, widening
from loadstone.frontend.equivalence import extremum
from loadstone.model import expression as expr
from loadstone.model.affine import NotAffine, affine_condition, affine_value
from loadstone.model.evaluate import evaluate
from loadstone.model.functions import OPERATORS, OVERLOADED, SIGNATURES, overload
from loadstone.model.kernel import Access
from loadstone.model.types import BOOL, INT, ScalarType, common_type
from loadstone.poly import map_from_values
from loadstone.poly.dimensions import at_least, free_component
from loadstone.poly.spaces import Dim, constant

_AFFINE_HINTS = {
    "loop bound": "bounds must be affine expressions of outer iterators and of parameters that never change",
    "assumption": "assumptions must be affine conditions on the parameters",
    "schedule": "schedules must be affine expressions of the statement's iterators and of parameters",
}


_RANGE_HINT = (
    "bounds from data need a counter that the loop declares and counts up by 1, and its range: "
    "#pragma loadstone assume(0 <= k && k < n)"
)
_UPWARDS = ("ceild", "intCeil")
_SOURCE_NAMES = {"floordiv": "floord", "mod": "%"}


def not_affine(what: str, error: NotAffine, expression: expr.Expression, reads: Sequence[Access]) -> InputError:
    """The error for an expression that must be affine and is not."""
    culprit, reason = error.expression, error.reason
    if isinstance(culprit, expr.Cast) and culprit.implicit:
        culprit = next((part for part in expr.walk(expression) if _is_real(part)), culprit)
    if isinstance(culprit, expr.Operand):
        read = reads[culprit.position]
        data = f"the contents of '{read.array}'" if read.subscripts else f"'{read.array}', which is not a parameter"
        reason = f"it depends on {data}"
    is_from_data = what == "loop bound" and isinstance(culprit, expr.Operand) and reads[culprit.position].subscripts
    hint = _RANGE_HINT if is_from_data else _AFFINE_HINTS[what]
    return refused(f"the {what} is not affine: {reason}", culprit.span or expression.span, hint)


def _is_real(expression: expr.Expression) -> bool:
    """Whether an expression brings a floating-point value into one of integers."""
    return not expression.type.is_integer and isinstance(expression, expr.Constant | expr.Operand | expr.Call)


@dataclass(frozen=True, slots=True)
class Names:
    """What names mean in a kernel: symbols, which of them are parameters, functions, and values known to be affine.

    `externals` are functions without definition, with the types of their results.
    """

    symbols: Mapping[str, syntax.Symbol]
    parameters: tuple[str, ...]
    functions: Mapping[str, syntax.Function]
    aliases: dict[str, expr.Expression]
    externals: Mapping[str, ScalarType] = field(default_factory=dict[str, ScalarType])


@dataclass(frozen=True, slots=True)
class Guard:
    """When a part of an expression is evaluated: where `domain` holds, and for sure only if `certain`."""

    domain: isl.Set
    certain: bool = True

    def under(self, condition: expr.Expression, holds: bool) -> Guard:
        """The guard of what is evaluated only where a condition holds (or does not)."""
        try:
            chosen = affine_condition(condition, self.domain.get_space())
        except NotAffine:
            return replace(self, certain=False)
        return replace(self, domain=self.domain.intersect(chosen if holds else chosen.complement()))


@dataclass(slots=True)
class Typing:
    """Types the expressions of one statement (or of a bound), collecting the reads in operand order.

    `formats` says what values of some types become; subscripts, and conditions without data, keep those of C.
    """

    names: Names
    iterators: Mapping[str, ScalarType]
    domain: isl.Set
    formats: Mapping[ScalarType, ScalarType] = field(default_factory=dict[ScalarType, ScalarType])
    reads: list[Access] = field(default_factory=list[Access])
    _elements_read: dict[syntax.Expr, tuple[expr.Expression, ...]] = field(
        default_factory=dict[syntax.Expr, tuple[expr.Expression, ...]]
    )
    _bound: dict[str, expr.Expression] = field(default_factory=dict[str, expr.Expression])
    _inlining: tuple[str, ...] = ()

    def expression(self, node: syntax.Expr, guard: Guard | None = None) -> expr.Expression:
        """The typed expression."""
        return widening.without_widening(self._typed(node, guard or Guard(self.domain)))

    def value(self, node: syntax.Expr, kind: ScalarType, guard: Guard) -> expr.Expression:
        """The typed expression, converted to the type of what it is assigned to."""
        found = self._typed(node, guard)
        stored = fixed_constant(found, kind)
        if stored is found and (kind.widening or widening.widens(found)):
            stored = widening.conversion(found, kind, found.span)
        return expr.converted(widening.plain(stored), kind.plain)

    def _typed(self, node: syntax.Expr, guard: Guard) -> expr.Expression:
        """The typed expression, whose type may widen."""
        match node:
            case syntax.Literal():
                return self._literal(node)
            case syntax.Name():
                return self._name(node, guard)
            case syntax.Subscript():
                return self._element(node, guard)
            case syntax.UnaryOp(op=op, operand=operand, span=span):
                return self._unary(op, operand, guard, span)
            case syntax.BinaryOp():
                return self._affine_comparison(node, guard) or self._binary(node, guard)
            case syntax.Conditional():
                return self._extremum(node, guard) or self._selection(node, guard)
            case syntax.Invocation():
                return self._call(node, guard)
            case syntax.Conversion(type=kind, operand=operand, span=span):
                return self._conversion(self._typed(operand, guard), self._chosen(kind), span)
            case _:
                assert_never(node)

    def _unary(self, op: str, operand: syntax.Expr, guard: Guard, span: Span) -> expr.Expression:
        value = self.condition(operand, guard) if op == "!" else self._typed(operand, guard)
        if widening.widens(value):
            return widening.unary_operation(op, value, span)
        return self._checked(op, expr.unary(op, value, span), span)

    def _literal(self, node: syntax.Literal) -> expr.Constant:
        chosen = self._chosen(node.type)
        if chosen == node.type:
            return expr.Constant(node.value, node.type, node.text, node.span)
        return expr.Constant(chosen.wrap(node.value), chosen, "", node.span)

    def _conversion(self, operand: expr.Expression, kind: ScalarType, span: Span) -> expr.Expression:
        constant = fixed_constant(operand, kind)
        if constant is operand and (kind.widening or widening.widens(operand)):
            return widening.conversion(operand, kind, span)
        return expr.Cast(operand, kind, False, span) if constant is operand else constant

    def _chosen(self, kind: ScalarType) -> ScalarType:
        """What a type becomes."""
        return self.formats.get(kind, kind)

    def _plain(self) -> Typing:
        """The same with the types of C."""
        return replace(self, formats={}) if self.formats else self

    def write(self, target: syntax.Name | syntax.Subscript, certain: bool) -> Access:
        """The access of an assignment's target."""
        indices = target.indices if isinstance(target, syntax.Subscript) else ()
        name = target.base if isinstance(target, syntax.Subscript) else target.id
        symbol = self._array(name, len(indices), target.span)
        if symbol.constant:
            raise refused(f"'{name}' is constant and cannot be assigned", target.span, "remove 'const'")
        guard = Guard(self.domain, certain)
        subscripts = self._elements_read.get(target) or tuple(self._plain().expression(i, guard) for i in indices)
        return self._access(symbol, subscripts, guard, target.span)

    def _name(self, node: syntax.Name, guard: Guard) -> expr.Expression:
        name = node.id
        if name in self._bound:
            return self._bound[name]
        if name in self.iterators:
            return expr.Variable(name, self.iterators[name], node.span)
        if name in self.names.aliases:
            return expr.cast(self.names.aliases[name], self.names.symbols[name].type)
        symbol = self._array(name, 0, node.span)
        if name in self.names.parameters:
            return expr.Variable(name, symbol.type, node.span)
        if symbol.constant and symbol.values:
            value = symbol.values[0]
            return expr.Constant(value, symbol.type, "", node.span)
        return self._read(symbol, (), guard, node.span)

    def _element(self, node: syntax.Subscript, guard: Guard) -> expr.Expression:
        symbol = self._array(node.base, len(node.indices), node.span)
        indices = tuple(self._plain().expression(index, guard) for index in node.indices)
        self._elements_read[node] = indices
        return self._read(symbol, indices, guard, node.span)

    def _array(self, name: str, rank: int, span: Span) -> syntax.Symbol:
        symbol = self.names.symbols.get(name)
        if symbol is None:
            raise refused(f"'{name}' is not declared", span, self._known_names())
        if len(symbol.extents) != rank:
            has = f"{len(symbol.extents)} dimension{'s' * (len(symbol.extents) != 1)}"
            what = f"'{name}' has {has}, but is used with {rank} subscript{'s' * (rank != 1)}"
            if not symbol.extents:
                raise refused(f"'{name}' is a scalar, but is used with a subscript", span, "declare it as an array")
            element = name + "[...]" * len(symbol.extents)
            hint = "subscript every dimension" if rank else f"use an element, {element}; pointers cannot be moved"
            raise refused(what, span, hint)
        return symbol

    def _known_names(self) -> str:
        names = ", ".join((*self.iterators, *self.names.parameters))
        return f"iterators and parameters here are: {names or 'none'}"

    def _read(
        self, symbol: syntax.Symbol, indices: tuple[expr.Expression, ...], guard: Guard, span: Span
    ) -> expr.Operand:
        self.reads.append(self._access(symbol, indices, guard, span))
        return expr.Operand(len(self.reads) - 1, symbol.type, span)

    def _access(self, symbol: syntax.Symbol, indices: tuple[expr.Expression, ...], guard: Guard, span: Span) -> Access:
        """The access; a subscript that is not affine may be anything within the extent of its dimension."""
        space = self.domain.get_space()
        values: list[isl.PwAff | None] = []
        for index in indices:
            if not index.type.is_integer:
                raise refused("a subscript must be an integer", index.span or span, "convert it with (int)")
            try:
                values.append(affine_value(index, space))
            except NotAffine:
                values.append(None)
        known = all(value is not None for value in values)
        relation = element_relation(space, symbol.name, values).intersect_domain(guard.domain)
        if not (known and guard.certain):
            relation = relation.intersect_range(self._elements(symbol, relation))
        return Access(symbol.name, indices, relation, known and guard.certain, span, guard.certain)

    def _elements(self, symbol: syntax.Symbol, relation: isl.Map) -> isl.Set:
        """The elements of an array, as far as its extents are known and affine."""
        space = relation.get_space().range()
        elements = isl.Set.universe(space)
        for position, extent in enumerate(symbol.extents):
            elements = at_least(elements, position, 0)
            if extent is None:
                continue
            size = Typing(self.names, {}, elements).expression(extent)
            try:
                limit = affine_value(size, space)
            except NotAffine:
                continue
            index = isl.PwAff.from_aff(isl.Aff.var_on_domain(isl.LocalSpace.from_space(space), Dim.set, position))
            elements = elements.intersect(index.lt_set(limit))
        return elements

    def _binary(self, node: syntax.BinaryOp, guard: Guard) -> expr.Expression:
        if node.op in expr.LOGICAL:
            left = self.condition(node.left, guard)
            right = self.condition(node.right, guard.under(left, node.op == "&&"))
            return expr.binary(node.op, left, right, node.span)
        left, right = self._typed(node.left, guard), self._typed(node.right, guard)
        if widening.widens(left, right):
            return widening.binary_operation(node.op, left, right, node.span)
        return self._checked(node.op, expr.binary(node.op, *_met(left, right), span=node.span), node.span)

    def _checked(self, op: str, expression: expr.Expression, span: Span) -> expr.Expression:
        if op in ("%", "&", "|", "^", "<<", ">>", "~", "floordiv", "mod") and not expression.type.is_integer:
            hint = "use fmod" if op == "%" and not expression.type.is_fixed else "convert them with (int)"
            raise refused(f"'{_SOURCE_NAMES.get(op, op)}' needs integer operands", span, hint)
        return expression

    def _extremum(self, node: syntax.Conditional, guard: Guard) -> expr.Expression | None:
        """The conditional as a minimum or maximum, if it is one; with `<=` and `>=` only on integers: zeros differ."""
        found, condition, before = extremum(node), node.condition, len(self.reads)
        if found is None or not isinstance(condition, syntax.BinaryOp):
            return None
        name, swapped = found
        left, right = self._typed(condition.left, guard), self._typed(condition.right, guard)
        if widening.widens(left, right):
            return widening.smaller_or_greater(name, left, right, node.span)
        left, right = _met(left, right)
        if "=" in condition.op and not (left.type.is_integer and right.type.is_integer):
            del self.reads[before:]
            return None
        return expr.binary(name, right, left, node.span) if swapped else expr.binary(name, left, right, node.span)

    def _selection(self, node: syntax.Conditional, guard: Guard) -> expr.Expression:
        condition = self.condition(node.condition, guard)
        then = self._typed(node.then, guard.under(condition, True))
        otherwise = self._typed(node.otherwise, guard.under(condition, False))
        if widening.widens(then, otherwise):
            return widening.selection(condition, then, otherwise, node.span)
        return expr.select(condition, *_met(then, otherwise), span=node.span)

    def condition(self, node: syntax.Expr, guard: Guard) -> expr.Expression:
        """The typed condition, with the types of C as far as it is affine."""
        return self._affine_condition(node, guard) or self._truth(self._typed(node, guard))

    def _truth(self, value: expr.Expression) -> expr.Expression:
        """A value as a condition."""
        return widening.plain(widening.conversion(value, BOOL, value.span) if widening.widens(value) else value)

    def _affine_comparison(self, node: syntax.BinaryOp, guard: Guard) -> expr.Expression | None:
        return self._affine_condition(node, guard) if node.op in expr.COMPARISONS else None

    def _affine_condition(self, node: syntax.Expr, guard: Guard) -> expr.Expression | None:
        """The condition with the types of C, if there are others, and it is affine."""
        if not self.formats:
            return None
        before = len(self.reads)
        condition = self._plain().expression(node, guard)
        try:
            affine_condition(condition, self.domain.get_space())
        except NotAffine:
            del self.reads[before:]
            return None
        return condition

    def _call(self, node: syntax.Invocation, guard: Guard) -> expr.Expression:
        name, built_in = node.function, (*OPERATORS, *SIGNATURES, *OVERLOADED, *_UPWARDS)
        if name not in (*self.names.functions, *self.names.externals, *built_in):
            hint = f"define it, or declare that it has no effects: __attribute__((const)), or --pure {name}"
            raise refused(f"the call of '{name}' has unknown effects", node.span, hint)
        arguments = tuple(self._typed(argument, guard) for argument in node.arguments)
        if name in self.names.functions:
            return self._inlined(self.names.functions[name], arguments, guard, node.span)
        if name in self.names.externals:
            return expr.Call(name, arguments, self.names.externals[name], node.span)
        if widening.widens(*arguments):
            return _widening_call(OVERLOADED.get(name, name), arguments, node.span)
        name = overload(name, [argument.type for argument in arguments]) if name in OVERLOADED else name
        arguments = _met(*arguments)
        if name in OPERATORS and len(arguments) == 2:
            return self._checked(OPERATORS[name], expr.binary(OPERATORS[name], *arguments, node.span), node.span)
        if name in _UPWARDS and len(arguments) == 2:
            down = expr.binary("floordiv", expr.unary("-", arguments[0]), arguments[1], node.span)
            return expr.unary("-", self._checked("floordiv", down, node.span), node.span)
        self._check_count(name, 2 if name not in SIGNATURES else len(SIGNATURES[name][0]), len(arguments), node.span)
        types, result = SIGNATURES[name]
        if reduce(common_type, (argument.type for argument in arguments)).is_fixed:
            return _fixed_call(name, arguments, node.span)
        call = expr.Call(name, tuple(map(expr.converted, arguments, types)), result, node.span)
        return expr.converted(call, self._chosen(result))

    def _check_count(self, name: str, wanted: int, given: int, span: Span) -> None:
        if wanted != given:
            what = f"'{name}' takes {wanted} argument{'s' * (wanted != 1)}, not {given}"
            raise refused(what, span, "call it as it is declared")

    def _inlined(
        self, function: syntax.Function, arguments: tuple[expr.Expression, ...], guard: Guard, span: Span
    ) -> expr.Expression:
        if function.name in self._inlining:
            raise refused(f"'{function.name}' is recursive", span, "kernels cannot call recursive functions")
        self._check_count(function.name, len(function.parameters), len(arguments), span)
        bound = {
            name: self._passed(argument, self._chosen(kind), span)
            for (name, kind), argument in zip(function.parameters, arguments, strict=True)
        }
        inner = replace(self, _bound=bound, _inlining=(*self._inlining, function.name))
        inner.reads = self.reads
        return self._passed(inner._typed(function.result, guard), self._chosen(function.type), span)

    def _passed(self, value: expr.Expression, kind: ScalarType, span: Span) -> expr.Expression:
        """A value as an argument or a result of a type."""
        constant = fixed_constant(value, kind)
        if constant is value and value.type != kind and (kind.widening or widening.widens(value)):
            return widening.conversion(value, kind, span)
        return expr.cast(constant, kind)


def fixed_constant(expression: expr.Expression, kind: ScalarType) -> expr.Expression:
    """A constant expression of floating point as a constant of a type of fixed point; others as they are."""
    if not kind.is_fixed or not _is_real_constant(expression):
        return expression
    try:
        return expr.Constant(evaluate(expr.Cast(expression, kind), {}, ()), kind, "", expression.span)
    except (ZeroDivisionError, ValueError):
        raise refused("this constant has no value", expression.span, "see its divisions and shifts") from None


def _is_real_constant(expression: expr.Expression) -> bool:
    variable = (part for part in expr.walk(expression) if isinstance(part, expr.Operand | expr.Variable))
    return expression.type.kind == "float" and next(variable, None) is None


def _met(*operands: expr.Expression) -> tuple[expr.Expression, ...]:
    """The operands of one operation; constants of floating point that meet fixed point become constants of it."""
    if not any(operand.type.is_fixed for operand in operands):
        return operands
    common = reduce(common_type, (operand.type for operand in operands if not _is_real_constant(operand)))
    return tuple(fixed_constant(operand, common) for operand in operands)


def _widening_call(name: str, arguments: tuple[expr.Expression, ...], span: Span) -> expr.Expression:
    """The call of a function on a type of HLS: minimum or maximum."""
    if name in OPERATORS and OPERATORS[name] in ("min", "max") and len(arguments) == 2:
        return widening.smaller_or_greater(OPERATORS[name], arguments[0], arguments[1], span)
    hint = "std::min and std::max are; others need a conversion, such as double(x)"
    raise refused(f"'{name}' is not defined on the types of HLS", span, hint)


def _fixed_call(name: str, arguments: tuple[expr.Expression, ...], span: Span) -> expr.Expression:
    """The call of a function on values of fixed point: absolute value, minimum or maximum."""
    match name.removesuffix("f"):
        case "fmin" | "fmax" as function:
            return expr.binary(function.removeprefix("f"), *arguments, span=span)
        case "fabs" | "abs" | "labs" | "llabs":
            (value,) = arguments
            return expr.binary("max", value, expr.unary("-", value, span), span) if value.type.signed else value
        case _:
            hint = "fabs, fmin and fmax are; others need a conversion to floating point, such as (double)"
            raise refused(f"'{name}' is not defined on fixed point", span, hint)


def element_relation(space: isl.Space, array: str, values: list[isl.PwAff | None]) -> isl.Map:
    """The map from instances to elements, with unknown subscripts left free."""
    zero = constant(space, 0)
    relation = map_from_values(space, [zero if value is None else value for value in values], array)
    for position, value in enumerate(values):
        if value is None:
            relation = free_component(relation, position)
    return relation


def settled(reads: Sequence[Access]) -> tuple[Access, ...]:
    """The reads, exact also where all that one may read is surely read by others of the same instance."""
    return tuple(read if read.exact else replace(read, exact=_surely_read(read, reads)) for read in reads)


def _surely_read(read: Access, reads: Sequence[Access]) -> bool:
    sure = (other.relation for other in reads if other.exact and other.array == read.array)
    covered = reduce(lambda union, relation: union.union(relation), sure, read.relation.subtract(read.relation))
    return read.relation.is_subset(covered)


def condition_parts(node: syntax.Expr) -> list[syntax.Expr]:
    """The conjuncts of a condition."""
    if isinstance(node, syntax.BinaryOp) and node.op == "&&":
        return [*condition_parts(node.left), *condition_parts(node.right)]
    return [node]


def conjunction(left: expr.Expression | None, right: expr.Expression) -> expr.Expression:
    """Both conditions."""
    return right if left is None else expr.Binary("&&", left, right, INT, right.span)
