"""The whole accelerator: tiles are loaded, computed and stored at the same time, through buses and local memories.

Load and store engines walk through what tiles move, in the order of addresses, and make requests of runs of elements.
Tokens keep the processes in step: a tile is computed when all its elements have arrived, stored when it has been
computed, and there are at most `depth` tiles between load and store. A strip is loaded when the one before it (where
strips overlap, the one before that) is in external memory.

Local memories have one write port and some read ports. Datapaths have priority at both, since they cannot stall.
"""

from __future__ import annotations

from collections.abc import Mapping

from loadstone.bus.ports import Bus
from loadstone.hardware.accelerator.external import External, Pauses
from loadstone.hardware.accelerator.loading import add_loading
from loadstone.hardware.accelerator.mover import Mover
from loadstone.hardware.accelerator.outline import AcceleratorOutline, make_outline
from loadstone.hardware.accelerator.storing import add_storing
from loadstone.hardware.accelerator.strides import Strides
from loadstone.hardware.bus_top import BusTop
from loadstone.hardware.compute.engine import Engine, Surroundings
from loadstone.hardware.compute.memories import add_memory
from loadstone.hardware.datapath.operations import Operations
from loadstone.hardware.datapath.timing import MemoryTiming
from loadstone.hardware.design import AcceleratorDesign
from loadstone.hardware.host_ports import scalar_types
from loadstone.hardware.layout import ArrayLayout
from loadstone.hardware.names import ModuleNames
from loadstone.hardware.supervisor import tell_failures
from loadstone.loops.accelerator import Accelerator
from loadstone.loops.ranges import Limits
from loadstone.loops.tile_loops import MARKERS
from loadstone.rtl.expressions import Signal, Value, cat
from loadstone.rtl.names import fresh
from loadstone.rtl.types import unsigned

TOKENS = unsigned(16)
EVENTS = "events"
"""The output that tells which processes begin with a tile or end it in a cycle."""


def make_accelerator_design(
    accelerator: Accelerator,
    limits: Mapping[str, Limits],
    bus: Bus | None = None,
    memories: MemoryTiming | None = None,
    operations: Operations | None = None,
    *,
    stalls: bool = False,
    unroll: int | tuple[int, ...] = 1,
) -> AcceleratorDesign:
    """The hardware of an accelerator, for parameters in ranges, with at most `unroll` lanes.

    Ports: `start`, parameters, scalars, the base address of each array, the master of a bus, `ready` and `done`, and
    those of `supervisor`.
    """
    return make_design(make_outline(accelerator, limits, bus, memories, operations, unroll), stalls=stalls)


def make_design(outline: AcceleratorOutline, *, stalls: bool = False) -> AcceleratorDesign:
    """The hardware of an outline."""
    top = _Top(outline)
    top.fill(stalls)
    parts = {"compute": outline.compute, "lanes": outline.lanes, "beats": outline.beats}
    return top.finished(AcceleratorDesign, outline.ranges.limits, outline.external, **parts)


