"""What an accelerator moves and holds, for pages on its flows: words and bytes, local buffers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod

from loadstone.loops.accelerator import Accelerator, words_of_arrays
from loadstone.parallel.banks import Banking


@dataclass(frozen=True, slots=True)
class Moved:
    """The elements of an array that a run loads and stores, and the bytes of an element."""

    array: str
    element_bytes: int
    loaded: int
    stored: int

    @property
    def bytes(self) -> int:
        """The bytes that are moved."""
        return self.element_bytes * (self.loaded + self.stored)


@dataclass(frozen=True, slots=True)
class Local:
    """A local buffer: the shape of a copy, the cells and bits of all copies, and their number."""

    array: str
    shape: tuple[int, ...]
    cells: int
    copies: int
    bits: int


@dataclass(frozen=True, slots=True)
class Figures:
    """A run of an accelerator with some parameters."""

    parameters: Mapping[str, int]
    moved: tuple[Moved, ...]
    buffers: tuple[Local, ...]

    @property
    def bytes(self) -> int:
        """The bytes that a run moves."""
        return sum(each.bytes for each in self.moved)

    @property
    def words(self) -> tuple[int, int]:
        """The elements that a run loads and stores."""
        return sum(each.loaded for each in self.moved), sum(each.stored for each in self.moved)


def figures_of(
    accelerator: Accelerator, parameters: Mapping[str, int], banking: Mapping[str, Banking] | None = None
) -> Figures:
    """The figures of an accelerator for values of all parameters; local memories may have banks."""
    buffers = _buffers(accelerator, parameters, banking or {})
    return Figures(parameters, tuple(_moved(accelerator, parameters)), tuple(buffers))


def _moved(accelerator: Accelerator, parameters: Mapping[str, int]) -> Iterator[Moved]:
    words = words_of_arrays(accelerator, parameters)
    for array in accelerator.transferred:
        yield Moved(array.name, array.type.storage.bits // 8, *words[array.name])


def _buffers(
    accelerator: Accelerator, parameters: Mapping[str, int], banking: Mapping[str, Banking]
) -> Iterator[Local]:
    for name, buffer in accelerator.buffers.items():
        banks = banking.get(name)
        shape = tuple(buffer.shape(parameters)) if banks is None else (*banks.shape(parameters), banks.count)
        cells = buffer.copies * max(1, prod(shape))
        yield Local(name, shape, cells, buffer.copies, accelerator.kernel.arrays[name].type.bits * cells)
