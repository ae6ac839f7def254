"""The roofline of an accelerator: what lanes and memories allow, and how near a run comes [Williams et al., 2009].

Across: instances for each byte that moves. Up: instances in a cycle. Lanes are a flat roof, one instance in a cycle
each; the bytes that memories move in a cycle are slanted ones, one for all memories that move as many.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle
from math import ceil, floor, log2

from loadstone.markup import Markup, element
from loadstone.reporting.machine import Machine

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BELOW = 720.0, 360.0, 60.0, 130.0, 28.0, 44.0
COLOURS = ("#3b6fb6", "#d9752f", "#2b7a4b", "#8b4fb0")
_STYLE = "text{font:12px sans-serif;fill:#555}.axis{stroke:#8886}.roof{fill:none;stroke-width:2}.lanes{stroke:#777}"


@dataclass(frozen=True, slots=True)
class _Plane:
    """Powers of two along both axes, and where they are drawn."""

    across: tuple[int, int]
    up: tuple[int, int]

    def x(self, value: float) -> float:
        """The place of an intensity."""
        first, last = self.across
        return LEFT + (WIDTH - LEFT - RIGHT) * (log2(value) - first) / (last - first)

    def y(self, value: float) -> float:
        """The place of a speed."""
        first, last = self.up
        return HEIGHT - BELOW - (HEIGHT - TOP - BELOW) * (log2(value) - first) / (last - first)


def roofline_svg(machine: Machine) -> Markup | None:
    """The picture; None for an accelerator that moves nothing or computes nothing."""
    if not machine.moved or not machine.instances:
        return None
    intensity = machine.instances / machine.moved
    plane = _plane(machine, intensity)
    colours = dict(zip(dict.fromkeys(speed.peak for speed in machine.speeds), cycle(COLOURS), strict=False))
    roofs = [part for peak, colour in colours.items() for part in _roof(machine.lanes, plane, peak, colour)]
    dots = [
        element(
            "circle",
            cx=plane.x(intensity),
            cy=plane.y(machine.instances / max(1, speed.cycles)),
            r=5.0,
            fill=colours[speed.peak],
        )
        for speed in machine.speeds
    ]
    legend = [
        element("text", name, x=WIDTH - RIGHT + 6, y=TOP + 12 + 18 * place, style=f"fill:{colours[peak]}")
        for place, (name, peak) in enumerate((speed.memory, speed.peak) for speed in machine.speeds)
    ]
    parts = [*_axes(plane), *roofs, _lanes(machine, plane), *dots, *legend]
    return element("svg", element("style", Markup(_STYLE)), *parts, viewBox=f"0 0 {WIDTH:.0f} {HEIGHT:.0f}")


def _plane(machine: Machine, intensity: float) -> _Plane:
    """All roofs and points with room around them."""
    ridges = [machine.lanes / speed.peak for speed in machine.speeds]
    reached = [machine.instances / max(1, speed.cycles) for speed in machine.speeds]
    across = floor(log2(min(intensity, *ridges))) - 1, ceil(log2(max(intensity, *ridges))) + 1
    lowest = min([*reached, *(2.0 ** across[0] * speed.peak for speed in machine.speeds)])
    return _Plane(across, (floor(log2(lowest)), ceil(log2(machine.lanes)) + 1))


def _axes(plane: _Plane) -> Iterator[Markup]:
    left, bottom = LEFT, HEIGHT - BELOW
    for power in range(plane.across[0], plane.across[1] + 1):
        x = plane.x(2.0**power)
        yield element("line", x1=x, x2=x, y1=TOP, y2=bottom, class_="axis")
        yield element("text", _power(power), x=x, y=bottom + 16, text_anchor="middle")
    for power in range(plane.up[0], plane.up[1] + 1):
        y = plane.y(2.0**power)
        yield element("line", x1=left, x2=WIDTH - RIGHT, y1=y, y2=y, class_="axis")
        yield element("text", _power(power), x=left - 6, y=y + 4, text_anchor="end")
    yield element("text", "instances for each byte moved", x=WIDTH - RIGHT, y=HEIGHT - 8, text_anchor="end")
    yield element("text", "instances in a cycle", x=4.0, y=TOP - 14)


def _power(power: int) -> str:
    """A power of two as people write it.

    >>> _power(3), _power(-2)
    ('8', '1/4')
    """
    return str(2**power) if power >= 0 else f"1/{2**-power}"


def _lanes(machine: Machine, plane: _Plane) -> Markup:
    y = plane.y(machine.lanes)
    name = "1 lane" if machine.lanes == 1 else f"{machine.lanes} lanes"
    start = plane.x(min(machine.lanes / max(speed.peak for speed in machine.speeds), 2.0 ** plane.across[1]))
    line = element("line", x1=start, x2=WIDTH - RIGHT, y1=y, y2=y, class_="roof lanes")
    return Markup(line + element("text", name, x=WIDTH - RIGHT - 4, y=y - 6, text_anchor="end"))


def _roof(lanes: int, plane: _Plane, peak: float, colour: str) -> tuple[Markup, Markup]:
    """The bytes that memories move in a cycle, up to where lanes become the limit."""
    start, ridge = 2.0 ** plane.across[0], lanes / peak
    x, y = plane.x(start), plane.y(start * peak)
    line = element(
        "path", d=f"M{x:.1f} {y:.1f}L{plane.x(ridge):.1f} {plane.y(lanes):.1f}", class_="roof", stroke=colour
    )
    label = {"x": plane.x(ridge) - 10, "y": plane.y(lanes) + 2, "text_anchor": "end", "style": f"fill:{colour}"}
    return line, element("text", f"{peak:.3g} B/cycle", **label)
