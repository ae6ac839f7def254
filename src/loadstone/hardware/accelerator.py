"""The whole accelerator: tiles are loaded, computed and stored at the same time, through buses and local memories.

Load and store engines walk through what tiles move, in the order of addresses, and make requests of runs of elements.
Tokens keep the processes in step: a tile is computed when all its elements have arrived, stored when it has been
computed, and there are at most `depth` tiles between load and store. A strip is loaded when the one before it (where
strips overlap, the one before that) is in external memory.

Local memories have one port that writes and ports that read. Datapaths come first at both, since they cannot wait.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from loadstone.bus.axi import axi_channels, axi_ports
from loadstone.bus.ports import Bus, attach, declare_ports
from loadstone.bus.reading import make_read_master
from loadstone.bus.writing import make_write_master
from loadstone.errors import Diagnostic, UnsupportedError
from loadstone.hardware.coalescer import make_coalescer
from loadstone.hardware.compute import Compute, make_compute
from loadstone.hardware.datapath import address_type
from loadstone.hardware.engine import Choice, Engine, Surroundings, Write, chosen, written
from loadstone.hardware.limits import Limits
from loadstone.hardware.local_stores import local_stores
from loadstone.hardware.memories import make_memory
from loadstone.hardware.mover import Element, Mover
from loadstone.hardware.names import Names
from loadstone.hardware.on_chip import parameter_ports, scalar_ports
from loadstone.hardware.operations import Operations
from loadstone.hardware.stores import Store, Stores, stores_of
from loadstone.hardware.tile_loops import MARKERS, process_loops
from loadstone.hardware.timing import Memories
from loadstone.loops.accelerator import Accelerator
from loadstone.rtl.blocks import make_fifo
from loadstone.rtl.expressions import Signal, Value, any_of, cat, const
from loadstone.rtl.module import Instance, Module
from loadstone.rtl.names import fresh
from loadstone.rtl.types import Bits, address_width, bit, unsigned

ON_THE_WAY = 512
"""How many elements can be asked for and not have arrived yet."""
WAITING = 256
"""How many elements can wait to be written to external memory."""
TOKENS = unsigned(16)


@dataclass(frozen=True, slots=True, eq=False)
class AcceleratorDesign:
    """The hardware of an accelerator: its top module, and which of its ports are for what.

    `bases` name the ports for the byte addresses of arrays in external memory, in which they lie row by row as
    `outside` says, each element in `element_bytes`.
    """

    module: Module
    compute: Compute
    limits: Mapping[str, Limits]
    bus: Bus
    outside: Stores
    element_bytes: int
    parameters: Mapping[str, str]
    scalars_in: Mapping[str, str]
    scalars_out: Mapping[str, str]
    bases: Mapping[str, str]


def make_accelerator_design(
    accelerator: Accelerator,
    limits: Mapping[str, Limits],
    bus: Bus | None = None,
    memories: Memories | None = None,
    operations: Operations | None = None,
) -> AcceleratorDesign:
    """The hardware of an accelerator, for parameters in ranges.

    Ports: `start`, parameters, scalars, the base address of each array, an AXI master, `ready` and `done`.
    """
    width = element_width(accelerator)
    top = _Top(
        accelerator,
        limits,
        bus or Bus(data_width=max(32, width)),
        width,
        memories or Memories(),
        operations or Operations(),
    )
    top.fill()
    return AcceleratorDesign(
        module=top.module,
        compute=top.compute,
        limits=limits,
        bus=top.bus,
        outside=top.outside,
        element_bytes=width // 8,
        parameters={name: port.name for name, port in top.parameters.items()},
        scalars_in={name: port.name for name, port in top.scalars_in.items()},
        scalars_out=top.scalars_out,
        bases={name: port.name for name, port in top.bases.items()},
    )


def element_width(accelerator: Accelerator) -> int:
    """The bits of an element in external memory, which all arrays that are moved must share."""
    widths = {array.type.storage.bits: array for array in accelerator.transferred}
    if len(widths) > 1:
        kinds = " and ".join(f"'{array.name}' ({array.type.described})" for array in widths.values())
        hint = "give their elements the same width"
        raise UnsupportedError(Diagnostic(f"an accelerator moves elements of one width, not {kinds}", None, hint))
    return next(iter(widths), 32)


class _Top:
    """The top module while it is made."""

    def __init__(
        self,
        accelerator: Accelerator,
        limits: Mapping[str, Limits],
        bus: Bus,
        width: int,
        memories: Memories,
        operations: Operations,
    ) -> None:
        kernel = accelerator.kernel
        self.accelerator, self.limits, self.bus, self.width = accelerator, limits, bus, width
        self.outside, self.inside = stores_of(kernel, limits), local_stores(accelerator, limits)
        tree = process_loops(accelerator, accelerator.compute)
        self.compute = make_compute(kernel, tree, limits, self.inside, memories, operations, MARKERS.names)
        self.module = m = Module(fresh(f"{kernel.name}_accelerator", ()), f"{kernel.name}, tile by tile.")
        self.names = Names(m, ("ready", "done", *(f"axi_{port.name}" for port in axi_ports(axi_channels(bus)))))
        self.start = m.input(self.names.fresh("start"), bit, "starts it, when it is ready")
        self.parameters = parameter_ports(self.names, self.compute)
        self.scalars_in = scalar_ports(self.names, self.compute)
        self.bases = {
            array.name: m.input(self.names.fresh(f"{array.name}_base"), bus.address, "where it is, in bytes")
            for array in accelerator.transferred
        }
        self.scalars_out: dict[str, str] = {}

    def fill(self) -> None:
        """Adds all parts and connects them."""
        m, names = self.module, self.names
        self.axi = declare_ports(m, axi_ports(axi_channels(self.bus)), "master", "axi_")
        self.running = names.state("running", comment="since the cycle after the start")
        self.begin = names.wire("begin_run", self.start & ~self.running)
        copies = {
            name: names.state(f"{name}_copy", comment="of memories that have two")
            for name in ("load", "compute", "store")
        }
        self.copies = copies
        m.section("Compute")
        self.engine = Engine(
            names, self.compute, Surroundings(self.parameters, self.scalars_in, self.begin, copies["compute"])
        )
        m.section("Load")
        self.load = self._mover("load")
        arrivals = self._load_engine()
        m.section("Store")
        self.store = self._mover("store")
        reads = self._store_engine()
        m.section("Local memories")
        for name, store in self.inside.items():
            if store.depth:
                self._memory(name, store, arrivals.get(name), reads.get(name))
        self._tokens()
        self._finish()

    def _mover(self, title: str) -> Mover:
        return Mover(
            self.names, title, self.accelerator, (self.outside, self.inside), self.limits, self.parameters, self.begin
        )

    def _byte_address(self, mover: Mover) -> Value:
        """The address of the element at which a mover stands."""
        shift = (self.width // 8 - 1).bit_length()
        return chosen(
            [
                (element.wanted, (self.bases[name] + (element.place << shift)).wrapped(self.bus.address))
                for name, element in mover.elements.items()
            ]
        ).wrapped(self.bus.address)

    def _coalescer(self, title: str, valid: Value, address: Value, flush: Value, taken: Value) -> Instance:
        module = make_coalescer(f"{self.module.name}_{title}_runs", self.bus.address, self.width // 8, self.bus.burst)
        ports = {"in_valid": valid, "in_address": address, "flush": flush, "request_ready": taken}
        return self.module.instance(self.names.fresh(f"{title}_runs"), module, ports)

    def _load_engine(self) -> dict[str, Write]:
        """Asks for elements, and writes those that arrive to their cells."""
        m, names, mover = self.module, self.names, self.load
        numbers = {name: number for number, name in enumerate(mover.arrays)}
        cell_type = unsigned(max((address_width(self.inside[name].depth) for name in numbers), default=1))
        number_type = unsigned(address_width(max(2, len(numbers))))
        room, taken = m.wire(names.fresh("load_room"), bit), m.wire(names.fresh("load_taken"), bit)
        wanted = names.wire("load_wanted", any_of(*(element.wanted for element in mover.elements.values())))
        ends = names.wire("load_ends", mover.at[MARKERS.tile_end])
        runs = self._coalescer("load", wanted & room, self._byte_address(mover), ends, taken)
        goes = names.wire("load_goes", room & runs["in_ready"])
        for element in mover.elements.values():
            m.assign(element.goes, element.wanted & goes)
        passes = names.wire("load_passes", ends & runs["closed"] & room)
        m.assign(mover.passes[MARKERS.tile_end], passes)
        note = cat(passes, self._numbered(mover, numbers, number_type), self._cells(mover, "load", cell_type))
        fifo = make_fifo(f"{m.name}_on_the_way", unsigned(1 + number_type.width + cell_type.width), ON_THE_WAY)
        pops = m.wire(names.fresh("arrival_pops"), bit)
        queue = m.instance(
            names.fresh("on_the_way"),
            fifo,
            {"in_valid": (wanted & goes) | passes, "in_data": note, "out_ready": pops},
        )
        m.assign(room, queue["in_ready"])
        accepts = m.wire(names.fresh("load_accepts"), bit)
        requests = {"request_valid": runs["request_valid"], "request_address": runs["request_address"]}
        requests["request_count"] = runs["request_count"]
        reader = attach(
            m,
            names.fresh("reader"),
            make_read_master(self.bus, self.width),
            self.axi,
            {**requests, "element_ready": accepts},
        )
        m.assign(taken, reader["request_ready"])
        head, is_marker = queue["out_data"], queue["out_valid"] & queue["out_data"][-1]
        arrives = names.wire("arrives", queue["out_valid"] & ~queue["out_data"][-1] & reader["element_valid"])
        arrivals: dict[str, Write] = {}
        for name, number in numbers.items():
            here = head[cell_type.width : -1] == number
            free = ~any_of(*(write.enable for write in self.engine.writes(name)))
            store = self.inside[name]
            enable = names.wire(f"{name}_arrives", arrives & here & free)
            arrivals[name] = Write(
                enable, head[: cell_type.width].wrapped(address_type(store)), reader["element_data"].wrapped(store.type)
            )
        m.assign(accepts, any_of(*(write.enable for write in arrivals.values())))
        m.assign(pops, accepts | is_marker)
        self.tile_loaded = names.wire("tile_loaded", is_marker)
        return arrivals

    def _numbered(self, mover: Mover, numbers: Mapping[str, int], type: Bits) -> Value:
        return chosen([(mover.elements[name].wanted, const(k, type)) for name, k in numbers.items()]).wrapped(type)

    def _cells(self, mover: Mover, title: str, type: Bits) -> Value:
        """The cell of the element at which a mover stands, in the copy that it uses."""
        choices = [(element.wanted, self._cell(name, element, title)) for name, element in mover.elements.items()]
        return chosen(choices).wrapped(type)

    def _cell(self, name: str, element: Element, title: str) -> Value:
        store = self.inside[name]
        cell = element.cell.wrapped(address_type(store, one_copy=True))
        return cat(self.copies[title], cell) if store.copies > 1 else cell

    def _store_engine(self) -> dict[str, Choice]:
        """Reads cells when no datapath does, and writes their elements to external memory."""
        m, names, mover = self.module, self.names, self.store
        latency = self.compute.memories.latency
        free = names.register("store_room", unsigned(WAITING.bit_length()), comment="elements that may still be read")
        open_to = {
            name: names.wire(f"{name}_free", ~any_of(*(enable for enable, _ in self.engine.asks(name, 0))))
            for name in mover.arrays
        }
        able = {
            name: names.wire(f"store_{name}_able", element.wanted & open_to[name] & (free != 0))
            for name, element in mover.elements.items()
        }
        taken = m.wire(names.fresh("store_taken"), bit)
        ends = names.wire("store_ends", mover.at[MARKERS.tile_end])
        runs = self._coalescer("store", any_of(*able.values()), self._byte_address(mover), ends, taken)
        self.store_runs = runs
        reads: dict[str, Choice] = {}
        for name, element in mover.elements.items():
            m.assign(element.goes, able[name] & runs["in_ready"])
            reads[name] = (element.goes, self._cell(name, element, "store"))
        m.assign(mover.passes[MARKERS.tile_end], ends & runs["closed"])
        arrives: dict[str, Value] = {}
        for name, element in mover.elements.items():
            flag: Value = element.goes
            for k in range(latency):
                flag = m.stored(names.fresh(f"{name}_read_{k}"), flag, reset=0)
            arrives[name] = flag
        element = unsigned(self.width)
        word = chosen([(flag, self.engine.words[name, 0].wrapped(element)) for name, flag in arrives.items()])
        fifo = make_fifo(f"{m.name}_results", element, WAITING)
        ready = m.wire(names.fresh("store_ready"), bit)
        queue = m.instance(
            names.fresh("results"),
            fifo,
            {"in_valid": any_of(*arrives.values()), "in_data": word.wrapped(element), "out_ready": ready},
        )
        ports = {f"request_{what}": runs[f"request_{what}"] for what in ("valid", "address", "count")}
        writer = attach(
            m,
            names.fresh("writer"),
            make_write_master(self.bus, self.width),
            self.axi,
            {**ports, "element_valid": queue["out_valid"], "element_data": queue["out_data"]},
        )
        m.assign(taken, writer["request_ready"])
        m.assign(ready, writer["element_ready"])
        went = any_of(*(each.goes for each in mover.elements.values()))
        with m.clocked():
            left = queue["out_valid"] & ready
            m.assign(free, (free + left - went).wrapped(free.bits))
            with m.when(self.begin):
                m.assign(free, WAITING)
        self.written = names.wire("all_written", runs["empty"] & (free == WAITING) & writer["idle"])
        return reads

    def _memory(self, name: str, store: Store, arrival: Write | None, read: Choice | None) -> None:
        """The local memory of an array between datapaths, load and store."""
        ports = self.engine.ports(name)
        module = make_memory(
            fresh(f"{self.module.name}_{name}", ()),
            store.type,
            store.depth,
            latency=self.compute.memories.latency,
            reads=ports,
        )
        inputs = written([*self.engine.writes(name), *([] if arrival is None else [arrival])])
        for port in range(ports):
            asks = self.engine.asks(name, port)
            if port == 0 and read is not None:
                asks.append(read)
            inputs[f"read_{port}_enable"] = any_of(*(enable for enable, _ in asks))
            inputs[f"read_{port}_address"] = chosen(asks)
        instance = self.module.instance(self.names.fresh(f"{name}_memory"), module, inputs)
        for port in range(ports):
            self.module.assign(self.engine.words[name, port], instance[f"read_{port}_data"])

    def _tokens(self) -> None:
        """Keeps the processes in step."""
        m, load, store, engine = self.module, self.load, self.store, self.engine
        m.section("Tokens")
        begin, tile, end, last = MARKERS.names
        overlap = self.accelerator.handover.mode == "overlap"
        loaded, computed = self._counter("loaded", "tiles"), self._counter("computed", "tiles")
        in_flight = self._counter("in_flight", "tiles between the load and the store")
        strips = self._counter("strips_open", "strips between the load and the store")
        m.assign(load.passes[begin], load.at[begin] & (strips <= int(overlap)))
        m.assign(load.passes[tile], load.at[tile] & (in_flight < self.accelerator.depth))
        m.assign(load.passes[last], load.at[last])
        m.assign(engine.passes[begin], engine.at[begin])
        m.assign(engine.passes[tile], engine.at[tile] & (loaded != 0))
        m.assign(engine.passes[end], engine.at[end] & ~engine.busy)
        m.assign(engine.passes[last], engine.at[last])
        m.assign(store.passes[begin], store.at[begin])
        m.assign(store.passes[tile], store.at[tile] & (computed != 0))
        m.assign(store.passes[last], store.at[last] & self.written)
        self._counts(loaded, self.tile_loaded, engine.passes[tile])
        self._counts(computed, engine.passes[end], store.passes[tile])
        self._counts(in_flight, load.passes[tile], store.passes[end])
        self._counts(strips, load.passes[begin], store.passes[last])
        for name, passes in (("load", load.passes), ("compute", engine.passes), ("store", store.passes)):
            with m.clocked(), m.when(passes[last] | self.begin):
                m.assign(self.copies[name], ~self.copies[name] & ~self.begin)

    def _counter(self, wish: str, comment: str) -> Signal:
        return self.names.state(wish, TOKENS, comment)

    def _counts(self, counter: Signal, more: Value, fewer: Value) -> None:
        with self.module.clocked():
            self.module.assign(counter, (counter + more - fewer).wrapped(TOKENS))

    def _finish(self) -> None:
        m = self.module
        m.section("The whole run")
        lasts = {"load": self.load.last, "compute": self.engine.last, "store": self.store.last}
        flags = {name: self.names.state(f"{name}_ended") for name in lasts}
        ends = self.names.wire(
            "ends", flags["load"] & flags["compute"] & flags["store"] & ~self.engine.busy & self.written
        )
        was_done = self.names.state("was_done")
        with m.clocked():
            for name, last in lasts.items():
                m.assign(flags[name], (flags[name] | last) & ~ends)
            m.assign(self.running, (self.running | self.begin) & ~ends)
            m.assign(was_done, (was_done | ends) & ~self.begin)
        m.output("ready", ~self.running, "may be started")
        m.output("done", was_done, "has run since the last start")
        for name, value in self.engine.values.items():
            if self.compute.kernel.arrays[name].live_out:
                self.scalars_out[name] = m.output(self.names.fresh(f"{name}_out"), value).name
