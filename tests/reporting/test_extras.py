"""What a report shows beside the plan: the accelerator against its prediction, advice, fronts, and comparisons."""

from __future__ import annotations

import json
from base64 import b64decode
from dataclasses import replace
from functools import cache
from math import ceil, log2
from pathlib import Path

import pytest

import loadstone as ls
from kernels import ROOT
from loadstone.circuits import CircuitCompilation
from loadstone.cli.main import main
from loadstone.dram.timing import PRESETS
from loadstone.errors import Diagnostic
from loadstone.fronts.space import Measure
from loadstone.options import Choices, HardwareOptions
from loadstone.pipeline import Compilation
from loadstone.reporting import emit_report, gather_report
from loadstone.reporting.advice import CAPACITIES, machine_advice
from loadstone.reporting.apart import Made, made_apart
from loadstone.reporting.comparison import compared
from loadstone.reporting.extras import Extras, extras_of, front_in
from loadstone.reporting.machine import CLOCK_MHZ, Machine, machine_of
from loadstone.reporting.roofline import roofline_svg
from loadstone.rtl.programs.synthesis import Resources

MATMUL = str(ROOT / "examples" / "matmul.c")


def compilations(tile: int, n: int, unroll: int = 1) -> tuple[Compilation, CircuitCompilation]:
    kernel, choices, given = ls.parse(MATMUL), Choices(sizes=tile), {"n": n}
    hardware = HardwareOptions(unroll=unroll)
    return Compilation(kernel, choices, given), CircuitCompilation(kernel, choices, given, hardware=hardware)


@cache
def machine() -> Machine:
    return machine_of(compilations(4, 12, 2)[1])


def test_the_accelerator_is_the_one_that_is_predicted() -> None:
    found, kernel = machine(), ls.parse(MATMUL)
    for speed in found.speeds:
        run = ls.predict(kernel, parameters={"n": 12}, sizes=4, unroll=2, memory=speed.memory)
        assert run.cycles == speed.cycles
    moved = ls.run(kernel, parameters={"n": 12}, sizes=4).traffic
    assert moved is not None
    assert found.moved == 4 * (moved.loaded + moved.stored)
    assert (found.instances, found.lanes) == (12**3, 2)
    assert [speed.memory for speed in found.speeds] == list(PRESETS)


def test_no_run_is_above_its_roof() -> None:
    found = machine()
    for speed in found.speeds:
        reached = found.instances / speed.cycles
        assert reached <= found.lanes
        assert found.moved / speed.cycles <= speed.peak
    drawn = roofline_svg(found)
    assert drawn is not None
    assert drawn.count("<circle") == len(PRESETS)
    assert roofline_svg(replace(found, moved=0)) is None


@pytest.mark.parametrize("exponent", [-20, 0, 12])
def test_rooflines_of_any_intensity(exponent: int) -> None:
    found = replace(machine(), moved=max(1, round(machine().instances * 2.0**exponent)))
    assert log2(found.moved / found.instances) == pytest.approx(max(exponent, -log2(found.instances)), abs=0.1)
    assert "nan" not in (roofline_svg(found) or "nan")


def test_a_page_with_everything(tmp_path: Path) -> None:
    program, circuit = compilations(4, 12, 2)
    front = tmp_path / "front.json"
    point = {"cycles": 9, "words": 5, "cells": 3, "energy": 2, "blocks": 0, "lut": 0, "ff": 0, "dsp": 0}
    front.write_text(json.dumps({"objectives": ["cycles"], "front": [{"measures": point, "command": "loadstone run"}]}))
    extras = replace(extras_of(program, circuit), front=front_in(front), command="loadstone report <x>")
    page = emit_report(gather_report(program.plan, program.values, extras=extras))
    for part in ("The accelerator", "Roofline", "hbm", "Process network", "Other designs", "report &lt;x&gt;"):
        assert part in page
    images = [part.partition('"')[0] for part in page.split('src="data:image/svg+xml;base64,')[1:]]
    assert len(images) == 4
    assert all(b64decode(image).startswith(b"<svg ") for image in images)


