"""What the hardware of an accelerator offers to those who use it: ports, registers, and where arrays lie in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from loadstone.bus.lite import PREFIXES
from loadstone.bus.ports import Protocol
from loadstone.emit.c.printer import emit_expression
from loadstone.emit.hdl.description import active_level, place_of, room_of
from loadstone.hardware.accelerator.registers import Register, RegisterMap
from loadstone.hardware.design import AcceleratorDesign
from loadstone.model.expression import Expression
from loadstone.rtl.shell import Shell
from loadstone.texts import markdown_table, text_of

_README = text_of(__name__, "accelerator.md")

_BUSES = {
    "axi": "a master of AXI4 for external memory: `axi_...`; it uses one identifier, so responses are in order, and"
    " its bursts are modifiable and bufferable",
    "avalon": "masters of Avalon-MM for external memory: `avalon_read_...` and `avalon_write_...`, in bytes; each burst"
    " that is written needs a response (Platform Designer adds them to agents that have none)",
}
_SLAVES: dict[Protocol, str] = {
    "axi": "a slave of AXI4-Lite for the registers: `s_axil_...`; protection is ignored",
    "avalon": "an agent of Avalon-MM for the registers: `s_...`, whose addresses count words",
}


def accelerator_info(
    kernel: str,
    top: Shell,
    design: AcceleratorDesign,
    registers: RegisterMap,
    protocol: Protocol,
    parameters: Mapping[str, int],
) -> dict[str, Any]:
    """Ports, parameters, registers, arrays and scalars of an accelerator, as JSON."""
    return {
        "kernel": kernel,
        "top": top.name,
        "parameters": {
            name: {"register": registers.of("parameter", name).name, "least": low, "greatest": high}
            | {"testbench": parameters[name]}
            for name, (low, high) in ((name, design.limits[name]) for name in design.parameters)
        },
        "bus": {key: getattr(design.bus, key) for key in ("protocol", "data_width", "address_width", "burst")},
        "control": {"protocol": protocol, "address_width": registers.address_width, "prefix": PREFIXES[protocol]},
        "clock": top.clocking.clock,
        "reset": {"name": top.clocking.reset, "active": active_level(top)},
        "ports": list(_ports(top)),
        "identity": registers.identity,
        "registers": [_register_info(each) for each in registers.registers],
        "arrays": {name: _array_info(design, registers, name) for name in design.element_bytes},
        "scalars": {"in": list(design.scalars_in), "out": list(design.scalars_out)},
    }


def _ports(top: Shell) -> Iterator[dict[str, Any]]:
    for name in (top.clocking.clock, top.clocking.reset):
        yield {"name": name, "direction": "input", "width": 1}
    for port in top.of_kind("input", "output"):
        yield {"name": port.name, "direction": port.kind, "width": port.bits.width}


def _register_info(register: Register) -> dict[str, Any]:
    type = register.type
    shown = {"words": register.words, "width": type.width, "signed": type.signed, "access": register.access}
    return {"name": register.name, "offset": register.offset, **shown, "meaning": register.meaning}


def _array_info(design: AcceleratorDesign, registers: RegisterMap, name: str) -> dict[str, Any]:
    store, size = design.external[name], design.element_bytes[name]
    return {
        "type": store.element.described,
        "element_bytes": size,
        "extents": list(store.extents),
        "strides": [stride_text(store.factors(k), size) for k in range(len(store.extents))],
        "bytes": size * store.depth,
        "register": registers.of("base", design.variable(name)).name,
        **({"structures": store.variable, "offset": size * store.offset} if store.variable else {}),
    }


def stride_text(sizes: Sequence[Expression], element_bytes: int) -> str:
    """The bytes from an element to the next one in a dimension, in terms of parameters: extents times an element.

    >>> stride_text((), 4)
    '4'
    """
    factors = map(emit_expression, sizes)
    return "*".join((str(element_bytes), *(text if text.isalnum() else f"({text})" for text in factors)))


def emit_accelerator_readme(info: Mapping[str, Any], timing: str, files: Mapping[str, str], usage: str) -> str:
    """A page on how the accelerator is used; `files` says what files are for, `usage` how its testbench is run."""
    values = ", ".join(f"{name} = {each['testbench']}" for name, each in info["parameters"].items())
    return _README.format(
        top=info["top"],
        kernel=info["kernel"],
        clock=info["clock"],
        reset=info["reset"]["name"],
        active=info["reset"]["active"],
        usage=usage,
        values=values or "a kernel without parameters",
        timing=timing,
        files=markdown_table(("file", "what it is"), [(f"`{path}`", text) for path, text in files.items()]),
        ports=markdown_table(
            ("port", "direction", "width"),
            ((f"`{each['name']}`", each["direction"], each["width"]) for each in info["ports"]),
        ),
        buses=_bus_lines(info),
        parameters=markdown_table(("parameter", "register", "least", "greatest"), _parameter_rows(info)),
        arrays=markdown_table(
            ("array", "element", "room for", "bytes", "byte address of an element"), _array_rows(info)
        ),
    )


def _bus_lines(info: Mapping[str, Any]) -> str:
    lines = (
        _SLAVES[info["control"]["protocol"]],
        _BUSES[info["bus"]["protocol"]],
        "an interrupt, high while it is set: `irq`",
    )
    return "".join(f"- {line}\n" for line in lines)


def _parameter_rows(info: Mapping[str, Any]) -> Iterator[tuple[object, ...]]:
    for name, each in info["parameters"].items():
        yield name, each["register"], each["least"], each["greatest"]


def _array_rows(info: Mapping[str, Any]) -> Iterator[tuple[object, ...]]:
    for name, array in info["arrays"].items():
        start = [str(array["offset"])] if array.get("offset") else []
        terms = (array["register"], *start, *(f"{stride}*i{k}" for k, stride in enumerate(array["strides"])))
        yield name, array["type"], room_of(name, array), array["bytes"], place_of(name, array, terms)
