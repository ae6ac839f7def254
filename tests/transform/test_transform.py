"""Loop transformations: what each step does, what is legal, and that legal means equal."""

from __future__ import annotations

import random
import re
import textwrap
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path

import islpy as isl
import pytest

import loadstone as ls
from kernels import EXAMPLES, ROOT, random_kernel, tiny_parameters
from loadstone.analysis import dependences
from loadstone.emit.c.comparison.reference import emit_transformed
from loadstone.loops.transformed import Style, program_loops
from loadstone.model.kernel import Kernel
from loadstone.poly import fixed
from loadstone.poly import pairs as enumerated
from loadstone.poly.isolated import isolated
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.simulate.interpreter import Trace, execute, instances_in_order
from loadstone.simulate.memory import copied, initial_memory, live_out_arrays, mismatches
from loadstone.simulate.programs.compiled import compile_printed
from loadstone.transform.automatic import scheduler
from loadstone.transform.choice import choose_tiling
from loadstone.transform.legality import Missing, Violation, program_violation
from loadstone.transform.loop_names import StepError
from loadstone.transform.parallel import nests, parallel_loops
from loadstone.transform.program import Program, program_of
from loadstone.transform.scripted import automatic_steps
from loadstone.transform.step_syntax import Step, read_step, step_text
from loadstone.transform.steps import STEPS, Fuse, Interchange, Shift, Skew
from oracle import Pairs, flow_pairs, memory_pairs, traced
from random_scripts import LIMIT, legal_or_same, random_step
from step_examples import example_of, transformed_code

FIGURE_3_15 = """
skew S2.j by S2.i
interchange S2.i S2.j
fuse S2.j with S3.k
shift [S3].k by 1
"""


def example(name: str) -> Kernel:
    return ls.parse(ROOT / "examples" / f"{name}.c")


def kernel_of(source: str, folder: Path) -> Kernel:
    path = folder / "kernel.c"
    path.write_text(source)
    return ls.parse(path)


def body_of(code: str) -> str:
    """The statements of a C function, without the braces around single lines."""
    text = code[code.index("\nvoid ") :].split("\n{\n", maxsplit=1)[1].rsplit("\n}\n", maxsplit=1)[0]
    return textwrap.dedent(text)


def assert_equal_results(original: Kernel, changed: Kernel, parameters: Mapping[str, int]) -> None:
    """The changed kernel leaves the memory of the original one, bit by bit."""
    expected, actual = initial_memory(original, parameters), initial_memory(changed, parameters)
    actual.update({name: buffer for name, buffer in copied(expected).items() if name in actual})
    execute(original, parameters, expected)
    execute(changed, parameters, actual)
    assert mismatches(expected, actual, live_out_arrays(original)) == []


@pytest.mark.parametrize("kind", STEPS, ids=lambda kind: kind.__name__)
def test_the_example_of_each_step(kind: type[Step], tmp_path: Path) -> None:
    shown = example_of(kind)
    assert transformed_code(shown, tmp_path) == shown.after.strip("\n")
    kernel = ls.parse(tmp_path / "example.c")
    result = ls.transformed(kernel, shown.script)
    for size in (0, 1, 2, 3, 5, 9):
        if size >= 4 or kind.__name__ not in ("Duplicate",):
            assert_equal_results(kernel, result.kernel, {"N": size})


@pytest.mark.parametrize("kind", STEPS, ids=lambda kind: kind.__name__)
def test_steps_are_read_as_they_are_written(kind: type[Step]) -> None:
    step = read_step(kind, example_of(kind).script.split())
    assert step_text(step) == example_of(kind).script
    assert read_step(kind, step_text(step).split()) == step


