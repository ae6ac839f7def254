"""Lanes: unrolled accelerators in hardware against the original program, and the choices behind them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

import loadstone as ls
from kernels import EXAMPLES, random_kernel
from loadstone.bus import Bus
from loadstone.errors import UnsupportedError
from loadstone.hardware.accelerator.top import make_accelerator_design
from loadstone.hardware.compute import unit as compute
from loadstone.hardware.compute.local_layout import LocalLayout, bank_count, local_layouts
from loadstone.hardware.design import AcceleratorDesign
from loadstone.hardware.harness.system import make_system
from loadstone.hardware.layout import ArrayLayout
from loadstone.loops.accelerator import Accelerator, predicted_words
from loadstone.loops.ranges import Ranges, parameter_limits
from loadstone.model.evaluate import evaluate
from loadstone.model.expression import integer
from loadstone.model.kernel import WRITE, Kernel
from loadstone.model.types import INT
from loadstone.parallel.lanes import Lanes, find_lanes
from loadstone.poly import fixed, pairs
from loadstone.rtl import emit_verilog
from loadstone.rtl.programs import verilator
from loadstone.simulate.hardware.system import SystemRun
from loadstone.simulate.memory import copied, initial_memory, live_out_arrays, mismatches
from loadstone.simulate.programs.compiled import compile_reference
from loadstone.storage.buffers import Component
from ready import PAPER, accelerator_of, run_system
from stepped_circuits import Circuit

INTEGERS = {"double": "int", "float": "int"}

BLOCKS = """
void blocks(int n, int a[4 * n], int b[n]) {
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 4; j++)
      b[i] = b[i] + a[4 * i + j];
