"""Examples with accumulators and other temporaries: right in all back ends, and no more words than without them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

import loadstone as ls
from kernels import ACCUMULATORS, ROOT, tiny_parameters
from loadstone.cli.main import main
from loadstone.pipeline import Compilation
from loadstone.transfer.volumes import count
from random_triples import CHECKS, Triple

PLAIN = ROOT / "benchmarks" / "without_accumulators"
QUICK = ("gemm_acc", "maxpool", "prefix_sum", "fir_shift")
WAYS = {"gemm_acc": "vitis", "prefix_sum": "hardware", "maxpool": "c", "fir_shift": "network"}
PRIVATE = {
    "attention": ["best is kept in top[i]", "dot is expanded along i, j"],
    "conv2d": ["sum is kept in out[y][x]"],
    "dct_blocks": ["acc is expanded along u", "acc_2 is expanded along u"],
    "depthwise": ["sum is expanded along y"],
    "fir_shift": ["acc is kept in y[i]", "window is expanded along i"],
    "gemm_acc": ["acc is kept in c[i][j]"],
    "maxpool": ["best is kept in out[y][x]"],
    "prefix_sum": ["sum is expanded along y"],
}


def chosen(ways: Mapping[str, str] | None = None) -> list[object]:
    """The examples, or pairs of an example and a way to run it; most of them for sweeps."""
    found: list[object] = []
    for path in ACCUMULATORS:
        marks = () if path.stem in QUICK else (pytest.mark.sweep,)
        values = (path,) if ways is None else (path, ways.get(path.stem, "c"))
        found.append(pytest.param(*values, id=path.stem, marks=marks))
    return found


def compilation(path: Path) -> Compilation:
    kernel = ls.parse(path)
    return Compilation(kernel, given=kernel.defaults)


def words(compiled: Compilation) -> tuple[int, int]:
    arrays = compiled.transfers.arrays.values()
    loads, stores = ([part.strip_to_loaded for part in arrays], [part.strip_to_stored for part in arrays])
    return sum(count(each, compiled.values) for each in loads), sum(count(each, compiled.values) for each in stores)


def test_every_example_has_a_form_without_accumulators() -> None:
    assert {path.name for path in ACCUMULATORS} <= {path.name for path in PLAIN.glob("*.c")}


@pytest.mark.parametrize("path", chosen())
def test_accumulators_move_no_words(path: Path) -> None:
    own = compilation(path)
    assert words(own) == words(compilation(PLAIN / path.name))
    assert own.transfers.exact
    assert [change.text() for change in own.tiles.kernel.privatised] == PRIVATE.get(path.stem, [])


@pytest.mark.parametrize(("path", "way"), chosen(WAYS))
def test_accumulators_in_a_back_end(path: Path, way: str) -> None:
    kernel = ls.parse(path)
    rows = tuple(tiny_parameters(kernel, (1, 4)))
    CHECKS[way](Triple(0, kernel, (), Compilation(kernel).legal_tiles, rows))


@pytest.mark.sweep
@pytest.mark.parametrize("way", ["c", "vitis", "network", "hardware", "network hardware"])
@pytest.mark.parametrize("path", ACCUMULATORS, ids=lambda path: path.stem)
def test_accumulators_in_every_back_end(path: Path, way: str) -> None:
    kernel = ls.parse(path)
    rows = tuple(tiny_parameters(kernel, (2, 5)))
    CHECKS[way](Triple(1, kernel, (), Compilation(kernel).legal_tiles, rows))


def test_plan_and_info_say_what_becomes_of_temporaries(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(ROOT / "examples" / "accumulators" / "prefix_sum.c")
    main(["plan", path])
    assert "private  sum is expanded along y: 8 cells\n" in capsys.readouterr().out
    main(["plan", path, "--json"])
    change = {"temporary": "sum", "array": "sum", "along": ["y"], "cells": 8, "external": False}
    text = {"text": "sum is expanded along y: 8 cells"}
    assert json.loads(capsys.readouterr().out)["privatised"] == [{**change, **text}]
    main(["info", path])
    assert "temporary sum can be expanded along y, x, where a tiling needs it\n" in capsys.readouterr().out
    main(["info", path, "--json"])
    assert json.loads(capsys.readouterr().out)["temporaries"] == ["sum can be expanded along y, x"]
