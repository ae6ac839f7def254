"""Process networks as designs beside accelerators."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import loadstone as ls
from loadstone.circuit_trials import run_network
from loadstone.dram.timing import preset
from loadstone.fronts.archive import Archive
from loadstone.fronts.asking import ask
from loadstone.fronts.front import Front
from loadstone.fronts.measures import measured, network_measured, network_planned, vector
from loadstone.fronts.question import Answer, Point, Question
from loadstone.fronts.search import explore
from loadstone.fronts.space import Design, read_axis
from loadstone.fronts.store import Store
from loadstone.options import Choices, HardwareOptions, RunOptions
from loadstone.pipeline import Compilation
from loadstone.rtl import Module
from loadstone.rtl.programs.synthesis import Resources

EXAMPLES = Path(__file__).parents[2] / "examples"
AXES: dict[str, tuple[Any, ...]] = {"sizes": (8, 16), "unroll": (1, 2), "depth": (2, 3), "network": (False, True)}


def question(hardware: HardwareOptions | None = None, **axes: tuple[Any, ...]) -> Question:
    compilation = Compilation(ls.parse(EXAMPLES / "vector_sum.c"), given={"n": 40})
    first = Design(Choices(), hardware or HardwareOptions(), "paper")
    return ask(compilation, first, axes or AXES, ("cycles", "cells"), {})


def test_a_network_is_made_once_of_values_without_effect() -> None:
    space = question().space
    every = [design for tiling in space.tilings() for design in space.designs(tiling)]
    networks = [design for design in every if design.network]
    assert len(space) == len(every) == len(set(every)) == 2 * (2 * 2 + 1)
    assert len(networks) == 2
    assert all((design.choices.depth, design.hardware.unroll) == (2, None) for design in networks)
    assert networks[0].words() == ("--tile", "8", "--network", "--target", "verilog", "--memory", "paper")


def test_the_front_with_networks_is_that_of_all_designs() -> None:
    asked = question(sizes=(8,), unroll=(1, 2), network=(False, True))
    with Store(None, "") as store:
        answer = explore(asked, store)
    archive: Archive[None] = Archive()
    for design in asked.space.designs(next(asked.space.tilings())):
        compilation = asked.subject.compilation(design)
        measure = network_measured if design.network else measured
        archive.add(vector(measure(compilation, design.memory), asked.objectives), None)
    assert answer.is_exhaustive
    assert {vector(point.measures, asked.objectives) for point in answer.front} == set(archive.vectors)


def test_cycles_of_a_network_are_those_of_a_run_and_not_below_the_bound() -> None:
    asked = question(sizes=(8,), network=(True,))
    design = next(asked.space.designs(next(asked.space.tilings())))
    compilation = asked.subject.compilation(design)
    measures, least = network_measured(compilation, "paper"), network_planned(compilation)
    options = RunOptions(target="verilog", network=True, memory="paper", no_baseline=True)
    assert measures["cycles"] == run_network(compilation, preset("paper"), options).cycles
    assert 40 <= least["cycles"] <= measures["cycles"]
    assert measures["words"] == 3 * 40


def test_an_option_without_effect_makes_no_network() -> None:
    asked = question(HardwareOptions(unroll=2), sizes=(8,), network=(False, True))
    with Store(None, "") as store:
        answer = explore(asked, store)
    assert answer.reasons == {"--unroll has no effect on process networks": 1}
    assert [point.design.network for point in answer.front] == [False]


def test_what_is_synthesised_of_a_network_is_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, seen = question(sizes=(8,), network=(True,)), list[Module]()

    def noted(module: Module, device: str) -> Resources:
        seen.append(module)
        return Resources(device, 1, 2, 3, 4, 5.0)

    monkeypatch.setattr("loadstone.fronts.front.synthesize", noted)
    design = next(asked.space.designs(next(asked.space.tilings())))
    answer = Answer((Point(design, {"cycles": 1}),), 1, 1, 0, 0, {}, None)
    assert Front(asked, answer).synthesised("ecp5-25k")[0].measures["lut"] == 1
    assert seen[0].name == asked.subject.compilation(design).network_design.module.name


def test_the_axis_is_read() -> None:
    assert read_axis("network=no,yes") == ("network", (False, True))
