"""A network as an SVG picture: loads to the left, statements from top to bottom, stores to the right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from loadstone.markup import Markup, element
from loadstone.networks.drawing import bundles, counted
from loadstone.networks.model import Channel, Kind, Network

COLUMNS: Mapping[Kind, float] = {"load": 20.0, "compute": 320.0, "store": 680.0}
WIDTH, HEIGHT, GAP = 120.0, 40.0, 60.0
BEND = 46.0
_STYLE = """
.process { fill: #fff; stroke: #333; stroke-width: 1.5 }
.load { fill: #e4eefc } .compute { fill: #fdf3dd } .store { fill: #e6f5e4 }
.channel { fill: none; stroke: #555; stroke-width: 1.5; marker-end: url(#arrow) }
.apart { stroke: #b3402a; stroke-dasharray: 5 3 }
text { font: 13px sans-serif; fill: #222 } .label { font-size: 11px; fill: #555 }
"""


class Box(NamedTuple):
    """The place of a process."""

    x: float
    y: float

    @property
    def middle(self) -> float:
        """The height of its middle."""
        return self.y + HEIGHT / 2


def network_svg(network: Network) -> Markup:
    """The picture, one arrow for all channels from one process to another; dashed where some are no FIFO."""
    boxes = _boxes(network)
    width = COLUMNS["store"] + WIDTH + 20
    height = max((box.y for box in boxes.values()), default=0.0) + HEIGHT + GAP
    arrow = {"id": "arrow", "markerWidth": 8, "markerHeight": 8, "refX": 8, "refY": 4, "orient": "auto"}
    marker = element("marker", element("path", d="M0 0 L8 4 L0 8 z", fill="#555"), **arrow)
    arrows = [
        _arrow(boxes[producer.name], boxes[consumer.name], channels)
        for producer, consumer, channels in bundles(network)
    ]
    shapes = [_process(name, network.processes[name].kind, box) for name, box in boxes.items()]
    style = element("style", Markup(_STYLE))
    return element(
        "svg",
        style,
        element("defs", marker),
        *arrows,
        *shapes,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        width=width,
        height=height,
    )


def _boxes(network: Network) -> dict[str, Box]:
    """Processes of one kind below each other, the shorter columns centred."""
    kinds: dict[Kind, list[str]] = {kind: [] for kind in COLUMNS}
    for process in network.processes.values():
        kinds[process.kind].append(process.name)
    tallest = max(len(names) for names in kinds.values())
    step = HEIGHT + GAP
    return {
        name: Box(COLUMNS[kind], GAP / 2 + (number + (tallest - len(names)) / 2) * step)
        for kind, names in kinds.items()
        for number, name in enumerate(names)
    }


def _process(name: str, kind: Kind, box: Box) -> Markup:
    shape = element("rect", x=box.x, y=box.y, width=WIDTH, height=HEIGHT, rx=6, class_=f"process {kind}")
    label = element("text", name, x=box.x + WIDTH / 2, y=box.middle + 4, text_anchor="middle")
    return element("g", shape, label)


def _arrow(start: Box, end: Box, channels: list[Channel]) -> Markup:
    label = counted(channels)
    in_order = all(channel.pattern == "fifo" for channel in channels)
    path, x, y = _curve(start, end)
    drawn = element("path", d=path, class_="channel" if in_order else "channel apart")
    return element("g", drawn, element("text", label, x=x, y=y, class_="label"), element("title", _ids(channels)))


def _ids(channels: list[Channel]) -> str:
    return ", ".join(channel.id for channel in channels)


def _curve(start: Box, end: Box) -> tuple[str, float, float]:
    """The path of an arrow, and where its label begins."""
    right, left = start.x + WIDTH, end.x
    if start == end:
        path = f"M{right} {start.middle - 10} C{right + BEND} {start.middle - 24} {right + BEND} {start.middle + 24}"
        return f"{path} {right} {start.middle + 10}", right + BEND - 6, start.middle - 12
    if start.x == end.x:
        bend = right + BEND if start.y < end.y else left - BEND
        side = right if start.y < end.y else left
        label = bend - 8 if start.y < end.y else bend - 40
        path = f"M{side} {start.middle} C{bend} {start.middle} {bend} {end.middle} {side} {end.middle}"
        return path, label, (start.middle + end.middle) / 2 + 4
    bend = (right + left) / 2
    path = f"M{right} {start.middle} C{bend} {start.middle} {bend} {end.middle} {left} {end.middle}"
    return path, right + 8, start.middle - 8 + (end.middle - start.middle) * 0.15
