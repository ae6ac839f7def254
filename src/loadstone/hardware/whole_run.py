"""What all hardware on a bus does for a whole run: it counts what moves, and says when it is ready and done."""

from __future__ import annotations

from collections.abc import Mapping

from loadstone.hardware.names import Names
from loadstone.rtl.expressions import Signal, Value
from loadstone.rtl.types import unsigned

ELEMENTS = unsigned(32)
LOADED, STORED = "loaded_elements", "stored_elements"
"""The outputs that count what was moved."""


def count_elements(names: Names, begin: Signal, moves: Mapping[str, Value]) -> None:
    """Outputs that count the elements of a run."""
    m = names.module
    for name, moved in moves.items():
        count = names.register(f"{name}_count", ELEMENTS)
        with m.clocked():
            m.assign(count, (count + moved).wrapped(ELEMENTS))
            with m.when(begin):
                m.assign(count, 0)
        m.output(name, count, "elements since the start")


def end_run(names: Names, running: Signal, begin: Signal, ends: Value) -> None:
    """Outputs that say whether it may be started, and whether it has run; `running` falls when the run ends."""
    m, was_done = names.module, names.state("was_done")
    with m.clocked():
        m.assign(running, (running | begin) & ~ends)
        m.assign(was_done, (was_done | ends) & ~begin)
    m.output("ready", ~running, "may be started")
    m.output("done", was_done, "has run since the last start")
