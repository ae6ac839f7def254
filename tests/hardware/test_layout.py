"""Arrays in external memory lie as in C for the parameters of a run, whatever the hardware is made for."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

import loadstone as ls
from kernels import ROOT
from loadstone import api
from loadstone.bus.ports import Bus
from loadstone.cli import synth
from loadstone.cli.main import main
from loadstone.dram.timing import preset
from loadstone.hardware.accelerator.top import make_accelerator_design
from loadstone.hardware.harness.placement import placed, unpacked
from loadstone.hardware.words import encoded
from loadstone.loops.accelerator import Accelerator
from loadstone.loops.ranges import parameter_limits
from loadstone.rtl.module import Module, hierarchy
from loadstone.rtl.programs.synthesis import Resources, cells
from loadstone.simulate.hardware.system import SystemRun
from loadstone.simulate.prediction.model import predict_design
from loadstone.trials import trial

PAPER = preset("paper")
WITHIN = 0.05
SOURCES = {
    "rows": """
void k(int n, int m, int a[n][m + 1], int b[m + 1][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= m; j++)
      b[j][i] = a[i][j] + b[j][i];
}
""",
    "planes": """
void k(int n, int m, short a[n][m][4], long long b[n][2 * m + 1][n], int c[3][5]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int l = 0; l < 4; l++)
        b[i][2 * j + 1][n - 1 - i] = a[i][j][l] + c[2][l + 1];
}
""",
    "deep": """
void k(int n, int m, int a[2][n][m][n][m][n], int b[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int l = 0; l < m; l++)
        b[i][j] += a[1][i][l][j][m - 1 - l][n - 1 - i];
}
""",
}
GREATEST = {"n": 7, "m": 6}
VALUES = [{"n": 7, "m": 6}, {"n": 3, "m": 6}, {"n": 5, "m": 2}, {"n": 1, "m": 1}]


def accelerator_of(source: str, folder: Path) -> Accelerator:
    path = folder / "k.c"
    path.write_text(SOURCES[source])
    return Accelerator(ls.plan(ls.parse(path), ls.Tiling(2 if source == "rows" else 3)))


def check(accelerator: Accelerator, greatest: dict[str, int], values: dict[str, int], bus: Bus | None = None) -> None:
    """Runs hardware for the greatest parameters with others; its memory is that of C."""
    kernel = accelerator.kernel
    design = make_accelerator_design(accelerator, parameter_limits(kernel, greatest), bus)
    expected, actual = trial(kernel, values)
    run, bases = SystemRun(design, PAPER, values, actual, {}), placed(design)
    for name, words in unpacked(design, bases, run.image(bases)).items():
        mask = (1 << 8 * design.element_bytes[name]) - 1
        cells_of = [encoded(cell, actual[name].type) & mask for cell in actual[name].cells]
        assert words[: len(cells_of)] == cells_of, name
    cycles = run.execute().cycles
    assert {name: buffer.cells for name, buffer in actual.items()} == {n: b.cells for n, b in expected.items()}
    if design.bus.protocol == "axi":
        predicted = predict_design(accelerator, design, values, PAPER).cycles
        assert abs(predicted - cycles) <= 2 + WITHIN * cycles


@pytest.mark.parametrize("values", VALUES, ids=lambda values: "-".join(map(str, values.values())))
@pytest.mark.parametrize("source", SOURCES)
def test_memory_is_that_of_c(source: str, values: dict[str, int], tmp_path: Path) -> None:
    accelerator = accelerator_of(source, tmp_path)
    check(accelerator, GREATEST, {name: values[name] for name in accelerator.kernel.parameters})


@pytest.mark.parametrize("n", [7, 4, 1])
def test_the_matrix_product_of_smaller_matrices(n: int) -> None:
    kernel = ls.parse(ROOT / "examples/matmul.c")
    check(Accelerator(ls.plan(kernel, ls.Tiling(3))), {"n": 7}, {"n": n}, Bus("avalon", 64, address_width=40))


@pytest.mark.parametrize("seed", range(8))
def test_all_widths_of_buses_see_the_same_memory(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    bus = Bus(rng.choice(("axi", "avalon")), rng.choice((64, 256)), rng.choice((32, 48)), burst=rng.choice((4, 16)))
    accelerator = accelerator_of(rng.choice(("rows", "planes")), tmp_path)
    check(accelerator, GREATEST, {name: rng.randint(1, high) for name, high in GREATEST.items()}, bus)


def test_constant_strides_need_no_multiplier(tmp_path: Path) -> None:
    path = tmp_path / "k.c"
    path.write_text("void k(int n, int a[n][8]) { for (int i = 0; i < n; i++) a[i][3] = a[i][2]; }")
    kernel = ls.parse(path)
    design = make_accelerator_design(Accelerator(ls.plan(kernel, ls.Tiling(2))), parameter_limits(kernel, {"n": 9}))
    assert "$mul" not in cells(design.module)


def test_the_page_and_the_description_tell_strides() -> None:
    kernel = ls.parse(ROOT / "examples/matmul.c")
    files = ls.build(kernel, ls.Tiling(3), target="verilog", parameters={"n": 5}, bus="axi").files
    assert "`a[i0][i1]` at `BASE_A + 4*n*i0 + 4*i1`" in files["verilog/README.md"]
    assert re.search(r'"strides": \[\s*"4\*n",\s*"4"\s*\]', files["hardware.json"])


def test_synthesis_measures_the_registers_too(monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[Module] = []

    def noted(module: Module, device: str) -> Resources:
        measured.append(module)
        return Resources(device, 0, 0, 0, 0, None)

    monkeypatch.setattr(api, "synthesize", noted)
    monkeypatch.setattr(synth, "synthesize", noted)
    kernel = ls.parse(ROOT / "examples/vector_sum.c")
    ls.synth(kernel, ls.Tiling(8), parameters={"n": 20}, bus="avalon")
    assert main(["synth", str(ROOT / "examples/vector_sum.c"), "--tile", "8", "-p", "n=20", "--bus", "axi"]) == 0
    for module, slave in zip(measured, ("avalon_slave", "lite_slave"), strict=True):
        names = {each.name for each in hierarchy(module)}
        assert "vector_sum_accelerator_registers" in names
        assert any(name.startswith(slave) for name in names)
