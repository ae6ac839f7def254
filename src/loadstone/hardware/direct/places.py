"""Elements whose place depends on data: the words that tell it, level by level, and datapaths that compute it of them.

Places of level 0 are known from the iterators. A place of the next level is computed of words whose places have one
level less: `h[x[y[i]]]` needs the words `y[i]`, of level 0, and `x[y[i]]`, of level 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from loadstone.hardware.compute.calls import Signature
from loadstone.hardware.compute.unit import ComputeUnit
from loadstone.hardware.datapath.lowering import access_at, lowered_place
from loadstone.hardware.datapath.operations import Operations
from loadstone.hardware.datapath.pipeline import Datapath, make_datapath
from loadstone.hardware.datapath.timing import MemoryTiming, Timetable, timetable
from loadstone.hardware.layout import ArrayLayout
from loadstone.hardware.names import ModuleNames
from loadstone.model.expression import Operand, walk
from loadstone.model.kernel import WRITE, Statement
from loadstone.model.types import LONG
from loadstone.parallel.operands import Word, reads_of
from loadstone.rtl.names import fresh
from loadstone.rtl.types import Bits

PLACE = ArrayLayout("place", LONG, ())
"""Where a place that was computed is kept: as a number that tells places outside of arrays, too."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What instances of a statement carry with them: words that tell places, and places, by positions of accesses.

    `levels` are those of all accesses.
    """

    words: Mapping[int, str]
    places: Mapping[int, str]
    levels: Mapping[int, int]

    def types(self, compute: ComputeUnit, statement: Statement) -> dict[str, Bits]:
        """The types of words and places, by their names."""
        words = {name: compute.stores[statement.reads[position].array].type for position, name in self.words.items()}
        return words | dict.fromkeys(self.places.values(), PLACE.type)

    def all_words(self, statement: Statement) -> dict[int, str]:
        """The names of words by all reads that want them."""
        return {other: name for position, name in self.words.items() for other in reads_of(statement, position)}


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """A step towards places: words that statements read for it, and datapaths that compute places, by their names.

    Datapaths of a level take the same time.
    """

    words: Mapping[str, tuple[Word, ...]]
    places: Mapping[str, Mapping[str, Datapath]]

    @property
    def delay(self) -> int:
        """The cycles from the last word to the places."""
        return max((path.times.write for paths in self.places.values() for path in paths.values()), default=1)

    def reads_scalars(self, statement: str) -> bool:
        """Whether places of a statement are computed of scalars that are written."""
        return any(path.times.slots for path in self.places[statement].values())


def found_places(statement: Statement, signature: Signature) -> Found:
    """What instances of a statement carry with them."""
    levels = {position: _level(statement, signature, position) for position in (*range(len(statement.reads)), WRITE)}
    taken = {*signature.names, *statement.iterators}
    words: dict[int, str] = {}
    for position in sorted({each for level in levels for each in _told_by(statement, level)}):
        if statement.reads[position].subscripts:
            words[position] = _free(f"{statement.reads[position].array}_word_{position}", taken)
    places: dict[int, str] = {}
    for position in (each for each, level in levels.items() if level):
        places[position] = _known_name(statement, position, places) or _free(
            f"{access_at(statement, position).array}_place_{len(places)}", taken
        )
    return Found(words, places, levels)


def _level(statement: Statement, signature: Signature, position: int) -> int:
    """The level of the place of an access."""
    if not access_at(statement, position).subscripts or position in signature.addresses:
        return 0
    return 1 + max((_level(statement, signature, each) for each in _told_by(statement, position)), default=0)


def _told_by(statement: Statement, position: int) -> set[int]:
    """The reads that are in the subscripts of an access, the first one of each word."""
    inner = (part for subscript in access_at(statement, position).subscripts for part in walk(subscript))
    return {reads_of(statement, part.position)[0] for part in inner if isinstance(part, Operand)}


def _known_name(statement: Statement, position: int, places: Mapping[int, str]) -> str | None:
    """The name of the place of another access to the same element."""
    wanted = access_at(statement, position)
    same = (wanted.array, wanted.subscripts)
    accesses = ((name, access_at(statement, other)) for other, name in places.items())
    return next((name for name, each in accesses if (each.array, each.subscripts) == same), None)


def _free(wish: str, taken: set[str]) -> str:
    """A name that is free, and taken from now on."""
    name = fresh(wish, taken)
    taken.add(name)
    return name


def make_levels(
    compute: ComputeUnit,
    statements: Mapping[str, Statement],
    found: Mapping[str, Found],
    words: Mapping[str, tuple[Word, ...]],
    operations: Operations,
) -> tuple[Level, ...]:
    """The steps that find all places; `words`: the words read by statements."""
    modules = ModuleNames(compute.modules)
    count = max((level for each in found.values() for level in each.levels.values()), default=0)
    tables = {name: _tables(compute, each, found[name], operations) for name, each in statements.items()}
    return tuple(_made(compute, modules, level, found, words, tables) for level in range(count))


def _made(
    compute: ComputeUnit,
    modules: ModuleNames,
    level: int,
    found: Mapping[str, Found],
    words: Mapping[str, tuple[Word, ...]],
    tables: Mapping[str, Mapping[int, Timetable]],
) -> Level:
    """The step that finds the places of the next level."""
    told = {
        name: tuple(each for each in words[name] if each.position in own.words and own.levels[each.position] == level)
        for name, own in found.items()
    }
    wanted = {
        name: {own.places[each]: table for each, table in tables[name].items() if own.levels[each] == level + 1}
        for name, own in found.items()
    }
    delay = max((table.write for each in wanted.values() for table in each.values()), default=1)
    places = {
        name: {
            place: make_datapath(
                modules.fresh(f"{compute.name}_{name}_{place}"),
                f"Where statement {name} of {compute.kernel.name} finds an element.",
                replace(table, write=delay),
                PLACE,
                compute.stores,
                (),
            )
            for place, table in each.items()
        }
        for name, each in wanted.items()
    }
    return Level(told, places)


def _tables(compute: ComputeUnit, statement: Statement, found: Found, operations: Operations) -> dict[int, Timetable]:
    """The times of the places of a statement, by position."""
    types = compute.stable_types
    given = compute.signatures[statement.name].typed(compute.control.types(statement.name))
    arguments = replace(given, words=found.all_words(statement))
    return {
        position: timetable(
            lowered_place(statement, position, arguments, types, compute.stores, operations),
            compute.stores,
            MemoryTiming(),
        )
        for position in found.places
    }
