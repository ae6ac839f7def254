"""The engine that computes a kernel inside of a module: controller, datapaths, issue, and scalars.

The module holds the arrays: it takes the words that the engine writes, and answers its reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from loadstone.hardware.compute.calls import Lane
from loadstone.hardware.compute.issue import add_issue
from loadstone.hardware.compute.local_layout import bank_count, copy_count
from loadstone.hardware.compute.scalars import scalar_registers, write_scalar
from loadstone.hardware.compute.unit import ComputeUnit, Hazard
from loadstone.hardware.control.interface import standing
from loadstone.hardware.datapath.lowering import COPY
from loadstone.hardware.datapath.pipeline import address_type, fetch_port
from loadstone.hardware.datapath.timing import Slot
from loadstone.hardware.layout import ArrayLayout
from loadstone.hardware.names import Names
from loadstone.model.kernel import WRITE
from loadstone.rtl.conditions import Choice, any_of, mux, one_hot_mux
from loadstone.rtl.expressions import Signal, Value, cat, const
from loadstone.rtl.module import Instance
from loadstone.rtl.types import bit

Path = tuple[str, int]
"""A datapath: its statement and lane."""


@dataclass(frozen=True, slots=True, eq=False)
class Write:
    """A word that may be written: whether it is, its address, and its value; to one of some banks, if that is known."""

    enable: Value
    address: Value
    data: Value
    banks: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Ask:
    """A word that may be read: whether it is, and its address; from one of some banks, if that is known."""

    enable: Value
    address: Value
    banks: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Fetch:
    """A fetch of some lanes of a statement that ask for the same word; `word` is where it arrives."""

    statement: str
    position: int
    lanes: tuple[int, ...]
    banks: tuple[int, ...]
    word: Signal


@dataclass(frozen=True, slots=True, eq=False)
class Surroundings:
    """What an engine is given: parameters, scalars at the start, the pulse that starts it, and which copy it uses.

    The copy is that of arrays whose memories have two.
    """

    parameters: Mapping[str, Signal]
    scalars: Mapping[str, Signal]
    begin: Signal
    copy: Signal | None = None


class Engine:
    """An engine in a module.

    `memory_words` are the wires at which the words of memories arrive, by array, port, copy and bank; the module drives
    them. `bank_words` are those of the copy in use, `words` those of memories in one bank. `passes` are the wires by
    which the module lets the controller go on at markers, and `at` says that it stands at one.
    """

    def __init__(self, names: Names, compute: ComputeUnit, given: Surroundings) -> None:
        self.names, self.compute, self.given = names, compute, given
        m, statements = names.module, compute.statements
        self._going = {name: m.wire(names.fresh(f"{name}_goes"), bit) for name in statements}
        self.passes = {marker: m.wire(names.fresh(f"{marker}_passes"), bit) for marker in compute.markers}
        self._control = self._controller()
        self.at = {marker: self._standing(marker) for marker in compute.markers}
        self._arguments = {
            (name, number): self._given_arguments(name, lane)
            for name in statements
            for number, lane in enumerate(compute.lanes(name))
        }
        self._starts = self._lane_starts()
        self.memory_words = self._words()
        self.bank_words = self._words_in_use()
        self.words = {(array, port): word for (array, port, bank), word in self.bank_words.items() if bank == 0}
        self.values = scalar_registers(names, compute)
        self._fetches = tuple(self._all_fetches())
        m.section("Datapaths")
        self._datapaths = {(name, lane): self._datapath(name, lane) for name, lane in self._arguments}
        self._choose_words()
        m.section("Issue: an instance goes when nothing that it needs is still on its way")
        add_issue(names, compute, self._control, self._hits, self._going)
        for name, value in self.values.items():
            write_scalar(names, name, value, given.begin, given.scalars, self._writers(name).values())
        busy = any_of(*(instance["busy"] for instance in self._datapaths.values()))
        self.busy = names.wire("busy", busy)

    @property
    def last(self) -> Signal:
        """Set in the cycle in which the last instance goes."""
        return self._control["last"]

    def writes(self, array: str) -> list[Write]:
        """What datapaths write to an array."""
        return [
            Write(
                path["write_enable"],
                path["write_address"],
                path["write_data"],
                self.compute.banks_of(name, WRITE, lane),
            )
            for (name, lane), path in self._writers(array).items()
        ]

    def asks(self, array: str, port: int) -> list[Choice]:
        """The fetches from a port of the memory of an array: enable and address of each."""
        return [(ask.enable, ask.address) for ask in self.fetches(array, port)]

    def fetches(self, array: str, port: int) -> list[Ask]:
        """The fetches from a port of the memory of an array."""
        return [
            Ask(self._asked(fetch), self._first(fetch)[f"{fetch_port(fetch.position)}_address"], fetch.banks)
            for fetch in self._fetches
            if self._source(fetch) == (array, port)
        ]

    def word(self, array: str, address: Value) -> Value:
        """The word at the first read port of an array, for the requested address."""
        store = self.compute.stores[array]
        words = [self.memory_words[array, 0, *memory] for memory in memories_of(store)]
        return words[0] if len(words) == 1 else self._chosen_word(f"{array}_asked", memory_of(address, store), words)

    def slice_words(self, array: str, address: Value, size: int) -> list[Value]:
        """The words at the first read port of an array in the block of so many banks that an address is in."""
        store = self.compute.stores[array]
        low, high = (size - 1).bit_length(), (bank_count(store) - 1).bit_length()
        copies, blocks = range(copy_count(store)), range(bank_count(store) // size)
        parts = [copy_of(address, store)] if len(copies) > 1 else []
        parts += [address[low:high]] if len(blocks) > 1 else []
        words = [
            [self.memory_words[array, 0, copy, block * size + k] for copy in copies for block in blocks]
            for k in range(size)
        ]
        if not parts:
            return [first for first, *_ in words]
        asked = self._arriving(f"{array}_asked", cat(*parts))
        return [one_hot_mux([(asked == number, word) for number, word in enumerate(each)]) for each in words]

    def ports(self, array: str) -> int:
        """How many ports of its memory are read."""
        return self.compute.read_ports.get(array, 1)

    def _controller(self) -> Instance:
        lasts = self._going | self.passes
        return self.compute.control.added(self.names, "control", self.given.begin, self.given.parameters, lasts)

    def _standing(self, marker: str) -> Signal:
        """Whether the controller stands at a marker."""
        start = self._control[self.compute.control.port(marker, "start")]
        return standing(self.names, marker, start, self.passes[marker], "has been reached, and not been passed yet")

    def _given_arguments(self, name: str, lane: Lane) -> dict[str, Value]:
        """The arguments of a statement in a lane, with the copy in addresses of memories that have two."""
        port = self.compute.control.port
        found: dict[str, Value] = {what: self._control[port(name, given)] for what, given in lane.arguments.items()}
        for position, what in self.compute.signatures[name].addresses.items():
            store = self.compute.stores[self.compute.access(name, position).array]
            if store.copies > 1:
                assert self.given.copy is not None
                found[what] = cat(self.given.copy, found[what].wrapped(address_type(store, one_copy=True)))
            elif bank_count(store) > 1:
                found[what] = found[what].wrapped(address_type(store))
        return found

    def _lane_starts(self) -> dict[Path, Value]:
        """Whether an instance goes into a datapath."""
        found: dict[Path, Value] = {}
        for name, number in self._arguments:
            mask = self._mask(name, number)
            found[name, number] = self._going[name] if mask is None else self._going[name] & mask
        return found

    def _mask(self, name: str, lane: int) -> Signal | None:
        """Whether a lane has an instance; None if it always does."""
        mask = self.compute.lanes(name)[lane].mask
        return None if mask is None else self._control[self.compute.control.port(name, mask)]

    def _words(self) -> dict[tuple[str, int, int, int], Signal]:
        return {
            (name, port, *memory): self.names.module.wire(
                self.names.fresh(f"{memory_title(name, store, memory)}_word_{port}"), store.type
            )
            for name, store in self.compute.stores.items()
            if store.depth
            for port in range(self.ports(name))
            for memory in memories_of(store)
        }

    def _words_in_use(self) -> dict[tuple[str, int, int], Signal]:
        """The words of the copy in use, which changes only while no instance is in a datapath."""
        found = {(name, port, bank): word for (name, port, copy, bank), word in self.memory_words.items() if copy == 0}
        for (name, port, bank), first in found.items():
            if copy_count(self.compute.stores[name]) > 1:
                assert self.given.copy is not None
                word = mux(self.given.copy, self.memory_words[name, port, 1, bank], first)
                found[name, port, bank] = self.names.wire(f"{name}_{bank}_word_{port}_in_use", word)
        return found

    def _all_fetches(self) -> Iterator[_Fetch]:
        """The fetches of all statements from memories; lanes with the same address share one."""
        for name, table in self.compute.times.items():
            for position, slot in table.slots.items():
                if self.compute.stores[slot.array].depth:
                    for lanes in self._sharing(name, position):
                        yield self._fetch(name, position, slot, lanes)

    def _sharing(self, name: str, position: int) -> list[tuple[int, ...]]:
        """The lanes of a statement, grouped by the address of a fetch."""
        what, found = self.compute.signatures[name].addresses.get(position), dict[str, tuple[int, ...]]()
        for number, lane in enumerate(self.compute.lanes(name)):
            key = str(number) if what is None else lane.arguments[what]
            found[key] = (*found.get(key, ()), number)
        return list(found.values())

    def _fetch(self, name: str, position: int, slot: Slot, lanes: tuple[int, ...]) -> _Fetch:
        banks = self.compute.banks_of(name, position, lanes[0])
        if len(banks) == 1:
            return _Fetch(name, position, lanes, banks, self.bank_words[slot.array, slot.port, banks[0]])
        wish = f"{name}_{lanes[0]}_{fetch_port(position)}_word"
        word = self.names.module.wire(self.names.fresh(wish), self.compute.stores[slot.array].type)
        return _Fetch(name, position, lanes, banks, word)

    def _choose_words(self) -> None:
        """Selects words from the requested banks."""
        for fetch in self._fetches:
            if len(fetch.banks) > 1:
                array, port = self._source(fetch)
                address = self._first(fetch)[f"{fetch_port(fetch.position)}_address"]
                words = [self.bank_words[array, port, bank] for bank in range(bank_count(self.compute.stores[array]))]
                bank = bank_of(address, len(words))
                self.names.module.assign(fetch.word, self._chosen_word(f"{fetch.word.name}_asked", bank, words))

    def _chosen_word(self, wish: str, asked: Value, words: Sequence[Signal]) -> Value:
        """The word of the requested memory, by its number, when it arrives."""
        asked = self._arriving(wish, asked)
        return one_hot_mux([(asked == number, word) for number, word in enumerate(words)])

    def _arriving(self, wish: str, asked: Value) -> Value:
        """The request whose word arrives."""
        for _ in range(self.compute.memories.latency):
            asked = self.names.module.stored(self.names.fresh(wish), asked)
        return asked

    def _source(self, fetch: _Fetch) -> tuple[str, int]:
        """The array and the port of its memory from which a word is fetched."""
        slot = self.compute.times[fetch.statement].slots[fetch.position]
        return slot.array, slot.port

    def _first(self, fetch: _Fetch) -> Instance:
        return self._datapaths[fetch.statement, fetch.lanes[0]]

    def _asked(self, fetch: _Fetch) -> Value:
        paths = [self._datapaths[fetch.statement, lane] for lane in fetch.lanes]
        return any_of(*(path[f"{fetch_port(fetch.position)}_enable"] for path in paths))

    def _datapath(self, name: str, lane: int) -> Instance:
        """A datapath of a statement in its place."""
        path = self.compute.datapaths[name]
        inputs: dict[str, Value] = {"start": self._starts[name, lane]}
        inputs |= {port.name: self._arguments[name, lane][what] for what, port in path.arguments.items()}
        inputs |= {port.name: self._stable(what) for what, port in path.stable.items()}
        for position, slot in path.times.slots.items():
            here = self.values[slot.array] if slot.array in self.values else self._word(name, position, lane)
            inputs[f"{fetch_port(position)}_data"] = here
        for hazard in self.compute.hazards:
            if hazard.writer == name and hazard.probe.addressed:
                inputs[f"{hazard.probe.name}_address"] = self._probed(hazard, lane)
        wish = f"run_{name}" if len(self.compute.lanes(name)) == 1 else f"run_{name}_lane_{lane}"
        return self.names.module.instance(self.names.fresh(wish), path.module, inputs)

    def _word(self, name: str, position: int, lane: int) -> Signal:
        """The word that a lane fetches."""
        return next(f.word for f in self._fetches if (f.statement, f.position) == (name, position) and lane in f.lanes)

    def _stable(self, what: str) -> Signal:
        parameters = self.given.parameters
        if what == COPY:
            assert self.given.copy is not None
            return self.given.copy
        return parameters[what] if what in parameters else self.given.scalars[what]

    def _probed(self, hazard: Hazard, writer: int) -> Value:
        """The address that a hazard asks a lane of its writer about."""
        array = self.compute.access(hazard.statement, hazard.position).array
        argument = self.compute.signatures[hazard.statement].addresses[hazard.position]
        for lane, other in hazard.lanes:
            if lane == writer:
                address = self._arguments[hazard.statement, other][argument]
                return address.wrapped(address_type(self.compute.stores[array]))
        return const(0)

    def _hits(self, hazard: Hazard) -> Iterator[Value]:
        """Whether writes that lanes ask about are still to come."""
        for writer, lane in hazard.lanes:
            hit = self._datapaths[hazard.writer, writer][f"{hazard.probe.name}_hit"]
            mask = self._mask(hazard.statement, lane)
            yield hit if mask is None else hit & mask

    def _writers(self, array: str) -> dict[Path, Instance]:
        found = {name for name, statement in self.compute.statements.items() if statement.write.array == array}
        return {path: instance for path, instance in self._datapaths.items() if path[0] in found}


def written(writes: Sequence[Write]) -> dict[str, Value]:
    """The inputs of a write port, for at most one write per cycle."""
    return {
        "write_enable": any_of(*(write.enable for write in writes)),
        "write_address": one_hot_mux([(write.enable, write.address) for write in writes]),
        "write_data": one_hot_mux([(write.enable, write.data) for write in writes]),
    }


def bank_of(address: Value, banks: int) -> Value:
    """The bank of an address of a memory that has several."""
    return address[: (banks - 1).bit_length()]


def copy_of(address: Value, store: ArrayLayout) -> Value:
    """The copy of an address of a memory that has two."""
    return address.wrapped(address_type(store))[-1]


def memories_of(store: ArrayLayout) -> list[tuple[int, int]]:
    """The memories of a store, each with its copy and bank."""
    return [(copy, bank) for copy in range(copy_count(store)) for bank in range(bank_count(store))]


def memory_title(wish: str, store: ArrayLayout, memory: tuple[int, int]) -> str:
    """A name with the numbers of the copy and the bank of a memory, where there are several."""
    numbers = zip(memory, (copy_count(store), bank_count(store)), strict=True)
    return "_".join((wish, *(str(number) for number, count in numbers if count > 1)))


def memory_of(address: Value, store: ArrayLayout) -> Value:
    """The number of the memory of a store in which an address is."""
    parts = [copy_of(address, store)] if copy_count(store) > 1 else []
    parts += [bank_of(address, bank_count(store))] if bank_count(store) > 1 else []
    return cat(*parts) if parts else const(0)


def in_memory_of(one: Write | Ask, address: Value, store: ArrayLayout) -> Value:
    """Whether a word is written to, or read from, the memory of an address."""
    several = len(memories_of(store)) > 1
    return one.enable & (memory_of(one.address, store) == memory_of(address, store)) if several else one.enable
