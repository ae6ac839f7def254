"""Hardware numbers with the range that they take: sums, constant multiples and quotients without lost bits.

Every number is kept in the smallest type that holds its range, so nothing overflows as long as the numbers that
everything comes from, the parameters, are in theirs. No operation is a multiplier or a divider: multiples are sums of
shifted numbers, and quotients are multiples of a reciprocal.
"""

from __future__ import annotations

from dataclasses import dataclass

from loadstone.rtl.conditions import mux
from loadstone.rtl.expressions import Const, Value, const
from loadstone.rtl.types import Bits, common_type, type_of, unsigned


@dataclass(frozen=True, slots=True, eq=False)
class Ranged:
    """A hardware value that lies between `low` and `high`, inclusively, whenever it matters."""

    value: Value
    low: int
    high: int

    @property
    def constant(self) -> int | None:
        """The number that the value always is, if it is always the same."""
        return self.low if self.low == self.high else None


def type_between(low: int, high: int) -> Bits:
    """The smallest type that holds all numbers of a range.

    >>> str(type_between(0, 12)), str(type_between(-1, 12))
    ('unsigned(4)', 'signed(5)')
    """
    return common_type(type_of(low), type_of(high))


def ranged(value: Value, low: int, high: int) -> Ranged:
    """The value in the smallest type for its range, and for what its type allows."""
    low, high = max(low, value.bits.minimum), min(high, value.bits.maximum)
    if low >= high:
        return number(low)
    target = type_between(low, high)
    return Ranged(value if target.includes(value.bits) else value.wrapped(target), low, high)


def number(value: int) -> Ranged:
    """A number that is known."""
    return Ranged(const(value), value, value)


def total(left: Ranged, right: Ranged) -> Ranged:
    """left + right."""
    if left.constant is not None and right.constant is None:
        left, right = right, left
    low, high = left.low + right.low, left.high + right.high
    if right.constant == 0:
        return left
    if right.constant is not None and right.constant < 0:
        return ranged(left.value - (-right.constant), low, high)
    return ranged(left.value + right.value, low, high)


def difference(left: Ranged, right: Ranged) -> Ranged:
    """left - right."""
    if right.constant is not None:
        return total(left, number(-right.constant))
    return ranged(left.value - right.value, left.low - right.high, left.high - right.low)


def digits(factor: int) -> tuple[tuple[int, int], ...]:
    """Signed powers of two that add up to a positive number, the greatest first; the fewest there are.

    This is the non-adjacent form.

    >>> digits(10), digits(7)
    (((3, 1), (1, 1)), ((3, 1), (0, -1)))
    """
    found: list[tuple[int, int]] = []
    place = 0
    while factor:
        sign = (2 - factor % 4) * (factor & 1)
        if sign:
            found.insert(0, (place, sign))
        factor = (factor - sign) // 2
        place += 1
    return tuple(found)


def multiple(value: Ranged, factor: int) -> Ranged:
    """The value times a number, as a sum of shifted values."""
    if factor == 0 or value.constant is not None:
        return number(factor * value.low)
    if factor < 0:
        return difference(number(0), multiple(value, -factor))
    (place, _), *rest = digits(factor)
    found = value.value << place
    for place, sign in rest:
        found = found + (value.value << place) if sign > 0 else found - (value.value << place)
    return ranged(found, factor * value.low, factor * value.high)


def reciprocal(divisor: int, most: int) -> tuple[int, int]:
    """The least k, with its m, so that floor(y / divisor) = (y * m) >> k for 0 <= y <= most.

    With m = ceil(2^k / d) and e = m d - 2^k, y m / 2^k = y / d + y e / (d 2^k). The fraction of y / d is at most
    (d - 1) / d, so the floor is the same if y e < 2^k: with this k, for all y <= most.

    >>> reciprocal(3, 255)
    (171, 9)
    """
    shift = 0
    while True:
        factor = -(-(1 << shift) // divisor)
        if (factor * divisor - (1 << shift)) * most < 1 << shift:
            return factor, shift
        shift += 1


def shifted_down(value: Ranged, divisor: int) -> Ranged:
    """floor(value / divisor) for a power of two."""
    return ranged(value.value >> (divisor.bit_length() - 1), value.low // divisor, value.high // divisor)


def reciprocal_quotient(value: Ranged, divisor: int) -> Ranged:
    """floor(value / divisor) of a value that is not negative: a multiple of the reciprocal, shifted."""
    factor, shift = reciprocal(divisor, value.high)
    return ranged(multiple(value, factor).value >> shift, value.low // divisor, value.high // divisor)


def low_part(value: Ranged, divisor: int) -> Ranged:
    """value mod divisor, not negative, for a power of two: the low bits."""
    if value.low >= 0 and value.high < divisor:
        return value
    if divisor == 1:
        return number(0)
    return ranged(value.value.wrapped(unsigned(divisor.bit_length() - 1)), 0, divisor - 1)


def compared(op: str, left: Ranged, right: Ranged) -> Value:
    """The comparison of two numbers; a known bit where their ranges decide."""
    match op:
        case ">" | ">=":
            return compared("<" if op == ">" else "<=", right, left)
        case "<":
            return _unless(left.high < right.low, left.low >= right.high, left.value < right.value)
        case "<=":
            return _unless(left.high <= right.low, left.low > right.high, left.value <= right.value)
        case _:
            same = left.constant is not None and left.constant == right.constant
            apart = left.high < right.low or left.low > right.high
            equal = _unless(same, apart, left.value == right.value)
            return equal if op == "==" else ~equal if isinstance(equal, Const) else left.value != right.value


def _unless(always: bool, never: bool, otherwise: Value) -> Value:
    """The bit, unless it is known."""
    return const(int(always)) if always or never else otherwise


def chosen(condition: Value, left: Ranged, right: Ranged) -> Ranged:
    """The left number where the condition holds, else the right one."""
    low, high = min(left.low, right.low), max(left.high, right.high)
    if left.value is right.value:
        return Ranged(left.value, low, high)
    return ranged(mux(condition, left.value, right.value), low, high)
