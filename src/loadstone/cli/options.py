"""The options of each command."""

from __future__ import annotations

from loadstone.cli.shared.parser import CommandParser
from loadstone.cli.shared.processor_time import DEFAULT_SECONDS
from loadstone.fronts.space import PREDICTED, read_axis, read_limit, read_objectives
from loadstone.options import (
    CIRCUITS,
    PROGRAMS,
    Choices,
    FlowOptions,
    HardwareOptions,
    IntegrationOptions,
    Option,
    RunOptions,
    options_of,
    positive,
    sizes,
    whole,
)

DEVICES = ("ecp5-25k", "ecp5-85k", "xc7", "xcup", "cyclonev")
METHODS = ("exact", "add-var", "mod-classes", "split-periods", "per-fraction", "poly-approx", "drop-frac", "hybrid")


def definition(text: str) -> tuple[str, str]:
    """A macro definition NAME or NAME=VALUE."""
    name, _, value = text.partition("=")
    if not name.isidentifier():
        raise ValueError(f"'{text}' is not NAME or NAME=VALUE")
    return name, value if "=" in text else "1"


def retyping(text: str) -> tuple[str, str]:
    """A type for a name, NAME=TYPE."""
    name, equals, kind = text.partition("=")
    if not equals or not name.strip():
        raise ValueError(f"'{text}' is not NAME=TYPE")
    return name.strip(), kind.strip()


def parameter(text: str) -> tuple[str, int]:
    """A parameter value NAME=VALUE."""
    name, _, value = text.partition("=")
    if not value.strip().lstrip("+-").isdigit():
        raise ValueError(f"'{text}' is not NAME=VALUE with a whole number")
    return name.strip(), int(value)


def _flag(flag: str, help: str, dest: str = "") -> Option:
    """An option without an argument."""
    return Option(flag, help, dest or flag.lstrip("-").replace("-", "_"), False, constant=True)


JSON = _flag("--json", "print one JSON object")
LIMIT = Option("--limit", "isl operations per computation", "limit", metavar="N", read=positive)
TIME = Option(
    "--time",
    f"seconds of processor time (default: {DEFAULT_SECONDS})",
    "time",
    DEFAULT_SECONDS,
    metavar="SECONDS",
    read=positive,
)
VALUES = Option(
    "-p", "value of a parameter (repeatable)", "parameters", metavar="NAME=VALUE", read=parameter, repeated=True
)
SEED = Option("--seed", "seed of the generated inputs (default: 0)", "seed", 0, metavar="N", read=whole)
DEFINES = Option("-D", "define a macro (repeatable)", "defines", metavar="NAME[=VALUE]", read=definition, repeated=True)
INCLUDE = Option("-I", "folder of headers (repeatable)", "include", metavar="DIR", repeated=True)
FUNCTION = Option("--function", "function that holds the kernel", "function", metavar="NAME")
SCOP = Option("--scop", "which '#pragma scop' of the file, from 1", "scop", metavar="N", read=positive)
PURE = Option(
    "--pure",
    "function without effects that needs no definition, '*' for all that are declared (repeatable)",
    "pure",
    metavar="NAME",
    repeated=True,
)
LINK = Option("--link", "C file with definitions of functions (repeatable)", "link", metavar="FILE", repeated=True)
OPEN = _flag("--open-ends", "bound loops whose ends depend on data by parameters, for analysis")
TYPES = Option(
    "--type",
    "replace a typedef or a type of C: fixed(16,8,nearest,saturate), int(12), uint(12), float (repeatable)",
    "types",
    metavar="NAME=TYPE",
    read=retyping,
    repeated=True,
)
SCRIPT = Option("--script", "transform the kernel by the steps in this file first", "script", metavar="FILE")
ILLEGAL = _flag("--allow-illegal", "let steps break dependences that later steps mend")
REDUCTIONS = _flag("--free-reductions", "reorder sums and products, which changes rounding")
_CHOSEN = ("sizes", "local", "objective", "schedule", "strip", "free_reductions")
TILING = tuple(option for option in options_of(Choices) if option.dest in _CHOSEN)
RUN = options_of(RunOptions)


