"""What makes a specification right, decided by isl: tilers within arrays, single assignment, no value without a writer.

Each problem names an element that shows it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations_with_replacement

import islpy as isl

from loadstone.errors import Diagnostic, Problems
from loadstone.frontend.arrayol.flat import Application, Elementary, Pattern, Place
from loadstone.frontend.arrayol.specification import Sizes
from loadstone.frontend.arrayol.subscripts import FRAMES, extent, isl_subscripts
from loadstone.poly.enumeration import sample_pair, sample_point

Written = tuple[Elementary, str, isl.Map]


def check(application: Application) -> None:
    """Raise `InputError` with every problem of a specification."""
    problems = Problems()
    for pattern in (*application.patterns, *_own_patterns(application)):
        for found in _outside(pattern):
            problems.add(found.message, found.span, found.hint)
    problems.raise_if_any()
    for array in application.arrays:
        for found in (*_written_twice(application, array), *_never_written(application, array)):
            problems.add(found.message, found.span, found.hint)
    problems.raise_if_any()


def relation(task: Elementary, place: Place) -> isl.Map:
    """The elements of an array that a pattern takes: repetition and position to subscripts."""
    return elements(task.repetition, place)


def elements(repetition: Sizes, place: Place) -> isl.Map:
    """The elements that patterns at a place take: repetition and position to subscripts."""
    names, indices = [f"r{k}" for k in range(len(repetition))], [f"i{k}" for k in range(len(place.pattern))]
    sizes = zip((*names, *indices), (*repetition, *place.pattern), strict=True)
    bounds = " and ".join(f"0 <= {name} < {extent(size)}" for name, size in sizes)
    found = ", ".join(isl_subscripts(place, names, indices))
    return isl.Map(f"[{FRAMES}] -> {{ [{', '.join((*names, *indices))}] -> [{found}] : {bounds or '1 = 1'} }}")


def box(sizes: Sizes) -> isl.Set:
    """All subscripts within some sizes."""
    names = [f"e{k}" for k in range(len(sizes))]
    bounds = " and ".join(f"0 <= {name} < {extent(size)}" for name, size in zip(names, sizes, strict=True))
    return isl.Set(f"[{FRAMES}] -> {{ [{', '.join(names)}] : {bounds or '1 = 1'} }}")


def _own_patterns(application: Application) -> Iterator[Pattern]:
    """The patterns of elementary tasks."""
    for task in application.tasks:
        for name, place in (*task.inputs.items(), *task.outputs.items()):
            yield Pattern(task.name, name, task.repetition, place)


def _outside(pattern: Pattern) -> Iterator[Diagnostic]:
    """Subscripts that leave the array of the innermost tiler; those around it are checked with their own tasks."""
    place, count = pattern.place, len(pattern.repetition)
    taken = elements(pattern.repetition, replace(place, stages=place.stages[:1]))
    outside = taken.subtract_range(box(place.stages[0].shape))
    if outside.is_empty():
        return
    _, source, element = sample_pair(outside)
    where = f"position {list(source[count:])} of repetition {list(source[:count])} is {list(element)}"
    hint = "change origin, paving, fitting or the repetition"
    if not place.stages[0].wraps:
        hint += "; or write wrap: true, if subscripts are to wrap around"
    elif None in place.stages[0].shape:
        hint += "; an unbounded dimension has no end to wrap at"
    yield Diagnostic(f"'{pattern.name}' of {pattern.task} leaves its array: {where}", place.span, hint)


def _written(application: Application, array: str) -> list[Written]:
    return [
        (task, name, relation(task, place))
        for task in application.tasks
        for name, place in task.outputs.items()
        if place.array == array
    ]


def _written_twice(application: Application, array: str) -> Iterator[Diagnostic]:
    writes = _written(application, array)
    for (task, name, one), (other, other_name, two) in combinations_with_replacement(writes, 2):
        same = (task, name) == (other, other_name)
        pairs = one.apply_range(two.reverse())
        both = pairs.subtract(isl.Map.identity(pairs.get_space())) if same else pairs
        if both.is_empty():
            continue
        element = one.intersect_domain(both.domain()).range()
        _, point = sample_point(element)
        who = f"'{name}' of {task.name}" if same else f"'{name}' of {task.name} and '{other_name}' of {other.name}"
        hint = "each element is written once: let patterns lie side by side"
        message = f"{array}{''.join(f'[{k}]' for k in point)} is written twice, by {who}"
        yield Diagnostic(message, task.outputs[name].span, hint)


def _never_written(application: Application, array: str) -> Iterator[Diagnostic]:
    writes = _written(application, array)
    if not writes:
        return
    written = writes[0][2].range()
    for _, _, more in writes[1:]:
        written = written.union(more.range())
    for task in application.readers(array):
        for name, place in task.inputs.items():
            if place.array != array:
                continue
            missing = relation(task, place).range().subtract(written)
            if not missing.is_empty():
                _, point = sample_point(missing)
                element = array + "".join(f"[{k}]" for k in point)
                hint = "let a task write it, or read elements that are written"
                yield Diagnostic(f"'{name}' of {task.name} reads {element}, which nobody writes", place.span, hint)
