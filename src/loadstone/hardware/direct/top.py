"""A kernel that works on external memory directly: what an accelerator with local memory is compared with.

A controller runs through the instances of the original program. The words of each are requested, one element after the
other, and its record waits in a queue until they have arrived; then it goes through its datapath. So many instances are
in flight, and all reads, starts and results are in the order of the program [RR-7648, IV].

Nothing is kept but the last result: it stays in a register as long as instances compute the same element, as a
programmer keeps a sum in a scalar. Instances that read this element take it from there. Other elements are read when
they have reached memory; a table has the elements in flight.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from loadstone.bus.masters import writing_side
from loadstone.bus.ports import Bus
from loadstone.hardware.bus_top import BusTop
from loadstone.hardware.compute.scalars import scalar_registers, write_scalar
from loadstone.hardware.control.interface import standing
from loadstone.hardware.datapath.operations import Operations
from loadstone.hardware.datapath.pipeline import fetch_port
from loadstone.hardware.datapath.timing import Slot
from loadstone.hardware.design import ComputeDesign, bus_for
from loadstone.hardware.direct.instances import Last, Passed, Result
from loadstone.hardware.direct.levels import INSTANCES, Calm, LevelParts, LevelStage, add_level
from loadstone.hardware.direct.reading import add_reader, make_client
from loadstone.hardware.direct.records import Elements, Records
from loadstone.hardware.direct.statements import DirectStatements, make_direct_statements
from loadstone.hardware.direct.turns import Turn, Turns, longest, skips_of
from loadstone.hardware.direct.writes import make_open_writes
from loadstone.hardware.host_ports import scalar_types
from loadstone.hardware.names import ModuleNames
from loadstone.hardware.supervisor import tell_failures
from loadstone.loops.ranges import Limits, Ranges
from loadstone.model.kernel import WRITE, Kernel
from loadstone.rtl.conditions import all_of, any_of, mux, one_hot_mux
from loadstone.rtl.expressions import Signal, Value, const
from loadstone.rtl.module import Instance
from loadstone.rtl.record import Record
from loadstone.rtl.stream import Stream
from loadstone.rtl.types import address_width, bit, unsigned

RESULTS = 16
"""How many results can wait to be written."""
OPEN_WRITES = 16
"""How many elements can be on their way to memory, where reads may have to wait for them."""
BURST, COUNT_WIDTH = 8, 8
"""What masters make room for; all requests are for one element."""


def make_direct_design(
    kernel: Kernel, limits: Mapping[str, Limits], bus: Bus | None = None, operations: Operations | None = None
) -> ComputeDesign:
    """The hardware of a kernel that works on external memory directly, for parameters in ranges.

    It has the ports of an accelerator: `start`, parameters, scalars, the base address of each array, the master of a
    bus, `ready` and `done`, and those of `supervisor`.
    """
    statements = make_direct_statements(Ranges(kernel, limits), operations or Operations())
    element_bytes = {name: kernel.arrays[name].type.storage.bits // 8 for name in statements.arrays}
    wide = bus_for(element_bytes, bus)
    top = _Top(statements, replace(wide, burst=min(wide.burst, BURST), count_width=COUNT_WIDTH))
    top.fill()
    return top.finished(ComputeDesign, limits, statements.compute.stores, compute=statements.compute)


class _Top(BusTop):
    """The top module while it is made."""

    def __init__(self, statements: DirectStatements, bus: Bus) -> None:
        self.statements, self.compute = statements, statements.compute
        name, kernel, modules = self.compute.name, self.compute.kernel, ModuleNames(self.compute.modules)
        types, scalars = self.compute.control.parameter_types, scalar_types(self.compute)
        title = f"{kernel.name}, directly on external memory."
        moved = {name: self.compute.stores[name] for name in statements.arrays}
        super().__init__(kernel, name, modules, title, bus, moved, types, scalars)
        self.data, self.index = unsigned(self.widths.widest), unsigned(address_width(OPEN_WRITES))
        self.records = Records({name: statements.fields(name) for name in self.compute.datapaths})
        self.queued = self.records.queued(longest(statements.words), entry=self.index, same=bit)
        self.elements = Elements(moved)
        places = {name: statements.places(name) for name in self.compute.datapaths}
        self.turns = Turns(self.names, self.records, self.elements, places)

    def fill(self) -> None:
        """Adds all parts and connects them."""
        m, names = self.module, self.names
        self.open_bus()
        self.begin = names.wire("begin_run", self.starts)
        self.last = self._last_result()
        self.hit, self.room, self.entry = self.wire("hit"), self.wire("room"), self.wire("entry", self.index)
        self.drained = self.wire("drained")
        was_drained = m.stored(names.fresh("was_drained"), self.drained, reset=0)
        self.settled = names.wire("settled", self.drained & was_drained)
        self.written = self.wire("all_written")
        self.values = scalar_registers(names, self.compute)
        stages = range(len(self.statements.levels) + 1)
        self.clients = [make_client(names, f"reader_{k}", self.elements.type, self.data) for k in stages]
        m.section("Instances in the order of the program")
        instances = self._add_control()
        self._add_levels(instances)
        m.section("Ask for the words of an instance, and pass it on")
        self._add_asking()
        self._add_reader()
        m.section("Start an instance when its words are there")
        self._add_starting()
        m.section("Results")
        self._add_results()
        self._add_writer()
        self._add_table()
        m.section("The whole run")
        self._finish(instances)

    def _last_result(self) -> Last:
        state, register, element = self.names.state, self.names.register, self.elements.type
        return Last(
            state("last_valid", comment="there is a result that is not on its way to memory yet"),
            register("last_element", element),
            register("last_word", self.data),
            register("last_entry", self.index),
            state("expected_known"),
            register("expected_element", element, "the last element that was computed, by instances that have passed"),
        )

    def _add_control(self) -> Stream:
        """The controller, and a register for the instance at which it stands."""
        m, names, control = self.module, self.names, self.compute.control
        going = {name: self.wire(f"{name}_goes") for name in self.compute.datapaths}
        self.control = control.added(names, "control", self.begin, self.host.parameters, going)
        at = {
            name: standing(names, name, self.control[control.port(name, "start")], goes) for name, goes in going.items()
        }
        record = one_hot_mux([(at[name], self._record(name)) for name in going]).wrapped(self.records.type)
        taken = self.wire("instance_taken")
        instances = names.queue("instances", 2, any_of(*at.values()), record, taken)
        for name, goes in going.items():
            m.assign(goes, at[name] & instances.room)
        return Stream(instances.valid, taken, {"data": instances.data})

    def _add_levels(self, stream: Stream) -> None:
        """Stages that find places which depend on data, and what they wait for."""
        names, stages, calms = self.names, list[LevelStage](), list[Calm]()
        for level, client in zip(self.statements.levels, self.clients, strict=False):
            self.module.section("Find the places of elements that depend on data")
            calms.append(Calm(*(self.wire(f"finds_{wish}") for wish in ("through", "calm", "stuck"))))
            parts = LevelParts(self.turns, level, self.statements.found, client, calms[-1], self._given, self.modules)
            stages.append(add_level(parts, stream))
            stream = stages[-1].stream
        self.stream = stream
        self.finds_none = names.wire("finds_nothing", all_of(*(stage.is_empty for stage in stages)))
        for k, calm in enumerate(calms):
            later = all_of(*(stage.is_empty for stage in stages[k:]))
            self.module.assign(calm.through, later & self.drained)
            self.module.assign(calm.written, later & self.drained & ~self.last.valid & self.written)
        self.waiting = any_of(*(calm.waits & calm.through for calm in calms))

    def _given(self, name: str) -> Value:
        """The value of a parameter or scalar."""
        return next(each[name] for each in (self.host.parameters, self.values, self.host.scalars_in) if name in each)

    def _record(self, name: str) -> Value:
        """The record of the instance at which the controller stands."""
        control = self.compute.control
        arguments = control.statements.arguments[name]
        return self.records.made(name, {what: self.control[control.port(name, what)] for what in arguments})

    def _computed(self, turn: Turn) -> Value:
        """The element that an instance computes."""
        targets = {name: self.compute.statements[name].write.array for name in self.statements.stored}
        made = [
            (turn.here[name], self.elements.made(array, self.turns.place(turn.record, name, WRITE)))
            for name, array in targets.items()
        ]
        return one_hot_mux(made).wrapped(self.elements.type)

    def _add_asking(self) -> None:
        """Asks for the words of the next instance, one after the other, and passes it on with the last."""
        names, turns, client = self.names, self.turns, self.clients[-1]
        turn = turns.at("asks", self.stream.valid, self.stream.data, self.statements.words)
        self.asked = names.wire("asked", turns.asked(turn))
        kept = turn.where(lambda word: word.kept)
        skips = names.wire("skips", turns.missing(turn) | (kept & self.last.will_be(self.asked)))
        blocked = names.wire("blocked", turn.where(lambda word: word.open) & self.hit & ~skips)
        self.added = names.wire("added", self._computed(turn))
        stores = names.wire("stores", any_of(*(turn.here[name] for name in self.statements.stored)))
        same = names.wire("same", self.last.will_be(self.added))
        full = names.wire("full", stores & ~same & ~self.room)
        self.stuck = names.wire("stuck", blocked | full | self.waiting)
        space = self.wire("record_room")
        able = names.wire("able", turn.is_here & ~blocked & (~turn.is_last | (space & ~full)))
        reads = names.wire("reads", turn.has(skips))
        advances = names.wire("advances", able & (~reads | client.granted))
        self.passes = names.wire("passes", advances & turn.is_last)
        self.adds = names.wire("adds", self.passes & stores & ~same)
        self.module.assign(self.stream.ready, self.passes)
        self.module.assign(client.request, able & reads)
        self.module.assign(client.element, self.asked)
        turns.advance(turn, advances)
        self._expect(turn, stores, same)
        skipped = turns.skipped(turn, skips, advances)
        self._add_records(self.queued.made(entry=self.entry, same=same, skipped=skipped, instance=turn.record), space)

    def _expect(self, turn: Turn, stores: Value, same: Value) -> None:
        """Follows what the last result will be: not known after a condition, until all is through."""
        m, last = self.module, self.last
        doubtful = [name for name in self.statements.stored if self.compute.statements[name].condition is not None]
        doubt = any_of(*(turn.here[name] for name in doubtful))
        with m.clocked():
            with m.when(self.passes & stores):
                m.assign(last.known, ~doubt | same)
                m.assign(last.expected, self.added)
            with m.elsewhen(self.drained):
                m.assign(last.known, last.valid)
                m.assign(last.expected, last.element)

    def _add_records(self, record: Value, space: Signal) -> None:
        """The queue of instances that have passed."""
        self.started = self.wire("starts")
        self.queue = self.names.queue("records", INSTANCES, self.passes, record, self.started)
        self.module.assign(space, self.queue.room)

    def _add_reader(self) -> None:
        """The master that reads, for all stages that do."""

        def attached(request: Value, element: Value, accepts: Value) -> Instance:
            return self.add_reader(self._request(self.names.wire("request", request), element), accepts)

        self.reader = add_reader(self.names, self.clients, attached)

    def _request(self, valid: Value, element: Value) -> dict[str, Value]:
        """A request for one element."""
        place = self.elements.place(element)
        sizes = {name: (count - 1).bit_length() for name, count in self.element_bytes.items()}
        offset = self.elements.by_array(element, {name: place << size for name, size in sizes.items()})
        base = self.elements.by_array(element, self.bases)
        ports = {"request_valid": valid, "request_address": (base + offset).wrapped(self.bus.address)}
        ports["request_count"] = const(1)
        if not self.widths.are_equal:
            widths = {name: self.widths.size_of(8 * count) for name, count in self.element_bytes.items()}
            kinds = {name: const(size, self.widths.size) for name, size in widths.items()}
            ports["request_size"] = self.elements.by_array(element, kinds).wrapped(self.widths.size)
        return ports

    def _passed(self) -> Passed:
        """The fields of the record at the end of the queue."""
        entry, same, skipped, instance = self.queued.unpacked(self.queue.data).values()
        return Passed(self.names.wire("started_record", instance), skipped, same, entry)

    def _add_starting(self) -> None:
        """Takes the words of the oldest instance, and starts it with the last of them."""
        m, names, client = self.module, self.names, self.clients[-1]
        passed = self._passed()
        turn = self.turns.at("starts", self.queue.valid, passed.record, self.statements.words)
        reads = names.wire("takes", turn.has(skips_of(turn, passed.skipped)))
        stores = any_of(*(turn.here[name] for name in self.statements.stored))
        self.credit = names.state("credit", unsigned(RESULTS.bit_length()), "results that are still to be written")
        self.fresh = names.wire("fresh", stores & ~passed.same)
        stops = self.wire("stops")
        full = self.fresh & (self.credit == RESULTS)
        able = names.wire("may_take", turn.is_here & (~turn.is_last | ~(stops | full)))
        m.assign(client.accepts, able & reads)
        advances = names.wire("goes_on", able & (~reads | client.valid))
        m.assign(self.started, advances & turn.is_last)
        self.turns.advance(turn, advances)
        words = self.turns.taken(turn, reads, client)
        self.paths = {name: self._datapath(name, turn, passed, words) for name in self.compute.datapaths}
        m.assign(stops, any_of(*(turn.here[name] & self._stop(name, passed) for name in self.paths)))
        self.result = self._delayed_result(turn, passed, stores)

    def _stop(self, name: str, passed: Passed) -> Value:
        """Whether a register that an instance reads is still to be written."""
        waits = self.statements.waits[name]
        hits = [
            self.paths[wait.writer][f"{wait.probe.name}_hit"] & (1 if wait.word is None else passed.skipped[wait.word])
            for wait in waits
        ]
        return any_of(*hits)

    def _datapath(self, name: str, turn: Turn, passed: Passed, words: Sequence[Value]) -> Instance:
        """The datapath of a statement in its place."""
        path, numbers = self.compute.datapaths[name], self.statements.numbers(name)
        given = {what: words[k] for k, what in self.statements.names[name].items()}
        inputs: dict[str, Value] = {"start": self.started & turn.here[name]}
        for what, port in path.arguments.items():
            value = given[what] if what in given else self.records.argument(passed.record, name, what)
            inputs[port.name] = value.wrapped(port.bits)
        inputs |= {port.name: self._given(what) for what, port in path.stable.items()}
        for position, slot in path.times.slots.items():
            k = numbers.get(position)
            late = (
                self.values[slot.array] if k is None else self._late(f"{name}_{k}", passed.skipped[k], words[k], slot)
            )
            inputs[f"{fetch_port(position)}_data"] = late.wrapped(self.compute.stores[slot.array].type)
        return self.module.instance(self.names.fresh(f"run_{name}"), path.module, inputs)

    def _late(self, wish: str, skipped: Value, word: Value, slot: Slot) -> Value:
        """A word in the cycle in which a datapath uses it: the last result, if it was not read."""
        record = Record({"skipped": bit, "word": word.bits})
        late = record.unpacked(self.turns.delayed(wish, record.made(skipped=skipped, word=word), slot.used))
        return mux(late["skipped"], self.last.word, late["word"])

    def _delayed_result(self, turn: Turn, passed: Passed, stores: Value) -> Result:
        """What is known of an instance when its result comes."""
        delay = self.statements.delay
        record = Record({"element": self.elements.type, "same": bit, "entry": self.index})
        made = record.made(element=self._computed(turn), same=passed.same, entry=passed.entry)
        later = record.unpacked(self.turns.delayed("result", made, delay))
        return Result(
            self.names.wire("finishes", self.turns.delayed("runs", self.started, delay, 0)),
            self.names.wire("finishes_store", self.turns.delayed("runs_store", self.started & stores, delay, 0)),
            **later,
        )

    def _add_results(self) -> None:
        """The last result: it goes to memory when another element is computed, or waits for it, and at the end."""
        m, names, last, result = self.module, self.names, self.last, self.result
        wrote = {name: self.paths[name]["write_enable"] for name in self.statements.stored}
        written = names.wire("written", any_of(*wrote.values()))
        word = one_hot_mux([(flag, self.paths[name]["write_data"].wrapped(self.data)) for name, flag in wrote.items()])
        self.drops = names.wire("drops", result.stores & ~written & ~result.same)
        self.flushes = self.wire("flushes")
        replaces = written & ~result.same
        self.evicts = names.wire("evicts", last.valid & (replaces | self.flushes | (self.stuck & self.settled)))
        with m.clocked():
            m.assign(last.valid, written | (last.valid & ~self.evicts))
            with m.when(written):
                m.assign(last.word, word.wrapped(self.data))
                with m.when(~result.same):
                    m.assign(last.element, result.element)
                    m.assign(last.entry, result.entry)
        self._write_scalars()
        flight = names.state("in_flight", unsigned((INSTANCES + self.statements.delay + 1).bit_length()))
        with m.clocked():
            m.assign(flight, (flight + self.passes - result.finishes).wrapped(flight.bits))
        m.assign(self.drained, flight == 0)

    def _write_scalars(self) -> None:
        for name, value in self.values.items():
            writers = [self.paths[each] for each, s in self.compute.statements.items() if s.write.array == name]
            write_scalar(self.names, name, value, self.begin, self.host.scalars_in, writers)

    def _add_writer(self) -> None:
        """Queues of elements and their words, and the master that writes them."""
        m, names = self.module, self.names
        pops = {name: self.wire(f"{name}_pops") for name in ("element", "word")}
        elements = names.queue("elements", RESULTS, self.evicts, self.last.element, pops["element"])
        words = names.queue("words", RESULTS, self.evicts, self.last.word, pops["word"])
        writer = self.add_writer(self._request(elements.valid, elements.data), words.valid, words.data)
        m.assign(pops["element"], writer["request_ready"])
        m.assign(pops["word"], writer["element_ready"])
        self.leaves = names.wire("leaves", words.valid & writer["element_ready"])
        credit = self.credit
        with m.clocked("Results are counted from the start of their instances until they leave."):
            more, fewer = self.started & self.fresh, self.leaves + self.drops
            m.assign(credit, (credit + more - fewer).wrapped(credit.bits))
        m.assign(self.written, (credit == 0) & writer["idle"])
        tell_failures(m, self.reader, writer)

    def _add_table(self) -> None:
        """The table of elements in flight to memory."""
        m, side = self.module, writing_side(self.bus, self.signals)
        if not self.statements.may_wait:
            for signal, value in ((self.hit, 0), (self.room, 1), (self.entry, 0)):
                m.assign(signal, value)
            return
        arrives = side["bvalid" if self.bus.protocol == "axi" else "writeresponsevalid"]
        ports = {
            "adds": self.adds,
            "added": self.added,
            "asked": self.asked,
            "leaves": self.evicts,
            "leaving": self.last.entry,
            "arrives": arrives,
            "drops": self.drops,
            "dropped": self.result.entry,
        }
        module = make_open_writes(f"{m.name}_open_writes", self.elements.type, OPEN_WRITES)
        table = m.instance(self.names.fresh("open_writes"), module, ports)
        m.assign(self.hit, table["hit"])
        m.assign(self.room, table["room"])
        m.assign(self.entry, table["entry"])

    def _finish(self, instances: Stream) -> None:
        m, names = self.module, self.names
        arrives = names.wire("arrives", any_of(*(client.arrives for client in self.clients)))
        self.count_elements(self.begin, arrives, self.leaves)
        issued = names.state("issued", comment="the controller has ended")
        through = names.wire("through", issued & ~instances.valid & self.finds_none & self.drained)
        m.assign(self.flushes, through)
        ends = names.wire("ends", through & ~self.last.valid & self.written)
        with m.clocked():
            m.assign(issued, (issued | self.control["last"]) & ~ends)
        self.end_run(self.begin, ends)
        self.host.show_results(self.compute, self.values)
