"""Channels that tiling has put out of order, split into FIFOs.

`split_by_depth` is the published method [RR-9131, 3]: SPLIT parts a channel by the first tile dimension that its values
cross, FIFOIZE keeps the parts if all of them are FIFOs. It gives up on dependences that are longer than a tile, and on
skewed hyperplanes: (t, i) -> (t, i + 3) with tiles of 2 in the second dimension stays out of order at depth 2.

`split_completely` never gives up on a channel that was a FIFO before tiling, for any legal tiling of constant sizes.
Write phi(x) = floor(theta(x) / b) for the tile of an instance x; before tiling instances run in the order of their
times, which begin with theta, after it in the order of (phi, time). Values read once are read once in every part, so
that only the order counts. Let x -> x' and y -> y' be two values, x' read before y' after tiling.

(a) Equal distances. If phi(x') - phi(x) = phi(y') - phi(y), they are in order. Either phi(x') is smaller than phi(y');
    then phi(x) is smaller than phi(y) by the same difference, and x runs before y. Or x' and y' share a tile; then so
    do x and y, and inside of a tile the order is the one before tiling, in which the channel is a FIFO. A uniform
    dependence has at most two distances per dimension (rounded down and up), hence at most 2^n parts.

    The argument carries over to affine dependences theta(x) = L theta(x') + constant. Their distance
    b phi(x) - L b phi(x') is bounded, as positions inside of a tile are: by L and b, not by the parameters. Where it is
    equal, b (phi(y) - phi(x)) = L b (phi(y') - phi(x')), so that the tiles are in order if L turns lexicographically
    positive vectors into such. A FIFO before tiling mostly has such an L, but need not.

(b) Equal positions. If theta(x) = theta(y) and theta(x') = theta(y'), all modulo b, they are in order, because tiling
    changed neither order: as theta = b phi + position in each dimension, phi and theta compare x and y alike, and
    where phi agrees so does theta, and the rest of the times decides as before. The same holds for x' and y'. There
    are finitely many positions, at most the square of the volume of a tile, and no dependence is an exception.

(c) So two values out of order differ in a position, and cutting a part that is not a FIFO between such values, again
    and again, ends with FIFOs.

Few parts: depths first; where one is no FIFO, distances if these are few and do it; else intervals of one distance or
position, as long as they can be (a part of a FIFO is a FIFO, so that bisection finds them); else one cut between two
values that are out of order, and so on for both sides. In the end parts whose union is still a FIFO are put together:
the union is in order exactly if the parts are, each by itself and any two of them, so that the fewest groups are a
colouring of a small graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce

import islpy as isl

from loadstone.networks.crossings import Crossing
from loadstone.networks.groups import fewest_groups
from loadstone.networks.model import Channel, Network, Pattern
from loadstone.networks.parts import NoSplit, Part, Splitter
from loadstone.networks.patterns import PATTERNS, in_order, timed, untimed
from loadstone.poly import coalesced
from loadstone.poly.dimensions import without_first_components
from loadstone.poly.limits import LimitReached, operation_limit

SPLIT_LIMIT = 20_000_000
FIFO: Pattern = "fifo"


def split_by_depth(network: Network) -> Network:
    """The network with channels between statements that are no FIFOs split by depth, where that gives only FIFOs."""
    return _with_channels(network, (_fifoized(network, channel) for channel in network.channels))


def split_completely(network: Network) -> Network:
    """The network with channels between statements that are no FIFOs split into few FIFOs.

    Every channel that is a FIFO before tiling is, unless isl needs too many operations: then it stays whole, with a
    note. Others are where depths or tile distances are enough. Channels that are in order before tiling, but read
    several times, are split into channels in order where their tile distances are few.
    """
    return _with_channels(network, (_completely_split(network, channel) for channel in network.channels))


def _with_channels(network: Network, split: Iterable[Sequence[Channel]]) -> Network:
    return replace(network, channels=tuple(channel for channels in split for channel in channels))


def _can_split(network: Network, channel: Channel) -> bool:
    ends = network.producer(channel), network.consumer(channel)
    return channel.pattern != FIFO and all(process.kind == "compute" for process in ends)


def _fifoized(network: Network, channel: Channel) -> Sequence[Channel]:
    """FIFOIZE [RR-9131, 3]: the parts by depth if all of them are FIFOs, else the channel."""
    if not _can_split(network, channel):
        return (channel,)
    try:
        with operation_limit(SPLIT_LIMIT):
            parts = [Part(values, depth) for depth, values in _crossing(network, channel).by_depth()]
            if not all(Splitter(regular=False, once=True).fits(part.values) for part in parts):
                return (channel,)
            return _numbered(network, channel, [(part,) for part in parts])
    except LimitReached as reached:
        return (replace(channel, note=f"not split: {reached}"),)


def _completely_split(network: Network, channel: Channel) -> Sequence[Channel]:
    if not _can_split(network, channel):
        return (channel,)
    try:
        with operation_limit(SPLIT_LIMIT):
            return _few_parts(network, channel)
    except NoSplit:
        return (channel,)
    except LimitReached as reached:
        by_depth = _fifoized(network, channel)
        return by_depth if len(by_depth) > 1 else (replace(channel, note=f"not split: {reached}"),)


def _few_parts(network: Network, channel: Channel) -> Sequence[Channel]:
    """The parts of a channel, all of them FIFOs if that can be, else in order; raises `NoSplit` if neither can."""
    try:
        return _grouped(network, channel, Splitter(_is_fifo_before_tiling(network, channel), once=True))
    except NoSplit:
        if channel.pattern != "reorder-register":
            raise
    return _grouped(network, channel, Splitter(regular=False, once=False))


def _grouped(network: Network, channel: Channel, splitter: Splitter) -> Sequence[Channel]:
    parts = tuple(splitter.parts(_crossing(network, channel)))
    return _numbered(network, channel, fewest_groups(parts, splitter.fit_together))


def _is_fifo_before_tiling(network: Network, channel: Channel) -> bool:
    tile = len(network.tiles.sizes)
    writing, reading = (without_first_components(dates, tile) for dates in _dates(network, channel))
    return channel.relation.is_single_valued() and in_order(timed(channel.relation, writing, reading))


def _crossing(network: Network, channel: Channel) -> Crossing:
    sizes = network.tiles.sizes
    return Crossing(sizes, timed(channel.relation, *_dates(network, channel), always=2 * len(sizes)))


def _dates(network: Network, channel: Channel) -> tuple[isl.Map, isl.Map]:
    return network.producer(channel).dates, network.consumer(channel).dates


def _numbered(network: Network, channel: Channel, groups: Sequence[Sequence[Part]]) -> Sequence[Channel]:
    """The channels that carry groups of parts, each group in order; one group is the channel itself."""
    found = [_carrying(network, channel, group) for group in groups]
    if len(found) == 1:
        return found
    return [
        replace(part, id=f"{channel.id}.{number}", split_from=channel.id, depth=_common_depth(group))
        for number, (part, group) in enumerate(zip(found, groups, strict=True), 1)
    ]


def _carrying(network: Network, channel: Channel, parts: Sequence[Part]) -> Channel:
    dated = coalesced(reduce(isl.Map.union, (part.values.dated for part in parts)))
    relation = untimed(dated, *_dates(network, channel), always=2 * len(network.tiles.sizes))
    return replace(channel, relation=relation, pattern=PATTERNS[True, dated.is_single_valued()], note="")


def _common_depth(parts: Sequence[Part]) -> int | None:
    """The depth at which the values of all parts cross tiles; None where they differ."""
    depths = {part.depth for part in parts}
    return depths.pop() if len(depths) == 1 else None
