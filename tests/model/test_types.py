"""Integers of any width and fixed point: C functions and interpreter against exact arithmetic, kernels in all ways."""

from __future__ import annotations

import ctypes
import json
import math
import random
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path
from typing import get_args

import pytest

import loadstone as ls
from kernels import EXAMPLES, ROOT, random_kernel, tiny_parameters
from loadstone.cli.main import main
from loadstone.emit.c.printer import emit_expression, helpers_used
from loadstone.errors import InputError
from loadstone.frontend.formats import read_type
from loadstone.loops.accelerator import Accelerator
from loadstone.model.evaluate import evaluate
from loadstone.model.expression import COMPARISONS, Binary, Cast, Constant, Expression, Operand, Unary, walk
from loadstone.model.kernel import Kernel
from loadstone.model.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    SCHAR,
    SHORT,
    UINT,
    ULONG,
    Number,
    Overflow,
    Rounding,
    ScalarType,
    common_type,
    ctypes_type,
    fixed_type,
    integer_type,
    promoted,
)
from loadstone.networks.sizes import sized
from loadstone.options import Flavour, Target
from loadstone.pipeline import plan_tiles
from loadstone.simulate.interpreter import execute
from loadstone.simulate.memory import Memory, copied, initial_memory, live_out_arrays, mismatches, same
from loadstone.simulate.programs.compiled import compile_printed
from loadstone.simulate.programs.generated import compile_network
from loadstone.storage.local_plan import with_buffers
from loadstone.transform.choice import choose_tiling
from ready import run_accelerator

STRICT = ("-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-fwrapv")
ROUNDINGS: tuple[Rounding, ...] = get_args(Rounding)
OVERFLOWS: tuple[Overflow, ...] = get_args(Overflow)


def formats(bits: int, fractions: Sequence[int]) -> list[ScalarType]:
    return [
        fixed_type(bits, fraction, signed=signed, rounding=rounding, overflow=overflow)
        for fraction, signed, rounding, overflow in product(fractions, (True, False), ROUNDINGS, OVERFLOWS)
    ]


SMALL = [*formats(5, (0, 2)), *formats(4, (4,))]
WIDTHS = {64: (0, 1, 31, 63, 64), 63: (5,), 33: (32,), 32: (0, 16, 32), 31: (31,), 1: (1,)}
WIDE = [kind for bits, fractions in WIDTHS.items() for kind in formats(bits, fractions)]
NARROW_INTEGERS = [integer_type(bits, signed) for bits in (5, 12, 20, 31, 40, 63) for signed in (True, False)]


@dataclass(frozen=True)
class Case:
    """An expression of one or two operands, their values, and the exact result."""

    tree: Expression
    kinds: tuple[ScalarType, ...]
    operands: Sequence[tuple[Number, ...]]
    exact: Callable[[tuple[Number, ...]], Number]


def range_of(kind: ScalarType) -> range:
    return range(kind.least, kind.greatest + 1)


