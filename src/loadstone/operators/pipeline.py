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

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ParamSpec, cast

from loadstone.operators.stages import Stages
from loadstone.rtl import Bits, Module, Signal, Value, bit

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


class Pipeline:
    """An operator while it is described, stage after stage.

    A value with a name belongs to the stage in which it gets it. An expression in a later stage that uses it reads it
    from registers, which are made then: `x_3` is `x` as it arrives in stage 3.
    """

    def __init__(self, name: str, comment: str) -> None:
        self._module = Module(name, comment)
        self._enable = self._module.input("ce", bit, "the pipeline moves")
        self._stages = Stages(self._module)
        self._headings: dict[int, str] = {}

    def operand(self, name: str, type: Bits, comment: str = "") -> Signal:
        """A new input, for the first stage."""
        return self._stages.arrives(self._module.input(name, type, comment), 1)

    def stage(self, comment: str) -> None:
        """Begins the next stage."""
        number = len(self._headings) + 1
        self._headings[number] = f"Stage {number}: {comment}"

    def wire(self, name: str, value: Value) -> Signal:
        """A named value of this stage."""
        return self._stages.wire(name, value, len(self._headings))

    def table(self, name: str, words: Sequence[int], type: Bits, address: Value) -> Signal:
        """A word of a table for the next stage, by its address in this one; the address has as many bits as it must."""
        stage = len(self._headings)
        memory = self._module.memory(name, type, len(words), initial=words)
        word = memory.read(self._stages.moved(address, stage), self._enable, self._module.fresh(f"{name}_word"))
        return self._stages.arrives(word, stage + 1)

    def finished(self, result: Value) -> Operator:
        """The operator that gives a value of the last stage; without any stage, at once."""
        latency = len(self._headings)
        if latency:
            outcome = result if isinstance(result, Signal) else self.wire("outcome", result)
            result = self._stages.at(outcome, latency + 1)
        self._stages.write(self._enable, self._headings)
        self._module.output("result", result)
        return Operator(self._module, latency)
