"""Load and store processes in hardware.

A load process asks for elements as long as it has places for them; so a master never has to wait for it, and elements
of other processes are never held up. Those that have arrived go on to channels in order, as steps of the process. A
store process takes values from channels, and its requests come when their elements are there.
"""

from __future__ import annotations

from collections.abc import Sequence

from loadstone.bus.coalescer import make_coalescer
from loadstone.bus.ports import Bus, Widths
from loadstone.hardware.network.links import PLACE, Link, Walk
from loadstone.hardware.network.process import Body, ProcessDesign, Setting
from loadstone.hardware.words import bits_of
from loadstone.model.kernel import Array
from loadstone.rtl.expressions import Value
from loadstone.rtl.module import Instance
from loadstone.rtl.types import bit, unsigned

ON_THE_WAY = 256
"""The most elements of a load process in flight, requested and not in a channel yet; also the most to be stored."""


def make_load_process(
    name: str, setting: Setting, walk: Walk, links: Sequence[Link], bus: Bus, array: Array
) -> ProcessDesign:
    """The hardware of a process that loads elements of an array.

    Ports: `base`, the byte address of the array; requests; and `element_valid` and `element_data`, taken at once.
    """
    body = Body(name, setting, walk, links, ON_THE_WAY, (PLACE,))
    m, steps = body.module, body.steps
    arrives, word = m.input("element_valid", bit), m.input("element_data", bits_of(array.type))
    asking = body.names.state("asking", comment="goes on until there is no place left")
    with m.clocked("Starts again when half of the places are free, so that requests are long."):
        m.assign(asking, (asking | (steps.count <= ON_THE_WAY // 2)) & steps.room)
    wanted = body.names.wire("wanted", steps.at & steps.room & asking)
    runs = _runs(body, bus, array, wanted, ~wanted, steps.asked[PLACE])
    m.assign(steps.enters, wanted & runs["in_ready"])
    queue = body.names.queue("arrived", ON_THE_WAY, arrives, word, body.goes)
    m.assign(body.goes, body.ready & queue.valid)
    body.connect({})
    body.send(queue.data, 0)
    m.assign(body.idle, steps.over)
    return body.design({}, 0)


def make_store_process(
    name: str, setting: Setting, walk: Walk, links: Sequence[Link], bus: Bus, array: Array
) -> ProcessDesign:
    """The hardware of a process that stores elements of an array.

    Ports: `base`, the byte address of the array; requests; `element_valid`, `element_data` and `element_ready`.
    """
    body = Body(name, setting, walk, links)
    m, steps, names = body.module, body.steps, body.names
    body.connect({})
    taken = m.input("element_ready", bit)
    m.assign(steps.enters, steps.at & steps.room)
    places = names.register("places", unsigned(ON_THE_WAY.bit_length()), "elements that may still be taken")
    able = names.wire("able", body.ready & (places != 0))
    runs = _runs(body, bus, array, able, (places == 0) | steps.over, steps.field(PLACE))
    m.assign(body.goes, able & runs["in_ready"])
    pushes = body.later("pushes", body.goes, body.pause, resets=True)
    word = body.word(0).wrapped(bits_of(array.type))
    queue = names.queue("results", ON_THE_WAY, pushes, word, taken)
    m.output("element_valid", queue.valid)
    m.output("element_data", queue.data)
    leaves = names.wire("element_leaves", queue.valid & taken)
    with m.clocked("A place is taken when a step goes, and given back when its element leaves."):
        m.assign(places, (places + leaves - body.goes).wrapped(places.bits))
        with m.when(m["start"]):
            m.assign(places, ON_THE_WAY)
    m.assign(body.idle, steps.over & runs["empty"] & (places == ON_THE_WAY))
    return body.design({}, 0)


def make_scalar_load(name: str, setting: Setting, walk: Walk, links: Sequence[Link], array: Array) -> ProcessDesign:
    """The hardware of a process that gives a scalar, which is an input `given`, to channels."""
    body = Body(name, setting, walk, links)
    m = body.module
    given = m.input("given", bits_of(array.type))
    m.assign(body.steps.enters, body.steps.at & body.steps.room)
    m.assign(body.goes, body.ready)
    body.connect({})
    body.send(given, 0)
    m.assign(body.idle, body.steps.over)
    return body.design({}, 0)


def make_scalar_store(name: str, setting: Setting, walk: Walk, links: Sequence[Link], array: Array) -> ProcessDesign:
    """The hardware of a process that takes the last value of a scalar from a channel: `result`, where `enable`."""
    body = Body(name, setting, walk, links)
    m = body.module
    m.assign(body.steps.enters, body.steps.at & body.steps.room)
    m.assign(body.goes, body.ready)
    body.connect({})
    enable = m.output("enable", body.later("enabled", body.goes, body.pause, resets=True))
    m.output("result", body.word(0).wrapped(bits_of(array.type)))
    m.assign(body.idle, body.steps.over & ~enable)
    return body.design({}, 0)


def _runs(body: Body, bus: Bus, array: Array, valid: Value, flush: Value, place: Value) -> Instance:
    """Makes requests of elements at places, with ports for them."""
    m, bits = body.module, array.type.storage.bits
    base, ready = m.input("base", bus.address), m.input("request_ready", bit)
    address = (base + (place << (bits // 8 - 1).bit_length())).wrapped(bus.address)
    module = make_coalescer(f"{m.name}_runs", bus.address, Widths(bits, bits), bus.burst)
    ports = {"in_valid": valid, "in_address": address, "flush": flush, "request_ready": ready}
    runs = m.instance(body.names.fresh("runs"), module, ports)
    for what in ("valid", "address", "count"):
        m.output(f"request_{what}", runs[f"request_{what}"])
    return runs