def some_of(kind: ScalarType, seed: str) -> list[int]:
    """The ends of a range and what lies between."""
    source = random.Random(seed)
    near = [kind.least, kind.least + 1, kind.greatest, kind.greatest - 1, -1, 0, 1, 2, 3, -2, 1 << (kind.bits // 2)]
    shifts = [source.randint(kind.least, kind.greatest) >> source.randrange(kind.bits) for _ in range(10)]
    return sorted({value for value in (*near, *shifts) if kind.least <= value <= kind.greatest})


def brought_into(kind: ScalarType, value: Fraction) -> int:
    """Units of a number: rounded, then wrapped or saturated, by the definitions."""
    scaled = value * 2**kind.fraction
    match kind.rounding:
        case "truncate":
            units = math.floor(scaled)
        case "nearest":
            units = math.floor(scaled + Fraction(1, 2))
        case "nearest_even":
            units = round(scaled)
    return in_range(kind, units)


def in_range(kind: ScalarType, value: int) -> int:
    if kind.overflow == "saturate":
        return max(kind.least, min(kind.greatest, value))
    wrapped = value % 2**kind.bits
    return wrapped - 2**kind.bits if kind.signed and wrapped >= 2 ** (kind.bits - 1) else wrapped


def number(kind: ScalarType, value: Number) -> Fraction:
    return Fraction(value) / 2**kind.fraction


EXACT: dict[str, Callable[[Fraction, Fraction], Fraction | bool]] = {
    "+": Fraction.__add__,
    "-": Fraction.__sub__,
    "*": Fraction.__mul__,
    "/": lambda a, b: a / b if b else Fraction(0),
    "min": min,
    "max": max,
    "<": Fraction.__lt__,
    "==": Fraction.__eq__,
}


def arithmetic(kind: ScalarType, values: Sequence[int]) -> Iterator[Case]:
    for op in EXACT:
        tree = Binary(op, Operand(0, kind), Operand(1, kind), INT if op in COMPARISONS else kind)
        yield Case(tree, (kind, kind), list(product(values, repeat=2)), partial(combined, op, kind))
    yield Case(Unary("-", Operand(0, kind), kind), (kind,), [(value,) for value in values], partial(negated, kind))


def combined(op: str, kind: ScalarType, operands: tuple[Number, ...]) -> Number:
    left, right = (number(kind, value) for value in operands)
    result = EXACT[op](left, right)
    return brought_into(kind, result) if isinstance(result, Fraction) else int(result)


def negated(kind: ScalarType, operands: tuple[Number, ...]) -> Number:
    return brought_into(kind, -number(kind, operands[0]))


def conversion(source: ScalarType, target: ScalarType, values: Sequence[Number]) -> Case:
    tree = Cast(Operand(0, source), target)
    return Case(tree, (source,), [(value,) for value in values], partial(converted, source, target))


def converted(source: ScalarType, target: ScalarType, operands: tuple[Number, ...]) -> Number:
    (value,) = operands
    if target == BOOL:
        return int(value != 0)
    if not math.isfinite(value):
        saturates = target.overflow == "saturate" and not math.isnan(value)
        return (target.greatest if value > 0 else target.least) if saturates else 0
    real = number(source, value)
    match target.kind:
        case "fixed":
            return brought_into(target, real)
        case "int":
            return in_range(target, math.trunc(real))
        case "float":
            return nearest_float(target, real)


def nearest_float(kind: ScalarType, real: Fraction) -> float:
    """The nearest number of a floating-point type, the even one of two: significands of 53 or of 24 bits."""
    if real == 0:
        return 0.0
    digits = 53 if kind == DOUBLE else 24
    exponent = math.floor(math.log2(abs(real))) - digits + 1
    while abs(real) >= Fraction(2) ** (exponent + digits):
        exponent += 1
    while abs(real) < Fraction(2) ** (exponent + digits - 1):
        exponent -= 1
    return float(round(real / Fraction(2) ** exponent) * Fraction(2) ** exponent)


REALS = [0.0, -0.0, 0.5, -0.5, 0.25, 1.5, -1.5, 2.5, 0.49999999999999994, -0.49999999999999994, 1e300, -1e300, 5e-324]
UNUSUAL = [math.inf, -math.inf, math.nan, 2.0**63, -(2.0**63), 2.0**64, 3e19, -3e19, 4503599627370497.5, 7.75, -7.75]


def reals() -> list[float]:
    source = random.Random(3)
    return REALS + UNUSUAL + [math.ldexp(source.uniform(-1, 1), source.randrange(-8, 70)) for _ in range(60)]


def conversions() -> Iterator[Case]:
    integers = (SCHAR, SHORT, INT, UINT, LONG, ULONG, BOOL, *NARROW_INTEGERS)
    others = random.Random(1).sample([*formats(7, (1, 7)), *formats(4, (0, 3)), *WIDE], 9)
    for source in random.Random(2).sample(SMALL, 6):
        for target in (*others, *random.Random(3).sample(SMALL, 6), *integers, FLOAT, DOUBLE):
            yield conversion(source, target, range_of(source))
    for source in (*others, *integers):
        for target in (*others, *random.Random(4).sample(SMALL, 3), *NARROW_INTEGERS):
            yield conversion(source, target, [0, 1] if source == BOOL else some_of(source, str(source)))
        if source.is_fixed:
            for target in (*integers, FLOAT, DOUBLE):
                yield conversion(source, target, some_of(source, str(source)))
    singles = [ctypes.c_float(value).value for value in reals()]
    for target in (*random.Random(5).sample([*SMALL, *WIDE], 30), *NARROW_INTEGERS):
        yield conversion(DOUBLE, target, reals())
        yield conversion(FLOAT, target, singles)


def compiled(cases: Sequence[Case], folder: Path) -> list[Callable[..., object]]:
    """A C function for each case that computes it for arrays of operands."""
    lines = ["#include <math.h>", "", *helpers_used(case.tree for case in cases)]
    for k, case in enumerate(cases):
        inputs = "".join(f"const {kind} *x{j}, " for j, kind in enumerate(case.kinds))
        result = emit_expression(case.tree, [f"x{j}[i]" for j in range(len(case.kinds))])
        lines += [f"void case_{k}({inputs}{case.tree.type} *result, long count);"]
        lines += [f"void case_{k}({inputs}{case.tree.type} *result, long count)", "{"]
        lines += ["  for (long i = 0; i < count; i++)", f"    result[i] = {result};", "}"]
    (folder / "cases.c").write_text("\n".join(lines) + "\n")
    command = ["gcc", *STRICT, "-fPIC", "-shared", "cases.c", "-o", "cases.so", "-lm"]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[:4000]
    library = ctypes.CDLL(str(folder / "cases.so"))
    return [getattr(library, f"case_{k}") for k in range(len(cases))]


def check(cases: Sequence[Case], folder: Path) -> None:
    """C and interpreter agree with exact arithmetic for all operands."""
    for case, function in zip(cases, compiled(cases, folder), strict=True):
        count = len(case.operands)
        arrays = [
            (ctypes_type(kind) * count)(*(operands[j] for operands in case.operands))
            for j, kind in enumerate(case.kinds)
        ]
        results = (ctypes_type(case.tree.type) * count)()
        function(*arrays, results, ctypes.c_long(count))
        for operands, result in zip(case.operands, results, strict=True):
            expected = case.exact(operands)
            where = f"{emit_expression(case.tree, ['x', 'y'])} of {operands}, {case.tree.type}"
            assert same(expected, result), f"C: {where}: {result}, not {expected}"
            assert same(expected, evaluate(case.tree, {}, operands)), f"model: {where}"


def test_arithmetic_on_all_values_of_small_formats(tmp_path: Path) -> None:
    check([case for kind in SMALL for case in arithmetic(kind, range_of(kind))], tmp_path)


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.sweep) for part in range(1, 5))])
def test_arithmetic_at_the_ends_of_wide_formats(part: int, tmp_path: Path) -> None:
    check([case for kind in WIDE[part::5] for case in arithmetic(kind, some_of(kind, kind.described))], tmp_path)


