"""The elements that load and store processes of a network move."""

from __future__ import annotations

from collections.abc import Mapping

from loadstone.networks.model import Network
from loadstone.transfer.volumes import count


def elements_moved(network: Network, parameters: Mapping[str, int]) -> tuple[int, int]:
    """The elements of arrays that the processes of a network load and store; scalars are passed as arguments."""
    arrays = network.tiles.kernel.arrays
    moving = [each for each in network.processes.values() if each.kind != "compute" and arrays[each.array].rank]
    loaded, stored = (
        sum(count(process.domain, parameters) for process in moving if process.kind == kind)
        for kind in ("load", "store")
    )
    return loaded, stored
