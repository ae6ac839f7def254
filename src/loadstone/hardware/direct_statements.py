"""The statements of a direct implementation: datapaths that are given the words which they read.

All datapaths take the same time, so that results come in the order of instances. A word that may be the last result is
not given at the start, but taken from a register as late as that costs no time: a sum waits for one addition alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from loadstone.errors import Diagnostic, UnsupportedError
from loadstone.hardware.calls import Signature, signature, with_signatures
from loadstone.hardware.compute import Compute, access_at, make_control
from loadstone.hardware.datapath import Datapath, Probe, address_type, make_datapath
from loadstone.hardware.direct_words import Word, is_stored, reads_of, words_read
from loadstone.hardware.engine import chosen
from loadstone.hardware.interface import OWN
from loadstone.hardware.limits import Limits, within
from loadstone.hardware.lowering import WRITE, lowered
from loadstone.hardware.names import ModuleNames
from loadstone.hardware.operations import Operations
from loadstone.hardware.paths import statements as statements_of
from loadstone.hardware.stores import Store, stores_of
from loadstone.hardware.timing import Memories, Timetable, timetable
from loadstone.loops.transformed import program_loops
from loadstone.model.kernel import Kernel, Statement
from loadstone.rtl.expressions import Value, cat, const
from loadstone.rtl.names import fresh
from loadstone.rtl.types import Bits, address_width, unsigned
from loadstone.transform.program import program_of


@dataclass(frozen=True, slots=True, eq=False)
class Wait:
    """An instance waits as long as a probe of a writer hits; for a word, only if it is the last result."""

    writer: str
    probe: Probe
    word: int | None


@dataclass(frozen=True, slots=True, eq=False)
class DirectStatements:
    """Controller and datapaths, with the words that each statement reads, in order, and what it waits for.

    `names` are those of the words that are given to a datapath when it starts, by their numbers.
    """

    compute: Compute
    words: Mapping[str, tuple[Word, ...]]
    names: Mapping[str, Mapping[int, str]]
    waits: Mapping[str, tuple[Wait, ...]]

    @property
    def arrays(self) -> tuple[str, ...]:
        """The arrays in memory that are used."""
        statements = self.compute.statements.values()
        used = {access.array for each in statements for access in (*each.reads, each.write)}
        return tuple(name for name, array in self.compute.kernel.arrays.items() if array.rank and name in used)

    @property
    def stored(self) -> tuple[str, ...]:
        """The statements whose results belong into memory."""
        return tuple(name for name, each in self.compute.statements.items() if is_stored(self.compute.kernel, each))

    @property
    def may_wait(self) -> bool:
        """Whether a word may still be on its way to memory when it is read."""
        return any(word.open for words in self.words.values() for word in words)

    def numbers(self, statement: str) -> dict[int, int]:
        """The numbers of the words of a statement by the positions of reads."""
        return {word.position: k for k, word in enumerate(self.words[statement])}

    @property
    def delay(self) -> int:
        """The cycles from the start of an instance to its result."""
        return max((table.write for table in self.compute.times.values()), default=1)

    @property
    def longest(self) -> int:
        """The most words that an instance reads."""
        return max((len(words) for words in self.words.values()), default=0)


@dataclass(frozen=True, slots=True, eq=False)
class Notes:
    """How instances are written down: the number of the statement, and above it the arguments."""

    fields: Mapping[str, Mapping[str, Bits]]

    @property
    def number(self) -> Bits:
        """The type of numbers of statements."""
        return unsigned(address_width(max(2, len(self.fields))))

    @property
    def type(self) -> Bits:
        """The type of a note."""
        widths = [sum(bits.width for bits in types.values()) for types in self.fields.values()]
        return unsigned(self.number.width + max(widths, default=0))

    def made(self, statement: str, values: Mapping[str, Value]) -> Value:
        """The note of an instance."""
        parts = [values[name].wrapped(bits) for name, bits in reversed(tuple(self.fields[statement].items()))]
        number = const(list(self.fields).index(statement), self.number)
        return cat(*parts, number).resized(self.type.width)

    def is_of(self, note: Value, statement: str) -> Value:
        """Whether a note is that of an instance of a statement."""
        return note[: self.number.width] == list(self.fields).index(statement)

    def argument(self, note: Value, statement: str, name: str) -> Value:
        """An argument of an instance of a statement."""
        low = self.number.width
        for other, bits in self.fields[statement].items():
            if other == name:
                return note[low : low + bits.width].wrapped(bits)
            low += bits.width
        raise AssertionError(name)


@dataclass(frozen=True, slots=True, eq=False)
class Elements:
    """How elements in memory are numbered: the number of their array, and below it their place in that."""

    stores: Mapping[str, Store]

    @property
    def place(self) -> Bits:
        """The type of places."""
        return unsigned(max((address_type(store).width for store in self.stores.values()), default=1))

    @property
    def type(self) -> Bits:
        """The type of numbers of elements."""
        return unsigned(self.place.width + address_width(max(2, len(self.stores))))

    def made(self, array: str, place: Value) -> Value:
        """The number of an element."""
        number = const(list(self.stores).index(array), unsigned(self.type.width - self.place.width))
        return cat(number, place.wrapped(address_type(self.stores[array])).resized(self.place.width))

    def by_array(self, element: Value, values: Mapping[str, Value]) -> Value:
        """The value that belongs to the array of an element."""
        number = element[self.place.width :]
        return chosen([(number == list(self.stores).index(name), value) for name, value in values.items()])


def make_direct_statements(kernel: Kernel, limits: Mapping[str, Limits], operations: Operations) -> DirectStatements:
    """The controller and the datapaths of a kernel in its original order, for parameters in ranges."""
    tree, stores = program_loops(program_of(kernel)), stores_of(kernel, limits)
    statements = {name: kernel.statement(name) for name in statements_of(tree)}
    signatures = {name: signature(each, kernel.parameters, stores) for name, each in statements.items()}
    _check_addresses(statements, signatures)
    name = fresh(f"{kernel.name}_direct", OWN)
    control = make_control(f"{name}_control", with_signatures(tree, statements, signatures), signatures, limits, kernel)
    known = words_read(kernel, within(limits, kernel.context))
    words = {name: known[name] for name in statements}
    names = {name: _word_names(kernel, each, words[name]) for name, each in statements.items()}
    written = {each.write.array for each in statements.values()}
    stable = frozenset(each for each, array in kernel.arrays.items() if array.rank == 0 and each not in written)
    compute = Compute(name, kernel, stores, Memories(), control, signatures, {}, (), stable)
    tables = _tables(compute, statements, words, names, operations)
    waits = {name: tuple(_waits(kernel, statements, words[name], tables, name)) for name in statements}
    datapaths = _datapaths(name, kernel, statements, tables, waits)
    return DirectStatements(replace(compute, datapaths=datapaths), words, names, waits)


def _check_addresses(statements: Mapping[str, Statement], signatures: Mapping[str, Signature]) -> None:
    """Refuses elements whose place depends on data."""
    for name, statement in statements.items():
        for position in (*range(len(statement.reads)), WRITE):
            access = access_at(statement, position)
            if access.subscripts and position not in signatures[name].addresses:
                text = (
                    f"the direct implementation cannot find an element of '{access.array}' whose place depends on data"
                )
                raise UnsupportedError(Diagnostic(text, access.span))


def _word_names(kernel: Kernel, statement: Statement, words: tuple[Word, ...]) -> dict[int, str]:
    """Names for the words that are given at the start, by number."""
    taken = {*statement.iterators, *kernel.parameters, *kernel.arrays}
    return {k: fresh(f"{word.array}_word_{k}", taken) for k, word in enumerate(words) if not word.kept}


def _tables(
    compute: Compute,
    statements: Mapping[str, Statement],
    words: Mapping[str, tuple[Word, ...]],
    names: Mapping[str, Mapping[int, str]],
    operations: Operations,
) -> dict[str, Timetable]:
    """The times of all statements, which end at the same time after their start."""
    control, registers = compute.control, _registers(compute.kernel)
    types = {each: registers[each].type for each in compute.stable}
    types |= {parameter: control.module[port].bits for parameter, port in control.parameters.items()}
    found: dict[str, Timetable] = {}
    for each, statement in statements.items():
        given = {
            position: name
            for k, name in names[each].items()
            for position in reads_of(statement, words[each][k].position)
        }
        arguments = replace(compute.signatures[each].typed(control.types(each)), words=given)
        found[each] = timetable(lowered(statement, arguments, types, registers, operations), registers, Memories())
    last = max((table.write for table in found.values()), default=1)
    return {each: replace(table, write=last) for each, table in found.items()}


def _registers(kernel: Kernel) -> dict[str, Store]:
    """Stores of single words: all that a datapath sees of arrays."""
    return {name: Store(name, array.type, ()) for name, array in kernel.arrays.items()}


def _waits(
    kernel: Kernel,
    statements: Mapping[str, Statement],
    words: tuple[Word, ...],
    tables: Mapping[str, Timetable],
    name: str,
) -> Iterator[Wait]:
    """What must not be in the datapaths when an instance starts: what writes the registers that it reads."""
    numbers = {word.position: k for k, word in enumerate(words)}
    for position, slot in tables[name].slots.items():
        window = tables[name].write - slot.used
        for writer, statement in statements.items():
            stored = is_stored(kernel, statement)
            same = stored if position in numbers else statement.write.array == slot.array
            if same and window > 0:
                yield Wait(writer, Probe(f"within_{window}", window, addressed=False), numbers.get(position))


def _datapaths(
    name: str,
    kernel: Kernel,
    statements: Mapping[str, Statement],
    tables: Mapping[str, Timetable],
    waits: Mapping[str, tuple[Wait, ...]],
) -> dict[str, Datapath]:
    modules, found = ModuleNames((name, f"{name}_control")), dict[str, Datapath]()
    registers = _registers(kernel)
    for each, statement in statements.items():
        probes = {wait.probe for wanted in waits.values() for wait in wanted if wait.writer == each}
        title = f"Statement {each} of {kernel.name}."
        module = modules.fresh(f"{name}_{each}")
        ordered = sorted(probes, key=lambda probe: probe.window)
        found[each] = make_datapath(module, title, tables[each], registers[statement.write.array], registers, ordered)
    return found
