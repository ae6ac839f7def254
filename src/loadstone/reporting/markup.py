"""HTML and SVG elements whose text and attributes are always escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def element(name: str, *children: str, **attributes: str | int | float) -> Markup:
    """The element with these children and attributes; children that are no markup are text.

    A trailing `_` of an attribute's name is dropped, any other stands for `-`.

    >>> element("p", "1 < 2", class_="note")
    '<p class="note">1 &lt; 2</p>'
    """
    given = "".join(f' {_attribute(key)}="{escape(_value(value))}"' for key, value in attributes.items())
    return Markup(f"<{name}{given}>{joined(children)}</{name}>")


def joined(parts: Iterable[str]) -> Markup:
    """The parts one after the other; those that are no markup are text."""
    return Markup("".join(part if isinstance(part, Markup) else escape(part, quote=False) for part in parts))


def _attribute(key: str) -> str:
    return key.removesuffix("_").replace("_", "-")


def _value(value: str | int | float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
