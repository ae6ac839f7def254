"""Texts in other languages that a package generates: files in its folder `texts`, with places to be filled in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.resources import files


def text_of(module: str, name: str) -> str:
    """A text of the package to which a module belongs."""
    return files(module.rpartition(".")[0]).joinpath("texts", name).read_text("utf-8")


def markdown_table(heads: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown.

    >>> print(markdown_table(("a", "b"), [(1, 2)]), end="")
    | a | b |
    | --- | --- |
    | 1 | 2 |
    """
    lines = [heads, ("---",) * len(heads), *rows]
    return "".join(f"| {' | '.join(map(str, row))} |\n" for row in lines)
