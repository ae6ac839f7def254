"""Hardware on a bus that stalls and fails: every error is reported, no run hangs, and none is done wrongly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest

import loadstone as ls
from fault_designs import CHANCES, Troubled
from kernels import ROOT
from loadstone.bus.ports import Bus
from loadstone.dram.timing import preset
from loadstone.errors import RunFailed
from loadstone.hardware.accelerator.top import make_accelerator_design
from loadstone.hardware.design import BusDesign
from loadstone.hardware.direct.top import make_direct_design
from loadstone.hardware.harness.placement import placed, words_needed
from loadstone.hardware.harness.system import WORDS, make_system
from loadstone.hardware.network.top import make_network_design
from loadstone.hardware.supervisor import ErrorKind
from loadstone.loops.ranges import parameter_limits
from loadstone.model.kernel import Kernel
from loadstone.networks.sizes import sized
from loadstone.rtl.programs import verilator
from loadstone.simulate.hardware.on_chip import HardwareRun
from loadstone.simulate.hardware.system import SystemRun, check_end
from loadstone.simulate.memory import copied, initial_memory, live_out_arrays, mismatches
from loadstone.simulate.programs.compiled import compile_reference
from loadstone.trials import trial
from ready import accelerator_of, make_hardware

PAPER = preset("paper")
LARGEST = 40
ROWS = [{"n": size} for size in (40, 41, 7, 0, 63, 23, 40)]
AVALON = Bus("avalon", data_width=64, burst=16)
BUSES = {
    "axi": None,
    "avalon": AVALON,
    "wide axi": Bus("axi", data_width=256),
    "wide avalon": Bus("avalon", data_width=256, burst=8),
}
"""One beat holds an element, two, and eight, which accelerators move as slices."""
KERNEL = ls.parse(ROOT / "examples/vector_sum.c")
LIMITS = parameter_limits(KERNEL, {"n": LARGEST})
PRODUCT = ls.parse("""
void product(int n, short a[n][n], signed char b[n][n], long c[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      c[i][j] = i - j;
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
    }
}
""")
"""Elements of three widths."""
LARGEST_PRODUCT = 11
ROWS_OF_PRODUCT = [{"n": size} for size in (11, 12, 5, 0, 15, 1, 11)]


def accelerator(bus: Bus | None) -> BusDesign:
    return make_accelerator_design(accelerator_of(KERNEL, (8,)), LIMITS, bus)


def with_lanes(bus: Bus | None) -> BusDesign:
    return make_accelerator_design(accelerator_of(KERNEL, (8,)), LIMITS, bus, unroll=4)


def direct(bus: Bus | None) -> BusDesign:
    return make_direct_design(KERNEL, LIMITS, bus)


def network(bus: Bus | None) -> BusDesign:
    made = ls.network(KERNEL, ls.Tiling((8,)))
    return make_network_design(made, sized(made, {"n": LARGEST}), {"n": (LARGEST, LARGEST)}, bus)


def lanes_of_two_loops(bus: Bus | None) -> BusDesign:
    limits = parameter_limits(PRODUCT, {"n": LARGEST_PRODUCT})
    return make_accelerator_design(accelerator_of(PRODUCT, (4, 8, 4)), limits, bus, unroll=(2, 4))


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """Hardware of a kernel, and rows of parameters, some out of range; results do not depend on earlier runs."""

    make: Callable[[Bus | None], BusDesign]
    kernel: Kernel = KERNEL
    largest: int = LARGEST
    rows: Sequence[dict[str, int]] = tuple(ROWS)


SUBJECTS = {
    "accelerator": Subject(accelerator),
    "lanes": Subject(with_lanes),
    "direct": Subject(direct),
    "network": Subject(network),
    "lanes of two loops": Subject(lanes_of_two_loops, PRODUCT, LARGEST_PRODUCT, ROWS_OF_PRODUCT),
}
CASES = [
    *((name, bus) for name in SUBJECTS if name != "lanes of two loops" for bus in BUSES if bus != "wide avalon"),
    ("lanes of two loops", "wide axi"),
    ("lanes of two loops", "wide avalon"),
]


def trouble(name: str, bus: str, runs: int) -> verilator.Run:
    """Runs hardware on a bus that fails; the last run, on one that does not, leaves what it should."""
    subject = SUBJECTS[name]
    parameters = {"n": subject.largest}
    start = initial_memory(subject.kernel, parameters)
    expected = copied(start)
    compile_reference(subject.kernel).run(parameters, expected)
    run, actual = Troubled(subject.make(BUSES[bus]), PAPER, subject.rows, runs).execute(start, CHANCES)
    assert run.outputs["first_wrong"] == 0
    assert not mismatches(expected, actual, live_out_arrays(subject.kernel))
    return run


@pytest.mark.parametrize(("name", "bus"), CASES)
def test_every_error_is_reported(name: str, bus: str) -> None:
    run = trouble(name, bus, 2100)
    kinds = {kind.name: run.outputs[f"{kind.name.lower()}_runs"] for kind in ErrorKind}
    assert all(kinds.values()), kinds
    assert run.outputs["aborted_runs"]
    assert run.outputs["cleared_runs"]


@pytest.mark.sweep
@pytest.mark.parametrize(("name", "bus"), CASES)
def test_ten_million_cycles_of_errors(name: str, bus: str) -> None:
    once = trouble(name, bus, 700).cycles
    run = trouble(name, bus, 700 * (11_000_000 // once))
    print({each: run.outputs[each] for each in run.outputs if each.endswith("_runs")}, run.cycles)
    assert run.cycles > 10_000_000


@pytest.mark.parametrize("bus", BUSES)
@pytest.mark.parametrize("chance", ["read_chance", "write_chance"])
def test_a_run_with_a_bus_error_is_no_match(chance: str, bus: str) -> None:
    design, parameters = accelerator(BUSES[bus]), {"n": LARGEST}
    single, bases = SystemRun(design, PAPER, parameters, trial(KERNEL, parameters, 0)[0], {}), placed(design)
    module = make_system(design, PAPER, words_needed(design, bases), faults=True)
    start = {**single.inputs(bases), chance: 0xFFFF, "start": 1}
    run = verilator.run(module, [start, {"start": 0}], done="done", limit=5000, memories={WORDS: single.image(bases)})
    assert run.finished
    assert RunFailed.exit_status == 1
    verb = "read" if chance == "read_chance" else "write"
    with pytest.raises(RunFailed, match=f"error in a {verb} at address 0x"):
        check_end("vector_sum", run.outputs)


@pytest.mark.parametrize("name", SUBJECTS)
@pytest.mark.parametrize("size", [41, 63, 64, 1 << 16, -1])
def test_runs_refuse_parameters_out_of_range(name: str, size: int) -> None:
    subject = SUBJECTS[name]
    memory = initial_memory(subject.kernel, {"n": subject.largest})
    design = subject.make(BUSES["wide axi"] if subject.kernel is PRODUCT else None)
    with pytest.raises(RunFailed, match="failed: a parameter is out of range"):
        SystemRun(design, PAPER, {"n": size}, memory, {}).execute()


@pytest.mark.parametrize("size", [12, 13, 15, 16])
def test_lanes_and_beats_refuse_the_next_parameters(size: int) -> None:
    memory = initial_memory(PRODUCT, {"n": LARGEST_PRODUCT})
    for bus in (BUSES["wide axi"], Bus("axi", data_width=512)):
        with pytest.raises(RunFailed, match="failed: a parameter is out of range"):
            SystemRun(lanes_of_two_loops(bus), PAPER, {"n": size}, memory, {}).execute()


@pytest.mark.parametrize("size", [25, 31, 32, -1])
def test_kernels_on_the_chip_refuse_parameters_out_of_range(size: int) -> None:
    kernel = ls.parse(ROOT / "examples/matmul.c")
    design = make_hardware(kernel, {"n": 24})
    with pytest.raises(RunFailed, match="refused to start"):
        HardwareRun(design, {"n": size}, initial_memory(kernel, {"n": 24})).execute("verilator")
