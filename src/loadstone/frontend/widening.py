"""Arithmetic of the types of HLS (`ap_int`, `ap_fixed`) made explicit: integers of C that count units.

A value of such a type is an integer number of units of 2^-fraction. Operators do not round: their results have as many
bits as the types of the operands ask for, whatever the values are [UG1399, arbitrary precision data types library].
Rounding and overflow belong to conversions. Here each operator becomes one of C on `int` or `long`, and each conversion
shifts, sums, minima and maxima of them, so that no later stage has to know these types.

Units are computed modulo 2^64. A result of more than 64 bits may therefore be converted to a type that keeps the last
64 of them and wraps; whatever else is done with it is refused.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from loadstone.errors import Diagnostic, InputError, Span
from loadstone.frontend.formats import MOST_BITS
from loadstone.model.evaluate import evaluate
from loadstone.model.expression import (
    COMPARISONS,
    LOGICAL,
    Binary,
    Cast,
    Constant,
    Expression,
    Operand,
    Unary,
    Variable,
    binary,
    cast,
    converted,
    rebuilt,
    select,
    walk,
)
from loadstone.model.types import BOOL, INT, LONG, ULONG, ScalarType, integer_type

_ARITHMETIC = frozenset({"+", "-", "*", "/", "%", "&", "|", "^"})
_BIT = ScalarType("unsigned char", "int", 1, False, widening=True)


def widens(*expressions: Expression) -> bool:
    """Whether one of the expressions has a type whose arithmetic widens."""
    return any(expression.type.widening for expression in expressions)


def plain(expression: Expression) -> Expression:
    """The expression without widening types, which only say what later operators make of it."""
    if isinstance(expression, Constant | Variable | Operand):
        return replace(expression, type=expression.type.plain) if expression.type.widening else expression
    inner = rebuilt(expression, plain)
    inner = replace(inner, type=inner.type.plain) if inner.type.widening else inner
    if isinstance(inner, Unary) and inner.op == "units":
        return _without_repetition(inner)
    return inner.operand if isinstance(inner, Cast) and inner.type == inner.operand.type else inner


def _without_repetition(expression: Unary) -> Expression:
    """Units that are integers as they are, and those of a number of the same type as that number."""
    operand, kind = expression.operand, expression.type
    if isinstance(operand, Unary) and operand.op == "units" and operand.operand.type == kind:
        return operand.operand
    return operand if kind.is_integer and operand.type.is_integer else expression


def without_widening(expression: Expression, what: str = "this use") -> Expression:
    """The expression without widening types, if its value is known exactly."""
    if expression.type.widening:
        _exact(_value(expression), what)
    return plain(expression)


@dataclass(frozen=True, slots=True)
class _Value:
    """A number: its units, an expression of C's integers, and the type that tells how many bits it has."""

    units: Expression
    kind: ScalarType

    @property
    def expression(self) -> Expression:
        """The number as an expression of its type."""
        return Unary("units", self.units, self.kind, self.units.span)

    @property
    def whole_bits(self) -> int:
        """The bits before the point."""
        return self.kind.bits - self.kind.fraction

    @property
    def is_exact(self) -> bool:
        """Whether the units are not only right modulo 2^64."""
        return self.kind.bits <= MOST_BITS


def _refused(message: str, span: Span | None, hint: str) -> InputError:
    return InputError(Diagnostic(message, span, hint))


def _value(expression: Expression) -> _Value:
    """The number that an expression is; truths have one bit, as `bool` does in C++."""
    kind = expression.type
    match expression:
        case Unary(op="units", operand=units):
            return _Value(units, kind)
        case Binary(op=op) if op in COMPARISONS or op in LOGICAL:
            return _Value(expression, _BIT)
        case Unary(op="!"):
            return _Value(expression, _BIT)
        case _ if kind == BOOL:
            return _Value(expression, _BIT)
        case _ if kind.is_integer:
            return _Value(expression, replace(kind, widening=True))
        case _ if kind.is_fixed:
            return _Value(Unary("units", expression, integer_type(kind.bits, kind.signed), expression.span), kind)
        case _:
            hint = "convert it first, as in ap_fixed<16, 8>(x)"
            raise _refused("the types of HLS have no arithmetic with floating point", expression.span, hint)


def _widened(bits: int, fraction: int, signed: bool, is_fixed: bool) -> ScalarType:
    """The type of an exact result, which may have more bits than values can."""
    return ScalarType("", "fixed" if is_fixed else "int", bits, signed, fraction, widening=True)


def _held(kind: ScalarType) -> ScalarType:
    """The type of C in which units of a type are computed."""
    if kind.bits <= INT.bits - (not kind.signed):
        return INT
    return ULONG if kind.bits == MOST_BITS and not kind.signed else LONG