def output(parser: CommandParser) -> None:
    """How results are shown."""
    parser.add("output", [JSON])


def kernel(parser: CommandParser, *, tiled: bool = False) -> None:
    """Which kernel, and how it is read; commands that tile it have `--free-reductions` among their choices."""
    parser.add_argument("kernel", metavar="KERNEL", help="a .c, .cpp, .py or .yaml file")
    parser.add("kernel", [DEFINES, INCLUDE, FUNCTION, SCOP, PURE, LINK, OPEN, TYPES, LIMIT])
    parser.add("transformations", [SCRIPT, ILLEGAL] if tiled else [SCRIPT, ILLEGAL, REDUCTIONS])
    output(parser)


def described(parser: CommandParser) -> None:
    """Options of `info`."""
    info(parser)
    parser.add("picture", [Option("-o", "draw the tasks of an Array-OL specification", "file", metavar="FILE.svg")])


def info(parser: CommandParser, *, tiled: bool = False) -> None:
    """A kernel and time to analyse it; commands that are `tiled` have those of reductions themselves."""
    kernel(parser, tiled=tiled)
    parser.add("time", [TIME])


def accelerator(parser: CommandParser) -> None:
    """Everything that an accelerator is made from."""
    kernel(parser, tiled=True)
    parser.add("parameters", [VALUES])
    parser.add("tiling and local memories", options_of(Choices))
    parser.add("time", [TIME])


def plan(parser: CommandParser) -> None:
    """Options of `plan`."""
    accelerator(parser)
    check = Option("--check", "judge this plan instead of making one", "check", metavar="PLAN.json")
    trees, per_tile = _flag("--quast", "show the decision trees"), _flag("--per-tile", "add volumes per tile")
    scans = _flag("--scans", "add the loops over what tiles move, and how long bursts are")
    parser.add("plan", [check, trees, per_tile, scans])


def network(parser: CommandParser) -> None:
    """Options of `network`."""
    info(parser, tiled=True)
    parser.add("parameters", [VALUES])
    parser.add("tiling", TILING)
    parser.add(
        "network",
        [
            Option(
                "--split",
                "how channels out of order are split (default: complete); depth: as published",
                "split",
                "complete",
                choices=("depth", "complete"),
            ),
            Option("--no-split", "leave channels whole", "split", "complete", constant="none"),
            _flag("--compute-only", "leave load and store processes out"),
            _flag("--reuse", "FIFOs inside processes for values read several times"),
            _flag("--power-of-two", "round sizes up to powers of two"),
            next(option for option in options_of(Choices) if option.dest == "blocks"),
            _flag("--tune", "execute with smaller and larger channels"),
            Option("-o", "draw the network", "file", metavar="FILE.svg|FILE.dot"),
        ],
    )


def transform(parser: CommandParser) -> None:
    """Options of `transform`."""
    info(parser)
    parser.add("parameters", [VALUES])
    parser.add(
        "steps and result",
        [
            Option("--step", "a step, after the script (repeatable)", "steps", metavar="STEP", repeated=True),
            Option("--auto", "begin with a schedule by isl", "auto", choices=("locality", "parallel")),
            _flag("--canonical", "shifts as early as they can be, with the same result"),
            Option(
                "--style",
                "guarded loops, or many loops without guards (default: compact)",
                "style",
                "compact",
                choices=("compact", "separated"),
            ),
            _flag("--verify", "run the result against the original program"),
            _flag("--arrayol", "print the result as Array-OL, for values of all parameters"),
            Option("-o", "write the result", "file", metavar="FILE"),
        ],
    )


def build(parser: CommandParser) -> None:
    """Options of `projects`."""
    accelerator(parser)
    flavour = next(option for option in RUN if option.dest == "flavour")
    parser.add(
        "targets",
        [
            Option(
                "--target",
                "what to write (repeatable; default: c); verilog, vhdl: hardware, on chip unless --bus is given",
                "target",
                choices=(*PROGRAMS, *CIRCUITS),
                repeated=True,
            ),
            flavour,
            _flag("--network", "the process network instead of load, compute and store"),
            Option("-o", "folder to write (required)", "folder", metavar="DIR"),
        ],
    )
    parser.add("hardware", options_of(HardwareOptions))
    parser.add("integration", options_of(IntegrationOptions))
    parser.add("flows of others", options_of(FlowOptions))


