"""What is generated from the examples is what it was: see `snapshot.py`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from snapshot import EXAMPLES, HASHES, example_name, hashes_of, made_with

KNOWN = json.loads(HASHES.read_text())
SAMPLE = (
    "dma.c",
    "fir_fixed.c",
    "histogram.c",
    "matmul.c",
    "polybench/trisolv.c",
    "polymul.c",
)


def test_every_example_has_hashes() -> None:
    assert set(KNOWN) == {"made with", *map(example_name, EXAMPLES)}


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=example_name(path), marks=() if example_name(path) in SAMPLE else pytest.mark.sweep)
        for path in EXAMPLES
    ],
)
def test_nothing_that_is_generated_has_changed(path: Path) -> None:
    if KNOWN["made with"] != made_with():
        pytest.skip(f"sets are printed otherwise: hashes are of {KNOWN['made with']}, this is {made_with()}")
    assert hashes_of(path) == KNOWN[example_name(path)]
