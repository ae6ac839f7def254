"""The accesses of a run one by one, with their distances and what an LRU cache holds [Devos, Table 3.1]."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from loadstone.locality.counter import Counter
from loadstone.locality.interpreted import counted
from loadstone.locality.order import Order, order_of
from loadstone.locality.references import references_of
from loadstone.locality.run import Run
from loadstone.model.kernel import Kernel
from loadstone.simulate.interpreter import Event
from loadstone.simulate.memory import check_parameters
from loadstone.transform.tiling import TiledKernel


@dataclass(frozen=True, slots=True)
class TraceRow:
    """An access: instance, element, backward reuse distance (None: infinite), cache contents, last used first."""

    statement: str
    instance: tuple[int, ...]
    element: str
    is_write: bool
    distance: int | None
    contents: tuple[str, ...]


def trace_table(
    program: Kernel | TiledKernel | Order,
    parameters: Mapping[str, int],
    size: int,
    *,
    scalars: bool = False,
    seed: int = 0,
) -> Iterator[TraceRow]:
    """The accesses in order of time, with the contents of an LRU cache of some size after each."""
    order = order_of(program)
    check_parameters(order.kernel, parameters)
    run = Run(order, parameters, references_of(order.kernel, scalars=scalars), size, 1, seed)
    contents: tuple[str, ...] = ()
    for event, distance in counted(run, Counter(size)):
        element = element_text(event)
        contents = (element, *(other for other in contents if other != element))[:size]
        yield TraceRow(event.statement, event.instance, element, event.is_write, distance, contents)


def element_text(event: Event) -> str:
    """The element of an access as C: `A[0][1]`."""
    return event.array + "".join(f"[{index}]" for index in event.element)
