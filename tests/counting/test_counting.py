"""Counts against enumeration; live elements against traces and the numbers of Devos, 3.6.1, 4.1 and 4.7."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

import islpy as isl
import pytest

import loadstone as ls
from kernels import ROOT, random_kernel
from loadstone.cli.main import main
from loadstone.counting.bounding import (
    AddVariables,
    DropFractions,
    Exact,
    Hybrid,
    ModClasses,
    PolyApproximation,
    SplitPeriods,
    bound,
)
from loadstone.counting.cardinality import count, parts_of, with_values
from loadstone.counting.extremum import Value, number
from loadstone.counting.pieces import Pieces, pieces_of
from loadstone.counting.reading import read_relation
from loadstone.counting.schedule_memory import Lifetime, live_count, live_elements, memory_size, read_schedule
from loadstone.counting.schedule_search import linear_schedule, schedules, search
from loadstone.errors import IllegalTransformation, InputError, UnsupportedError
from loadstone.model.kernel import Kernel
from loadstone.poly import fixed, pairs, points
from loadstone.poly.inflation import upper_count
from loadstone.poly.linear import point_in
from loadstone.poly.terms import compiled, fraction, terms
from oracle import traced

FIR = ls.parse(ROOT / "examples" / "fir.c")
TRIPLES = ls.parse(ROOT / "examples" / "devos_3_19.c")
SUMS = Lifetime(commutative=True)

# Triangle of Devos, 4.1: each element needs those above and to its left.
TRIANGLE = """
void triangle(int N, int A[N + 1][N + 1]) {
#pragma scop
  for (int i = 1; i <= N; i++)
    for (int j = i; j <= N; j++)
S1:   A[i][j] = (j > i ? A[i][j-1] : 0) + (i > 1 ? A[i-1][j] : 0);
#pragma endscop
}
"""
MATMUL = """
void matmul(int n, int A[n + 1][n + 1], int B[n + 1][n + 1], int C[n + 1][n + 1]) {
#pragma scop
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= n; j++) {
S1:   C[i][j] = 0;
      for (int k = 1; k <= n; k++)
S2:     C[i][j] += A[i][k] * B[k][j];
    }
