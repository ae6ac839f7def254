"""A task in blocks of repetitions: a compound task that repeats the blocks, and the task within one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from loadstone.arrayol.change import Move, Path
from loadstone.arrayol.tilers import blocked, with_repetition
from loadstone.frontend.arrayol.specification import Port, Sizes, Task
from loadstone.transform.loop_names import StepError


@dataclass(frozen=True, slots=True)
class Blocks:
    """The repetition of the blocks of a task, its ports as one block has them, and the task within a block.

    `outer` are the dimensions of the task's repetition that blocks are counted along, `inner` those within a block.
    """

    repetition: Sizes
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    task: Task
    outer: tuple[int, ...]
    inner: tuple[int, ...]
    sizes: tuple[int, ...]

    def move(self, old: Path, new: Path, count: int, shared: Sequence[str] = ()) -> Move:
        """Where the repetitions of the task are; blocks are counted by `shared` counters, or by their own."""
        blocks = dict(zip(self.outer, shared or [f"b{k}" for k in self.outer], strict=True))
        relation = [
            f"r{k} = {self.sizes[k]} * {blocks.get(k, 0)} + {f'q{k}' if k in self.inner else 0}" for k in range(count)
        ]
        relation += [f"0 <= q{k} < {self.sizes[k]}" for k in self.inner]
        own = tuple(f"q{k}" for k in self.inner)
        return Move(
            old, tuple(f"r{k}" for k in range(count)), new, (*(shared or blocks.values()), *own), tuple(relation)
        )


def in_blocks(task: Task, sizes: Sequence[int], name: str, outer: Sequence[int] | None = None) -> Blocks:
    """The task in blocks of some sizes, which divide its repetition; dimensions of one block, or of one repetition
    within a block, are left out; `outer` orders the others."""
    _check(task, sizes)
    if outer is None:
        outer = [k for k, (whole, size) in enumerate(zip(task.repetition, sizes, strict=True)) if whole != size]
    inner = tuple(k for k, size in enumerate(sizes) if size > 1 or any(each.distance[k] for each in task.before))
    halves = {port.name: blocked(port.tiler, sizes) for port in (*task.inputs, *task.outputs)}

    def around(ports: tuple[Port, ...]) -> tuple[Port, ...]:
        return tuple(replace(port, tiler=with_repetition(halves[port.name][0], outer)) for port in ports)

    def within(ports: tuple[Port, ...]) -> tuple[Port, ...]:
        return tuple(
            replace(port, array=port.name, tiler=with_repetition(halves[port.name][1], inner)) for port in ports
        )

    before = tuple(replace(each, distance=tuple(each.distance[k] for k in inner)) for each in task.before)
    own = replace(
        task,
        name=name,
        repetition=tuple(sizes[k] for k in inner),
        inputs=within(task.inputs),
        outputs=within(task.outputs),
        before=before,
    )
    counts = tuple(None if (whole := task.repetition[k]) is None else whole // sizes[k] for k in outer)
    return Blocks(counts, around(task.inputs), around(task.outputs), own, tuple(outer), inner, tuple(sizes))


def _check(task: Task, sizes: Sequence[int]) -> None:
    if len(sizes) != len(task.repetition):
        raise StepError(f"{task.name} has {len(task.repetition)} dimensions of repetition", "", "give a size for each")
    for whole, size in zip(task.repetition, sizes, strict=True):
        if size < 1 or (whole is None and size != 1) or (whole is not None and whole % size):
            hint = "the blocks of an unbounded dimension have the size 1" if whole is None else f"sizes divide {whole}"
            raise StepError(f"blocks of {size} do not divide the repetition of {task.name}", str(size), hint)
    for each in task.before:
        for step, whole, size in zip(each.distance, task.repetition, sizes, strict=True):
            if step and whole != size:
                hint = f"take all {'frames' if whole is None else whole} repetitions, or pave-task"
                raise StepError(f"'{each.name}' of {task.name} reads another block", str(size), hint)