def test_what_cannot_be_made_is_explained() -> None:
    kernel = ls.parse(str(ROOT / "examples" / "polybench" / "gemm.c"))
    choices = Choices(sizes=4)
    tiny = HardwareOptions(bus_width=32)
    circuit = CircuitCompilation(kernel, choices, {"ni": 4, "nj": 4, "nk": 4}, hardware=tiny)
    program = Compilation(kernel, choices, {"ni": 4, "nj": 4, "nk": 4})
    extras = extras_of(program, circuit)
    assert extras.machine is None
    page = emit_report(gather_report(program.plan, program.values, extras=extras))
    assert f"Not on this page: {extras.missing['machine']}." in page


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"objectives": [], "front": [1]}', '{"front": [{}]}'])
def test_files_that_are_no_front(text: str, tmp_path: Path) -> None:
    (tmp_path / "f.json").write_text(text)
    with pytest.raises(ls.InputError, match="no front can be read"):
        front_in(tmp_path / "f.json")


def test_advice_on_buffers_and_strips() -> None:
    small = gather_report(*_planned(32, 12)).advice
    assert any(line.startswith("c has 144 elements, its buffer 1\u202f024 cells") for line in small)
    assert any(line.startswith("The strips shown have a single tile") for line in small)
    assert gather_report(*_planned(4, 12)).advice == ()


def _planned(tile: int, n: int) -> tuple[ls.LocalPlan, dict[str, int]]:
    program, _ = compilations(tile, n)
    return program.plan, program.values


@pytest.mark.parametrize("measure", ["lut", "blocks", "dsp"])
def test_advice_on_devices(measure: Measure) -> None:
    small, large = (has[measure] for has in CAPACITIES.values())
    assert list(machine_advice(taking(measure, small))) == []
    (beyond,) = machine_advice(taking(measure, large))
    assert "ecp5-25k" in beyond
    assert "; ecp5-85k has enough: " in beyond
    assert "--unroll" in beyond
    (beyond,) = machine_advice(replace(taking(measure, large + 1), lanes=1))
    assert "--unroll" not in beyond
    assert "ecp5-85k has" in beyond
    assert "enough" not in beyond


@pytest.mark.parametrize(("device", "said"), [("ecp5-25k", 1), ("ecp5-85k", 0), ("xc7", 0)])
def test_a_synthesis_is_compared_with_its_device(device: str, said: int) -> None:
    measured = replace(taking("blocks", 100), synthesised=Resources(device, 0, 0, 100, 0, None))
    assert len(list(machine_advice(measured))) == said


@pytest.mark.parametrize(("clock", "said"), [(None, 0), (CLOCK_MHZ, 0), (CLOCK_MHZ / 2, 1)])
def test_advice_on_the_clock(clock: float | None, said: int) -> None:
    found = list(machine_advice(replace(machine(), synthesised=Resources("xc7", 0, 0, 0, 0, clock))))
    assert len(found) == said
    assert all("2.00 times as long" in each for each in found)


def taking(measure: Measure, count: int) -> Machine:
    return replace(machine(), area={**machine().area, measure: count})


