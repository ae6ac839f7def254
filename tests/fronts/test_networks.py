"""Process networks as designs beside accelerators."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import loadstone as ls
from loadstone.circuit_trials import run_network
from loadstone.dram.timing import preset
from loadstone.fronts.archive import Archive
from loadstone.fronts.asking import ask
from loadstone.fronts.measures import measured, vector
from loadstone.fronts.network_measures import network_measured, network_planned
from loadstone.fronts.question import Question
from loadstone.fronts.search import explore
from loadstone.fronts.space import Design, read_axis
from loadstone.fronts.store import Store
from loadstone.options import Choices, HardwareOptions, RunOptions
from loadstone.pipeline import Compilation

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


def test_the_axis_is_read() -> None:
    assert read_axis("network=no,yes") == ("network", (False, True))
