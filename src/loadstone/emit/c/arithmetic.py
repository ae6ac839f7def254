"""C functions for numbers that C lacks: integers of any width, and fixed point.

Values are held by the smallest integer type of C. A function computes exactly, in 128 bits where it must, then rounds
and brings the result into range once. The text suits C and C++; it takes `>>` of negative numbers to round down.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import assert_never

from loadstone.emit.c.code import INDENT, Helper
from loadstone.model.expression import Binary, Cast, Expression, Unary
from loadstone.model.types import BOOL, INT, LONG, ULONG, ScalarType, promoted

_BEHIND_OPERATORS = 10
_OPERATIONS = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}


@dataclass(frozen=True, slots=True)
class _Exact:
    """A C expression without operators, and the integers that it may be."""

    text: str
    least: int
    greatest: int

    @property
    def type(self) -> str:
        """The C type to compute it in."""
        if LONG.least <= self.least and self.greatest <= LONG.greatest:
            return "long"
        if self.greatest <= ULONG.greatest and self.least >= 0:
            return "unsigned long"
        return "__int128" if self.greatest < 1 << 127 else "unsigned __int128"


def operation_name(expression: Unary | Binary) -> str | None:
    """The function that stands for an operator, if C has none that does the same."""
    if not expression.type.is_fixed:
        return None
    if isinstance(expression, Unary):
        return None if expression.op == "units" else f"{_format_name(expression.type)}_negate"
    word = _OPERATIONS.get(expression.op)
    return f"{_format_name(expression.type)}_{word}" if word else None


def conversion_name(cast: Cast) -> str | None:
    """The function that stands for a conversion, if C's own does not do."""
    source, target = cast.operand.type, cast.type
    if target in (source, BOOL) or not (source.is_fixed or _is_narrow(source, target)):
        return None
    return f"{_format_name(target)}_from_{_range_name(source)}"


def must_be_spelled(cast: Cast) -> bool:
    """Whether C would promote the type that holds an integer to another one than the integer's width asks for."""
    source, target = cast.operand.type, cast.type
    return source.is_integer and target == INT and promoted(source.storage) != promoted(source)


def literal(value: int, kind: ScalarType) -> str:
    """An integer as C writes it in a type that holds it."""
    if value == LONG.least:
        return "(-9223372036854775807L - 1)"
    size = {32: "", 64: "L"}.get(kind.storage.bits, "")
    return f"{value}{'' if kind.signed or kind.storage.bits < 32 else 'U'}{size}"


def arithmetic_helper(part: Expression) -> Helper | None:
    """The function that stands for an operator or a conversion, if C has none that does the same."""
    match part:
        case Unary() | Binary() if name := operation_name(part):
            lines = _operation(name, part.op if isinstance(part, Binary) else "negate", part.type)
        case Cast() if name := conversion_name(part):
            source, target = part.operand.type, part.type
            lines = _function(target, name, f"{source} x", _converted(source, target))
        case _:
            return None
    return Helper((_BEHIND_OPERATORS, name), name, tuple(lines))


def _format_name(kind: ScalarType) -> str:
    """A type as a part of identifiers."""
    rounding = "" if kind.rounding == "truncate" else f"_{kind.rounding}"
    overflow = "" if kind.overflow == "wrap" else f"_{kind.overflow}"
    return f"{_range_name(kind)}{rounding}{overflow}"


def _range_name(kind: ScalarType) -> str:
    """The numbers of a type as a part of identifiers."""
    if kind.is_c:
        return kind.name.strip("_").replace(" ", "_")
    sign = "" if kind.signed else "u"
    return f"{sign}int_{kind.bits}" if kind.is_integer else f"{sign}fixed_{kind.bits}_{kind.fraction}"


def _is_narrow(source: ScalarType, target: ScalarType) -> bool:
    """Whether C's types hold more than a target that not all values of a source fit into."""
    holds_all = source.is_integer and target.least <= source.least and source.greatest <= target.greatest
    return target.is_fixed or not (target.is_c or holds_all)


def _function(result: ScalarType, name: str, parameters: str, body: Iterable[str]) -> list[str]:
    return [f"static inline {result} {name}({parameters})", "{", *(INDENT + line for line in body), "}", ""]


def _operation(name: str, op: str, kind: ScalarType) -> list[str]:
    parameters = f"{kind} a" if op == "negate" else f"{kind} a, {kind} b"
    return _function(kind, name, parameters, _divided(kind) if op == "/" else _computed(op, kind))


