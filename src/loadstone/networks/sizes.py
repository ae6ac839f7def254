"""How large the channels of a network must be, for given parameters.

The size of a channel is the largest number of values that it holds when the program runs in its sequential order. With
these sizes the network never deadlocks: the sequential order is one of its executions, and if one execution of a
network of Kahn ends, all do.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from loadstone.networks.contraction import reorder_mapping
from loadstone.networks.model import Channel, Network
from loadstone.networks.value_lifetimes import Life, Ranks, lives, sequential_ranks
from loadstone.storage.lattice import Modular
from loadstone.storage.search import rounded


@dataclass(frozen=True, slots=True)
class ChannelSize:
    """The size of a channel: the most values that it holds at a time, and the cells that it needs for them.

    A channel that is not in order writes each value to the cell to which `mapping` maps the producer's instance. A FIFO
    needs no mapping, and as many cells as values.
    """

    values: int
    cells: int
    mapping: Modular | None = None


def occupancy(network: Network, channel: Channel, parameters: Mapping[str, int]) -> int:
    """The largest number of values that a channel holds in the sequential order. Exact.

    A value is there from the instance that writes it to the one that reads it last. By enumeration: about 3
    microseconds for each instance of both processes, and one for each read.
    """
    ranks = sequential_ranks((network.producer(channel), network.consumer(channel)), parameters)
    return most_alive(lives(channel, ranks, parameters).values())


def occupancies(network: Network, parameters: Mapping[str, int]) -> dict[str, int]:
    """The occupancies of all channels by their ids; instances are enumerated once for all channels."""
    ranks = sequential_ranks(network.processes.values(), parameters)
    return {c.id: most_alive(lives(c, ranks, parameters).values()) for c in network.channels}


def most_alive(values: Collection[Life]) -> int:
    """The largest number of lives that share a time."""
    starts, ends = sorted(life.start for life in values), sorted(life.end for life in values)
    most = gone = 0
    for written, start in enumerate(starts, 1):
        while ends[gone] <= start:
            gone += 1
        most = max(most, written - gone)
    return most


def power_of_two(size: int) -> int:
    """The least power of two that is at least `size`."""
    return rounded(size, True)


def sized(network: Network, parameters: Mapping[str, int]) -> dict[str, ChannelSize]:
    """The sizes of all channels by their ids, each at least one cell.

    Costs as for `occupancy`, and up to a second for each channel that is not in order.
    """
    ranks = sequential_ranks(network.processes.values(), parameters)
    return {channel.id: _size(network, channel, ranks, parameters) for channel in network.channels}


def reorder_buffer(network: Network, channel: Channel, parameters: Mapping[str, int]) -> Modular:
    """The cells for the values of a channel that is not in order, as a mapping of the producer's instances."""
    ranks = sequential_ranks((network.producer(channel), network.consumer(channel)), parameters)
    found = lives(channel, ranks, parameters)
    return reorder_mapping(network, channel, parameters, found, most_alive(found.values()))


def _size(network: Network, channel: Channel, ranks: Ranks, parameters: Mapping[str, int]) -> ChannelSize:
    found = lives(channel, ranks, parameters)
    most = most_alive(found.values())
    if channel.pattern in ("fifo", "fifo-register"):
        return ChannelSize(most, max(1, most))
    mapping = reorder_mapping(network, channel, parameters, found, most)
    return ChannelSize(most, mapping.cells, mapping)
