"""Tile a task: blocks of its repetitions become the repetitions of a compound task."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from loadstone.arrayol.blocks import in_blocks
from loadstone.arrayol.change import Change, find_task, with_task
from loadstone.frontend.arrayol.specification import Specification


@dataclass(frozen=True, slots=True)
class TileTask:
    """Put a task into a compound task that repeats blocks of it.

        mean:
          repetition: [8]
          inputs:
            x: {array: a, pattern: [6], paving: [[4]], wrap: true}
          outputs:
            y: {array: b, pattern: [4], paving: [[4]]}

    tile-task mean by 2

        mean:
          repetition: [4]
          inputs:
            x: {array: a, pattern: [10], paving: [[8]], wrap: true}
          outputs:
            y: {array: b, pattern: [8], paving: [[8]]}
          tasks:
            mean_block:
              repetition: [2]
              inputs:
                x: {array: x, pattern: [6], paving: [[4]]}
              outputs:
                y: {array: y, pattern: [4], paving: [[4]]}
    """

    task: str
    sizes: tuple[int, ...]
    usage: ClassVar[str] = "tile-task TASK by SIZES*"

    def applied(self, specification: Specification) -> Change:
        """The specification with the task in blocks."""
        path, task = find_task(specification, self.task)
        found = in_blocks(task, self.sizes, f"{task.name}_block")
        whole = replace(
            task,
            repetition=found.repetition,
            inputs=found.inputs,
            outputs=found.outputs,
            before=(),
            body=None,
            arrays={},
            tasks=(found.task,),
        )
        move = found.move(path, (*path, found.task.name), len(task.repetition))
        return Change(with_task(specification, path, whole), (move,))