class _Top(BusTop):
    """The top module while it is made."""

    def __init__(self, outline: AcceleratorOutline) -> None:
        kernel = outline.accelerator.kernel
        self.outline, self.accelerator, self.compute = outline, outline.accelerator, outline.compute
        name, types = fresh(f"{kernel.name}_accelerator", ()), self.compute.control.parameter_types
        modules, title = ModuleNames((*self.compute.modules, name)), f"{kernel.name}, tile by tile."
        scalars = {name: type for name, type in scalar_types(self.compute).items() if name not in outline.element_bytes}
        super().__init__(kernel, name, modules, title, outline.bus, outline.moved, types, scalars, (EVENTS,))

    def fill(self, stalls: bool) -> None:
        """Adds all parts and connects them."""
        m, names = self.module, self.names
        chance = m.input(names.fresh("pause_chance"), unsigned(8), "of pauses in 256 cycles") if stalls else None
        self.pauses = Pauses(names, chance)
        self.open_bus()
        strides = Strides(names, self.outline.moved, self.host.parameters, self.outline.ranges.limits)
        external = External(self, self.pauses, strides, self.outline.beats)
        self.accepts = names.wire("accepts_start", self.starts)
        self.begin = m.stored(names.fresh("begin_run"), self.accepts, 0, "values of parameters are in registers")
        for _ in range(strides.late):
            self.begin = m.stored(names.fresh("begin_run"), self.begin, 0, "strides settle")
        titles = ("load", "compute", "store")
        self.copies = {name: names.state(f"{name}_copy", comment="of memories that have two") for name in titles}
        m.section("Compute")
        given = Surroundings(self.host.parameters, self.host.scalars_in, self.begin, self.copies["compute"])
        self.engine = Engine(names, self.compute, given)
        m.section("Load")
        self.load = self._mover("load")
        self.loading = add_loading(external, self.load, self.engine, self.copies["load"])
        m.section("Store")
        self.store = self._mover("store")
        self.storing = add_storing(external, self.store, self.engine, self.copies["store"], self.begin)
        m.section("Local memories")
        for name, store in self.outline.inside.items():
            if store.depth:
                self._memory(name, store)
        self._tokens()
        self.count_elements(self.begin, self.loading.arrives, self.storing.leaves)
        self._tell()
        tell_failures(m, self.loading.reader, self.storing.writer)
        self._finish()

    def _mover(self, title: str) -> Mover:
        stores, parameters = (self.outline.external, self.outline.inside), self.host.parameters
        ranges, sizes = self.outline.ranges, self.outline.beats.several
        return Mover(self.names, title, self.accelerator, stores, ranges, parameters, self.begin, sizes)

    def _memory(self, name: str, store: ArrayLayout) -> None:
        """The local memory of an array between datapaths, load and store."""
        arrivals, reads = self.loading.arrivals.get(name, ()), self.storing.reads.get(name, ())
        add_memory(self.engine, self.modules.fresh(f"{self.module.name}_{name}_memory"), store, arrivals, reads)

    def _tokens(self) -> None:
        """Keeps the processes in step."""
        m, load, store, engine = self.module, self.load, self.store, self.engine
        m.section("Tokens")
        begin, tile, end, last = MARKERS.names
        overlap = self.accelerator.handover.mode == "overlap"
        loaded, computed = self._counter("loaded", "tiles"), self._counter("computed", "tiles")
        in_flight = self._counter("in_flight", "tiles between the load and the store")
        strips = self._counter("strips_open", "strips between the load and the store")
        goes = {title: self.pauses.goes(title) for title in ("load", "compute", "store")}
        m.assign(load.passes[begin], load.at[begin] & (strips <= int(overlap)) & goes["load"])
        m.assign(load.passes[tile], load.at[tile] & (in_flight < self.accelerator.depth) & goes["load"])
        m.assign(load.passes[last], load.at[last] & goes["load"])
        m.assign(engine.passes[begin], engine.at[begin] & goes["compute"])
        m.assign(engine.passes[tile], engine.at[tile] & (loaded != 0) & goes["compute"])
        m.assign(engine.passes[end], engine.at[end] & ~engine.busy & goes["compute"])
        m.assign(engine.passes[last], engine.at[last] & goes["compute"])
        m.assign(store.passes[begin], store.at[begin] & goes["store"])
        m.assign(store.passes[tile], store.at[tile] & (computed != 0) & goes["store"])
        m.assign(store.passes[last], store.at[last] & self.storing.written & goes["store"])
        self._counts(loaded, self.loading.tile_loaded, engine.passes[tile])
        self._counts(computed, engine.passes[end], store.passes[tile])
        self._counts(in_flight, load.passes[tile], self.storing.tile_stored)
        self._counts(strips, load.passes[begin], store.passes[last])
        for name, passes in (("load", load.passes), ("compute", engine.passes), ("store", store.passes)):
            with m.clocked(), m.when(passes[last] | self.begin):
                m.assign(self.copies[name], ~self.copies[name] & ~self.begin)

    def _counter(self, wish: str, comment: str) -> Signal:
        return self.names.state(wish, TOKENS, comment)

    def _counts(self, counter: Signal, more: Value, fewer: Value) -> None:
        with self.module.clocked():
            self.module.assign(counter, (counter + more - fewer).wrapped(TOKENS))

    def _tell(self) -> None:
        """The output for the begin and end of tiles, by process."""
        _, tile, end, _ = MARKERS.names
        begins = [process.passes[tile] for process in (self.load, self.engine, self.store)]
        ends = [self.loading.tile_loaded, self.engine.passes[end], self.storing.tile_stored]
        comment = "from the top: load, compute, store begin with a tile, and end it"
        self.module.output(EVENTS, cat(*begins, *ends), comment)

    def _finish(self) -> None:
        m = self.module
        m.section("The whole run")
        lasts = {"load": self.load.last, "compute": self.engine.last, "store": self.store.last}
        flags = {name: self.names.state(f"{name}_ended") for name in lasts}
        ends = self.names.wire(
            "ends", flags["load"] & flags["compute"] & flags["store"] & ~self.engine.busy & self.storing.written
        )
        with m.clocked():
            for name, last in lasts.items():
                m.assign(flags[name], (flags[name] | last) & ~ends)
        self.end_run(self.accepts, ends)
        self.host.show_results(self.compute, self.engine.values)
