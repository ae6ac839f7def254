"""Expressions over hardware values; every node carries its type, and operators give exact results.

>>> a, b = Signal(unsigned(8), "a", "input"), Signal(signed(4), "b", "input")
>>> [str(e.type) for e in (a + 1, a - 1, a + b, a * b, a < b, a << 2, a >> 2, (a + 1).resized(8), a[2:5], -a)]
['unsigned(9)', 'signed(9)', 'signed(10)', 'signed(12)', 'unsigned(1)', 'unsigned(10)', 'unsigned(6)', 'unsigned(8)', 'unsigned(3)', 'signed(9)']
"""  # noqa: E501

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NoReturn

from loadstone.rtl.folding import BinaryOperator, CompareOperator, bit_range, decided, folded
from loadstone.rtl.types import Bits, Enum, RtlError, Type, bit, common_type, signed, type_of, unsigned

Kind = Literal["input", "output", "parameter", "wire", "register"]
UnaryOperator = Literal["not", "neg"]
ReduceOperator = Literal["any", "all", "parity"]
_LONGEST_AMOUNT = 30


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """A typed expression. `==` compares in hardware; Python's truth value of it is an error."""

    type: Type

    @property
    def bits(self) -> Bits:
        """The type, which must be an integer type."""
        if not isinstance(self.type, Bits):
            raise RtlError(f"a value of enumeration '{self.type}' has no arithmetic")
        return self.type

    @property
    def width(self) -> int:
        """The number of bits."""
        return self.type.width

    @property
    def mask(self) -> int:
        """The number with as many bits set as the value has."""
        return (1 << self.width) - 1

    def __bool__(self) -> NoReturn:
        raise RtlError("a hardware value has no truth value in Python: use & | ~ and m.when")

    __hash__ = object.__hash__

    def __add__(self, other: Operand) -> Value:
        return _sum("add", self, as_value(other))

    def __radd__(self, other: Operand) -> Value:
        return _sum("add", as_value(other), self)

    def __sub__(self, other: Operand) -> Value:
        return _sum("sub", self, as_value(other))

    def __rsub__(self, other: Operand) -> Value:
        return _sum("sub", as_value(other), self)

    def __mul__(self, other: Operand) -> Value:
        return _product(self, as_value(other))

    def __rmul__(self, other: Operand) -> Value:
        return _product(as_value(other), self)

    def __neg__(self) -> Value:
        wide = signed(self.bits.width + 1)
        return _unary("neg", converted(self, wide), wide)

    def __and__(self, other: Operand) -> Value:
        return _bitwise("and", self, as_value(other))

    def __rand__(self, other: Operand) -> Value:
        return _bitwise("and", as_value(other), self)

    def __or__(self, other: Operand) -> Value:
        return _bitwise("or", self, as_value(other))

    def __ror__(self, other: Operand) -> Value:
        return _bitwise("or", as_value(other), self)

    def __xor__(self, other: Operand) -> Value:
        return _bitwise("xor", self, as_value(other))

    def __rxor__(self, other: Operand) -> Value:
        return _bitwise("xor", as_value(other), self)

    def __invert__(self) -> Value:
        return _unary("not", self, self.bits)

    def __lshift__(self, amount: Operand) -> Value:
        return _left(self, amount) if isinstance(amount, int) else _shift("left", self, as_value(amount))

    def __rshift__(self, amount: Operand) -> Value:
        return _right(self, amount) if isinstance(amount, int) else _shift("right", self, as_value(amount))

    def __eq__(self, other: Operand) -> Value:  # pyright: ignore[reportIncompatibleMethodOverride]
        return _compare("eq", self, other)

    def __ne__(self, other: Operand) -> Value:  # pyright: ignore[reportIncompatibleMethodOverride]
        return _compare("ne", self, other)

    def __lt__(self, other: Operand) -> Value:
        return _compare("lt", self, other)

    def __le__(self, other: Operand) -> Value:
        return _compare("le", self, other)

    def __gt__(self, other: Operand) -> Value:
        return _compare("gt", self, other)

    def __ge__(self, other: Operand) -> Value:
        return _compare("ge", self, other)

    def __getitem__(self, index: int | slice | Value) -> Value:
        """Bits `x[low:high]` (high excluded), bit `x[i]` (negative: from the top), or bit `x[value]`; unsigned."""
        if isinstance(index, Value):
            return sliced(_shift("right", self, index), 0, 1)
        low, high = bit_range(index, self.bits.width)
        return sliced(self, low, high - low)

    def __iter__(self) -> NoReturn:
        raise RtlError("a hardware value cannot be iterated; take bits of it with x[i]")

    def resized(self, width: int) -> Value:
        """The value with another width, of the same sign: extended, or its low bits."""
        target = Bits(width, self.bits.signed)
        return truncated(self, width) if width < self.width else converted(self, target)

    def wrapped(self, target: Bits) -> Value:
        """The value of a type that equals this one modulo 2^width."""
        return reinterpreted(self.resized(target.width), target.signed)

    def as_signed(self) -> Value:
        """The same bits, read as two's complement."""
        return reinterpreted(self, True)

    def as_unsigned(self) -> Value:
        """The same bits, read as an unsigned number."""
        return reinterpreted(self, False)

    def any(self) -> Value:
        """Whether some bit is set."""
        return _reduced("any", self)

    def all(self) -> Value:
        """Whether every bit is set."""
        return _reduced("all", self)

    def parity(self) -> Value:
        """Whether an odd number of bits is set."""
        return _reduced("parity", self)


