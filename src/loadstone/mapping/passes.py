"""What a fusion executes: one application for each macrotask, one pass after the other over external memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from loadstone.frontend.arrayol.flat import Application, arrays_of
from loadstone.mapping.processors import Fusion


def passes(application: Application, fusion: Fusion) -> Iterator[Application]:
    """The macrotasks of a fusion, each with the arrays that it touches; what later ones read is kept."""
    first = 0
    for number, size in enumerate(fusion, start=1):
        tasks, later = application.tasks[first : first + size], application.tasks[first + size :]
        touched, wanted = arrays_of(tasks), arrays_of(later)
        first += size
        yield replace(
            application,
            name=f"{application.name}_pass{number}" if len(fusion) > 1 else application.name,
            arrays={name: array for name, array in application.arrays.items() if name in touched},
            tasks=tasks,
            kept=frozenset(touched & wanted) | application.kept & touched,
        )
