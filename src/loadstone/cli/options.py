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
    parser.add_argument("--limit", metavar="N", type=int, help="isl operations that a computation may take")
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


def tiling(parser: argparse.ArgumentParser) -> None:
    """How the kernel is tiled."""
    parser.add_argument("--tile", metavar="SIZES", type=sizes, help="tile sizes, 32,32,32; one number is for all")
    parser.add_argument("--schedule", metavar="MAP", help="theta in isl syntax, or auto; by default the loops")
    parser.add_argument("--strip", metavar="K", type=int, help="how many innermost tile loops form a strip")


def plan(parser: argparse.ArgumentParser) -> None:
    """Options of `plan`."""
    kernel(parser)
    parameters(parser)
    tiling(parser)
    parser.add_argument("--check", metavar="PLAN.json", help="judge this plan instead of making one")
    parser.add_argument("--quast", action="store_true", help="show the decision trees")
    parser.add_argument("--per-tile", action="store_true", help="add the volumes of single tiles")
    parser.add_argument("--keep-dead-stores", action="store_true", help="store all that is written, as in the papers")


def run(parser: argparse.ArgumentParser) -> None:
    """Options of `run`."""
    kernel(parser)
    parameters(parser)
    parser.add_argument("--seed", type=int, default=0, help="seed of the generated inputs")


def sizes(text: str) -> tuple[int, ...]:
    """Tile sizes, separated by commas."""
    try:
        found = tuple(int(part) for part in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a list of whole numbers") from None
    if any(size < 1 for size in found):
        raise argparse.ArgumentTypeError("tile sizes must be positive")
    return found


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
