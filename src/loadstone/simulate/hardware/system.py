"""Accelerators on an external memory, in Verilator or in Python: filled from arrays of a kernel, and read back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from loadstone.dram.litedram import after_reset, make_litedram
from loadstone.dram.timing import Timing
from loadstone.errors import Diagnostic, RunFailed, ToolError
from loadstone.hardware.accelerator.top import EVENTS
from loadstone.hardware.bus_top import LOADED, STORED
from loadstone.hardware.design import BusDesign
from loadstone.hardware.harness.cycle_limits import MOST_CYCLES
from loadstone.hardware.harness.hosted import IMAGE, OVER, make_hosted
from loadstone.hardware.harness.placement import far, packed, placed, unpacked, words_needed
from loadstone.hardware.harness.system import WORDS, make_system
from loadstone.hardware.layout import memory_words
from loadstone.hardware.supervisor import ERROR, ERROR_ADDRESS, ErrorKind
from loadstone.hardware.words import decoded, encoded
from loadstone.rtl.interpreter import Simulation
from loadstone.rtl.module import Module
from loadstone.rtl.programs import verilator
from loadstone.rtl.vectors import Cycle
from loadstone.simulate.hardware.activity import PROCESSES, Activity
from loadstone.simulate.hardware.waveform import Waveform
from loadstone.simulate.memory import Memory

ExternalMemory = Timing | Literal["litedram"]
"""An external memory: a model with some timing, or a real controller."""


@dataclass(frozen=True, slots=True)
class SystemResult:
    """The cycles of a run, the elements that the accelerator moved, and what the memory counted.

    What a memory does not count is None.
    """

    cycles: int
    loaded: int
    stored: int
    words_read: int
    words_written: int
    row_hits: int | None
    row_changes: int | None
    busy_cycles: int | None
    activities: tuple[Activity, ...]


@dataclass(frozen=True, slots=True)
class Recording:
    """All signals of a run as a VCD file, from its first cycles; `finished`: to its end."""

    vcd: str
    cycles: int
    finished: bool


@dataclass(frozen=True, slots=True, eq=False)
class SystemRun:
    """An accelerator on a memory, and what it is run on: parameters, and the contents of arrays, which it changes.

    `bases` are the byte addresses of variables; variables without one lie one after the other.
    """

    design: BusDesign
    external: ExternalMemory
    parameters: Mapping[str, int]
    memory: Memory
    bases: Mapping[str, int]

    def execute(self, vcd: Path | None = None, limit: int = MOST_CYCLES) -> SystemResult:
        """Runs the accelerator once; a run that takes more cycles than the limit has gone wrong."""
        bases, name = placed(self.design, self.bases), self.design.module.name
        bench = _bench(self.design, self.external, words_needed(self.design, bases))
        result = verilator.run(
            bench.module,
            bench.stimuli(self.inputs(bases)),
            done=bench.done,
            limit=limit,
            memories={bench.words: self.image(bases)},
            dumped=[bench.words],
            vcd=vcd,
            watched=EVENTS if EVENTS in {port.name for port in bench.module.of_kind("output")} else "",
        )
        if not result.finished:
            raise ToolError(Diagnostic(f"'{name}' did not end in {limit} cycles"))
        check_end(name, result.outputs)
        self.read_back(bases, result.memories[bench.words], result.outputs)
        return _outcome(result)

    def record(self, most: int, most_bytes: int) -> Recording:
        """Runs the accelerator in Python, without a compiler, and records all signals.

        Ends after some cycles or bytes of the record, whichever come first; then arrays are left as they are.
        """
        bases, name = placed(self.design, self.bases), self.design.module.name
        bench = _bench(self.design, self.external, words_needed(self.design, bases))
        simulation, image = Simulation(bench.module), self.image(bases)
        simulation.memory(bench.words)[: len(image)] = image
        waveform = Waveform(simulation, bench.module.name)
        for inputs in bench.stimuli(self.inputs(bases)):
            waveform.step(inputs)
        while not simulation.get(bench.done) and waveform.cycles < most and waveform.size < most_bytes:
            waveform.step()
        finished = bool(simulation.get(bench.done))
        outputs = {port.name: simulation.get(port.name) for port in bench.module.of_kind("output")}
        check_end(name, outputs)
        if finished:
            self.read_back(bases, simulation.memory(bench.words), outputs)
        return Recording(waveform.text, waveform.cycles, finished)

    def image(self, bases: Mapping[str, int]) -> list[int]:
        """The words of the memory before the run."""
        design, memory = self.design, self.memory
        elements = {
            each: memory_words(design.external[each], memory[each].extents, memory[each].cells)
            for each in design.element_bytes
        }
        return packed(design, bases, elements)

    def inputs(self, bases: Mapping[str, int]) -> dict[str, int]:
        """The values of parameters, base addresses and scalars, by port."""
        design = self.design
        values = {port: self.parameters[name] for name, port in design.parameters.items()}
        values |= {port: far(design.bus) + bases[name] for name, port in design.bases.items()}
        values |= {
            port: encoded(self.memory[name].cells[0], self.memory[name].type)
            for name, port in design.scalars_in.items()
        }
        return values

    def read_back(self, bases: Mapping[str, int], words: list[int], outputs: Mapping[str, int]) -> None:
        """Takes the contents of arrays and scalars from the words of the memory after the run."""
        design = self.design
        for name, elements in unpacked(design, bases, words).items():
            store, buffer = design.external[name], self.memory[name]
            found = (elements[place] for place in store.places(buffer.extents))
            buffer.cells[:] = [decoded(store.type.wrap(word), store.element) for word in found]
        for name, port in design.scalars_out.items():
            self.memory[name].cells[:] = [decoded(outputs[port], self.memory[name].type)]


def check_end(name: str, outputs: Mapping[str, int]) -> None:
    """Raises an error where a run failed, or broke a rule of its bus."""
    if outputs["bus_error"]:
        raise ToolError(Diagnostic(f"'{name}' broke rule {outputs['bus_error']} of its bus"))
    if outputs[ERROR]:
        kind = ErrorKind(outputs[ERROR])
        place = "" if kind is ErrorKind.PARAMETER else f" at address 0x{outputs[ERROR_ADDRESS]:x}"
        raise RunFailed(Diagnostic(f"the run of '{name}' failed: {kind.described}{place}"))


@dataclass(frozen=True, slots=True, eq=False)
class _Bench:
    """A module with an accelerator and a memory: the path of the words, and the output that ends a run."""

    module: Module
    words: str
    done: str

    def stimuli(self, inputs: Mapping[str, int]) -> list[Cycle]:
        """What is given in the first cycles of a run."""
        if self.done == OVER:
            return [*after_reset(inputs)]
        return [{**inputs, "start": 1}, {"start": 0}]


def _bench(design: BusDesign, external: ExternalMemory, depth: int) -> _Bench:
    if external == "litedram":
        return _Bench(make_hosted(design, make_litedram(), depth), IMAGE, OVER)
    return _Bench(make_system(design, external, depth), WORDS, "done")


def _outcome(result: verilator.Run) -> SystemResult:
    found = result.outputs
    return SystemResult(
        cycles=found.get("run_cycles", result.cycles - 1),
        loaded=found[LOADED],
        stored=found[STORED],
        words_read=found["words_read"],
        words_written=found["words_written"],
        row_hits=found.get("row_hits"),
        row_changes=found.get("row_changes"),
        busy_cycles=found.get("busy_cycles"),
        activities=tuple(_activities(result.events)),
    )


def _activities(events: Sequence[tuple[int, int]]) -> Iterator[Activity]:
    """What the processes did: each tile of each of them, from the cycle after the start."""
    first = events[0][0] if events else 0
    for number, process in enumerate(reversed(PROCESSES)):
        begins = [cycle - first for cycle, event in events if event >> len(PROCESSES) + number & 1]
        ends = [cycle - first for cycle, event in events if event >> number & 1]
        yield from (Activity(process, tile, *times) for tile, times in enumerate(zip(begins, ends, strict=True)))
