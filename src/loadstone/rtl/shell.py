"""The outermost module of a design: what is inside, with clock, reset and ports as those expect who integrate it.

Inside, every module has the clock `clk`, and the reset `rst`, which is synchronous and active high. A shell gives both
the names and the level that a bus wants, its ports are `std_logic_vector` in VHDL, and they may have attributes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from loadstone.rtl.module import Module
from loadstone.rtl.types import Bits

Attributes = Mapping[str, Mapping[str, str]]
"""Attributes of ports: their values by port and by name."""
Constants = Mapping[str, tuple[Bits, int]]
"""Outputs that never change: their types and values."""


@dataclass(frozen=True, slots=True)
class Clocking:
    """The names of clock and reset, and whether the reset is active when it is low."""

    clock: str = "clk"
    reset: str = "rst"
    low: bool = False


class Shell(Module):
    """A module around another one: further outputs are constant, further inputs are ignored."""

    def __init__(
        self,
        name: str,
        inner: Module,
        clocking: Clocking,
        constants: Constants,
        ignored: Mapping[str, Bits],
        attributes: Attributes,
    ) -> None:
        super().__init__(name, inner.comment)
        self.inner, self.clocking, self.constants, self.attributes = inner, clocking, constants, attributes
        inputs = {port.name: self.input(port.name, port.bits, port.comment) for port in inner.of_kind("input")}
        outputs = {port.name: self.output(port.name, port.bits, port.comment) for port in inner.of_kind("output")}
        for port, type in ignored.items():
            self.input(port, type, "ignored")
        content = self.instance("content", inner, inputs)
        for port, signal in outputs.items():
            self.assign(signal, content[port])
        for port, (type, value) in constants.items():
            self.assign(self.output(port, type), value)

    def twin(self, name: str, inside: Mapping[Module, Module]) -> Self:
        """The same shell under another name, around another module."""
        found = super().twin(name, inside)
        found.inner = inside[self.inner]
        return found
