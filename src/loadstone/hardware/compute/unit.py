"""The parts that compute: a controller, and a datapath for each statement with what it must wait for.

The controller starts the instances in their order, one in each cycle, and each goes through the datapath of its
statement. An instance stalls while a write it depends on is pending, so that nothing depends on the depth of pipelines:

- a read sees all writes up to the cycle before its word is used (`memories.py`), so it waits for later writes;
- a write waits for those of instances before it to the same element, where their statement takes longer;
- no write is so early that an instance before it could still see it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import islpy as isl

from loadstone.hardware.compute.calls import Lane, Signature, signature, with_lanes, with_signatures
from loadstone.hardware.compute.local_layout import bank_count
from loadstone.hardware.control.controller import PLAIN, Options, make_controller
from loadstone.hardware.control.interface import OWN, Controller
from loadstone.hardware.datapath.lowering import Arguments, access_at, lowered
from loadstone.hardware.datapath.operations import Operations
from loadstone.hardware.datapath.pipeline import Datapath, Probe, address_type, make_datapath
from loadstone.hardware.datapath.timing import MemoryTiming, Timetable, timetable
from loadstone.hardware.layout import ArrayLayouts
from loadstone.hardware.names import ModuleNames
from loadstone.loops.model import Node
from loadstone.loops.paths import statements as statements_of
from loadstone.loops.ranges import Ranges
from loadstone.model.kernel import WRITE, Access, Kernel, Statement
from loadstone.parallel.banks import BanksOfLanes, BanksOfPlaces, Place
from loadstone.parallel.group_loops import masked_lanes
from loadstone.parallel.groups import moved_iterators
from loadstone.parallel.hazards import may_follow, meeting_lanes
from loadstone.parallel.lanes import NO_LANES, Lanes
from loadstone.rtl.names import fresh
from loadstone.rtl.types import Bits


@dataclass(frozen=True, slots=True, eq=False)
class Hazard:
    """A probe of the datapaths of a writer, for an access of a statement.

    `lanes` are pairs of a lane of the writer and the one that asks it; others never meet.
    """

    writer: str
    statement: str
    position: int
    probe: Probe
    lanes: tuple[tuple[int, int], ...] = ((0, 0),)


@dataclass(frozen=True, slots=True, eq=False)
class ComputeUnit:
    """What computes a kernel: a controller and datapaths by statement; `stable` are scalars that are never written.

    At `markers`, which are instances in the loops that compute nothing, the controller waits to be passed on. A
    statement has a datapath in each of its lanes. `banks`: the banks that lanes of accesses may touch, where known.
    """

    name: str
    kernel: Kernel
    stores: ArrayLayouts
    memories: MemoryTiming
    control: Controller
    signatures: Mapping[str, Signature]
    datapaths: Mapping[str, Datapath]
    hazards: tuple[Hazard, ...]
    stable: frozenset[str]
    markers: tuple[str, ...] = ()
    banks: BanksOfPlaces = field(default_factory=dict[Place, BanksOfLanes])

    @property
    def statements(self) -> dict[str, Statement]:
        """The statements that have instances."""
        return {name: self.kernel.statement(name) for name in self.datapaths}

    @property
    def stable_types(self) -> dict[str, Bits]:
        """The types of values that do not change: scalars that are never written, and parameters."""
        types = {each: self.stores[each].type for each in self.stable}
        return types | self.control.parameter_types

    @property
    def modules(self) -> tuple[str, ...]:
        """The names of its modules, and of the one that it is for."""
        return self.name, self.control.module.name, *(path.module.name for path in self.datapaths.values())

    @property
    def times(self) -> dict[str, Timetable]:
        """The times of the statements."""
        return {name: path.times for name, path in self.datapaths.items()}

    @property
    def read_ports(self) -> dict[str, int]:
        """The read ports of the memories that datapaths read."""
        found: dict[str, int] = {}
        for slot in (slot for table in self.times.values() for slot in table.slots.values()):
            if self.stores[slot.array].depth:
                found[slot.array] = max(found.get(slot.array, 1), slot.port + 1)
        return found

    def access(self, statement: str, position: int) -> Access:
        """An access of a statement by its position."""
        return access_at(self.kernel.statement(statement), position)

    def lanes(self, statement: str) -> tuple[Lane, ...]:
        """The lanes of a statement."""
        return self.signatures[statement].lanes

    def banks_of(self, statement: str, position: int, lane: int) -> tuple[int, ...]:
        """The banks that a lane of an access may touch."""
        every = tuple(range(bank_count(self.stores[self.access(statement, position).array])))
        return self.banks.get((statement, position), {}).get(lane, every)


def make_compute_unit(
    ranges: Ranges,
    tree: Node,
    stores: ArrayLayouts,
    memories: MemoryTiming,
    operations: Operations,
    markers: tuple[str, ...] = (),
    lanes: Lanes = NO_LANES,
    options: Options = PLAIN,
) -> ComputeUnit:
    """What computes a kernel by a loop tree, perhaps with lanes, with arrays in stores, for parameters in ranges.

    `options` are those of its controller.
    """
    kernel = ranges.kernel
    name = fresh(kernel.name, OWN)
    statements = {each: kernel.statement(each) for each in statements_of(tree) if each not in markers}
    signatures = {each: _signature(kernel, statement, stores, tree, lanes) for each, statement in statements.items()}
    called = with_signatures(tree, statements, signatures)
    control = make_control(f"{name}_control", called, signatures, ranges, options)
    written = {statement.write.array for statement in statements.values()}
    stable = frozenset(each for each, array in kernel.arrays.items() if array.rank == 0 and each not in written)
    types = {each: stores[each].type for each in stable}
    types |= control.parameter_types
    early: dict[str, Timetable] = {}
    for each, statement in statements.items():
        arguments = _with_copies(signatures[each].typed(control.types(each)), statement, stores)
        graph = lowered(statement, arguments, types, stores, operations)
        changing = written - {statement.write.array}
        early[each] = timetable(graph, stores, memories, changing)
    times = _late_enough(early, statements)
    hazards = tuple(_hazards(ranges.known, statements, signatures, times, lanes))
    modules = ModuleNames((name, control.module.name))
    datapaths: dict[str, Datapath] = {}
    for each, statement in statements.items():
        probes = [hazard.probe for hazard in hazards if hazard.writer == each]
        title = f"Statement {each} of {kernel.name}."
        module = modules.fresh(f"{name}_{each}")
        datapaths[each] = make_datapath(module, title, times[each], stores[statement.write.array], stores, probes)
    return ComputeUnit(
        name, kernel, stores, memories, control, signatures, datapaths, hazards, stable, markers, lanes.banks
    )


def _signature(kernel: Kernel, statement: Statement, stores: ArrayLayouts, tree: Node, lanes: Lanes) -> Signature:
    """The signature of a statement, with its lanes."""
    one, grouping = signature(statement, kernel.parameters, stores), lanes.grouping
    if grouping is None or statement.name not in grouping.steps:
        return one
    count = grouping.lanes(statement.name)
    moved = [moved_iterators(statement, grouping.offset(statement.name, lane)) for lane in range(count)]
    return with_lanes(one, moved, masked_lanes(tree, statement.name, count))


def _with_copies(arguments: Arguments, statement: Statement, stores: ArrayLayouts) -> Arguments:
    """The arguments with addresses that also choose the copy of a store that has two."""
    addresses: dict[int, tuple[str, Bits]] = {}
    for position, (name, type) in arguments.addresses.items():
        store = stores[access_at(statement, position).array]
        addresses[position] = (name, address_type(store) if store.copies > 1 or bank_count(store) > 1 else type)
    return replace(arguments, addresses=addresses)


def make_control(
    name: str, tree: Node, signatures: Mapping[str, Signature], ranges: Ranges, options: Options = PLAIN
) -> Controller:
    """The controller of a loop tree whose instances have the arguments of signatures."""
    arguments = {each: signature.names for each, signature in signatures.items()}
    return make_controller(name, tree, ranges.limits, replace(options, arguments=arguments), ranges.kernel.context)


def _late_enough(times: Mapping[str, Timetable], statements: Mapping[str, Statement]) -> dict[str, Timetable]:
    """The times with writes that no instance before them can see."""
    used: dict[str, int] = {}
    for slot in (slot for table in times.values() for slot in table.slots.values()):
        used[slot.array] = max(used.get(slot.array, 0), slot.used)
    return {
        name: replace(table, write=max(table.write, used.get(statements[name].write.array, 0) - 1))
        for name, table in times.items()
    }


def _hazards(
    known: isl.Set,
    statements: Mapping[str, Statement],
    signatures: Mapping[str, Signature],
    times: Mapping[str, Timetable],
    lanes: Lanes,
) -> Iterator[Hazard]:
    """The accesses that may come too early after a write."""
    for writer in statements.values():
        for name, statement in statements.items():
            for position, cycle in _cycles(times[name]):
                access, window = access_at(statement, position), times[writer.name].write - cycle
                same = access.array == writer.write.array
                if same and window > 0 and may_follow(known, writer, statement, access):
                    places = ((writer.name, WRITE), (name, position))
                    addressed = all(k in signatures[each].addresses for each, k in places)
                    wish = f"{name}_{'write' if position == WRITE else position}"
                    for number, met in _meeting(known, writer, statement, access, lanes).items():
                        probe = Probe(fresh(f"{wish}_{number}" if number else wish, ()), window, addressed)
                        yield Hazard(writer.name, name, position, probe, met)


def _meeting(
    known: isl.Set, writer: Statement, reader: Statement, access: Access, lanes: Lanes
) -> dict[int, tuple[tuple[int, int], ...]]:
    """The pairs of lanes that may meet, by how many lanes the one that reads is behind the one that writes."""
    if lanes.grouping is None:
        return {0: ((0, 0),)}
    found: dict[int, list[tuple[int, int]]] = {}
    count = lanes.grouping.lanes(reader.name)
    for one, other in meeting_lanes(known, lanes.grouping, writer, reader, access):
        found.setdefault((other - one) % count, []).append((one, other))
    return {number: tuple(found[number]) for number in sorted(found)}


def _cycles(table: Timetable) -> Iterator[tuple[int, int]]:
    """The positions of accesses, with the cycles in which words are used or written."""
    yield from ((position, slot.used) for position, slot in table.slots.items())
    yield WRITE, table.write
