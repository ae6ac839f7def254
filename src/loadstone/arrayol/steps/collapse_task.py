"""Collapse a compound task that holds one task: its repetitions and those inside become one repetition space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from loadstone.arrayol.change import Change, Move, find_task, with_task
from loadstone.arrayol.tilers import column, composed, with_repetition
from loadstone.frontend.arrayol.flat import Stage
from loadstone.frontend.arrayol.specification import Port, Specification, Task
from loadstone.frontend.arrayol.subscripts import leaves_shape
from loadstone.transform.loop_names import StepError

Pair = tuple[int, int]
"""A dimension of the outer repetition, and the dimension of the inner one that counts within it."""


@dataclass(frozen=True, slots=True)
class CollapseTask:
    """Take a level of hierarchy away: the reverse of `tile-task`.

        pair:
          repetition: [4]
          inputs:
            x: {array: a, pattern: [2], paving: [[2]]}
          outputs:
            y: {array: b, pattern: [2], paving: [[2]]}
          tasks:
            one:
              repetition: [2]
              inputs:
                u: {array: x, pattern: [], paving: [[1]]}
              outputs:
                v: {array: y, pattern: [], paving: [[1]]}

    collapse-task pair

        pair:
          repetition: [8]
          inputs:
            u: {array: a, pattern: [], paving: [[1]]}
          outputs:
            v: {array: b, pattern: [], paving: [[1]]}
    """

    task: str
    usage: ClassVar[str] = "collapse-task TASK"

    def applied(self, specification: Specification) -> Change:
        """The specification with the inner task alone."""
        path, task = find_task(specification, self.task)
        if len(task.tasks) != 1 or task.arrays:
            hint = "a compound task with one task inside, and without arrays, can be collapsed"
            raise StepError(f"{task.name} does not hold one task alone", self.task, hint)
        inner = task.tasks[0]
        around = {port.name: port for port in (*task.inputs, *task.outputs)}
        inputs = tuple(self._composed(port, around, inner) for port in inner.inputs)
        outputs = tuple(self._composed(port, around, inner) for port in inner.outputs)
        pairs = _mergeable(task, inner, (*inputs, *outputs))
        whole = _merged(replace(inner, name=task.name, inputs=inputs, outputs=outputs), task, pairs)
        return Change(with_task(specification, path, whole), (_move(path, task, inner, pairs),))

    def _composed(self, port: Port, around: dict[str, Port], inner: Task) -> Port:
        outer, tiler = around[port.array], port.tiler
        stage = Stage(tiler.origin, tiler.paving, tiler.fitting, outer.tiler.pattern, tiler.wraps)
        if leaves_shape(stage, inner.repetition, tiler.pattern):
            raise StepError(f"'{port.name}' of {inner.name} wraps around in a pattern", self.task, "leave it")
        return replace(port, array=outer.array, tiler=composed(outer.tiler, tiler))


def _mergeable(task: Task, inner: Task, ports: Sequence[Port]) -> tuple[Pair, ...]:
    """Dimensions that count on: blocks of the outer one are as long as the inner one."""
    count, found = len(task.repetition), list[Pair]()
    for first in range(count):
        for second, size in enumerate(inner.repetition):
            taken = any(second == each for _, each in found) or any(first == each for each, _ in found)
            still = any(before.distance[second] for before in inner.before)
            if size is None or taken or still or task.repetition[first] is None:
                continue
            if all(_continues(port, first, count + second, size) for port in ports):
                found.append((first, second))
    return tuple(found)


def _continues(port: Port, first: int, second: int, size: int) -> bool:
    rank = len(port.tiler.origin)
    steps = column(port.tiler.paving, second, rank)
    return column(port.tiler.paving, first, rank) == tuple(size * step for step in steps)


def _merged(whole: Task, task: Task, pairs: Sequence[Pair]) -> Task:
    """The inner task with the repetitions of both, dimensions that count on as one."""
    count = len(task.repetition)
    inner_of = dict(pairs)
    kept = [count + inner_of[k] if k in inner_of else k for k in range(count)]
    kept += [count + k for k in range(len(whole.repetition)) if k not in inner_of.values()]
    sizes = (*task.repetition, *whole.repetition)
    for first, second in pairs:
        outer, inner = task.repetition[first], whole.repetition[second]
        assert outer is not None
        assert inner is not None
        sizes = (*sizes[: count + second], outer * inner, *sizes[count + second + 1 :])
    distances = [(*(0,) * count, *before.distance) for before in whole.before]
    return replace(
        whole,
        repetition=tuple(sizes[k] for k in kept),
        inputs=tuple(replace(port, tiler=with_repetition(port.tiler, kept)) for port in whole.inputs),
        outputs=tuple(replace(port, tiler=with_repetition(port.tiler, kept)) for port in whole.outputs),
        before=tuple(
            replace(before, distance=tuple(distance[k] for k in kept))
            for before, distance in zip(whole.before, distances, strict=True)
        ),
    )


def _move(path: tuple[str, ...], task: Task, inner: Task, pairs: Sequence[Pair]) -> Move:
    inner_of = dict(pairs)
    outer = [f"b{k}" for k in range(len(task.repetition))]
    within = [f"q{k}" for k in range(len(inner.repetition))]
    new = [f"m{k}" if k in inner_of else outer[k] for k in range(len(outer))]
    new += [name for k, name in enumerate(within) if k not in inner_of.values()]
    relation: list[str] = []
    for first, second in pairs:
        size = inner.repetition[second]
        relation += [f"m{first} = {size} * b{first} + q{second}", f"0 <= q{second} < {size}"]
    return Move((*path, inner.name), (*outer, *within), path, tuple(new), tuple(relation))
