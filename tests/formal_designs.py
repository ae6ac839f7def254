"""Queues and masters with slaves that may do all that is allowed, and an output `broken` for what must not happen."""

from __future__ import annotations

from collections.abc import Mapping

from loadstone.bus import (
    Bus,
    Widths,
    attach,
    avalon_read_ports,
    avalon_write_ports,
    axi_channels,
    axi_ports,
    declare_wires,
    make_axi_monitor,
    make_read_master,
    make_write_master,
    read_channels,
    write_channels,
)
from loadstone.bus.lite import PREFIXES, make_lite_slave
from loadstone.bus.slices import LANE, SLOTS
from loadstone.rtl import (
    Bits,
    Instance,
    Module,
    Signal,
    Stream,
    Value,
    add_ring,
    address_width,
    any_of,
    bit,
    cat,
    const,
    make_fifo,
    mux,
    unsigned,
)

OPEN = 16
"""More bursts than can begin in the cycles that are looked at."""
COUNT = unsigned(6)
SLICED = 16
"""The bits of elements that move in slices, two to a beat."""


def unstable(m: Module, name: str, valid: Value, ready: Value, payload: Value) -> Value:
    """Whether something that waited was dropped or changed."""
    waited = m.stored(f"{name}_waited", valid & ~ready, reset=0)
    before = m.stored(f"{name}_before", payload)
    return waited & (~valid | (payload != before))


def watched_queue(depth: int, type: Bits, room: int | None = None) -> Module:
    """A queue that takes and gives at any time; words stay in order, none is lost, and `room` are never exceeded.

    One word of all is followed through the queue; which one, an input chooses.
    """
    m = Module("watched")
    valid, data, ready, picks = (
        m.input(name, kind) for name, kind in (("valid", bit), ("data", type), ("ready", bit), ("picks", bit))
    )
    queue = m.instance(
        "queue", make_fifo("fifo", type, depth), {"in_valid": valid, "in_data": data, "out_ready": ready}
    )
    push, pop = m.wire("push", valid & queue["in_ready"]), m.wire("pop", queue["out_valid"] & ready)
    count, ahead = m.register("count", COUNT, reset=0), m.register("ahead", COUNT, reset=0)
    follows, value = m.register("follows", bit, reset=0), m.register("value", type)
    arrives = m.wire("arrives", follows & pop & (ahead == 0))
    following = m.wire("following", (count + push - pop).resized(COUNT.width + 2))
    with m.clocked():
        m.assign(count, following.wrapped(COUNT))
        with m.when(push & picks & ~follows):
            m.assign(follows, 1)
            m.assign(value, data)
            m.assign(ahead, (count - pop).wrapped(COUNT))
        with m.elsewhen(arrives):
            m.assign(follows, 0)
        with m.elsewhen(pop):
            m.assign(ahead, (ahead - 1).wrapped(COUNT))
    wrong = {
        "unstable": unstable(m, "out", queue["out_valid"], ready, queue["out_data"]),
        "overfull": following > (depth if room is None else room),
        "from_nothing": pop & (count == 0),
        "closed": (count == 0) & ~queue["in_ready"],
        "other_word": arrives & (queue["out_data"] != value),
    }
    m.output("broken", any_of(*wrong.values()))
    return m


