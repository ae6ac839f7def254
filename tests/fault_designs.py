"""A module that runs hardware on a bus that stalls and fails, with aborts and resets, and checks how each run ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loadstone.bus.stalls import STATE, next_random
from loadstone.dram.timing import Timing
from loadstone.hardware import supervisor
from loadstone.hardware.bus_top import LOADED, STORED
from loadstone.hardware.design import BusDesign
from loadstone.hardware.harness.placement import placed, words_needed
from loadstone.hardware.harness.system import CHANCE, WORDS, make_system
from loadstone.hardware.supervisor import ErrorKind
from loadstone.rtl import Instance, Module, Signal, Value, any_of, bit, cat, const, mux, unsigned
from loadstone.rtl.programs import verilator
from loadstone.simulate.hardware.system import SystemRun
from loadstone.simulate.memory import Memory
from system_designs import aside

COUNT = unsigned(32)
LONGEST = 60_000
"""The most cycles of a run, after which it is taken to hang."""


@dataclass(frozen=True, slots=True)
class Troubled:
    """Runs with rows of parameters in turn, of which some may be out of range; all rows come last without faults."""

    design: BusDesign
    timing: Timing
    rows: Sequence[Mapping[str, int]]
    runs: int

    def execute(self, start: Memory, chances: Mapping[str, int]) -> tuple[verilator.Run, Memory]:
        """How it ended, and memory after the last run."""
        good = [row for row in self.rows if self._is_good(row)]
        single, bases = SystemRun(self.design, self.timing, good[-1], start, {}), placed(self.design)
        chosen = self.design.parameters.values()
        held = {port: value for port, value in single.inputs(bases).items() if port not in chosen} | dict(chances)
        words, count = f"system.{WORDS}", words_needed(self.design, bases)
        result = verilator.run(
            self.module(count),
            [held],
            done="all_done",
            limit=100_000_000,
            memories={words: [*single.image(bases), *[0] * count]},
            dumped=[words],
        )
        assert result.finished
        single.read_back(bases, result.memories[words], result.outputs)
        return result, start

    def _is_good(self, row: Mapping[str, int]) -> bool:
        limits = self.design.limits
        return all(limits[name][0] <= value <= limits[name][1] for name, value in row.items())

    def module(self, words: int) -> Module:
        """The module; `all_done` is set after the last run, or when something is wrong."""
        system = make_system(self.design, self.timing, 2 * words, stalls=True, faults=True)
        m = Module("troubled", "Runs hardware on a bus that fails.")
        names = ("read_chance", "write_chance", "abort_chance", "clear_chance")
        chance = {name: m.input(name, unsigned(16)) for name in names}
        run, row = m.register("run", COUNT, reset=0), m.register("row", unsigned(8), reset=0)
        going, noise = m.register("going", bit, reset=0), m.register("noise", STATE, reset=0x51F15E)
        over, calm = m.wire("over", run == self.runs), m.wire("calm", run >= self.runs - len(self.rows))
        runs = m.wire("runs", bit, "a run is not over yet")
        aborts = m.wire("aborts", going & ~calm & (noise[:16] < chance["abort_chance"]))
        clears = m.wire("clears", runs & ~calm & (noise[16:] < chance["clear_chance"]))
        starts = m.wire("starts", ~going & ~over)
        given: dict[str, Value] = {port: self._chosen(name, port, row) for name, port in self.design.parameters.items()}
        given |= {name: mux(calm, const(0), chance[name]) for name in ("read_chance", "write_chance")}
        given |= {"start": starts, "forget": starts, supervisor.ABORT: aborts}
        given |= {supervisor.CLEAR: clears, supervisor.CLEAR_ERROR: const(0)}
        others = {p.name: m.input(p.name, p.bits) for p in system.of_kind("input") if p.name not in given}
        kept = max(k for k, each in enumerate(self.rows) if self._is_good(each))
        given |= aside(self.design, others, row == kept, words)
        inner = m.instance("system", system, {**others, **given})
        ends = m.wire("run_ends", going & inner["ready"])
        m.assign(runs, going & ~inner["ready"])
        last = len(self.rows) - 1
        with m.clocked():
            m.assign(noise, next_random(noise))
            m.assign(going, (going | starts) & ~ends)
            with m.when(ends):
                m.assign(run, (run + 1).wrapped(COUNT))
                m.assign(row, mux(row == last, 0, (row + 1).wrapped(row.bits)))
        bad = any_of(*(row == k for k, each in enumerate(self.rows) if not self._is_good(each)))
        wrong = self._add_checks(m, inner, row, ends, starts, aborts, clears, m.wire("bad_row", bad))
        m.output("all_done", over | (wrong != 0))
        for port in system.of_kind("output"):
            m.output(port.name, inner[port.name])
        return m

    def _add_checks(
        self,
        m: Module,
        inner: Instance,
        row: Signal,
        ends: Signal,
        starts: Signal,
        aborts: Signal,
        clears: Signal,
        bad: Signal,
    ) -> Signal:
        """What was wrong first, by its number; counters of how runs ended. Nothing is left of a run that was reset."""
        kind, place = inner[supervisor.ERROR], inner[supervisor.ERROR_ADDRESS]
        aborted, length = m.register("did_abort", bit, reset=0), m.register("length", COUNT, reset=0)
        cleared = m.register("did_clear", bit, reset=0)
        faults = {name: inner[f"{name}_fault"] for name in ("read", "write")}
        reported = {"read": kind[1], "write": kind[2]}
        faulty = [
            reported[name] & ((fault[1] == 0) | (fault[0] != kind[0]) | (place != inner[f"{name}_fault_address"]))
            for name, fault in faults.items()
        ]
        injected = faults["read"][1] | faults["write"][1]
        broken = [
            inner["bus_error"] != 0,
            length == LONGEST,
            ends & (inner["done"] == cleared),
            ends & ~inner["bus_quiet"],
            ends & injected & (kind == 0) & ~cleared,
            ends & any_of(*faulty),
            ends & ((kind == ErrorKind.PARAMETER) != (bad & ~cleared)),
            ends & inner[supervisor.ABORTED] & ~aborted,
            ends & cleared & ((kind != 0) | inner[supervisor.ABORTED]),
            self._counts_otherwise(m, inner, row, ends & ~cleared & (kind == 0) & ~inner[supervisor.ABORTED]),
            inner["done"] & ~inner["ready"],
        ]
        wrong = m.register("wrong", unsigned(8), reset=0)
        found: Value = const(0, wrong.bits)
        for number, condition in reversed(list(enumerate(broken, 1))):
            found = mux(condition, const(number, wrong.bits), found)
        first = m.wire("found", found)
        with m.clocked():
            m.assign(length, mux(starts, 0, (length + 1).wrapped(COUNT)))
            m.assign(aborted, ~starts & (aborted | aborts))
            m.assign(cleared, ~starts & (cleared | clears))
            with m.when(wrong == 0):
                m.assign(wrong, first)
        m.output("first_wrong", wrong)
        counted = {each.name.lower(): ends & ~cleared & (kind == each) for each in ErrorKind}
        self._count(m, counted | {"aborted": ends & inner[supervisor.ABORTED], "cleared": ends & cleared})
        return wrong

    def _counts_otherwise(self, m: Module, inner: Instance, row: Signal, good: Value) -> Value:
        """Whether a run without an error moves another number of elements than the first such run of its row."""
        moved = cat(inner[LOADED], inner[STORED])
        differs: list[Value] = []
        for number in range(len(self.rows)):
            mine = m.wire(f"good_{number}", good & (row == number))
            known, first = m.register(f"known_{number}", bit, reset=0), m.register(f"moved_{number}", moved.bits)
            with m.clocked(), m.when(mine & ~known):
                m.assign(known, 1)
                m.assign(first, moved)
            differs.append(mine & known & (first != moved))
        return any_of(*differs)

    def _count(self, m: Module, counted: Mapping[str, Value]) -> None:
        """Outputs that count the cycles in which something holds."""
        for name, holds in counted.items():
            count = m.register(f"{name}_count", COUNT, reset=0)
            with m.clocked(), m.when(holds):
                m.assign(count, (count + 1).wrapped(COUNT))
            m.output(f"{name}_runs", count)

    def _chosen(self, name: str, port: str, row: Signal) -> Value:
        """The value of a parameter in a row."""
        kind = self.design.module[port].bits
        found: Value = const(self.rows[-1][name], kind)
        for number, each in enumerate(self.rows[:-1]):
            found = mux(row == number, const(each[name], kind), found)
        return found


CHANCES = {CHANCE: 60, "read_chance": 120, "write_chance": 3000, "abort_chance": 12, "clear_chance": 12}
