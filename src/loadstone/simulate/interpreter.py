"""The kernel executed in plain Python, every access recorded: the oracle for all that is computed symbolically."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import islpy as isl

from loadstone.model.evaluate import evaluate
from loadstone.model.kernel import Access, Kernel, Statement
from loadstone.model.types import Number
from loadstone.poly import fixed, pairs
from loadstone.simulate.memory import Element, Memory

Instance = tuple[str, tuple[int, ...]]


class Event(NamedTuple):
    """One access: its rank in time, the instance, read or write, the operand position (-1 for the write), element."""

    time: int
    statement: str
    instance: tuple[int, ...]
    is_write: bool
    position: int
    array: str
    element: Element


Trace = list[Event]


def instances_in_order(
    kernel: Kernel, parameters: Mapping[str, int], schedule: isl.UnionMap | None = None
) -> list[Instance]:
    """The statement instances for given parameters in the order of a schedule (by default the original one)."""
    dates: list[tuple[tuple[int, ...], int, Instance]] = []
    order = {statement.name: k for k, statement in enumerate(kernel.statements)}

    def add(part: isl.Map) -> None:
        name = part.get_tuple_name(isl.dim_type.in_)
        dates.extend((date, order[name], (name, point)) for point, date in pairs(part))

    fixed(schedule or kernel.schedule, parameters).foreach_map(add)
    return [instance for _, _, instance in sorted(dates)]


def execute(
    kernel: Kernel, parameters: Mapping[str, int], memory: Memory, schedule: isl.UnionMap | None = None
) -> Trace:
    """Run the kernel on a memory, which it changes; returns every access in order of time."""
    trace: Trace = []
    statements = {statement.name: statement for statement in kernel.statements}
    for time, (name, point) in enumerate(instances_in_order(kernel, parameters, schedule)):
        _Running(statements[name], point, time, parameters, memory, trace).run()
    return trace


def run_instance(statement: Statement, point: tuple[int, ...], parameters: Mapping[str, int], memory: Memory) -> None:
    """Run one instance of a statement on a memory, which it changes."""
    _Running(statement, point, 0, parameters, memory, []).run()


class _Running(Sequence[Number]):
    """One instance at work; as a sequence, the values of its reads, each read from memory when it is first needed."""

    def __init__(
        self,
        statement: Statement,
        point: tuple[int, ...],
        time: int,
        parameters: Mapping[str, int],
        memory: Memory,
        trace: Trace,
    ) -> None:
        self._statement = statement
        self._point = point
        self._time = time
        self._variables = {**parameters, **dict(zip(statement.iterators, point, strict=True))}
        self._memory = memory
        self._trace = trace
        self._values: dict[int, Number] = {}

    def run(self) -> None:
        """Evaluate the condition, then the value, and write it."""
        statement = self._statement
        if statement.condition is not None and not evaluate(statement.condition, self._variables, self):
            return
        value = evaluate(statement.value, self._variables, self)
        element = element_of(statement.write, self._variables, self)
        self._memory[statement.write.array][element] = value
        self._note(True, -1, statement.write.array, element)

    def __len__(self) -> int:
        return len(self._statement.reads)

    def __getitem__(self, position: Any) -> Any:
        if position not in self._values:
            self._values[position] = self._fetch(position)
        return self._values[position]

    def _fetch(self, position: int) -> Number:
        access = self._statement.reads[position]
        element = element_of(access, self._variables, self)
        self._note(False, position, access.array, element)
        return self._memory[access.array][element]

    def _note(self, is_write: bool, position: int, array: str, element: Element) -> None:
        self._trace.append(Event(self._time, self._statement.name, self._point, is_write, position, array, element))


def element_of(access: Access, variables: Mapping[str, int], operands: Sequence[Number]) -> Element:
    """The element that an access touches."""
    return tuple(int(evaluate(subscript, variables, operands)) for subscript in access.subscripts)
