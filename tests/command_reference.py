"""The page that lists all commands with their options, made from the parsers."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from loadstone.cli.main import COMMANDS
from loadstone.cli.shared.parser import CommandParser

HEAD = """# Commands

All options of all commands, made from the parsers (`LOADSTONE_UPDATE_GOLDENS=1 pytest tests/test_docs.py` writes the
page). An option without effect on the chosen target is refused. `--json` prints one object, errors too. Exit
status: 0 done and right; 1 done, and the answer is no; 2 bad input or usage.
"""


def page() -> str:
    """The page."""
    return HEAD + "".join("\n".join(_command(command.name)) for command in COMMANDS)


def _command(name: str) -> Iterator[str]:
    command = next(each for each in COMMANDS if each.name == name)
    parser = CommandParser(prog=f"loadstone {name}", add_help=False)
    command.add_options(parser)
    yield f"\n## loadstone {name}\n\n{command.summary[0].upper()}{command.summary[1:]}.\n"
    for group in parser._action_groups:  # pyright: ignore[reportPrivateUsage]
        actions = [action for action in group._group_actions if action.help != argparse.SUPPRESS]  # pyright: ignore[reportPrivateUsage]
        if actions:
            yield f"| {group.title or ''} | |\n|---|---|"
            yield from map(_row, actions)
            yield ""


def _row(action: argparse.Action) -> str:
    if not action.option_strings:
        return f"| `{action.metavar or action.dest}` | {_text(action.help)} |"
    value = "" if action.nargs == 0 else f" {action.metavar or _choices(action)}"
    return f"| `{', '.join(action.option_strings)}{value}` | {_text(action.help)} |"


def _choices(action: argparse.Action) -> str:
    return ",".join(map(str, action.choices)) if action.choices else action.dest.upper()


def _text(text: str | None) -> str:
    return (text or "").replace("|", "\\|").replace("%%", "%")
