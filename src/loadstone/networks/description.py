"""A network as JSON, with the numbers of its channels before and after they were split."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import islpy as isl

from loadstone.networks.model import Channel, Network, Process
from loadstone.poly.dimensions import constant_component, with_components
from loadstone.poly.spaces import Dim
from loadstone.transfer.volumes import total


class Closed(NamedTuple):
    """A size for all parameters; without `exact`, an upper bound."""

    form: isl.PwQPolynomial
    exact: bool


Size = int | Closed | None
"""A number for given parameters, a closed form for others, or nothing known."""


_OF_CHANNELS = ("id", "producer", "consumer", "array", "read", "relation", "pattern", "split_from", "depth")
"""What the JSON has of a channel, in this order."""


def network_info(
    network: Network, sizes: Mapping[str, Size], before: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The network as JSON; `before` is the summary of the network whose channels are whole, if that is known."""
    earlier = {} if before is None else {"before": dict(before)}
    return {
        "processes": [_process_info(process) for process in network.processes.values()],
        "channels": [_channel_info(channel, sizes[channel.id]) for channel in network.channels],
        "summary": {**summary(network, sizes), **earlier},
    }


def summary(network: Network, sizes: Mapping[str, Size]) -> dict[str, Any]:
    """How many channels there are, how many of them are FIFOs, and how large both are together."""
    fifos = [channel.id for channel in network.channels if channel.pattern == "fifo"]
    return {
        "channels": len(network.channels),
        "fifo": len(fifos),
        "fifo_size": size_text(added([sizes[name] for name in fifos])),
        "total_size": size_text(added([sizes[channel.id] for channel in network.channels])),
    }


def added(sizes: list[Size]) -> Size:
    """The sum of sizes; None where one is unknown, or closed forms add up to one that is too large."""
    numbers = [size for size in sizes if isinstance(size, int)]
    closed = [size for size in sizes if isinstance(size, Closed)]
    if not closed:
        return sum(numbers) if len(numbers) == len(sizes) else None
    form = total([size.form for size in closed]) if len(closed) == len(sizes) else None
    return None if form is None else Closed(form, all(size.exact for size in closed))


def size_text(size: Size) -> int | str | None:
    """A size as JSON: a number, a closed form in isl syntax, or nothing."""
    return str(size.form) if isinstance(size, Closed) else size


def local_schedule(process: Process) -> isl.Map:
    """The dates of a process without components that are the same for all of its instances."""
    values = isl.Map.from_range(process.dates.range())
    changing = [k for k in range(values.dim(Dim.out)) if constant_component(values, k) is None]
    return with_components(process.dates, changing)


def _process_info(process: Process) -> dict[str, Any]:
    return {
        "name": process.name,
        "kind": process.kind,
        "domain": str(process.domain),
        "schedule": str(local_schedule(process)),
    }


def _channel_info(channel: Channel, size: Size) -> dict[str, Any]:
    info = {name: getattr(channel, name) for name in _OF_CHANNELS}
    info |= {"relation": str(channel.relation), "size": size_text(size)}
    bound = {} if not isinstance(size, Closed) else {"size_is_bound": not size.exact}
    return {**info, **bound, **({"note": channel.note} if channel.note else {})}
