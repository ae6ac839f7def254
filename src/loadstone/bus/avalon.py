"""Avalon-MM with pipelined bursts: its ports, and bridges that let an Avalon master use an AXI slave.

A read and a write port are apart, each a master of its own. Addresses count bytes. [Avalon Interface Specifications, 3]
"""

from __future__ import annotations

from functools import cache

from loadstone.bus.axi import INCREMENTING, axi_ports, read_channels, write_channels
from loadstone.bus.ports import Bus, BusPort, declare_ports
from loadstone.rtl import Module, bit


def avalon_read_ports(bus: Bus) -> tuple[BusPort, ...]:
    """The signals of a port that reads."""
    return (
        BusPort("address", bus.address, "master"),
        BusPort("burstcount", bus.length, "master"),
        BusPort("read", bit, "master"),
        BusPort("waitrequest", bit, "slave"),
        BusPort("readdata", bus.data, "slave"),
        BusPort("readdatavalid", bit, "slave"),
    )


def avalon_write_ports(bus: Bus) -> tuple[BusPort, ...]:
    """The signals of a port that writes."""
    return (
        BusPort("address", bus.address, "master"),
        BusPort("burstcount", bus.length, "master"),
        BusPort("write", bit, "master"),
        BusPort("writedata", bus.data, "master"),
        BusPort("byteenable", bus.strobe, "master"),
        BusPort("waitrequest", bit, "slave"),
    )


@cache
def make_read_bridge(bus: Bus) -> Module:
    """Avalon reads as AXI reads: nothing is stored, nothing waits longer."""
    m = Module(f"avalon_read_bridge_{bus.data_width}x{bus.burst}", "Reads of an Avalon master on an AXI bus.")
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
    m.assign(axi["rready"], 1)
    return m


@cache
def make_write_bridge(bus: Bus) -> Module:
    """Avalon writes as AXI writes: the address goes first, the beats of the burst after it, responses are dropped."""
    m = Module(f"avalon_write_bridge_{bus.data_width}x{bus.burst}", "Writes of an Avalon master on an AXI bus.")
    avalon = declare_ports(m, avalon_write_ports(bus), "slave", "avalon_")
    axi = declare_ports(m, axi_ports(write_channels(bus)), "master")
    left = m.register("left", bus.length, reset=0, comment="beats of the burst whose address was sent")
    is_open = m.wire("is_open", left != 0)
    m.assign(axi["awaddr"], avalon["address"])
    m.assign(axi["awlen"], (avalon["burstcount"] - 1).resized(8).as_unsigned())
    m.assign(axi["awsize"], bus.beat_shift)
    m.assign(axi["awburst"], INCREMENTING)
    m.assign(axi["awvalid"], avalon["write"] & ~is_open)
    m.assign(axi["wdata"], avalon["writedata"])
    m.assign(axi["wstrb"], avalon["byteenable"])
    m.assign(axi["wlast"], left == 1)
    m.assign(axi["wvalid"], avalon["write"] & is_open)
    m.assign(axi["bready"], 1)
    m.assign(avalon["waitrequest"], ~(is_open & axi["wready"]))
    with m.clocked():
        with m.when(axi["awvalid"] & axi["awready"]):
            m.assign(left, avalon["burstcount"])
        with m.elsewhen(axi["wvalid"] & axi["wready"]):
            m.assign(left, (left - 1).wrapped(bus.length))
    return m
