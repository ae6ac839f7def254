"""Functions in hardware: errors within the stated bound, special values as in C, and C functions of the same bits."""

from __future__ import annotations

import ctypes
import math
import random
import struct
import subprocess
from collections.abc import Iterator, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from test_operators import TINIEST, TINY, everything, flushed, is_infinite, is_nan, nearest, results, specials, value_of

from loadstone.hardware.datapath.functions import emit_functions
from loadstone.model.functions import APPROXIMATE, ERROR_BOUND
from loadstone.operators import (
    DOUBLE,
    HALF,
    SINGLE,
    Float,
    make_cosine,
    make_exponential,
    make_logarithm,
    make_power,
    make_sine,
)
from loadstone.operators.functions.constants import pi
from loadstone.operators.software import HELPERS, emit_function
from loadstone.rtl import RtlError

MAKERS = {
    "exp": make_exponential,
    "log": make_logarithm,
    "pow": make_power,
    "sin": make_sine,
    "cos": make_cosine,
}
assert tuple(MAKERS) == APPROXIMATE
BOUND = Fraction(ERROR_BOUND).limit_denominator(100)
BEYOND = Fraction(4000)
"""Where exponentials are infinite or zero in all formats."""
ERRORS = Path(__file__).with_name("functions_errors.c")


# ---- What is right, by decimal numbers and by series ----


def decimal(x: Fraction) -> Decimal:
    return Decimal(x.numerator) / Decimal(x.denominator)


def turned(x: Fraction, bits: int = 1400) -> tuple[Fraction, Fraction]:
    """Sine and cosine by their series, after taking away quarters of a turn."""
    half_turn = Fraction(pi(2600), 2**2600)
    quarter = round(x * 2 / half_turn)
    rest = int((x - quarter * half_turn / 2) * 2**bits)

    def series(term: int, place: int) -> Fraction:
        total = 0
        while abs(term) > 1:
            total += term
            term = -((term * rest >> bits) * rest >> bits) // ((place + 1) * (place + 2))
            place += 2
        return Fraction(total, 2**bits)

    sine, cosine = series(rest, 1), series(1 << bits, 0)
    return ((sine, cosine), (cosine, -sine), (-sine, -cosine), (-cosine, sine))[quarter % 4]


def exact(function: str, x: Fraction, y: Fraction = Fraction(0)) -> Fraction:
    """The value of a function, to many more bits than any format has; a power has a positive base."""
    with localcontext() as context:
        context.prec = 80
        match function:
            case "exp":
                return Fraction(decimal(max(-BEYOND, min(BEYOND, x))).exp())
            case "log":
                return Fraction(decimal(x).ln())
            case "pow":
                return Fraction((decimal(x).ln() * decimal(y)).exp())
            case _:
                return turned(x)[int(function == "cos")]


def error(f: Float, bits: int, true: Fraction) -> Fraction:
    """How far a result is from a number, in units in the last place; infinity counts as the first number beyond."""
    found = value_of(f, bits)
    exponent = abs(true).numerator.bit_length() - abs(true).denominator.bit_length()
    exponent -= abs(true) < Fraction(2) ** exponent
    if is_infinite(f, bits) and abs(true) >= abs(found):
        return Fraction(0 if (found > 0) == (true > 0) else 10**9)
    used = min(max(exponent, 1 - f.bias), f.bias)
    return abs(found - true) / Fraction(2) ** (used - f.fraction_bits)


def operands(f: Float, function: str, count: int, seed: int = 1) -> Iterator[tuple[int, ...]]:
    """Finite operands for which a function has a value that is not 0, of all sizes that matter."""
    r, one = random.Random(seed), f.bias << f.fraction_bits
    for _ in range(count):
        near = max(1, f.bias - f.precision - 3), min(f.bias + f.exponent_bits + 2, f.special_exponent - 1)
        field = r.randint(*near) if r.random() < 0.6 else r.randrange(f.special_exponent)
        a = r.getrandbits(1) << (f.width - 1) | field << f.fraction_bits | r.getrandbits(f.fraction_bits)
        if function in ("log", "pow"):
            a = r.choice((a, one + r.choice((-1, 1)) * r.getrandbits(r.randint(1, f.fraction_bits)))) % (
                1 << f.width - 1
            )
        x = value_of(f, a)
        if x == 0 or (function in ("log", "pow") and x == 1):
            continue
        if function != "pow":
            yield (a,)
            continue
        reach = Fraction(r.uniform(-1.1, 1.1) * (f.bias + f.precision) * 0.69)
        b = nearest(f, reach / exact("log", x))
        if not is_infinite(f, b) and value_of(f, b):
            yield a, b