def _computed(op: str, kind: ScalarType) -> Iterator[str]:
    """The lines that add, subtract, multiply or negate units."""
    low, high = kind.least, kind.greatest
    match op:
        case "+":
            exact = _Exact("exact", 2 * low, 2 * high)
        case "-":
            exact = _Exact("exact", low - high, high - low)
        case "*":
            exact = _Exact("exact", min(low * high, low * low), max(low * low, high * high))
        case _:
            exact = _Exact("exact", -high, -low)
    lost = kind.fraction if op == "*" else 0
    wide = _roomy(exact, lost).type
    yield f"{wide} exact = {f'-({wide})a' if op == 'negate' else f'({wide})a {op} b'};"
    yield from _returned(exact, lost, kind)


def _divided(kind: ScalarType) -> Iterator[str]:
    """The lines that divide units: magnitudes first, then rounding, then the sign."""
    wide = "unsigned long" if kind.bits + kind.fraction <= 64 else "unsigned __int128"
    shift = f" << {kind.fraction}" if kind.fraction else ""
    yield from ("if (b == 0)", f"{INDENT}return 0;")
    if kind.signed:
        yield "int negative = (a < 0) != (b < 0);"
    yield f"{wide} divisor = {_magnitude('b', wide, kind)};"
    yield f"{wide} dividend = {_magnitude('a', wide, kind)}{shift};"
    yield f"{wide} quotient = dividend / divisor;"
    if kind.signed or kind.rounding != "truncate":
        yield f"{wide} rest = dividend % divisor;"
        yield f"quotient += {_is_rounded_up(kind)};"
    yield from _quotient_returned(kind)


def _magnitude(name: str, wide: str, kind: ScalarType) -> str:
    return f"({name} < 0 ? -({wide}){name} : ({wide}){name})" if kind.signed else f"({wide}){name}"


def _is_rounded_up(kind: ScalarType) -> str:
    """The condition under which the rounded magnitude is one more; rounding down adds to those of negative numbers."""
    above, tie = "rest > divisor - rest", "rest == divisor - rest"
    match kind.rounding:
        case "truncate":
            return "negative && rest != 0"
        case "nearest":
            return f"{above} || {f'({tie} && !negative)' if kind.signed else tie}"
        case "nearest_even":
            return f"{above} || ({tie} && (quotient & 1))"
        case _:
            assert_never(kind.rounding)


def _quotient_returned(kind: ScalarType) -> Iterator[str]:
    top = 1 << 128
    if kind.overflow == "wrap":
        if kind.signed:
            yield "quotient = negative ? -quotient : quotient;"
        yield f"return {_wrapped(_Exact('quotient', -top, top), kind)};"
        return
    if kind.signed:
        yield "if (negative)"
        least = literal(kind.least, kind)
        yield f"{INDENT}return quotient > {_plain(-kind.least)} ? {least} : ({kind})-quotient;"
    yield f"return quotient > {_plain(kind.greatest)} ? {literal(kind.greatest, kind)} : ({kind})quotient;"


def _converted(source: ScalarType, target: ScalarType) -> Iterator[str]:
    lost = source.fraction - target.fraction
    if source.kind == "float":
        yield from _from_real(target)
    elif target.kind == "float":
        yield f"return ({target})x * 0x1p-{source.fraction}{'f' if target.bits == 32 else ''};"
    elif target.is_integer:
        yield from _to_integer(source, target)
    elif lost > 0:
        exact = _Exact("exact", source.least, source.greatest)
        yield f"{_roomy(exact, lost).type} exact = x;"
        yield from _returned(exact, lost, target)
    elif target.overflow == "saturate":
        yield from _shifted_up(source, target, -lost)
    elif -lost < LONG.bits:
        yield f"unsigned long exact = (unsigned long)x << {-lost};"
        yield f"return {_wrapped(_Exact('exact', -1 << 64, 1 << 64), target)};"
    else:
        yield "return 0 * x;"


