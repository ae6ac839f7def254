"""Options that commands share, and how they are read."""

from __future__ import annotations

import argparse


def output(parser: argparse.ArgumentParser) -> None:
    """How results are shown."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def kernel(parser: argparse.ArgumentParser) -> None:
    """Which kernel, and how to read it."""
    parser.add_argument("kernel", metavar="KERNEL", help="a .c or .py file")
    parser.add_argument("-D", dest="defines", metavar="NAME[=VALUE]", action="append", default=[], type=definition)
    parser.add_argument("-I", dest="include", metavar="DIR", action="append", default=[], help="folder of headers")
    parser.add_argument("--function", metavar="NAME", help="the function that holds the kernel")
    output(parser)


def parameters(parser: argparse.ArgumentParser) -> None:
    """Values for the kernel's parameters."""
    parser.add_argument(
        "-p",
        dest="parameters",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        type=parameter,
        help="value of a parameter, repeatable",
    )


def run(parser: argparse.ArgumentParser) -> None:
    """Options of `run`."""
    kernel(parser)
    parameters(parser)
    parser.add_argument("--seed", type=int, default=0, help="seed of the generated inputs")


def definition(text: str) -> tuple[str, str]:
    """A macro definition NAME or NAME=VALUE."""
    name, _, value = text.partition("=")
    if not name.isidentifier():
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME or NAME=VALUE")
    return name, value if "=" in text else "1"


def parameter(text: str) -> tuple[str, int]:
    """A parameter value NAME=VALUE."""
    name, _, value = text.partition("=")
    try:
        return name.strip(), int(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=VALUE with a whole number") from None