def _in(units: Expression, kind: ScalarType) -> Expression:
    """Units in a type of C; the conversion is not spelled where C promotes them itself."""
    if units.type == kind:
        return units
    if isinstance(units, Constant) and kind.wrap(units.value) == units.value:
        return Constant(units.value, kind, "" if kind == INT else f"{units.value}{'L' if kind.signed else 'UL'}")
    return (converted if kind == INT and units.type.bits <= INT.bits else cast)(units, kind)


def _constant(value: int, kind: ScalarType) -> Constant:
    return Constant(value, kind, "" if kind == INT else f"{value}{'L' if kind.signed else 'UL'}")


def _scaled(units: Expression, places: int, held: ScalarType) -> Expression:
    """Units times a power of two."""
    units = _in(units, held)
    return units if places == 0 else Binary("*", units, _constant(held.fitted(1 << places), held), held, units.span)


def _exact(value: _Value, what: str) -> _Value:
    """The number, if its units are not only right modulo 2^64."""
    if value.is_exact:
        return value
    hint = f"convert an operand to a type with fewer bits first: {MOST_BITS} are handled"
    raise _refused(f"{what} needs all {value.kind.bits} bits of this result", value.units.span, hint)


def binary_operation(op: str, left: Expression, right: Expression, span: Span | None) -> Expression:
    """An operator of which an operand widens."""
    real = next((side for side in (left, right) if side.type.kind == "float"), None)
    if real is not None and left.type.is_fixed == right.type.is_fixed:
        return binary(op, _as_c(left), _as_c(right), span)
    one, other = _value(left), _value(right)
    if op in ("<<", ">>"):
        return _shifted(op, one, right, span).expression
    if op in COMPARISONS:
        return _compared(op, one, other, span)
    if op not in _ARITHMETIC:
        raise _refused(f"'{op}' is not defined on the types of HLS", span, "convert the operands to int first")
    return _arithmetic(op, one, other, span).expression


def _as_c(expression: Expression) -> Expression:
    """An integer as the type of C that holds it, which is what floating point takes."""
    kind = expression.type
    return cast(_exact(_value(expression), "floating point").units, kind.plain.storage) if kind.widening else expression


def _result_type(op: str, one: _Value, other: _Value) -> ScalarType:
    """The type of an operator's result."""
    a, b = one.kind, other.kind
    is_fixed, either = a.is_fixed or b.is_fixed, a.signed or b.signed
    whole = max(one.whole_bits + (b.signed and not a.signed), other.whole_bits + (a.signed and not b.signed))
    fraction = max(a.fraction, b.fraction)
    match op:
        case "+" | "-":
            return _widened(whole + 1 + fraction, fraction, either or op == "-", is_fixed)
        case "*":
            return _widened(a.bits + b.bits, a.fraction + b.fraction, either, is_fixed)
        case "/":
            return _widened(a.bits + b.signed + b.fraction, a.fraction, either, is_fixed)
        case "%":
            return _widened(min(a.bits, b.bits + (a.signed and not b.signed)), 0, a.signed, False)
        case _:
            return _widened(whole + fraction, fraction, either, is_fixed)


def _arithmetic(op: str, one: _Value, other: _Value, span: Span | None) -> _Value:
    kind = _result_type(op, one, other)
    if op in ("/", "%"):
        return _divided(op, one, other, kind, span)
    held = _held(kind)
    places = (0, 0) if op == "*" else (kind.fraction - one.kind.fraction, kind.fraction - other.kind.fraction)
    left, right = (_scaled(v.units, p, held) for v, p in zip((one, other), places, strict=True))
    return _Value(Binary(op, left, right, held, span), kind)


def _divided(op: str, one: _Value, other: _Value, kind: ScalarType, span: Span | None) -> _Value:
    """A quotient or remainder, towards zero; the dividend gets as many bits more as the divisor has after the point."""
    if op == "%" and (one.kind.is_fixed or other.kind.is_fixed):
        raise _refused("'%' is not defined on ap_fixed", span, "convert the operands to integers first")
    _check_signs(op, one, other, span)
    a, b = _exact(one, "a division").kind, _exact(other, "a division").kind
    whole = max(a.bits + b.fraction + (b.signed and not a.signed), b.bits + (a.signed and not b.signed))
    common = _widened(whole, 0, a.signed or b.signed, False)
    held = _held(_exact(_Value(one.units, common), "a division").kind)
    return _Value(Binary(op, _scaled(one.units, b.fraction, held), _in(other.units, held), held, span), kind)


def _check_signs(op: str, one: _Value, other: _Value, span: Span | None) -> None:
    """Refuse divisions of integers for which the vendor's headers mix up signs."""
    is_fixed, same = one.kind.is_fixed or other.kind.is_fixed, one.kind.signed == other.kind.signed
    if is_fixed or same or (other.kind.signed and (_constant_of(other.units) or -1) >= 0):
        return
    hint = "convert one of them first: the vendor's headers mix up the signs here"
    raise _refused(f"'{op}' of a signed and an unsigned number is not portable", span, hint)


