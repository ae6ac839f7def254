"""How large the channels of a network must be, for given parameters.

The size of a channel is the largest number of values that it holds when the program runs in its sequential order. With
these sizes the network never deadlocks: the sequential order is one of its executions, and if one execution of a
network of Kahn ends, all do.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from loadstone.networks.contraction import block_mapping, reorder_mapping
from loadstone.networks.model import Channel, Network
from loadstone.networks.value_lifetimes import Life, lives, sequential_ranks, tile_lives, tile_numbers
from loadstone.poly.enumeration import Point
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


def occupancies(network: Network, parameters: Mapping[str, int]) -> dict[str, int]:
    """The largest numbers of values that channels hold in the sequential order, by their ids. Exact.

    A value is there from the instance that writes it to the one that reads it last. By enumeration: about 3
    microseconds for each instance, once for all channels, and one for each read.
    """
    found = _all_lives(network, parameters)
    return {c.id: most_alive(found[c.id].values()) for c in network.channels}


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

    Costs as for `occupancies`, and up to a second for each channel that is not in order.
    """
    found = _all_lives(network, parameters)
    return {channel.id: _size(network, channel, found[channel.id], parameters) for channel in network.channels}


def _all_lives(network: Network, parameters: Mapping[str, int]) -> dict[str, dict[Point, Life]]:
    """The lives of the values of all channels; in whole tiles between processes of a network in blocks."""
    processes = network.processes.values()
    ranks = sequential_ranks(processes, parameters)
    found = {c.id: lives(c, ranks, parameters) for c in network.channels}
    if network.blocks is not None:
        numbers = tile_numbers(processes, len(network.tiles.sizes), parameters)
        shared = [c for c in network.channels if c.producer != c.consumer]
        found |= {c.id: tile_lives(c, numbers, network.blocks, parameters) for c in shared}
    return found


def _size(
    network: Network, channel: Channel, found: Mapping[Point, Life], parameters: Mapping[str, int]
) -> ChannelSize:
    most = most_alive(found.values())
    if channel.pattern in ("fifo", "fifo-register"):
        return ChannelSize(most, max(1, most))
    in_blocks = network.blocks is not None and channel.producer != channel.consumer
    make = block_mapping if in_blocks else reorder_mapping
    mapping = make(network, channel, parameters, found, most)
    return ChannelSize(most, mapping.cells, mapping)
