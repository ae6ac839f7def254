"""Values that arrive in stages of a pipeline: registers carry them to the later stages in which they are used.

>>> from loadstone.rtl import unsigned
>>> m = Module("squares", "a * a + b, a cycle later.")
>>> stages = Stages(m)
>>> a, b = (stages.arrives(m.input(name, unsigned(8)), 0) for name in "ab")
>>> square = stages.wire("square", a * a, 0)
>>> result = m.output("result", stages.moved(square + b, 1))
>>> stages.write()
>>> [register.name for register in m.of_kind("register")]
['square_1', 'b_1']
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace

from loadstone.rtl import Module, Signal, Value
from loadstone.rtl.expressions import Concat


@dataclass(slots=True)
class _Stage:
    """Wires of a stage, and the registers at its end."""

    wires: list[tuple[Signal, Value]] = field(default_factory=list[tuple[Signal, Value]])
    registers: list[tuple[Signal, Value]] = field(default_factory=list[tuple[Signal, Value]])


class Stages:
    """The values of a module by the stages in which they arrive. `x_3` is the value `x` in stage 3.

    Signals that never arrived are the same in all stages. What is made is put into the module by `write`.
    """

    def __init__(self, module: Module) -> None:
        self._module = module
        self._stages: dict[int, _Stage] = {}
        self._origins: dict[Signal, int] = {}
        self._resets: set[Signal] = set()
        self._delayed: dict[tuple[Signal, int], Signal] = {}

    def arrives(self, signal: Signal, stage: int, *, resets: bool = False) -> Signal:
        """The signal, which is there in a stage; with `resets` it is 0 in later stages after a reset."""
        self._origins[signal] = stage
        if resets:
            self._resets.add(signal)
        return signal

    def wire(self, wish: str, value: Value, stage: int) -> Signal:
        """A named value of a stage."""
        source = self.moved(value, stage)
        signal = self._module.wire(self._module.fresh(wish), value.type)
        self._stage(stage).wires.append((signal, source))
        return self.arrives(signal, stage)

    def moved(self, value: Value, stage: int) -> Value:
        """An expression over values as they are in a stage."""
        if isinstance(value, Signal):
            return self.at(value, stage)
        if isinstance(value, Concat):
            return replace(value, parts=tuple(self.moved(part, stage) for part in value.parts))
        parts = {part.name: getattr(value, part.name) for part in fields(value)}
        return replace(
            value, **{name: self.moved(part, stage) for name, part in parts.items() if isinstance(part, Value)}
        )

    def at(self, signal: Signal, stage: int) -> Signal:
        """A value as it is in a stage."""
        if self._origins.get(signal, stage) == stage:
            return signal
        if (signal, stage) not in self._delayed:
            before = self.at(signal, stage - 1)
            reset = 0 if signal in self._resets else None
            register = self._module.register(self._module.fresh(f"{signal.name}_{stage}"), signal.type, reset)
            self._stage(stage - 1).registers.append((register, before))
            self._delayed[signal, stage] = register
        return self._delayed[signal, stage]

    def write(self, enable: Value | None = None, headings: dict[int, str] | None = None) -> None:
        """Puts the stages into the module; the registers at their ends hold still where `enable` is not set."""
        for number in sorted(self._stages):
            self._module.section((headings or {}).get(number, f"Stage {number}"))
            self._write(self._stages[number], enable)

    def _write(self, stage: _Stage, enable: Value | None) -> None:
        for wire, value in stage.wires:
            self._module.assign(wire, value)
        with self._module.clocked():
            if enable is None:
                self._assign_registers(stage)
            else:
                with self._module.when(enable):
                    self._assign_registers(stage)

    def _assign_registers(self, stage: _Stage) -> None:
        for register, value in stage.registers:
            self._module.assign(register, value)

    def _stage(self, number: int) -> _Stage:
        return self._stages.setdefault(number, _Stage())
