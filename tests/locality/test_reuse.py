"""Reuse distances: Devos' figures, a naive count of distances, and a plain LRU cache [Devos, 3.2]."""

from __future__ import annotations

import json
from collections import Counter as Multiset
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

import islpy as isl
import pytest

import loadstone as ls
from kernels import EXAMPLES, ROOT, random_kernel, tiny_parameters
from loadstone.cli.main import main
from loadstone.errors import InputError, UnsupportedError
from loadstone.locality.advice import Action, Kind, origin_of, suggestions
from loadstone.locality.counter import Counter
from loadstone.locality.layout import layout
from loadstone.locality.measurement import measure
from loadstone.locality.nesting import Nesting
from loadstone.locality.order import Order, order_of
from loadstone.locality.profile import Profile, default_size, exceeding, histogram, miss_curve, misses
from loadstone.locality.program import is_steered
from loadstone.locality.references import references_of
from loadstone.locality.symbolic import SymbolicReuse, symbolic_reuses
from loadstone.locality.trace import trace_table
from loadstone.model.kernel import Kernel
from loadstone.poly import fixed, pairs, points
from loadstone.poly.linear import point_in
from loadstone.simulate.interpreter import Event, execute
from loadstone.simulate.memory import initial_memory
from loadstone.transfer.volumes import value_of
from loadstone.transform.choice import choose_tiling
from loadstone.transform.tiling import Tiling, tiled

DEVOS = ROOT / "examples" / "devos_3_1.c"
FUSED = Tiling(1, "{ S2[i, j] -> [i + j, i]; S3[k] -> [k + 1, k + 1] }")
"""The order of Figure 3.2."""
TABLE_3_1 = """\
0,0 B[0] inf B[0]
0,0 A[0][0] inf A[0][0] B[0]
0,0 B[0] 1 B[0] A[0][0]
0,1 B[1] inf B[1] B[0] A[0][0]
0,1 A[0][1] inf A[0][1] B[1] B[0] A[0][0]
0,1 B[1] 1 B[1] A[0][1] B[0] A[0][0]
0,2 B[2] inf B[2] B[1] A[0][1] B[0]
0,2 A[0][2] inf A[0][2] B[2] B[1] A[0][1]
0,2 B[2] 1 B[2] A[0][2] B[1] A[0][1]
0,3 B[3] inf B[3] B[2] A[0][2] B[1]
0,3 A[0][3] inf A[0][3] B[3] B[2] A[0][2]
0,3 B[3] 1 B[3] A[0][3] B[2] A[0][2]
1,0 B[1] 4 B[1] B[3] A[0][3] B[2]
1,0 A[1][0] inf A[1][0] B[1] B[3] A[0][3]
1,0 B[1] 1 B[1] A[1][0] B[3] A[0][3]
1,1 B[2] 4 B[2] B[1] A[1][0] B[3]
1,1 A[1][1] inf A[1][1] B[2] B[1] A[1][0]
1,1 B[2] 1 B[2] A[1][1] B[1] A[1][0]
1,2 B[3] 4 B[3] B[2] A[1][1] B[1]
1,2 A[1][2] inf A[1][2] B[3] B[2] A[1][1]
1,2 B[3] 1 B[3] A[1][2] B[2] A[1][1]
2,0 B[2] 2 B[2] B[3] A[1][2] A[1][1]
2,0 A[2][0] inf A[2][0] B[2] B[3] A[1][2]
2,0 B[2] 1 B[2] A[2][0] B[3] A[1][2]
2,1 B[3] 2 B[3] B[2] A[2][0] A[1][2]
2,1 A[2][1] inf A[2][1] B[3] B[2] A[2][0]
2,1 B[3] 1 B[3] A[2][1] B[2] A[2][0]
3,0 B[3] 0 B[3] A[2][1] B[2] A[2][0]
3,0 A[3][0] inf A[3][0] B[3] A[2][1] B[2]
3,0 B[3] 1 B[3] A[3][0] A[2][1] B[2]
0 B[0] 12 B[0] B[3] A[3][0] A[2][1]
0 B[1] 8 B[1] B[0] B[3] A[3][0]
0 C[0] inf C[0] B[1] B[0] B[3]
1 B[1] 1 B[1] C[0] B[0] B[3]
1 B[2] 6 B[2] B[1] C[0] B[0]
1 C[1] inf C[1] B[2] B[1] C[0]
2 B[2] 1 B[2] C[1] B[1] C[0]
2 B[3] 5 B[3] B[2] C[1] B[1]
2 C[2] inf C[2] B[3] B[2] C[1]"""
"""Iteration, access, distance, and cache contents of Devos' Table 3.1."""


