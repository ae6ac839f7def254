"""The curve of words against local memory."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from kernels import ROOT
from loadstone.cli.main import main

VECTORS = str(ROOT / "examples" / "vector_sum.c")


def test_curve_falls_to_the_compulsory_words(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    drawing = tmp_path / "curve.svg"
    assert main(["explore", VECTORS, "--curve", "-p", "n=4", "--json", "-o", str(drawing)]) == 0
    found = json.loads(capsys.readouterr().out)
    points = found["curve"]
    assert [point["local"] for point in points] == [3, 4, 8, 16, 24]
    assert found["compulsory"] == points[-1]["words"] == 12
    fitting = [point for point in points if point["words"] is not None]
    assert all(point["cells"] <= point["local"] for point in fitting)
    assert all(before["words"] >= after["words"] for before, after in pairwise(fitting))
    assert drawing.read_text().startswith("<svg")
    assert drawing.read_text().count("<circle") == len(fitting)
