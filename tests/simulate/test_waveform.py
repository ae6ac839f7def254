"""Waveforms of runs in Python: against those of another simulator, and against the original program."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import loadstone as ls
from kernels import ROOT
from loadstone.circuits import CircuitCompilation
from loadstone.dram.timing import preset
from loadstone.options import Choices
from loadstone.rtl.interpreter import Simulation
from loadstone.rtl.module import Module
from loadstone.rtl.programs import icarus
from loadstone.rtl.types import bit, signed, unsigned
from loadstone.rtl.vectors import Session
from loadstone.simulate.hardware.system import SystemRun
from loadstone.simulate.hardware.waveform import Waveform
from loadstone.simulate.interpreter import execute
from loadstone.simulate.memory import copied, initial_memory

INPUTS = [{"enable": 1, "step": 3}, {"enable": 1, "step": -2}, {"enable": 0, "step": -8}, {"enable": 1, "step": 7}]


def accumulator() -> Module:
    """A sum in an instance of its own, and how long it has run."""
    inner = Module("adder")
    enable, step = inner.input("enable", bit), inner.input("step", signed(4))
    total = inner.register("total", signed(12), reset=-5)
    with inner.clocked(), inner.when(enable):
        inner.assign(total, (total + step).resized(12))
    inner.output("sum", total)
    m = Module("accumulator")
    on, amount = m.input("enable", bit), m.input("step", signed(4))
    found = m.instance("inner", inner, {"enable": on, "step": amount})["sum"]
    ticks = m.register("ticks", unsigned(3), reset=0)
    with m.clocked():
        m.assign(ticks, (ticks + 1).resized(3))
    m.output("sum", found)
    m.output("done", ticks == len(INPUTS))
    return m


def at_edges(text: str, clock: str) -> dict[str, list[int]]:
    """The values of signals just before each rising edge of the clock, by their paths; undefined bits are 0."""
    head, _, body = text.partition("$enddefinitions")
    paths: dict[str, list[str]] = {}
    scopes: list[str] = []
    for kind, rest in re.findall(r"\$(scope|upscope|var)\s+(.*?)\s*\$end", head, re.DOTALL):
        words = rest.split()
        if kind == "scope":
            scopes.append(words[1])
        elif kind == "upscope":
            scopes.pop()
        else:
            paths.setdefault(words[2], []).append(".".join([*scopes[1:], words[3]]))
    values = dict.fromkeys(paths, 0)
    found: dict[str, list[int]] = {path: [] for names in paths.values() for path in names}
    before = dict(values)
    for line in body.splitlines():
        change = re.fullmatch(r"(?:b([01xz]+) |([01xz]))(\S+)", line.strip())
        if line.startswith("#"):
            before = dict(values)
        if change is None:
            continue
        name, new = change[3], int(re.sub("[xz]", "0", change[1] or change[2]), 2)
        if paths.get(name, [""])[0].endswith(clock) and new and not values[name]:
            for each, names in paths.items():
                for path in names:
                    found[path].append(before[each])
        values[name] = new
    return found


@pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus is missing")
def test_a_waveform_is_that_of_another_simulator(tmp_path: Path) -> None:
    waveform = Waveform(Simulation(accumulator()), "accumulator")
    for inputs in INPUTS:
        waveform.step(inputs)
    icarus.run(accumulator(), Session(INPUTS, "done", 10, []), tmp_path / "other.vcd")
    ours = at_edges(waveform.text, "clk")
    other = at_edges((tmp_path / "other.vcd").read_text(), "clk")
    assert ours["inner.total"] == [value & 4095 for value in (-5, -2, -4, -4)]
    for path in ("inner.total", "inner.step", "ticks", "enable", "sum"):
        (name,) = (name for name in other if name.removeprefix("dut.") == path or name.endswith(f".dut.{path}"))
        assert holds(other[name], ours[path]), path


def holds(longer: list[int], part: list[int]) -> bool:
    """Whether values stand one after the other in others, which begin with a reset."""
    return any(longer[k : k + len(part)] == part for k in range(len(longer)))


def test_a_recorded_run_leaves_what_the_original_does() -> None:
    kernel, values = ls.parse(str(ROOT / "examples" / "matmul.c")), {"n": 6}
    circuit = CircuitCompilation(kernel, Choices(sizes=4), values)
    memory = initial_memory(kernel, values, 1)
    expected = copied(memory)
    execute(kernel, values, expected)
    run = SystemRun(circuit.design, preset("paper"), values, memory, {})
    found = run.record(5000, 1 << 24)
    assert found.finished
    assert memory["c"].cells == expected["c"].cells
    predicted = ls.predict(kernel, parameters=values, sizes=4, memory="paper").cycles
    assert predicted is not None
    assert abs(found.cycles - predicted) <= 0.02 * predicted
    assert at_edges(found.vcd, "clk")["done"][-1] == 0


def test_a_record_is_cut() -> None:
    kernel, values = ls.parse(str(ROOT / "examples" / "matmul.c")), {"n": 6}
    design = CircuitCompilation(kernel, Choices(sizes=4), values).design
    runs = [SystemRun(design, preset("paper"), values, initial_memory(kernel, values, 1), {}) for _ in range(2)]
    assert (runs[0].record(50, 1 << 24).cycles, runs[0].record(50, 1 << 24).finished) == (50, False)
    assert len(runs[1].record(5000, 200_000).vcd) < 260_000