def test_conversions(tmp_path: Path) -> None:
    check(list(conversions()), tmp_path)


# ---- Kernels ----

RANDOM_TYPES = (
    {"double": "fixed(16,8,nearest,saturate)", "float": "fixed(24,12)", "int": "int(20)", "unsigned char": "uint(5)"},
    {
        "double": "fixed(40,20,nearest-even)",
        "float": "fixed(8,8,saturate)",
        "short": "int(12)",
        "unsigned int": "uint(40)",
    },
    {"double": "fixed(64,32)", "float": "fixed(12,4,unsigned,saturate)", "short": "fixed(16,4)", "int": "int(40)"},
    {"double": "fixed(64,60,nearest,saturate)", "float": "double", "unsigned char": "uint(3)", "long long": "int(50)"},
    {"double": "float", "float": "fixed(9,5,nearest-even)", "unsigned": "uint(20)", "int": "int(7)"},
)
EXAMPLE_TYPES = {
    "gemm": ("double=fixed(16,8,nearest,saturate)", "double=fixed(12,6)", "double=fixed(48,24,nearest-even)"),
    "jacobi-1d": ("double=fixed(20,12,nearest)", "double=float"),
    "trisolv": ("double=fixed(24,10,nearest-even,saturate)", "double=fixed(64,40)", "double=fixed(16,12,unsigned)"),
    "fir": ("int=int(12)", "int=uint(9)", "int=fixed(16,4,nearest,saturate)", "int=int(40)"),
    "histogram": ("unsigned char=uint(6)", "int=int(5)", "int=fixed(10,2,saturate)"),
    "threshold": ("int=int(9)", "unsigned char=fixed(8,4,unsigned)"),
    "floyd-warshall": ("int=int(6)", "double=fixed(14,3,saturate)"),
    "adi": ("double=fixed(28,14,nearest,saturate)",),
    "idwt97": ("int=int(24)",),
    "fir_fixed": ("sum=fixed(40,19,nearest-even)", "coefficient=float", "sample=int(9)"),
}