def run(parser: CommandParser) -> None:
    """Options of `trials`."""
    accelerator(parser)
    parser.add("run", RUN)
    parser.add("hardware", options_of(HardwareOptions))


def synth(parser: CommandParser) -> None:
    """Options of `synth`."""
    accelerator(parser)
    parser.add("hardware", options_of(HardwareOptions))
    device = Option("--device", f"target FPGA (default: {DEVICES[0]})", "device", DEVICES[0], choices=DEVICES)
    parser.add("synthesis", [device])


FRONT = (
    Option(
        "--over", "values of an option: tile=8..64, unroll=1,2,4 (repeatable)", "over", read=read_axis, repeated=True
    ),
    Option(
        "--objective", "what counts (default: cycles,cells)", "objectives", ("cycles", "cells"), read=read_objectives
    ),
    Option("--at-most", "limit of a measure, cells=4096 (repeatable)", "at_most", read=read_limit, repeated=True),
    Option("--memory", "external memory (default: paper)", "memory", "paper", choices=PREDICTED),
    Option("--jobs", "processes (default: one for each core)", "jobs", metavar="N", read=positive),
    Option("--time", "seconds, then the front so far (default: 60)", "seconds", 60, metavar="SECONDS", read=positive),
    Option("--cluster", "scheduler of a Dask cluster that explores", "cluster", metavar="tcp://HOST:PORT"),
    Option("--energy", "picojoules of words, cells and operations (JSON)", "energy", metavar="FILE"),
    _flag("--synth", "measure area and clock of the front by open tools instead of estimating the area"),
    Option("--device", f"target FPGA of --synth (default: {DEVICES[0]})", "device", DEVICES[0], choices=DEVICES),
    Option("--store", "keep results in this file, so that a run that was stopped goes on", "store", metavar="FILE"),
)


def explore(parser: CommandParser) -> None:
    """Options of `explore`."""
    kernel(parser, tiled=True)
    parser.add("parameters", [VALUES])
    own = [option for option in options_of(Choices) if option.dest != "objective"]
    parser.add("tiling and local memories", own)
    parser.add("hardware", options_of(HardwareOptions))
    parser.add("front", FRONT)
    file = Option(
        "-o",
        "write the front, draw the curve; with --apply, the folder of a design or of the passes of a fusion",
        "file",
        metavar="FILE|FOLDER",
    )
    apply = Option(
        "--apply",
        "run design N of the front, or build it into -o FOLDER; write the passes of this fusion as C kernels",
        "apply",
        metavar="N|2,2",
        read=sizes,
    )
    curve = _flag("--curve", "words against local memory, from one word per array to all data")
    parser.add("exploration", [curve, file, apply])
    parser.add(
        "tasks of Array-OL",
        [
            _flag("--fusions", "fusions of neighbouring tasks: internal memory against latency"),
            Option(
                "--data-per-word", "data in a word of external memory (default: 4)", "data_per_word", 4, read=positive
            ),
            _flag("--exact", "beside the formulas, buffers, words and cycles of the passes in blocks as accelerators"),
            Option("--latency", "cycles before the first word of a burst (default: 30)", "latency", 30, read=positive),
        ],
    )


def report(parser: CommandParser) -> None:
    """Options of `report`."""
    accelerator(parser)
    parser.add("hardware", options_of(HardwareOptions))
    parser.add(
        "report",
        [
            Option("-o", "page to write (required)", "file", metavar="F.html"),
            _flag("--open", "open the page in a browser"),
            _flag("--verify", "run the accelerator as C against the original"),
            _flag("--plan-only", "leave accelerator and process network out, which take longer than the plan"),
            _flag("--synth", "measure area and clock by open tools instead of estimating the area"),
            Option(
                "--device", f"target FPGA of --synth (default: {DEVICES[0]})", "device", DEVICES[0], choices=DEVICES
            ),
            Option("--front", "show designs that explore -o FRONT.json found", "front", metavar="FRONT.json"),
            Option(
                "--compare",
                "compare the figures of two results of --json; the second file stands in the place of KERNEL",
                "compare",
                metavar="A.json",
            ),
        ],
    )


