"""What a user chooses: a field is a command-line option, an axis of an exploration, and a line of a report.

Each field carries its `Option`: the flag, the help text, how its text is read, and in which modes it takes effect. The
command line is made from these, and refuses an option that would have none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, Self

Target = Literal["c", "hls", "verilog", "vhdl", "model"]
Flavour = Literal["vitis", "intel"]
Protocol = Literal["axi", "avalon"]
Simulator = Literal["verilator", "icarus", "ghdl", "transactions"]
StripMode = Literal["overlap", "drain"]
Objective = Literal["words", "cycles"]
Reset = Literal["low", "high"]
Flow = Literal["vitis", "vivado", "quartus", "pynq", "xrt", "litex", "fusesoc"]
"""The flow of others that takes what is generated."""
VitisVersion = Literal["2022.2", "2024.2", "2025.2"]
Mode = Literal[
    "c",
    "hls",
    "model",
    "on-chip",
    "accelerator",
    "prediction",
    "network-c",
    "network-hls",
    "network-hardware",
]
"""What is made of a kernel: a program, hardware with all arrays on the chip or with external memory, a network."""

PROGRAMS: tuple[Target, ...] = ("c", "hls")
CIRCUITS: tuple[Target, ...] = ("verilog", "vhdl")
MEMORIES = ("paper", "ddr3-1600", "ddr4-2400", "hbm", "litedram")
BUS_WIDTHS = (32, 64, 128, 256, 512)
ADDRESS_WIDTHS, OUTSTANDING = (32, 64), (1, 64)
FLOWS: tuple[Flow, ...] = ("vitis", "vivado", "quartus", "pynq", "xrt", "litex", "fusesoc")
BURSTS = (2, 4, 8, 16, 32, 64, 128, 256)

NETWORKS: tuple[Mode, ...] = ("network-c", "network-hls", "network-hardware")
TILED: tuple[Mode, ...] = ("c", "hls", "accelerator", "prediction")
WITH_TILING: tuple[Mode, ...] = (*TILED, *NETWORKS)
ON_BUS: tuple[Mode, ...] = ("accelerator", "prediction", "network-hardware")
HARDWARE: tuple[Mode, ...] = ("on-chip", *ON_BUS)
WRITTEN: tuple[Mode, ...] = ("on-chip", "accelerator")
DEFAULT_LOCAL, WORD_BYTES = 32 * 1024, 4


@dataclass(frozen=True, slots=True)
class Option:
    """A command-line option; `read` turns its text into a value and raises `ValueError` with what is wrong.

    A `constant` is the value of an option without an argument. `modes` are those in which it takes effect, all if
    there are none.
    """

    flag: str
    help: str
    dest: str
    default: Any = None
    metavar: str | None = None
    choices: tuple[Any, ...] | None = None
    read: Callable[[str], Any] | None = None
    constant: Any = None
    repeated: bool = False
    modes: tuple[Mode, ...] = ()


def named(dest: str, help: str, default: Any = None, flag: str = "", **how: Any) -> Option:
    """An option whose flag is its name, unless another is given; without an argument where it is false by default."""
    set_by_flag = {"constant": True} if default is False else {}
    return Option(flag or f"--{dest.replace('_', '-')}", help, dest, default, **set_by_flag, **how)


def described(help: str, default: Any = None, flag: str = "", **how: Any) -> Any:
    """A field that is an option of its name."""
    return field(default=default, metadata={"option": (help, default, flag, how)})


def options_of(kind: type) -> tuple[Option, ...]:
    """The options that the fields of a class are."""
    known = ((each.name, each.metadata["option"]) for each in fields(kind) if "option" in each.metadata)
    return tuple(named(name, help, default, flag, **how) for name, (help, default, flag, how) in known)


def whole(text: str) -> int:
    """A whole number."""
    if not text.strip().lstrip("+-").isdigit():
        raise ValueError(f"'{text}' is not a whole number")
    return int(text)


def positive(text: str) -> int:
    """A whole number of at least one.

    >>> positive("12")
    12
    """
    if whole(text) < 1:
        raise ValueError("must be at least 1")
    return whole(text)


def between(least: int, greatest: int) -> Callable[[str], int]:
    """A whole number in a range.

    >>> between(32, 64)("40")
    40
    """

    def read(text: str) -> int:
        if not least <= whole(text) <= greatest:
            raise ValueError(f"must be from {least} to {greatest}")
        return whole(text)

    return read


def sizes(text: str) -> tuple[int, ...]:
    """Tile sizes, separated by commas.

    >>> sizes("32,8")
    (32, 8)
    """
    parts = text.split(",")
    if not all(part.strip().lstrip("-").isdigit() for part in parts):
        raise ValueError(f"'{text}' is not a list of whole numbers")
    if any(int(part) < 1 for part in parts):
        raise ValueError("tile sizes must be positive")
    return tuple(map(int, parts))


def name_start(text: str) -> str:
    """What names can begin with in hardware languages.

    >>> name_start("small_1")
    'small_1'
    """
    if not re.fullmatch(r"[a-zA-Z][a-zA-Z0-9]*(_[a-zA-Z0-9]+)*", text):
        raise ValueError(f"'{text}' cannot begin the name of a module")
    return text


def lanes(text: str) -> int | tuple[int, ...] | Literal["auto"]:
    """Numbers of lanes along one loop or two, or that they are chosen automatically.

    >>> lanes("8"), lanes("4x8"), lanes("auto")
    (8, (4, 8), 'auto')
    """
    if text == "auto":
        return "auto"
    parts = text.split("x")
    if len(parts) > 2:
        raise ValueError("lanes are along two loops at most")
    return positive(text) if len(parts) == 1 else tuple(map(positive, parts))


def tile_sizes(text: str) -> tuple[int, ...] | Literal["auto"]:
    """Tile sizes, or that they are chosen automatically.

    >>> tile_sizes("auto"), tile_sizes("8")
    ('auto', (8,))
    """
    return "auto" if text == "auto" else sizes(text)


def flow_names(text: str) -> tuple[Flow, ...]:
    """Flows, separated by commas.

    >>> flow_names("vivado, pynq")
    ('vivado', 'pynq')
    """
    names = [part.strip() for part in text.split(",")]
    unknown = [name for name in names if name not in FLOWS]
    if unknown:
        raise ValueError(f"'{unknown[0]}' is not one of {', '.join(FLOWS)}")
    return tuple(flow for flow in FLOWS if flow in names)


def words(text: str) -> int:
    """A number of words, or a number of bytes of memory for words of 4 bytes.

    >>> words("4096"), words("64KiB"), words("1MiB")
    (4096, 16384, 262144)
    """
    for unit, size in (("KiB", 1024), ("MiB", 1024 * 1024)):
        if text.endswith(unit):
            return positive(text.removesuffix(unit)) * size // WORD_BYTES
    return positive(text)


def without_effect(options: Iterable[Option], given: frozenset[str], modes: frozenset[Mode]) -> Iterator[Option]:
    """The options that were given and take effect in none of the modes."""
    return (option for option in options if option.dest in given and option.modes and modes.isdisjoint(option.modes))


class FromNames:
    """Options that can be read from a record of all options."""

    __slots__ = ()

    @classmethod
    def of(cls, known: Mapping[str, Any]) -> Self:
        """The options of this class among others."""
        return cls(**{option.dest: known[option.dest] for option in options_of(cls) if option.dest in known})


@dataclass(frozen=True, slots=True)
class Choices(FromNames):
    """How a kernel is tiled, and how its tiles are pipelined through local memories."""

    sizes: int | tuple[int, ...] | Literal["auto"] | None = described(
        "tile sizes, 32,32,32; one number applies to every dimension; auto: the sizes that move the fewest words",
        flag="--tile",
        metavar="SIZES",
        read=tile_sizes,
        modes=WITH_TILING,
    )
    local: int = described(
        "local memory for all buffers that --tile auto may use, in words, or as 64KiB (default: 32768)",
        DEFAULT_LOCAL,
        metavar="WORDS",
        read=words,
        modes=WITH_TILING,
    )
    objective: Objective = described(
        "what --tile auto minimises (default: words)", "words", choices=("words", "cycles"), modes=WITH_TILING
    )
    schedule: str | None = described(
        "theta in isl syntax, or auto (default: the loops of the nest)", metavar="MAP", modes=WITH_TILING
    )
    strip: int | None = described(
        "innermost tile loops that form a strip (default: 1)", metavar="K", read=positive, modes=WITH_TILING
    )
    free_reductions: bool = described(
        "reorder floating-point sums and products, which changes rounding", False, modes=WITH_TILING
    )
    depth: int = described("tiles in flight (default: 2, double buffering)", 2, metavar="D", read=positive, modes=TILED)
    strips: StripMode = described(
        "load a strip while the one before is computed and stored, or after (default: overlap)",
        "overlap",
        choices=("overlap", "drain"),
        modes=TILED,
    )
    blocks: int | None = described(
        "a process network loads and stores whole tiles, in the order of addresses, of which D are on their way",
        metavar="D",
        read=positive,
        modes=NETWORKS,
    )
    power_of_two: bool = described("round the moduli of local buffers up to powers of two", False, modes=TILED)
    split_buffers: bool = described(
        "local memories in parts by rows and columns of the tile, where they grow with the parameters otherwise",
        False,
        modes=("c", "hls"),
    )
    keep_dead_stores: bool = described("store every value written, as in the papers", False, modes=TILED)


@dataclass(frozen=True, slots=True)
class HardwareOptions(FromNames):
    """How hardware is made: on-chip memories, arithmetic, the bus, and lanes."""

    read_ports: int | None = described(
        "read ports per on-chip memory (default: as many as an instance reads, if copies take at most 128 KiB)",
        metavar="N",
        read=positive,
        modes=("on-chip", "accelerator", "prediction"),
    )
    memory_latency: int | None = described(
        "read latency of on-chip memories in cycles (default: 2 on a bus, else 1)",
        choices=(1, 2),
        modes=("on-chip", "accelerator", "prediction"),
    )
    flush_subnormals: bool = described("flush subnormal numbers to zero", False, modes=HARDWARE)
    bus: Protocol | None = described(
        "bus protocol of the accelerator (default: axi)", choices=("axi", "avalon"), modes=ON_BUS
    )
    bus_width: int | None = described(
        "data bits of the bus (default: those of the widest element)",
        choices=BUS_WIDTHS,
        modes=("hls", *ON_BUS),
    )
    burst: int | None = described("longest burst in beats (default: 64)", choices=BURSTS, modes=ON_BUS)
    address_width: int | None = described(
        "bits of byte addresses, 32 to 64 (default: 32)", metavar="BITS", read=between(*ADDRESS_WIDTHS), modes=ON_BUS
    )
    outstanding: int | None = described(
        "bursts in flight in either direction, 1 to 64 (default: reads as many as four of the longest, writes 255)",
        metavar="N",
        read=between(*OUTSTANDING),
        modes=ON_BUS,
    )
    unroll: int | tuple[int, ...] | Literal["auto"] | None = described(
        "lanes: instances of a parallel loop computed at once, 8, or of two loops, 4x8, or as many as the bus feeds, "
        "auto, in hardware (default: the factor of an HLS UNROLL pragma, else 1)",
        metavar="U",
        read=lanes,
        modes=("hls", "accelerator", "prediction"),
    )


@dataclass(frozen=True, slots=True)
class IntegrationOptions(FromNames):
    """How the files of hardware fit into the project of others."""

    reset: Reset | None = described(
        "level at which the synchronous reset is active (default: low on AXI, else high)",
        choices=("low", "high"),
        modes=WRITTEN,
    )
    prefix: str = described(
        "what the names of all modules begin with, so that several designs can live in one project",
        "",
        metavar="NAME",
        read=name_start,
        modes=WRITTEN,
    )

    def __post_init__(self) -> None:
        """Refuse a prefix that no name can have, whoever gives it."""
        if self.prefix:
            name_start(self.prefix)


@dataclass(frozen=True, slots=True)
class FlowOptions(FromNames):
    """Which flows of others the files are packaged for."""

    flows: tuple[Flow, ...] = described(
        f"write packages for flows, separated by commas: {', '.join(FLOWS)}",
        (),
        flag="--flow",
        metavar="NAMES",
        read=flow_names,
        modes=("hls", "network-hls", "accelerator"),
    )
    vitis: VitisVersion | None = described(
        "version of Vitis that scripts and pragmas are for (default: 2025.2)",
        choices=("2022.2", "2024.2", "2025.2"),
        modes=("hls", "network-hls"),
    )


NO_FLOWS = FlowOptions()


@dataclass(frozen=True, slots=True)
class RunOptions(FromNames):
    """What is run, in which simulator, and what is shown of it."""

    target: Target = described(
        "what to run (default: c); verilog, vhdl: hardware, on chip unless --memory is given; "
        "model: interpret the parsed kernel",
        "c",
        choices=("c", "hls", "verilog", "vhdl", "model"),
    )
    memory: str | None = described("external memory of the accelerator (verilog)", choices=MEMORIES, modes=ON_BUS)
    network: bool = described("run the process network instead of load, compute and store", False, modes=NETWORKS)
    simulator: Simulator | None = described(
        "simulator (default: verilator, ghdl for vhdl); transactions: predict cycles at the level of bursts",
        choices=("verilator", "icarus", "ghdl", "transactions"),
        modes=HARDWARE,
    )
    no_baseline: bool = described("do not simulate the direct baseline", False, modes=("accelerator",))
    timeline: bool = described("show load, compute and store over time", False, modes=("accelerator", "prediction"))
    vcd: str | None = described(
        "write a waveform", metavar="FILE", modes=("on-chip", "accelerator", "network-hardware")
    )
    flavour: Flavour = described(
        "dialect of HLS C++ (default: vitis)", "vitis", choices=("vitis", "intel"), modes=("hls", "network-hls")
    )
    checked: bool = described("stop where a local cell holds another element", False, modes=("c",))
    sequential: bool = described("one thread, tile by tile", False, modes=("c",))
    seed: int = described(
        "seed of the generated inputs (default: 0)",
        0,
        metavar="N",
        read=whole,
        modes=("c", "hls", "model", "on-chip", "accelerator", *NETWORKS),
    )

    def mode(self) -> Mode:
        """What these options run."""
        on_bus = self.memory is not None
        network = self.network and (on_bus or self.target in PROGRAMS)
        found = _mode_of(self.target, network, on_bus)
        return "prediction" if found == "accelerator" and self.simulator == "transactions" else found


def modes_of(targets: Iterable[Target], *, network: bool, on_bus: bool) -> frozenset[Mode]:
    """What files for targets are made of."""
    return frozenset(_mode_of(target, network, on_bus) for target in targets)


def _mode_of(target: Target, network: bool, on_bus: bool) -> Mode:
    match target:
        case "model":
            return "model"
        case "c":
            return "network-c" if network else "c"
        case "hls":
            return "network-hls" if network else "hls"
        case "verilog" | "vhdl":
            return "network-hardware" if network else "accelerator" if on_bus else "on-chip"
