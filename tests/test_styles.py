"""Thirty kernels in the styles of engineers through every command, and the words they move: see `benchmarks/styles.py`.

`make test` has a few commands of a few kernels; sweeps have all of the table.
"""

from __future__ import annotations

import random
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from kernels import ACCUMULATORS, ROOT, STYLES


def benchmark(name: str) -> Any:
    """A script in `benchmarks` as a module."""
    spec = spec_from_file_location(f"benchmark_{name}", ROOT / "benchmarks" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


styles = benchmark("styles")
Case = tuple[Path, str, str]
ALL: list[Case] = [(p, t, c) for p in styles.KERNELS for t in styles.TILINGS for c in styles.COMMANDS]
QUICK = ("info", "plan", "c", "network")
SAMPLE = frozenset(
    random.Random(3).sample([one for one in ALL if one[2] in QUICK and one[0] in STYLES], 5)
    + [(path, "tiles of 8", "c") for path in STYLES if path.stem == "particles"]
)
RATIOS = ("complex_filter", "product_bytes")


def case(path: Path, *more: str, quick: bool) -> object:
    marks = () if quick else (pytest.mark.sweep,)
    return pytest.param(path, *more, id="-".join((path.stem, *more)), marks=marks)


def test_there_are_thirty_kernels() -> None:
    assert len(styles.KERNELS) == 30
    assert {*ACCUMULATORS, *STYLES} <= set(styles.KERNELS)
    assert {path.name for path in styles.PLAIN.glob("*.c")} <= {path.name for path in styles.KERNELS}


@pytest.mark.parametrize(
    ("path", "tiling", "command"), [case(*one, quick=one in SAMPLE) for one in ALL if one[2] not in styles.UNTILED]
)
def test_commands_that_tile(path: Path, tiling: str, command: str) -> None:
    assert styles.verdict(path, command, tiling) in ("ok", "-" if command in styles.EXACT else "ok")


@pytest.mark.parametrize(
    ("path", "command"),
    [case(p, c, quick=(p, t, c) in SAMPLE) for p, t, c in ALL if c in styles.UNTILED and t == "as it stands"],
)
def test_commands_that_do_not_tile(path: Path, command: str) -> None:
    assert styles.verdict(path, command, "as it stands") == "ok"


@pytest.mark.parametrize("tiling", styles.TILINGS)
@pytest.mark.parametrize(
    "path",
    [case(path, quick=path.stem in RATIOS) for path in styles.KERNELS if (styles.PLAIN / path.name).exists()],
)
def test_accumulators_cost_no_words(path: Path, tiling: str) -> None:
    assert styles.words(path, tiling) == styles.words(styles.PLAIN / path.name, tiling)
