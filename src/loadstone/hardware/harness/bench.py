"""An accelerator behind registers, with external memory that a testbench fills before a run and reads after it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from loadstone.bus.axi import INCREMENTING, axi_channels, axi_ports
from loadstone.bus.lite import PREFIXES, slave_ports
from loadstone.bus.masters import as_axi, master_ports
from loadstone.bus.monitor import make_axi_monitor
from loadstone.bus.ports import Bus, Protocol, attach, declare_ports, declare_wires, prefixed
from loadstone.dram.memory import make_memory
from loadstone.dram.timing import Timing
from loadstone.hardware.accelerator.registers import register_map
from loadstone.hardware.accelerator.shell import Reset, ignored_ports, make_top
from loadstone.hardware.design import AcceleratorDesign
from loadstone.hardware.harness.fence import fenced
from loadstone.rtl.conditions import mux
from loadstone.rtl.expressions import Operand, Signal, Value
from loadstone.rtl.module import Module
from loadstone.rtl.types import bit, unsigned


def make_bench(
    design: AcceleratorDesign, protocol: Protocol, timing: Timing, depth: int, reset: Reset | None = None
) -> Module:
    """The accelerator on a memory of `depth` words, behind the slave for registers.

    While `fill` is set, the memory takes words in order: one when `fill_valid` and `fill_ready` are set. While `look`
    is set, it gives its words in order: one when `word_valid` is set. A reset lets both start at the first word again.
    """
    inner = make_top(design, protocol, reset)
    m = Module(f"{inner.name}_bench", f"{inner.name} with external memory.")
    prefix = PREFIXES[protocol]
    registers = prefixed(
        declare_ports(m, slave_ports(protocol, register_map(design).address_width), "slave", prefix), prefix
    )
    own = declare_wires(m, master_ports(design.bus), "wire_")
    lower = declare_wires(m, axi_ports(axi_channels(design.bus)), "lower_")
    host = {name: m.input(name, type) for name, type in (*_HOST_INPUTS, ("fill_data", design.bus.data))}
    top = attach(m, "top", inner, {**registers, **own}, dict.fromkeys(ignored_ports(design.bus.protocol, protocol), 0))
    upper = as_axi(m, design.bus, own)
    sides = {**prefixed(upper, "s_"), **prefixed(lower, "m_")}
    door = attach(m, "door", make_door(design.bus, depth), sides, host)
    attach(m, "memory", make_memory(timing, design.bus, depth), lower, {})
    watch = attach(m, "watch", make_axi_monitor(design.bus), lower, {})
    for name in ("fill_ready", "word_valid", "word"):
        m.output(name, door[name])
    m.output("irq", top["irq"])
    broken = fenced(m, design.bus, upper, depth, watch["error"])
    m.output("bus_error", broken, "the number of a rule that was broken, or 0")
    return m


_HOST_INPUTS = (("fill", bit), ("fill_valid", bit), ("look", bit))


@cache
def make_door(bus: Bus, depth: int) -> Module:
    """A piece of AXI bus, from `s_...` to `m_...`, on which a testbench can write and read all words in order."""
    m = Module(f"door_{bus.address_width}_{bus.data_width}x{depth}", "Lets a testbench write and read a memory.")
    ports = axi_ports(axi_channels(bus))
    upper, lower = declare_ports(m, ports, "slave", "s_"), declare_ports(m, ports, "master", "m_")
    fill, fill_valid, look = (m.input(name, type) for name, type in _HOST_INPUTS)
    own = _filling(m, bus, depth, m.wire("fills", fill & fill_valid), lower)
    own |= _looking(m, bus, depth, look, lower)
    hidden = m.wire("hidden", fill | look, "the accelerator does not see the memory")
    for port in ports:
        if port.driver == "master":
            m.assign(lower[port.name], mux(hidden, own[port.name], upper[port.name]))
        elif port.name.endswith(("valid", "ready")):
            m.assign(upper[port.name], lower[port.name] & ~hidden)
        else:
            m.assign(upper[port.name], lower[port.name])
    return m


def _filling(m: Module, bus: Bus, depth: int, fills: Signal, lower: Mapping[str, Signal]) -> dict[str, Operand]:
    """Writes words in bursts of one beat; responses are taken and dropped."""
    m.section("Words that are written.")
    data = m.input("fill_data", bus.data)
    place = m.register("fill_place", unsigned(depth.bit_length()), reset=0)
    has_address, has_data = m.register("has_address", bit, reset=0), m.register("has_data", bit, reset=0)
    address_goes = m.wire("address_goes", has_address | lower["awready"])
    data_goes = m.wire("data_goes", has_data | lower["wready"])
    ready = m.output("fill_ready", address_goes & data_goes)
    with m.clocked(), m.when(fills):
        m.assign(has_address, address_goes & ~ready)
        m.assign(has_data, data_goes & ~ready)
        m.assign(place, (place + ready).wrapped(place.bits))
    address = _burst_of_one("aw", bus, place, fills & ~has_address)
    beat: dict[str, Operand] = {"wdata": data, "wstrb": bus.strobe.mask, "wlast": 1, "wvalid": fills & ~has_data}
    return {**address, **beat, "bready": 1}


def _looking(m: Module, bus: Bus, depth: int, look: Signal, lower: Mapping[str, Signal]) -> dict[str, Operand]:
    """Reads words in bursts of one beat, as fast as the memory takes them."""
    m.section("Words that are read.")
    place = m.register("look_place", unsigned(depth.bit_length()), reset=0)
    asks = m.wire("asks", look & (place != depth))
    with m.clocked(), m.when(asks & lower["arready"]):
        m.assign(place, (place + 1).wrapped(place.bits))
    m.output("word_valid", look & lower["rvalid"])
    m.output("word", lower["rdata"])
    return {**_burst_of_one("ar", bus, place, asks), "rready": 1}


def _burst_of_one(channel: str, bus: Bus, place: Value, valid: Value) -> dict[str, Operand]:
    """The signals of an address channel for a word."""
    address = (place << bus.beat_shift).resized(bus.address_width)
    fields: dict[str, Operand] = {"addr": address, "len": 0, "size": bus.beat_shift, "burst": INCREMENTING}
    return {f"{channel}{field}": value for field, value in {**fields, "valid": valid}.items()}