def assert_within_bound(f: Float, function: str, rows: Sequence[tuple[int, ...]], subnormals: bool) -> None:
    operator = MAKERS[function](f, subnormals=subnormals)
    least = Fraction(2) ** (1 - f.bias)
    for row, found in zip(rows, results(operator, rows), strict=True):
        numbers = [value_of(f, flushed(f, bits, subnormals)) for bits in row]
        if function in ("log", "pow") and numbers[0] == 0:
            continue
        true = exact(function, *numbers)
        if not subnormals and abs(true) < least:
            assert value_of(f, found) in (0, least, -least)
            continue
        assert error(f, found, true) <= BOUND, (operator.module.name, [hex(bits) for bits in row], hex(found))


@pytest.mark.parametrize("subnormals", [True, False])
@pytest.mark.parametrize("function", MAKERS)
@pytest.mark.parametrize("f", [HALF, SINGLE, DOUBLE], ids=lambda f: f.name)
def test_samples_are_within_the_bound(f: Float, function: str, subnormals: bool) -> None:
    assert_within_bound(f, function, list(operands(f, function, 200)), subnormals)


@pytest.mark.parametrize("function", ["exp", "log", "sin", "cos"])
@pytest.mark.parametrize("f", [TINY, TINIEST, Float(4, 3)], ids=lambda f: f.name)
def test_all_numbers_of_tiny_formats_are_within_the_bound(f: Float, function: str) -> None:
    finite = [bits for bits in everything(f) if not is_nan(f, bits) and not is_infinite(f, bits)]
    rows = [(bits,) for bits in finite if function != "log" or value_of(f, bits) > 0]
    assert_within_bound(f, function, rows, True)


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (SINGLE, Fraction(16367173) * 2**72),
        (DOUBLE, Fraction(6381956970095103) * 2**797),
        (DOUBLE, Fraction(5319372648326541) / 2**52),
    ],
    ids=["single", "double", "double_near_1"],
)
@pytest.mark.parametrize("function", ["sin", "cos"])
def test_numbers_next_to_a_quarter_turn_are_within_the_bound(f: Float, x: Fraction, function: str) -> None:
    """The two large ones are known to come nearest to multiples of pi / 2 [Muller 2016, chapter 11]."""
    turns = [nearest(f, Fraction(pi(1300), 2**1300) * k / 2) for k in range(1, 40)]
    assert_within_bound(f, function, [(nearest(f, x),), *((bits,) for bits in turns)], True)


# ---- Special values, as the C library has them ----


def library(name: str, count: int) -> ctypes._NamedFuncPointer:  # pyright: ignore[reportPrivateUsage]
    function = getattr(ctypes.CDLL("libm.so.6"), name)
    function.argtypes, function.restype = [ctypes.c_double] * count, ctypes.c_double
    return function


def real_of(bits: int) -> float:
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def is_plain(row: tuple[int, ...]) -> bool:
    """Whether an operand is 0, 1 or -1."""
    return any(abs(real_of(bits)) in (0, 1) for bits in row)


@pytest.mark.parametrize("function", MAKERS)
def test_special_values_are_those_of_c(function: str) -> None:
    count = 2 if function == "pow" else 1
    numbers = [*specials(DOUBLE), *(nearest(DOUBLE, Fraction(n, 2)) for n in (-7, -6, -4, -2, 1, 4, 5, 6))]
    quiet = [bits for bits in numbers if not is_nan(DOUBLE, bits) or bits >> 51 & 1]
    rows = list(product(quiet, repeat=count))
    called = library(function, count)
    for row, found in zip(rows, results(MAKERS[function](DOUBLE), rows), strict=True):
        expected, result = called(*map(real_of, row)), real_of(found)
        if math.isnan(expected):
            assert found == DOUBLE.nan, row
        elif expected in (0, math.inf, -math.inf) or (expected == 1 and is_plain(row)):
            assert (result, math.copysign(1, result)) == (expected, math.copysign(1, expected)), row
        else:
            assert abs(result - expected) <= math.ulp(expected), row


# ---- As functions in C ----


