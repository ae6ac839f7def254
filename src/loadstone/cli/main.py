"""The entry point: finds the command, runs it, turns errors into messages and an exit status."""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module

from loadstone.cli import options
from loadstone.cli.shared.parser import CommandParser
from loadstone.cli.shared.processor_time import within_time
from loadstone.errors import Diagnostic, LoadstoneError


@dataclass(frozen=True, slots=True)
class Command:
    """A command; the module `loadstone.cli.NAME` holds its `run(arguments)`, which returns the exit status."""

    name: str
    summary: str
    add_options: Callable[[CommandParser], None]


COMMANDS = (
    Command("info", "statements, domains, accesses, dependences, arrays", options.described),
    Command("plan", "load/store sets, volumes, local buffers of a tiling", options.plan),
    Command("network", "process network, channel patterns and sizes", options.network),
    Command("reuse", "reuse distances, histogram, LRU misses", options.reuse),
    Command("transform", "apply a script, check legality, print the transformed C", options.transform),
    Command("count", "number of integer points as a quasi-polynomial", options.count),
    Command("bound", "bounds on a piecewise quasi-polynomial", options.bound),
    Command("build", "write the accelerator", options.build),
    Command("run", "build, execute against the original program, compare", options.run),
    Command("synth", "area and clock frequency by open tools", options.synth),
    Command("explore", "front of designs, words against local memory, fusions", options.explore),
    Command("report", "HTML report", options.report),
    Command("serve", "explorer in the browser, on loopback", options.serve),
    Command("doctor", "which optional tools are there, and how to get the others", options.output),
)

OBJECTS = 200_000
"""New objects after which Python looks for cycles among them; its 700 are for programs that run on."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status. Given arguments run in this process, without a limit on time."""
    words = sys.argv[1:] if arguments is None else arguments
    if arguments is None:
        gc.set_threshold(OBJECTS)
    try:
        parsed = _parsed(words)
        seconds: int | None = getattr(parsed, "time", None) if arguments is None else None
        status = _run(parsed) if seconds is None else within_time(lambda: _run(parsed), seconds)
    except LoadstoneError as error:
        return _failed(error, words)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if os.environ.get("LOADSTONE_DEBUG"):
            raise
        hint = "this is a bug in Loadstone; LOADSTONE_DEBUG=1 shows where"
        problem = Diagnostic(f"internal error: {type(error).__name__}: {error}", None, hint)
        return _failed(LoadstoneError(problem), words)
    return status


def _run(parsed: argparse.Namespace) -> int:
    """Run a command; returns the exit status."""
    return import_module(f"loadstone.cli.{parsed.command}").run(parsed)


def _failed(error: LoadstoneError, words: Sequence[str]) -> int:
    """Say what went wrong, to people and with --json to programs; returns the exit status."""
    if "--json" in words:
        print(json.dumps(error.as_json()))
    print(error, file=sys.stderr)
    return error.exit_status


def _parsed(words: Sequence[str]) -> argparse.Namespace:
    """The command with its options, defaults among them."""
    parsed, unknown = _parser(words).parse_known_args(words)
    command: CommandParser = parsed.parser
    if unknown:
        command.error(f"unrecognized arguments: {' '.join(unknown)}")
    return command.complete(parsed, words)


def _parser(words: Sequence[str]) -> CommandParser:
    """The parser of all commands; only those among the words have their options."""
    parser = CommandParser(
        prog="loadstone",
        description="From an affine loop kernel and a tiling to an accelerator that spares external memory.",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(prog=parser.prog, dest="command", required=True, metavar="COMMAND")
    for command in COMMANDS:
        added = commands.add_parser(command.name, help=command.summary, description=command.summary)
        added.set_defaults(parser=added)
        if command.name in words:
            command.add_options(added)
    return parser


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(f"loadstone {import_module('loadstone').__version__}")
        parser.exit()