def test_parts_that_fail_are_left_out() -> None:
    def refuse() -> int:
        raise ls.UnsupportedError(Diagnostic("no such thing", None, ""))

    def hang() -> int:
        while True:
            pass

    assert made_apart(lambda: 7) == Made(7)
    assert made_apart(refuse) == Made(None, "no such thing")
    assert made_apart(lambda: 1 // 0).reason.startswith("internal error: ZeroDivisionError")
    assert made_apart(hang, 1).reason == "it takes more than 1 seconds of processor time"


def test_comparisons() -> None:
    figures = compared({"a": 2, "b": 1, "c": 0}, {"a": 3, "c": 0, "d": 4.5})
    assert [figure.as_json() for figure in figures] == [
        {"figure": "a", "before": 2, "after": 3, "ratio": 1.5},
        {"figure": "b", "before": 1, "after": None, "ratio": None},
        {"figure": "c", "before": 0, "after": 0, "ratio": None},
        {"figure": "d", "before": None, "after": 4.5, "ratio": None},
    ]


def test_two_results_side_by_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, after, page = (str(tmp_path / name) for name in ("a.json", "b.json", "c.html"))
    Path(before).write_text('{"cycles": {"paper": 100}, "same": [1], "exact": true, "kernel": "<k>"}')
    Path(after).write_text('{"cycles": {"paper": 50}, "same": [1]}')
    assert main(["report", "--compare", before, after, "-o", page]) == 0
    shown = capsys.readouterr().out
    assert all(part in shown for part in ("cycles.paper", "0.500", "1 of 2 figures are the same"))
    assert "What differs" in Path(page).read_text()
    assert main(["report", "--compare", before, after, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["compare"][0]["ratio"] == 0.5


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000])
def test_files_without_figures(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.json").write_text(text)
    assert main(["report", "--compare", str(tmp_path / "a.json"), str(tmp_path / "a.json")]) == 2
    assert "no figures can be read" in capsys.readouterr().err


def test_figures_of_a_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["report", MATMUL, "-p", "n=12", "--tile", "4", "-o", str(tmp_path / "r.html"), "--json"]
    assert main([*words, "--unroll", "2"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["accelerator"]["cycles"] == {each.memory: each.cycles for each in machine().speeds}
    assert found["bytes"] == found["accelerator"]["bytes"] == machine().moved
    assert main([*words, "--plan-only"]) == 0
    assert json.loads(capsys.readouterr().out)["accelerator"] is None


def test_pages_are_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    page, figures = tmp_path / "a page.html", tmp_path / "a.json"
    assert main(["report", MATMUL, "-p", "n=8", "--tile", "4", "--plan-only", "--open", "-o", str(page), "--json"]) == 0
    figures.write_text(capsys.readouterr().out)
    both = ["report", "--compare", str(figures), str(figures), "--open"]
    assert main([*both, "-o", str(page)]) == 0
    assert opened == [page.as_uri()] * 2
    assert main(both) == 2


def test_arrays_that_never_leave_the_chip_move_no_bytes() -> None:
    kernel = ls.parse(LOCAL)
    circuit = CircuitCompilation(kernel, Choices(sizes=4), {"n": 12})
    report = gather_report(circuit.plan, circuit.values)
    assert machine_of(circuit).moved == report.moved == 4 * (12 + 12)


LOCAL = """void f(int n, int a[n], int b[n]) {
  int t[n][4];
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 4; k++) {
      t[i][k] = a[i] * k;
      b[i] = t[i][k] + t[i][0];
    }
}
"""


def test_a_page_without_extras_is_that_of_the_plan() -> None:
    program, _ = compilations(4, 12)
    assert "The accelerator" not in emit_report(gather_report(program.plan, program.values, extras=Extras()))


def test_dependences_and_reuse_are_those_of_the_commands() -> None:
    program, circuit = compilations(4, 12, 2)
    extras = extras_of(program, circuit)
    assert {row["kind"] for row in extras.dependences} == {"flow", "anti", "output"}
    found = extras.locality
    assert found is not None
    assert found.parameters == {"n": 12}
    measured = ls.reuse(ls.parse(MATMUL), parameters={"n": 12})
    source = found.orders[0]
    assert (source.accesses, source.cold, source.largest) == (measured.accesses, measured.cold, measured.largest)
    assert found.orders[1].misses < source.misses
    page = emit_report(gather_report(program.plan, program.values, extras=extras))
    assert "<h2>Dependences</h2>" in page
    assert found.bound is not None
    assert f"At least {ceil(found.bound)} words" in page.replace("\u202f", "")
