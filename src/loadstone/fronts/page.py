"""A front as a page: a plot one can point at, and a table; each design has its command line, ready to paste."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loadstone.markup import Markup, element, joined, number
from loadstone.texts import text_of

WIDTH, HEIGHT, LEFT, BELOW, MARGIN = 720, 420, 90, 50, 20
RADIUS, TICKS = 6, 5


@dataclass(frozen=True, slots=True)
class Dot:
    """A design in a plot, with all its measures and its command line."""

    across: int
    up: int
    measures: Mapping[str, int]
    command: str


@dataclass(frozen=True, slots=True)
class Plot:
    """Designs by two of their measures."""

    across: str
    up: str
    dots: tuple[Dot, ...]


@dataclass(frozen=True, slots=True)
class _Scale:
    """A measure along an axis, from 0 to the largest value."""

    most: int
    begin: float
    end: float

    def at(self, value: float) -> float:
        """The place of a value."""
        return self.begin + (self.end - self.begin) * value / max(1, self.most)

    def ticks(self) -> list[int]:
        """Round numbers up to the largest value."""
        steps = (factor * 10**power for power in range(len(str(self.most)) + 1) for factor in (1, 2, 5))
        step = next(step for step in steps if step * TICKS >= self.most)
        return list(range(0, self.most + 1, step))


def emit_plot(plot: Plot) -> Markup:
    """The plot as SVG; designs show their measures where one points at them."""
    across = _Scale(max((dot.across for dot in plot.dots), default=1), LEFT, WIDTH - MARGIN)
    up = _Scale(max((dot.up for dot in plot.dots), default=1), HEIGHT - BELOW, MARGIN)
    axes = [*_ticks(across, up), *_titles(plot)]
    dots = [_dot(place, dot, across, up) for place, dot in enumerate(plot.dots)]
    return element(
        "svg",
        *axes,
        _stairs(plot.dots, across, up),
        *dots,
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        width=WIDTH,
        height=HEIGHT,
        font_family="sans-serif",
        font_size=12,
        xmlns="http://www.w3.org/2000/svg",
    )


def _ticks(across: _Scale, up: _Scale) -> list[Markup]:
    grid = {"stroke": "#8884", "stroke_width": 1}
    lines: list[Markup] = []
    for value in across.ticks():
        x = across.at(value)
        lines.append(element("line", x1=x, x2=x, y1=up.begin, y2=up.end, **grid))
        lines.append(element("text", number(value), x=x, y=up.begin + 18, text_anchor="middle", fill="currentColor"))
    for value in up.ticks():
        y = up.at(value)
        lines.append(element("line", x1=across.begin, x2=across.end, y1=y, y2=y, **grid))
        lines.append(
            element("text", number(value), x=across.begin - 8, y=y + 4, text_anchor="end", fill="currentColor")
        )
    return lines


def _titles(plot: Plot) -> list[Markup]:
    style = {"font_weight": "bold", "fill": "currentColor"}
    return [
        element("text", plot.across, x=WIDTH - MARGIN, y=HEIGHT - 10, text_anchor="end", **style),
        element("text", plot.up, x=MARGIN, y=MARGIN, **style),
    ]


def _stairs(dots: Sequence[Dot], across: _Scale, up: _Scale) -> Markup:
    """What lies above the line is beaten by a design of the front, as far as both measures go."""
    points: list[str] = []
    lowest: int | None = None
    for dot in sorted(dots, key=lambda each: (each.across, each.up)):
        if lowest is None or dot.up < lowest:
            x = f"{across.at(dot.across):.1f}"
            points += [] if lowest is None else [f"{x},{up.at(lowest):.1f}"]
            points.append(f"{x},{up.at(dot.up):.1f}")
            lowest = dot.up
    return element("polyline", points=" ".join(points), fill="none", stroke="#2a7", stroke_width=2)


def _dot(place: int, dot: Dot, across: _Scale, up: _Scale) -> Markup:
    text = ", ".join(f"{name} {number(value)}" for name, value in dot.measures.items())
    return element(
        "circle",
        element("title", f"{place + 1}: {text}\n{dot.command}"),
        cx=across.at(dot.across),
        cy=up.at(dot.up),
        r=RADIUS,
        fill="#2a7",
        data_design=place,
        tabindex=0,
    )


def emit_page(title: str, plot: Plot, certainty: str) -> str:
    """The page of a front, which needs nothing but itself."""
    head = element(
        "head",
        Markup('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'),
        element("title", f"designs of {title}"),
        element("style", Markup(text_of(__name__, "front.css"))),
    )
    shown = element("p", element("code", plot.dots[0].command if plot.dots else "", id="command"), class_="command")
    copy = element("button", "copy", id="copy", type="button")
    body = element(
        "body",
        element("h1", f"Designs of {title}"),
        element("p", certainty),
        emit_plot(plot),
        shown,
        copy,
        _table(plot),
        element("script", Markup(text_of(__name__, "front.js"))),
    )
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}"


def _table(plot: Plot) -> Markup:
    names = list(plot.dots[0].measures) if plot.dots else []
    head = element("tr", *(element("th", name) for name in ("", *names, "command")))
    rows = [
        element(
            "tr",
            *(element("td", text) for text in (str(place + 1), *map(number, dot.measures.values()))),
            element("td", element("code", dot.command)),
            data_design=place,
        )
        for place, dot in enumerate(plot.dots)
    ]
    return element("table", joined((head, *rows)))
