"""The order of loops in a tile: instances stall less, and everything else stays as it was."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import loadstone as ls
from kernels import ROOT, random_kernel
from loadstone.bus import Bus
from loadstone.errors import IllegalTransformation, InputError, ToolError, UnsupportedError
from loadstone.loops.accelerator import Accelerator
from loadstone.model.expression import Cast, Expression, walk
from loadstone.model.kernel import Kernel
from loadstone.parallel import tile_order
from loadstone.pipeline import plan_tiles
from loadstone.poly.dimensions import with_components
from loadstone.poly.spaces import Dim
from loadstone.storage.local_plan import with_buffers
from loadstone.transform.choice import choose_tiling
from loadstone.transform.tiling import TiledKernel, loop_schedule
from ready import accelerator_of
from stepped_circuits import Circuit

FLOATS = {"int": "float", "double": "float"}


def product(tiles: tuple[int, ...], lanes: int | tuple[int, ...], size: int) -> Circuit:
    """The product of matrices of floating-point numbers."""
    kernel = ls.parse(ROOT / "examples/matmul.c", types=FLOATS)
    return Circuit.of(accelerator_of(kernel, tiles), {"n": size}, Bus(data_width=64, burst=8), lanes, seed=size)


@pytest.mark.parametrize(("tiles", "lanes", "size"), [((4, 8, 4), 1, 9), ((8, 4, 3), 4, 9), ((5, 3, 2), (1, 2), 6)])
def test_a_float_product_goes_every_cycle(tiles: tuple[int, ...], lanes: int | tuple[int, ...], size: int) -> None:
    circuit = product(tiles, lanes, size)
    order = circuit.design.lanes.order
    assert order is not None
    assert order.loops.index("k") < 2
    assert order.cycles < order.old_cycles / 2
    cycles = circuit.run(0)
    assert abs(circuit.predicted() - cycles) <= 0.01 * cycles
    circuit.run(80)


def test_a_product_of_integers_keeps_its_order() -> None:
    kernel = ls.parse(ROOT / "examples/matmul.c")
    circuit = Circuit.of(accelerator_of(kernel, (4, 4, 4)), {"n": 8}, Bus(), 1, seed=0)
    assert circuit.design.lanes.order is None
    assert circuit.design.lanes.grouping is None


def test_first_values_are_computed_apart_from_sums() -> None:
    """Where tiles do not begin with `k = 0`, a statement beside the loop over `k` would be an idle visit each time."""
    kernel = ls.parse(ROOT / "examples/polybench/gemm.c", types={"double": "int"})
    circuit = Circuit.of(Accelerator(ls.plan(kernel, ls.Tiling((4, 4, 4)))), {"ni": 5, "nj": 6, "nk": 9}, Bus(), 1, 0)
    order = circuit.design.lanes.order
    assert order is not None
    assert order.cycles < order.old_cycles
    assert circuit.predicted() == circuit.run(0)


SWEEP = """
#pragma loadstone default(n = 9)
void relaxed(int n, float a[n][n])
{
  for (int i = 1; i < n; i++)
    for (int j = 1; j < n - 1; j++)
      a[i][j] = a[i - 1][j + 1] * 0.5f + a[i][j - 1];
}
"""


def test_no_order_that_a_dependence_forbids(tmp_path: Path) -> None:
    """With `i` inside of `j`, an instance would come before the one that it reads from."""
    path = tmp_path / "relaxed.c"
    path.write_text(SWEEP)
    circuit = Circuit.of(accelerator_of(ls.parse(path), (1, 4)), {"n": 9}, Bus(), 1, seed=0)
    assert circuit.design.lanes.order is None
    circuit.run(0)


def test_a_kernel_that_never_runs_has_no_hardware() -> None:
    kernel = ls.parse("void f(int n, int a[n + 1]) {\nfor (int i = n; i < n; i++)\n  a[i] = i;\n}")
    with pytest.raises(UnsupportedError, match="ever runs"):
        Circuit.of(Accelerator(ls.plan(kernel, ls.Tiling(4))), {"n": 4}, Bus(), 1, 0)


DILATED = """
void dilated(int n, float x[2][n + 4], float w[4][2][3], float b[4], float y[4][n]) {
#pragma scop
#pragma loadstone tile schedule(S0: o, i; S1: o, i; S2: o, i) size(2, 4)
  for (int o = 0; o < 4; o++)
    for (int i = 0; i < n; i++) {
      S0: y[o][i] = b[o];
      for (int c = 0; c < 2; c++)
        for (int k = 0; k < 3; k++)
          S1: y[o][i] = y[o][i] + w[o][c][k] * x[c][i + 2 * k];
      S2: y[o][i] = y[o][i] > 0.0f ? y[o][i] : 0.0f;
    }
#pragma endscop
}
"""


@pytest.mark.parametrize(("lanes", "size"), [(1, 9), (4, 13), ((2, 2), 8)])
def test_sums_of_whole_loops_follow_other_elements(tmp_path: Path, lanes: int | tuple[int, ...], size: int) -> None:
    """Loops over `c` and `k`, which are no dimensions of the tiling, go around the elements of a tile."""
    path = tmp_path / "dilated.c"
    path.write_text(DILATED)
    circuit = Circuit.of(accelerator_of(ls.parse(path), None), {"n": size}, Bus(data_width=64, burst=8), lanes, 0)
    order = circuit.design.lanes.order
    assert order is not None
    assert order.loops.index("k") < max(order.loops.index("o"), order.loops.index("i"))
    assert order.cycles < order.old_cycles
    circuit.run(0)
    circuit.run(80)


def converts_to_integers(value: Expression) -> bool:
    """Whether a part of a value is a float as an integer."""
    casts = (part for part in walk(value) if isinstance(part, Cast))
    return any(cast.operand.type.kind == "float" and cast.type.kind != "float" for cast in casts)


def check_random(seed: int, tiled: Callable[[Kernel], TiledKernel], types: Mapping[str, str] | None = None) -> None:
    """A random kernel in the best order that is found, with random lanes, in hardware against the original."""
    try:
        kernel, rows = random_kernel(seed, may=bool(seed % 4 == 3), types=types)
        accelerator = Accelerator(with_buffers(plan_tiles(tiled(kernel))))
        lanes = random.Random(seed).choice((1, 1, 2, 4, (2, 2), (2, 3)))
        circuit = Circuit.of(accelerator, rows[-1], Bus(data_width=64, burst=8), lanes, seed)
    except (InputError, UnsupportedError, IllegalTransformation) as error:
        pytest.skip(str(error).splitlines()[0])
    if any(converts_to_integers(statement.value) for statement in kernel.statements):
        pytest.skip("C does not define what an integer is that a float does not fit into")
    try:
        circuit.run(0)
    except ToolError as error:
        pytest.skip(str(error).splitlines()[0])
    circuit.run(100)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(100))
def test_random_kernels_in_the_best_order(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tile_order, "SMALL", 0.0)
    check_random(seed, lambda kernel: choose_tiling(kernel, None if kernel.tiling else (4,), "auto"), FLOATS)


def with_whole_loops(kernel: Kernel, seed: int) -> TiledKernel:
    """The outer loops tiled; at least one inner loop is no dimension of the tiling."""
    theta = loop_schedule(kernel)
    dims = next(iter(theta.values())).dim(Dim.out)
    if dims < 2:
        pytest.skip("a single loop")
    source = random.Random(seed)
    kept = range(source.randrange(1, dims))
    outer = {name: with_components(dates, kept) for name, dates in theta.items()}
    return TiledKernel(kernel, outer, tuple(source.choice((2, 3, 4)) for _ in kept), 1)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(200, 320))
def test_random_kernels_with_whole_loops(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tile_order, "SMALL", 0.0)
    check_random(seed, lambda kernel: with_whole_loops(kernel, seed), FLOATS if seed % 2 else None)
