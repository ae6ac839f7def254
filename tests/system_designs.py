"""A module that runs an accelerator on a memory again and again, with other parameters each time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from loadstone.dram.timing import Timing
from loadstone.hardware.design import BusDesign
from loadstone.hardware.harness.placement import placed, words_needed
from loadstone.hardware.harness.system import WORDS, make_system
from loadstone.rtl import Module, Signal, Value, bit, const, mux, unsigned
from loadstone.rtl.programs import verilator
from loadstone.rtl.vectors import Cycle
from loadstone.simulate.hardware.system import SystemRun
from loadstone.simulate.memory import Memory

PAUSES = "pause_chance"


def aside(design: BusDesign, bases: Mapping[str, Value], is_kept: Value, words: int) -> dict[str, Value]:
    """The base addresses of a run: those that are given if it is looked at, else in another half of the memory.

    Strides follow the parameters of a run, so that runs with others would write over its arrays. The memory has twice
    so many words.
    """
    kind, far = design.bus.address, words * design.bus.bytes
    return {port: mux(is_kept, bases[port], (bases[port] + far).wrapped(kind)) for port in design.bases.values()}


@dataclass(frozen=True, slots=True)
class Repeated:
    """Runs of an accelerator: one for each row of parameters in turn, until there were enough."""

    design: BusDesign
    timing: Timing
    rows: Sequence[Mapping[str, int]]
    runs: int

    def execute(self, start: Memory, before: Sequence[Cycle], inputs: Mapping[str, int]) -> tuple[int, Memory]:
        """The cycles that all runs took, and memory after them; `before` are the first cycles, with resets."""
        single = SystemRun(self.design, self.timing, self.rows[-1], start, {})
        bases = placed(self.design)
        words = words_needed(self.design, bases)
        module = self.module(words)
        chosen = self.design.parameters.values()
        held = {port: value for port, value in single.inputs(bases).items() if port not in chosen} | dict(inputs)
        result = verilator.run(
            module,
            [held, *before],
            done="all_done",
            limit=100_000_000,
            memories={f"system.{WORDS}": [*single.image(bases), *[0] * words]},
            dumped=[f"system.{WORDS}"],
        )
        assert result.finished
        assert result.outputs["bus_error"] == 0
        single.read_back(bases, result.memories[f"system.{WORDS}"], result.outputs)
        return result.cycles, start

    def module(self, words: int) -> Module:
        """The module; `all_done` is set after the last run."""
        system = make_system(self.design, self.timing, 2 * words, stalls=True)
        m = Module("repeated", "Runs an accelerator again and again.")
        run = m.register("run", unsigned(24), reset=0, comment="runs that have ended")
        row = m.register("row", unsigned(8), reset=0)
        going = m.register("going", bit, reset=0)
        last_row = len(self.rows) - 1
        given = {port: self._chosen(name, port, row) for name, port in self.design.parameters.items()}
        kept = {*given, "start"}
        others = {p.name: m.input(p.name, p.bits) for p in system.of_kind("input") if p.name not in kept}
        over = m.wire("over", run == self.runs)
        given |= aside(self.design, others, row == last_row, words)
        inner = m.instance("system", system, {**others, **given, "start": ~going & ~over})
        with m.clocked():
            m.assign(going, ~over)
            with m.when(going & inner["ready"]):
                m.assign(going, 0)
                m.assign(run, (run + 1).wrapped(run.bits))
                m.assign(row, mux(row == last_row, 0, (row + 1).wrapped(row.bits)))
        m.output("all_done", over)
        for port in system.of_kind("output"):
            m.output(port.name, inner[port.name])
        return m

    def _chosen(self, name: str, port: str, row: Signal) -> Value:
        """The value of a parameter in a row."""
        kind = self.design.module[port].bits
        values = [const(each[name], kind) for each in self.rows]
        *others, last = enumerate(values)
        return reduce(lambda rest, each: mux(row == each[0], each[1], rest), others, last[1])
