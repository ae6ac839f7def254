"""The soak of `benchmarks/soak.py`: cases end right or refused, wrong ones are shrunk, and a log is gone on with."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import random_cases
from random_cases import Case, ending, shrunk

SOAK = Path(__file__).parent.parent / "benchmarks" / "soak.py"

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")


def test_a_case_is_shrunk_to_what_makes_it_wrong() -> None:
    source = "one\ntwo\nbad\nfour\nfive\n"
    tiling = ("--tile", "4", "--strip", "2")
    case = Case(0, source, ("step", "other"), tiling, (), (), (("c",), ("hls", "--target", "hls")))

    def is_wrong(smaller: Case) -> bool:
        hls = any(way[0] == "hls" for way in smaller.ways)
        return hls and "bad" in smaller.source and "other" in smaller.script and "--strip" in smaller.tiling

    small = shrunk(case, is_wrong)
    assert (small.source, small.script, small.tiling, small.ways) == ("bad", ("other",), ("--strip",), (case.ways[1],))


def test_what_differs_or_breaks_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A status without an error in JSON is a wrong result; an error is a refusal; an exception is wrong."""
    case = Case(0, "void f(int n, int a[n]) {\n  a[0] = 1;\n}\n", (), (), (), (), (("c",),))
    monkeypatch.chdir(tmp_path)
    for answer, verdict in (('{"match": false}', "wrong"), ('{"error": {"message": "no"}}', "refused")):

        def no(words: Sequence[str], answer: str = answer) -> int:
            print(answer)
            return 1

        monkeypatch.setattr(random_cases, "loadstone", no)
        assert ending(case).verdict == verdict

    def broken(words: Sequence[str]) -> int:
        return int(words[100])

    monkeypatch.setattr(random_cases, "loadstone", broken)
    assert ending(case).verdict == "wrong"


@pytest.mark.sweep
def test_some_cases(tmp_path: Path) -> None:
    command = [sys.executable, str(SOAK), "--kernels", "25", "--jobs", "2", "--log", str(tmp_path / "log")]
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=1200)
        assert done.returncode == 0, done.stdout
        assert done.stdout.startswith("25 kernels"), done.stdout