class Reuse(NamedTuple):
    """One reuse: who used and reuses an element, at which instance, how far apart, and where their dates differ."""

    use: tuple[str, int]
    reuse: tuple[str, int]
    instance: tuple[int, ...]
    distance: int
    depth: int


def accesses(order: Order, parameters: dict[str, int]) -> list[Event]:
    """The accesses of arrays, by the interpreter."""
    memory = initial_memory(order.kernel, parameters)
    trace = execute(order.kernel, parameters, memory, order.schedule)
    return [event for event in trace if order.kernel.arrays[event.array].rank > 0]


def cells(order: Order, parameters: dict[str, int], line: int) -> list[int]:
    regions = layout(order.kernel, parameters, line)
    return [regions[event.array].cell(event.element) for event in accesses(order, parameters)]


def naive_reuses(order: Order, parameters: dict[str, int], line: int = 1) -> Iterator[Reuse | None]:
    """For each access its reuse, None for a first access; the elements in between are looked up one by one."""
    events, where = accesses(order, parameters), cells(order, parameters, line)
    dates = {name: dict(pairs(fixed(date, parameters))) for name, date in order.dates.items()}
    for now, event in enumerate(events):
        last = next((t for t in reversed(range(now)) if where[t] == where[now]), None)
        if last is None:
            yield None
            continue
        use = events[last]
        pair = (dates[use.statement][use.instance], dates[event.statement][event.instance])
        depth = next((k for k, (x, y) in enumerate(zip(*pair, strict=True)) if x != y), order.length)
        names = ((use.statement, use.position), (event.statement, event.position))
        yield Reuse(*names, event.instance, len(set(where[last + 1 : now])), depth)


def check_against_naive(order: Order, parameters: dict[str, int], profile: Profile, line: int = 1) -> None:
    found = list(naive_reuses(order, parameters, line))
    reuses = [reuse for reuse in found if reuse is not None]
    assert profile.cold == len(found) - len(reuses)
    assert dict(profile.distances) == Multiset(reuse.distance for reuse in reuses)
    expected: dict[tuple[tuple[str, int], tuple[str, int], int], list[int]] = {}
    for reuse in reuses:
        expected.setdefault((reuse.use, reuse.reuse, reuse.depth), []).append(reuse.distance)
    for pair in profile.pairs:
        ends = ((pair.use.statement, pair.use.position), (pair.reuse.statement, pair.reuse.position))
        distances = expected.pop((*ends, pair.depth))
        assert (pair.count, pair.total, pair.largest) == (len(distances), sum(distances), max(distances))
        assert {b: n for b, n in enumerate(pair.bins) if n} == Multiset(d.bit_length() for d in distances)
        assert pair.long == sum(d >= profile.size for d in distances)
    assert not expected


def lru_misses(stream: list[int], size: int) -> int:
    """The misses of a fully associative cache that throws out what was used longest ago."""
    held: list[int] = []
    missed = 0
    for cell in stream:
        missed += cell not in held
        held = [cell, *(other for other in held if other != cell)][:size]
    return missed


def written(folder: Path, text: str) -> Kernel:
    path = folder / "kernel.c"
    path.write_text(dedent(text))
    return ls.parse(path)


def test_table_3_1() -> None:
    rows = trace_table(order_of(ls.parse(DEVOS)), {"N": 3}, 4)
    shown = [
        f"{','.join(map(str, row.instance))} {row.element} {'inf' if row.distance is None else row.distance} "
        + " ".join(row.contents)
        for row in rows
    ]
    assert shown == TABLE_3_1.split("\n")


@pytest.mark.parametrize("compiled", [True, False])
def test_figure_3_3(compiled: bool) -> None:
    kernel = ls.parse(DEVOS)
    before = measure(order_of(kernel), {"N": 3}, size=4, compiled=compiled)
    after = measure(order_of(tiled(kernel, FUSED)), {"N": 3}, size=4, compiled=compiled)
    assert (before.accesses, before.cold) == (39, 17)
    assert dict(before.distances) == {0: 1, 1: 12, 2: 2, 4: 3, 5: 1, 6: 1, 8: 1, 12: 1}
    assert misses(before, 4) == 24
    assert (after.accesses, after.cold) == (39, 17)
    assert dict(after.distances) == {0: 6, 1: 13, 3: 1, 5: 1, 6: 1}
    assert misses(after, 4) == 19


