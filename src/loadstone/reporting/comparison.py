"""Two results of commands side by side: the figures of their JSON, and the ratio of the second to the first."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from loadstone.errors import refused
from loadstone.markup import Markup, element
from loadstone.reporting.page import whole_page
from loadstone.reporting.parts import NOTHING, row, section, table

Number = int | float


@dataclass(frozen=True, slots=True)
class Figure:
    """A number of two results by its place in them; None where one of them has none."""

    name: str
    before: Number | None
    after: Number | None

    @property
    def ratio(self) -> float | None:
        """The second number over the first; None where that says nothing."""
        return self.after / self.before if self.before and self.after is not None else None

    @property
    def differs(self) -> bool:
        """Whether the numbers are not the same."""
        return self.before != self.after

    def cells(self) -> tuple[str, str, str]:
        """Both numbers and the ratio as texts."""
        ratio = NOTHING if self.ratio is None else f"{self.ratio:.3f}"
        return _shown(self.before), _shown(self.after), ratio

    def as_json(self) -> dict[str, Any]:
        """The figure for programs."""
        return {"figure": self.name, "before": self.before, "after": self.after, "ratio": self.ratio}


def figures_in(path: str | Path) -> dict[str, Number]:
    """The numbers of a JSON file by their place in it, in its order."""
    try:
        return dict(_numbers("", json.loads(Path(path).read_text("utf-8"))))
    except (OSError, ValueError, RecursionError) as error:
        hint = "compare what two commands print with --json"
        raise refused(f"no figures can be read from '{path}': {error}", None, hint) from None


def _numbers(place: str, value: object) -> Iterator[tuple[str, Number]]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield place, value
    elif isinstance(value, dict):
        for name, part in cast("dict[str, object]", value).items():
            yield from _numbers(f"{place}.{name}" if place else name, part)
    elif isinstance(value, list):
        for position, part in enumerate(cast("list[object]", value)):
            yield from _numbers(f"{place}[{position}]", part)


def compared(before: Mapping[str, Number], after: Mapping[str, Number]) -> tuple[Figure, ...]:
    """The figures that either has, in the order of the first."""
    names = dict.fromkeys((*before, *after))
    return tuple(Figure(name, before.get(name), after.get(name)) for name in names)


def emit_comparison(titles: tuple[str, str], figures: Sequence[Figure]) -> str:
    """Both results as an HTML page: first what differs."""
    differing = [figure for figure in figures if figure.differs]
    same = [figure for figure in figures if not figure.differs]
    title = f"{titles[0]} and {titles[1]}"
    header = element("header", element("p", "Loadstone report", class_="kind"), element("h1", title))
    parts = [section("What differs", _table(titles, differing))] if differing else [section("Nothing differs")]
    parts += [section("What is the same", _table(titles, same))] if same else []
    return whole_page(title, header, element("main", *parts))


def _table(titles: tuple[str, str], figures: Sequence[Figure]) -> Markup:
    columns = ("figure", *(f">{title}" for title in titles), ">ratio")
    return table("", columns, [row(figure.name, *figure.cells()) for figure in figures])


def _shown(value: Number | None) -> str:
    if value is None:
        return NOTHING
    return f"{value:,}".replace(",", "\u202f") if isinstance(value, int) else f"{value:.6g}"
