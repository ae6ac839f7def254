"""Accelerators in IP-XACT [IEEE 1685-2009]: `component.xml`, which the IP catalog of Vivado reads.

Interfaces on AXI have the bus definitions of Xilinx, those on Avalon the ones of Altera.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from xml.etree.ElementTree import Element, indent, tostring

from loadstone.emit.hdl.accelerator import AcceleratorFolder
from loadstone.flows.interfaces import Interface, Kind, Port, interfaces_of, ports_of
from loadstone.hardware.accelerator.registers import ERROR_KIND, FIELDS, Register
from loadstone.hardware.supervisor import ErrorKind
from loadstone.version import VERSION

VENDOR, LIBRARY, IP_VERSION = "loadstone", "accelerator", "1.0"
_SPIRIT = "http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009"
_XILINX = "http://www.xilinx.com"
_MAP, _SPACE = "registers", "memory"
_PAGE = 4096
"""The least range that AXI gives to a slave."""
_ACCESS = {"rw": "read-write", "ro": "read-only", "wo": "write-only", "w1c": "read-write"}
_FAMILIES = ("zynq", "zynquplus", "versal", "artix7", "kintex7", "virtex7", "kintexu", "kintexuplus", "virtexuplus")
_FILES = {"verilog": ("fileType", "systemVerilogSource"), "vhdl": ("userFileType", "vhdlSource-2008")}
"""Types of files; the standard has none for VHDL-2008."""
_VIEWS = {
    "xilinx_anylanguagesynthesis": ":vivado.xilinx.com:synthesis",
    "xilinx_anylanguagebehavioralsimulation": ":vivado.xilinx.com:simulation",
}
_TYPES: Mapping[Kind, tuple[str, str, str, str]] = {
    "clock": ("xilinx.com", "signal", "clock", "1.0"),
    "reset": ("xilinx.com", "signal", "reset", "1.0"),
    "interrupt": ("xilinx.com", "signal", "interrupt", "1.0"),
    "axi": ("xilinx.com", "interface", "aximm", "1.0"),
    "registers of axi": ("xilinx.com", "interface", "aximm", "1.0"),
    "avalon": ("altera", "altera", "avalon", "18.1"),
    "registers of avalon": ("altera", "altera", "avalon", "18.1"),
}
_LOGICAL = {"clk": "CLK", "rst": "RST", "irq": "INTERRUPT"}


def vlnv(folder: AcceleratorFolder) -> str:
    """Vendor, library, name and version, as tools write them."""
    return f"{VENDOR}:{LIBRARY}:{folder.name}:{IP_VERSION}"


def emit_component(folder: AcceleratorFolder) -> str:
    """The file `component.xml` of an accelerator, which lies beside the sources."""
    root = _node(
        "component",
        *_texts(vendor=VENDOR, library=LIBRARY, name=folder.name, version=IP_VERSION),
        _node("busInterfaces", *(_bus_interface(folder, each) for each in interfaces_of(folder))),
        _node("addressSpaces", _address_space(folder)),
        _node("memoryMaps", _memory_map(folder)),
        _model(folder),
        _node("fileSets", *(_file_set(folder, view) for view in _VIEWS)),
        _text("description", f"{folder.design.kernel.name}, an accelerator by Loadstone {VERSION}"),
        _node("parameters", *_facts(folder)),
        _node("vendorExtensions", _extensions(folder)),
    )
    root.attrib |= {"xmlns:spirit": _SPIRIT, "xmlns:xilinx": _XILINX}
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def _node(tag: str, *children: Element, **attributes: str) -> Element:
    node = Element(f"spirit:{tag}", {f"spirit:{name}": value for name, value in attributes.items()})
    node.extend(children)
    return node


def _text(tag: str, text: object, **attributes: str) -> Element:
    node = _node(tag, **attributes)
    node.text = str(text)
    return node


def _texts(**texts: object) -> Iterator[Element]:
    """Elements that hold a text each, by their tags."""
    return (_text(tag, text) for tag, text in texts.items())


def _bus_interface(folder: AcceleratorFolder, interface: Interface) -> Element:
    vendor, library, name, version = _TYPES[interface.kind]
    rtl = name if vendor == "altera" else f"{name}_rtl"
    types = (
        _node(tag, vendor=vendor, library=library, name=title, version=version)
        for tag, title in (("busType", name), ("abstractionType", rtl))
    )
    maps = (_port_map(interface, signal, port) for signal, port in interface.ports.items())
    parameters = _node("parameters", *(_parameter(key, value) for key, value in _properties(folder, interface)))
    return _node(
        "busInterface",
        _text("name", interface.name),
        *types,
        _role(interface.kind),
        _node("portMaps", *maps),
        *([parameters] if len(parameters) else []),
    )


def _role(kind: Kind) -> Element:
    match kind:
        case "axi" | "avalon":
            return _node("master", _node("addressSpaceRef", addressSpaceRef=_SPACE))
        case "registers of axi" | "registers of avalon":
            return _node("slave", _node("memoryMapRef", memoryMapRef=_MAP))
        case "interrupt":
            return _node("master")
        case "clock" | "reset":
            return _node("slave")


def _port_map(interface: Interface, signal: str, port: Port) -> Element:
    is_avalon = interface.kind in ("avalon", "registers of avalon")
    logical = signal if is_avalon else _LOGICAL.get(signal, signal.upper())
    return _node(
        "portMap", _node("logicalPort", _text("name", logical)), _node("physicalPort", _text("name", port.name))
    )


def _properties(folder: AcceleratorFolder, interface: Interface) -> Iterator[tuple[str, object]]:
    """The parameters of an interface."""
    bus, clocking = folder.design.bus, folder.top.clocking
    match interface.kind:
        case "clock":
            buses = [each.name for each in interfaces_of(folder) if each.kind not in ("clock", "reset", "interrupt")]
            yield "ASSOCIATED_BUSIF", ":".join(buses)
            yield "ASSOCIATED_RESET", clocking.reset
        case "reset":
            yield "POLARITY", f"ACTIVE_{'LOW' if clocking.low else 'HIGH'}"
        case "interrupt":
            yield "SENSITIVITY", "LEVEL_HIGH"
        case "axi":
            yield "PROTOCOL", "AXI4"
            yield "DATA_WIDTH", bus.data_width
            yield "ADDR_WIDTH", bus.address_width
            yield "MAX_BURST_LENGTH", bus.burst
            yield "NUM_READ_OUTSTANDING", bus.buffered_bursts
            yield "SUPPORTS_NARROW_BURST", 0
        case "registers of axi":
            yield "PROTOCOL", "AXI4LITE"
            yield "DATA_WIDTH", 32
            yield "ADDR_WIDTH", folder.registers.address_width
        case "avalon" | "registers of avalon":
            pass


def _parameter(name: str, value: object) -> Element:
    return _node("parameter", *_texts(name=name, value=value))


def _address_space(folder: AcceleratorFolder) -> Element:
    bus = folder.design.bus
    size = {"range": 1 << bus.address_width, "width": bus.data_width}
    return _node("addressSpace", *_texts(name=_SPACE, **size, addressUnitBits=8))


def _memory_map(folder: AcceleratorFolder) -> Element:
    size = max(_PAGE, 1 << folder.registers.address_width)
    block = _node(
        "addressBlock",
        *_texts(name="block", baseAddress=0, range=size, width=32, usage="register", access="read-write"),
        *(_register(folder, each) for each in folder.registers.registers),
    )
    return _node("memoryMap", _text("name", _MAP), block, _text("addressUnitBits", 8))


def _register(folder: AcceleratorFolder, register: Register) -> Element:
    return _node(
        "register",
        *_texts(name=register.name, description=register.meaning),
        *_texts(addressOffset=f"0x{register.offset:X}", size=32 * register.words),
        *([_text("volatile", "true")] if not register.is_value else []),
        _text("access", _ACCESS[register.access]),
        *_reset(folder, register),
        *_fields(register),
        *_pointed(folder, register),
    )


def _pointed(folder: AcceleratorFolder, register: Register) -> Iterator[Element]:
    """The master that uses an address; Vitis connects memory by it [UG1700, Packaging the RTL Code as a Vitis XO]."""
    if register.group == "base" and folder.design.bus.protocol == "axi":
        (master,) = (each.name for each in interfaces_of(folder) if each.kind == "axi")
        yield _node("parameters", _parameter("ASSOCIATED_BUSIF", master))


def _reset(folder: AcceleratorFolder, register: Register) -> Iterator[Element]:
    """The value after a reset, of registers that have one."""
    value = folder.registers.identity if register.name == "IDENTITY" else 0
    if register.is_value or register.name in ("CONTROL", "IDENTITY"):
        yield _node("reset", _text("value", f"0x{value:X}"))


def _fields(register: Register) -> Iterator[Element]:
    known = FIELDS.get(register.name, ())
    for field in known:
        yield _field(field.name, field.meaning, field.mask.bit_length() - 1, 1, field.access)
    if not known:
        kinds = ({"name": kind.name, "description": kind.described, "value": int(kind)} for kind in ErrorKind)
        values = [_node("enumeratedValue", *_texts(**kind)) for kind in kinds] if register.name == ERROR_KIND else []
        enumerated = [_node("enumeratedValues", *values)] if values else []
        yield _field("VALUE", register.meaning, 0, register.type.width, register.access, *enumerated)


def _field(name: str, meaning: str, offset: int, width: int, access: str, *more: Element) -> Element:
    return _node(
        "field",
        *_texts(name=name, description=meaning, bitOffset=offset, bitWidth=width, access=_ACCESS[access]),
        *more,
        *([_text("modifiedWriteValue", "oneToClear")] if access == "w1c" else []),
    )


def _model(folder: AcceleratorFolder) -> Element:
    views = (
        _node(
            "view",
            *_texts(name=name, envIdentifier=environment, language=folder.language, modelName=folder.top.name),
            _node("fileSetRef", _text("localName", name)),
        )
        for name, environment in _VIEWS.items()
    )
    return _node("model", _node("views", *views), _node("ports", *map(_wire, ports_of(folder))))


def _wire(port: Port) -> Element:
    width = port.type.width
    vector = [_node("vector", _text("left", width - 1), _text("right", 0))] if width > 1 else []
    kind = "std_logic_vector" if width > 1 else "std_logic"
    definition = _node("wireTypeDef", _text("typeName", kind), *(_text("viewNameRef", view) for view in _VIEWS))
    direction = _text("direction", "in" if port.direction == "input" else "out")
    return _node("port", _text("name", port.name), _node("wire", direction, *vector, _node("wireTypeDefs", definition)))


def _file_set(folder: AcceleratorFolder, view: str) -> Element:
    files = (_node("file", _text("name", path), _text(*_FILES[folder.language])) for path in folder.sources)
    return _node("fileSet", _text("name", view), *files)


def _facts(folder: AcceleratorFolder) -> Iterator[Element]:
    """What hardware was made for, as parameters that nobody can change."""
    yield _parameter("Component_Name", folder.name)
    for name in folder.design.parameters:
        low, high = folder.design.limits[name]
        register = folder.registers.of("parameter", name).name
        yield _parameter(f"{register}_LEAST", low)
        yield _parameter(f"{register}_GREATEST", high)


def _extensions(folder: AcceleratorFolder) -> Element:
    families = Element("xilinx:supportedFamilies")
    for name in _FAMILIES:
        family = Element("xilinx:family", {"xilinx:lifeCycle": "Production"})
        family.text = name
        families.append(family)
    title = Element("xilinx:displayName")
    title.text = f"{folder.name} accelerator"
    extensions = Element("xilinx:coreExtensions")
    extensions.extend([families, title])
    return extensions