def filled(kernel: Kernel, parameters: Mapping[str, int], seed: int) -> Memory:
    """A memory in which fixed point may be any number."""
    memory = initial_memory(kernel, parameters, seed)
    for buffer in memory.values():
        if buffer.type.is_fixed and kernel.arrays[buffer.name].values is None:
            source = random.Random(f"{buffer.name}:{seed}")
            buffer.cells[:] = (source.randint(buffer.type.least, buffer.type.greatest) for _ in buffer.cells)
    return memory


def check_kernel(kernel: Kernel, rows: Iterable[Mapping[str, int]]) -> None:
    """The interpreter and the C printed from the model agree, for moderate inputs and for any."""
    assert kernel.original is None
    program = compile_printed(kernel)
    for number_of_row, parameters in enumerate(rows):
        for make in (initial_memory, filled):
            start = make(kernel, parameters, number_of_row)
            interpreted, printed = copied(start), copied(start)
            execute(kernel, parameters, interpreted)
            program.run(parameters, printed)
            assert not mismatches(interpreted, printed, live_out_arrays(kernel)), dict(parameters)
            assert all(is_valid(cell, b.type) for b in interpreted.values() for cell in b.cells)


def is_valid(cell: Number, kind: ScalarType) -> bool:
    return kind.kind == "float" or kind.least <= cell <= kind.greatest


@pytest.mark.parametrize(
    ("stem", "choice"), [(stem, choice) for stem, choices in EXAMPLE_TYPES.items() for choice in choices]
)
def test_examples_with_other_types(stem: str, choice: str) -> None:
    name, _, kind = choice.partition("=")
    kernel = ls.parse(next(path for path in EXAMPLES if path.stem == stem), types={name: kind})
    check_kernel(kernel, list(tiny_parameters(kernel, (2, 5)))[:3])


@pytest.mark.parametrize("seed", range(30))
def test_random_kernels(seed: int) -> None:
    check_random(seed, may=seed % 3 == 0)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(30, 400))
def test_many_random_kernels(seed: int) -> None:
    check_random(seed, may=seed % 3 == 0)


def check_random(seed: int, *, may: bool) -> None:
    try:
        kernel, rows = random_kernel(seed, may=may, types=RANDOM_TYPES[seed % len(RANDOM_TYPES)])
    except InputError as error:
        messages = {diagnostic.message for diagnostic in error.diagnostics}
        assert all("on fixed point" in message or "needs integer" in message for message in messages), messages
        pytest.skip("functions on fixed point")
    check_kernel(kernel, rows[:2])


@pytest.mark.parametrize(
    ("stem", "choice", "target", "flavour"),
    [
        ("gemm", "double=fixed(16,8,nearest,saturate)", "c", "vitis"),
        ("gemm", "double=fixed(64,30,nearest-even)", "hls", "intel"),
        ("histogram", "unsigned char=uint(6)", "c", "vitis"),
        ("jacobi-1d", "double=fixed(33,20,saturate)", "hls", "vitis"),
        ("trisolv", "double=fixed(24,10,nearest)", "c", "vitis"),
    ],
)
def test_accelerators(stem: str, choice: str, target: Target, flavour: Flavour) -> None:
    name, _, kind = choice.partition("=")
    kernel = ls.parse(next(path for path in EXAMPLES if path.stem == stem), types={name: kind})
    parameters = dict.fromkeys(kernel.parameters, 9)
    plan = with_buffers(plan_tiles(choose_tiling(kernel)))
    assert run_accelerator(Accelerator(plan), parameters, target=target, flavour=flavour).is_right


def test_network_with_other_types() -> None:
    kernel = ls.parse(ROOT / "examples" / "fir_fixed.c")
    parameters = {"taps": 3, "n": 11}
    network = ls.network(kernel)
    sizes = sized(network, parameters)
    start = filled(kernel, parameters, 0)
    expected = copied(start)
    execute(kernel, parameters, expected)
    for program in (
        compile_network(network, sizes, parameters),
        compile_network(network, sizes, parameters, "vitis"),
    ):
        actual = copied(start)
        program.run(parameters, actual)
        assert not mismatches(expected, actual, live_out_arrays(kernel))


# ---- Meaning ----


def kernel_of(body: str, folder: Path, *, head: str = "", types: Mapping[str, str] | None = None) -> Kernel:
    path = folder / "kernel.c"
    arguments = "int n, int k[n], sample a[n], sample b[n], double d[n]"
    lines = (
        "typedef float sample;",
        head,
        f"void kernel({arguments})",
        "{",
        f"  for (int i = 0; i < n; i++) {body}",
        "}",
    )
    path.write_text("\n".join(lines) + "\n")
    return ls.parse(path, types=types)


