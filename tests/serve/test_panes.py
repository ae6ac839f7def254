"""The panes say what the compiler computes."""

from __future__ import annotations

import re
from base64 import b64decode
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

import loadstone as ls
from explorer_client import SCALE
from kernels import ROOT
from loadstone.errors import IllegalTransformation
from loadstone.serve.panes import NAMES, answers
from loadstone.serve.request import read_request
from loadstone.serve.subject import Subject

MATMUL = ROOT / "examples" / "matmul.c"
TWO = """void two(int n, int a[n], int b[n], int c[n]) {
  for (int i = 0; i < n; i++) {
    b[i] = 2 * a[i];
    c[i] = b[i] + a[i];
  }
}
"""


def subject(source: Path | str, **more: Any) -> Subject:
    text = source if isinstance(source, str) else source.read_text()
    return Subject(read_request({"source": text, "panes": list(NAMES), **more}, NAMES))


@cache
def matmul() -> Subject:
    """The matrix product of 24 x 24 in tiles of 8."""
    return subject(MATMUL, parameters={"n": 24}, options={"sizes": "8,8,8"})


def pane(asked: Subject, name: str) -> dict[str, Any]:
    return list(answers(asked, name))[-1]


def test_traffic_is_that_of_the_plan() -> None:
    asked = matmul()
    found = pane(asked, "traffic")
    assert found["ways"][0] == {"way": "this plan", "load": 4032, "store": 576}
    assert found["compulsory"] == 4 * 24 * 24
    cells = sum(row["cells"] * row["copies"] for row in pane(asked, "buffers")["rows"])
    assert found["cells"] == cells


def test_pictures_hold_what_tiles_move() -> None:
    found = pane(matmul(), "tiles")
    assert [tile["name"] for tile in found["tiles"]] == ["T2 = 0", "T2 = 1", "T2 = 2"]
    sides = {(picture["side"], picture["array"]): picture["tiles"] for picture in found["pictures"]}
    assert sides == {("load", "c"): [0], ("store", "c"): [2], ("load", "a"): [0, 1, 2], ("load", "b"): [0, 1, 2]}
    assert all(picture["svg"].count("<g ") == len(picture["tiles"]) for picture in found["pictures"])


def test_strips_are_chosen_by_their_place() -> None:
    middle = pane(matmul(), "tiles")
    assert (middle["strips"], middle["position"], middle["strip"]) == (9, 4, "T0 = 1, T1 = 1")
    later = subject(MATMUL, parameters={"n": 24}, options={"sizes": "8,8,8"}, position=5)
    assert pane(later, "tiles")["strip"] == "T0 = 1, T1 = 2"
    beyond = subject(MATMUL, parameters={"n": 24}, options={"sizes": "8,8,8"}, position=500)
    assert pane(beyond, "tiles")["position"] == 8


def test_timeline_is_the_prediction() -> None:
    asked = matmul()
    assert pane(asked, "timeline")["cycles"] == ls.predict(asked.circuit, memory="paper").cycles


def test_lines_of_programs_are_linked_to_statements() -> None:
    asked = subject(TWO, options={"sizes": "4"})
    names = [statement["name"] for statement in pane(asked, "kernel")["statements"]]
    for language in ("c", "hls"):
        first = pane(asked, language)["files"][0]
        lines = first["text"].splitlines()
        assert {name for _, name in first["links"]} == set(names)
        assert all("=" in lines[number - 1] for number, _ in first["links"])


@pytest.mark.parametrize("language", ["verilog", "vhdl"])
def test_lines_of_hardware_are_linked_to_statements(language: str) -> None:
    files = pane(matmul(), language)["files"]
    assert files[0]["path"].startswith("matmul_S0.")
    assert len(files[0]["links"]) == len(files[0]["text"].splitlines())
    others = [(file["text"].splitlines()[n - 1], name) for file in files[1:] for n, name in file["links"]]
    assert others
    assert all(re.search(rf"(?<![A-Za-z0-9]){name}(?![A-Za-z0-9])", line) for line, name in others)


