"""HTML and SVG elements whose text and attributes are always escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from loadstone.later import Later

if TYPE_CHECKING:
    import html
else:
    html = Later("html")


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def element(name: str, *children: str, **attributes: str | int | float) -> Markup:
    """The element with these children and attributes; children that are no markup are text.

    A trailing `_` of an attribute's name is dropped, any other stands for `-`.

    >>> element("p", "1 < 2", class_="note")
    '<p class="note">1 &lt; 2</p>'
    """
    given = "".join(f' {_attribute(key)}="{html.escape(_value(value))}"' for key, value in attributes.items())
    return Markup(f"<{name}{given}>{joined(children)}</{name}>")


def joined(parts: Iterable[str]) -> Markup:
    """The parts one after the other; plain strings are escaped."""
    return Markup("".join(part if isinstance(part, Markup) else html.escape(part, quote=False) for part in parts))


def table(caption: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Markup:
    """A table for notebooks.

    >>> table("t", ["x"], [[1]])
    '<table><caption>t</caption><tr><th>x</th></tr><tr><td>1</td></tr></table>'
    """
    head = element("tr", *(element("th", name) for name in columns))
    body = (element("tr", *(element("td", str(cell)) for cell in row)) for row in rows)
    return element("table", element("caption", caption), head, *body)


def _attribute(key: str) -> str:
    return key.removesuffix("_").replace("_", "-")


def _value(value: str | int | float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def number(value: int) -> str:
    """The number with its digits in groups of three."""
    return f"{value:,}".replace(",", "\u202f")


def amount(value: int, noun: str) -> str:
    """The number of things, with the noun in its right form.

    >>> amount(1, "element"), amount(2, "element")
    ('1 element', '2 elements')
    """
    return f"{number(value)} {noun}" if value == 1 else f"{number(value)} {noun}s"
