"""Scripts of loop transformations: sequences, inclusion, and messages that point into the script."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import loadstone as ls
from kernels import ROOT
from loadstone.cli.main import main
from loadstone.transform.script import parse_script, read_script
from loadstone.transform.step_syntax import step_text

KERNEL = str(ROOT / "examples" / "devos_3_1.c")
LEGAL = """\
skew S2.j by S2.i
interchange S2.i S2.j
shift S3.k by 1
fuse S2.j with S3.k
"""


def texts(script: str) -> list[str]:
    return [step_text(found.step) for found in parse_script(script)]


def test_comments_and_blank_lines_are_skipped() -> None:
    assert texts("# nothing\n\n  reverse i   # back\n") == ["reverse i"]


def test_sequences_take_arguments_and_call_sequences() -> None:
    script = """
    sequence move(statement, by)
      shift [$statement].k by $by
    end
    sequence twice(statement)
      move $statement 1
      move ${statement}b N-1
    end
    twice S
    move T 2
    """
    assert texts(script) == ["shift [S].k by 1", "shift [Sb].k by N-1", "shift [T].k by 2"]


def test_scripts_include_scripts(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "moves.steps").write_text("sequence back(loop)\n  reverse $loop\nend\n")
    (tmp_path / "all.steps").write_text('#include "parts/moves.steps"\nback i\n')
    assert [step_text(found.step) for found in read_script(tmp_path / "all.steps")] == ["reverse i"]


WRONG = {
    "twist i": ("1:1", "there is no step 'twist'"),
    "skew S2.j with S2.i": ("1:11", "'by' is missing"),
    "skew S2.j": ("1:1", "'by' is missing"),
    "skew S2.j by S2.i times many": ("1:25", "'many' is not a whole number"),
    "reverse S2.i now": ("1:14", "'now' is too much here"),
    "reverse S9.i": ("1:9", "there is no statement 'S9'"),
    "reverse S2.x": ("1:9", "S2 is in no loop 'x'"),
    "reverse S2.3": ("1:9", "S2 is in no loop '3'"),
    "reverse x": ("1:9", "no loop is called 'x'"),
    "reverse S2/i": ("1:9", "'S2/i' does not name a loop"),
    "skew S2.i by S2.i": ("1:6", "a loop cannot be skewed by itself"),
    "interchange S2.i S3.k": ("1:18", "stands in only one of the loops"),
    "fuse S2.i with S3.1\nfuse S2.i with S3.k": ("2:16", "are one loop already"),
    "fuse S2.j with S3.k": ("1:16", "loops of different depth cannot be fused"),
    "tile S2.j S2.i by 4": ("1:11", "is not perfectly nested"),
    "tile S2.i S2.j by 4 0": ("1:19", "give one positive size"),
    "strip-mine S2.i by 0": ("1:20", "strips have at least one iteration"),
    "stretch S2.i by -2": ("1:17", "a loop is stretched by a positive number"),
    "peel middle 1 of S2.i": ("1:6", "'middle' is neither first nor last"),
    "unroll S2.i": ("1:8", "the loop has no constant bounds"),
    "unroll S2.i by 1000": ("1:16", "loops are unrolled by 1 to 64"),
    "expand Q": ("1:8", "there is no array 'Q'"),
    "split S2 where q > 0": ("1:16", "'q' is no loop of S2 and no parameter"),
    "split S2 where i * j > 0": ("1:16", "is not affine"),
    "split S2 where i >": ("1:16", "is not an expression"),
    "split S2 where f(i)": ("1:16", "is not an affine expression"),
    "distribute S2.i before S3": ("1:24", "S3 does not stand in 'S2.i'"),
    "fuse S2.i with S3.k\nstrip-mine S2.i by 4\ndistribute S2.it before S3": (
        "3:25",
        "S2 stands before S3 in an inner",
    ),
    "schedule S2 as i, j": ("1:16", "a schedule vector is a number"),
    "end": ("1:1", "there is no sequence to end"),
    "sequence open(x)\nreverse $x": ("1:1", "this sequence has no end"),
    "sequence nothing": ("1:1", "a sequence needs a name"),
    "sequence skew(x)\nend": ("1:10", "'skew' is the name of a step"),
    "sequence one(x)\nreverse $y\nend\none i": ("2:9", "there is no argument '$y'"),
    "sequence one(x)\nreverse $x\nend\none": ("4:1", "'one' takes 1 arguments, not 0"),
    "sequence loop(x)\nloop $x\nend\nloop i": ("2:1", "'loop' calls itself"),
    '#include "missing.steps"': ("1:1", "cannot read the script"),
}


@pytest.mark.parametrize("script", WRONG, ids=lambda text: text.replace("\n", "; ")[:40])
def test_errors_point_into_the_script(script: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.steps"
    path.write_text(script)
    status = main(["transform", KERNEL, "--script", str(path), "--allow-illegal"])
    out, err = capsys.readouterr()
    place, message = WRONG[script]
    assert (status, out) == (2, "")
    assert f"bad.steps:{place}: error: " in err
    assert message in err
    assert "Traceback" not in err


def test_a_script_that_includes_itself(tmp_path: Path) -> None:
    path = tmp_path / "self.steps"
    path.write_text('#include "self.steps"\n')
    with pytest.raises(ls.InputError, match="includes itself"):
        read_script(path)


def test_an_error_in_a_sequence_names_its_callers() -> None:
    script = "sequence back(s)\n  reverse $s.x\nend\nback S2\n"
    with pytest.raises(ls.InputError, match=r"(?s)script:2:11: error: S2 is in no loop 'x'.*called from script:4"):
        ls.transformed(ls.parse(KERNEL), script)


def test_the_command_prints_one_object(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "good.steps"
    path.write_text(LEGAL)
    assert main(["transform", KERNEL, "--script", str(path), "--json", "--verify", "-p", "N=5"]) == 0
    info = json.loads(capsys.readouterr().out)
    assert info["legal"] is True
    assert [step["legal"] for step in info["steps"]] == [True] * 4
    assert info["verified"]["match"] is True
    assert "C[j - 1] = B[j - 1] + B[j];" in info["c"]


def test_an_illegal_script_ends_with_status_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["transform", KERNEL, "--json", "--step", "reverse S2.i"]) == 1
    info = json.loads(capsys.readouterr().out)
    witness = info["steps"][0]["violation"]
    assert info["legal"] is False
    assert witness["kind"] in ("flow", "anti", "output")
    assert witness["element"].startswith("B[")
    assert witness["dimension"] == "loop i (level 1)"


@pytest.mark.parametrize("command", [["plan"], ["network"], ["info"], ["run", "--target", "c", "--checked"]])
def test_other_commands_take_scripts(command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "good.steps"
    path.write_text(LEGAL)
    name, *options = command
    tiling = [] if name in ("info",) else ["--tile", "4"]
    values = [] if name == "info" else ["-p", "N=9"]
    assert main([name, KERNEL, "--script", str(path), *options, *tiling, *values, "--json"]) == 0
    assert capsys.readouterr().err == ""
