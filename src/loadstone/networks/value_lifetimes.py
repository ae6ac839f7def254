"""The instances of processes in their order, and the lives of values in channels, for given parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import islpy as isl

from loadstone.networks.model import Channel, Process
from loadstone.poly.dimensions import constant_component, with_components
from loadstone.poly.enumeration import Point, pairs_in_order
from loadstone.poly.names import fixed
from loadstone.poly.spaces import Dim

Ranks = Mapping[str, Mapping[Point, int]]


@dataclass(frozen=True, slots=True)
class Life:
    """The life of a value: the ranks of the instance that writes it and of the one that reads it last.

    An instance first reads, then writes: a value that is read last by the instance that writes another is gone then.
    """

    start: int
    end: int


def instances_in_order(process: Process, parameters: Mapping[str, int]) -> list[Point]:
    """The instances of a process as it runs them: about 2 microseconds each."""
    dates = pairs_in_order(fixed(process.dates, parameters))
    return [instance for _, instance in sorted((date, x) for x, date in dates)]


def sequential_ranks(processes: Iterable[Process], parameters: Mapping[str, int]) -> Ranks:
    """The places of all instances of some processes in the sequential order: about 3 microseconds for each.

    Only ranks of the same call can be compared.
    """
    chosen = {process.name: process for process in processes}
    trimmed = _without_constants([process.dates for process in chosen.values()])
    order = sorted(
        (date, name, instance)
        for name, dates in zip(chosen, trimmed, strict=True)
        for instance, date in pairs_in_order(fixed(dates, parameters))
    )
    found: dict[str, dict[Point, int]] = {name: {} for name in chosen}
    for rank, (_, name, instance) in enumerate(order):
        found[name][instance] = rank
    return found


def _without_constants(dates: Sequence[isl.Map]) -> Sequence[isl.Map]:
    """Dates without the components that are the same number in all of them, which order nothing."""
    changing = [k for k in range(dates[0].dim(Dim.out)) if not _is_constant(dates, k)]
    return [with_components(part, changing) for part in dates]


def _is_constant(dates: Sequence[isl.Map], position: int) -> bool:
    numbers = {constant_component(part, position) for part in dates}
    return None not in numbers and len(numbers) == 1


def tile_numbers(
    processes: Iterable[Process], count: int, parameters: Mapping[str, int]
) -> dict[str, Mapping[Point, int]]:
    """The numbers of the tiles of all instances of some processes, in order; dates begin with `count` coordinates."""
    tiles_of = {p.name: fixed(with_components(p.dates, range(count)), parameters) for p in processes}
    found = {name: dict(pairs_in_order(tiles)) for name, tiles in tiles_of.items()}
    numbers = {tile: k for k, tile in enumerate(sorted({tile for tiles in found.values() for tile in tiles.values()}))}
    return {name: {point: numbers[tile] for point, tile in tiles.items()} for name, tiles in found.items()}


def tile_lives(channel: Channel, numbers: Ranks, blocks: int, parameters: Mapping[str, int]) -> dict[Point, Life]:
    """The lives of the values of a channel in whole tiles: from the tile that writes to the last that reads, and on."""
    found = lives(channel, numbers, parameters)
    return {source: Life(life.start, life.end + blocks) for source, life in found.items()}


def lives(channel: Channel, ranks: Ranks, parameters: Mapping[str, int]) -> dict[Point, Life]:
    """The lives of the values of a channel, by the producer's instances: about a microsecond for each read."""
    writing, reading = ranks[channel.producer], ranks[channel.consumer]
    last: dict[Point, int] = {}
    for source, target in pairs_in_order(fixed(channel.relation, parameters)):
        rank = reading[target]
        if rank > last.get(source, -1):
            last[source] = rank
    return {source: Life(writing[source], end) for source, end in last.items()}
