"""Accelerators with their external memory in Verilator: memory filled from the kernel's arrays, and read back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from loadstone.dram.timing import Timing
from loadstone.emit.hdl_vectors import memory_words
from loadstone.errors import ToolError
from loadstone.hardware.accelerator import LOADED, STORED, AcceleratorDesign
from loadstone.hardware.arithmetic import decoded, encoded
from loadstone.hardware.system import STATISTICS, WORDS, make_system
from loadstone.rtl import verilator
from loadstone.simulate.hardware import LONGEST
from loadstone.simulate.memory import Memory

PAGE = 4096
"""Arrays start at multiples of so many bytes, unless a base is given."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The cycles of a run, the elements that the accelerator moved, and what the memory counted."""

    cycles: int
    loaded: int
    stored: int
    row_hits: int
    row_changes: int
    busy_cycles: int
    words_read: int
    words_written: int


@dataclass(frozen=True, slots=True, eq=False)
class SystemRun:
    """An accelerator on a memory, and what it is run on: parameters, and the contents of arrays, which it changes.

    `bases` are the byte addresses of arrays; those that are not given lie one after the other.
    """

    design: AcceleratorDesign
    timing: Timing
    parameters: Mapping[str, int]
    memory: Memory
    bases: Mapping[str, int]

    def execute(self, vcd: Path | None = None) -> Outcome:
        """Runs the accelerator once."""
        bases = self.placed()
        depth = self.depth(bases)
        module = make_system(self.design, self.timing, depth)
        given = self.image(bases, depth)
        result = verilator.run(
            module,
            [{**self.inputs(bases), "start": 1}, {"start": 0}],
            done="done",
            limit=LONGEST,
            memories={WORDS: given},
            dumped=[WORDS],
            vcd=vcd,
        )
        if not result.finished:
            raise ToolError(f"error: '{self.design.module.name}' did not end in {LONGEST} cycles")
        if result.outputs["bus_error"]:
            raise ToolError(f"error: '{self.design.module.name}' broke rule {result.outputs['bus_error']} of its bus")
        self.read_back(bases, result.memories[WORDS], result.outputs)
        return Outcome(result.cycles - 1, *(result.outputs[name] for name in (LOADED, STORED, *STATISTICS)))

    def placed(self) -> dict[str, int]:
        """The byte addresses of all arrays."""
        found, free = dict(self.bases), max((self._end(name, at) for name, at in self.bases.items()), default=0)
        for name in self.design.bases:
            if name not in found:
                found[name] = -(-free // PAGE) * PAGE
                free = self._end(name, found[name])
        return found

    def _end(self, name: str, base: int) -> int:
        return base + self.design.outside[name].depth * self.design.element_bytes[name]

    def depth(self, bases: Mapping[str, int]) -> int:
        """The words of a memory that holds all arrays, a power of two."""
        end = max((self._end(name, at) for name, at in bases.items()), default=0)
        return 1 << max(1, (-(-end // self.design.bus.bytes) - 1).bit_length())

    def image(self, bases: Mapping[str, int], depth: int) -> list[int]:
        """The words of the memory before the run."""
        width = self.design.bus.bytes
        data = bytearray(depth * width)
        for name, base in bases.items():
            buffer, size = self.memory[name], self.design.element_bytes[name]
            words = memory_words(self.design.outside[name], buffer.extents, buffer.cells)
            mask = (1 << 8 * size) - 1
            data[base : base + size * len(words)] = b"".join((word & mask).to_bytes(size, "little") for word in words)
        return [int.from_bytes(data[at : at + width], "little") for at in range(0, len(data), width)]

    def inputs(self, bases: Mapping[str, int]) -> dict[str, int]:
        """The values of parameters, base addresses and scalars, by port."""
        design = self.design
        values = {port: self.parameters[name] for name, port in design.parameters.items()}
        values |= {port: bases[name] for name, port in design.bases.items()}
        values |= {
            port: encoded(self.memory[name].cells[0], self.memory[name].type)
            for name, port in design.scalars_in.items()
        }
        return values

    def read_back(self, bases: Mapping[str, int], words: list[int], outputs: Mapping[str, int]) -> None:
        """Takes the contents of arrays and scalars from the words of the memory after the run."""
        design = self.design
        data = b"".join(word.to_bytes(design.bus.bytes, "little") for word in words)
        for name, base in bases.items():
            store, buffer, size = design.outside[name], self.memory[name], design.element_bytes[name]
            places = (base + size * place for place in store.places(buffer.extents))
            found = (int.from_bytes(data[at : at + size], "little") for at in places)
            buffer.cells[:] = [decoded(store.type.wrap(word), store.element) for word in found]
        for name, port in design.scalars_out.items():
            self.memory[name].cells[:] = [decoded(outputs[port], self.memory[name].type)]
