"""Names in the program of a process network: those of the source, and others for processes and channels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import islpy as isl

from loadstone.emit.c.names import RESERVED, Names
from loadstone.loops.process_points import order_of
from loadstone.model.kernel import Kernel
from loadstone.model.types import BOOL, INT, ScalarType
from loadstone.networks.model import Network, Process
from loadstone.poly.spaces import Dim, range_product

_OWN = {
    *(
        "result",
        "turn",
        "value",
        "run_network",
        "open_state",
        "close_state",
        "done",
        "each",
        "threads",
        "runs",
        "initial",
    )
}
_OF_ARRAYS = ("@", "@_out", "@_at", "@_host", "@_port", "@_out_host", "@_out_port")
_OF_PROCESSES = ("@", "@_words", "@_words_host", "@_words_port", "run_@")
_OF_CHANNELS = (
    *("@", "@_word", "@_words", "@_words_host", "@_words_port", "@_cell", "@_kept"),
    *("@_filled", "@_freed", "@_full", "@_busy", "@_first", "@_last"),
)
_OF_TYPES = ("stream", "open", "close", "get", "put")


@dataclass(frozen=True, slots=True)
class ProcessNames:
    """Names inside of a process: the coordinates of its instances, of their dates, and the values that they read."""

    point: tuple[str, ...]
    dates: tuple[str, ...]
    operands: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NetworkNames:
    """What parameters and arrays, processes and channels are called in a generated program."""

    source: Names
    processes: Mapping[str, str]
    channels: Mapping[str, str]
    inside: Mapping[str, ProcessNames]


def network_names(network: Network, parameters: Mapping[str, int]) -> NetworkNames:
    """Names for all that a program of a network names."""
    kernel = network.tiles.kernel
    scope = _Scope({*RESERVED, *_OWN, *_coordinates(network), *_stream_functions(kernel)})
    given = {name: scope.allot(name) for name in kernel.parameters}
    arrays = {name: scope.allot(name, _OF_ARRAYS) for name in kernel.arrays}
    scope.taken |= {*kernel.parameters, *kernel.arrays}
    processes = {name: scope.allot(name, _OF_PROCESSES) for name in network.processes}
    channels = {c.id: scope.allot(re.sub(r"\W", "_", c.id), _OF_CHANNELS) for c in network.channels}
    inside = {
        process.name: _inside(network, process, order_of(process, parameters), scope)
        for process in network.processes.values()
    }
    return NetworkNames(Names({**given, **arrays}, dict(kernel.parameter_types)), processes, channels, inside)


def type_name(kind: ScalarType) -> str:
    """The type as a part of identifiers."""
    return str(kind).strip("_").lower().replace(" ", "_")


def word_type(kind: ScalarType) -> str:
    """The type as both C and C++ write it."""
    return "bool" if kind == BOOL else str(kind)


class _Scope:
    """Names that are taken."""

    def __init__(self, taken: Iterable[str]) -> None:
        self.taken = set(taken)

    def allot(self, name: str, forms: Sequence[str] = ("@",)) -> str:
        """The name, with underscores behind it until it is free in all of its forms, which are taken then."""
        while any(form.replace("@", name) in self.taken for form in forms):
            name += "_"
        self.taken |= {form.replace("@", name) for form in forms}
        return name


def _coordinates(network: Network) -> Iterator[str]:
    """The parameters of functions of a point."""
    ranks = [process.domain.dim(Dim.set) for process in network.processes.values()]
    return (f"x{k}" for k in range(max(ranks, default=0)))


def _stream_functions(kernel: Kernel) -> Iterator[str]:
    kinds = {INT, *(array.type for array in kernel.arrays.values())}
    return (f"{type_name(kind)}_{form}" for kind in kinds for form in _OF_TYPES)


def _inside(network: Network, process: Process, order: isl.Map, outside: _Scope) -> ProcessNames:
    kernel = network.tiles.kernel
    scope = _Scope(outside.taken)
    if process.kind != "compute":
        point = tuple(scope.allot(f"i{k}") for k in range(process.domain.dim(Dim.set)))
        return ProcessNames(point, _date_names(network, process, order, point, scope), ("value",))
    statement = kernel.statement(process.name)
    point = tuple(map(scope.allot, statement.iterators))
    dates = _date_names(network, process, order, point, scope)
    operands = tuple(scope.allot(f"{read.array}{k}") for k, read in enumerate(statement.reads))
    return ProcessNames(point, dates, operands)


def _date_names(
    network: Network, process: Process, order: isl.Map, point: Sequence[str], scope: _Scope
) -> tuple[str, ...]:
    """Names for the components of dates that order instances: those of coordinates of instances or tiles they equal."""
    known = [*point, *map(scope.allot, network.tiles.coordinates)]
    values = range_product((_with_coordinates(process.dates, len(network.tiles.sizes)), order))
    names: list[str] = []
    for position in range(order.dim(Dim.out)):
        equal = (known[k] for k in _equal_values(values, len(known), position) if known[k] not in names)
        names.append(next(equal, None) or scope.allot(f"t{position}"))
    return tuple(names)


def _with_coordinates(dates: isl.Map, tile: int) -> isl.Map:
    """Instances to their own coordinates and to the first components of dates."""
    tiles = dates.project_out(Dim.out, tile, dates.dim(Dim.out) - tile)
    return range_product((dates.domain().identity().reset_tuple_id(Dim.out), tiles))


def _equal_values(values: isl.Map, known: int, position: int) -> Iterator[int]:
    """The known values, which come first, that always equal the one at a position behind them."""
    for k in range(known):
        if values.is_subset(values.equate(Dim.out, k, Dim.out, known + position)):
            yield k
