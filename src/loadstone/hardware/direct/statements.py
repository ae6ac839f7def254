"""The statements of a direct implementation: datapaths that are given the words which they read.

All datapaths take the same time, so that results come in the order of instances. A word that may be the last result is
not given at the start, but taken from a register as late as that costs no time: a sum waits for one addition alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from loadstone.hardware.compute.calls import signature, with_signatures
from loadstone.hardware.compute.unit import ComputeUnit, make_control
from loadstone.hardware.control.interface import OWN
from loadstone.hardware.datapath.lowering import lowered
from loadstone.hardware.datapath.operations import Operations
from loadstone.hardware.datapath.pipeline import Datapath, Probe, make_datapath
from loadstone.hardware.datapath.timing import MemoryTiming, Timetable, timetable
from loadstone.hardware.direct.places import Found, Level, found_places, make_levels
from loadstone.hardware.layout import ArrayLayout, external_layouts
from loadstone.hardware.names import ModuleNames
from loadstone.loops.paths import statements as statements_of
from loadstone.loops.ranges import Ranges
from loadstone.loops.transformed import program_loops
from loadstone.model.kernel import Kernel, Statement
from loadstone.parallel.operands import Word, is_stored, reads_of, words_read
from loadstone.rtl.names import fresh
from loadstone.rtl.types import Bits
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

    `names` are those of the words that are given to a datapath when it starts, by their numbers. `levels` are the steps
    that find places which depend on data, `found` is what instances carry with them because of that; words that tell
    places are not among the others.
    """

    compute: ComputeUnit
    words: Mapping[str, tuple[Word, ...]]
    names: Mapping[str, Mapping[int, str]]
    waits: Mapping[str, tuple[Wait, ...]]
    found: Mapping[str, Found]
    levels: tuple[Level, ...]

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
        """Whether a word may be in flight to memory when it is read."""
        return any(word.open for words in self.words.values() for word in words)

    def fields(self, statement: str) -> dict[str, Bits]:
        """What an instance of a statement carries with it, by name."""
        given = zip(self.compute.signatures[statement].names, self.compute.control.types(statement), strict=True)
        return dict(given) | self.found[statement].types(self.compute, self.compute.statements[statement])

    def places(self, statement: str) -> dict[int, str]:
        """The names of the places of accesses, by their positions."""
        return {**self.compute.signatures[statement].addresses, **self.found[statement].places}

    def numbers(self, statement: str) -> dict[int, int]:
        """The numbers of the words of a statement by the positions of reads."""
        return {word.position: k for k, word in enumerate(self.words[statement])}

    @property
    def delay(self) -> int:
        """The cycles from the start of an instance to its result."""
        return max((table.write for table in self.compute.times.values()), default=1)


def make_direct_statements(ranges: Ranges, operations: Operations) -> DirectStatements:
    """The controller and the datapaths of a kernel in its original order, for parameters in ranges."""
    kernel = ranges.kernel
    tree, stores = program_loops(program_of(kernel)), external_layouts(ranges)
    statements = {name: kernel.statement(name) for name in statements_of(tree)}
    signatures = {name: signature(each, kernel.parameters, stores) for name, each in statements.items()}
    name = fresh(f"{kernel.name}_direct", OWN)
    control = make_control(f"{name}_control", with_signatures(tree, statements, signatures), signatures, ranges)
    known = words_read(kernel, ranges.known)
    found = {name: found_places(each, signatures[name]) for name, each in statements.items()}
    words = {name: tuple(w for w in known[name] if w.position not in found[name].words) for name in statements}
    names = {name: _word_names(kernel, each, words[name]) for name, each in statements.items()}
    written = {each.write.array for each in statements.values()}
    stable = frozenset(each for each, array in kernel.arrays.items() if array.rank == 0 and each not in written)
    compute = ComputeUnit(name, kernel, stores, MemoryTiming(), control, signatures, {}, (), stable)
    given = {name: _given(each, words[name], names[name], found[name]) for name, each in statements.items()}
    tables = _tables(compute, statements, given, operations)
    waits = {name: tuple(_waits(kernel, statements, words[name], tables, name)) for name in statements}
    datapaths = _datapaths(name, kernel, statements, tables, waits)
    complete = replace(compute, datapaths=datapaths)
    levels = make_levels(complete, statements, found, known, operations)
    return DirectStatements(complete, words, names, waits, found, levels)


def _given(statement: Statement, words: tuple[Word, ...], names: Mapping[int, str], found: Found) -> dict[int, str]:
    """The names of the words that are given to a datapath, by positions of reads."""
    read = {position: name for k, name in names.items() for position in reads_of(statement, words[k].position)}
    return read | found.all_words(statement)


def _word_names(kernel: Kernel, statement: Statement, words: tuple[Word, ...]) -> dict[int, str]:
    """Names for the words that are given at the start, by number."""
    taken = {*statement.iterators, *kernel.parameters, *kernel.arrays}
    return {k: fresh(f"{word.array}_word_{k}", taken) for k, word in enumerate(words) if not word.kept}


def _tables(
    compute: ComputeUnit,
    statements: Mapping[str, Statement],
    given: Mapping[str, Mapping[int, str]],
    operations: Operations,
) -> dict[str, Timetable]:
    """The times of all statements, which end at the same time after their start."""
    control, registers = compute.control, _registers(compute.kernel)
    types = compute.stable_types
    found: dict[str, Timetable] = {}
    for each, statement in statements.items():
        arguments = replace(compute.signatures[each].typed(control.types(each)), words=given[each])
        found[each] = timetable(lowered(statement, arguments, types, registers, operations), registers, MemoryTiming())
    last = max((table.write for table in found.values()), default=1)
    return {each: replace(table, write=last) for each, table in found.items()}


def _registers(kernel: Kernel) -> dict[str, ArrayLayout]:
    """Layouts of single words: all that a datapath sees of arrays."""
    return {name: ArrayLayout(name, array.type, ()) for name, array in kernel.arrays.items()}


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