def test_figure_3_2_is_the_fused_order(tmp_path: Path) -> None:
    figure = """
        void fused(int N, unsigned A[N + 1][N + 1], unsigned B[N + 1], unsigned C[N + 1])
        {
          for (int i = 0; i <= N; i++) {
            for (int j = 0; j <= i; j++)
              B[i] = B[i] * A[j][i-j];
            if (i >= 1)
              C[i-1] = B[i-1] + B[i];
          }
        }
    """
    written_out = measure(order_of(written(tmp_path, figure)), {"N": 7})
    assert written_out.distances == measure(order_of(tiled(ls.parse(DEVOS), FUSED)), {"N": 7}).distances


def test_figure_3_4() -> None:
    order = order_of(ls.parse(DEVOS))
    profile = measure(order, {"N": 3})
    assert profile.size == 4
    found = suggestions(Nesting(order), profile)
    assert [(s.action, [loop.name for loop in s.origin.loops], s.reuses, s.long, s.largest) for s in found] == [
        (Action.FUSE, ["i", "k"], 4, 4, 12),
        (Action.TILE, ["i"], 6, 3, 4),
        (Action.NONE, [], 10, 0, 1),
        (Action.NONE, ["k"], 2, 0, 1),
    ]
    assert found[0].text == "fuse loop i (line 10) with loop k (line 12)"


def test_counts_of_distances_beyond_a_number() -> None:
    profile = measure(order_of(ls.parse(DEVOS)), {"N": 3})
    assert [exceeding(profile, 2**i) for i in range(5)] == [9, 7, 4, 1, 0]
    assert histogram(profile) == (1, 12, 2, 5, 2)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_examples_against_naive_distances(path: Path) -> None:
    kernel = ls.parse(path)
    for order in (order_of(kernel), order_of(choose_tiling(kernel))):
        parameters = list(tiny_parameters(kernel, (0, 1, 3)))
        for values in parameters[:1] + parameters[-1:]:
            if few_accesses(order, values):
                check_against_naive(order, values, measure(order, values, size=5, compiled=False))


def few_accesses(order: Order, parameters: dict[str, int]) -> bool:
    return len(accesses(order, parameters)) <= 800


@pytest.mark.parametrize("name", ["devos_3_1", "threshold", "histogram", "matmul", "adi", "nussinov", "deriche"])
def test_compiled_runs_count_the_same(name: str) -> None:
    kernel = ls.parse(next(path for path in EXAMPLES if path.stem == name))
    parameters = list(tiny_parameters(kernel, (3, 5)))[-1]
    for order in (order_of(kernel), order_of(choose_tiling(kernel))):
        assert measure(order, parameters, compiled=True) == measure(order, parameters, compiled=False)


@pytest.mark.sweep
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_all_compiled_examples_count_the_same(path: Path) -> None:
    kernel = ls.parse(path)
    parameters = list(tiny_parameters(kernel, (1, 2, 3, 5)))
    for values in parameters[:1] + parameters[-1:]:
        for order in (order_of(kernel), order_of(choose_tiling(kernel))):
            in_c = measure(order, values, size=6, line=3, scalars=True, compiled=True)
            assert in_c == measure(order, values, size=6, line=3, scalars=True, compiled=False)


@pytest.mark.parametrize("seed", range(8))
def test_random_kernels(seed: int) -> None:
    kernel, parameters = random_kernel(seed, may=seed % 2 == 1)
    order = order_of(kernel)
    values = next((row for row in parameters if few_accesses(order, row)), None)
    if values is None:
        pytest.skip("too many accesses for the naive count")
    check_against_naive(order, values, measure(order, values, size=3, line=2, compiled=False), line=2)
    check_against_naive(order, values, measure(order, values, compiled=True))


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(100, 160))
def test_many_random_kernels(seed: int) -> None:
    kernel, parameters = random_kernel(seed, may=seed % 2 == 1)
    order = order_of(kernel)
    for values in parameters[:2]:
        in_c = measure(order, values, size=7, scalars=True, compiled=True)
        assert in_c == measure(order, values, size=7, scalars=True, compiled=False)
        if few_accesses(order, values):
            check_against_naive(order, values, measure(order, values, line=3, compiled=True), line=3)


