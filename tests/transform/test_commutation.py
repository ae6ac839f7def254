"""Which steps commute, canonical scripts [Devos, 3.6.3 and 3.6.4], and the schedules and dependences of Figure 3.9."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import islpy as isl
import pytest

import loadstone as ls
from kernels import ROOT
from loadstone.analysis import flow
from loadstone.cli.main import main
from loadstone.model.kernel import Kernel
from loadstone.poly import fixed, pairs
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.transform.commutation import canonical, same_result
from loadstone.transform.loop_names import StepError
from loadstone.transform.program import Program, program_of
from loadstone.transform.script import parse_script
from loadstone.transform.step_syntax import Step, step_text
from random_scripts import LIMIT, random_step

Point = tuple[int, ...]
FIGURE_1_7 = """void f(int N, int A[N + 1][N + 1], int B[N + 1], int C[N + 1]) {
#pragma scop
  for (int i = 0; i <= N; i++)
    for (int j = 0; j <= N - i; j++) {
      if (i == 0)
S1:     B[j] = 1;
S2:   B[i + j] = B[i + j] * A[i][j];
    }
  for (int k = 0; k <= N - 1; k++)
S3: C[k] = B[k] + B[k + 1];
#pragma endscop
}
"""
NEST = """void nest(int n, int a[n][n][n][n]) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        for (int l = 0; l < n; l++)
S:        a[i][j][k][l] = i + 2 * j;
#pragma endscop
}
"""
TWO = """void two(int n, int a[n][n], int b[n][n]) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
S:    a[i][j] = i;
R:    b[i][j] = j;
    }
