"""Options that commands share, and how they are read."""

from __future__ import annotations

import argparse

DEVICES = ("ecp5-25k", "ecp5-85k", "xc7", "xcup", "cyclonev")
MEMORIES = ("paper", "ddr3-1600", "ddr4-2400", "hbm", "litedram")
BUSES = ("axi", "avalon")
BUS_WIDTHS = (32, 64, 128, 256, 512)
BURSTS = (2, 4, 8, 16, 32, 64, 128, 256)
METHODS = ("exact", "add-var", "mod-classes", "split-periods", "poly-approx", "drop-frac", "hybrid")


def output(parser: argparse.ArgumentParser) -> None:
    """How results are shown."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def kernel(parser: argparse.ArgumentParser) -> None:
    """Which kernel, and how to read it."""
    parser.add_argument("kernel", metavar="KERNEL", help="a .c or .py file")
    parser.add_argument("-D", dest="defines", metavar="NAME[=VALUE]", action="append", default=[], type=definition)
    parser.add_argument("-I", dest="include", metavar="DIR", action="append", default=[], help="folder of headers")
    parser.add_argument("--function", metavar="NAME", help="the function that holds the kernel")
    types(parser)
    parser.add_argument("--limit", metavar="N", type=int, help="isl operations that a computation may take")
    script(parser)
    output(parser)


def types(parser: argparse.ArgumentParser) -> None:
    """Other types for typedefs and types of C."""
    parser.add_argument(
        "--type",
        dest="types",
        metavar="NAME=TYPE",
        action="append",
        default=[],
        type=retyping,
        help="give a typedef or a type of C another type: fixed(16,8,nearest,saturate), int(12), uint(12), float",
    )


def script(parser: argparse.ArgumentParser) -> None:
    """Loop transformations that come before everything else."""
    parser.add_argument("--script", metavar="FILE", help="transform the kernel by the steps in this file first")
    parser.add_argument("--allow-illegal", action="store_true", help="steps may break what later steps mend")
    parser.add_argument(
        "--free-reductions", action="store_true", help="sums and products may be reordered, which changes rounding"
    )


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


def memories(parser: argparse.ArgumentParser) -> None:
    """How local memories are made."""
    parser.add_argument("--depth", metavar="D", type=positive, default=2, help="tiles in flight; 2 is double buffering")
    parser.add_argument(
        "--strips",
        choices=("overlap", "drain"),
        default="overlap",
        help="whether a strip is loaded while the one before is computed and stored, where possible; by default so",
    )
    parser.add_argument("--power-of-two", action="store_true", help="round the moduli of local buffers up")
    parser.add_argument("--keep-dead-stores", action="store_true", help="store all that is written, as in the papers")


def accelerator(parser: argparse.ArgumentParser) -> None:
    """Everything that an accelerator is made from."""
    kernel(parser)
    parameters(parser)
    tiling(parser)
    memories(parser)


def plan(parser: argparse.ArgumentParser) -> None:
    """Options of `plan`."""
    accelerator(parser)
    parser.add_argument("--check", metavar="PLAN.json", help="judge this plan instead of making one")
    parser.add_argument("--quast", action="store_true", help="show the decision trees")
    parser.add_argument("--per-tile", action="store_true", help="add the volumes of single tiles")


def network(parser: argparse.ArgumentParser) -> None:
    """Options of `network`."""
    kernel(parser)
    parameters(parser)
    tiling(parser)
    parser.add_argument(
        "--split",
        choices=("depth", "complete"),
        default="complete",
        help="how channels that tiling put out of order are split; depth: as published",
    )
    parser.add_argument("--no-split", dest="split", action="store_const", const="none", help="leave channels whole")
    parser.add_argument("--compute-only", action="store_true", help="leave load and store processes out")
    parser.add_argument("--reuse", action="store_true", help="FIFOs inside of processes for values read several times")
    parser.add_argument("--power-of-two", action="store_true", help="round sizes up")
    parser.add_argument("--tune", action="store_true", help="execute with smaller and larger channels")
    parser.add_argument("-o", dest="file", metavar="FILE", help="draw the network: FILE.svg or FILE.dot")


def transform(parser: argparse.ArgumentParser) -> None:
    """Options of `transform`."""
    kernel(parser)
    parameters(parser)
    parser.add_argument(
        "--step", dest="steps", metavar="STEP", action="append", default=[], help="a step, after the script; repeatable"
    )
    parser.add_argument("--auto", choices=("locality", "parallel"), help="begin with a schedule that is found")
    parser.add_argument(
        "--style",
        choices=("compact", "separated"),
        default="compact",
        help="each statement once under conditions, or many loops without conditions",
    )
    parser.add_argument("--verify", action="store_true", help="run the result against the original program")
    parser.add_argument("-o", dest="file", metavar="FILE.c", help="where to write the C")


def build(parser: argparse.ArgumentParser) -> None:
    """Options of `build`."""
    accelerator(parser)
    parser.add_argument(
        "--target",
        action="append",
        choices=("c", "hls", "verilog", "vhdl"),
        help="what to write, repeatable; by default c; verilog, vhdl: hardware with all arrays on the chip",
    )
    hardware(parser)
    external(parser)
    parser.add_argument("--flavour", choices=("vitis", "intel"), default="vitis", help="dialect of HLS C++")
    parser.add_argument("--network", action="store_true", help="the process network instead of load, compute and store")
    parser.add_argument("-o", dest="folder", metavar="DIR", required=True, help="the folder to write")


def run(parser: argparse.ArgumentParser) -> None:
    """Options of `run`."""
    accelerator(parser)
    parser.add_argument(
        "--target",
        choices=("c", "hls", "verilog", "vhdl", "model"),
        default="c",
        help="what to run; verilog, vhdl: hardware with all arrays on the chip; model: the kernel as we read it",
    )
    hardware(parser)
    external(parser)
    parser.add_argument(
        "--memory", choices=MEMORIES, help="verilog: the accelerator, tile by tile, with this external memory"
    )
    parser.add_argument(
        "--network", action="store_true", help="--memory: the process network instead of load, compute and store"
    )
    parser.add_argument("--no-baseline", action="store_true", help="--memory: do not run the kernel without tiles, too")
    parser.add_argument("--timeline", action="store_true", help="--memory: show when it loads, computes and stores")
    parser.add_argument(
        "--simulator",
        choices=("verilator", "icarus", "ghdl", "transactions"),
        help="by default the one for the target; transactions: --memory: a fast model, which computes no data",
    )
    parser.add_argument("--vcd", metavar="FILE", help="verilog, vhdl: write a waveform")
    parser.add_argument("--flavour", choices=("vitis", "intel"), default="vitis", help="dialect of HLS C++")
    parser.add_argument("--checked", action="store_true", help="c: stop where a local cell holds another element")
    parser.add_argument("--sequential", action="store_true", help="c: one thread, tile by tile")
    parser.add_argument("--seed", type=int, default=0, help="seed of the generated inputs")


def hardware(parser: argparse.ArgumentParser) -> None:
    """How memories on the chip are made."""
    parser.add_argument(
        "--read-ports", metavar="N", type=positive, default=1, help="ports that read, of each memory on the chip"
    )
    parser.add_argument(
        "--memory-latency", type=int, choices=(1, 2), default=1, help="cycles from an address to its word, on the chip"
    )
    parser.add_argument(
        "--flush-subnormals", action="store_true", help="take floating-point numbers below the least normal one for 0"
    )


def external(parser: argparse.ArgumentParser) -> None:
    """How an accelerator in hardware reaches external memory, and how many instances it computes at once."""
    parser.add_argument("--bus", choices=BUSES, help="the whole accelerator, tile by tile, with a master of this bus")
    parser.add_argument(
        "--bus-width", type=int, choices=BUS_WIDTHS, help="bits of the bus; by default those of elements"
    )
    parser.add_argument("--burst", type=int, choices=BURSTS, help="the most beats of a burst; by default 64")
    parser.add_argument(
        "--unroll", metavar="U", type=positive, default=1, help="instances of a parallel loop that are computed at once"
    )


def synth(parser: argparse.ArgumentParser) -> None:
    """Options of `synth`."""
    accelerator(parser)
    hardware(parser)
    external(parser)
    parser.add_argument("--device", choices=DEVICES, default=DEVICES[0], help="the FPGA, by default the first of these")


def report(parser: argparse.ArgumentParser) -> None:
    """Options of `report`."""
    accelerator(parser)
    parser.add_argument("--verify", action="store_true", help="run the accelerator as C, and say whether it is right")
    parser.add_argument("-o", dest="file", metavar="F.html", required=True, help="the page to write")


def reuse(parser: argparse.ArgumentParser) -> None:
    """Options of `reuse`."""
    kernel(parser)
    parameters(parser)
    tiling(parser)
    parser.add_argument("--tiled", action="store_true", help="run in the order of the tiling that the source asks for")
    parser.add_argument("--size", metavar="W", type=positive, help="misses of a cache of this many elements (or lines)")
    parser.add_argument("--line", metavar="WORDS", type=positive, default=1, help="elements in a cache line")
    parser.add_argument("--scalars", action="store_true", help="count accesses of scalars, too")
    parser.add_argument("--seed", type=int, default=0, help="seed of the inputs, where accesses depend on data")
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--trace", action="store_true", help="show each access, and what the cache holds after it")
    shown.add_argument("--symbolic", action="store_true", help="distances in closed form, for all parameters")


def count(parser: argparse.ArgumentParser) -> None:
    """Options of `count`."""
    parser.add_argument("set", metavar="SET", help="a set or a map in isl syntax; @FILE reads a file, - standard input")
    parser.add_argument("--limit", metavar="N", type=int, help="isl operations that counting may take")
    parameters(parser)
    output(parser)


def bound(parser: argparse.ArgumentParser) -> None:
    """Options of `bound`."""
    parser.add_argument("values", metavar="QPOLY", nargs="?", help="a piecewise quasi-polynomial; @FILE, - as in count")
    parser.add_argument("--method", choices=METHODS, help="how to bound; by default exact, else hybrid")
    parser.add_argument(
        "--basic", choices=METHODS[:-1], default="mod-classes", help="hybrid: the method for large chambers"
    )
    parser.add_argument(
        "--threshold", metavar="N", type=positive, help="split-periods: most periods, 100; hybrid: small chambers, 50"
    )
    parser.add_argument("--accuracy", metavar="X", type=float, help="evaluate variables with larger relative errors")
    parser.add_argument("--minimum", action="store_true", help="a lower bound instead of an upper one")
    parser.add_argument("--live", metavar="KERNEL", help="bound the number of live elements of a .c or .py kernel")
    parser.add_argument("--schedule", metavar="MAP", help="with --live: the order of execution, by default its own")
    parser.add_argument("--commutative", action="store_true", help="with --live: sums may run in any order")
    parser.add_argument("--early-inputs", action="store_true", help="with --live: inputs are there from the beginning")
    parser.add_argument("--late-outputs", action="store_true", help="with --live: outputs stay until the end")
    parser.add_argument("--search", metavar="B", type=positive, help="with --live: try coefficients from -B to B")
    parser.add_argument("--dimensions", metavar="D", type=positive, default=1, help="of schedules that are searched")
    parser.add_argument("-D", dest="defines", metavar="NAME[=VALUE]", action="append", default=[], type=definition)
    parser.add_argument("-I", dest="include", metavar="DIR", action="append", default=[], help="folder of headers")
    parser.add_argument("--function", metavar="NAME", help="the function that holds the kernel")
    parameters(parser)
    output(parser)


def positive(text: str) -> int:
    """A whole number of at least one."""
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number") from None
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


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


def retyping(text: str) -> tuple[str, str]:
    """A type for a name, NAME=TYPE."""
    name, equals, kind = text.partition("=")
    if not equals or not name.strip():
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=TYPE")
    return name.strip(), kind.strip()


def parameter(text: str) -> tuple[str, int]:
    """A parameter value NAME=VALUE."""
    name, _, value = text.partition("=")
    try:
        return name.strip(), int(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=VALUE with a whole number") from None
