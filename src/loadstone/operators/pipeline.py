"""Pipelines: values flow through stages, and the registers between stages are made where values cross them.

>>> from loadstone.rtl import Simulation, unsigned
>>> p = Pipeline("squares", "a * a + b")
>>> a, b = p.operand("a", unsigned(8)), p.operand("b", unsigned(8))
>>> p.stage("Square.")
>>> square = p.wire("square", a * a)
>>> p.stage("Add b of the same pair.")
>>> operator = p.finished(square + b)
>>> operator.latency
2
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import ParamSpec, cast

from loadstone.rtl import Bits, Module, Signal, Value, bit
from loadstone.rtl.expressions import Concat

P = ParamSpec("P")


@dataclass(frozen=True, slots=True, eq=False)
class Operator:
    """A module with the inputs `ce` and operands, and the output `result`.

    It takes operands in every cycle with `ce` set, and gives their result after `latency` such cycles; all of it holds
    still in other cycles.
    """

    module: Module
    latency: int


def shared(make: Callable[P, Operator]) -> Callable[P, Operator]:
    """The function, which gives one operator for the same arguments, so that a hierarchy holds its module once."""
    return cast(Callable[P, Operator], cache(make))


@dataclass(slots=True)
class _Stage:
    """Wires of a stage, and the registers at its end."""

    comment: str
    wires: list[tuple[Signal, Value]] = field(default_factory=list[tuple[Signal, Value]])
    registers: list[tuple[Signal, Value]] = field(default_factory=list[tuple[Signal, Value]])


class Pipeline:
    """An operator while it is described, stage after stage.

    A value with a name belongs to the stage in which it gets it. An expression in a later stage that uses it reads it
    from registers, which are made then: `x_3` is `x` as it arrives in stage 3.
    """

    def __init__(self, name: str, comment: str) -> None:
        self._module = Module(name, comment)
        self._enable = self._module.input("ce", bit, "the pipeline moves")
        self._stages: list[_Stage] = []
        self._origins: dict[Signal, int] = {}
        self._delayed: dict[tuple[Signal, int], Signal] = {}

    def operand(self, name: str, type: Bits, comment: str = "") -> Signal:
        """A new input, for the first stage."""
        signal = self._module.input(name, type, comment)
        self._origins[signal] = 1
        return signal

    def stage(self, comment: str) -> None:
        """Begins the next stage."""
        self._stages.append(_Stage(comment))

    def wire(self, name: str, value: Value) -> Signal:
        """A named value of this stage."""
        source = self._moved(value)
        signal = self._module.wire(self._module.fresh(name), value.bits)
        self._stages[-1].wires.append((signal, source))
        self._origins[signal] = len(self._stages)
        return signal

    def finished(self, result: Value) -> Operator:
        """The operator that gives a value of the last stage; without any stage, at once."""
        if self._stages:
            outcome = result if isinstance(result, Signal) else self.wire("outcome", result)
            result = self._at(outcome, len(self._stages) + 1)
        for number, stage in enumerate(self._stages, 1):
            self._write(f"Stage {number}: {stage.comment}", stage)
        self._module.output("result", result)
        return Operator(self._module, len(self._stages))

    def _write(self, heading: str, stage: _Stage) -> None:
        """Puts a stage into the module."""
        self._module.section(heading)
        for wire, value in stage.wires:
            self._module.assign(wire, value)
        with self._module.clocked(), self._module.when(self._enable):
            for register, value in stage.registers:
                self._module.assign(register, value)

    def _moved(self, value: Value) -> Value:
        """An expression over values as they arrive in this stage."""
        if isinstance(value, Signal):
            return self._at(value, len(self._stages))
        if isinstance(value, Concat):
            return replace(value, parts=tuple(map(self._moved, value.parts)))
        parts = {part.name: getattr(value, part.name) for part in fields(value)}
        return replace(value, **{name: self._moved(part) for name, part in parts.items() if isinstance(part, Value)})

    def _at(self, signal: Signal, stage: int) -> Signal:
        """A value as it arrives in a stage."""
        if stage == self._origins[signal]:
            return signal
        if (signal, stage) not in self._delayed:
            before = self._at(signal, stage - 1)
            register = self._module.register(self._module.fresh(f"{signal.name}_{stage}"), signal.type)
            self._stages[stage - 2].registers.append((register, before))
            self._delayed[signal, stage] = register
        return self._delayed[signal, stage]
