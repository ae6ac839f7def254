"""Arithmetic of ap_int and ap_fixed: interpreter and printed C against C++ with headers of our own."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

import loadstone as ls
from ap_expressions import Statement, random_statement
from loadstone.errors import InputError
from loadstone.model.kernel import Kernel
from loadstone.simulate.interpreter import execute
from loadstone.simulate.memory import Memory, copied, initial_memory, live_out_arrays, mismatches
from loadstone.simulate.programs.compiled import compile_original, compile_printed

TRIALS = 12


def read(tmp_path: Path, text: str) -> Kernel:
    path = tmp_path / "kernel.cpp"
    path.write_text(text)
    return ls.parse(path)


def program(statements: list[Statement]) -> str:
    """A kernel that computes each statement on arrays of its own."""
    arguments: list[str] = []
    body: list[str] = []
    for k, statement in enumerate(statements):
        arguments += [f"{kind} {name}_{k}[{TRIALS}]" for name, kind in statement.variables.items()]
        arguments.append(f"{statement.target} y_{k}[{TRIALS}]")
        body.append(f"    y_{k}[i] = {renamed(statement, k)};")
    lines = ",\n    ".join(arguments)
    return f"void f({lines})\n{{\n  for (int i = 0; i < {TRIALS}; i++) {{\n" + "\n".join(body) + "\n  }\n}\n"


def renamed(statement: Statement, k: int) -> str:
    """The value over elements of the arrays of a statement; divisors are odd."""

    def element(found: re.Match[str]) -> str:
        name = f"{found[0]}_{k}[i]"
        return f"{statement.variables[found[0]]}({name} | 1)" if found[0] in "de" else name

    names = "|".join(statement.variables)
    return re.sub(rf"\b({names})\b", element, statement.value)


def filled(kernel: Kernel, source: Random) -> Memory:
    """Memory whose cells are of the whole range of their types, the ends often."""
    memory = initial_memory(kernel, {})
    for buffer in memory.values():
        kind = buffer.type
        least, greatest = int(kind.wrap(0) if kind.name == "_Bool" else kind.least), kind.greatest
        buffer.cells[:] = [source.choice((least, greatest, source.randint(least, greatest))) for _ in buffer.cells]
    return memory


def differences(kernel: Kernel, memory: Memory) -> list[tuple[str, int]]:
    """The cells in which C++ differs from the interpreter or from printed C."""
    expected, interpreted, printed = copied(memory), copied(memory), copied(memory)
    compile_original(kernel).run({}, expected)
    execute(kernel, {}, interpreted)
    compile_printed(kernel).run({}, printed)
    outputs = live_out_arrays(kernel)
    return mismatches(expected, interpreted, outputs) + mismatches(expected, printed, outputs)


@pytest.mark.parametrize("seed", range(2))
def test_random_expressions(tmp_path: Path, seed: int) -> None:
    source = Random(seed)
    statements = [random_statement(source) for _ in range(25)]
    kept = [statement for statement in statements if is_accepted(tmp_path, statement)]
    assert len(kept) > 18
    kernel = read(tmp_path, program(kept))
    assert differences(kernel, filled(kernel, source)) == []


def is_accepted(tmp_path: Path, statement: Statement) -> bool:
    """Whether a statement is within the bits that are handled."""
    try:
        read(tmp_path, program([statement]))
    except InputError as error:
        if "bits" in error.diagnostics[0].message:
            return False
        raise
    return True


WIDE = """
void f(const ap_int<64> a[9], const ap_uint<40> b[9], ap_int<64> sum[9], ap_uint<64> product[9],
       ap_fixed<56, 32> scaled[9])
{
  for (int i = 0; i < 9; i++) {
    sum[i] = a[i] + b[i] * b[i];
    product[i] = a[i] * b[i] - 7;
    scaled[i] = a[i] + ap_fixed<20, 4>(b[i] & 1023) * ap_fixed<20, 4>(b[i] >> 30);
  }
}
"""


def test_sums_beyond_64_bits_wrap(tmp_path: Path) -> None:
    kernel = read(tmp_path, WIDE)
    assert differences(kernel, filled(kernel, Random(1))) == []


CONVERSIONS = """
void f(const ap_fixed<12, 5> x[20], const ap_int<9> y[20], const double z[20], double r[20], int n[20], float s[20],
       ap_ufixed<6, 3, AP_RND_CONV, AP_SAT> q[20], ap_int<7> t[20], bool nonzero[20], ap_fixed<9, 4> least[20])
{
  for (int i = 0; i < 20; i++) {
    r[i] = double(x[i]) * y[i];
    n[i] = (int)x[i] + x[i].to_int() + int(y[i]);
    s[i] = x[i].to_float() + 1;
    q[i] = x[i] * -y[i] + ap_fixed<8, 3>(z[i]);
    t[i] = z[i] * 100;
    nonzero[i] = x[i] - 1;
    least[i] = x[i] < 0 ? ap_fixed<9, 4>(-0.375) : ap_fixed<9, 4>(1.9);
  }
}
"""


def test_conversions(tmp_path: Path) -> None:
    kernel = read(tmp_path, CONVERSIONS)
    memory = filled(kernel, Random(3))
    memory["z"].cells[:] = [Random(k).uniform(-1, 1) for k in range(20)]
    assert differences(kernel, memory) == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("y[i] = a[i] * a[i] > 3;", "needs all 80 bits"),
        ("y[i] = (a[i] + 1) * a[i] / 3;", "needs all 81 bits"),
        ("y[i] = f[i] * 0.5;", "no arithmetic with floating point"),
        ("y[i] = a[i] > 0 ? a[i] : f[i];", "different types"),
        ("y[i] = a[i] / u[i];", "not portable"),
        ("y[i] = ap_uint<40>(u[i]) < a[i];", "unsigned number of 40 bits is not portable"),
        ("y[i] = f[i] % 3;", "not defined on ap_fixed"),
        ("y[i] = a[i] << u[i];", "constant amount"),
        ("y[i] = std::abs(a[i]);", "'abs' is not defined on the types of HLS"),
        ("y[i] = a[i].range(3, 0);", "method 'range' is not supported"),
        ("ap_fixed<8, 9> v = 0; y[i] = v;", "0 to 8 can be before the point, not 9"),
        ("ap_fixed<8, 4, AP_RND_ZERO> v = 0; y[i] = v;", "the rounding 'AP_RND_ZERO' is not modelled"),
        ("ap_fixed<8, 4, AP_TRN, AP_SAT_SYM> v = 0; y[i] = v;", "the overflow 'AP_SAT_SYM' is not modelled"),
        ("ap_int<65> v = 0; y[i] = v;", "1 to 64 bits, not 65"),
        ("ap_int<n> v = 0; y[i] = v;", "'n' is not a constant"),
        ("auto v = 0; y[i] = v;", "types must be spelled"),
        ("y[i] = *new int(3);", "memory must be declared"),
        ("y[i] = boost::f(3);", "'boost::' is not a known namespace"),
    ],
)
def test_what_is_refused_names_its_place(tmp_path: Path, line: str, message: str) -> None:
    head = "void f(int n, const ap_int<40> a[9], const ap_uint<9> u[9], const ap_fixed<9, 4> f[9], ap_int<50> y[9])"
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        read(tmp_path, f"{head} {{\n  for (int i = 0; i < 9; i++) {{\n    {line}\n  }}\n}}\n")
    (found,) = caught.value.diagnostics
    assert found.span is not None
    assert (found.span.line, bool(found.hint)) == (3, True)