@pytest.mark.parametrize("seed", range(20, 28))
def test_misses_of_all_sizes_against_an_lru_cache(seed: int) -> None:
    kernel, parameters = random_kernel(seed)
    order = order_of(kernel)
    for values in parameters[:2]:
        stream = cells(order, values, 1)[:600]
        counter = Counter(0)
        for cell in stream:
            counter.touch(cell, 0)
        counts = counter.counts
        profile = Profile(counts.cold, tuple(sorted(counts.distances.items())), (), 1)
        expected = [lru_misses(stream, size) for size in range(len(set(stream)) + 2)]
        assert [misses(profile, size) for size in range(len(expected))] == expected
        steps = [size for size in range(len(expected)) if size == 0 or expected[size] != expected[size - 1]]
        assert list(miss_curve(profile)) == [(size, expected[size]) for size in steps]


@pytest.mark.parametrize(("name", "parameters"), [("matmul", {"n": 13}), ("devos_3_1", {"N": 60})])
def test_time_is_used_up_and_numbered_anew(name: str, parameters: dict[str, int]) -> None:
    order = order_of(ls.parse(ROOT / "examples" / f"{name}.c"))
    in_c = measure(order, parameters, compiled=True)
    assert in_c.accesses > 2**12
    assert in_c == measure(order, parameters, compiled=False)


def test_distances_of_a_matrix_product() -> None:
    n = 40
    profile = measure(order_of(ls.parse(ROOT / "examples" / "matmul.c")), {"n": n})
    counts = dict(profile.distances)
    assert (profile.accesses, profile.cold) == (4 * n**3, 3 * n**2)
    assert counts[0] == n**2 * (n - 1)
    assert counts[2] == n**3
    assert counts[2 * n + 1] == n * n * (n - 1)
    assert profile.largest == n**2 + 3 * n


STEERED = """
    void steered(int n, int a[n], int b[n], int place[n], int out[n])
    {
    #pragma scop
      for (int i = 0; i < n; i++) {
        out[i] = a[i] + (b[i] > 20 && a[place[i]] > 0 || b[n-1-i] > 5 ? a[n-1-i] : b[place[i]]) + b[i];
        if (a[i] > out[i])
          b[place[i]] = out[place[place[i]]];
      }
    #pragma endscop
    }
"""


@pytest.mark.parametrize("seed", range(3))
def test_accesses_that_depend_on_data(seed: int, tmp_path: Path) -> None:
    order = order_of(written(tmp_path, STEERED))
    in_c = measure(order, {"n": 37}, seed=seed, compiled=True)
    assert in_c == measure(order, {"n": 37}, seed=seed, compiled=False)
    assert in_c.accesses > 6 * 37
    with pytest.raises(UnsupportedError):
        symbolic_reuses(order)


@pytest.mark.parametrize("compiled", [True, False])
def test_leaving_an_array_is_an_error(compiled: bool, tmp_path: Path) -> None:
    order = order_of(written(tmp_path, "void f(int n, int a[n]) { for (int i = 0; i < n; i++) a[i] = a[i + 1]; }"))
    with pytest.raises(InputError, match="leaves an array: a"):
        measure(order, {"n": 4}, compiled=compiled)
    assert measure(order, {"n": 0}, compiled=compiled).accesses == 0


@pytest.mark.parametrize("compiled", [True, False])
def test_dividing_by_zero_is_an_error(compiled: bool, tmp_path: Path) -> None:
    text = "void f(int n, int a[n]) { for (int i = 0; i < n; i++) if (a[i] > -60) a[i] = a[i] / (a[i] - a[i]); }"
    with pytest.raises(InputError, match="divides by zero"):
        measure(order_of(written(tmp_path, text)), {"n": 4}, compiled=compiled)