def value_of(body: str, folder: Path, kind: str = "fixed(16,8,nearest)") -> Expression:
    return kernel_of(body, folder, types={"sample": kind}).statements[0].value


def test_common_types() -> None:
    base = fixed_type(16, 8)
    ordered = [
        integer_type(40),
        fixed_type(15, 15),
        fixed_type(16, 7),
        fixed_type(16, 8, signed=False),
        base,
        fixed_type(16, 8, overflow="saturate"),
        fixed_type(16, 8, rounding="nearest"),
        fixed_type(16, 8, rounding="nearest_even"),
        fixed_type(17, 0),
        FLOAT,
        DOUBLE,
    ]
    for (low, first), (high, second) in product(enumerate(ordered), repeat=2):
        expected = ordered[max(low, high)]
        assert common_type(first, second) == (promoted(expected) if expected.is_integer else expected)


def test_promotion() -> None:
    assert [promoted(integer_type(bits, False)) for bits in (1, 12, 31)] == [INT] * 3
    assert [promoted(integer_type(bits)) for bits in (33, 63)] == [LONG, LONG]
    assert promoted(integer_type(33, False)) == ULONG
    assert integer_type(16) == SHORT
    assert integer_type(12) != integer_type(13)


@pytest.mark.parametrize("kind", ["uint(12)", "uint(20)", "uint(31)", "uint(33)", "int(20)", "int(40)"])
def test_arithmetic_on_integers_of_any_width(kind: str, tmp_path: Path) -> None:
    body = "{ d[i] = a[i] - 1000; a[i] = (b[i] - 90) / 7 * b[i]; b[i] = -b[i] % 11; k[i] = a[i] - 5 < 0; }"
    kernel = kernel_of(body, tmp_path, types={"sample": kind})
    check_kernel(kernel, [{"n": 20}])
    memory = initial_memory(kernel, {"n": 20})
    execute(kernel, {"n": 20}, memory)
    assert all((cell < 0) == (kind != "uint(33)") for cell in memory["d"].cells)


@pytest.mark.parametrize(
    ("body", "kind", "units"),
    [
        ("a[i] = 0.3;", "fixed(16,8)", 76),
        ("a[i] = 0.3;", "fixed(16,8,nearest)", 77),
        ("a[i] = -0.3;", "fixed(16,8)", -77),
        ("a[i] = 1.0 / 3;", "fixed(16,8)", 85),
        ("a[i] = 1000.0f;", "fixed(16,8,saturate)", 32767),
        ("a[i] = (sample)2.5;", "fixed(4,0,nearest-even)", 2),
    ],
)
def test_constants_are_converted_when_the_kernel_is_read(body: str, kind: str, units: int, tmp_path: Path) -> None:
    assert value_of(body, tmp_path, kind) == Constant(units, read_type(kind))


def test_a_constant_takes_the_format_that_it_meets(tmp_path: Path) -> None:
    kind = read_type("fixed(16,8,nearest)")
    half = Constant(128, kind)
    assert value_of("a[i] = a[i] * 0.5;", tmp_path) == Binary("*", Operand(0, kind), half, kind)
    assert value_of("a[i] = a[i] > 0.5 ? 0.5 : a[i];", tmp_path) == Binary("min", half, Operand(0, kind), kind)
    assert value_of("a[i] = fmax(0.5, a[i]);", tmp_path) == Binary("max", half, Operand(0, kind), kind)
    assert value_of("d[i] = a[i] * d[i] * 0.5;", tmp_path).type == DOUBLE


def test_absolute_value_of_unsigned_is_the_value(tmp_path: Path) -> None:
    assert isinstance(value_of("a[i] = fabs(a[i]);", tmp_path, "fixed(9,3,unsigned)"), Operand)


def test_what_steers_control_keeps_the_types_of_c(tmp_path: Path) -> None:
    body = "{ int last = n - 1; if (i < last && k[i] > 1) k[i + 1] = i < 2 ? k[i] + 1 : k[last - i]; else k[i] = i; }"
    kernel = kernel_of(body, tmp_path, types={"int": "fixed(6,2,nearest)"})
    plain = kernel_of(body, tmp_path)
    kind = read_type("fixed(6,2,nearest)")
    assert dict(kernel.parameter_types) == {"n": INT}
    assert list(kernel.arrays) == ["k", "condition_1"]
    assert kernel.arrays["k"].type == kind
    for changed, original in zip(kernel.statements, plain.statements, strict=True):
        assert changed.domain.is_equal(original.domain)
        assert changed.write.subscripts == original.write.subscripts
        assert [read.exact for read in changed.reads] == [read.exact for read in original.reads]
    parts = [part for statement in kernel.statements for part in walk(statement.value)]
    assert [part.value for part in parts if isinstance(part, Constant) and part.type == kind] == [4, 4]
    check_kernel(kernel, [{"n": 100}])


