"""What hardware of a kernel offers to those who use it: ports, ranges of parameters, layouts of arrays, and times."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from loadstone.hardware.compute.intervals import interval
from loadstone.hardware.design import AcceleratorDesign
from loadstone.hardware.layout import ArrayLayout
from loadstone.hardware.on_chip import OnChipDesign
from loadstone.loops.ranges import Ranges
from loadstone.rtl.shell import Shell
from loadstone.texts import markdown_table

_HANDSHAKE = """\
All ports belong to the rising edge of `clk`. `{reset}` is synchronous and active {active}; registers also have initial
values.

1. While `ready` is high, the words of arrays may be written: `X_write`, `X_address` and `X_data` in the same cycle.
2. Parameters and scalars get their values, and `start` is high for one cycle in which `ready` is. They keep these
   values until the run has ended.
3. `ready` and `done` are low while it runs. Writes are ignored then.
4. `done` and `ready` rise in the same cycle, and `done` stays until the next start. Then scalars have their results,
   and words may be read: `X_word` is the word at `X_address` {delay} later.

Memories keep their words from run to run: only what changes has to be written before the next one.
"""


def hardware_info(design: OnChipDesign, top: Shell, parameters: Mapping[str, int]) -> dict[str, Any]:
    """Ports, parameters, arrays, scalars and times of hardware, as JSON; `parameters` are those of the testbench."""
    compute = design.compute
    return {
        "kernel": compute.kernel.name,
        "top": top.name,
        "parameters": {
            name: {"port": port, "least": low, "greatest": high, "testbench": parameters[name]}
            for name, port, low, high in ((n, p, *design.limits[n]) for n, p in design.parameters.items())
        },
        "ports": list(_ports(design, top)),
        "arrays": {name: _array_info(design, name) for name in design.arrays},
        "scalars": {"in": dict(design.scalars_in), "out": dict(design.scalars_out)},
        "memories": {"latency": compute.memories.latency, "read_ports": compute.memories.read_ports or "auto"},
        "statements": statement_times(design),
    }


def statement_times(design: OnChipDesign | AcceleratorDesign) -> dict[str, dict[str, Any]]:
    """For each statement the interval between instances and why it is not shorter, and the cycles to its write."""
    compute = design.compute
    known = Ranges(compute.kernel, design.limits).known
    grouping = design.lanes.grouping if isinstance(design, AcceleratorDesign) else None
    found = {name: interval(compute, name, known, grouping) for name in compute.statements}
    return {
        name: {"interval": each.cycles, "reason": each.reason, "latency": compute.times[name].write}
        for name, each in found.items()
    }


def active_level(top: Shell) -> str:
    """The level at which the reset of a top module is active."""
    return "low" if top.clocking.low else "high"


def _ports(design: OnChipDesign, top: Shell) -> Iterator[dict[str, Any]]:
    meanings = _meanings(design, top)
    for name in (top.clocking.clock, top.clocking.reset):
        yield _port(name, "input", 1, False, meanings)
    for port in design.module.of_kind("input", "output"):
        yield _port(port.name, port.kind, port.bits.width, port.bits.signed, meanings)


def _port(name: str, direction: str, width: int, signed: bool, meanings: Mapping[str, str]) -> dict[str, Any]:
    return {"name": name, "direction": direction, "width": width, "signed": signed, "meaning": meanings[name]}


def _meanings(design: OnChipDesign, top: Shell) -> dict[str, str]:
    """What each port is for."""
    stores = design.compute.stores
    found = {
        top.clocking.clock: "clock, rising edge",
        top.clocking.reset: f"reset, synchronous, active {active_level(top)}",
        "start": "starts a run, while ready",
        "ready": "nothing runs: may be started, and words may be written and read",
        "done": "a run has ended since the last start",
        "error": "the last start was refused: a parameter is out of range",
    }
    found |= {port: f"parameter {name}" for name, port in design.parameters.items()}
    found |= {port: f"{_what(stores[name])} before a run" for name, port in design.scalars_in.items()}
    found |= {port: f"{_what(stores[name])} after a run" for name, port in design.scalars_out.items()}
    for name, port in design.arrays.items():
        found[port.write] = f"writes {port.data} to {port.address}, while ready"
        found[port.address] = f"which word of {name}"
        found[port.data] = f"the word to write: {_what(stores[name])}"
        found[port.word] = f"the word at {port.address}, {_cycles(design)} later: {_what(stores[name])}"
    return found


def _what(store: ArrayLayout) -> str:
    """An element and how its bits are read."""
    form = ", IEEE 754" if store.element.kind == "float" else ""
    return f"{store.array} ({store.element.described}{form})"


def _cycles(design: OnChipDesign) -> str:
    latency = design.compute.memories.latency
    return "1 cycle" if latency == 1 else f"{latency} cycles"


def _array_info(design: OnChipDesign, name: str) -> dict[str, Any]:
    port, store = design.arrays[name], design.compute.stores[name]
    array = design.compute.kernel.arrays[name]
    return {
        "type": store.element.described,
        "extents": list(store.extents),
        "strides": list(store.strides),
        "words": store.depth,
        "input": array.initialised,
        "output": array.live_out,
        "ports": {"write": port.write, "address": port.address, "data": port.data, "word": port.word},
    }


def emit_readme(design: OnChipDesign, top: Shell, parameters: Mapping[str, int], usage: str) -> str:
    """A page on how the hardware is used; `usage` says how its testbench is run."""
    info = hardware_info(design, top, parameters)
    values = ", ".join(f"{name} = {value}" for name, value in parameters.items())
    parts = [
        f"# {info['top']}\n\nThe kernel {info['kernel']} with its arrays in memories on the chip.\n",
        f"## Running it\n\n{usage}\nThe testbench is for {values or 'a kernel without parameters'}.\n",
        _section("Ports", ("name", "direction", "width", "meaning"), map(_port_row, info["ports"])),
        "## Handshake\n\n"
        + _HANDSHAKE.format(delay=_cycles(design), reset=top.clocking.reset, active=active_level(top)),
        _parameter_section(info),
        _array_section(info),
        _time_section(info),
    ]
    return "\n".join(part for part in parts if part)


def _port_row(port: Mapping[str, Any]) -> tuple[str, ...]:
    sign = ", signed" if port["signed"] else ""
    return f"`{port['name']}`", port["direction"], f"{port['width']}{sign}", port["meaning"]


def _parameter_section(info: Mapping[str, Any]) -> str:
    rows = [(name, each["port"], each["least"], each["greatest"]) for name, each in info["parameters"].items()]
    text = (
        "\nA start with a parameter outside of these ranges does nothing but set `error` and `done`. Outside of what"
        "\nelse the kernel assumes of its parameters, results are undefined.\n"
    )
    return _section("Parameters", ("parameter", "port", "least", "greatest"), rows) + text if rows else ""


def _array_section(info: Mapping[str, Any]) -> str:
    heads = ("array", "element", "room for", "words", "address of an element", "used as")
    rows = [(name, *_layout_row(name, each)) for name, each in info["arrays"].items()]
    text = "\nRow by row. Rows are as long as the greatest parameters need: strides do not follow the parameters.\n"
    return _section("Arrays", heads, rows) + text if rows else ""


def _layout_row(name: str, array: Mapping[str, Any]) -> tuple[str, ...]:
    terms = [f"i{k}" if stride == 1 else f"{stride}*i{k}" for k, stride in enumerate(array["strides"])]
    uses = " and ".join(use for use in ("input", "output") if array[use])
    return array["type"], room_of(name, array), str(array["words"]), place_of(name, array, terms), uses


def room_of(name: str, array: Mapping[str, Any]) -> str:
    """An array with the extents that there is room for."""
    return f"`{name}{''.join(f'[{extent}]' for extent in array['extents'])}`"


def place_of(name: str, array: Mapping[str, Any], terms: Iterable[str]) -> str:
    """An element of an array, and its address as a sum of terms."""
    element = name + "".join(f"[i{k}]" for k in range(len(array["extents"])))
    return f"`{element}` at `{' + '.join(terms)}`"


def _time_section(info: Mapping[str, Any]) -> str:
    times = info["statements"].items()
    rows = [(name, each["interval"], each["latency"], each["reason"] or "-") for name, each in times]
    heads = ("statement", "interval", "latency", "why not more often")
    text = (
        "\nIn cycles: instances of the innermost loop start an interval apart, and write after the latency."
        "\nOther statements of the same loop take their own cycles.\n"
    )
    return _section("Times", heads, rows) + text if rows else ""


def _section(title: str, heads: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    return f"## {title}\n\n{markdown_table(heads, rows)}"