def _to_integer(source: ScalarType, target: ScalarType) -> Iterator[str]:
    """The lines that cut off the bits after the point, and wrap."""
    unit = 1 << source.fraction
    exact = _Exact("exact", -(-source.least // unit), source.greatest // unit)
    wide = _Exact("", min(source.least, -unit) if source.signed else 0, max(source.greatest, unit)).type
    yield f"{wide} exact = ({wide})x / {_plain(unit)};"
    yield f"return {_wrapped(exact, target)};"


def _shifted_up(source: ScalarType, target: ScalarType, shift: int) -> Iterator[str]:
    """The lines that saturate before they add zeros behind the last bit."""
    low, high = -(-target.least >> shift), target.greatest >> shift
    if source.least < low:
        yield from (f"if (x < {_plain(low)})", f"{INDENT}return {literal(target.least, target)};")
    if source.greatest > high:
        yield from (f"if (x > {_plain(high)})", f"{INDENT}return {literal(target.greatest, target)};")
    unit = 1 << shift
    wide = _Exact("", -unit if target.signed else 0, max(unit, target.greatest)).type
    yield f"return ({target})(({wide})x * {_plain(unit)});"


def _from_real(target: ScalarType) -> Iterator[str]:
    """The lines that convert a floating-point number; scaling it by a power of two is exact."""
    yield f"double scaled = x * 0x1p{target.fraction};"
    yield f"double value = {'trunc' if target.is_integer else 'floor'}(scaled);"
    match target.rounding:
        case "nearest":
            yield "value += scaled - value >= 0.5;"
        case "nearest_even":
            yield "value += scaled - value > 0.5 || (scaled - value >= 0.5 && fmod(value, 2) != 0);"
        case "truncate":
            pass
        case _:
            assert_never(target.rounding)
    yield from _real_saturated(target) if target.overflow == "saturate" else _real_wrapped(target)


def _real_saturated(target: ScalarType) -> Iterator[str]:
    low = f"-0x1p{target.bits - 1}" if target.signed else "0"
    yield from ("if (isnan(value))", f"{INDENT}return 0;")
    yield from (f"if (value < {low})", f"{INDENT}return {literal(target.least, target)};")
    yield f"if (value >= 0x1p{target.bits - target.signed})"
    yield f"{INDENT}return {literal(target.greatest, target)};"
    yield f"return ({target})value;"


def _real_wrapped(target: ScalarType) -> Iterator[str]:
    exact = _Exact("exact", -(1 << target.bits), 1 << target.bits)
    yield from ("if (!isfinite(value))", f"{INDENT}return 0;")
    yield f"{exact.type} exact = ({exact.type})fmod(value, 0x1p{target.bits});"
    yield f"return {_wrapped(exact, target)};"


def _roomy(exact: _Exact, lost: int) -> _Exact:
    """The integer with room for what rounding adds to it."""
    half = 1 << lost >> 1
    return _Exact(exact.text, exact.least, max(exact.greatest, 0) + half)


def _returned(exact: _Exact, lost: int, kind: ScalarType) -> Iterator[str]:
    """The lines that round away the last bits of an integer, bring it into range and return it."""
    value = exact
    if lost:
        wide = _roomy(exact, lost)
        value = _Exact("value", exact.least >> lost, wide.greatest >> lost)
        yield f"{wide.type} value = {_rounded(exact.text, lost, kind)};"
    yield f"return {_saturated(value, kind) if kind.overflow == 'saturate' else _wrapped(value, kind)};"


def _rounded(text: str, lost: int, kind: ScalarType) -> str:
    half = 1 << lost >> 1
    match kind.rounding:
        case "truncate":
            return f"{text} >> {lost}"
        case "nearest":
            return f"({text} + {_plain(half)}) >> {lost}"
        case "nearest_even":
            return f"({text} + {_plain(half - 1)} + (({text} >> {lost}) & 1)) >> {lost}"
        case _:
            assert_never(kind.rounding)


def _saturated(value: _Exact, kind: ScalarType) -> str:
    """The value, or the end of the range that it leaves."""
    text = f"({kind}){value.text}"
    if value.greatest > kind.greatest:
        text = f"{value.text} > {_plain(kind.greatest)} ? {literal(kind.greatest, kind)} : {text}"
    if value.least < kind.least:
        text = f"{value.text} < {_plain(kind.least)} ? {literal(kind.least, kind)} : {text}"
    return text


def _wrapped(value: _Exact, kind: ScalarType) -> str:
    """The value modulo 2^bits."""
    fits = kind.least <= value.least and value.greatest <= kind.greatest
    if fits or kind.bits == kind.storage.bits:
        return f"({kind}){value.text}"
    masked = f"({value.text} & {_plain((1 << kind.bits) - 1)})"
    sign = _plain(1 << (kind.bits - 1))
    return f"({kind})(({masked} ^ {sign}) - {sign})" if kind.signed else f"({kind}){masked}"


def _plain(value: int) -> str:
    """An integer as C writes it."""
    if value > ULONG.greatest:
        return f"((__int128)1 << {value.bit_length() - 1})"
    wide = INT if INT.least <= value <= INT.greatest else LONG if value <= LONG.greatest else ULONG
    return literal(value, wide)