#pragma endscop
}
"""
PICKS = """
void picks(int n, int p[n], int a[n], int b[n]) {
#pragma scop
  for (int i = 0; i < n; i++)
    b[i] = a[p[i]];
#pragma endscop
}
"""
FAR = """
void far(int n, int a[n + 2]) {
#pragma scop
  for (int i = 0; i < n; i++)
    a[i + 2] = a[i] + 1;
#pragma endscop
}
"""
SLANTED = """
void slanted(int n, int a[n + 1][n + 1]) {
#pragma scop
  for (int t = 0; t < n; t++)
    for (int i = 0; i < n; i++)
      a[t + 1][i + 1] = a[t][i] * a[t][i] + 3;
#pragma endscop
}
"""


def example(name: str) -> Kernel:
    return ls.parse(next(path for path in EXAMPLES if path.stem == name), types=INTEGERS)


def parsed(text: str) -> Kernel:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.c"
        path.write_text(text)
        return ls.parse(path)


def lanes_of(kernel: Kernel, sizes: tuple[int, ...], largest: Mapping[str, int], asked: int | tuple[int, ...]) -> Lanes:
    return find_lanes(accelerator_of(kernel, sizes), parameter_limits(kernel, largest), asked)


def check_runs(design: AcceleratorDesign, accelerator: Accelerator, rows: Sequence[Mapping[str, int]]) -> None:
    """Runs one design for several parameters, and compares memory and the words that were moved."""
    kernel = design.compute.kernel
    for parameters in rows:
        start = initial_memory(kernel, parameters)
        expected, actual = copied(start), copied(start)
        compile_reference(kernel).run(parameters, expected)
        run = SystemRun(design, PAPER, parameters, actual, {}).execute()
        assert not mismatches(expected, actual, live_out_arrays(kernel)), parameters
        assert (run.loaded, run.stored) == predicted_words(accelerator, parameters), parameters


def check(
    kernel: Kernel, sizes: tuple[int, ...] | None, asked: int, rows: Sequence[Mapping[str, int]], depth: int = 2
) -> AcceleratorDesign:
    """Checks a design for parameters up to the last ones; its text has no warnings."""
    accelerator = accelerator_of(kernel, sizes, depth)
    design = make_accelerator_design(accelerator, parameter_limits(kernel, rows[-1]), unroll=asked)
    assert verilator.lint(make_system(design, PAPER, 1024)) == ""
    check_runs(design, accelerator, rows)
    return design


def sizes_of(kernel: Kernel, values: Iterable[int]) -> list[dict[str, int]]:
    """The same value for all parameters, as far as the kernel is defined."""
    rows = [dict.fromkeys(kernel.parameters, value) for value in values]
    return [row for row in rows if not fixed(kernel.context, row).is_empty()]


def test_lanes_with_masks_agree_with_the_original() -> None:
    kernel = example("matmul")
    design = check(kernel, (4, 5, 3), 4, sizes_of(kernel, (0, 1, 3, 4, 5, 6, 11)))
    assert (design.lanes.count, design.lanes.dimension) == (4, "j")


def test_lanes_wait_for_other_lanes() -> None:
    kernel = example("jacobi1d_sa")
    design = check(kernel, (2, 4), 4, [{"T": 0, "N": 1}, {"T": 2, "N": 3}, {"T": 4, "N": 9}, {"T": 5, "N": 13}])
    assert design.lanes.count == 4
    assert any(one != other for hazard in design.compute.hazards for one, other in hazard.lanes)


def test_elements_that_lie_apart_are_banked_in_blocks() -> None:
    kernel = parsed(BLOCKS)
    design = check(kernel, (4, 4), 4, sizes_of(kernel, (0, 1, 3, 7)))
    assert design.lanes.count == 4
    assert design.lanes.described["a"] == "4 banks, block: (x0 div 4) mod 4"


@pytest.mark.parametrize(
    ("kernel", "sizes", "asked", "count", "reason"),
    [
        (example("vector_sum"), (4,), 8, 4, "i: a tile has only 4 of its iterations"),
        (example("vector_sum"), (8,), 3, 3, ""),
        (parsed(FAR), (8,), 4, 2, "i: its iterations depend on each other through a"),
        (parsed(PICKS), (8,), 4, 1, "i: which elements of a its iterations touch is not known in time"),
        (example("histogram"), (8,), 4, 1, "i: its iterations depend on each other through h"),
    ],
    ids=["short tile", "three", "distance", "data", "histogram"],
)
def test_fewer_lanes_have_a_reason(kernel: Kernel, sizes: tuple[int, ...], asked: int, count: int, reason: str) -> None:
    found = lanes_of(kernel, sizes, dict.fromkeys(kernel.parameters, 20), asked)
    assert (found.asked, found.count, found.reason) == (asked, count, reason)


def test_without_lanes_nothing_changes() -> None:
    kernel = example("histogram")
    accelerator, limits = accelerator_of(kernel, (8,)), parameter_limits(kernel, {"n": 20})
    plain, asked = (make_accelerator_design(accelerator, limits, unroll=unroll) for unroll in (1, 4))
    assert asked.lanes.reason
    assert emit_verilog(plain.module) == emit_verilog(asked.module)


REASON = (
    "j x k: a tile has only 4 of its iterations; i x k: a tile has only 2 of its iterations; "
    "i x j: a tile has only 2 of its iterations"
)


def test_lanes_in_two_dimensions() -> None:
    kernel = example("matmul")
    accelerator = accelerator_of(kernel, (8, 8, 4))
    limits = parameter_limits(kernel, {"n": 20})
    lanes = make_accelerator_design(accelerator, limits, Bus(data_width=256), unroll=(4, 8)).lanes
    assert (lanes.count, lanes.counts, lanes.dimension, lanes.reason) == (32, (4, 8), "i x j", "")
    assert lanes.described == {
        "a": "32 banks, cyclic: x0 mod 4, x1 mod 8",
        "b": "8 banks, cyclic: x1 mod 8",
        "c": "32 banks, cyclic: x0 mod 4, x1 mod 8",
    }
    fewer = lanes_of(kernel, (2, 8, 4), {"n": 20}, (4, 8))
    assert (fewer.counts, fewer.reason) == ((2, 8), REASON)


def test_banks_in_rows_and_columns_hold_every_element_once() -> None:
    parts = tuple(Component(unit, None, integer(8)) for unit in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))
    store = LocalLayout("a", INT, (3, 8, 12), 1, parts, 8, rows=2)
    elements = list(product(range(3), range(8), range(12)))
    assert sorted(cell(store, element) for element in elements) == list(range(len(elements)))
    assert all(cell(store, (x, y, z)) % 8 == 4 * (y % 2) + z % 4 for x, y, z in elements)


def conflicts(lanes: Lanes, accelerator: Accelerator, parameters: Mapping[str, int]) -> Iterator[str]:
    """Pairs of elements that one access of a group touches in one bank, by brute force."""
    assert lanes.grouping is not None
    ranges = Ranges(accelerator.kernel, {name: (0, value) for name, value in parameters.items()})
    stores = local_layouts(accelerator, ranges, lanes.banking)
    for statement in accelerator.kernel.statements:
        groups = dict(pairs(fixed(lanes.grouping.group(statement.name), parameters)))
        for position, access in (*enumerate(statement.reads), (WRITE, statement.write)):
            store, touched = stores[access.array], dict[tuple[Any, int], tuple[int, ...]]()
            for instance, element in sorted(pairs(fixed(access.relation, parameters))):
                bank = cell(store, element) % bank_count(store) if store.depth else 0
                known = touched.setdefault((groups[instance], bank), element)
                if known != element and statement.name in lanes.grouping.steps:
                    yield f"{statement.name} {position}: {known} and {element}"


def cell(store: ArrayLayout, element: tuple[int, ...]) -> int:
    return int(evaluate(store.address([integer(subscript) for subscript in element]), {}, ()))


@pytest.mark.parametrize(
    ("name", "sizes", "asked"),
    [
        ("matmul", (4, 5, 3), 4),
        ("jacobi1d_sa", (2, 6), 3),
        ("polymul", (4, 6), 4),
        ("gesummv", (4, 4), 2),
        ("matmul", (4, 6, 3), (2, 3)),
        ("syrk", (4, 4, 4), (4, 2)),
    ],
)
def test_banks_have_no_conflict(name: str, sizes: tuple[int, ...], asked: int | tuple[int, int]) -> None:
    kernel = example(name)
    accelerator, parameters = accelerator_of(kernel, sizes), dict.fromkeys(kernel.parameters, 9)
    lanes = find_lanes(accelerator, parameter_limits(kernel, parameters), asked)
    assert lanes.counts == (asked if isinstance(asked, tuple) else (asked,))
    assert lanes.banking
    assert list(conflicts(lanes, accelerator, parameters)) == []
    fewer = {name: replace(banking, count=banking.count // 2) for name, banking in lanes.banking.items()}
    assert list(conflicts(replace(lanes, banking=fewer), accelerator, parameters))


@pytest.mark.parametrize(("step", "banks", "extents"), [(1, 4, (3, 8)), (2, 4, (8, 5)), (4, 2, (2, 3, 16))])
def test_banked_addresses_hold_every_element_once(step: int, banks: int, extents: tuple[int, ...]) -> None:
    units = [tuple(int(k == position) for k in range(len(extents))) for position in range(len(extents))]
    parts = tuple(Component(unit, None, integer(extent)) for unit, extent in zip(units, extents, strict=True))
    banked = extents.index(max(extents))
    others = [part for part in parts if part is not parts[banked]]
    shape = (*(extent for k, extent in enumerate(extents) if k != banked), extents[banked])
    store = LocalLayout("a", INT, shape, 1, (*others, parts[banked]), banks, step)
    elements = list(product(*map(range, extents)))
    assert sorted(cell(store, element) for element in elements) == list(range(len(elements)))
    assert all(cell(store, element) % banks == element[banked] // step % banks for element in elements)


TILED = {
    "matmul": (4, 5, 3),
    "vector_sum": (7,),
    "dma": (8,),
    "jacobi1d_sa": (2, 8),
    "threshold": (4, 9),
    "polymul": (5, 8),
    "fir": (8, 3),
    "gemm": (3, 8, 3),
    "2mm": (4, 8, 3),
    "atax": None,
    "mvt": (8, 4),
    "trmm": (4, 8, 8),
    "syrk": (4, 8, 4),
    "gesummv": (8, 4),
    "jacobi-2d": (2, 4, 8),
    "floyd-warshall": None,
    "doitgen": None,
    "lpsf_vftd": (4, 8),
    "devos_3_1": None,
}


@pytest.mark.sweep
@pytest.mark.parametrize("asked", [2, 3, 4, 8])
@pytest.mark.parametrize("name", TILED)
def test_examples_with_lanes(name: str, asked: int) -> None:
    kernel = example(name)
    values = (0, 1, 2, 3, 7, 8, 9, 11) if len(kernel.parameters) < 4 else (1, 3, 5)
    design = check(kernel, TILED[name], asked, sizes_of(kernel, values), depth=1 + asked % 2)
    assert design.lanes.count == asked or design.lanes.reason


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(20))
def test_random_kernels_with_lanes(seed: int) -> None:
    kernel, rows = random_kernel(seed, may=bool(seed % 4 == 3))
    try:
        accelerator = Accelerator(ls.plan(kernel, None if kernel.tiling else ls.Tiling((4,), "auto")))
        outcome = run_system(accelerator, rows[-1], PAPER, seed=seed, unroll=2 + seed % 3)
    except UnsupportedError as error:
        pytest.skip(str(error).splitlines()[0])
    assert outcome.is_right, outcome


@pytest.mark.sweep
@pytest.mark.parametrize(("latency", "ports"), [(2, 1), (1, 2), (2, 2)])
def test_other_memories(latency: int, ports: int) -> None:
    for name, sizes, row in (("jacobi1d_sa", (2, 4), {"T": 5, "N": 13}), ("matmul", (4, 5, 3), {"n": 11})):
        accelerator = accelerator_of(example(name), sizes)
        outcome = run_system(accelerator, row, PAPER, memory_latency=latency, read_ports=ports, unroll=4)
        assert outcome.is_right, outcome


@pytest.mark.sweep
def test_lanes_go_every_cycle() -> None:
    outcome = run_system(accelerator_of(example("matmul"), (32, 32, 32)), {"n": 256}, PAPER, unroll=8)
    assert outcome.is_right, outcome
    found = outcome.as_json()
    assert found["cycles"] <= 1.25 * max(found["instances"] / 8, found["loaded"] + found["stored"])


@pytest.mark.sweep
def test_lanes_that_do_not_wait_for_others_are_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def only_itself(*_: object) -> list[tuple[int, int]]:
        return [(lane, lane) for lane in range(4)]

    accelerator, row = accelerator_of(parsed(SLANTED), (4, 4)), {"n": 12}
    assert run_system(accelerator, row, PAPER, unroll=4).is_right
    monkeypatch.setattr(compute, "meeting_lanes", only_itself)
    assert not run_system(accelerator, row, PAPER, unroll=4).is_right


@pytest.mark.parametrize(
    ("name", "size", "parameters", "width", "lanes"),
    [
        ("matmul", 16, {"n": 32}, 32, (8,)),
        ("matmul", 4, {"n": 32}, 128, (2, 4)),
        ("vector_sum", 64, {"n": 1000}, 512, (8,)),
        ("vector_sum", 64, {"n": 1000}, 32, (1,)),
    ],
)
def test_as_many_lanes_as_the_bus_feeds(
    name: str, size: int, parameters: dict[str, int], width: int, lanes: tuple[int, ...]
) -> None:
    path = next(path for path in EXAMPLES if path.stem == name)
    compilation = ls.accelerator(ls.parse(path), ls.Tiling(size), parameters=parameters, unroll="auto", bus_width=width)
    assert compilation.outline.lanes.counts == lanes


def test_hardware_with_lanes_that_the_bus_feeds() -> None:
    path = next(path for path in EXAMPLES if path.stem == "matmul")
    circuit = ls.accelerator(ls.parse(path), ls.Tiling(4), parameters={"n": 9}, unroll="auto", bus_width=128)
    assert circuit.outline.lanes.count == 8
    counts = circuit.outline.lanes.counts
    assert Circuit.of(circuit.accelerator, {"n": 9}, Bus(data_width=128, burst=8), counts, seed=1).run(60)