#pragma endscop
}
"""


def kernel_of(text: str, folder: Path) -> Kernel:
    path = folder / "kernel.c"
    path.write_text(text)
    return ls.parse(path)


# Counting.


@pytest.mark.parametrize(
    "text",
    [
        "[N] -> { [i, j] : 0 <= i <= j < N }",
        "[N] -> { [i] : 0 <= 3i <= 2N + 1 }",
        "[N] -> { [i, j] : 0 <= i, j and 2i + 3j <= N and (i + j) mod 2 = 0 }",
        "[N] -> { [i] : exists (a, b : i = 2a + 5b and 0 <= a, b <= N) }",
        "[N] -> { [] : N > 3 }",
        "[N] -> { : N > 3 }",
        "[N] -> { [i] : 1 = 0 }",
        "[N] -> { A[i] : 0 <= i < N; B[i, j] : 0 <= i, j < 3 }",
    ],
)
def test_counts_of_sets(text: str) -> None:
    relation = read_relation(text)
    assert isinstance(relation, isl.UnionSet)
    parts = parts_of(relation)
    for value in range(7):
        closed = sum(at(count(part), {"N": value}) for part in parts)
        direct = sum(at(count(with_values(part, {"N": value})), {}) for part in parts)
        assert closed == direct == sum(len(points(fixed(part, {"N": value}))) for part in parts)


def at(values: isl.PwQPolynomial, parameters: Mapping[str, int]) -> int:
    return values.eval_with_dict(dict(parameters))


def test_count_of_a_map_is_that_of_images() -> None:
    relation = read_relation("[N] -> { A[i] -> [j, k] : 0 <= j <= i < N and 0 <= 2k <= j }")
    assert isinstance(relation, isl.UnionMap)
    (part,) = parts_of(relation)
    found = count(part)
    images = pairs(fixed(part, {"N": 6}))
    for i in range(6):
        point = point_in(found.get_domain_space(), {"N": 6}, (i,))
        assert found.eval(point).to_python() == sum(source == (i,) for source, _ in images)


@pytest.mark.parametrize(
    "text",
    [
        "[N] -> { [t] -> [x, y] : x >= 0 and y >= 0 and 2x + 3y <= t and t <= N }",
        "[N] -> { A[t, u] -> [x] : x >= 0 and 2x <= t and 0 <= u <= N and t <= 9 and x mod 2 = 1 }",
        "[N] -> { [t] -> [x, y] : 3x = t + 2y and 0 <= x, y <= N and 0 <= t <= 9 }",
        "[N] -> { [t] -> [x] : t <= 3x <= N + t and 0 <= t <= 9; [t] -> [x] : x = -t and 0 <= t <= 4 }",
        "[N] -> { [t] -> [x] : 1 = 0 }",
    ],
)
def test_upper_polynomials_are_nowhere_smaller(text: str) -> None:
    relation = isl.Map(text)
    upper = upper_count(relation)
    assert all(not term.floors for piece in pieces_of(upper) for term in terms(piece.value))
    for size in (0, 1, 5, 8):
        images: defaultdict[tuple[int, ...], set[tuple[int, ...]]] = defaultdict(set)
        for source, target in pairs(fixed(relation, {"N": size})):
            images[source].add(target)
        for source, targets in images.items():
            value = upper.eval(point_in(upper.get_domain_space(), {"N": size}, source))
            assert fraction(value) >= len(targets)


@pytest.mark.parametrize("text", ["{ [i] : i >= 0 }", "{ [i, j] : i = j }", "[N] -> { [i] -> [j] : j >= i + N }"])
def test_infinite_sets_are_refused(text: str) -> None:
    with pytest.raises(UnsupportedError, match="infinitely many"):
        count(parts_of(read_relation(text))[0])


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(arguments)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_count_on_the_command_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = "[N] -> { [i, j] : 0 <= i <= j < N }"
    (tmp_path / "set.txt").write_text(text)
    assert run(capsys, "count", text) == (0, "[N] -> { (1/2 * N + 1/2 * N^2) : N > 0 }\n", "")
    assert run(capsys, "count", f"@{tmp_path / 'set.txt'}", "-p", "N=10")[1] == "55\n"
    _, out, _ = run(capsys, "count", text, "-p", "N=10", "--json")
    assert json.loads(out)["value"] == 55
    assert run(capsys, "count", "{ }")[1] == "0\n"
    assert run(capsys, "count", "{ [i] : i > 0 }")[0] == 2
    assert run(capsys, "count", text, "-p", "M=3")[0] == 2
    assert run(capsys, "count", "@nowhere")[0] == 2


@pytest.mark.parametrize(
    ("text", "column"), [("{ [i : 0 <= i }", 6), ("[N] -> { [i] : 0 <= i < M }", 25), ("{ [i] : 0 <= i < 7", 19)]
)
def test_mistakes_in_sets_are_shown_where_they_are(text: str, column: int, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "count", text)
    assert status == 2
    assert not out
    head, line, caret, hint = err.splitlines()
    assert head.startswith(f"SET:1:{column}: error: ")
    assert line == text
    assert caret == " " * (column - 1) + "^"
    assert hint.startswith("hint: ")


# Live elements.


def values_at(pieces: Pieces, date: tuple[int, ...]) -> int:
    """The sum of the pieces that hold a point."""
    total = 0
    for piece in pieces:
        inside = piece.domain
        for k, number_ in enumerate(date):
            inside = inside.fix_val(isl.dim_type.set, k, isl.Val(number_))
        if not inside.is_empty():
            value = compiled(piece.value).value(date)
            assert value.denominator == 1
            total += value.numerator
    return total


Cell = tuple[str, tuple[int, ...]]


def traced_lives(kernel: Kernel, parameters: Mapping[str, int], lifetime: Lifetime) -> Iterable[tuple[Cell, int, int]]:
    """From the trace in the original order: elements with the number of the instance after which they are alive, and
    that of the last one before which they are."""
    order: dict[object, int] = {}
    since: dict[Cell, int] = {}
    lives: dict[tuple[Cell, int], int] = {}
    touched: defaultdict[Cell, list[int]] = defaultdict(list)
    for event in traced(kernel, parameters):
        now = order.setdefault((event.statement, event.instance), len(order))
        cell = (event.array, event.element)
        touched[cell].append(now)
        if event.is_write:
            since[cell] = now
        else:
            lives[cell, since.setdefault(cell, now)] = now
    if lifetime.commutative:
        return [(cell, min(dates), max(dates)) for cell, dates in touched.items()]
    return [(cell, first, last) for (cell, first), last in lives.items()]


def most_alive(lives: Iterable[tuple[Cell, int, int]]) -> int:
    """The largest number of different elements alive before some instance."""
    alive: defaultdict[int, set[Cell]] = defaultdict(set)
    for cell, first, last in lives:
        for now in range(first + 1, last + 1):
            alive[now].add(cell)
    return max(map(len, alive.values()), default=0)


SEEDS = [seed for seed in range(40) if random_kernel(seed)[0].exact][:10]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("lifetime", [Lifetime(), SUMS], ids=["values", "accesses"])
def test_memory_of_random_kernels(seed: int, lifetime: Lifetime) -> None:
    kernel, choices = random_kernel(seed)
    parameters = {name: min(value, 4) for name, value in choices[0].items()}
    found = number(memory_size(kernel, None, parameters, lifetime=lifetime, method=Exact()))
    assert (found or 0) == most_alive(traced_lives(kernel, parameters, lifetime))


def test_inputs_and_outputs_may_stay() -> None:
    parameters = {"N": 4}
    size = {
        lifetime: number(memory_size(TRIPLES, None, parameters, lifetime=lifetime))
        for lifetime in (Lifetime(), Lifetime(early_inputs=True), Lifetime(late_outputs=True))
    }
    assert size[Lifetime()] == 9
    assert size[Lifetime(early_inputs=True)] == 18
    assert size[Lifetime(late_outputs=True)] == 9
    everything = Lifetime(commutative=True, early_inputs=True, late_outputs=True)
    assert number(memory_size(TRIPLES, None, parameters, lifetime=everything)) == 18


@pytest.mark.parametrize("size", [4, 5, 12])
def test_section_3_6_1(size: int) -> None:
    orders = {
        "{ S1[j] -> [floor((j - 4)/4), 0, j]; S2[j] -> [floor(j/2), 1, j] }": 8,
        "{ S1[j] -> [floor((j - 1)/4), 0, j]; S2[j] -> [floor(j/2), 1, j] }": 5,
    }
    assert number(memory_size(TRIPLES, None, {"N": size})) == 2 * size + 1
    for text, live in orders.items():
        assert number(memory_size(TRIPLES, read_schedule(TRIPLES, text), {"N": size})) == live


def test_equation_4_6(tmp_path: Path) -> None:
    kernel = kernel_of(TRIANGLE, tmp_path)
    schedule = read_schedule(kernel, "{ S1[i, j] -> [i + 3j] }")
    pieces = live_count(kernel, schedule, {"N": 100}, SUMS)
    for t in range(4, 402):
        assert values_at(pieces, (t,)) == equation_4_6(t), t
    assert number(bound(pieces, Exact())) == 75


def equation_4_6(t: int) -> int:
    if 5 <= t <= 6:
        return 1
    if 7 <= t <= 301:
        return (t - (4, 1, 2, 3)[t % 4]) // 4
    if t == 302:
        return 75
    if 303 <= t <= 398:
        return (-3 * t + (1204, 1207, 1206, 1205)[t % 4]) // 4
    return 401 - t if 399 <= t <= 400 else 0


def test_triangle_in_its_own_order(tmp_path: Path) -> None:
    kernel = kernel_of(TRIANGLE, tmp_path)
    for size in (2, 3, 7, 20):
        assert number(memory_size(kernel, None, {"N": size}, lifetime=SUMS)) == size - 1


def fir_sizes(vectors: Iterable[tuple[int, int]], parameters: Mapping[str, int]) -> dict[tuple[int, int], Value]:
    found: dict[tuple[int, int], Value] = {}
    for u, v in vectors:
        schedule = linear_schedule(FIR, {"S1": ((u, v),)})
        pieces = live_count(FIR, schedule, parameters, SUMS)
        most = number(bound(pieces, Exact()))
        assert most is not None
        found[u, v] = most
        rough = number(memory_size(FIR, schedule, parameters, lifetime=SUMS, method=PolyApproximation()))
        assert rough is not None
        assert rough >= most
        for method in (AddVariables(), ModClasses(), SplitPeriods(10), DropFractions(), Hybrid()):
            value = number(bound(pieces, method))
            assert value is not None
            assert value >= most
    return found


def test_fir_sizes_of_tables_4_6_and_4_7() -> None:
    """The minimum of the second part is 99: (1, -1) is the reversal of (-1, 1), for which the thesis has 99."""
    first = fir_sizes([(u, 1) for u in (-10, -3, -1, 1, 2, 10)], {"L": 50, "N": 100})
    assert (min(first.values()), max(first.values())) == (99, 197)
    second = fir_sizes([(1, v) for v in (-10, -2, -1, 1, 5, 10)], {"L": 50, "N": 1000})
    assert second == {(1, -10): 981, (1, -2): 197, (1, -1): 99, (1, 1): 197, (1, 5): 589, (1, 10): 1079}


def test_live_elements_by_array() -> None:
    schedule = linear_schedule(FIR, {"S1": ((1, 1),)})
    found = live_elements(FIR, schedule, {"L": 3, "N": 6}, SUMS)
    assert set(found) == {"A", "B", "C"}
    dates: defaultdict[int, list[int]] = defaultdict(list)
    for i in range(2, 6):
        for k in range(3):
            dates[i - k].append(i + k)
    for t in range(2, 9):
        alive = {element for source, (element,) in pairs(found["A"]) if source == (t,)}
        assert alive == {j for j, times in dates.items() if min(times) < t <= max(times)}


def test_orders_that_break_values_are_refused() -> None:
    backwards = read_schedule(FIR, "{ S1[i, k] -> [i - k] }")
    with pytest.raises(IllegalTransformation, match="commutative"):
        memory_size(FIR, backwards, {"L": 5, "N": 10})
    assert number(memory_size(FIR, backwards, {"L": 5, "N": 10}, lifetime=SUMS)) == 9


@pytest.mark.parametrize(
    "text", ["{ S1[i, k] -> [i", "{ S1[i] -> [i] }", "{ S1[i, k] -> [a, i] }", "{ S9[i] -> [i] }", "{ S1[i, k] }"]
)
def test_schedules_that_are_none(text: str) -> None:
    with pytest.raises(InputError):
        read_schedule(FIR, text)


# Search.


def test_search_space_of_fir() -> None:
    parameters = {"L": 3, "N": 6}
    assert sum(1 for _ in schedules(FIR, parameters, 1, dimensions=2, commutative=True)) == 48
    assert sum(1 for _ in schedules(FIR, parameters, 2, commutative=True)) == 12
    legal = [str(one.schedule) for one in search(FIR, parameters, 1)]
    assert legal
    assert all("+ k" in text for text in legal)


def test_search_with_two_statements(tmp_path: Path) -> None:
    """Table 4.10(a) for a small size; the offset of S1 is the latest one."""
    kernel = kernel_of(MATMUL, tmp_path)
    parameters = {"n": 4}
    found = list(schedules(kernel, parameters, 1, commutative=True))
    assert len(found) == 32
    for schedule in found:
        dated = {part.get_tuple_name(isl.dim_type.in_): pairs(part) for part in parts_of(fixed(schedule, parameters))}
        start = {instance: date for instance, (date,) in dated["S1"]}
        gaps = [date - start[i, j] for (i, j, _), (date,) in dated["S2"]]
        assert min(gaps) == 1


def test_search_finds_the_smallest() -> None:
    found = list(search(FIR, {"L": 5, "N": 12}, 2, lifetime=SUMS))
    assert min(one.size for one in found) == 9
    assert all(one.exact for one in found)


def test_live_elements_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    fir = str(ROOT / "examples" / "fir.c")
    values = ("-p", "L=50", "-p", "N=100", "--commutative", "--json")
    _, out, _ = run(capsys, "bound", "--live", fir, "--schedule", "{ S1[i, k] -> [i + k] }", *values)
    assert json.loads(out)["value"] == 197
    assert json.loads(out)["exact"]
    _, out, _ = run(capsys, "bound", "--live", fir, "--search", "1", *values)
    assert json.loads(out)["schedules"] == 4
    assert json.loads(out)["best"][0]["size"] == 99
    assert (
        run(capsys, "bound", "--live", fir, "--schedule", "{ S1[i, k] -> [i - k] }", "-p", "L=5", "-p", "N=9")[0] == 1
    )
    assert run(capsys, "bound")[0] == 2


def test_parametric_memory_of_fir() -> None:
    found = memory_size(FIR, linear_schedule(FIR, {"S1": ((1, 1),)}), lifetime=SUMS, method=Exact())
    for length, size in ((3, 20), (5, 9), (4, 4), (1, 6)):
        wanted = number(
            memory_size(FIR, linear_schedule(FIR, {"S1": ((1, 1),)}), {"L": length, "N": size}, lifetime=SUMS)
        )
        values = {"L": length, "N": size}
        inside = [c for c in found.chambers if not fixed(c.parameters, values).is_empty()]
        assert len(inside) == (1 if wanted else 0)
        if inside:
            names = [inside[0].parameters.get_dim_name(isl.dim_type.param, k) or "" for k in range(2)]
            (candidate,) = inside[0].candidates
            assert compiled(candidate.value).value([values[name] for name in names]) == wanted
