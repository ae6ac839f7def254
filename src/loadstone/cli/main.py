"""The entry point: finds the command, runs it, turns errors into messages and an exit status."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module

from loadstone.cli import options
from loadstone.errors import LoadstoneError


@dataclass(frozen=True, slots=True)
class Command:
    """A command; the module `loadstone.cli.NAME` holds its `run(arguments)`, which returns the exit status."""

    name: str
    summary: str
    add_options: Callable[[argparse.ArgumentParser], None]


COMMANDS = (
    Command("info", "statements, domains, accesses, dependences, arrays", options.kernel),
    Command("plan", "load/store sets, volumes, local buffers of a tiling", options.plan),
    Command("network", "process network, channel patterns and sizes", options.network),
    Command("reuse", "reuse distances, histogram, LRU misses", options.reuse),
    Command("transform", "apply a script, check legality, print the transformed C", options.transform),
    Command("count", "number of integer points as a quasi-polynomial", options.count),
    Command("bound", "bounds on a piecewise quasi-polynomial", options.bound),
    Command("build", "write the accelerator", options.build),
    Command("run", "build, execute against the original program, compare", options.run),
    Command("synth", "area and clock frequency by open tools", options.synth),
    Command("report", "the picture of it all", options.report),
    Command("doctor", "which optional tools are there, and how to get the others", options.output),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    parsed = _parser().parse_args(arguments)
    try:
        status: int = import_module(f"loadstone.cli.{parsed.command}").run(parsed)
    except LoadstoneError as error:
        print(error, file=sys.stderr)
        return error.exit_status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if os.environ.get("LOADSTONE_DEBUG"):
            raise
        print(f"error: internal error: {type(error).__name__}: {error}", file=sys.stderr)
        print("hint: this is a bug in Loadstone; LOADSTONE_DEBUG=1 shows where", file=sys.stderr)
        return 2
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="loadstone",
        description="From an affine loop kernel and a tiling to an accelerator that spares external memory.",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add_options(commands.add_parser(command.name, help=command.summary, description=command.summary))
    return parser


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(f"loadstone {import_module('loadstone').__version__}")
        parser.exit()
