"""Passes in blocks: legal by the dependences, the same results, and little on the chip."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import loadstone as ls
from loadstone.cli.main import main
from loadstone.errors import InputError
from loadstone.frontend.arrayol.kernel import program_of, read_application
from loadstone.frontend.build import build_kernel
from loadstone.frontend.c.preprocess import read_source
from loadstone.fronts.passes import legal_tiling
from loadstone.mapping.passes import passes
from loadstone.networks.sizes import sized
from loadstone.options import Choices
from loadstone.pipeline import Compilation

EXAMPLES = Path(__file__).parents[2] / "examples" / "arrayol"


@pytest.mark.parametrize(
    ("name", "fusion"),
    [("lpsf_small", (2, 2)), ("lpsf_small", (1, 2, 1)), ("downscaler", (2,)), ("matmul", (1,))],
)
def test_passes_have_legal_blocks(name: str, fusion: tuple[int, ...]) -> None:
    application = read_application(read_source(EXAMPLES / f"{name}.yaml"))
    for part in passes(application, fusion):
        tiling = legal_tiling(part, 32)
        assert tiling is not None
        kernel = build_kernel(program_of(part, part.name))
        plan = Compilation(kernel, given={"frames": 1} if kernel.parameters else {}, tiling=tiling).legal_tiles
        assert plan.kernel is not None


def test_what_lies_between_two_filters_stays_on_the_chip() -> None:
    """Neither a pass forwards nor one backwards loads or stores what its first filter hands on, or holds it whole."""
    application = read_application(read_source(EXAMPLES / "lpsf_small.yaml"))
    for part, between in zip(passes(application, (2, 2)), ("p1", "p3"), strict=True):
        tiling = legal_tiling(part, 32)
        plan = Compilation(build_kernel(program_of(part, part.name)), given={"frames": 2}, tiling=tiling).plan
        assert plan.arrays[between].load.is_empty()
        assert plan.arrays[between].store.is_empty()
        assert plan.arrays[between].buffer.all_cells({"frames": 2}) < 24 * 16


def test_a_network_in_blocks_moves_addresses_in_order() -> None:
    kernel = ls.parse(EXAMPLES.parent / "matmul.c")
    tiling = ls.Tiling(sizes=(4, 4, 4))
    plain, double, more = (Compilation(kernel, Choices(blocks=blocks), {"n": 8}, tiling) for blocks in (None, 2, 3))
    assert plain.network.blocks is None
    sizes = [sum(size.cells for size in sized(each.network, {"n": 8}).values()) for each in (plain, double, more)]
    assert sizes[0] < sizes[1] <= sizes[2]
    with pytest.raises(InputError, match="moves tiles"):
        Compilation(replace(kernel, tiling=None), Choices(blocks=2), {"n": 8}).network_tiles  # noqa: B018


@pytest.mark.parametrize("n", [0, 1, 3, 5, 8])
@pytest.mark.parametrize("target", ["c", "hls"])
def test_networks_in_blocks_agree_with_the_original(n: int, target: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--tile", "4", "-p", f"n={n}", "--network", "--blocks", "2", "--target", target, "--json"]
    assert main(["run", str(EXAMPLES.parent / "matmul.c"), *options]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["match"]
    assert found["loaded"] == found["predicted"]["loaded"]


def test_a_pass_backwards_is_a_network_in_blocks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A few times the cycles of a filter, with fill and drain of a small frame."""
    small = str(EXAMPLES / "lpsf_small.yaml")
    assert main(["explore", small, "--fusions", "--apply", "2,2", "-o", str(tmp_path), "--json"]) == 0
    commands = json.loads(capsys.readouterr().out)["commands"]
    assert len(commands) == 2
    words = commands[1].split()
    sizes, strip = words[words.index("--tile") + 1], words[words.index("--strip") + 1]
    kernel, theta = tmp_path / "lpsf_pass2.c", (tmp_path / "lpsf_pass2.isl").read_text()
    options = ["--schedule", theta, "--tile", sizes, "--strip", strip, "-p", "frames=2", "--network", "--blocks", "2"]
    assert main(["run", str(kernel), *options, "--target", "verilog", "--memory", "ddr4-2400", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["match"]
    assert found["cycles"] < 2 * 24 * 16 * 2
