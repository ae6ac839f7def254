"""The console on which people read results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

_WIDE = 10_000


def console() -> Console:
    """A console that wraps nothing by itself: in files and pipes a line stays one line."""
    screen = Console(soft_wrap=True, highlight=False)
    return screen if screen.is_terminal else Console(soft_wrap=True, highlight=False, width=_WIDE)


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """A plain table; columns whose name starts with `>` are aligned to the right."""
    result = Table(box=None, pad_edge=False)
    for column in columns:
        result.add_column(column.removeprefix(">"), justify="right" if column.startswith(">") else "left")
    for row in rows:
        result.add_row(*map(Text, row))
    return result
