"""Fuse two tasks: a compound task repeats blocks of both, and hands on what the first one writes within a block."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import gcd
from typing import ClassVar

import islpy as isl

from loadstone.arrayol.blocks import Blocks, in_blocks
from loadstone.arrayol.change import Change, Path, find_task, shape_of, siblings, with_tasks, without_arrays
from loadstone.arrayol.tilers import column
from loadstone.frontend.arrayol.checks import elements
from loadstone.frontend.arrayol.flat import Place, Stage
from loadstone.frontend.arrayol.specification import ArrayShape, Port, Sizes, Specification, Task, Tiler
from loadstone.frontend.arrayol.subscripts import FRAMES, leaves_shape
from loadstone.model.free_name import free_name
from loadstone.poly.dimensions import with_components, with_inputs
from loadstone.transform.loop_names import StepError


@dataclass(frozen=True, slots=True)
class FuseTasks:
    """Do two tasks together, in the smallest blocks in which the second one reads what the first one has written.

        make:
          repetition: [8]
          inputs:
            x: {array: a, pattern: [3], paving: [[3]]}
          outputs:
            y: {array: m, pattern: [3], paving: [[3]]}
        take:
          repetition: [12]
          inputs:
            u: {array: m, pattern: [2], paving: [[2]]}
          outputs:
            v: {array: c, pattern: [2], paving: [[2]]}

    fuse-tasks make with take

        make_take:
          repetition: [4]
          inputs:
            x: {array: a, pattern: [6], paving: [[6]]}
          outputs:
            v: {array: c, pattern: [6], paving: [[6]]}
          arrays:
            m: {shape: [6], type: int}
          tasks:
            make:
              repetition: [2]
              inputs:
                x: {array: x, pattern: [3], paving: [[3]]}
              outputs:
                y: {array: m, pattern: [3], paving: [[3]]}
            take:
              repetition: [3]
              inputs:
                u: {array: m, pattern: [2], paving: [[2]]}
              outputs:
                v: {array: v, pattern: [2], paving: [[2]]}
    """

    first: str
    second: str
    name: str | None = None
    usage: ClassVar[str] = "fuse-tasks FIRST with SECOND [as NAME]"

    def applied(self, specification: Specification) -> Change:
        """The specification with both tasks in one."""
        (path, first), (other, second) = (find_task(specification, text) for text in (self.first, self.second))
        if path[:-1] != other[:-1] or path == other:
            raise StepError("the tasks do not stand side by side", self.second, "fuse tasks of one level")
        handed = [(port, taken) for port in first.outputs for taken in second.inputs if taken.array == port.array]
        if not handed:
            raise StepError(f"{second.name} reads nothing that {first.name} writes", self.second)
        pairs = sorted(_common_blocks(specification, path, first, second, handed))
        if not pairs:
            hint = f"{second.name} needs all that {first.name} writes from its first repetition on"
            raise StepError(f"{first.name} and {second.name} have no blocks in common", self.second, hint)
        one = in_blocks(first, _sizes(first, {a: c for a, _, c in pairs}), first.name, [a for a, _, _ in pairs])
        two = in_blocks(second, _sizes(second, {b: c for _, b, c in pairs}), second.name, [b for _, b, _ in pairs])
        return self._change(specification, path, (first, second), (one, two))

    def _change(
        self, specification: Specification, path: Path, tasks: tuple[Task, Task], blocks: tuple[Blocks, Blocks]
    ) -> Change:
        first, second = tasks
        beside = siblings(specification, path)
        name = self.name or free_name(f"{first.name}_{second.name}", {task.name for task in beside})
        fused = _Fusion(specification, path, tasks, blocks).task(name)
        specification = without_arrays(specification, path[:-1], fused.arrays)
        rest = [task for task in beside if task not in tasks]
        place = min(beside.index(first), beside.index(second))
        changed = with_tasks(specification, path[:-1], [*rest[:place], fused, *rest[place:]])
        shared = [f"b{k}" for k in range(len(blocks[0].outer))]
        moves = [
            found.move((*path[:-1], task.name), (*path[:-1], name, task.name), len(task.repetition), shared)
            for task, found in zip(tasks, blocks, strict=True)
        ]
        return Change(changed, tuple(moves))


def _sizes(task: Task, counts: Mapping[int, int | None]) -> list[int]:
    """The sizes of blocks, given how many there are along some dimensions."""
    found: list[int] = []
    for k, whole in enumerate(task.repetition):
        if whole is None:
            found.append(1)
        else:
            count = counts.get(k, 1)
            found.append(1 if count is None else whole // count)
    return found


def _place(specification: Specification, path: Path, port: Port) -> Place:
    tiler, shape = port.tiler, shape_of(specification, path, port.array)
    return Place(
        port.array, tiler.pattern, (Stage(tiler.origin, tiler.paving, tiler.fitting, shape, tiler.wraps),), port.span
    )


def _common_blocks(
    specification: Specification, path: Path, first: Task, second: Task, handed: Sequence[tuple[Port, Port]]
) -> Iterator[tuple[int, int, int | None]]:
    """Dimensions of both tasks, and the most blocks along them that read from their own kind alone.

    Blocks along several dimensions do so if they do along each: no element is written by two repetitions.
    """
    needed = [
        elements(second.repetition, _place(specification, path, taken)).apply_range(
            elements(first.repetition, _place(specification, path, port)).reverse()
        )
        for port, taken in handed
    ]
    taken: set[int] = set()
    for a, size in enumerate(first.repetition):
        for b, other in enumerate(second.repetition):
            if b in taken or (size is None) != (other is None) or _goes_along(first, a) or _goes_along(second, b):
                continue
            ends = [with_inputs(with_components(each, [a]), [b]) for each in needed]
            count = _most_blocks(ends, size, other)
            if count != 1:
                taken.add(b)
                yield a, b, count
                break


def _goes_along(task: Task, k: int) -> bool:
    """Whether repetitions read what earlier ones along a dimension wrote."""
    return any(before.distance[k] for before in task.before)


def _most_blocks(ends: Sequence[isl.Map], size: int | None, other: int | None) -> int | None:
    """The most blocks of two dimensions in which each reads from its own; 1 if there are none, None if unbounded."""
    if size is None or other is None:
        return None if all(each.is_subset(_same_block(1, 1)) for each in ends) else 1
    common = gcd(size, other)
    counts = (count for count in range(common, 1, -1) if common % count == 0)
    return next((n for n in counts if all(each.is_subset(_same_block(other // n, size // n)) for each in ends)), 1)


def _same_block(reader: int, writer: int) -> isl.Map:
    return isl.Map(f"[{FRAMES}] -> {{ [r] -> [w] : floor(r / {reader}) = floor(w / {writer}) }}")


@dataclass(frozen=True, slots=True)
class _Fusion:
    """Two tasks in blocks, and the arrays that the first one hands on."""

    specification: Specification
    path: Path
    tasks: tuple[Task, Task]
    blocks: tuple[Blocks, Blocks]

    def task(self, name: str) -> Task:
        """The compound task of both."""
        one, two = self.blocks
        local = {port.name for port in one.outputs if self._is_local(port.array)}
        written = {port.array: port for port in one.outputs}
        outer = [port for port in two.inputs if port.array not in written]
        ports = [*one.inputs, *(port for port in one.outputs if port.name not in local), *outer, *two.outputs]
        counts = [port.name for port in ports]
        names = {
            id(port): port.name if counts.count(port.name) == 1 else f"{self._owner(port)}_{port.name}"
            for port in ports
        }
        names |= {id(port): port.array for port in one.outputs if port.name in local}
        inner = (self._within(one, names), self._second(two, names, written))
        return Task(
            name,
            one.repetition,
            tuple(replace(port, name=names[id(port)]) for port in (*one.inputs, *outer)),
            (),
            tuple(
                replace(p, name=names[id(p)])
                for p in (*one.outputs, *two.outputs)
                if p.name not in local or p in two.outputs
            ),
            None,
            {port.array: self._block_of(port) for port in one.outputs if port.name in local},
            inner,
            self.tasks[0].span,
        )

    def _is_local(self, array: str) -> bool:
        """Whether nobody but the second task reads an array, which begins and ends at this level."""
        beside = siblings(self.specification, self.path)
        readers = [task for task in beside if any(port.array == array for port in task.inputs)]
        return readers == [self.tasks[1]] and not self._is_port(array)

    def _is_port(self, array: str) -> bool:
        """Whether an array is a pattern of the compound task around."""
        if len(self.path) == 1:
            return False
        _, around = find_task(self.specification, ".".join(self.path[:-1]))
        return any(port.name == array for port in (*around.inputs, *around.outputs))

    def _owner(self, port: Port) -> str:
        one, _ = self.blocks
        return self.tasks[0 if any(port is each for each in (*one.inputs, *one.outputs)) else 1].name

    def _block_of(self, port: Port) -> ArrayShape:
        """An array that a block hands on: a pattern of the first task."""
        kind = next(arrays[port.array].type for arrays in self._arrays() if port.array in arrays)
        return ArrayShape(port.tiler.pattern, kind, port.span)

    def _arrays(self) -> Iterator[Mapping[str, ArrayShape]]:
        if len(self.path) > 1:
            yield find_task(self.specification, ".".join(self.path[:-1]))[1].arrays
        yield self.specification.arrays

    def _within(self, blocks: Blocks, names: Mapping[int, str]) -> Task:
        own = {port.name: names[id(port)] for port in (*blocks.inputs, *blocks.outputs) if id(port) in names}
        task = blocks.task
        return replace(
            task,
            inputs=tuple(replace(port, array=own.get(port.name, port.array)) for port in task.inputs),
            outputs=tuple(replace(port, array=own.get(port.name, port.array)) for port in task.outputs),
        )

    def _second(self, blocks: Blocks, names: Mapping[int, str], written: Mapping[str, Port]) -> Task:
        """The second task, which reads what is handed on in the block of the first one."""
        task = self._within(blocks, names)
        outer = {port.name: port for port in self.tasks[1].inputs}

        def handed(port: Port) -> Port:
            array = outer[port.name].array
            if array not in written:
                return port
            block = written[array]
            return replace(port, array=names[id(block)], tiler=self._on_block(outer[port.name], block))

        return replace(task, inputs=tuple(map(handed, task.inputs)))

    def _on_block(self, port: Port, block: Port) -> Tiler:
        """The tiler of the second task on the pattern that a block of the first one writes."""
        two, tiler, outer = self.blocks[1], port.tiler, block.tiler
        rows = [_row_of(outer, side) for side in range(len(outer.pattern))]
        origin, paving, fitting = list[int](), list[tuple[int, ...]](), list[tuple[int, ...]]()
        for side, row in enumerate(rows):
            scale = outer.fitting[row][side]
            steps = tuple(tiler.paving[row][k] for k in two.inner)
            numbers = (tiler.origin[row] - outer.origin[row], *steps, *tiler.fitting[row])
            if any(number % scale for number in numbers):
                raise StepError(f"'{port.name}' reads between what a block writes", port.name)
            origin.append(numbers[0] // scale)
            paving.append(tuple(step // scale for step in steps))
            fitting.append(tuple(step // scale for step in tiler.fitting[row]))
        found = Tiler(tuple(origin), tuple(paving), tuple(fitting), tiler.pattern, False)
        return replace(found, wraps=_leaves(found, outer.pattern, two.task.repetition))


def _row_of(tiler: Tiler, side: int) -> int:
    """The subscript that one side of a pattern alone moves along."""
    rank = len(tiler.origin)
    for row, step in enumerate(column(tiler.fitting, side, rank)):
        if step and sum(map(bool, tiler.fitting[row])) == 1:
            return row
    raise StepError("what a block writes is no box of its array", "", "fuse tasks whose fittings are parallel to axes")


def _leaves(tiler: Tiler, shape: Sizes, repetition: Sizes) -> bool:
    stage = Stage(tiler.origin, tiler.paving, tiler.fitting, shape, False)
    return leaves_shape(stage, repetition, tiler.pattern)
