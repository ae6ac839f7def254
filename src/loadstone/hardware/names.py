"""Signals of a module under names that are free, as close to the wished ones as can be."""

from __future__ import annotations

from collections.abc import Iterable

from loadstone.rtl.blocks import Queue, add_queue
from loadstone.rtl.expressions import Const, Operand, Signal, Value
from loadstone.rtl.module import Module
from loadstone.rtl.names import fresh
from loadstone.rtl.types import Bits, bit


class ModuleNames:
    """Names that are free beside others, in small letters and capitals alike."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = {name.lower() for name in taken}

    def fresh(self, wish: str) -> str:
        """A name that nothing else has from now on."""
        name = fresh(wish, self._taken)
        self._taken.add(name.lower())
        return name


class Names(ModuleNames):
    """Makes wires and registers in a module; the names of ports that are declared later are kept free."""

    def __init__(self, module: Module, reserved: Iterable[str] = ()) -> None:
        self.module = module
        super().__init__((module.name, *reserved, *(s.name for s in module.signals)))

    def wire(self, wish: str, value: Value) -> Signal:
        """A wire that has a value."""
        return self.module.wire(self.fresh(wish), value)

    def named(self, wish: str, value: Value) -> Value:
        """The value as a wire, unless it is a signal or a number."""
        return value if isinstance(value, Signal | Const) else self.wire(wish, value)

    def state(self, wish: str, type: Bits = bit, comment: str = "") -> Signal:
        """A register that is 0 after a reset."""
        return self.module.register(self.fresh(wish), type, reset=0, comment=comment)

    def register(self, wish: str, type: Bits, comment: str = "") -> Signal:
        """A register that is not reset."""
        return self.module.register(self.fresh(wish), type, comment=comment)

    def queue(self, wish: str, depth: int, valid: Operand, data: Value, ready: Operand) -> Queue:
        """A queue, whose own module is named after the wish."""
        return add_queue(self.module, self.fresh(wish), depth, valid, data, ready, f"{self.module.name}_{wish}")
