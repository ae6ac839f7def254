"""Designs that share stages are those that share none."""

from __future__ import annotations

from pathlib import Path

import pytest

import loadstone as ls
from loadstone.fronts.measures import measured
from loadstone.fronts.space import Design
from loadstone.fronts.stages import Stages, Subject, TilingStages
from loadstone.options import Choices, HardwareOptions

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize(("first", "second"), [(32, 128), (128, 32)])
def test_designs_on_other_buses_have_banks_of_their_own(first: int, second: int) -> None:
    subject = Subject(ls.parse(EXAMPLES / "dma.c"), {"n": 200})
    shared = TilingStages(Stages(subject))
    for width in (first, second):
        design = Design(Choices(sizes=(64,)), HardwareOptions(bus_width=width), "paper")
        together, alone = shared.compilation(design), subject.compilation(design)
        assert measured(together, "paper") == measured(alone, "paper")
        assert together.outline.beats == alone.outline.beats
