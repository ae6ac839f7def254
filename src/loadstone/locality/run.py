"""What is measured: a kernel in an order, its parameters, and what counts as an element."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from loadstone.locality.layout import Region, layout
from loadstone.locality.order import Order
from loadstone.locality.references import Reference
from loadstone.model.kernel import Kernel

DIVISION_HINT = "inputs are generated: try another --seed"


@dataclass(frozen=True, eq=False)
class Run:
    """An execution to count in.

    `references`: the counted references. Reuses of at least `size` cells are tallied as long. A cell holds `line`
    elements. `seed` chooses the inputs.
    """

    order: Order
    parameters: Mapping[str, int]
    references: tuple[Reference, ...]
    size: int
    line: int
    seed: int

    @property
    def kernel(self) -> Kernel:
        """The kernel that runs."""
        return self.order.kernel

    @cached_property
    def regions(self) -> dict[str, Region]:
        """The cells of the arrays."""
        return layout(self.kernel, self.parameters, self.line)

    @property
    def cells(self) -> int:
        """The number of all cells."""
        return sum(region.cells for region in self.regions.values())

    @cached_property
    def numbers(self) -> dict[tuple[str, int], int]:
        """The numbers of the references, by statement and operand position."""
        return {(r.statement, r.position): k for k, r in enumerate(self.references)}

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """The dimensions of dates by which reuses are told apart."""
        return self.order.varying