def test_a_format_by_option_comes_before_that_of_a_pragma(tmp_path: Path) -> None:
    head = "#pragma loadstone fixed type(sample) bits(9) fraction(3) unsigned round(nearest-even)"
    asked = read_type("fixed(9,3,unsigned,nearest-even)")
    assert kernel_of("a[i] = b[i];", tmp_path, head=head).arrays["a"].type == asked
    changed = kernel_of("a[i] = b[i];", tmp_path, head=head, types={"sample": "uint(5)"})
    assert changed.arrays["a"].type == integer_type(5, False)


def test_a_pragma_may_name_a_type_of_c(tmp_path: Path) -> None:
    head = "#pragma loadstone integer type(int) bits(7)\n#pragma loadstone fixed type(double) bits(8) fraction(4)"
    kernel = kernel_of("{ k[i] = k[i] + 1; d[i] = d[i] + 1.5; }", tmp_path, head=head)
    assert [kernel.arrays[name].type for name in ("k", "d")] == [integer_type(7), fixed_type(8, 4)]
    assert kernel.original is None


def test_descriptions_are_read_back() -> None:
    for kind in (*SMALL, *WIDE, *NARROW_INTEGERS, INT, DOUBLE, ULONG):
        assert read_type(kind.described) == kind


def test_values_given_in_the_source(tmp_path: Path) -> None:
    head = "static const sample table[3] = {0.3, -0.3, 100};"
    kernel = kernel_of("a[i] = table[i % 3];", tmp_path, head=head, types={"sample": "fixed(8,4,saturate)"})
    assert kernel.arrays["table"].values == (4, -5, 127)
    kernel = kernel_of("a[i] = table[i % 3];", tmp_path, head=head, types={"float": "fixed(8,4,nearest)"})
    assert kernel.arrays["table"].values == (5, -5, 64)


def test_kernels_in_python() -> None:
    kernel = ls.parse(ROOT / "examples" / "fir.py", types={"int": "int(12)"})
    assert {array.type for array in kernel.arrays.values()} == {integer_type(12)}
    check_kernel(kernel, [{"n": 12, "taps": 4}])


@pytest.mark.parametrize(
    ("types", "message"),
    [
        ({"sample": "fixed(16)"}, "'fixed(16)' does not say how many bits are after the point"),
        ({"sample": "fixed(65,8)"}, "a type has 1 to 64 bits, not 65"),
        ({"sample": "fixed(8,9)"}, "of 8 bits, 0 to 8 can be after the point, not 9"),
        ({"sample": "fixed(8,4,up)"}, "'up' is no choice of fixed point"),
        ({"sample": "fixed(8,4,wrap,saturate)"}, "'wrap' and 'saturate' exclude each other"),
        ({"sample": "fixed(8,x)"}, "'x' in 'fixed(8,x)' is not a number"),
        ({"sample": "int(0)"}, "a type has 1 to 64 bits, not 0"),
        ({"sample": "int(8,2)"}, "'int(8,2)' is not a type"),
        ({"sample": "real"}, "'real' is not a type"),
        ({"simple": "int(8)"}, "'simple' is neither a typedef of the file nor a type of C"),
    ],
)
def test_wrong_types(types: dict[str, str], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        kernel_of("a[i] = b[i];", tmp_path, types=types)
    assert [diagnostic.message for diagnostic in error.value.diagnostics] == [message]


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kernel_of("a[i] = b[i];", tmp_path)
    path = str(tmp_path / "kernel.c")
    assert main(["run", path, "-p", "n=4", "--target", "model", "--type", "sample=fixed(16,8)", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ways"] == {"printed C": 0}
    assert main(["info", path, "--type", "sample=what"]) == 2
    assert capsys.readouterr().err.startswith("error: 'what' is not a type\nhint: ")
    assert main(["info", path, "--type", "sample"]) == 2
    assert "'sample' is not NAME=TYPE" in capsys.readouterr().err