@pytest.mark.parametrize("compiled", [True, False])
def test_nothing_runs(compiled: bool) -> None:
    order = order_of(ls.parse(DEVOS))
    profile = measure(order, {"N": 0}, compiled=compiled)
    assert (profile.accesses, profile.cold) == (3, 2)
    order = order_of(ls.parse(ROOT / "examples" / "matmul.c"))
    profile = measure(order, {"n": 0}, compiled=compiled)
    assert (profile.accesses, profile.distances, profile.pairs, profile.size) == (0, (), (), 1)
    assert miss_curve(profile) == ((0, 0),)
    assert suggestions(Nesting(order), profile) == ()


def test_scalars_are_registers_unless_asked(tmp_path: Path) -> None:
    text = """
        void sum(int n, int a[n], int total[1])
        {
          int s = 0;
          for (int i = 0; i < n; i++)
            s += a[i];
          total[0] = s;
        }
    """
    order = order_of(written(tmp_path, text))
    for compiled in (True, False):
        assert measure(order, {"n": 5}, compiled=compiled).accesses == 6
        assert measure(order, {"n": 5}, scalars=True, compiled=compiled).accesses == 6 + 1 + 10 + 1


def test_nothing_but_scalars(tmp_path: Path) -> None:
    order = order_of(written(tmp_path, "void f(int n, int *s) { for (int i = 0; i < n; i++) *s = *s + i; }"))
    for compiled in (True, False):
        assert measure(order, {"n": 5}, compiled=compiled).accesses in (0, 10)
        assert measure(order, {"n": 5}, scalars=True, compiled=compiled).accesses == 10


def test_lines(tmp_path: Path) -> None:
    order = order_of(written(tmp_path, "void f(int n, int a[n]) { for (int i = 0; i < n; i++) a[i] = i; }"))
    for compiled in (True, False):
        profile = measure(order, {"n": 10}, line=4, compiled=compiled)
        assert (profile.cold, profile.distances) == (3, ((0, 7),))


def reordered(kernel: Kernel, schedule: str) -> Kernel:
    """The kernel of one statement with another schedule."""
    statement = kernel.statements[0]
    changed = replace(statement, schedule=isl.Map(schedule).intersect_domain(statement.domain))
    return replace(kernel, statements=(changed,))


def test_other_schedules() -> None:
    kernel = ls.parse(ROOT / "examples" / "matmul.c")
    interchanged = order_of(reordered(kernel, "[n] -> { S0[i, j, k] -> [0, k, 0, -i, 0, i + 2 j, 0] }"))
    strips = order_of(reordered(kernel, "[n] -> { S0[i, j, k] -> [0, floor(k / 2), 0, j] }"))
    for order in (interchanged, strips):
        in_c = measure(order, {"n": 5}, compiled=True)
        check_against_naive(order, {"n": 5}, in_c)
        assert in_c == measure(order, {"n": 5}, compiled=False)
    assert loop_names(Nesting(interchanged), "S0")[:7] == [None, "k", None, "i", None, "i + 2 * j", None]
    assert loop_names(Nesting(strips), "S0")[:7] == [None, "floord(k, 2)", None, "j", "i", None, "k"]


NESTS = """
    void nests(int n, int a[n][n], int b[n], int c[n])
    {
    #pragma scop
      for (int t = 0; t < n; t++) {
    S0: c[0] = a[0][t];
        for (int i = 0; i < n; i++)
    S1:   b[i] = b[i] + a[i][0];
        for (int i = n - 1; i >= 0; i--) {
    S2:   c[i] = b[i];
          for (int j = 0; j < n; j++)
    S3:     a[i][j] = c[i] + 1;
        }
      }
    #pragma endscop
    }
"""


def test_origins(tmp_path: Path) -> None:
    order = order_of(written(tmp_path, NESTS))
    nesting = Nesting(order)
    found = {
        (
            pair.use.statement,
            pair.use.text,
            pair.reuse.statement,
            origin.kind,
            tuple(str(loop) for loop in origin.loops),
        )
        for pair in measure(order, {"n": 4}).pairs
        for origin in [origin_of(nesting, pair)]
    }
    t, i, k, j = "loop t (lines 6-12)", "loop i (line 8)", "loop i (lines 10-12)", "loop j (line 12)"
    assert ("S1", "b[i]", "S2", Kind.CROSSING, (i, k)) in found
    assert ("S0", "a[0][t]", "S1", Kind.CROSSING, (i,)) in found
    assert ("S2", "b[i]", "S1", Kind.CARRIED, (t,)) in found
    assert ("S2", "c[i]", "S3", Kind.CROSSING, (j,)) in found
    assert ("S3", "c[i]", "S3", Kind.CARRIED, (j,)) in found
    assert ("S1", "b[i]", "S1", Kind.INSIDE, ()) in found
    assert ("S3", "a[i][j]", "S0", Kind.CARRIED, (t,)) in found


