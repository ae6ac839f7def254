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
    RunOptions,
    named,
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


JSON = named("json", "print one JSON object", False)
LIMIT = named("limit", "isl operations per computation", metavar="N", read=positive)
TIME = named(
    "time", f"seconds of processor time (default: {DEFAULT_SECONDS})", DEFAULT_SECONDS, metavar="SECONDS", read=positive
)
VALUES = named(
    "parameters", "value of a parameter (repeatable)", flag="-p", metavar="NAME=VALUE", read=parameter, repeated=True
)
SEED = named("seed", "seed of the generated inputs (default: 0)", 0, metavar="N", read=whole)
DEFINES = named(
    "defines", "define a macro (repeatable)", flag="-D", metavar="NAME[=VALUE]", read=definition, repeated=True
)
INCLUDE = named("include", "folder of headers (repeatable)", flag="-I", metavar="DIR", repeated=True)
FUNCTION = named("function", "function that holds the kernel", metavar="NAME")
SCOP = named("scop", "which '#pragma scop' of the file, from 1", metavar="N", read=positive)
PURE = named(
    "pure",
    "function without effects that needs no definition, '*' for all that are declared (repeatable)",
    metavar="NAME",
    repeated=True,
)
LINK = named("link", "C file with definitions of functions (repeatable)", metavar="FILE", repeated=True)
OPEN = named("open_ends", "bound loops whose ends depend on data by parameters, for analysis", False)
TYPES = named(
    "types",
    "replace a typedef or a type of C: fixed(16,8,nearest,saturate), int(12), uint(12), float (repeatable)",
    flag="--type",
    metavar="NAME=TYPE",
    read=retyping,
    repeated=True,
)
SCRIPT = named("script", "transform the kernel by the steps in this file first", metavar="FILE")
ILLEGAL = named("allow_illegal", "let steps break dependences that later steps mend", False)
REDUCTIONS = named("free_reductions", "reorder sums and products, which changes rounding", False)
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
    parser.add("picture", [named("file", "draw the tasks of an Array-OL specification", flag="-o", metavar="FILE.svg")])


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
    check = named("check", "judge this plan instead of making one", metavar="PLAN.json")
    trees, per_tile = named("quast", "show the decision trees", False), named("per_tile", "add volumes per tile", False)
    scans = named("scans", "add the loops over what tiles move, and how long bursts are", False)
    parser.add("plan", [check, trees, per_tile, scans])


def network(parser: CommandParser) -> None:
    """Options of `network`."""
    info(parser, tiled=True)
    parser.add("parameters", [VALUES])
    parser.add("tiling", TILING)
    parser.add(
        "network",
        [
            named(
                "split",
                "how channels out of order are split (default: complete); depth: as published",
                "complete",
                choices=("depth", "complete"),
            ),
            named("split", "leave channels whole", "complete", flag="--no-split", constant="none"),
            named("compute_only", "leave load and store processes out", False),
            named("reuse", "FIFOs inside processes for values read several times", False),
            named("power_of_two", "round sizes up to powers of two", False),
            next(option for option in options_of(Choices) if option.dest == "blocks"),
            named("tune", "execute with smaller and larger channels", False),
            named("file", "draw the network", flag="-o", metavar="FILE.svg|FILE.dot"),
        ],
    )


def transform(parser: CommandParser) -> None:
    """Options of `transform`."""
    info(parser)
    parser.add("parameters", [VALUES])
    parser.add(
        "steps and result",
        [
            named("steps", "a step, after the script (repeatable)", flag="--step", metavar="STEP", repeated=True),
            named("auto", "begin with a schedule by isl", choices=("locality", "parallel")),
            named("canonical", "shifts as early as they can be, with the same result", False),
            named(
                "style",
                "guarded loops, or many loops without guards (default: compact)",
                "compact",
                choices=("compact", "separated"),
            ),
            named("verify", "run the result against the original program", False),
            named("arrayol", "print the result as Array-OL, for values of all parameters", False),
            named("file", "write the result", flag="-o", metavar="FILE"),
        ],
    )