def test_the_sequence_of_figure_3_15_gives_figure_3_2() -> None:
    kernel = example("devos_3_1")
    result = ls.transformed(kernel, FIGURE_3_15, allow_illegal=True)
    assert [outcome.legal for outcome in result.steps] == [True, True, False, True]
    assert body_of(emit_transformed(result.program)) == textwrap.dedent("""\
        for (int j = 0; j <= N; j++) {
          for (int i = 0; i <= j; i++) {
            B[j] = B[j] * A[i][j - i];
          }
          if (j >= 1) {
            C[j - 1] = B[j - 1] + B[j];
          }
        }""")
    expected = isl.UnionMap("[N] -> { S2[i,j] -> [0,i+j,0,i,0]; S3[k] -> [0,k+1,1,0,0] }")
    assert result.kernel.schedule.is_equal(expected.intersect_domain(kernel.domain))


def test_steps_in_python_are_the_steps_of_scripts() -> None:
    kernel = example("devos_3_1")
    steps = (Skew("S2.j", "S2.i"), Interchange("S2.i", "S2.j"), Fuse("S2.j", "S3.k"), Shift("[S3].k", "1"))
    by_hand = ls.transformed(kernel, steps, allow_illegal=True)
    by_script = ls.transformed(kernel, FIGURE_3_15, allow_illegal=True)
    assert by_hand.kernel.schedule.is_equal(by_script.kernel.schedule)


def test_fusion_without_the_shift_is_refused_with_a_witness() -> None:
    with pytest.raises(ls.IllegalTransformation) as caught:
        ls.transformed(example("devos_3_1"), FIGURE_3_15.rsplit("\n", 2)[0])
    assert "script:4:1" in str(caught.value)
    assert "S2(1, 0) must run before S3(0), because of B[1] (flow dependence)" in str(caught.value)
    assert "loop k (level 1) runs backwards" in str(caught.value)


def test_both_styles_of_figure_3_18(tmp_path: Path) -> None:
    kernel = kernel_of(
        """
        void f(int M, int a[M + 1][M + 1], int b[M + 1][M + 1]) {
        #pragma loadstone assume(M >= 1)
        #pragma scop
          for (int i = 0; i <= M; i++)
            for (int j = 0; j <= M; j++) {
        S1:   a[i][j] = i;
        S2:   b[i][j] = a[i][j] + j;
            }
        #pragma endscop
        }""",
        tmp_path,
    )
    result = ls.transformed(kernel, "shift [S2].i by 2\nshift [S2].j by 2")
    separated = emit_transformed(result.program, "separated")
    assert "if" not in body_of(separated)
    heads = re.findall(r"int (\w) = ([^;]+); \w <= ([^;]+);", separated)
    assert heads == [
        ("i", "0", "1"),
        ("j", "0", "M"),
        ("i", "2", "M"),
        ("j", "0", "1"),
        ("j", "2", "M"),
        ("j", "M + 1", "M + 2"),
        ("i", "M + 1", "M + 2"),
        ("j", "2", "M + 2"),
    ]
    compact = body_of(emit_transformed(result.program, "compact"))
    assert (compact.count("for"), compact.count("if")) == (2, 2)


STRIPS = """
strip-mine S1.j by 4
strip-mine S2.j by 2
"""
FIGURE_3_19 = STRIPS + "fuse S1.jt with S2.jt\nshift [S1].jt by -1"
FIGURE_3_20 = "shift S1.j by -1" + STRIPS + "fuse S1.jt with S2.jt"


def most_live(kernel: Kernel, array: str, parameters: Mapping[str, int]) -> int:
    """The largest number of elements that have been written and will still be read."""
    trace = traced(kernel, parameters)
    last_read: dict[tuple[int, ...], int] = {}
    for event in trace:
        if event.array == array and not event.is_write:
            last_read[event.element] = event.time
    changes: defaultdict[int, int] = defaultdict(int)
    for event in trace:
        if event.array == array and event.is_write and event.element in last_read:
            changes[event.time] += 1
            changes[last_read[event.element]] -= 1
    live, most = 0, 0
    for time in sorted(changes):
        live += changes[time]
        most = max(most, live)
    return most


