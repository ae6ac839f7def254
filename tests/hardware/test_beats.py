"""Whole beats: slices of rows move between the bus and local memories, and everything else stays as it was."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

import loadstone as ls
from kernels import ROOT, random_kernel
from loadstone.bus import Bus
from loadstone.errors import InputError, UnsupportedError
from loadstone.loops.accelerator import Accelerator
from ready import accelerator_of
from stepped_circuits import Circuit

LONG = 200
"""Cycles of a run of which 1 % are some cycles; bridges of Avalon take cycles that are not predicted."""


def example(
    name: str, tiles: tuple[int, ...], bus: Bus, lanes: int | tuple[int, ...], parameters: Mapping[str, int]
) -> Circuit:
    kernel = ls.parse(ROOT / f"examples/{name}.c")
    return Circuit.of(accelerator_of(kernel, tiles), parameters, bus, lanes, seed=bus.data_width)


def test_a_copy_moves_several_elements_in_each_cycle() -> None:
    circuit = replace(example("dma", (1024,), Bus(data_width=512), 16, {"n": 4096}), bases={"a": 0, "b": 16384})
    assert circuit.design.beats.several == {"a": 16, "b": 16}
    cycles = circuit.run(0)
    assert cycles <= 4096 / 4
    assert abs(circuit.predicted() - cycles) <= 0.01 * cycles


@pytest.mark.parametrize(
    ("name", "tiles", "bus", "lanes", "parameters"),
    [
        ("vector_sum", (8,), Bus("axi", 64, burst=4), 2, {"n": 61}),
        ("matmul", (4, 4, 4), Bus("axi", 128, burst=8), 2, {"n": 7}),
        ("matmul", (4, 6, 4), Bus("avalon", 256, burst=8), 4, {"n": 9}),
        ("jacobi1d_sa", (2, 4), Bus("axi", 64, burst=4), 1, {"T": 4, "N": 13}),
        ("histogram", (8,), Bus("axi", 128, burst=4), 1, {"n": 37}),
        ("fir_fixed", (8, 2), Bus("avalon", 128, burst=4), 1, {"n": 21, "taps": 3}),
        ("threshold", (4, 4), Bus("axi", 512, burst=4), 2, {"rows": 7, "cols": 9}),
        ("matmul", (4, 4, 3), Bus("axi", 128, burst=8), (2, 4), {"n": 7}),
    ],
)
def test_memory_is_that_of_the_original(
    name: str, tiles: tuple[int, ...], bus: Bus, lanes: int | tuple[int, ...], parameters: Mapping[str, int]
) -> None:
    circuit = example(name, tiles, bus, lanes, parameters)
    assert circuit.design.beats.several
    cycles = circuit.run(0)
    if bus.protocol == "axi":
        assert abs(circuit.predicted() - cycles) <= 0.01 * cycles
    circuit.run(80)


@pytest.mark.sweep
def test_one_design_runs_all_sizes() -> None:
    whole = example("matmul", (4, 4, 4), Bus(data_width=128, burst=8), 4, {"n": 9})
    for size in (0, 1, 3, 4, 5, 8):
        replace(whole, parameters={"n": size}).run(30)


STRUCTURES = """
struct pixel { int x; short y; };
#pragma loadstone default(n = 20)
void apart(int n, struct pixel p[n], short a[n]) {
#pragma loadstone tile size(8)
  for (int i = 0; i < n; i++)
    a[i] = p[i].y;
}
"""


def test_reasons_for_single_elements(tmp_path: Path) -> None:
    path = tmp_path / "apart.c"
    path.write_text(STRUCTURES)
    circuit = Circuit.of(Accelerator(ls.plan(ls.parse(path))), {"n": 20}, Bus(data_width=64), 1, 0)
    assert circuit.design.beats.several == {"a": 4}
    assert set(circuit.design.beats.reasons.values()) == {"its elements are apart in external memory"}
    circuit.run(30)


def test_rows_begin_where_the_tile_before_has_ended() -> None:
    circuit = example("jacobi1d_sa", (4, 4), Bus(data_width=128), 1, {"T": 5, "N": 13})
    assert circuit.design.beats.several == {"a": 4}
    assert not circuit.design.beats.reasons
    cycles = circuit.run(0)
    assert abs(circuit.predicted() - cycles) <= 0.01 * cycles
    circuit.run(80)


EDGES = """
#pragma loadstone default(n = 9, m = 21)
void edges(int n, int m, short a[n + 2][m + 2], short b[n][m])
{
#pragma loadstone tile size(4, 8)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      b[i][j] = 2 * a[i + 1][j] - a[i][j + 1] - a[i + 2][j + 1] + 3 * a[i + 1][j + 2];
}
"""


@pytest.mark.parametrize(("lanes", "size"), [(1, (9, 21)), (4, (6, 19)), (2, (5, 1))])
def test_windows_load_rows(lanes: int, size: tuple[int, int], tmp_path: Path) -> None:
    """A tile loads what the one before does not have; with one column, rows have a gap: the middle is not read."""
    path = tmp_path / "edges.c"
    path.write_text(EDGES)
    parameters = dict(zip("nm", size, strict=True))
    accelerator = Accelerator(ls.plan(ls.parse(path)))
    circuit = Circuit.of(accelerator, parameters, Bus(data_width=128, burst=8), lanes, 0)
    assert circuit.design.beats.several == {"a": 8, "b": 8}
    assert not circuit.design.beats.reasons
    cycles = circuit.run(0)
    assert abs(circuit.predicted() - cycles) <= 0.01 * cycles
    circuit.run(80)


@pytest.mark.parametrize("lanes", [1, 4])
def test_slices_are_at_one_address_of_several_banks(lanes: int, tmp_path: Path) -> None:
    """The cells of hardware are those of a lattice, where neighbours in a row differ in both dimensions."""
    path = tmp_path / "edges.c"
    path.write_text(EDGES)
    accelerator = ls.accelerator(ls.parse(path), parameters={"n": 9, "m": 21}).accelerator
    assert any(row.row[:1] == (1,) and row.row[-1] for row in accelerator.buffers["a"].components)
    circuit = Circuit.of(accelerator, {"n": 9, "m": 21}, Bus(data_width=64), lanes, 0)
    assert circuit.design.beats.several == {"a": 4, "b": 4}
    circuit.run(0)


TRANSPOSED = """
#pragma loadstone default(n = 9)
void transposed(int n, int a[n][n], int c[n][n]) {
#pragma loadstone tile size(4, 4)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      c[j][i] = a[i][j];
}
"""


def test_lanes_may_want_other_banks(tmp_path: Path) -> None:
    """Lanes write a column of `c` at once, beats fill a row: its banks are in rows and columns."""
    path = tmp_path / "transposed.c"
    path.write_text(TRANSPOSED)
    accelerator, bus = Accelerator(ls.plan(ls.parse(path))), Bus(data_width=128, burst=8)
    alone, lanes = (Circuit.of(accelerator, {"n": 9}, bus, count, 0) for count in (1, 4))
    assert alone.design.beats.several == {"a": 4, "c": 4}
    assert lanes.design.lanes.count == 4
    assert lanes.design.beats.several == {"a": 4, "c": 4}
    assert lanes.design.lanes.described["c"] == "16 banks, cyclic: x0 mod 4, x1 mod 4"
    lanes.run(30)


ROWS = """
void rows(int n, int m, {a} a[n + 4][m + 9], {b} b[m + 9], {c} c[n + 4][m + 9])
{{
  for (int i = 0; i < n; i++)
    for (int j = {start}; j < {end}; j++)
      c[i{c0}][j{c1}] = {old}a[i{a0}][{a1}] + 3 * b[j{b1}];
}}
"""
TYPES = ("char", "unsigned char", "short", "int", "long long")


def kernel_with_rows(seed: int, folder: Path) -> Path:
    """A kernel with rows of several types, which begin and end anywhere."""
    source = random.Random(seed)
    shift = {name: f" + {source.randrange(4)}" for name in ("a0", "b1", "c0", "c1")}
    types = {name: source.choice(TYPES) for name in "abc"}
    column = source.choice(("j", "j + 1", "j + 5", "m - 1 - j", "i + 2"))
    old = source.choice(("", "", "c[i{c0}][j{c1}] + ")).format(**shift)
    ends = {"start": source.choice(("0", "0", "i", "3")), "end": source.choice(("m", "m", "m - 2", "i + 3"))}
    ends["end"] = "m" if ends["start"] == "i" else ends["end"] if ends["end"] != "i + 3" else "m - 1"
    path = folder / f"rows_{seed}.c"
    path.write_text(ROWS.format(a1=column, old=old, **shift, **types, **ends))
    return path


def random_rows(seed: int, folder: Path) -> Circuit:
    """A random kernel with rows, in random tiles on a random bus."""
    source = random.Random(-seed)
    kernel = ls.parse(kernel_with_rows(seed, folder))
    tiles = source.choice((2, 3, 4)), source.choice((4, 5, 8, 16))
    width = source.choice((64, 128, 256, 512))
    bus = Bus(source.choice(("axi", "avalon")), width, burst=source.choice((2, 8, 16)))
    accelerator = accelerator_of(kernel, tiles, source.choice((1, 2, 3)))
    parameters = {"n": source.randrange(1, 8), "m": source.randrange(4, 40)}
    return Circuit.of(accelerator, parameters, bus, source.choice((1, 1, 2, 3, 4, 8, (2, 2), (2, 4))), seed)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(200))
def test_random_rows(seed: int, tmp_path: Path) -> None:
    circuit = random_rows(seed, tmp_path)
    cycles = circuit.run(0)
    if circuit.design.bus.protocol == "axi" and cycles > LONG:
        assert abs(circuit.predicted() - cycles) <= 0.01 * cycles
    circuit.run(100)


def random_circuit(seed: int) -> Circuit:
    """A random kernel with random tiles on a random bus."""
    source = random.Random(seed)
    kernel, rows = random_kernel(seed, may=bool(seed % 4 == 3))
    tiling = None if kernel.tiling else ls.Tiling((source.choice((3, 4, 8)),), "auto")
    width = source.choice((64, 128, 256, 512))
    bus = Bus(source.choice(("axi", "avalon")), width, burst=source.choice((2, 8, 16)))
    accelerator = Accelerator(ls.plan(kernel, tiling))
    return Circuit.of(accelerator, rows[-1], bus, source.choice((1, 1, 2, 3, 4)), seed)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(80))
def test_random_kernels(seed: int) -> None:
    try:
        circuit = random_circuit(seed)
    except (InputError, UnsupportedError) as error:
        pytest.skip(str(error).splitlines()[0])
    circuit.run(0)
    circuit.run(100)