Operand = Value | int | str


@dataclass(frozen=True, slots=True, eq=False)
class Const(Value):
    """A number, or the number of a member of an enumeration."""

    value: int


@dataclass(frozen=True, slots=True, eq=False)
class Signal(Value):
    """A named value of a module: a port, a parameter, a wire or a register with its initial value."""

    name: str
    kind: Kind
    initial: int = 0
    resets: bool = False
    comment: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Unary(Value):
    """`~a` or `-a` modulo 2^width; the operand has the type of the result."""

    operator: UnaryOperator
    operand: Value


@dataclass(frozen=True, slots=True, eq=False)
class Binary(Value):
    """Arithmetic modulo 2^width. The operands have the type of the result; those of a product only its sign."""

    operator: BinaryOperator
    left: Value
    right: Value


@dataclass(frozen=True, slots=True, eq=False)
class Compare(Value):
    """A comparison of two values of the same type."""

    operator: CompareOperator
    left: Value
    right: Value


@dataclass(frozen=True, slots=True, eq=False)
class Shift(Value):
    """A shift by a value, which keeps the type; to the right it repeats the sign."""

    direction: Literal["left", "right"]
    operand: Value
    amount: Value


@dataclass(frozen=True, slots=True, eq=False)
class Extend(Value):
    """The same value in a wider type."""

    operand: Value


@dataclass(frozen=True, slots=True, eq=False)
class Reinterpret(Value):
    """The same bits with the other sign."""

    operand: Value


@dataclass(frozen=True, slots=True, eq=False)
class Slice(Value):
    """The bits of a value from `low` on, as many as the type has, unsigned."""

    operand: Value
    low: int


