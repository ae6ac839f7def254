"""The values that run through the channels of a network, and the memory at both of its ends."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Protocol

from loadstone.model.evaluate import evaluate
from loadstone.model.expression import Variable, walk
from loadstone.model.kernel import Statement
from loadstone.model.types import Number
from loadstone.networks.model import Process
from loadstone.poly.enumeration import Point
from loadstone.simulate.memory import Memory, copied
from loadstone.simulate.networks.program import Actor, Link, Program


class _Contents(Protocol):
    """The values in a channel."""

    def put(self, value: Number, /) -> None:
        """Write the next value."""
        ...

    def take(self, number: int, is_last: bool) -> Number:
        """Read the value of this number, for the last time or not."""
        ...


class _Fifo(deque[Number]):
    """A FIFO: the oldest value is read, whichever is requested."""

    put = deque[Number].append

    def take(self, number: int, is_last: bool) -> Number:
        """The oldest value."""
        del number
        return self.popleft() if is_last else self[0]


class _Cells:
    """Cells from which values are read in any order."""

    def __init__(self) -> None:
        self._values: dict[int, Number] = {}
        self._count = 0

    def put(self, value: Number) -> None:
        """Write the next value."""
        self._values[self._count] = value
        self._count += 1

    def take(self, number: int, is_last: bool) -> Number:
        """The value of this number."""
        return self._values.pop(number) if is_last else self._values[number]


def _contents(link: Link) -> _Contents:
    return _Fifo() if link.is_ordered else _Cells()


class ChannelData:
    """The values in all channels and in the memory; loads see the memory as it was at the beginning."""

    def __init__(self, program: Program, memory: Memory) -> None:
        kernel = program.network.tiles.kernel
        self._initial, self._final = copied(memory), memory
        self._contents = [_contents(link) for link in program.links]
        self._bodies = {s.name: _Body(s, program.parameters, self._initial) for s in kernel.statements}
        self._arrays = {end: c.array for c in program.network.channels for end in (c.producer, c.consumer)}

    def move(self, actor: Actor, place: int) -> None:
        """Run an instance: take what it reads, compute, and hand on what it writes."""
        taken: dict[int, Number] = {}
        for channel, position, value, is_last in actor.reads[place]:
            taken[position] = self._contents[channel].take(value, is_last)
        result = self._result(actor.process, actor.instances[place], taken)
        for channel, _, forwarded in actor.writes[place]:
            self._contents[channel].put(result if forwarded is None else taken[forwarded])

    def _result(self, process: Process, instance: Point, taken: Mapping[int, Number]) -> Number:
        """What an instance computes, loads or stores."""
        match process.kind:
            case "load":
                return self._initial[self._arrays[process.name]][instance]
            case "store":
                self._final[self._arrays[process.name]][instance] = taken[0]
                return taken[0]
            case "compute":
                return self._bodies[process.name].value(instance, taken)


class _Body:
    """The right-hand side of a statement; operands that no channel brings are arguments of the kernel."""

    def __init__(self, statement: Statement, parameters: Mapping[str, int], initial: Memory) -> None:
        scalars = (initial[read.array] for read in statement.reads)
        self._statement = statement
        self._parameters = parameters
        self._arguments = [buffer[()] if not buffer.extents else 0 for buffer in scalars]
        self._has_variables = any(isinstance(part, Variable) for part in walk(statement.value))

    def value(self, instance: Point, taken: Mapping[int, Number]) -> Number:
        """The value for an instance and the operands that its channels bring."""
        operands = self._arguments.copy()
        for position, operand in taken.items():
            operands[position] = operand
        variables = {**self._parameters, **self._iterators(instance)} if self._has_variables else self._parameters
        return evaluate(self._statement.value, variables, operands)

    def _iterators(self, instance: Point) -> dict[str, int]:
        return dict(zip(self._statement.iterators, instance, strict=True))