def _check_comparison(one: _Value, other: _Value, fraction: int, span: Span | None) -> None:
    """Refuse comparisons for which the vendor's headers take a negative number for a large one."""
    if one.kind.signed == other.kind.signed:
        return
    signed, natural = (one, other) if one.kind.signed else (other, one)
    bits = natural.kind.bits + fraction - natural.kind.fraction
    value = _constant_of(signed.units)
    if bits >= INT.bits and (value is None or value < 0):
        hint = "convert one of them first: the vendor's headers mix up the signs here"
        raise _refused(f"comparing a signed with an unsigned number of {bits} bits is not portable", span, hint)


def _compared(op: str, one: _Value, other: _Value, span: Span | None) -> Expression:
    """A comparison, of numbers as they are."""
    kind = _result_type("&", _exact(one, "a comparison"), _exact(other, "a comparison"))
    held = _held(_exact(_Value(one.units, kind), "a comparison").kind)
    _check_comparison(one, other, kind.fraction, span)
    left = _scaled(one.units, kind.fraction - one.kind.fraction, held)
    right = _scaled(other.units, kind.fraction - other.kind.fraction, held)
    return Binary(op, left, right, INT, span)


def _shifted(op: str, value: _Value, amount: Expression, span: Span | None) -> _Value:
    """The bits of a number moved within its type, by a constant."""
    places = _constant_of(amount)
    if places is None:
        raise _refused("a shift of a type of HLS needs a constant amount", amount.span, "multiply or divide instead")
    places = -places if op == ">>" else places
    kind, held = value.kind, _held(value.kind)
    if places >= 0:
        moved = _constant(0, held) if places >= kind.bits else _scaled(value.units, places, held)
        return _wrapped(_Value(moved, replace(kind, bits=kind.bits + places)), kind)
    units = _in(_exact(value, "a shift").units, held)
    fewer = _constant(min(-places, held.bits - 1), INT)
    return _Value(Binary(">>", units, fewer, held, span), kind)


def _constant_of(expression: Expression) -> int | None:
    variable = any(isinstance(part, Operand | Variable) for part in walk(expression))
    if variable or not expression.type.is_integer:
        return None
    return int(evaluate(plain(expression), {}, ()))


def unary_operation(op: str, operand: Expression, span: Span | None) -> Expression:
    """`-x` or `~x` of a widening type."""
    value = _value(operand)
    kind, held = value.kind, _held(value.kind)
    if op == "~":
        return _wrapped(_Value(Unary(op, _in(value.units, held), held, span), kind), kind, always=True).expression
    more = kind.bits + 1 if kind.is_fixed else max(kind.bits, 1 + kind.signed) + 1
    kind = _widened(more, kind.fraction, True, kind.is_fixed)
    held = _held(kind)
    return _Value(Unary(op, _in(value.units, held), held, span), kind).expression


def selection(condition: Expression, then: Expression, otherwise: Expression, span: Span | None) -> Expression:
    """A conditional whose sides have the same type."""
    kind = _same_type(then, otherwise, "the two sides of '?:'", span)
    held = _held(kind)
    one, other = (_in(_value(side).units, held) for side in (then, otherwise))
    return _Value(select(condition, one, other, span), kind).expression


def smaller_or_greater(op: str, left: Expression, right: Expression, span: Span | None) -> Expression:
    """The minimum or maximum of two values of the same type."""
    kind = _same_type(left, right, f"the arguments of '{op}'", span)
    held = _held(kind)
    one, other = (_in(_exact(_value(side), f"'{op}'").units, held) for side in (left, right))
    return _Value(Binary(op, one, other, held, span), kind).expression


def _same_type(left: Expression, right: Expression, what: str, span: Span | None) -> ScalarType:
    if replace(left.type, name="") == replace(right.type, name=""):
        return left.type
    raise _refused(f"{what} have different types", span, "convert one of them to the type of the other")


def conversion(expression: Expression, kind: ScalarType, span: Span | None) -> Expression:
    """The expression in another type, where one of the two widens."""
    source = expression.type
    if source.kind == "float":
        wide = Cast(expression, LONG, False, span) if kind.is_integer else expression
        return Cast(wide, kind, False, span)
    value = _value(expression)
    if kind == BOOL:
        held = _held(value.kind)
        return Binary("!=", _in(_exact(value, "a condition").units, held), _constant(0, held), INT, span)
    if kind.kind == "float":
        return _real(_exact(value, "floating point"), kind, span)
    if kind.is_integer:
        whole = _wrapped(_whole(value), kind)
        return whole.expression if kind.widening else cast(whole.units, kind)
    quantised = _quantised(value, kind, span)
    return Unary("units", _narrow(quantised.units, kind), kind, span)