def test_loops_of_a_tiling() -> None:
    order = order_of(tiled(ls.parse(ROOT / "examples" / "matmul.c"), Tiling(2)))
    nesting = Nesting(order)
    found = {loop.name for pair in measure(order, {"n": 5}).pairs for loop in origin_of(nesting, pair).loops}
    assert found == {"T0", "T1", "T2", "i", "j", "k"}


def test_loops_that_count_something_else() -> None:
    tiles_of_one = Nesting(order_of(tiled(ls.parse(DEVOS), FUSED)))
    assert loop_names(tiles_of_one, "S2")[:4] == ["T0", "T1", None, None]
    tiles_of_four = Nesting(order_of(tiled(ls.parse(DEVOS), Tiling(4, FUSED.schedule))))
    assert loop_names(tiles_of_four, "S2")[:4] == ["T0", "T1", "i + j", "i"]


def loop_names(nesting: Nesting, statement: str) -> list[str | None]:
    found = [nesting.loop(statement, depth) for depth in range(nesting.order.length)]
    return [None if loop is None else loop.name for loop in found]


def distance_at(reuse: SymbolicReuse, parameters: dict[str, int], instance: tuple[int, ...]) -> int:
    assert reuse.distance is not None
    space = reuse.distance.get_domain_space()
    return reuse.distance.eval(point_in(space, parameters, instance)).to_python()


def check_symbolic(found: tuple[SymbolicReuse, ...], order: Order, parameters: dict[str, int], size: int) -> int:
    """Compare closed forms with the naive count; returns how many closed forms there were."""
    naive = [reuse for reuse in naive_reuses(order, parameters) if reuse is not None]
    known = 0
    for reuse in (part for part in found if part.use is not None):
        assert reuse.use is not None
        ends = ((reuse.use.statement, reuse.use.position), (reuse.reuse.statement, reuse.reuse.position))
        expected = {part.instance: part.distance for part in naive if (part.use, part.reuse) == ends}
        assert set(points(fixed(reuse.instances, parameters))) == set(expected)
        if reuse.distance is not None:
            known += 1
            assert {instance: distance_at(reuse, parameters, instance) for instance in expected} == expected
        if reuse.count is not None:
            assert value_of(reuse.count, parameters) == len(expected)
        if reuse.long is not None:
            assert value_of(reuse.long, parameters) == sum(d >= size for d in expected.values())
        assert reuse.reason or all(part is not None for part in (reuse.distance, reuse.count, reuse.long))
    if all(part.use is not None for part in found):
        pairs = {(part.use.statement, part.use.position, part.reuse) for part in found if part.use is not None}
        assert {(*reuse.use, *reuse.reuse) for reuse in naive} <= {(s, p, r.statement, r.position) for s, p, r in pairs}
    return known


@pytest.mark.parametrize("name", ["devos_3_1", "devos_3_19", "matmul", "polymul", "fir", "jacobi1d_sa"])
def test_symbolic_distances_of_examples(name: str) -> None:
    kernel = ls.parse(ROOT / "examples" / f"{name}.c")
    found = symbolic_reuses(order_of(kernel), size=4)
    for parameters in tiny_parameters(kernel, (1, 2, 5)):
        assert check_symbolic(found, order_of(kernel), parameters, 4) > 0


@pytest.mark.sweep
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_symbolic_distances_of_all_examples(path: Path) -> None:
    kernel = ls.parse(path)
    order = order_of(kernel)
    small = [values for values in tiny_parameters(kernel, (2, 3, 5)) if few_accesses(order, values)]
    if is_steered(kernel) or not small:
        pytest.skip("accesses depend on data, or are too many for the naive count")
    assert check_symbolic(symbolic_reuses(order, size=6), order, small[-1], 6) >= 0


def test_symbolic_distances_of_a_tiling() -> None:
    order = order_of(tiled(ls.parse(DEVOS), FUSED))
    found = symbolic_reuses(order, size=2)
    for parameters in ({"N": 1}, {"N": 4}):
        assert check_symbolic(found, order, parameters, 2) > 0


