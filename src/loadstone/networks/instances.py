"""What of a network there is for given parameters: processes with instances, channels with values, words moved."""

from __future__ import annotations

from collections.abc import Mapping

import islpy as isl

from loadstone.networks.model import Channel, Network, Process
from loadstone.poly import fixed
from loadstone.poly.dimensions import at_least
from loadstone.poly.spaces import Dim
from loadstone.transfer.volumes import count


def network_words(network: Network, parameters: Mapping[str, int], *, scalars: bool = True) -> tuple[int, int]:
    """The words that the processes of a network load and store, those of scalars among them if wanted."""
    arrays = network.tiles.kernel.arrays
    moving = [p for p in network.processes.values() if p.kind != "compute" and (scalars or arrays[p.array].rank)]
    loaded, stored = (
        sum(count(process.domain, parameters) for process in moving if process.kind == kind)
        for kind in ("load", "store")
    )
    return loaded, stored


def active_processes(network: Network, parameters: Mapping[str, int]) -> tuple[Process, ...]:
    """The processes that have instances; all, if none has."""
    processes = tuple(network.processes.values())
    return tuple(p for p in processes if not fixed(p.domain, parameters).is_empty()) or processes


def active_channels(network: Network, parameters: Mapping[str, int]) -> tuple[Channel, ...]:
    """The channels that carry values."""
    return tuple(c for c in network.channels if not fixed(c.relation, parameters).is_empty())


def may_be_negative(domain: isl.Set) -> bool:
    """Whether a coordinate of a point of the set may be negative."""
    return any(not domain.is_subset(at_least(domain, k, 0)) for k in range(domain.dim(Dim.set)))