def _real(value: _Value, kind: ScalarType, span: Span | None) -> Expression:
    source = value.kind
    if source.is_integer:
        return Cast(value.units, kind, False, span)
    number = ScalarType(integer_type(source.bits, source.signed).name, "fixed", source.bits, source.signed)
    number = replace(number, fraction=source.fraction)
    return Cast(Unary("units", _narrow(value.units, source), number, span), kind, False, span)


def _whole(value: _Value) -> _Value:
    """A number without its fraction, towards zero."""
    source, fraction = value.kind, value.kind.fraction
    if fraction == 0:
        return value
    if source.signed and value.whole_bits < 1:
        hint = "add 0 to it first: sums have one bit more before the point"
        raise _refused("a type without bits before the point cannot become an integer", value.units.span, hint)
    roomy = replace(value, kind=replace(source, bits=max(source.bits, fraction + 2)))
    held = _held(_exact(roomy, "a conversion to integers").kind)
    quotient = Binary("/", _in(value.units, held), _constant(1 << fraction, held), held, value.units.span)
    return _Value(quotient, _widened(max(value.whole_bits, 1), 0, source.signed, False))


def _quantised(value: _Value, kind: ScalarType, span: Span | None) -> _Value:
    """A number in a type of fixed point, rounded and brought into range as that says."""
    lost = value.kind.fraction - kind.fraction
    aligned = _rounded(value, lost, kind, span) if lost > 0 else _lengthened(value, -lost)
    return _saturated(aligned, kind) if kind.overflow == "saturate" else _wrapped(aligned, kind)


def _lengthened(value: _Value, places: int) -> _Value:
    """A number with more bits after the point."""
    kind = value.kind
    wide = replace(kind, bits=kind.bits + places, fraction=kind.fraction + places)
    return _Value(_scaled(value.units, places, _held(wide)), wide)


def _rounded(value: _Value, lost: int, kind: ScalarType, span: Span | None) -> _Value:
    """A number without its last bits."""
    nearest = kind.rounding != "truncate"
    if nearest or kind.overflow != "wrap" or lost + kind.bits > MOST_BITS:
        value = _exact(value, "this conversion")
    source = value.kind
    carried = kind.rounding == "nearest" and source.bits < MOST_BITS
    held = _held(replace(source, bits=source.bits + carried))
    units = _in(value.units, held)
    if carried:
        units = Binary("+", units, _constant(1 << lost - 1, held), held, span)
    down = Binary(">>", units, _constant(min(lost, held.bits - 1), INT), held, span)
    if nearest and not carried:
        down = Binary("+", down, _carry(units, lost, kind, held), held, span)
    bits = max(source.bits - lost, 1) + nearest
    return _Value(down, replace(source, bits=bits, fraction=kind.fraction))


def _carry(units: Expression, lost: int, kind: ScalarType, held: ScalarType) -> Expression:
    """What rounding to nearest adds: the first of the lost bits, and for ties to even the bits around it."""
    one = _constant(1, held)
    half = Binary("&", Binary(">>", units, _constant(lost - 1, INT), held), one, held)
    if kind.rounding == "nearest":
        return half
    last = Binary("&", Binary(">>", units, _constant(min(lost, held.bits - 1), INT), held), one, held)
    if lost == 1:
        return Binary("&", half, last, held)
    below = Binary("&", units, _constant((1 << lost - 1) - 1, held), held)
    rest = converted(Binary("!=", below, _constant(0, held), INT), held)
    return Binary("&", half, Binary("|", last, rest, held), held)


def _saturated(value: _Value, kind: ScalarType) -> _Value:
    """A number brought into the range of a type with as many bits after the point."""
    source = _exact(value, "saturation").kind
    held = _held(source)
    units = _in(value.units, held)
    if source.greatest > kind.greatest:
        units = Binary("min", units, _constant(kind.greatest, held), held, units.span)
    if source.least < kind.least:
        units = Binary("max", units, _constant(kind.least, held), held, units.span)
    return _Value(units, kind)


def _wrapped(value: _Value, kind: ScalarType, *, always: bool = False) -> _Value:
    """Units modulo 2^bits of a type."""
    fits = value.is_exact and kind.least <= value.kind.least and value.kind.greatest <= kind.greatest
    return _Value(value.units if fits and not always else _narrow(value.units, kind), kind)


def _narrow(units: Expression, kind: ScalarType) -> Expression:
    """Units in the integers of as many bits as a type has."""
    if kind.bits > MOST_BITS:
        return units
    return cast(units, BOOL if kind == BOOL else integer_type(kind.bits, kind.signed))