@pytest.mark.parametrize(("script", "cells"), [(FIGURE_3_19, 8), (FIGURE_3_20, 5)])
def test_the_order_of_steps_decides_how_many_elements_live(script: str, cells: int) -> None:
    kernel = example("devos_3_19")
    result = ls.transformed(kernel, script, allow_illegal=True)
    for size in (4, 5, 6, 8, 12):
        assert most_live(kernel, "B", {"N": size}) == 2 * size + 1
        assert most_live(result.kernel, "B", {"N": size}) == cells
    for size in (0, 1, 2, 3, 4, 5, 7):
        assert_equal_results(kernel, result.kernel, {"N": size})


DUPLICATED = (
    FIGURE_3_20
    + """
skew S1.j by S1.jt times -4
duplicate S1 where j == 3 as Shared
shift [Shared].jt by 1
shift [Shared].j by -4
constrain S1 to jt >= 0
constrain Shared to 2 * jt < N
"""
)


def test_duplication_makes_tiles_independent() -> None:
    kernel = example("devos_3_19")
    result = ls.transformed(kernel, DUPLICATED, allow_illegal=True)
    for size in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9):
        assert_equal_results(kernel, result.kernel, {"N": size})
    tiles = {part.name: part.counters(1) for part in result.program.parts}
    for size in (4, 7, 8):
        trace = traced(result.kernel, {"N": size})
        for source, target in flow_pairs(trace):
            assert tile_of(tiles, source, size) == tile_of(tiles, target, size)


def tile_of(tiles: Mapping[str, isl.Map], instance: tuple[str, tuple[int, ...]], size: int) -> str:
    name, point = instance
    at = isl.Set(f"[N] -> {{ {name}[{', '.join(map(str, point))}] : N = {size} }}")
    return str(at.apply(tiles[name]).dim_max_val(0))


def test_what_is_needed_cannot_be_dropped() -> None:
    with pytest.raises(ls.IllegalTransformation, match=r"S1\(0\) is not executed any more, but its value of B\[0\]"):
        ls.transformed(example("devos_3_19"), "constrain S1 to j > 0")
    with pytest.raises(ls.IllegalTransformation, match=r"its value of C\[0\] is seen after the kernel"):
        ls.transformed(example("devos_3_19"), "constrain S2 to j > 0")


def test_a_statement_that_vanishes_is_missed() -> None:
    with pytest.raises(ls.IllegalTransformation, match=r"is not executed any more, but its value of B\[\d\]"):
        ls.transformed(example("devos_3_19"), "reverse S2.j\nconstrain S1 to j < 0")


def test_an_update_cannot_be_duplicated() -> None:
    with pytest.raises(ls.InputError, match="S2 reads what it writes"):
        ls.transformed(example("devos_3_1"), "duplicate S2 where i == 0")


def test_single_assignment_removes_false_dependences(tmp_path: Path) -> None:
    kernel = kernel_of(
        """
        void f(int N, int l, int a[N], int f[l], int b[N]) {
        #pragma loadstone assume(l >= 1 && N >= l)
          int s;
        #pragma scop
          for (int i = l - 1; i <= N - 1; i++)
            for (int k = 0; k <= l - 1; k++) {
              if (k == 0) s = 0;
              s = s + a[i - k] * f[k];
              if (k == l - 1) b[i] = s;
            }
        #pragma endscop
        }""",
        tmp_path,
    )
    with pytest.raises(ls.IllegalTransformation, match=r"\((anti|output) dependence\)"):
        ls.transformed(kernel, "reverse S0.i")
    result = ls.transformed(kernel, "expand s\nreverse S0.i")
    found = dependences(result.program.base)
    assert found.anti.is_empty()
    assert found.output.is_empty()
    for row in ({"l": 1, "N": 1}, {"l": 1, "N": 4}, {"l": 3, "N": 3}, {"l": 3, "N": 8}):
        assert_equal_results(kernel, result.kernel, row)


SUM = """
void f(int N, {type} x[N][N], {type} s[N]) {{
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
S:    s[i] {op} x[i][j];
  for (int i = 0; i < N; i++)
T:  s[i] = s[i] * 2;
#pragma endscop
}}
"""


