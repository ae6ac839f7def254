"""What the sections of a page are made of: headings, tables, numbers, drawings that keep their style to themselves."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from importlib.resources import files

from loadstone.markup import Markup, element, number

NOTHING = "–"


def section(title: str, *children: str) -> Markup:
    """A part of a page under a heading."""
    return element("section", element("h2", title), *children)


def table(caption: str, columns: Iterable[str], rows: Sequence[Markup], total: str = "") -> Markup:
    """A table; columns whose name starts with `>` hold numbers."""
    kinds = {True: "number", False: ""}
    cells = (element("th", c.removeprefix(">"), scope="col", class_=kinds[c.startswith(">")]) for c in columns)
    head = element("tr", *cells)
    foot = element("tfoot", total) if total else Markup()
    title = element("caption", caption) if caption else Markup()
    return element(
        "div", element("table", title, element("thead", head), element("tbody", *rows), foot), class_="scroll"
    )


def row(title: str, *cells: str) -> Markup:
    """A row of numbers under the name that it begins with."""
    return element("tr", element("th", title), *(element("td", cell, class_="number") for cell in cells))


def numbers(*values: int) -> tuple[Markup, ...]:
    """Cells with whole numbers."""
    return tuple(element("td", number(value), class_="number") for value in values)


def percent(part: float) -> str:
    """A part of the whole.

    >>> percent(0.25)
    '25\\u202f%'
    """
    return f"{100 * part:.0f}\u202f%"


def style(name: str) -> Markup:
    """A style sheet of this package."""
    return element("style", Markup(files("loadstone.reporting").joinpath(name).read_text("utf-8")))


def drawing(svg: str, title: str) -> Markup:
    """A drawing whose style is its own: of the page it takes only whether that is light or dark."""
    text = svg if "xmlns=" in svg else svg.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    coded = b64encode(text.replace("</svg>", f"{style('dark.css')}</svg>").encode()).decode()
    return element("figure", element("img", src=f"data:image/svg+xml;base64,{coded}", alt=title), class_="drawing")
