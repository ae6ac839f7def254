"""Hardware on a bus that stalls and fails: every error is reported, no run hangs, and none is done wrongly."""

from __future__ import annotations

from collections.abc import Callable

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
BUSES = {"axi": None, "avalon": AVALON, "wide axi": Bus("axi", data_width=256)}
"""One beat holds an element, two, and eight, which accelerators move as slices."""
KERNEL = ls.parse(ROOT / "examples/vector_sum.c")
LIMITS = parameter_limits(KERNEL, {"n": LARGEST})


def accelerator(bus: Bus | None) -> BusDesign:
    return make_accelerator_design(accelerator_of(KERNEL, (8,)), LIMITS, bus)


def with_lanes(bus: Bus | None) -> BusDesign:
    return make_accelerator_design(accelerator_of(KERNEL, (8,)), LIMITS, bus, unroll=4)


def direct(bus: Bus | None) -> BusDesign:
    return make_direct_design(KERNEL, LIMITS, bus)


def network(bus: Bus | None) -> BusDesign:
    made = ls.network(KERNEL, ls.Tiling((8,)))
    return make_network_design(made, sized(made, {"n": LARGEST}), {"n": (LARGEST, LARGEST)}, bus)


DESIGNS: dict[str, Callable[[Bus | None], BusDesign]] = {
    "accelerator": accelerator,
    "lanes": with_lanes,
    "direct": direct,
    "network": network,
}


def trouble(name: str, bus: str, runs: int) -> verilator.Run:
    """Runs hardware on a bus that fails; the last run, on one that does not, leaves what it should."""
    start = initial_memory(KERNEL, {"n": LARGEST})
    expected = copied(start)
    compile_reference(KERNEL).run({"n": LARGEST}, expected)
    run, actual = Troubled(DESIGNS[name](BUSES[bus]), PAPER, ROWS, runs).execute(start, CHANCES)
    assert run.outputs["first_wrong"] == 0
    assert not mismatches(expected, actual, live_out_arrays(KERNEL))
    return run


@pytest.mark.parametrize("bus", BUSES)
@pytest.mark.parametrize("name", DESIGNS)
def test_every_error_is_reported(name: str, bus: str) -> None:
    run = trouble(name, bus, 2100)
    kinds = {kind.name: run.outputs[f"{kind.name.lower()}_runs"] for kind in ErrorKind}
    assert all(kinds.values()), kinds
    assert run.outputs["aborted_runs"]


@pytest.mark.sweep
@pytest.mark.parametrize("bus", BUSES)
@pytest.mark.parametrize("name", DESIGNS)
def test_ten_million_cycles_of_errors(name: str, bus: str) -> None:
    once = trouble(name, bus, 700).cycles
    assert trouble(name, bus, 700 * (11_000_000 // once)).cycles > 10_000_000


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


@pytest.mark.parametrize("name", DESIGNS)
@pytest.mark.parametrize("size", [41, 63, 64, 1 << 16, -1])
def test_runs_refuse_parameters_out_of_range(name: str, size: int) -> None:
    memory = initial_memory(KERNEL, {"n": LARGEST})
    design = DESIGNS[name](None)
    with pytest.raises(RunFailed, match="failed: a parameter is out of range"):
        SystemRun(design, PAPER, {"n": size}, memory, {}).execute()


@pytest.mark.parametrize("size", [25, 31, 32, -1])
def test_kernels_on_the_chip_refuse_parameters_out_of_range(size: int) -> None:
    kernel = ls.parse(ROOT / "examples/matmul.c")
    design = make_hardware(kernel, {"n": 24})
    with pytest.raises(RunFailed, match="refused to start"):
        HardwareRun(design, {"n": size}, initial_memory(kernel, {"n": 24})).execute("verilator")
