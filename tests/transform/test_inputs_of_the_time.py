"""Scripts of URUK and input files of CLooG, as the thesis has them."""

from __future__ import annotations

from pathlib import Path

import islpy as isl
import pytest

import loadstone as ls
from kernels import ROOT
from loadstone.cli.main import main
from loadstone.errors import InputError
from loadstone.loops import generate
from loadstone.loops.cloog import CloogInput, parse_cloog, read_cloog
from loadstone.loops.compiled_walk import compiled_walk
from loadstone.poly import fixed, pairs
from loadstone.transform.commutation import same_result
from loadstone.transform.program import Program, program_of
from loadstone.transform.script import parse_script, read_script
from loadstone.transform.step_syntax import step_text
from loadstone.transform.uruk import UrukCall

EXAMPLES = ROOT / "examples"


def program() -> Program:
    return program_of(ls.parse(EXAMPLES / "devos_3_1.c"))


def after(start: Program, *lines: str) -> Program:
    for each in parse_script("\n".join(lines)):
        start = each.step.applied(start)
    return start


def test_figure_3_15_as_printed() -> None:
    """It is our script, step by step, and Table 3.3 has its schedules."""
    calls, ours = read_script(EXAMPLES / "devos_3_15.uruk"), read_script(EXAMPLES / "devos_3_15.steps")
    table_3_3 = ("0,i,0,i+j,0", "0,i+j,0,i,0", "0,i+j,0,i,0", "0,i+j,0,i,0")
    first, second = program(), program()
    for call, step, vector in zip(calls, ours, table_3_3, strict=True):
        first, second = call.step.applied(first), step.step.applied(second)
        assert same_result(first, second)
        domain = "0 <= i and 0 <= j and i + j <= N"
        assert first.part("S2").schedule.is_equal(isl.Map(f"[N] -> {{ S2[i,j] -> [{vector}] : {domain} }}"))
    assert first.part("S3").schedule.is_equal(isl.Map("[N] -> { S3[k] -> [0, k + 1, 1] : 0 <= k < N }"))


@pytest.mark.parametrize(
    ("call", "steps"),
    [
        ("skew(enclose(S2), 2, 1, -3)", "skew S2.i by S2.j times -3"),
        ("reversal(enclose(S2,2))", "reverse S2.i"),
        ("reversal(enclose(S2))", "reverse S2.j"),
        ("stripmine(enclose(S3),4)", "strip-mine S3.k by 4"),
        ("shift(S2,{[0,1],[2,-1]})", "shift [S2].i by 1\nshift [S2].j by 2 * N - 1"),
    ],
)
def test_calls_are_our_steps(call: str, steps: str) -> None:
    assert same_result(after(program(), call), after(program(), *steps.split("\n")))
    assert step_text(UrukCall(call)) == call


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("skew(enclose(S9),1,2,1)", "there is no statement 'S9'"),
        ("skew(enclose(S2),1,2)", "do not fit"),
        ("shift(S3,{[0,1],[0,1]})", "do not fit"),
        ("interchange(enclose(S2,5))", "there is no loop"),
        ("fusion(enclose(S3))", "no loop follows"),
        ("fuse(enclose(S2))", "is no call that is known"),
    ],
)
def test_other_calls_are_refused(call: str, message: str) -> None:
    with pytest.raises(InputError, match=message.replace("'", ".")):
        ls.transformed(ls.parse(EXAMPLES / "devos_3_1.c"), f"{call}\n", allow_illegal=True)


def visited(found: CloogInput, size: int, option: str) -> list[tuple[str, tuple[int, ...]]]:
    """The instances in the order in which the loops run them."""
    tree = generate(found.schedule, found.context, option="atomic" if option == "atomic" else "separate")
    runs = compiled_walk(tree, ["M"])(size)
    return [
        (run.name, tuple(a + k * s for a, s in zip(run.arguments, run.steps, strict=True)))
        for run in runs
        if run.name
        for k in range(run.length)
    ]


@pytest.mark.parametrize("option", ["atomic", "separate"])
def test_example_6_as_an_input_file(option: str) -> None:
    """Figure 3.18: the loops run the instances in the order of the schedule, for M = 1, ..., 7."""
    found = read_cloog(EXAMPLES / "devos_3_18.cloog")
    domain = "0 <= i <= M and 0 <= j <= M"
    expected = isl.UnionMap(f"[M] -> {{ S1[i,j] -> [0,i,0,j,0] : {domain}; S2[i,j] -> [0,i+2,0,j+2,1] : {domain} }}")
    assert found.schedule.is_equal(expected)
    assert found.context.is_equal(isl.Set("[M] -> { : M >= 1 }"))
    for size in range(1, 8):
        dated = [
            (date, (name, instance))
            for name in ("S1", "S2")
            for instance, date in pairs(fixed(part(found, name), {"M": size}))
        ]
        assert visited(found, size, option) == [instance for _, instance in sorted(dated)]


def part(found: CloogInput, name: str) -> isl.Map:
    return next(each for each in maps_of(found.schedule) if each.get_tuple_name(isl.dim_type.in_) == name)


def maps_of(schedule: isl.UnionMap) -> list[isl.Map]:
    maps: list[isl.Map] = []
    schedule.foreach_map(maps.append)
    return maps


PLAIN = """c
0 3
0
1
1
2 4
1 1 0 -1
1 -1 0 3
0 0 0
0
0
0
"""


def test_files_without_names_and_scattering() -> None:
    found = parse_cloog(PLAIN)
    assert found.schedule.is_equal(isl.UnionMap("[p1] -> { S1[i] -> [i, 0] : 1 <= i <= 3 }"))


@pytest.mark.parametrize("text", ["", "c 1 3", "c 1 3 x 1 0 1"])
def test_other_files_are_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_cloog(text)


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = str(EXAMPLES / "devos_3_18.cloog")
    assert main(["transform", source, "--style", "separated"]) == 0
    out = capsys.readouterr().out
    assert out.count("for (") == 8
    assert "if" not in out
    assert main(["transform", source, "--verify"]) == 2
    assert main(["transform", str(tmp_path / "none.cloog")]) == 2
