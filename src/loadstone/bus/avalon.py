"""Avalon-MM with pipelined bursts: its ports, and bridges that let an Avalon master use an AXI slave.

A read and a write port are apart, each a master of its own. Addresses count bytes. There is a response for each word
that is read and for each burst that is written. [Avalon Interface Specifications, 3]
"""

from __future__ import annotations

from functools import cache

from loadstone.bus.axi import INCREMENTING, axi_ports, read_channels, write_channels
from loadstone.bus.flights import RESPONSE
from loadstone.bus.ports import Bus, BusPort, declare_ports
from loadstone.rtl import Module, bit, mux, unsigned


def avalon_read_ports(bus: Bus) -> tuple[BusPort, ...]:
    """The signals of a read port."""
    return (
        BusPort("address", bus.address, "master"),
        BusPort("burstcount", bus.length, "master"),
        BusPort("read", bit, "master"),
        BusPort("waitrequest", bit, "slave"),
        BusPort("readdata", bus.data, "slave"),
        BusPort("readdatavalid", bit, "slave"),
        BusPort("response", RESPONSE, "slave"),
    )


def avalon_write_ports(bus: Bus) -> tuple[BusPort, ...]:
    """The signals of a write port."""
    return (
        BusPort("address", bus.address, "master"),
        BusPort("burstcount", bus.length, "master"),
        BusPort("write", bit, "master"),
        BusPort("writedata", bus.data, "master"),
        BusPort("byteenable", bus.strobe, "master"),
        BusPort("waitrequest", bit, "slave"),
        BusPort("writeresponsevalid", bit, "slave"),
        BusPort("response", RESPONSE, "slave"),
    )


@cache
def make_read_bridge(bus: Bus) -> Module:
    """Avalon reads as AXI reads: nothing is stored, nothing waits longer."""
    m = Module(f"avalon_read_bridge_{bus.title}", "Reads of an Avalon master on an AXI bus.")
    avalon = declare_ports(m, avalon_read_ports(bus), "slave", "avalon_")
    axi = declare_ports(m, axi_ports(read_channels(bus)), "master")
    m.assign(axi["araddr"], avalon["address"])
    m.assign(axi["arlen"], (avalon["burstcount"] - 1).resized(8).as_unsigned())
    m.assign(axi["arsize"], bus.beat_shift)
    m.assign(axi["arburst"], INCREMENTING)
    m.assign(axi["arvalid"], avalon["read"])
    m.assign(avalon["waitrequest"], ~axi["arready"])
    m.assign(avalon["readdata"], axi["rdata"])
    m.assign(avalon["readdatavalid"], axi["rvalid"])
    m.assign(avalon["response"], axi["rresp"])
    m.assign(axi["rready"], 1)
    return m


@cache
def make_write_bridge(bus: Bus) -> Module:
    """Avalon writes as AXI writes: a first beat shows its address and its data at once, whichever is taken first.

    An address that was not taken with its beat is kept, so that later beats do not wait for it.
    """
    m = Module(f"avalon_write_bridge_{bus.title}", "Writes of an Avalon master on an AXI bus.")
    avalon = declare_ports(m, avalon_write_ports(bus), "slave", "avalon_")
    axi = declare_ports(m, axi_ports(write_channels(bus)), "master")
    left = m.register("left", bus.length, reset=0, comment="beats of the burst after the first one")
    sent = m.register("sent", bit, reset=0, comment="the address of a first beat that waits was taken")
    kept = m.register("kept", bit, reset=0, comment="the address of a burst that has begun was not taken")
    address, length = m.register("address", bus.address), m.register("length", unsigned(8))
    is_first, taken = m.wire("is_first", left == 0), m.wire("taken", bit)
    shown = m.wire("shown", avalon["write"] & ~(is_first & kept), "a beat is shown")
    own = m.wire("own_length", (avalon["burstcount"] - 1).resized(8).as_unsigned())
    m.assign(axi["awaddr"], mux(kept, address, avalon["address"]))
    m.assign(axi["awlen"], mux(kept, length, own))
    m.assign(axi["awsize"], bus.beat_shift)
    m.assign(axi["awburst"], INCREMENTING)
    m.assign(axi["awvalid"], kept | (avalon["write"] & is_first & ~sent))
    m.assign(axi["wdata"], avalon["writedata"])
    m.assign(axi["wstrb"], avalon["byteenable"])
    m.assign(axi["wlast"], mux(is_first, avalon["burstcount"] == 1, left == 1))
    m.assign(axi["wvalid"], shown)
    m.assign(axi["bready"], 1)
    m.assign(avalon["writeresponsevalid"], axi["bvalid"])
    m.assign(avalon["response"], axi["bresp"])
    m.assign(taken, shown & axi["wready"])
    m.assign(avalon["waitrequest"], ~taken)
    waits = m.wire("waits", axi["awvalid"] & ~axi["awready"])
    with m.clocked():
        m.assign(kept, waits & (kept | taken))
        m.assign(sent, shown & is_first & ~waits & ~taken)
        with m.when(~kept):
            m.assign(address, avalon["address"])
            m.assign(length, own)
        with m.when(taken):
            m.assign(left, (mux(is_first, avalon["burstcount"], left) - 1).wrapped(bus.length))
    return m
