"""The order of tasks: each behind its producers; a compound task is done as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import islpy as isl

from loadstone.errors import Diagnostic, InputError
from loadstone.frontend.arrayol.checks import relation
from loadstone.frontend.arrayol.flat import Application, Elementary
from loadstone.poly.dimensions import first_inputs, with_components
from loadstone.poly.enumeration import sample_pair

Unit = tuple[Elementary, ...]
"""The tasks of a compound task, or an elementary one alone."""


def in_order(application: Application) -> list[Elementary]:
    """The tasks, each behind its producers; raises `InputError` where they wait for each other."""
    return _ordered(application, application.tasks, 0)


def _ordered(application: Application, tasks: Sequence[Elementary], level: int) -> list[Elementary]:
    waiting, done = units(tasks, level), list[Elementary]()
    while waiting:
        ready = [unit for unit in waiting if not _sources(application, unit, waiting, level)]
        if not ready:
            raise InputError(_cycle(application, waiting, level))
        for unit in ready:
            done += unit if _is_alone(unit, level) else _compound(application, unit, level)
        waiting = [unit for unit in waiting if unit not in ready]
    return done


def units(tasks: Sequence[Elementary], level: int) -> list[Unit]:
    """The tasks by the compound tasks that hold them at a level."""
    found: dict[str, list[Elementary]] = {}
    for task in tasks:
        found.setdefault(_name(task, level), []).append(task)
    return [tuple(each) for each in found.values()]


def _name(task: Elementary, level: int) -> str:
    return task.within[level].name if level < len(task.within) else task.name


def _is_alone(unit: Unit, level: int) -> bool:
    return len(unit[0].within) <= level


def _sources(application: Application, unit: Unit, among: Sequence[Unit], level: int) -> list[Unit]:
    """The units that write what one reads; an elementary task may be its own, a compound one is checked inside."""
    read = {place.array for task in unit for place in task.inputs.values()}
    writers = [writer for array in read for writer in application.writers(array)]
    inside = () if _is_alone(unit, level) else unit
    return [each for each in among if any(writer in each for writer in writers if writer not in inside)]


def _compound(application: Application, unit: Unit, level: int) -> list[Elementary]:
    """The tasks of a compound task in order; none of its repetitions reads what another one writes."""
    rank = sum(each.rank for each in unit[0].within[: level + 1])
    for problem in _across(application, unit, level, rank):
        raise InputError(problem)
    return _ordered(application, unit, level + 1)


def _across(application: Application, unit: Unit, level: int, rank: int) -> Iterator[Diagnostic]:
    """A read of what a compound task writes in another of its repetitions."""
    for reader in unit:
        for name, place in reader.inputs.items():
            for writer in (task for task in application.writers(place.array) if task in unit):
                for written in (each for each in writer.outputs.values() if each.array == place.array):
                    pairs = relation(reader, place).apply_range(relation(writer, written).reverse())
                    pairs = with_components(first_inputs(pairs, rank), range(rank))
                    wrong = pairs.subtract(isl.Map.identity(pairs.get_space()))
                    if not wrong.is_empty():
                        _, to, source = sample_pair(wrong)
                        task = unit[0].within[level].name
                        message = f"repetition {list(to)} of {task} reads what its repetition {list(source)} writes"
                        yield Diagnostic(message, place.span, f"'{name}' must not leave the patterns of one repetition")


def _cycle(application: Application, waiting: Sequence[Unit], level: int) -> Diagnostic:
    path = [waiting[0]]
    while path[-1] not in path[:-1]:
        path.append(_sources(application, path[-1], waiting, level)[0])
    path = path[path.index(path[-1]) :]
    name, place = _name(path[0][0], level), path[0][0].span
    if len(path) == 2:
        hint = "to read what an earlier repetition wrote, give output, distance and initial"
        return Diagnostic(f"{name} reads the array that it writes", place, hint)
    names = " waits for ".join(_name(unit[0], level) for unit in path)
    return Diagnostic(f"the tasks depend on each other: {names}", place, "break the cycle")