@dataclass(frozen=True, slots=True, eq=False)
class Concat(Value):
    """Two or more unsigned values side by side, the most significant first."""

    parts: tuple[Value, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Mux(Value):
    """One of two values of the same type."""

    condition: Value
    left: Value
    right: Value


@dataclass(frozen=True, slots=True, eq=False)
class Reduce(Value):
    """One bit from all bits of a value."""

    operator: ReduceOperator
    operand: Value


def const(value: int, type: Bits | None = None) -> Const:
    """A number in a type, or in the smallest that holds it."""
    target = type or type_of(value)
    if not target.holds(value):
        raise RtlError(f"{value} is no value of {target}")
    return Const(target, int(value))


def as_value(operand: Operand, enum: Type | None = None) -> Value:
    """An operand as an expression; a string names a member of the enumeration."""
    match operand:
        case Value():
            return operand
        case int():
            return const(int(operand))
        case str():
            if not isinstance(enum, Enum) or operand not in enum.members:
                raise RtlError(f"'{operand}' is no member of {enum}")
            return Const(enum, enum.members.index(operand))


def converted(operand: Operand, target: Type) -> Value:
    """An operand in a type that includes all its values; another type is an error."""
    value = as_value(operand, target)
    if value.type == target:
        return value
    if isinstance(value.type, Bits) and isinstance(target, Bits):
        if isinstance(value, Const) and target.holds(value.value):
            return Const(target, value.value)
        if target.includes(value.type):
            return _extended(value, target)
    raise RtlError(f"a value of {value.type} does not fit {target}; use resized, wrapped, as_signed or as_unsigned")


def cat(*parts: Operand) -> Value:
    """The bits of values side by side, the most significant first; a number takes the bits that it needs."""
    return _concatenated(tuple(as_value(part).as_unsigned() for part in parts))


def repeat(value: Value, count: int) -> Value:
    """The bits of a value several times side by side."""
    return cat(*(value for _ in range(count)))


def reinterpreted(value: Value, sign: bool) -> Value:
    """The same bits with or without sign."""
    target = Bits(value.bits.width, sign)
    match value:
        case _ if value.type == target:
            return value
        case Const():
            return Const(target, target.wrap(value.value))
        case Reinterpret():
            return value.operand
        case _:
            return Reinterpret(target, value)


def truncated(value: Value, width: int) -> Value:
    """The low bits of a value, of the same sign. Operations whose low bits need only low bits are made narrower."""
    target = Bits(width, value.bits.signed)
    if width >= value.width:
        return value
    match value:
        case Binary() if width > 1 or value.operator in ("and", "or", "xor"):
            return Binary(target, value.operator, _low(value.left, target), _low(value.right, target))
        case Unary() if width > 1 or value.operator == "not":
            return Unary(target, value.operator, truncated(value.operand, width))
        case Extend() if width <= value.operand.width:
            return reinterpreted(truncated(value.operand, width), target.signed)
        case Extend():
            return Extend(target, value.operand)
        case Mux():
            return Mux(target, value.condition, truncated(value.left, width), truncated(value.right, width))
        case Shift() if value.direction == "left" and width > 1:
            return Shift(target, "left", truncated(value.operand, width), value.amount)
        case _:
            return reinterpreted(sliced(value, 0, width), target.signed)


def sliced(value: Value, low: int, width: int) -> Value:
    """Some neighbouring bits of a value, as an unsigned value."""
    target = unsigned(width)
    if width == value.bits.width:
        return value.as_unsigned()
    match value:
        case Const():
            return Const(target, target.wrap(value.value >> low))
        case Slice():
            return sliced(value.operand, value.low + low, width)
        case Reinterpret():
            return sliced(value.operand, low, width)
        case Extend() if low + width <= value.operand.width:
            return sliced(value.operand, low, width)
        case Concat():
            return _sliced_parts(value.parts, low, width)
        case Binary() | Unary() | Mux() if low + width < value.width and low + width > 1:
            return sliced(truncated(value, low + width), low, width)
        case _:
            return Slice(target, value, low)


def _sliced_parts(parts: tuple[Value, ...], low: int, width: int) -> Value:
    """Some neighbouring bits of a concatenation."""
    found: list[Value] = []
    start = 0
    for part in reversed(parts):
        first, last = max(low, start), min(low + width, start + part.width)
        if first < last:
            found.insert(0, sliced(part, first - start, last - first))
        start += part.width
    return _concatenated(tuple(found))


def _concatenated(parts: tuple[Value, ...]) -> Value:
    """Unsigned values side by side."""
    flat = tuple(inner for part in parts for inner in (part.parts if isinstance(part, Concat) else (part,)))
    target = unsigned(sum(part.width for part in flat))
    if all(isinstance(part, Const) for part in flat):
        bits = "".join(format(part.value, f"0{part.width}b") for part in flat if isinstance(part, Const))
        return Const(target, int(bits, 2))
    return flat[0] if len(flat) == 1 else Concat(target, flat)


def _low(value: Value, target: Bits) -> Value:
    """The low bits of an operand, at most as many as the type has, with its sign."""
    return reinterpreted(truncated(value, target.width), target.signed)


def _extended(value: Value, target: Bits) -> Value:
    """The value in a wider type; an extension of an extension is one."""
    return Extend(target, value.operand if isinstance(value, Extend) else value)


def _binary(operator: BinaryOperator, left: Value, right: Value, target: Bits) -> Value:
    """An operation, computed here where both operands are numbers."""
    if isinstance(left, Const) and isinstance(right, Const):
        return Const(target, target.wrap(folded(operator, left.value, right.value)))
    return Binary(target, operator, left, right)


def _unary(operator: UnaryOperator, operand: Value, target: Bits) -> Value:
    if isinstance(operand, Const):
        return Const(target, target.wrap(~operand.value if operator == "not" else -operand.value))
    return Unary(target, operator, operand)


def _sum(operator: Literal["add", "sub"], left: Value, right: Value) -> Value:
    """Sum or difference with one bit more than the operands; a difference is signed."""
    common = common_type(left.bits, right.bits)
    target = Bits(common.width + 1, common.signed or operator == "sub")
    return _binary(operator, converted(left, target), converted(right, target), target)


def _product(left: Value, right: Value) -> Value:
    """Product with as many bits as both operands together."""
    sign = left.bits.signed or right.bits.signed
    target = Bits(left.width + right.width, sign)
    return _binary("mul", _with_sign(left, sign), _with_sign(right, sign), target)


def _with_sign(value: Value, sign: bool) -> Value:
    """The value in a signed type if `sign`, one bit wider where needed."""
    return converted(value, signed(value.width + 1)) if sign and not value.bits.signed else value


def _bitwise(operator: Literal["and", "or", "xor"], left: Value, right: Value) -> Value:
    """Bit by bit in the common type; conditions that are known disappear."""
    target = common_type(left.bits, right.bits)
    if target == bit and operator != "xor":
        for known, other in ((left, right), (right, left)):
            if isinstance(known, Const):
                return other if known.value == (operator == "and") else known
    return _binary(operator, converted(left, target), converted(right, target), target)


def _left(value: Value, amount: int) -> Value:
    """The value times 2^amount, exactly."""
    return value if amount == 0 else reinterpreted(cat(value, Const(unsigned(amount), 0)), value.bits.signed)


def _right(value: Value, amount: int) -> Value:
    """The value divided by 2^amount, rounded down, without the bits that are gone."""
    if amount == 0:
        return value
    if amount >= value.bits.width and not value.bits.signed:
        return const(0)
    start = min(amount, value.width - 1)
    return reinterpreted(sliced(value, start, value.width - start), value.bits.signed)


def _shift(direction: Literal["left", "right"], value: Value, amount: Value) -> Value:
    """The value shifted by another one, in the same type."""
    if amount.bits.signed or amount.width > _LONGEST_AMOUNT:
        raise RtlError(f"a value is shifted by an unsigned value of at most {_LONGEST_AMOUNT} bits, not {amount.type}")
    if value.bits == bit:
        return value & (amount == 0)
    if isinstance(amount, Const):
        return (_left if direction == "left" else _right)(value, amount.value).wrapped(value.bits)
    return Shift(value.bits, direction, value, amount)


def _compare(operator: CompareOperator, left: Value, right: Operand) -> Value:
    """A comparison in the common type; one that the types decide is a number."""
    other = as_value(right, left.type)
    if isinstance(left.type, Enum):
        if operator not in ("eq", "ne") or other.type != left.type:
            raise RtlError(f"cannot compare values of {left.type} and {other.type} by '{operator}'")
        return Compare(bit, operator, left, other)
    known = decided(operator, _range(left), _range(other))
    if known is not None:
        return const(int(known))
    common = common_type(left.bits, other.bits)
    return Compare(bit, operator, converted(left, common), converted(other, common))


def _range(value: Value) -> tuple[int, int]:
    """The least and the greatest number that a value can be, by its type."""
    inner = value.operand if isinstance(value, Extend) else value
    return (inner.value, inner.value) if isinstance(inner, Const) else (inner.bits.minimum, inner.bits.maximum)


def _reduced(operator: ReduceOperator, operand: Value) -> Value:
    """One bit from all bits of a value."""
    if operand.bits.width == 1:
        return operand.as_unsigned()
    return Reduce(bit, operator, operand)
