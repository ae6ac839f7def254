"""Hardware of kernels in simulators: memories filled from those of the kernel, and read back after the run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from loadstone.errors import Diagnostic, RunFailed, ToolError
from loadstone.hardware.harness.cycle_limits import MOST_CYCLES
from loadstone.hardware.layout import memory_words
from loadstone.hardware.on_chip import OnChipDesign
from loadstone.hardware.words import decoded, encoded
from loadstone.rtl.programs import ghdl, icarus, verilator
from loadstone.rtl.vectors import Cycle, Session
from loadstone.simulate.memory import Memory

OnChipSimulator = Literal["verilator", "icarus", "ghdl"]


@dataclass(frozen=True, slots=True, eq=False)
class HardwareRun:
    """A design, and what it is run on: values of the parameters, and the contents of arrays, which it changes."""

    design: OnChipDesign
    parameters: Mapping[str, int]
    memory: Memory

    def execute(self, simulator: OnChipSimulator, vcd: Path | None = None) -> int:
        """The cycles from the start to the end of a run."""
        if simulator == "verilator":
            return self._in_verilator(vcd)
        return self._through_ports(simulator, vcd)

    def _in_verilator(self, vcd: Path | None) -> int:
        """Memories are filled and read directly."""
        design = self.design
        loaded = {path: self._words(name) for name, paths in design.words.items() for path in paths}
        first = [paths[0] for paths in design.words.values()]
        result = verilator.run(
            design.module, self.starting(), done="done", limit=MOST_CYCLES, memories=loaded, dumped=first, vcd=vcd
        )
        _check_end(design, result.finished, result.outputs)
        for name, paths in design.words.items():
            self._read_back(name, result.memories[paths[0]])
        self._scalars_back(result.outputs)
        return result.cycles - 1

    def _through_ports(self, simulator: OnChipSimulator, vcd: Path | None) -> int:
        """Memories are filled and read through the ports for it."""
        design = self.design
        reads = list(_addresses(design))
        session = Session([*self.filling(), *self.starting()], "done", MOST_CYCLES, [*reads, *[reads[-1]] * 2])
        result = (icarus if simulator == "icarus" else ghdl).run(design.module, session, vcd)
        _check_end(design, result.finished, result.rows[0])
        for name, port in design.arrays.items():
            latency = design.compute.memories.latency
            found = [row[port.word] for row in result.rows[latency : latency + design.compute.stores[name].depth]]
            self._read_back(name, found)
        self._scalars_back(result.rows[0])
        return result.waited + 1

    def starting(self) -> list[Cycle]:
        """The cycle of the start, and the inputs after it."""
        design = self.design
        values = {port: self.parameters[name] for name, port in design.parameters.items()}
        scalars = {
            port: encoded(self.memory[name].cells[0], design.compute.stores[name].element)
            for name, port in design.scalars_in.items()
        }
        quiet = {port.write: 0 for port in design.arrays.values()}
        return [{**quiet, **values, **scalars, "start": 1}, {"start": 0}]

    def _words(self, name: str) -> list[int]:
        """The words of an array's memory."""
        store, buffer = self.design.compute.stores[name], self.memory[name]
        return list(memory_words(store, buffer.extents, buffer.cells))

    def filling(self) -> Iterator[Cycle]:
        """Writes all words of all arrays, an address in each cycle."""
        design = self.design
        words = {name: self._words(name) for name in design.arrays}
        for address in range(max((len(each) for each in words.values()), default=0)):
            cycle: dict[str, int] = {}
            for name, port in design.arrays.items():
                inside = address < len(words[name])
                cycle |= {port.write: int(inside), port.address: address if inside else 0}
                cycle[port.data] = words[name][address] if inside else 0
            yield cycle

    def _read_back(self, name: str, words: list[int]) -> None:
        store, buffer = self.design.compute.stores[name], self.memory[name]
        buffer.cells[:] = [decoded(words[place], store.element) for place in store.places(buffer.extents)]

    def _scalars_back(self, outputs: Mapping[str, int]) -> None:
        for name, port in self.design.scalars_out.items():
            self.memory[name].cells[:] = [decoded(outputs[port], self.design.compute.stores[name].element)]


def _addresses(design: OnChipDesign) -> Iterator[Cycle]:
    """All addresses of all arrays, one in each cycle."""
    depths = {port.address: design.compute.stores[name].depth for name, port in design.arrays.items()}
    for address in range(max(depths.values(), default=1)):
        yield {port: min(address, depth - 1) for port, depth in depths.items()}


def _check_end(design: OnChipDesign, finished: bool, outputs: Mapping[str, int]) -> None:
    if finished and outputs["error"]:
        raise RunFailed(Diagnostic(f"the hardware of '{design.module.name}' refused to start: parameter out of range"))
    if not finished:
        raise ToolError(Diagnostic(f"the hardware of '{design.module.name}' did not end in {MOST_CYCLES} cycles"))
