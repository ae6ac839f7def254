"""Reuse distances counted in the interpreter's trace."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from loadstone.errors import Diagnostic, InputError
from loadstone.locality.counter import Counter, Counts
from loadstone.locality.run import DIVISION_HINT, Run
from loadstone.poly import fixed, pairs
from loadstone.simulate.interpreter import Event, Trace, execute
from loadstone.simulate.memory import initial_memory


class Counted(NamedTuple):
    """A counted access and its backward reuse distance, None for a first access."""

    event: Event
    distance: int | None


def count_interpreted(run: Run) -> Counts:
    """The counts of a run."""
    counter = Counter(run.size)
    for _ in counted(run, counter):
        pass
    return counter.counts


def counted(run: Run, counter: Counter) -> Iterator[Counted]:
    """The accesses of a run in order, told to a counter."""
    dates = {name: dict(pairs(fixed(date, run.parameters))) for name, date in run.order.dates.items()}
    time = -1
    for event in _trace(run):
        if event.time != time:
            time = event.time
            counter.enter(dates[event.statement][event.instance])
        number = run.numbers.get((event.statement, event.position))
        if number is not None:
            yield Counted(event, counter.touch(run.regions[event.array].cell(event.element), number))


def _trace(run: Run) -> Trace:
    try:
        memory = initial_memory(run.kernel, run.parameters, run.seed)
        return execute(run.kernel, run.parameters, memory, run.order.schedule)
    except IndexError as error:
        raise InputError(Diagnostic(f"the kernel leaves an array: {error}", None, "see the warnings of info")) from None
    except ZeroDivisionError:
        raise InputError(Diagnostic("the kernel divides by zero", None, DIVISION_HINT)) from None
