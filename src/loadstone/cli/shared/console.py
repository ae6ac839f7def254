"""The console on which people read results."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from loadstone.later import Later

if TYPE_CHECKING:
    import rich.console as rich_console
    import rich.table as rich_table
    import rich.text as rich_text
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text
else:
    rich_console, rich_table, rich_text = Later("rich.console"), Later("rich.table"), Later("rich.text")

_WIDE = 10_000


def console() -> Console:
    """A console that wraps nothing by itself: in files and pipes a line stays one line."""
    screen = rich_console.Console(soft_wrap=True, highlight=False)
    return screen if screen.is_terminal else rich_console.Console(soft_wrap=True, highlight=False, width=_WIDE)


def shown(arguments: argparse.Namespace, info: Callable[[], Mapping[str, Any]], show: Callable[[], None]) -> int:
    """Print a result, as one JSON object with `--json`; the status of success."""
    if arguments.json:
        print(json.dumps(info()))
    else:
        show()
    return 0


def heading(text: str) -> Text:
    """A text in bold."""
    return rich_text.Text(text, style="bold")


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """A plain table; columns whose name starts with `>` are aligned to the right."""
    result = rich_table.Table(box=None, pad_edge=False)
    for column in columns:
        result.add_column(column.removeprefix(">"), justify="right" if column.startswith(">") else "left")
    for row in rows:
        result.add_row(*map(rich_text.Text, row))
    return result
