"""Cells for the values of channels that are not in order, by the contraction of the buffer stage.

Two values conflict if one is in the channel when the other has just been written, in the sequential order. Cells are
numbered by a modular mapping of the producer's instances that maps no two conflicting values to one cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import reduce

import islpy as isl

from loadstone.networks.model import Channel, Network
from loadstone.networks.patterns import deciding_dates
from loadstone.networks.value_lifetimes import Life
from loadstone.poly import coalesced, fixed
from loadstone.poly.dimensions import signed_differences, with_components
from loadstone.poly.enumeration import Point
from loadstone.poly.extrema import least
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.poly.order import earlier, later, not_earlier
from loadstone.storage.lattice import Modular, best_modular
from loadstone.storage.search import identity

CONFLICT_LIMIT = 3_000_000
MOST_CONFLICTS = 1_000_000
SEARCH_BUDGET = 20_000


def reorder_mapping(
    network: Network, channel: Channel, parameters: Mapping[str, int], lives: Mapping[Point, Life], most: int
) -> Modular:
    """The mapping for the values of a channel whose lives for these parameters are known; `most` share a time.

    The fewest cells that the search of the buffer stage finds. Where isl needs too many operations for the conflicts,
    these are enumerated and the mapping is by successive modulo; where they are too many, no subscript is folded.
    """
    return _mapping(lambda: written_to_present(network, channel, parameters), lives, most)


def block_mapping(
    network: Network, channel: Channel, parameters: Mapping[str, int], lives: Mapping[Point, Life], most: int
) -> Modular:
    """The mapping for values that live for whole tiles, which `lives` number; `most` share a tile."""
    return _mapping(lambda: _present_in_tiles(network, channel, parameters), lives, most)


def _mapping(conflicts: Callable[[], isl.Map], lives: Mapping[Point, Life], most: int) -> Modular:
    """The mapping under which no two conflicting values share a cell; by enumeration where isl takes too long."""
    try:
        with operation_limit(CONFLICT_LIMIT):
            return best_modular(signed_differences(conflicts()), max(1, most), budget=SEARCH_BUDGET)
    except LimitReached:
        return enumerated_mapping(lives, most)


def _present_in_tiles(network: Network, channel: Channel, parameters: Mapping[str, int]) -> isl.Map:
    """Values of a channel to the values alive in the tile that writes them, themselves included."""
    count = range(len(network.tiles.sizes))
    tiles_of = {p.name: fixed(with_components(p.dates, count), parameters) for p in network.processes.values()}
    tiles = coalesced(reduce(isl.Set.union, (each.range() for each in tiles_of.values())))
    following = least(later(tiles.get_space()).intersect_domain(tiles).intersect_range(tiles))
    written = tiles_of[channel.producer].intersect_domain(channel.relation.domain())
    kept = step = fixed(channel.relation, parameters).apply_range(tiles_of[channel.consumer])
    for _ in range(1, network.blocks or 1):
        step = step.apply_range(following)
        kept = kept.union(step)
    space = tiles.get_space()
    before = written.apply_range(not_earlier(space).reverse()).apply_range(written.reverse())
    alive = written.apply_range(not_earlier(space)).apply_range(coalesced(kept).reverse())
    return coalesced(coalesced(before).intersect(coalesced(alive)))


def written_to_present(network: Network, channel: Channel, parameters: Mapping[str, int] | None = None) -> isl.Map:
    """Values of a channel to its live values, themselves included, right after they are written.

    Values are the instances that produce them. For given parameters, or for all of them.
    """
    given = parameters or {}
    writing, reading = (fixed(dates, given) for dates in comparable_dates(network, channel))
    written = writing.intersect_domain(channel.relation.domain())
    read = channel.relation.apply_range(reading)
    moments = writing.get_space().range()
    before = written.apply_range(earlier(moments)).apply_range(written.reverse())
    itself = written.domain().identity()
    unread = written.apply_range(later(moments)).apply_range(read.reverse())
    return coalesced(coalesced(before).union(itself)).intersect(coalesced(unread))


def comparable_dates(network: Network, channel: Channel) -> tuple[isl.Map, isl.Map]:
    """The dates of the producer and the consumer, both with only those components that can decide an order."""
    writing, reading = network.producer(channel).dates, network.consumer(channel).dates
    shortened = deciding_dates(coalesced(writing.range().union(reading.range())).identity())
    return writing.apply_range(shortened), reading.apply_range(shortened)


def enumerated_mapping(lives: Mapping[Point, Life], most: int) -> Modular:
    """A mapping of values with these lives, of which `most` share a time; always admissible.

    The identity modulo 1 + max d_k over the differences of conflicting values with d_0 = ... = d_(k-1) = 0, or, where
    there are more than `MOST_CONFLICTS`, modulo the extents of all values.
    """
    rank = len(next(iter(lives), ()))
    many = len(lives) * most > MOST_CONFLICTS
    moduli = _extents(lives, rank) if many else _successive_moduli(set(_conflict_differences(lives)), rank)
    return Modular(identity(rank), moduli)


def _extents(values: Mapping[Point, Life], rank: int) -> tuple[int, ...]:
    columns = [[value[k] for value in values] for k in range(rank)]
    return tuple(1 + max(column) - min(column) for column in columns)


def _successive_moduli(differences: set[Point], rank: int) -> tuple[int, ...]:
    leading = [[abs(d[k]) for d in differences if not any(d[:k])] for k in range(rank)]
    return tuple(1 + max(numbers, default=0) for numbers in leading)


def _conflict_differences(lives: Mapping[Point, Life]) -> Iterator[Point]:
    """The differences of each value and the live values right after it is written."""
    present: list[tuple[Point, int]] = []
    for value, life in sorted(lives.items(), key=lambda item: item[1].start):
        present = [(other, end) for other, end in present if end > life.start]
        for other, _ in present:
            yield tuple(a - b for a, b in zip(value, other, strict=True))
        present.append((value, life.end))
