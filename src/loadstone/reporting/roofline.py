"""The roofline of an accelerator: what lanes and memories allow, and how near a run comes [Williams et al., 2009].

Across: instances for each byte that moves. Up: instances in a cycle. Lanes are a flat roof, one instance in a cycle
each; each memory is a slanted one, the bytes that it moves in a cycle.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, floor, log2

from loadstone.markup import Markup, element
from loadstone.reporting.machine import Machine

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BELOW = 720.0, 360.0, 60.0, 110.0, 16.0, 44.0
COLOURS = ("#3b6fb6", "#d9752f", "#2b7a4b", "#8b4fb0")
STYLE = "text{font:12px sans-serif;fill:#555}.axis{stroke:#8886}.roof{fill:none;stroke-width:2}.lanes{stroke:#777}"


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
    parts = [*_axes(plane), _lanes(machine, plane)]
    for place, speed in enumerate(machine.speeds):
        colour = COLOURS[place % len(COLOURS)]
        parts += _roof(machine, plane, speed.memory, speed.peak, colour)
        reached = machine.instances / max(1, speed.cycles)
        told = f"{speed.memory}: {reached:.3g} instances in a cycle"
        dot = element("circle", element("title", told), cx=plane.x(intensity), cy=plane.y(reached), r=5.0, fill=colour)
        parts.append(dot)
    return element("svg", element("style", Markup(STYLE)), *parts, viewBox=f"0 0 {WIDTH:.0f} {HEIGHT:.0f}")


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
    yield element("text", "instances in a cycle", x=4.0, y=TOP - 4)


def _power(power: int) -> str:
    """A power of two as people write it.

    >>> _power(3), _power(-2)
    ('8', '1/4')
    """
    return str(2**power) if power >= 0 else f"1/{2**-power}"


def _lanes(machine: Machine, plane: _Plane) -> Markup:
    y = plane.y(machine.lanes)
    name = "1 lane" if machine.lanes == 1 else f"{machine.lanes} lanes"
    line = element("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y, class_="roof lanes")
    return Markup(line + element("text", name, x=WIDTH - RIGHT + 6, y=y + 4))


def _roof(machine: Machine, plane: _Plane, name: str, peak: float, colour: str) -> list[Markup]:
    """The bytes of a memory in a cycle, up to where lanes become the limit."""
    start, ridge = 2.0 ** plane.across[0], min(machine.lanes / peak, 2.0 ** plane.across[1])
    line = element(
        "path",
        d=f"M{plane.x(start):.1f} {plane.y(start * peak):.1f}L{plane.x(ridge):.1f} {plane.y(ridge * peak):.1f}",
        class_="roof",
        stroke=colour,
    )
    places = [speed.memory for speed in machine.speeds]
    y = TOP + 60 + 18 * places.index(name)
    return [line, element("text", name, x=WIDTH - RIGHT + 6, y=y, style=f"fill:{colour}")]
