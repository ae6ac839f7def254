"""A network drawn: as lines of text, and in DOT for graphviz."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from loadstone.networks.description import Size, size_text
from loadstone.networks.model import Channel, Network, Process

SHAPES = {"load": "invhouse", "compute": "box", "store": "house"}


def bundles(network: Network) -> list[tuple[Process, Process, list[Channel]]]:
    """The channels between each pair of processes, in the order of the processes."""
    rank = {name: number for number, name in enumerate(network.processes)}
    ordered = sorted(network.channels, key=lambda c: (rank[c.producer], rank[c.consumer]))
    return [
        (network.processes[producer], network.processes[consumer], list(group))
        for (producer, consumer), group in groupby(ordered, key=lambda c: (c.producer, c.consumer))
    ]


def counted(channels: Sequence[Channel]) -> str:
    """How many channels of which pattern, in words."""
    found = [channel.pattern for channel in channels]
    return ", ".join(f"{found.count(pattern)} {pattern}" for pattern in dict.fromkeys(found))


def text_lines(network: Network) -> Iterator[str]:
    """One line for each pair of processes with channels between them."""
    left = max((len(c.producer) for c in network.channels), default=0)
    right = max((len(c.consumer) for c in network.channels), default=0)
    for producer, consumer, channels in bundles(network):
        arrow = "═" * min(4, len(channels)) + "▶"
        yield f"{producer.name:>{left}} {arrow:>5} {consumer.name:{right}}  {counted(channels)}"


def dot(network: Network, sizes: Mapping[str, Size]) -> str:
    """The network as a directed graph in DOT."""
    name = network.tiles.kernel.name
    lines = [f'digraph "{name}" {{', "  rankdir=LR;"]
    for process in network.processes.values():
        lines.append(f'  "{process.name}" [shape={SHAPES[process.kind]}];')
    for channel in network.channels:
        size = size_text(sizes[channel.id])
        label = f"{channel.id} {channel.array}\\n{channel.pattern}" + ("" if size is None else f"\\n{size}")
        style = "solid" if channel.pattern == "fifo" else "dashed"
        lines.append(f'  "{channel.producer}" -> "{channel.consumer}" [label="{label}", style={style}];')
    return "\n".join([*lines, "}", ""])