def test_closed_forms() -> None:
    order = order_of(ls.parse(ROOT / "examples" / "matmul.c"))
    found = {(r.use.text, r.reuse.text, r.reuse.position): r for r in symbolic_reuses(order, size=20) if r.use}
    row = found["a[i][k]", "a[i][k]", 1]
    assert str(row.distance) == "[n] -> { S0[i, j, k] -> (1 + 2 * n) : 0 <= i < n and 0 < j < n and 0 <= k < n }"
    assert row.count is not None
    assert row.long is not None
    assert [value_of(row.count, {"n": n}) for n in (1, 9, 10)] == [0, 9 * 8 * 9, 10 * 9 * 10]
    assert [value_of(row.long, {"n": n}) for n in (1, 9, 10)] == [0, 0, 10 * 9 * 10]
    column = found["b[k][j]", "b[k][j]", 2]
    assert column.distance is not None
    assert distance_at(column, {"n": 100}, (1, 5, 7)) == 100**2 + 3 * 100
    assert column.long is None
    assert "not affine" in column.reason


@pytest.mark.parametrize("seed", range(40, 48))
def test_symbolic_distances_of_random_kernels(seed: int) -> None:
    kernel, parameters = random_kernel(seed)
    order = order_of(kernel)
    values = next((row for row in parameters if few_accesses(order, row)), None)
    if values is None or not kernel.exact:
        pytest.skip("too many accesses for the naive count, or not affine")
    check_symbolic(symbolic_reuses(order, size=3), order, values, 3)


def test_command_prints_the_suggestions(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reuse", str(DEVOS), "-p", "N=3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "devos_3_1 with N = 3: 39 accesses of 17 elements"
    assert "fuse loop i (line 10) with loop k (line 12): 4 long of 4 reuses, up to 12" in lines


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reuse", str(DEVOS), "-p", "N=3", "--size", "6", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["size"], found["misses"], found["accesses"], found["cold"]) == (6, 20, 39, 17)
    assert [row["reuses"] for row in found["histogram"]] == [1, 12, 2, 5, 2]
    assert {row["size"]: row["misses"] for row in found["histogram"]} == {1: 38, 2: 26, 4: 24, 8: 19, 16: 17}
    assert found["curve"][0] == [0, 39]
    assert found["curve"][-1] == [13, 17]
    assert found["suggestions"][0]["suggestion"] == "fuse"
    assert sum(pair["reuses"] for pair in found["pairs"]) == found["reuses"]


def test_json_of_the_other_ways(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reuse", str(DEVOS), "-p", "N=3", "--size", "4", "--trace", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["trace"]) == 39
    assert found["trace"][2] == {
        "statement": "S2",
        "instance": [0, 0],
        "element": "B[0]",
        "write": True,
        "distance": 1,
        "contents": ["B[0]", "A[0][0]"],
    }
    assert main(["reuse", str(DEVOS), "--symbolic", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["pairs"][0]["reuses"] == "[N] -> { (1/2 * N + 1/2 * N^2) : N > 0 }"


def test_empty_runs_print_tables(capsys: pytest.CaptureFixture[str]) -> None:
    for extra in ([], ["--json"], ["--trace"], ["--trace", "--json"], ["--tiled"]):
        assert main(["reuse", str(ROOT / "examples" / "matmul.c"), "-p", "n=0", *extra]) == 0
        assert not capsys.readouterr().err


def test_bad_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reuse", str(DEVOS), "-p", "M=3"]) == 2
    assert main(["reuse", str(DEVOS), "-p", "N=3", "--line", "4", "--trace"]) == 2
    assert "--line has no effect with --trace" in capsys.readouterr().err


def test_default_size_is_a_power_of_two() -> None:
    assert [default_size(cold) for cold in (0, 3, 7, 8, 17, 31, 32, 4096)] == [1, 1, 1, 2, 4, 4, 8, 1024]


def test_references_are_in_operand_order() -> None:
    found = references_of(ls.parse(DEVOS))
    assert [(r.statement, r.position, r.text) for r in found] == [
        ("S2", 0, "B[i + j]"),
        ("S2", 1, "A[i][j]"),
        ("S2", -1, "B[i + j]"),
        ("S3", 0, "B[k]"),
        ("S3", 1, "B[k + 1]"),
        ("S3", -1, "C[k]"),
    ]
