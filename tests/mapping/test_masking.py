"""Two passes of two pipelined filters: transfers are masked by computation, seen in cycles."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from loadstone.cli.main import main

Filter = tuple[str, str, str, list[int]]
PASSES: dict[str, tuple[Filter, Filter]] = {
    "forwards": (("hflr", "p0", "p1", [0, 1]), ("vftd", "p1", "p2", [1, 0])),
    "backwards": (("hfrl", "p2", "p3", [0, -1]), ("vfbu", "p3", "p4", [-1, 0])),
}
BLOCK = 32


def specification(size: int, direction: str) -> str:
    """A pass over a square of pixels, one pixel a repetition."""
    filters = PASSES[direction]
    names = [filters[0][1], filters[0][2], filters[1][2]]
    arrays = "".join(f"  {name}: {{shape: [{size}, {size}], type: uint8}}\n" for name in names)
    tasks = "".join(
        f"  {name}:\n    repetition: [{size}, {size}]\n    inputs:\n"
        f"      x: {{array: {read}, pattern: [], paving: [[1, 0], [0, 1]]}}\n"
        f"      before: {{output: y, distance: {distance}, initial: 0}}\n"
        f"    outputs:\n      y: {{array: {written}, pattern: [], paving: [[1, 0], [0, 1]]}}\n"
        "    body: y = (3 * before + x) / 4;\n"
        for name, read, written, distance in filters
    )
    return f"application: lpsf\narrays:\n{arrays}tasks:\n{tasks}"


def theta(size: int, direction: str) -> str:
    """Blocks in the direction of the filters; inside, the first one goes along columns, the second one along rows."""
    row, column = ("r0", "r1") if direction == "forwards" else (f"{size - 1} - r0", f"{size - 1} - r1")
    block = f"floor(({row})/{BLOCK}), floor(({column})/{BLOCK})"
    first, second = f"[{block}, 0, {column}, {row}]", f"[{block}, 1, {row}, {column}]"
    return f"{{ S0[r0, r1] -> {first}; S1[r0, r1] -> {second} }}"


def outcome(folder: Path, size: int, direction: str, capsys: pytest.CaptureFixture[str], *options: str) -> Any:
    path = folder / "pass.yaml"
    path.write_text(specification(size, direction))
    assert main(["run", str(path), "--target", "verilog", "--memory", "paper", "--json", *options]) == 0
    return json.loads(capsys.readouterr().out)


def tiling(size: int, direction: str) -> tuple[str, ...]:
    sizes = f"1,1,2,{size},{size}"
    return ("--schedule", theta(size, direction), "--tile", sizes, "--strip", "5", "--depth", "3")


@pytest.mark.sweep
@pytest.mark.parametrize("direction", PASSES)
def test_the_accelerator_is_bit_identical_and_masks_its_transfers(
    direction: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Simulated cycles; how long each process is busy is the model's, which is within 1 % of them."""
    simulated = outcome(tmp_path, 256, direction, capsys, *tiling(256, direction), "--no-baseline")
    modelled = ("--simulator", "transactions", "--timeline")
    predicted = outcome(tmp_path, 256, direction, capsys, *tiling(256, direction), *modelled)
    busy = {"load": 0, "compute": 0, "store": 0}
    for bar in predicted["timeline"]:
        busy[bar["process"]] += bar["end"] - bar["begin"] + 1
    assert simulated["match"]
    assert busy["compute"] >= 2 * 256 * 256
    assert max(busy.values()) <= simulated["cycles"] <= 1.05 * max(busy.values())
    assert abs(predicted["cycles"] - simulated["cycles"]) <= 0.01 * simulated["cycles"]
    print(direction, simulated["cycles"], predicted["cycles"], busy)


@pytest.mark.sweep
@pytest.mark.parametrize("direction", PASSES)
def test_the_network_is_bit_identical_and_masks_its_computation(
    direction: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "blocks.steps"
    against = "reverse S0.r0\n" if direction == "backwards" else ""
    script.write_text(f"{against}tile S0.r0 S0.r1 by 4 16\ninterchange S0.r0 S0.r1\ntile S1.r0 S1.r1 by 4 16\n")
    found = outcome(tmp_path, 64, direction, capsys, "--network", "--script", str(script))
    assert found["match"]
    assert (found["loaded"], found["stored"]) == (64 * 64, 64 * 64)
    assert found["cycles"] <= 1.05 * max(64 * 64, found["memory"]["busy"] * found["cycles"])
