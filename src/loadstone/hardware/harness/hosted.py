"""An accelerator with a memory that can only be reached over its bus: a host fills it, starts a run, and reads it back.

The host keeps an image of the memory. It waits for all answers before the accelerator sees the bus.
"""

from __future__ import annotations

from dataclasses import dataclass

from loadstone.bus.axi import axi_channels, axi_ports
from loadstone.bus.monitor import make_axi_monitor
from loadstone.bus.ports import attach, declare_wires, prefixed
from loadstone.hardware.design import BusDesign
from loadstone.hardware.harness.bench import make_door
from loadstone.hardware.harness.system import add_accelerator
from loadstone.rtl.expressions import Signal, Value
from loadstone.rtl.module import Module
from loadstone.rtl.types import bit, unsigned

IMAGE = "image"
"""The memory of the host, which holds what the external memory holds before and after the run."""
OVER = "over"
"""The output that is set when the image holds what the run left."""
COUNTER = unsigned(32)
"""What is counted while the accelerator runs."""


@dataclass(frozen=True, slots=True, eq=False)
class _Host:
    """The host while it is made: which phase it is in, and how far."""

    module: Module
    filling: Signal
    running: Signal
    looking: Signal
    place: Signal


def make_hosted(design: BusDesign, memory: Module, depth: int) -> Module:
    """The accelerator and a host on a memory, an AXI slave; the first `depth` words of it are the image."""
    m = Module(f"{design.module.name}_hosted", f"{design.module.name} with a host and external memory.")
    host = _declared(m, depth)
    image = m.memory(IMAGE, design.bus.data, depth, latency=0)
    started = m.register("started", bit, reset=0)
    upper = add_accelerator(m, design, {"start": host.running & ~started})
    lower = declare_wires(m, axi_ports(axi_channels(design.bus)), "lower_")
    watch = attach(m, "watch", make_axi_monitor(design.bus), upper, {})
    place = host.place.resized(image.address_type.width).as_unsigned()
    controls = {
        "fill": host.filling,
        "fill_valid": host.filling & (host.place != depth),
        "fill_data": image.read(place),
        "look": host.looking,
    }
    sides = {**prefixed(upper, "s_"), **prefixed(lower, "m_")}
    door = attach(m, "door", make_door(design.bus, depth), sides, controls)
    attach(m, "memory", memory, lower, {})
    image.write(place, door["word"], door["word_valid"])
    ended = m.wire("ended", started & m["ready"])
    filled = _answered(m, host, lower["bvalid"], depth)
    with m.clocked("Phases."):
        m.assign(started, host.running)
        with m.when(filled):
            m.assign(host.filling, 0)
            m.assign(host.running, 1)
            m.assign(host.place, 0)
        with m.elsewhen(host.running & ended):
            m.assign(host.running, 0)
            m.assign(host.looking, 1)
        with m.elsewhen((controls["fill_valid"] & door["fill_ready"]) | door["word_valid"]):
            m.assign(host.place, (host.place + 1).wrapped(host.place.bits))
    m.output(OVER, host.looking & (host.place == depth))
    _count(
        m, host.running, {"run_cycles": ~ended, "words_read": _moves(upper, "r"), "words_written": _moves(upper, "w")}
    )
    m.output("bus_error", watch["error"], "the number of a rule that was broken, or 0")
    return m


def _declared(m: Module, depth: int) -> _Host:
    filling = m.register("filling", bit, reset=1)
    running, looking = m.register("running", bit, reset=0), m.register("looking", bit, reset=0)
    place = m.register("place", unsigned(depth.bit_length()), reset=0, comment="the next word of the image")
    return _Host(m, filling, running, looking, place)


def _answered(m: Module, host: _Host, answer: Signal, depth: int) -> Signal:
    """Whether all words that were filled in have been answered for."""
    count = m.register("answers", host.place.bits, reset=0)
    with m.clocked(), m.when(host.filling & answer):
        m.assign(count, (count + 1).wrapped(count.bits))
    return m.wire("filled", host.filling & (count == depth))


def _moves(wires: dict[str, Signal], channel: str) -> Value:
    return wires[f"{channel}valid"] & wires[f"{channel}ready"]


def _count(m: Module, running: Signal, counted: dict[str, Value]) -> None:
    """Outputs that count cycles of the run in which something holds."""
    for name, holds in counted.items():
        count = m.register(f"{name}_count", COUNTER, reset=0)
        with m.clocked(), m.when(running & holds):
            m.assign(count, (count + 1).wrapped(COUNTER))
        m.output(name, count)
