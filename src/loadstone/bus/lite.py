"""Slaves through which software reads and writes registers of 32 bits: AXI4-Lite, and Avalon-MM.

Both turn their bus into the same few signals, so that registers know nothing of protocols: `write` is set for a cycle
with `write_word`, `write_data` and `write_strobe`; `read_data` must be the word `read_word` in the same cycle. Reads
have no effect. Words are counted, so that the lowest two bits of byte addresses play no role. All responses are good
ones: on many systems software dies of others.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import assert_never

from loadstone.bus.axi import PROTECTION, Channel, axi_ports
from loadstone.bus.ports import BusPort, Protocol, declare_ports
from loadstone.rtl import Bits, Module, Signal, Value, bit, unsigned

WORD = unsigned(32)
STROBE = unsigned(4)
PREFIXES: dict[Protocol, str] = {"axi": "s_axil_", "avalon": "s_"}
"""What the names of the ports of a slave start with."""
LITE_IGNORED: Mapping[str, Bits] = MappingProxyType({"awprot": PROTECTION, "arprot": PROTECTION})
"""The signals of AXI4-Lite that a slave without secrets ignores."""


def lite_channels(address_width: int) -> tuple[Channel, ...]:
    """The channels of AXI4-Lite for registers of 32 bits; only top modules have the protection, which is ignored."""
    address, response = ("addr", unsigned(address_width)), ("resp", unsigned(2))
    return (
        Channel("aw", "master", (address,)),
        Channel("w", "master", (("data", WORD), ("strb", STROBE))),
        Channel("b", "slave", (response,)),
        Channel("ar", "master", (address,)),
        Channel("r", "slave", (("data", WORD), response)),
    )


def avalon_slave_ports(address_width: int) -> tuple[BusPort, ...]:
    """The signals of an Avalon-MM agent for registers of 32 bits; its addresses count words, as is usual for agents."""
    return (
        BusPort("address", unsigned(address_width - 2), "master"),
        BusPort("read", bit, "master"),
        BusPort("readdata", WORD, "slave"),
        BusPort("readdatavalid", bit, "slave"),
        BusPort("write", bit, "master"),
        BusPort("writedata", WORD, "master"),
        BusPort("byteenable", STROBE, "master"),
        BusPort("waitrequest", bit, "slave"),
    )


def slave_ports(protocol: Protocol, address_width: int) -> tuple[BusPort, ...]:
    """The signals of a slave for registers, whose byte addresses have some bits."""
    match protocol:
        case "axi":
            return axi_ports(lite_channels(address_width))
        case "avalon":
            return avalon_slave_ports(address_width)
        case _:
            assert_never(protocol)


def make_register_slave(protocol: Protocol, address_width: int) -> Module:
    """The slave of a protocol for registers, whose byte addresses have some bits."""
    match protocol:
        case "axi":
            return make_lite_slave(address_width)
        case "avalon":
            return make_avalon_slave(address_width)
        case _:
            assert_never(protocol)


@cache
def make_lite_slave(address_width: int) -> Module:
    """An AXI4-Lite slave: addresses and data come in any order, and a response stays until it is taken.

    A write happens in the cycle after both its parts came. No signal of the bus depends on one of the same cycle.
    """
    m = Module(f"lite_slave_{address_width}", "Registers behind AXI4-Lite.")
    signals = declare_ports(m, slave_ports("axi", address_width), "slave", PREFIXES["axi"])
    _add_writes(m, signals)
    _add_reads(m, signals, m.input("read_data", WORD))
    return m


def _add_writes(m: Module, signals: dict[str, Signal]) -> None:
    """Keeps address and data until both are there and there is room for a response."""
    m.section("Writes.")
    address = m.register("address", signals["awaddr"].bits)
    data, strobe = m.register("data", WORD), m.register("strobe", STROBE)
    has_address, has_data = m.register("has_address", bit, reset=0), m.register("has_data", bit, reset=0)
    answers = m.register("answers", bit, reset=0, comment="a response waits")
    write = m.output("write", has_address & has_data & ~(answers & ~signals["bready"]))
    m.assign(signals["awready"], ~has_address)
    m.assign(signals["wready"], ~has_data)
    m.assign(signals["bvalid"], answers)
    m.assign(signals["bresp"], 0)
    with m.clocked():
        m.assign(has_address, (has_address | signals["awvalid"]) & ~write)
        m.assign(has_data, (has_data | signals["wvalid"]) & ~write)
        m.assign(answers, write | (answers & ~signals["bready"]))
        with m.when(~has_address):
            m.assign(address, signals["awaddr"])
        with m.when(~has_data):
            m.assign(data, signals["wdata"])
            m.assign(strobe, signals["wstrb"])
    _show_write(m, address[2:], data, strobe)


def _show_write(m: Module, word: Value, data: Value, strobe: Value) -> None:
    m.output("write_word", word)
    m.output("write_data", data)
    m.output("write_strobe", strobe)


def _add_reads(m: Module, signals: dict[str, Signal], word: Signal) -> None:
    """Holds the requested word until it is taken."""
    m.section("Reads.")
    data, answers = m.register("read_answer", WORD), m.register("read_answers", bit, reset=0)
    m.output("read_word", signals["araddr"][2:])
    m.assign(signals["arready"], ~answers)
    m.assign(signals["rvalid"], answers)
    m.assign(signals["rdata"], data)
    m.assign(signals["rresp"], 0)
    with m.clocked():
        with m.when(answers):
            m.assign(answers, ~signals["rready"])
        with m.otherwise():
            m.assign(answers, signals["arvalid"])
            m.assign(data, word)


@cache
def make_avalon_slave(address_width: int) -> Module:
    """An Avalon-MM agent without wait states: words come in the cycle after their request."""
    m = Module(f"avalon_slave_{address_width}", "Registers behind Avalon-MM.")
    signals = declare_ports(m, slave_ports("avalon", address_width), "slave", PREFIXES["avalon"])
    word = m.input("read_data", WORD)
    m.output("write", signals["write"])
    _show_write(m, signals["address"], signals["writedata"], signals["byteenable"])
    m.output("read_word", signals["address"])
    m.assign(signals["waitrequest"], 0)
    m.assign(signals["readdatavalid"], m.stored("answers", signals["read"], reset=0))
    m.assign(signals["readdata"], m.stored("answer", word))
    return m