def reuse(parser: CommandParser) -> None:
    """Options of `reuse`."""
    info(parser, tiled=True)
    parser.add("parameters", [VALUES])
    parser.add("tiling", [*TILING, _flag("--tiled", "run in the order of the tiling in the source")])
    parser.add(
        "reuse",
        [
            Option("--size", "cache size in elements or lines", "size", metavar="W", read=positive),
            Option("--line", "elements per cache line (default: 1)", "line", 1, metavar="WORDS", read=positive),
            _flag("--scalars", "count accesses of scalars"),
            SEED,
            _flag("--trace", "show each access, and the cache after it"),
            _flag("--symbolic", "distances in closed form, for all parameters"),
        ],
    )


def count(parser: CommandParser) -> None:
    """Options of `count`."""
    parser.add_argument("set", metavar="SET", help="a set or a map in isl syntax; @FILE reads a file, - standard input")
    parser.add("count", [_flag("--vertices", "vertices and their chambers instead of the count"), LIMIT, VALUES])
    output(parser)


def bound(parser: CommandParser) -> None:
    """Options of `bound`."""
    parser.add_argument("values", metavar="QPOLY", nargs="?", help="a piecewise quasi-polynomial; @FILE, - as in count")
    parser.add(
        "bound",
        [
            Option("--method", "method (default: exact, else hybrid)", "method", choices=METHODS),
            Option("--basic", "hybrid: method for large chambers", "basic", "mod-classes", choices=METHODS[:-1]),
            Option(
                "--threshold",
                "split-periods, per-fraction: most periods (100); hybrid: small chambers (50)",
                "threshold",
                metavar="N",
                read=positive,
            ),
            Option("--accuracy", "evaluate variables with larger relative errors", "accuracy", metavar="X", read=float),
            Option("--halvings", "halve domains N times for closer bounds", "halvings", metavar="N", read=positive),
            _flag("--minimum", "a lower bound instead of an upper one"),
            VALUES,
        ],
    )
    parser.add(
        "live elements of a kernel",
        [
            Option("--live", "bound the live elements of a .c or .py kernel", "live", metavar="KERNEL"),
            Option("--schedule", "order of execution (default: its own)", "schedule", metavar="MAP"),
            _flag("--commutative", "sums may run in any order"),
            _flag("--early-inputs", "inputs are there from the beginning"),
            _flag("--late-outputs", "outputs stay until the end"),
            Option("--search", "try coefficients from -B to B", "search", metavar="B", read=positive),
            Option(
                "--dimensions",
                "of schedules that are searched (default: 1)",
                "dimensions",
                1,
                metavar="D",
                read=positive,
            ),
            DEFINES,
            INCLUDE,
            FUNCTION,
        ],
    )
    output(parser)


def serve(parser: CommandParser) -> None:
    """Options of `serve`."""
    parser.add_argument("source", metavar="KERNEL", nargs="?", help="a .c file to begin with")
    parser.add(
        "server",
        [
            Option("--host", "address to listen at (default: 127.0.0.1)", "host", "127.0.0.1", metavar="ADDRESS"),
            Option("--port", "port (default: a free one)", "port", 0, metavar="N", read=port),
            _flag("--open", "open the page in a browser"),
            Option("--time", "seconds per request (default: 60)", "seconds", 60, metavar="SECONDS", read=positive),
            Option(
                "-I", "folder of headers that kernels may include (repeatable)", "include", metavar="DIR", repeated=True
            ),
            _flag("--allow-run", "compile and run C on this machine"),
        ],
    )
    output(parser)


def port(text: str) -> int:
    """The number of a port."""
    if not 0 <= whole(text) < 1 << 16:
        raise ValueError("ports are from 0 to 65535")
    return whole(text)
