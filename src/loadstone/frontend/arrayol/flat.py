"""Hierarchies taken apart: elementary tasks alone, each with all its repetitions, on arrays of the whole application.

A pattern of a compound task is an array for the tasks inside of it, so that an element is found through one tiler after
the other. Arrays inside of a compound task exist once for each of its repetitions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from loadstone.errors import Span
from loadstone.frontend.arrayol.specification import (
    ArrayShape,
    Before,
    Body,
    Matrix,
    Port,
    Sizes,
    Specification,
    Task,
    Vector,
)
from loadstone.model.free_name import free_name


@dataclass(frozen=True, slots=True)
class Stage:
    """A tiler within all repetitions: subscripts `origin + paving r + fitting i` of an array with some shape."""

    origin: Vector
    paving: Matrix
    fitting: Matrix
    shape: Sizes
    wraps: bool


@dataclass(frozen=True, slots=True)
class Place:
    """Where the elements of a pattern, or of an array inside of a task, are: an array, and tilers, innermost first."""

    array: str
    pattern: Sizes
    stages: tuple[Stage, ...] = ()
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Level:
    """A compound task around a task: its name among all tasks, and how many dimensions its repetition has."""

    name: str
    rank: int


@dataclass(frozen=True, slots=True)
class Elementary:
    """An elementary task with all its repetitions, outermost first.

    `path` has the names of the tasks around it in the specification, and its own; `within` are those around it.
    """

    name: str
    path: tuple[str, ...]
    within: tuple[Level, ...]
    repetition: Sizes
    inputs: Mapping[str, Place]
    outputs: Mapping[str, Place]
    before: tuple[Before, ...]
    body: Body
    span: Span


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern of a compound task in all its repetitions."""

    task: str
    name: str
    repetition: Sizes
    place: Place


@dataclass(frozen=True, slots=True)
class Application:
    """All arrays and all elementary tasks of a specification; arrays that are `kept` are results, read or not.

    `patterns` are those of compound tasks.
    """

    name: str
    arrays: Mapping[str, ArrayShape]
    tasks: tuple[Elementary, ...]
    span: Span
    patterns: tuple[Pattern, ...] = ()
    kept: frozenset[str] = frozenset()

    def is_local(self, array: str) -> bool:
        """Whether an array begins and ends within the application."""
        return array not in self.kept and bool(self.writers(array) and self.readers(array))

    def writers(self, array: str) -> list[Elementary]:
        """The tasks that write an array."""
        return [task for task in self.tasks if any(place.array == array for place in task.outputs.values())]

    def readers(self, array: str) -> list[Elementary]:
        """The tasks that read an array."""
        return [task for task in self.tasks if any(place.array == array for place in task.inputs.values())]


def arrays_of(tasks: Iterable[Elementary]) -> set[str]:
    """The arrays that tasks read or write."""
    return {place.array for task in tasks for place in (*task.inputs.values(), *task.outputs.values())}


def flattened(specification: Specification) -> Application:
    """The specification without its hierarchy."""
    arrays = dict(specification.arrays)
    places = {name: Place(name, array.sizes) for name, array in arrays.items()}
    top = _Around((), (), (), places, arrays, set(), [], "")
    tasks = tuple(each for task in specification.tasks for each in _elementary(task, top))
    return Application(specification.name, arrays, tasks, specification.span, tuple(top.patterns))


@dataclass(frozen=True, slots=True)
class _Around:
    """What surrounds a task: repetitions, places of the arrays that it sees; all arrays, names and patterns so far."""

    repetition: Sizes
    path: tuple[str, ...]
    levels: tuple[Level, ...]
    places: Mapping[str, Place]
    arrays: dict[str, ArrayShape]
    names: set[str]
    patterns: list[Pattern]
    prefix: str

    def fresh(self, task: str) -> str:
        """A name of a task that no other task has."""
        name = free_name(f"{self.prefix}{task}", self.names)
        self.names.add(name)
        return name


def _elementary(task: Task, around: _Around) -> Iterator[Elementary]:
    repetition = (*around.repetition, *task.repetition)
    name, path = around.fresh(task.name), (*around.path, task.name)
    inputs = {port.name: _place(port, around) for port in task.inputs}
    outputs = {port.name: _place(port, around) for port in task.outputs}
    if task.body is not None:
        before = tuple(replace(each, distance=(*(0,) * len(around.repetition), *each.distance)) for each in task.before)
        yield Elementary(name, path, around.levels, repetition, inputs, outputs, before, task.body, task.span)
        return
    around.patterns.extend(Pattern(name, each, repetition, place) for each, place in {**inputs, **outputs}.items())
    own = {each: _repeated(f"{name}_{each}", array, repetition, around) for each, array in task.arrays.items()}
    levels = (*around.levels, Level(name, len(task.repetition)))
    inside = replace(
        around, repetition=repetition, path=path, levels=levels, places={**inputs, **outputs, **own}, prefix=f"{name}_"
    )
    for each in task.tasks:
        yield from _elementary(each, inside)


def _place(port: Port, around: _Around) -> Place:
    """The place of a pattern: its tiler, then those of the array that it tiles."""
    outer = around.places[port.array]
    tiler = port.tiler
    zeros = (0,) * len(around.repetition)
    paving = tuple((*zeros, *row) for row in tiler.paving)
    stage = Stage(tiler.origin, paving, tiler.fitting, outer.pattern, tiler.wraps)
    return Place(outer.array, tiler.pattern, (stage, *outer.stages), port.span)


def _repeated(name: str, array: ArrayShape, repetition: Sizes, around: _Around) -> Place:
    """The place of an array that exists once for each repetition: these are its first subscripts."""
    name = free_name(name, around.arrays.keys())
    around.arrays[name] = ArrayShape((*repetition, *array.sizes), array.type, array.span)
    count, rank = len(repetition), len(array.sizes)
    stage = Stage(
        (0,) * (count + rank),
        tuple(_unit(row, count) for row in range(count + rank)),
        tuple(_unit(row - count, rank) for row in range(count + rank)),
        (*repetition, *array.sizes),
        False,
    )
    return Place(name, array.sizes, (stage,), array.span)


def _unit(position: int, length: int) -> Vector:
    return tuple(int(k == position) for k in range(length))
