"""The curve of words against local memory as SVG."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import log2

from loadstone.markup import Markup, element, number
from loadstone.tiling_search.curve import Curve

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 720.0, 420.0, 90.0, 30.0, 20.0, 50.0
STYLE = (
    "text{font:12px sans-serif;fill:#333}.axis{stroke:#999}.found{stroke:#1f5fa8;fill:none;stroke-width:2}"
    ".point{fill:#1f5fa8}.bound{stroke:#c0392b;fill:none;stroke-dasharray:6 4}"
    ".least{stroke:#2e7d32;stroke-dasharray:2 3}"
)
Line = Sequence[tuple[float, float]]


def curve_svg(curve: Curve, title: str) -> str:
    """The curve with the bound and the compulsory words; both axes are logarithmic."""
    found = [(point.local, point.decision.words) for point in curve.points if point.decision is not None]
    bounds = [(point.local, point.bound) for point in curve.points if point.bound]
    across = _scale([point.local for point in curve.points], LEFT, WIDTH - RIGHT)
    words = [words for _, words in found] + [bound for _, bound in bounds] + [max(1, curve.compulsory)]
    up = _scale(words, HEIGHT - BOTTOM, TOP)
    least = up(max(1, curve.compulsory))
    parts = [
        element("line", x1=LEFT, y1=least, x2=WIDTH - RIGHT, y2=least, class_="least"),
        element("text", f"compulsory {number(curve.compulsory)}", x=LEFT + 4, y=least - 4),
        _path([(across(local), up(bound)) for local, bound in bounds], "bound"),
        _path(_steps([(across(local), up(moved)) for local, moved in found]), "found"),
        *(_point(across(local), up(moved), local, moved) for local, moved in found),
        *_axes(across, [point.local for point in curve.points], up, [moved for _, moved in found]),
        element("text", title, x=LEFT, y=TOP - 10),
    ]
    return element("svg", element("style", Markup(STYLE)), *parts, **_size())


def _size() -> dict[str, str | float]:
    return {"xmlns": "http://www.w3.org/2000/svg", "width": WIDTH, "height": HEIGHT}


def _scale(values: Sequence[float], start: float, end: float) -> Callable[[float], float]:
    first, last = log2(min(values)), log2(max(values))
    return lambda value: start + (log2(value) - first) / max(last - first, 1e-9) * (end - start)


def _steps(line: Line) -> Line:
    """The line in steps: a memory moves what the next smaller one that was looked at moves."""
    if not line:
        return line
    return [line[0], *(corner for (_, before), (x, y) in pairwise(line) for corner in ((x, before), (x, y)))]


def _path(line: Line, kind: str) -> Markup:
    return element("polyline", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in line), class_=kind)


def _point(x: float, y: float, local: int, words: int) -> Markup:
    label = element("title", f"{number(words)} words with {number(local)} words of local memory")
    return element("circle", label, cx=x, cy=y, r=4, class_="point")


def _axes(
    across: Callable[[float], float], locals_: Sequence[int], up: Callable[[float], float], words: Sequence[int]
) -> list[Markup]:
    base = HEIGHT - BOTTOM
    marks = [element("text", number(local), x=across(local) - 10, y=base + 18) for local in locals_[::2]]
    marks += [element("text", number(moved), x=4, y=up(moved) + 4) for moved in sorted({*words[:1], *words[-1:]})]
    return [
        element("line", x1=LEFT, y1=base, x2=WIDTH - RIGHT, y2=base, class_="axis"),
        element("line", x1=LEFT, y1=TOP, x2=LEFT, y2=base, class_="axis"),
        element("text", "words of local memory", x=(LEFT + WIDTH) / 2 - 60, y=HEIGHT - 10),
        *marks,
    ]
