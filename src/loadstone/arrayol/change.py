"""A specification on its way through steps: tasks by their paths, and what each step does to repetitions."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from loadstone.frontend.arrayol.specification import Sizes, Specification, Task
from loadstone.transform.loop_names import StepError

Path = tuple[str, ...]
"""The names of the tasks from the outermost one to a task."""


@dataclass(frozen=True, slots=True)
class Move:
    """Where repetitions of a task are after a step.

    The task at `new`, with the counters `new_counters` (loops that the step puts into its body among them), is the one
    at `old` with `old_counters`; `relation` are the constraints between them.
    """

    old: Path
    old_counters: tuple[str, ...]
    new: Path
    new_counters: tuple[str, ...]
    relation: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """A specification after a step, and where its repetitions have gone."""

    specification: Specification
    moves: tuple[Move, ...]


def paths(tasks: Sequence[Task], around: Path = ()) -> Iterator[tuple[Path, Task]]:
    """All tasks with their paths, outermost first."""
    for task in tasks:
        yield (*around, task.name), task
        yield from paths(task.tasks, (*around, task.name))


def find_task(specification: Specification, text: str) -> tuple[Path, Task]:
    """The task that a text names: by its name, or by its path `frame.hflr` where there are several."""
    words = tuple(text.split("."))
    found = [(path, task) for path, task in paths(specification.tasks) if path[-len(words) :] == words]
    exact = [(path, task) for path, task in found if path == words]
    if len(exact or found) != 1:
        known = ", ".join(".".join(path) for path, _ in found or paths(specification.tasks))
        raise StepError(
            f"{'several tasks are' if found else 'no task is'} called '{text}'", text, f"tasks are: {known}"
        )
    return (exact or found)[0]


def with_tasks(specification: Specification, parent: Path, tasks: Sequence[Task]) -> Specification:
    """The specification with other tasks in the task at a path, or at its top."""

    def changed(among: tuple[Task, ...], rest: Path) -> tuple[Task, ...]:
        if not rest:
            return tuple(tasks)
        return tuple(
            replace(task, tasks=changed(task.tasks, rest[1:])) if task.name == rest[0] else task for task in among
        )

    return replace(specification, tasks=changed(specification.tasks, parent))


def siblings(specification: Specification, path: Path) -> tuple[Task, ...]:
    """The task at a path and those beside it."""
    tasks = specification.tasks
    for name in path[:-1]:
        tasks = next(task for task in tasks if task.name == name).tasks
    return tasks


def with_task(specification: Specification, path: Path, task: Task) -> Specification:
    """The specification with another task at a path."""
    beside = siblings(specification, path)
    return with_tasks(specification, path[:-1], [task if each.name == path[-1] else each for each in beside])


def without_arrays(specification: Specification, path: Path, names: Collection[str]) -> Specification:
    """The specification without some arrays of the task at a path, or of its top."""
    _, holder = next(((p, task) for p, task in paths(specification.tasks) if p == path), (path, specification))
    kept = {name: array for name, array in holder.arrays.items() if name not in names}
    if isinstance(holder, Specification):
        return replace(holder, arrays=kept)
    return with_task(specification, path, replace(holder, arrays=kept))


def shape_of(specification: Specification, path: Path, array: str) -> Sizes:
    """The shape of an array that the task at a path sees."""
    if len(path) == 1:
        return specification.arrays[array].sizes
    _, around = next((p, task) for p, task in paths(specification.tasks) if p == path[:-1])
    ports = {port.name: port.tiler.pattern for port in (*around.inputs, *around.outputs)}
    return ports[array] if array in ports else around.arrays[array].sizes
