"""Channels whose values are read several times, turned into channels whose values are read once.

The value that comes from the producer is read once, by its first reader, which sends it on to the next one by a channel
of the consumer to itself, and so on:

    producer -> reader, reader, reader    becomes    producer -> reader -> reader -> reader

Where both channels are FIFOs, no value has to be kept for a read that is still to come, and none needs an address: a
channel that is not in order becomes two FIFOs, and one that is in order a FIFO and a FIFO of one value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from loadstone.networks.model import Channel, Network
from loadstone.networks.patterns import classified, deciding_dates
from loadstone.poly import coalesced
from loadstone.poly.extrema import least
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.poly.order import later

REUSE_LIMIT = 4_000_000


def with_reuse(network: Network, *, only_fifos: bool = True) -> Network:
    """The network with channels that are read several times as a channel `c.first` and a channel `c.reuse`.

    Only where both are FIFOs; without `only_fifos`, everywhere, so that a split may make FIFOs of them. Channels stay
    as they are where isl needs too many operations.
    """
    parts = [_parts(network, channel, only_fifos) for channel in network.channels]
    return replace(network, channels=tuple(part for some in parts for part in some))


def _parts(network: Network, channel: Channel, only_fifos: bool) -> Sequence[Channel]:
    if channel.pattern not in ("fifo-register", "reorder-register"):
        return (channel,)
    try:
        with operation_limit(REUSE_LIMIT):
            parts = _first(network, channel), _reuse(network, channel)
    except LimitReached:
        return (channel,)
    wanted = not only_fifos or all(part.pattern == "fifo" for part in parts)
    return [part for part in parts if not part.relation.is_empty()] if wanted else (channel,)


def _first(network: Network, channel: Channel) -> Channel:
    """The channel that brings each value to its first reader."""
    dates = deciding_dates(network.consumer(channel).dates)
    firsts = least(coalesced(channel.relation.apply_range(dates)))
    relation = coalesced(firsts.apply_range(dates.reverse()))
    return _read_once(network, replace(channel, id=f"{channel.id}.first", relation=relation))


def _reuse(network: Network, channel: Channel) -> Channel:
    """The channel that takes each value from a reader to the next one."""
    dates = deciding_dates(network.consumer(channel).dates)
    reads = channel.relation.apply_range(dates)
    others = channel.relation.reverse().apply_range(reads)
    after = dates.apply_range(later(dates.get_space().range()))
    following = least(coalesced(others.intersect(after)))
    relation = coalesced(following.apply_range(dates.reverse()))
    back = replace(channel, id=f"{channel.id}.reuse", producer=channel.consumer, relation=relation, forwards=True)
    return _read_once(network, back)


def _read_once(network: Network, part: Channel) -> Channel:
    """A part of a channel of the same id without its ending, with the pattern that it has."""
    found = classified(part.relation, network.producer(part).dates, network.consumer(part).dates)
    original = part.id.rpartition(".")[0]
    return replace(part, pattern=found.pattern, note=found.note, split_from=original)