@pytest.mark.parametrize("op", ["+=", "-=", "*=", "&=", "|=", "^="])
def test_reductions_may_be_reordered_if_asked(op: str, tmp_path: Path) -> None:
    kernel = kernel_of(SUM.format(op=op, type="unsigned"), tmp_path)
    with pytest.raises(ls.IllegalTransformation):
        ls.transformed(kernel, "reverse S.j")
    result = ls.transformed(kernel, "reverse S.j", free_reductions=True)
    for size in (0, 1, 2, 5):
        assert_equal_results(kernel, result.kernel, {"N": size})
    with pytest.raises(ls.IllegalTransformation, match=r"S\(\d, \d\) must run before T"):
        ls.transformed(kernel, "fuse S.i with T.i\nreverse [T].i", free_reductions=True)


def test_shifts_and_divisions_are_no_reductions(tmp_path: Path) -> None:
    kernel = kernel_of(SUM.format(op=">>=", type="unsigned"), tmp_path)
    with pytest.raises(ls.IllegalTransformation):
        ls.transformed(kernel, "reverse S.j", free_reductions=True)


@pytest.mark.parametrize("goal", ["locality", "parallel"])
@pytest.mark.parametrize("path", EXAMPLES[::4], ids=lambda p: p.stem)
def test_schedules_that_are_found_are_legal_scripts(path: Path, goal: str) -> None:
    kernel = ls.parse(path)
    try:
        steps = automatic_steps(kernel, "locality" if goal == "locality" else "parallel")
    except ls.UnsupportedError:
        pytest.skip("isl finds no schedule")
    script = "\n".join(step_text(step) for step in steps)
    result = ls.transformed(kernel, script, allow_illegal=True)
    for parameters in list(tiny_parameters(kernel))[:3]:
        assert_equal_results(kernel, result.kernel, parameters)


