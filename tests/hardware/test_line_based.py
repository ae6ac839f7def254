"""The inverse wavelet transform of three levels as accelerators: RC, LB and LB V of one kernel [Devos, 5.6]."""

from __future__ import annotations

from typing import Any

import frames
import pytest

import loadstone as ls
from loadstone.outcome import Outcome

SMALL = {"r": 3, "c": 4}
PIXELS = 24 * 32


def outcome(name: str, levels: int, **options: Any) -> Outcome:
    """A small frame through a variant."""
    sizes, schedule = frames.SIZES[name], frames.schedule(name)
    return ls.run(frames.kernel(), parameters={**SMALL, "levels": levels}, sizes=sizes, schedule=schedule, **options)


@pytest.mark.parametrize("name", frames.SIZES)
def test_words_of_a_frame_are_those_of_table_5_7(name: str) -> None:
    """CIF, three levels: 532,224, 266,112 and 202,752 words."""
    assert frames.words_of(name) == frames.PUBLISHED[name] * frames.PIXELS


def test_the_lines_on_the_chip_are_as_many_for_any_image() -> None:
    """Buffers of LB hold a fixed number of lines."""
    plan = frames.compilation("LB").plan
    small, large = (
        [part.buffer.all_cells({"r": r, "c": 44, "levels": 3}) for part in plan.arrays.values()] for r in (36, 360)
    )
    assert small == large


@pytest.mark.parametrize(("name", "levels"), [("LB V", 2), ("LB", 1), ("RC", 3)])
def test_the_number_of_levels_is_known_when_a_program_starts(name: str, levels: int) -> None:
    """One program for all numbers of levels; LL of the first one that runs is an input."""
    assert outcome(name, levels, target="c", checked=True).is_right


@pytest.mark.parametrize("levels", [3, 2, 1])
@pytest.mark.parametrize("name", frames.SIZES)
def test_accelerators_of_three_levels(name: str, levels: int) -> None:
    """Bit by bit what the original computes, with as many words as the plan says, and as Table 5.7 says."""
    found = outcome(name, levels, target="verilog", memory="paper", no_baseline=True)
    assert found.is_right
    assert found.traffic is not None
    words = found.traffic.loaded + found.traffic.stored
    assert levels < 3 or words == frames.PUBLISHED[name] * PIXELS