#pragma endscop
}
"""


def parsed(text: str, folder: Path) -> Kernel:
    path = folder / "kernel.c"
    path.write_text(text)
    return ls.parse(path)


def devos_3_1() -> Program:
    return program_of(ls.parse(ROOT / "examples" / "devos_3_1.c"))


def devos_3_19() -> Program:
    return program_of(ls.parse(ROOT / "examples" / "devos_3_19.c"))


def steps(text: str) -> tuple[Step, ...]:
    return tuple(each.step for each in parse_script(text.replace("; ", "\n")))


def after(program: Program, text: str) -> Program:
    for step in steps(text):
        program = step.applied(program)
    return program


def is_same(program: Program, first: str, second: str) -> bool:
    return same_result(after(program, first), after(program, second))


def commute(program: Program, text: str) -> bool:
    """Whether two steps do the same in either order, with the same operands."""
    first, second = text.split("; ")
    try:
        return is_same(program, text, f"{second}; {first}")
    except StepError:
        return False


def test_case_1(tmp_path: Path) -> None:
    """Any order: two shifts, a shift and a fusion, interchanges of different loops."""
    nest = program_of(parsed(NEST, tmp_path))
    assert commute(nest, "shift S.i by 1; shift S.j by n")
    assert commute(nest, "interchange S.i S.j; interchange S.k S.l")
    assert not commute(nest, "interchange S.i S.j; interchange S.j S.k")
    assert commute(devos_3_1(), "fuse S2.i with S3.k; shift [S3].k by 1")
    assert commute(devos_3_1(), "shift S2.j by 1; interchange S2.i S2.j")


def test_case_2(tmp_path: Path) -> None:
    """With other operands: U (Gamma + M) = U Gamma + U M."""
    program = program_of(parsed(TWO, tmp_path))
    skew, shift = "skew [R].j by [R].i", "shift [R].i by 1"
    assert not commute(program, f"{skew}; {shift}")
    assert is_same(program, f"{skew}; {shift}", f"{shift}; shift [R].j by -1; {skew}")
    found = canonical(program, steps(f"{skew}; {shift}"))
    assert [step_text(step) for step in found] == [shift, "shift [R].j by -1 * (1)", skew]


def test_case_3() -> None:
    """A shift before a peel is two shifts behind it; what one of these does alone, none before does."""
    program = after(devos_3_19(), "fuse S1.j with S2.j")
    peeled = after(program, "split S1 where j == 0 as P")
    assert is_same(
        program,
        "shift [S1].j by 2; split S1 where j == 2 as P",
        "split S1 where j == 0 as P; shift [P].j by 2; shift [S1].j by 2",
    )
    alone = after(peeled, "shift [P].j by 2")
    for amount in range(-4, 5):
        before = after(program, f"shift [S1].j by {amount}; split S1 where j == {amount} as P")
        assert not same_result(before, alone)


def test_case_4() -> None:
    """A shift before a strip-mine groups instances as none behind it does, and the other way round."""
    program = devos_3_19()
    early = after(program, "shift S1.j by 3; strip-mine S1.j by 4; strip-mine S2.j by 2; fuse S1.jt with S2.jt")
    late = "strip-mine S1.j by 4; strip-mine S2.j by 2; fuse S1.jt with S2.jt; shift [S1].jt by {}; shift [S1].j by {}"
    reached = [after(program, late.format(tile, element)) for tile, element in product(range(-1, 2), range(-4, 5))]
    assert not any(same_result(early, each) for each in reached)
    tile = after(program, late.format(1, 0))
    groups = "shift S1.j by {}; strip-mine S1.j by 4; strip-mine S2.j by 2; fuse S1.jt with S2.jt"
    assert same_result(tile, after(program, groups.format(4)))
    element = after(program, late.format(0, 1))
    assert not any(same_result(element, after(program, groups.format(amount))) for amount in range(1, 5))


def test_figure_3_15_with_its_shift_in_front() -> None:
    """Then every step is legal."""
    script = steps("skew S2.j by S2.i; interchange S2.i S2.j; fuse S2.j with S3.k; shift [S3].k by 1")
    found = canonical(devos_3_1(), script)
    assert [step_text(step) for step in found] == [
        "shift [S3].k by 1",
        "skew S2.j by S2.i",
        "interchange S2.i S2.j",
        "fuse S2.j with S3.k",
    ]
    assert ls.transformed(ls.parse(ROOT / "examples" / "devos_3_1.c"), found).program is not None


def test_scripts_that_differ_in_shifts_alone_become_equal() -> None:
    program = devos_3_19()
    scripts = (
        "shift S1.j by 1; strip-mine S1.j by 4; strip-mine S2.j by 2; fuse S1.jt with S2.jt; shift [S2].jt by 1",
        "strip-mine S2.j by 2; shift [S2].jt by 1; shift S1.j by 1; strip-mine S1.j by 4; fuse S1.jt with S2.jt",
    )
    first, second = (canonical(program, steps(script)) for script in scripts)
    assert [s for s in map(step_text, first) if s.startswith("shift")] == [
        s for s in map(step_text, second) if s.startswith("shift")
    ]
    for script, found in zip(scripts, (first, second), strict=True):
        changed = program
        for step in found:
            changed = step.applied(changed)
        assert same_result(changed, after(program, script))


def precedence(program: Program, values: dict[str, int]) -> set[tuple[tuple[str, Point], tuple[str, Point]]]:
    """Pairs of instances of which the first has an earlier date, by enumeration."""
    dated = [
        (name, instance, date + (0,) * (20 - len(date)))
        for part in program.parts
        for name in (part.name,)
        for instance, date in pairs(fixed(part.schedule, values))
    ]
    return {((p, x), (q, y)) for p, x, first in dated for q, y, second in dated if first < second}


@pytest.mark.parametrize("seed", range(24))
def test_same_results_are_those_of_enumeration(seed: int) -> None:
    """Both ways: two programs that are not the same differ for some sizes."""
    rng, nest = random.Random(seed), devos_3_1() if seed % 2 else devos_3_19()
    try:
        with operation_limit(LIMIT):
            first, second = random_step(nest, rng), random_step(nest, rng)
            both = second.applied(first.applied(nest)), first.applied(second.applied(nest))
            found = same_result(*both)
    except (StepError, LimitReached):
        pytest.skip("steps that make no sense together")
    same = [precedence(both[0], {"N": size}) == precedence(both[1], {"N": size}) for size in range(1, 8)]
    assert found == all(same)


def test_canonical_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    script = str(ROOT / "examples" / "devos_3_15.steps")
    source = str(ROOT / "examples" / "devos_3_1.c")
    assert main(["transform", source, "--script", script, "--canonical"]) == 0
    assert "shift [S3].k by 1      yes" in capsys.readouterr().out
    assert main(["transform", source, "--auto", "locality", "--canonical"]) == 2


def test_figure_3_9(tmp_path: Path) -> None:
    """Schedule vectors, and dependences of B, with S1 [Devos, Figures 1.7, 3.8 and 3.9]."""
    kernel = parsed(FIGURE_1_7, tmp_path)
    vectors = {part.name: part.schedule for part in program_of(kernel).parts}
    domain = "0 <= i and 0 <= j and i + j <= N"
    assert vectors["S1"].is_equal(isl.Map("[N] -> { S1[i, j] -> [0, i, 0, j, 0] : i = 0 and 0 <= j <= N }"))
    assert vectors["S2"].is_equal(isl.Map(f"[N] -> {{ S2[i, j] -> [0, i, 0, j, 1] : {domain} }}"))
    assert vectors["S3"].is_equal(isl.Map("[N] -> { S3[k] -> [1, k, 0] : 0 <= k < N }"))
    expected = isl.UnionMap(
        "[N] -> { S1[i, j] -> S2[i, j] : i = 0 and 0 <= j <= N;"
        " S2[i, j] -> S2[i + 1, j - 1] : 0 <= i and j >= 1 and i + j <= N;"
        " S2[i, j] -> S3[k] : j = 0 and k <= i <= k + 1 and 0 <= i <= N and 0 <= k <= N - 1 }"
    )
    assert flow(kernel).is_equal(expected)