def carrying_loops(program: Program, parameters: Mapping[str, int]) -> set[tuple[int, tuple[int, ...]]]:
    """Depth and places of the loops that carry a dependence, by enumeration."""
    trace = traced(program.kernel, parameters)
    pairs = flow_pairs(trace) | memory_pairs(trace, earlier_writes=True) | memory_pairs(trace, earlier_writes=False)
    dates = {
        (part.name, point): tuple(date)
        for part, order in program.orders()
        for point, date in enumerated(fixed(order, parameters))
    }
    found: set[tuple[int, tuple[int, ...]]] = set()
    for source, target in pairs:
        differs = next((k for k, (x, y) in enumerate(zip(dates[source], dates[target], strict=True)) if x != y), 0)
        if differs % 2:
            found.add((differs // 2, program.part(source[0]).places[: differs // 2 + 1]))
    return found


@pytest.mark.parametrize("seed", range(60, 80))
def test_parallel_loops_carry_no_dependence(seed: int) -> None:
    kernel, rows, steps = random_sequence(seed, 3)
    program = program_of(kernel)
    for step in steps:
        program = legal_or_same(step, program)
    try:
        with operation_limit(LIMIT):
            free = set(parallel_loops(program, dependences(program.base)))
    except LimitReached:
        pytest.skip("too many dependences for the limit")
    for parameters in rows:
        carrying = carrying_loops(program, parameters)
        for nest in nests(program):
            first = program.part(nest.names[0])
            if f"{first.name}.{first.loops[nest.depth].name}" in free:
                assert (nest.depth, first.places[: nest.depth + 1]) not in carrying


def test_parallel_loops_of_matmul() -> None:
    program = program_of(example("matmul"))
    assert parallel_loops(program, dependences(program.base)) == ("S0.i", "S0.j")


def random_sequence(seed: int, length: int = 5) -> tuple[Kernel, tuple[dict[str, int], ...], list[Step]]:
    """A random kernel with parameters to try, and random steps that can be applied one after the other."""
    source = random.Random(seed)
    kernel, rows = random_kernel(seed)
    program = program_of(kernel)
    steps: list[Step] = []
    for _ in range(8 * length):
        if len(steps) == length or not program.parts:
            break
        step = random_step(program, source)
        try:
            with operation_limit(LIMIT):
                program = step.applied(program)
        except StepError:
            continue
        except LimitReached:
            break
        steps.append(step)
    return kernel, rows, steps


def check_random_sequence(seed: int) -> None:
    kernel, rows, steps = random_sequence(seed)
    program = program_of(kernel)
    legal, checked = program, 0
    for step in steps:
        try:
            with operation_limit(LIMIT):
                program = step.applied(program)
                trusted = legal if legal.base is program.base else None
                found = program_violation(program, dependences(program.base), trusted)
        except LimitReached:
            break
        legal = program if found is None else legal
        checked += 1
        check_judgement(kernel, rows, program, found)
    if steps and not checked:
        pytest.skip("too many dependences for the limit")


def check_judgement(
    kernel: Kernel, rows: tuple[dict[str, int], ...], program: Program, found: Violation | Missing | None
) -> None:
    """Legal means equal, illegal has a witness."""
    if found is not None:
        assert_really_broken(program, found)
        return
    for parameters in rows[:3]:
        assert_equal_results(kernel, program.kernel, parameters)


@pytest.mark.parametrize("seed", range(1, 60, 4))
@pytest.mark.parametrize("style", ["compact", "separated"])
def test_the_code_of_random_scripts(seed: int, style: Style) -> None:
    kernel, rows, steps = random_sequence(seed)
    program = program_of(kernel)
    for step in steps:
        program = legal_or_same(step, program)
    compiled = compile_printed(program.kernel, program_loops(program, style))
    for parameters in rows[:3]:
        expected, actual = (initial_memory(program.kernel, parameters) for _ in range(2))
        execute(program.kernel, parameters, expected)
        compiled.run(parameters, actual)
        assert mismatches(expected, actual, live_out_arrays(kernel)) == []


def assert_really_broken(program: Program, found: Violation | Missing) -> None:
    """The witness is a dependence of the original order, and the new order reverses it or loses its source."""
    trace = traced(program.base, found.parameters)
    order = {instance: place for place, instance in enumerate(instances_in_order(program.kernel, found.parameters))}
    source = base_instance(program, found.source)
    if isinstance(found, Missing):
        assert not any((part.name, source[1]) in order for part in program.parts if part.base == source[0])
        return
    target = base_instance(program, found.target)
    assert (source, target) in dependent_pairs(found.kind, trace)
    assert order[found.source] > order[found.target]


def dependent_pairs(kind: str, trace: Trace) -> Pairs:
    return flow_pairs(trace) if kind == "flow" else memory_pairs(trace, earlier_writes=kind == "output")


def base_instance(program: Program, instance: tuple[str, tuple[int, ...]]) -> tuple[str, tuple[int, ...]]:
    name, point = instance
    return next((part.base for part in program.parts if part.name == name), name), point


@pytest.mark.parametrize("seed", range(32))
def test_random_scripts(seed: int) -> None:
    check_random_sequence(seed)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(32, 1000))
def test_random_scripts_sweep(seed: int) -> None:
    check_random_sequence(seed)


@pytest.mark.parametrize("name", ["gemm", "jacobi-1d", "trisolv"])
def test_a_plan_asks_the_scheduler_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[str] = []

    def counted(compute: Callable[[], str], operations: int, seconds: int, megabytes: int) -> str:
        answers.append(isolated(compute, operations, seconds, megabytes))
        return answers[-1]

    monkeypatch.setattr(scheduler, "isolated", counted)
    choose_tiling(ls.parse(ROOT / "examples" / "polybench" / f"{name}.c"), schedule="auto")
    assert len(answers) == 1


def test_a_statement_without_loops_is_tiled_automatically() -> None:
    kernel = ls.parse("void k(int a[4], int b[4]) {\n#pragma scop\n  a[0] = b[1];\n#pragma endscop\n}\n")
    tiles = choose_tiling(kernel, 8, "auto")
    assert (tiles.sizes, tiles.inner) == ((8,), ("T0",))