def _asked(m: Module, bus: Bus, width: int) -> dict[str, Value]:
    """Requests that come at any time, for elements of so many bits."""
    place = (width // 8).bit_length() - 1
    address = m.input("address", unsigned(bus.address_width - place)) << place
    return {
        "request_valid": m.input("asks", bit),
        "request_address": address.wrapped(bus.address),
        "request_count": m.input("elements", bus.count),
        "stop": m.input("stop", bit),
    }


class Slices:
    """Slices of any size, which follow each other in the requests that a master has taken."""

    def __init__(self, m: Module, bus: Bus, asked: Mapping[str, Value]) -> None:
        self.m, self.asked, lanes = m, asked, Widths(SLICED, SLICED).lanes(bus)
        self.taken, self.moves = m.wire("request_taken", bit), m.wire("slice_moves", bit)
        counted, ends = self.taken & (asked["request_count"] != 0), m.wire("slice_ends", bit)
        requests = add_ring(m, "requests", asked["request_count"], OPEN, counted, ends)
        moved = m.register("moved", bus.count, reset=0)
        left, lane = (requests.oldest - moved).wrapped(bus.count), m.input("lane", unsigned(address_width(lanes)))
        wish = m.input("wish", unsigned(lanes.bit_length()))
        most = mux(left < lanes - lane, left, lanes - lane)
        count = m.wire("count", mux((wish == 0) | (wish > most), most, wish).wrapped(wish.bits))
        m.assign(ends, self.moves & (count == left))
        self.exist = m.wire("slices_exist", requests.count != 0)
        self.inputs: dict[str, Value] = {LANE: lane, SLOTS: count}
        with m.clocked(), m.when(self.moves):
            m.assign(moved, mux(ends, 0, (moved + count).wrapped(moved.bits)))

    def follow(self, master: Instance, handshake: Value) -> None:
        """Sees which requests a master takes, and which slices move."""
        self.m.assign(self.taken, self.asked["request_valid"] & master["request_ready"])
        self.m.assign(self.moves, handshake & self.exist)


def watched_reader(bus: Bus, bound: int | None = None, *, fickle: bool = False, sliced: bool = False) -> Module:
    """A read master with a slave that stops and fails at any time; a fickle bus may take back an address."""
    m = Module("watched")
    side = declare_wires(m, axi_ports(read_channels(bus)) if bus.protocol == "axi" else avalon_read_ports(bus), "bus_")
    asked, width = _asked(m, bus, SLICED if sliced else 32), SLICED if sliced else 32
    ready, slices = m.input("ready", bit), Slices(m, bus, asked) if sliced else None
    given = {**asked, "element_ready": ready & slices.exist if slices else ready, **(slices.inputs if slices else {})}
    reader = attach(m, "reader", make_read_master(bus, width, sliced), side, given)
    if slices:
        slices.follow(reader, reader["element_valid"] & ready)
    goes, data, response = m.input("goes", bit), m.input("word", bus.data), m.input("response", unsigned(2))
    taken, shows = m.input("taken", bit), m.input("shows", bit) if fickle else const(1)
    if bus.protocol == "avalon":
        _serve_avalon_reads(m, bus, side, goes, data, response, taken)
        return m
    axi = declare_wires(m, axi_ports(axi_channels(bus)), "seen_")
    valid = m.wire("shown", side["arvalid"] & shows)
    beat = m.register("beat", unsigned(9), reset=0)
    ends = m.wire("ends", bit)
    owed = add_ring(m, "owed", side["arlen"], OPEN, valid & taken, ends)
    comes = m.wire("comes", goes & (owed.count != 0))
    last = m.wire("last", beat == owed.oldest)
    m.assign(ends, comes & last)
    with m.clocked(), m.when(comes):
        m.assign(beat, mux(last, 0, (beat + 1).wrapped(beat.bits)))
    given: dict[str, Value] = {"arready": taken, "rvalid": comes, "rdata": data, "rresp": response, "rlast": last}
    for name, value in given.items():
        m.assign(side[name], value)
    _watch(m, bus, axi, {**side, "arvalid": valid}, owed.count, bound, _idle_writes())
    return m


def watched_writer(bus: Bus, bound: int | None = None, *, sliced: bool = False) -> Module:
    """A write master with a slave that stops and fails at any time."""
    m = Module("watched")
    width = SLICED if sliced else 32
    side = declare_wires(
        m, axi_ports(write_channels(bus)) if bus.protocol == "axi" else avalon_write_ports(bus), "bus_"
    )
    asked, gives = _asked(m, bus, width), m.input("gives", bit)
    slices = Slices(m, bus, asked) if sliced else None
    element = {
        "element_valid": gives & slices.exist if slices else gives,
        "element_data": m.input("content", unsigned(32)),
        **(slices.inputs if slices else {}),
    }
    writer = attach(m, "writer", make_write_master(bus, width, sliced), side, {**asked, **element})
    if slices:
        slices.follow(writer, gives & writer["element_ready"])
    goes, response = m.input("goes", bit), m.input("response", unsigned(2))
    if bus.protocol == "avalon":
        _serve_avalon_writes(m, side, goes, response, m.input("taken", bit))
        return m
    axi = declare_wires(m, axi_ports(axi_channels(bus)), "seen_")
    ready = {name: m.input(f"{name}_taken", bit) for name in ("aw", "w")}
    counts = {name: m.register(f"{name}_count", COUNT, reset=0) for name in ("aw", "w", "b")}
    answers = m.wire("answers", goes & (counts["b"] < counts["aw"]) & (counts["b"] < counts["w"]))
    moves = {
        "aw": side["awvalid"] & ready["aw"],
        "w": side["wvalid"] & ready["w"] & side["wlast"],
        "b": answers,
    }
    with m.clocked():
        for name, move in moves.items():
            m.assign(counts[name], (counts[name] + move).wrapped(COUNT))
    given: dict[str, Value] = {
        "awready": ready["aw"],
        "wready": ready["w"],
        "bvalid": answers,
        "bresp": response,
    }
    for name, value in given.items():
        m.assign(side[name], value)
    is_open = m.wire("is_open", (counts["aw"] - counts["b"]).wrapped(COUNT))
    _watch(m, bus, axi, side, is_open, bound, _idle_reads())
    return m


def _idle_writes() -> dict[str, int]:
    zeros = ("awaddr", "awlen", "awvalid", "awready", "wdata", "wstrb", "wlast", "wvalid", "wready", "bresp", "bvalid")
    return {**dict.fromkeys(zeros, 0), "awsize": 2, "awburst": 1, "bready": 1}


def _idle_reads() -> dict[str, int]:
    zeros = ("araddr", "arlen", "arvalid", "arready", "rdata", "rresp", "rlast", "rvalid")
    return {**dict.fromkeys(zeros, 0), "arsize": 2, "arburst": 1, "rready": 1}


def _watch(
    m: Module,
    bus: Bus,
    axi: dict[str, Signal],
    side: dict[str, Signal],
    is_open: Signal,
    bound: int | None,
    idle: dict[str, int],
) -> None:
    """The monitor of simulations sees the bus; `broken` is its error, or more open bursts than allowed."""
    for name, signal in axi.items():
        m.assign(signal, idle[name] if name in idle else side[name])
    watch = attach(m, "watch", make_axi_monitor(bus, OPEN), axi, {})
    broken = watch["error"] != 0
    m.output("broken", broken if bound is None else broken | (is_open > bound))


def _serve_avalon_reads(
    m: Module, bus: Bus, side: dict[str, Signal], goes: Signal, data: Signal, response: Signal, taken: Signal
) -> None:
    owed = m.register("owed", COUNT, reset=0, comment="beats")
    comes = m.wire("comes", goes & (owed != 0))
    begins = side["read"] & taken
    with m.clocked():
        m.assign(owed, (owed + mux(begins, side["burstcount"], 0) - comes).wrapped(COUNT))
    given = {"waitrequest": ~taken, "readdatavalid": comes, "readdata": data, "response": response}
    for name, value in given.items():
        m.assign(side[name], value)
    payload = Stream(side["read"], taken, {name: side[name] for name in ("address", "burstcount")}).payload
    m.output("broken", unstable(m, "read", side["read"], taken, payload) | (side["read"] & (side["burstcount"] == 0)))


def _serve_avalon_writes(m: Module, side: dict[str, Signal], goes: Signal, response: Signal, taken: Signal) -> None:
    left, owed = m.register("left", COUNT, reset=0), m.register("owed", COUNT, reset=0, comment="responses")
    moves = m.wire("moves", side["write"] & taken)
    rest = m.wire("rest", mux(left == 0, side["burstcount"].resized(COUNT.width), left))
    ends, answers = m.wire("ends", moves & (rest == 1)), m.wire("answers", goes & (owed != 0))
    with m.clocked():
        with m.when(moves):
            m.assign(left, (rest - 1).wrapped(COUNT))
        m.assign(owed, (owed + ends - answers).wrapped(COUNT))
    given = {"waitrequest": ~taken, "writeresponsevalid": answers, "response": response}
    for name, value in given.items():
        m.assign(side[name], value)
    names = ("address", "burstcount", "writedata", "byteenable")
    payload = Stream(side["write"], taken, {name: side[name] for name in names}).payload
    nothing = side["write"] & (side["burstcount"] == 0)
    m.output("broken", unstable(m, "write", side["write"], taken, payload) | nothing)


def _offered(m: Module, name: str, ready: Value, **payload: Value) -> dict[str, Value]:
    """A channel of a master that offers words at any time, each of which stays until it is taken."""
    goes, waits = m.input(f"{name}_goes", bit), m.register(f"{name}_waits", bit, reset=0)
    kept = {field: m.register(f"{name}_{field}_kept", value.bits) for field, value in payload.items()}
    shown = {field: m.wire(f"{name}_{field}", mux(waits, kept[field], value)) for field, value in payload.items()}
    valid = m.wire(f"{name}_offered", waits | goes)
    with m.clocked():
        m.assign(waits, valid & ~ready)
        for field, register in kept.items():
            m.assign(register, shown[field])
    return {"valid": valid, **shown}


def watched_registers(*, hasty: bool = False) -> Module:
    """The slave for registers with a master that writes and reads at any time.

    Each write and each read has one response, which stays; writes have the address and the data that came, in order,
    and words are those of the cycle of their request. A hasty master takes responses for taken before it takes them.
    """
    m, prefix = Module("watched"), PREFIXES["axi"]
    ready = {name: m.wire(f"{name}_ready", bit) for name in ("aw", "w", "ar")}
    word, takes = m.input("word", unsigned(32)), {name: m.input(f"{name}_takes", bit) for name in ("b", "r")}
    offered = {
        "aw": _offered(m, "aw", ready["aw"], addr=m.input("write_place", unsigned(4))),
        "w": _offered(m, "w", ready["w"], data=m.input("content", unsigned(32)), strb=m.input("bytes", unsigned(4))),
        "ar": _offered(m, "ar", ready["ar"], addr=m.input("read_place", unsigned(4))),
    }
    given = {f"{prefix}{name}{field}": value for name, fields in offered.items() for field, value in fields.items()}
    given |= {f"{prefix}{name}ready": value for name, value in takes.items()}
    slave = m.instance("slave", make_lite_slave(4), {**given, "read_data": word})
    for name, wire in ready.items():
        m.assign(wire, slave[f"{prefix}{name}ready"])
    valid = {name: slave[f"{prefix}{name}valid"] for name in takes}
    moves = {name: offered[name]["valid"] & ready[name] for name in offered}
    moves |= {name: valid[name] & (const(1) if hasty else takes[name]) for name in takes}
    counts = {name: m.register(f"{name}_count", COUNT, reset=0) for name in (*moves, "write")}
    place, data = m.register("last_place", unsigned(4)), m.register("last_data", unsigned(36))
    answer = m.register("answer", unsigned(32))
    with m.clocked():
        for name, move in {**moves, "write": slave["write"]}.items():
            m.assign(counts[name], (counts[name] + move).wrapped(COUNT))
        for held, move, value in (
            (place, "aw", offered["aw"]["addr"]),
            (data, "w", cat(offered["w"]["strb"], offered["w"]["data"])),
            (answer, "ar", word),
        ):
            with m.when(moves[move]):
                m.assign(held, value)
    both = (counts["aw"] != counts["b"]) & (counts["w"] != counts["b"])
    late = m.stored("late", both & ~valid["b"], reset=0)
    idle = (counts["aw"] == counts["b"]) & (counts["w"] == counts["b"])
    written = cat(slave["write_strobe"], slave["write_data"])
    wrong = (
        *(unstable(m, name, valid[name], takes[name], payload) for name, payload in _answers(slave, prefix).items()),
        valid["b"] & ~both,
        valid["r"] & (counts["ar"] == counts["r"]),
        valid["r"] & (slave[f"{prefix}rdata"] != answer),
        late & both & ~valid["b"],
        idle & ~(ready["aw"] & ready["w"]),
        slave["write"] & ((counts["write"] == counts["aw"]) | (counts["write"] == counts["w"])),
        slave["write"] & ((slave["write_word"] != place[2:]) | (written != data)),
    )
    m.output("broken", any_of(*wrong))
    return m


def _answers(slave: Instance, prefix: str) -> dict[str, Value]:
    return {"b": slave[f"{prefix}bresp"], "r": cat(slave[f"{prefix}rresp"], slave[f"{prefix}rdata"])}
