"""Where elements lie: cells of an element or a line each, arrays one after the other, row by row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod

from loadstone.model.evaluate import evaluate
from loadstone.model.kernel import Kernel
from loadstone.simulate.memory import Element


@dataclass(frozen=True, slots=True)
class Region:
    """The cells of one array: `first` is the number of its first one, `line` how many elements a cell holds."""

    array: str
    extents: tuple[int, ...]
    first: int
    line: int

    @property
    def cells(self) -> int:
        """The number of cells."""
        return -(-prod(self.extents) // self.line)

    def cell(self, element: Element) -> int:
        """The cell of an element."""
        address = 0
        for index, extent in zip(element, self.extents, strict=True):
            address = address * extent + index
        return self.first + address // self.line


def layout(kernel: Kernel, parameters: Mapping[str, int], line: int) -> dict[str, Region]:
    """The regions of all arrays; each begins with a cell of its own."""
    return {region.array: region for region in _regions(kernel, parameters, line)}


def _regions(kernel: Kernel, parameters: Mapping[str, int], line: int) -> Iterator[Region]:
    first = 0
    for array in kernel.arrays.values():
        extents = tuple(max(0, int(evaluate(extent, parameters, ()))) for extent in array.extents)
        region = Region(array.name, extents, first, line)
        first += region.cells
        yield region
