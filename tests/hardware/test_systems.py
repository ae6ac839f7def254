"""Whole accelerators in hardware, with external memory, against the original program."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

import pytest

import loadstone as ls
from kernels import CLASHES, EXAMPLES, ROOT, random_kernel, tiny_parameters
from loadstone.bus.coalescer import make_coalescer
from loadstone.bus.ports import Bus, Widths
from loadstone.dram.timing import preset
from loadstone.errors import InputError, LoadstoneError, ToolError, UnsupportedError
from loadstone.hardware.accelerator.top import make_accelerator_design
from loadstone.hardware.compute.local_layout import arrays_apart
from loadstone.hardware.design import AcceleratorDesign
from loadstone.hardware.harness.system import CHANCE, make_system
from loadstone.loops.accelerator import Accelerator
from loadstone.loops.ranges import parameter_limits
from loadstone.model.kernel import Kernel
from loadstone.rtl import Simulation, unsigned
from loadstone.rtl.programs import ghdl, verilator
from loadstone.rtl.vectors import Cycle
from loadstone.simulate.hardware.system import SystemRun
from loadstone.simulate.memory import copied, initial_memory, live_out_arrays, mismatches
from loadstone.simulate.programs.compiled import compile_reference
from loadstone.storage.handover import Mode
from loadstone.storage.local_plan import LocalPlan
from ready import PAPER, accelerator_of, predict_system, run_accelerator, run_system
from system_designs import Repeated


def check_run(design: AcceleratorDesign, parameters: Mapping[str, int], bases: Mapping[str, int] | None = None) -> None:
    """Runs hardware on generated data, and compares memory."""
    kernel = design.compute.kernel
    start = initial_memory(kernel, parameters)
    expected, actual = copied(start), copied(start)
    compile_reference(kernel).run(parameters, expected)
    SystemRun(design, PAPER, parameters, actual, bases or {}).execute()
    assert not mismatches(expected, actual, live_out_arrays(kernel))


def test_one_design_runs_all_sizes() -> None:
    kernel = ls.parse(ROOT / "examples/matmul.c")
    design = make_accelerator_design(accelerator_of(kernel, (4, 4, 4)), parameter_limits(kernel, {"n": 9}))
    for size in (0, 1, 3, 4, 5, 7, 9):
        check_run(design, {"n": size})


def test_arrays_may_lie_anywhere() -> None:
    kernel = ls.parse(ROOT / "examples/vector_sum.c")
    design = make_accelerator_design(accelerator_of(kernel, (8,)), parameter_limits(kernel, {"n": 100}))
    check_run(design, {"n": 100}, {"a": 4092, "b": 12, "c": 4 * 1300})
    check_run(design, {"n": 61}, {"a": 4 * 2047, "b": 4, "c": 4 * 1023})


@pytest.mark.parametrize(
    ("name", "sizes", "parameters", "depth", "strips"),
    [
        ("jacobi1d_sa", (2, 4), {"T": 5, "N": 13}, 2, "overlap"),
        ("threshold", (4, 4), {"rows": 7, "cols": 9}, 1, "overlap"),
        ("polymul", (3, 5), {"N": 11}, 3, "drain"),
    ],
)
def test_accelerators_move_the_words_of_the_plan(
    name: str, sizes: tuple[int, ...], parameters: dict[str, int], depth: int, strips: Mode
) -> None:
    kernel = ls.parse(ROOT / f"examples/{name}.c")
    outcome = run_system(accelerator_of(kernel, sizes, depth, strips=strips), parameters, PAPER)
    assert outcome.is_right, outcome
    assert outcome.as_json()["memory"]["words_read"] == outcome.as_json()["loaded"]
    assert outcome.as_json()["memory"]["words_written"] == outcome.as_json()["stored"]


@pytest.mark.parametrize(("burst", "width"), [(256, 32), (256, 64), (2, 512)])
def test_bursts_may_be_as_long_as_queues(burst: int, width: int) -> None:
    kernel = ls.parse(ROOT / "examples/dma.c")
    bus = Bus(data_width=width, burst=burst)
    assert run_system(accelerator_of(kernel, (512,)), {"n": 1100}, PAPER, bus=bus).is_right


def test_memories_have_the_names_of_their_presets() -> None:
    kernel = ls.parse(ROOT / "examples/dma.c")
    outcome = predict_system(accelerator_of(kernel, (64,)), {"n": 100}, preset("ddr4-2400"))
    assert outcome.as_json()["memory"]["name"] == "ddr4-2400"


def test_narrow_elements_are_packed() -> None:
    kernel = ls.parse(ROOT / "examples/vector_sum.c", types={"int": "int(16)"})
    outcome = run_system(accelerator_of(kernel, (16,)), {"n": 61}, PAPER)
    assert outcome.is_right, outcome
    assert outcome.as_json()["memory"]["words_read"] < outcome.as_json()["loaded"] == 2 * 61
    assert outcome.as_json()["memory"]["words_written"] < outcome.as_json()["stored"] == 61


def test_names_may_clash(tmp_path: Path) -> None:
    path = tmp_path / "kernel.c"
    path.write_text(CLASHES)
    assert run_system(accelerator_of(ls.parse(path), (2,)), {"n": 5}, PAPER).is_right


def test_copies_keep_the_memory_busy() -> None:
    kernel = ls.parse(ROOT / "examples/dma.c")
    outcome = run_system(accelerator_of(kernel, (256,)), {"n": 4096}, PAPER)
    assert outcome.is_right
    assert outcome.as_json()["cycles"] <= 1.15 * (outcome.as_json()["loaded"] + outcome.as_json()["stored"])


def test_a_strip_is_loaded_while_the_one_before_is_computed() -> None:
    kernel = ls.parse(ROOT / "examples/matmul.c")
    outcome = run_system(accelerator_of(kernel, (8, 8, 8)), {"n": 24}, PAPER)
    assert outcome.is_right
    assert (outcome.cycles or 0) <= 1.05 * 24**3


COLUMNS = """
#pragma loadstone default(n = 128)
void columns(int n, int y[n], int c[64][n]) {
#pragma loadstone tile size(64, 16)
  for (int k = 0; k < 64; k++)
    for (int i = 0; i < n; i++)
      y[i] = y[i] + 3 * c[k][i];
}
"""


def test_what_waits_for_datapaths_does_not_hold_up_other_arrays(tmp_path: Path) -> None:
    path = tmp_path / "columns.c"
    path.write_text(COLUMNS)
    accelerator = Accelerator(ls.plan(ls.parse(path)))
    outcome = run_system(accelerator, {"n": 128}, PAPER)
    assert outcome.is_right
    cycles = outcome.cycles or 0
    assert cycles <= 1.5 * 128 * 64
    model = predict_system(accelerator, {"n": 128}, PAPER)
    assert abs((model.cycles or 0) - cycles) <= 0.01 * cycles


def test_copies_are_apart_where_ports_are_shared() -> None:
    product, addition = (ls.parse(ROOT / f"examples/{name}.c") for name in ("matmul", "vector_sum"))
    assert arrays_apart(accelerator_of(product, (4, 4, 4))) == {"c"}
    assert arrays_apart(accelerator_of(product, (4, 4, 4), strips="drain")) == set()
    assert arrays_apart(accelerator_of(addition, (8,))) == set()


@pytest.mark.parametrize("bus", [None, Bus(data_width=128), Bus("avalon", data_width=64), Bus(data_width=512, burst=8)])
@pytest.mark.parametrize("name", ["histogram", "fir_fixed"])
def test_elements_of_several_widths(name: str, bus: Bus | None) -> None:
    kernel = ls.parse(ROOT / f"examples/{name}.c")
    parameters = list(tiny_parameters(kernel, (2, 11, 23)))[-1]
    assert run_system(Accelerator(ls.plan(kernel)), parameters, PAPER, bus=bus).is_right


def test_elements_must_fit_the_bus() -> None:
    kernel = ls.parse(ROOT / "examples/polybench/atax.c")
    with pytest.raises(InputError, match="64 bits do not fit a bus of 32"):
        run_system(Accelerator(ls.plan(kernel)), {"m": 3, "n": 3}, PAPER, bus=Bus(data_width=32))


def test_the_text_has_no_warnings() -> None:
    kernel = ls.parse(ROOT / "examples/matmul.c")
    design = make_accelerator_design(accelerator_of(kernel, (4, 4, 4)), parameter_limits(kernel, {"n": 9}))
    module = make_system(design, PAPER, 1024)
    assert verilator.lint(module) == ""
    try:
        assert ghdl.lint(module) == ""
    except LoadstoneError as error:
        pytest.skip(str(error))


def test_wide_elements_among_narrow_ones_form_runs() -> None:
    simulation = Simulation(make_coalescer("runs", unsigned(12), Widths(8, 64), 16))
    simulation.set("in_valid", 1)
    simulation.set("in_size", 2)
    for place in range(8):
        simulation.set("in_address", 64 + 4 * place)
        assert simulation.get("in_ready")
        simulation.step()
    simulation.set("in_valid", 0)
    simulation.set("flush", 1)
    simulation.run_until("request_valid", 8)
    assert [simulation.get(f"request_{part}") for part in ("address", "count", "size")] == [64, 8, 2]


@pytest.mark.parametrize("longest", [4, 16])
def test_runs_of_elements_become_requests(longest: int) -> None:
    source = random.Random(longest)
    places = [4 * source.randrange(64)]
    for _ in range(400):
        places.append(places[-1] + 4 if source.random() < 0.8 else 4 * source.randrange(64))
    simulation = Simulation(make_coalescer("runs", unsigned(12), Widths(32, 32), longest))
    waiting, found, counts = list(places), list[int](), list[int]()
    for _ in range(3000):
        simulation.set("in_valid", int(bool(waiting) and source.random() < 0.9))
        simulation.set("in_address", waiting[0] if waiting else 0)
        simulation.set("flush", int(not waiting))
        simulation.set("request_ready", int(source.random() < 0.5))
        if simulation.get("takes"):
            waiting.pop(0)
        if simulation.get("leaves"):
            first, count = simulation.get("request_address"), simulation.get("request_count")
            counts.append(count)
            found += [first + 4 * k for k in range(count)]
        simulation.step()
    assert found == places
    assert max(counts) == longest
    assert simulation.get("empty") == 1


SUM = """#pragma loadstone default(n = 20)
int sum(int n, int a[n], int x[n])
{
  int s;
#pragma scop
  s = 0;
  for (int i = 0; i < n; i++)
    s += a[i] * x[i];
  for (int i = 0; i < n; i++)
    x[i] = x[i] - s;
#pragma endscop
  return s;
}
"""


@pytest.mark.parametrize("size", [0, 1, 13])
def test_scalars_that_leave_are_in_memory(tmp_path: Path, size: int) -> None:
    path = tmp_path / "sum.c"
    path.write_text(SUM)
    kernel = ls.parse(path)
    assert run_system(accelerator_of(kernel, (4,)), {"n": size}, PAPER).is_right
    assert run_accelerator(accelerator_of(kernel, (4,)), {"n": size}).is_right


def test_elements_that_depend_on_data_are_in_the_copy_in_use() -> None:
    kernel, rows = random_kernel(7, may=True)
    accelerator = Accelerator(ls.plan(kernel, ls.Tiling((4,), "auto")))
    assert accelerator.buffers["h"].copies == 2
    assert run_system(accelerator, rows[-1], PAPER).is_right


def run_random(seed: int, may: bool) -> None:
    kernel, rows = random_kernel(seed, may=may)
    parameters = rows[-1]
    assert run_system(Accelerator(random_plan(kernel, 1 + seed % 2)), parameters, PAPER, seed=seed).is_right


def random_plan(kernel: Kernel, strip: int) -> LocalPlan:
    """A plan of a random kernel, with so many loops in a strip if there are as many."""
    try:
        return ls.plan(kernel, None if kernel.tiling else ls.Tiling((3,), "auto", strip))
    except UnsupportedError:
        raise
    except InputError:
        return ls.plan(kernel, ls.Tiling((3,), "auto"))


def repeat_runs(name: str, sizes: tuple[int, ...], rows: list[dict[str, int]], runs: int, before: list[Cycle]) -> int:
    """Runs one accelerator many times with pauses and stalls; the cycles. What it writes does not depend on itself."""
    kernel = ls.parse(ROOT / f"examples/{name}.c")
    limits = parameter_limits(kernel, {key: max(row[key] for row in rows) for key in rows[0]})
    design = make_accelerator_design(accelerator_of(kernel, sizes), limits, stalls=True)
    start = initial_memory(kernel, rows[-1])
    expected = copied(start)
    compile_reference(kernel).run(rows[-1], expected)
    repeated = Repeated(design, PAPER, rows, runs)
    cycles, actual = repeated.execute(start, before, {CHANCE: 60, "pause_chance": 60})
    assert not mismatches(expected, actual, live_out_arrays(kernel))
    return cycles


def test_it_starts_again_with_other_parameters() -> None:
    repeat_runs("jacobi1d_sa", (2, 4), [{"T": size, "N": 2 * size + 1} for size in (4, 1, 3, 0, 5)], 10, [])


@pytest.mark.parametrize("cycle", [5, 90, 333, 1201])
def test_a_reset_in_mid_run_leaves_no_trace(cycle: int) -> None:
    before: list[Cycle] = [{"rst": int(k == cycle)} for k in range(cycle + 2)]
    repeat_runs("vector_sum", (8,), [{"n": 23}, {"n": 100}], 2, before)


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("name", "sizes", "parameters"),
    [
        ("vector_sum", (8,), ("n",)),
        ("dma", (16,), ("n",)),
        ("polybench/3mm", (3, 4, 5), ("ni", "nj", "nk", "nl", "nm")),
        ("polybench/gesummv", (3, 5), ("n",)),
        ("jacobi1d_sa", (2, 4), ("T", "N")),
    ],
)
def test_ten_million_cycles_with_stalls(name: str, sizes: tuple[int, ...], parameters: tuple[str, ...]) -> None:
    rows = [dict.fromkeys(parameters, size) for size in (1, 12, 0, 7, 13)]
    once = repeat_runs(name, sizes, rows, len(rows), [])
    assert repeat_runs(name, sizes, rows, len(rows) * (11_000_000 // once), []) > 10_000_000


@pytest.mark.sweep
@pytest.mark.parametrize(
    "name",
    [
        "dma",
        "vector_sum",
        "matmul",
        "polymul",
        "jacobi1d_sa",
        "threshold",
        "histogram",
        "fir",
        "devos_3_19",
        "polybench/floyd-warshall",
    ],
)
def test_with_a_real_controller(name: str) -> None:
    kernel = ls.parse(ROOT / f"examples/{name}.c")
    parameters = {each: 3 if each == "L" else 11 for each in kernel.parameters}
    try:
        outcome = run_system(Accelerator(ls.plan(kernel)), parameters, "litedram")
    except ToolError as error:
        pytest.skip(str(error).splitlines()[0])
    assert outcome.is_right, outcome
    assert 0 < outcome.as_json()["memory"]["words_read"] <= outcome.as_json()["loaded"]


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(40))
def test_random_kernels(seed: int) -> None:
    try:
        run_random(seed, may=bool(seed % 4 == 3))
    except UnsupportedError as error:
        pytest.skip(str(error).splitlines()[0])


@pytest.mark.sweep
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_all_examples(path: Path) -> None:
    kernel = ls.parse(path)
    parameters = list(tiny_parameters(kernel, (2, 3, 5)))[-1]
    try:
        outcome = run_system(Accelerator(ls.plan(kernel)), parameters, PAPER)
    except UnsupportedError as error:
        pytest.skip(str(error).splitlines()[0])
    assert outcome.is_right, outcome