def compiled(folder: Path, sources: dict[str, str], *flags: str) -> Path:
    for name, text in sources.items():
        (folder / name).write_text(text)
    program = folder / "made"
    command = ["gcc", "-O1", "-fno-builtin", "-Wall", "-Wextra", *flags, *sources, "-o", str(program), "-lm"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return program


@cache
def names_of(f: Float) -> dict[str, str]:
    return {function: function + ("f" if f == SINGLE else "") for function in MAKERS}


@pytest.mark.parametrize("f", [SINGLE, DOUBLE], ids=lambda f: f.name)
def test_functions_in_c_give_the_same_bits(f: Float, tmp_path: Path) -> None:
    word = "unsigned" if f == SINGLE else "unsigned long long"
    texts = [HELPERS]
    for function, make in MAKERS.items():
        arguments = "ab" if function == "pow" else "a"
        given, passed = (", ".join(f"{kind}{each}" for each in arguments) for kind in (f"{word} ", ""))
        texts += [emit_function(make(f), f"own_{function}"), f"{word} {function}_bits({given});"]
        texts.append(f"{word} {function}_bits({given}) {{ return ({word})own_{function}({passed}); }}")
    made = ctypes.CDLL(str(compiled(tmp_path, {"functions.c": "\n".join(texts)}, "-shared", "-fPIC")))
    for function, make in MAKERS.items():
        single = specials(f)
        pairs = list(product(single[::3], single)) if function == "pow" else [(bits,) for bits in single]
        rows = [*pairs, *operands(f, function, 60)]
        called = getattr(made, f"{function}_bits")
        kind = ctypes.c_uint if f == SINGLE else ctypes.c_ulonglong
        called.argtypes, called.restype = [kind] * len(rows[0]), kind
        for row, expected in zip(rows, results(make(f), rows), strict=True):
            assert called(*row) == expected, (function, row)


def greatest_error(f: Float, function: str, folder: Path, count: int) -> tuple[float, str]:
    """The greatest error of a function in C, found by the library's function in more bits; and where it is."""
    name, least = names_of(f)[function], 1 - f.bias
    arguments = "a, b" if function == "pow" else "a"
    kind, more = ("float", "double") if f == SINGLE else ("double", "long double")
    wide = f"{function}l" if more == "long double" else function
    given = {
        "REAL": kind,
        "MORE": more,
        "WORD": "uint32_t" if f == SINGLE else "uint64_t",
        "BITS": str(f.precision),
        "LEAST": f"({least})",
        "ARGUMENTS": "2" if function == "pow" else "1",
        "LIBRARY": f"{wide}({arguments})" if function == "pow" else f"{wide}(a)",
    }
    defined = [f"-D{key}={value}" for key, value in given.items()]
    tested = emit_functions([name]).replace(f" {name}(", " own_function(")
    head = f"{kind} tested({kind} a, {kind} b)"
    tested += f"{head};\n{head} {{ (void)b; return own_function({arguments}); }}\n"
    program = compiled(folder, {"functions.c": tested, "errors.c": ERRORS.read_text()}, *defined)
    worst, *where = subprocess.run(
        [str(program), str(count)], capture_output=True, text=True, check=True
    ).stdout.split()
    return float(worst), " ".join(where)


@pytest.mark.parametrize("function", MAKERS)
@pytest.mark.parametrize("f", [SINGLE, DOUBLE], ids=lambda f: f.name)
def test_all_exponents_are_within_the_bound(f: Float, function: str, tmp_path: Path) -> None:
    worst, where = greatest_error(f, function, tmp_path, 400 if f == SINGLE else 50)
    assert 0.4 < worst <= ERROR_BOUND, where


@pytest.mark.sweep
@pytest.mark.parametrize("function", MAKERS)
@pytest.mark.parametrize("f", [SINGLE, DOUBLE], ids=lambda f: f.name)
def test_many_numbers_of_all_exponents_are_within_the_bound(f: Float, function: str, tmp_path: Path) -> None:
    worst, where = greatest_error(f, function, tmp_path, 100_000 if f == SINGLE else 10_000)
    assert 0.49 < worst <= ERROR_BOUND, where


def test_what_c_cannot_hold_is_refused() -> None:
    with pytest.raises(RtlError, match="C computes with 128 bits at most"):
        emit_function(make_logarithm(Float(15, 112)), "quadruple")