def build(parser: CommandParser) -> None:
    """Options of `projects`."""
    accelerator(parser)
    flavour = next(option for option in RUN if option.dest == "flavour")
    parser.add(
        "targets",
        [
            named(
                "target",
                "what to write (repeatable; default: c); verilog, vhdl: hardware, on chip unless --bus is given",
                choices=(*PROGRAMS, *CIRCUITS),
                repeated=True,
            ),
            flavour,
            named("network", "the process network instead of load, compute and store", False),
            named("folder", "folder to write (required)", flag="-o", metavar="DIR"),
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
    device = named("device", f"target FPGA (default: {DEVICES[0]})", DEVICES[0], choices=DEVICES)
    parser.add("synthesis", [device])


FRONT = (
    named("over", "values of an option: tile=8..64, unroll=1,2,4 (repeatable)", read=read_axis, repeated=True),
    named(
        "objectives",
        "what counts (default: cycles,cells)",
        ("cycles", "cells"),
        flag="--objective",
        read=read_objectives,
    ),
    named("at_most", "limit of a measure, cells=4096 (repeatable)", read=read_limit, repeated=True),
    named("memory", "external memory (default: paper)", "paper", choices=PREDICTED),
    named("jobs", "processes (default: one for each core)", metavar="N", read=positive),
    named(
        "seconds", "seconds, then the front so far (default: 60)", 60, flag="--time", metavar="SECONDS", read=positive
    ),
    named("cluster", "scheduler of a Dask cluster that explores", metavar="tcp://HOST:PORT"),
    named("energy", "picojoules of words, cells and operations (JSON)", metavar="FILE"),
    named("synth", "measure area and clock of the front by open tools instead of estimating the area", False),
    named("device", f"target FPGA of --synth (default: {DEVICES[0]})", DEVICES[0], choices=DEVICES),
    named("store", "keep results in this file, so that a run that was stopped goes on", metavar="FILE"),
)


def explore(parser: CommandParser) -> None:
    """Options of `explore`."""
    kernel(parser, tiled=True)
    parser.add("parameters", [VALUES])
    own = [option for option in options_of(Choices) if option.dest != "objective"]
    parser.add("tiling and local memories", own)
    parser.add("hardware", options_of(HardwareOptions))
    parser.add("front", FRONT)
    file = named(
        "file",
        "write the front, draw the curve; with --apply, the folder of a design or of the passes of a fusion",
        flag="-o",
        metavar="FILE|FOLDER",
    )
    apply = named(
        "apply",
        "run design N of the front, or build it into -o FOLDER; write the passes of this fusion as C kernels",
        metavar="N|2,2",
        read=sizes,
    )
    curve = named("curve", "words against local memory, from one word per array to all data", False)
    parser.add("exploration", [curve, file, apply])
    parser.add(
        "tasks of Array-OL",
        [
            named("fusions", "fusions of neighbouring tasks: internal memory against latency", False),
            named("data_per_word", "data in a word of external memory (default: 4)", 4, read=positive),
            named(
                "exact", "beside the formulas, buffers, words and cycles of the passes in blocks as accelerators", False
            ),
            named("latency", "cycles before the first word of a burst (default: 30)", 30, read=positive),
        ],
    )


def report(parser: CommandParser) -> None:
    """Options of `report`."""
    accelerator(parser)
    parser.add("hardware", options_of(HardwareOptions))
    parser.add(
        "report",
        [
            named("file", "page to write (required)", flag="-o", metavar="F.html"),
            named("open", "open the page in a browser", False),
            named("verify", "run the accelerator as C against the original", False),
            named("plan_only", "leave accelerator and process network out, which take longer than the plan", False),
            named("synth", "measure area and clock by open tools instead of estimating the area", False),
            named("device", f"target FPGA of --synth (default: {DEVICES[0]})", DEVICES[0], choices=DEVICES),
            named("front", "show designs that explore -o FRONT.json found", metavar="FRONT.json"),
            named(
                "compare",
                "compare the figures of two results of --json; the second file stands in the place of KERNEL",
                metavar="A.json",
            ),
        ],
    )


def reuse(parser: CommandParser) -> None:
    """Options of `reuse`."""
    info(parser, tiled=True)
    parser.add("parameters", [VALUES])
    parser.add("tiling", [*TILING, named("tiled", "run in the order of the tiling in the source", False)])
    parser.add(
        "reuse",
        [
            named("size", "cache size in elements or lines", metavar="W", read=positive),
            named("line", "elements per cache line (default: 1)", 1, metavar="WORDS", read=positive),
            named("scalars", "count accesses of scalars", False),
            SEED,
            named("trace", "show each access, and the cache after it", False),
            named("symbolic", "distances in closed form, for all parameters", False),
        ],
    )


def count(parser: CommandParser) -> None:
    """Options of `count`."""
    parser.add_argument("set", metavar="SET", help="a set or a map in isl syntax; @FILE reads a file, - standard input")
    parser.add("count", [named("vertices", "vertices and their chambers instead of the count", False), LIMIT, VALUES])
    output(parser)


def bound(parser: CommandParser) -> None:
    """Options of `bound`."""
    parser.add_argument("values", metavar="QPOLY", nargs="?", help="a piecewise quasi-polynomial; @FILE, - as in count")
    parser.add(
        "bound",
        [
            named("method", "method (default: exact, else hybrid)", choices=METHODS),
            named("basic", "hybrid: method for large chambers", "mod-classes", choices=METHODS[:-1]),
            named(
                "threshold",
                "split-periods, per-fraction: most periods (100); hybrid: small chambers (50)",
                metavar="N",
                read=positive,
            ),
            named("accuracy", "evaluate variables with larger relative errors", metavar="X", read=float),
            named("halvings", "halve domains N times for closer bounds", metavar="N", read=positive),
            named("minimum", "a lower bound instead of an upper one", False),
            VALUES,
        ],
    )
    parser.add(
        "live elements of a kernel",
        [
            named("live", "bound the live elements of a .c or .py kernel", metavar="KERNEL"),
            named("schedule", "order of execution (default: its own)", metavar="MAP"),
            named("commutative", "sums may run in any order", False),
            named("early_inputs", "inputs are there from the beginning", False),
            named("late_outputs", "outputs stay until the end", False),
            named("search", "try coefficients from -B to B", metavar="B", read=positive),
            named("dimensions", "of schedules that are searched (default: 1)", 1, metavar="D", read=positive),
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
            named("host", "address to listen at (default: 127.0.0.1)", "127.0.0.1", metavar="ADDRESS"),
            named("port", "port (default: a free one)", 0, metavar="N", read=port),
            named("open", "open the page in a browser", False),
            named("seconds", "seconds per request (default: 60)", 60, flag="--time", metavar="SECONDS", read=positive),
            named(
                "include",
                "folder of headers that kernels may include (repeatable)",
                flag="-I",
                metavar="DIR",
                repeated=True,
            ),
            named("allow_run", "compile and run C on this machine", False),
        ],
    )
    output(parser)


def port(text: str) -> int:
    """The number of a port."""
    if not 0 <= whole(text) < 1 << 16:
        raise ValueError("ports are from 0 to 65535")
    return whole(text)