def test_resources_count_what_is_there() -> None:
    found = pane(matmul(), "resources")
    assert found["statements"]["S0"]["interval"] == 1
    assert list(found["operators"].values()) == [1]
    words = {memory["name"].rpartition(".")[0]: memory["words"] for memory in found["memories"]}
    assert words["matmul_accelerator_core_a_memory"] == 256


def test_what_is_gone_through_is_small() -> None:
    large = subject(MATMUL, parameters={"n": 400})
    assert large.small_values == {"n": 12}
    assert pane(large, "reuse")["source"]["accesses"] == 4 * 12**3
    small = subject(MATMUL, parameters={"n": 8})
    assert small.small_values == {"n": 8}


def test_the_curve_fills() -> None:
    source = "void scale(int n, int a[n], int b[n]) {\n  for (int i = 0; i < n; i++)\n    b[i] = 3 * a[i];\n}\n"
    request = read_request({"source": source, "panes": ["curve"], "parameters": {"n": 16}}, NAMES)
    found = list(answers(Subject(request), "curve"))
    assert [len(each["curve"]) for each in found] == list(range(1, found[0]["total"] + 1))
    assert found[-1]["curve"][-1]["words"] == found[-1]["compulsory"] == 32


def test_projects_hold_all_targets_and_run_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("loadstone.simulate.programs.compiled.run_command", None)
    made = pane(matmul(), "project")
    with ZipFile(BytesIO(b64decode(made["zip"]))) as archive:
        names = set(archive.namelist())
        assert archive.read("kernel.c").decode() == MATMUL.read_text()
    assert made["name"] == "matmul"
    assert {"plan.json", "c/matmul.c", "hls/matmul.cpp", "verilog/matmul_accelerator_top.sv", "vhdl/files.f"} <= names


def test_programs_run_against_the_original() -> None:
    request = read_request({"source": TWO, "panes": ["run"], "parameters": {"n": 50}, "options": {"sizes": "8"}}, NAMES)
    found = pane(Subject(request, allow_run=True), "run")
    assert (found["match"], found["loaded"], found["stored"]) == (True, 50, 100)


def test_illegal_tilings_have_a_witness() -> None:
    schedule = "{ S0[i,j,k] -> [i,j,k]; S1[i,j] -> [i,j,0]; S2[i,j,k] -> [i,j,k] }"
    options = {"sizes": "8,8,8", "schedule": schedule}
    asked = subject(ROOT / "examples" / "polybench" / "lu.c", options=options)
    assert pane(asked, "tiling")["sizes"] == [8, 8, 8]
    with pytest.raises(IllegalTransformation, match="must run before"):
        pane(asked, "traffic")


def test_parameters_that_nobody_gives_make_several_tiles() -> None:
    found = subject(TWO)
    assert found.values == {"n": 40}
    assert pane(found, "tiles")["tile_count"] == 2
    small = TWO.replace("for (int i", "#pragma loadstone assume(n <= 9)\n  for (int i", 1)
    assert subject(small).values["n"] <= 9


def test_the_front_is_predicted() -> None:
    values = {"n": 12}
    *before, last = answers(subject(SCALE, parameters=values, options={"sizes": "8", "unroll": "2"}), "front")
    assert last["exhaustive"]
    assert last["done"] == last["space"] == 20
    assert [each["done"] for each in before] == sorted(each["done"] for each in before)
    assert {"--tile", "--unroll", "n=12"} <= set(last["front"][-1]["command"].split())
    for each in last["front"]:
        chosen = {name: each["choices"][name] for name in ("sizes", "unroll") if name in each["choices"]}
        run = ls.predict(ls.parse(SCALE), parameters=values, memory="paper", **chosen)
        assert run.cycles == each["measures"]["cycles"]


def test_a_waveform_has_all_cycles() -> None:
    asked = subject(TWO, parameters={"n": 16}, options={"sizes": "8"})
    found = pane(asked, "waveform")
    assert found["finished"]
    assert found["cycles"] == pytest.approx(pane(asked, "timeline")["cycles"], rel=0.02)
    assert f"\n#{10 * (found['cycles'] - 1)}\n" in found["vcd"]
    with pytest.raises(ls.InputError, match="elements"):
        pane(subject(TWO, parameters={"n": 1 << 20}), "waveform")
