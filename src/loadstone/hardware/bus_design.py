"""What all hardware on a bus has: whole accelerators, direct implementations, process networks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from loadstone.bus.ports import Bus
from loadstone.hardware.layout import Stores
from loadstone.loops.ranges import Limits
from loadstone.rtl.module import Module


class BusDesign(Protocol):
    """Hardware on a bus: its top module, and which of its ports are for what.

    Other ports are `start`, `ready`, `done`, those of the bus and of the supervisor, and counts of elements that were
    moved. Arrays lie in external memory as `outside` says, each element in `element_bytes` of its array.
    """

    @property
    def module(self) -> Module:
        """The top module."""
        ...

    @property
    def bus(self) -> Bus:
        """The bus."""
        ...

    @property
    def limits(self) -> Mapping[str, Limits]:
        """The ranges of parameters for which it is made."""
        ...

    @property
    def outside(self) -> Stores:
        """How arrays lie in external memory."""
        ...

    @property
    def element_bytes(self) -> Mapping[str, int]:
        """The bytes of an element, by array."""
        ...

    @property
    def parameters(self) -> Mapping[str, str]:
        """The ports for parameters."""
        ...

    @property
    def scalars_in(self) -> Mapping[str, str]:
        """The ports for scalars before a run."""
        ...

    @property
    def scalars_out(self) -> Mapping[str, str]:
        """The ports for scalars after a run."""
        ...

    @property
    def bases(self) -> Mapping[str, str]:
        """The ports for the byte addresses of arrays."""
        ...
