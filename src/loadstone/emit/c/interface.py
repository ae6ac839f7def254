"""Parameters on offer to the functions of an accelerator: arrays, local buffers, streams of tokens and words."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod
from typing import Literal

import islpy as isl

from loadstone.emit.c.addresses import COPY, Addresses
from loadstone.emit.c.code import (
    Body,
    Cells,
    Counter,
    External,
    Parameter,
    Pointer,
    Stream,
    TripCount,
    Value,
    word_type,
)
from loadstone.emit.c.compute.lanes import named_lanes
from loadstone.emit.c.compute.recurrences import Pipelining, Recurrences, innermost_loops
from loadstone.emit.c.external.beats import row_loops
from loadstone.emit.c.external.elements import ExternalElements, externals
from loadstone.emit.c.loops.trip_counts import in_beats, trip_counts
from loadstone.emit.c.names import RESERVED, Names, names_of
from loadstone.errors import UnsupportedError
from loadstone.loops.accelerator import Accelerator
from loadstone.loops.model import For, Instance, Node, walk
from loadstone.loops.ranges import parameter_limits, within
from loadstone.loops.scan import Scan
from loadstone.loops.tile_loops import array_moves, existing_coordinates
from loadstone.model.expression import integer
from loadstone.model.free_name import free_name
from loadstone.model.kernel import Array
from loadstone.model.types import BOOL, LONG, ScalarType
from loadstone.parallel.group_loops import LaneLoops, counted_lanes
from loadstone.parallel.lanes import NO_LANES, Lanes
from loadstone.storage.buffers import Buffer
from loadstone.storage.handover import is_read_back

Way = Literal["load", "store"]
Move = tuple[Way, str]
"""In which way an array moves."""
WORDS_IN_STREAM = 512
"""The capacity of a stream of loaded words."""
_TOKENS = {
    "loaded": "tiles whose elements are in local memory",
    "computed": "tiles whose results are in local memory",
    "stored": "tiles whose results are in external memory",
}
_STRIP_TOKENS = {"strip_computed": "strips whose tiles are computed"}


@dataclass(frozen=True, slots=True)
class Style:
    """How an accelerator is written.

    With `streamed`, runs of elements are transferred by loops of their own, and arrays that the compute process writes
    are loaded through streams, so that each buffer has one writer. `sizes` are the parameters for which
    local memory has fixed sizes, none where it is allocated. With `checked`, each cell has a tag: the element in it.
    `lanes` run at once, in streamed programs. With `tuned`, an array that is loaded and stored has two ports, one to
    read and one to write, where no strip loads what an earlier one stored; and loops say what their iterations wait
    for. Of arrays in `beats`, so many elements move at once.
    """

    streamed: bool = False
    checked: bool = False
    sizes: Mapping[str, int] | None = None
    lanes: Lanes = NO_LANES
    tuned: bool = False
    beats: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True, eq=False)
class Interface:
    """The parameters on offer to the functions of an accelerator, in a style."""

    accelerator: Accelerator
    style: Style

    @cached_property
    def names(self) -> Names:
        """The names in the program."""
        counters = (name for lanes in self._loops[1].values() for name, _ in lanes.counters)
        return names_of(self.accelerator, (self._loops[0], *self.moves.values()), counters, self.scans.values())

    @cached_property
    def moves(self) -> Mapping[Move, Node]:
        """Loops over what a tile moves of arrays, in streamed programs, unless these are too complicated."""
        found: dict[Move, Node] = {}
        for way, name in self._moved if self.style.streamed else ():
            with suppress(UnsupportedError):
                found[way, name] = self._moves(way, name)
        return found

    def _moves(self, way: Way, array: str) -> Node:
        """Loops over the elements that a tile moves of an array, or over rows where these move in beats."""
        loops = array_moves(self.accelerator, way, array)
        in_rows = row_loops(loops) if array in self.style.beats else loops
        assert in_rows is not None
        return in_rows

    @cached_property
    def scans(self) -> Mapping[Move, Scan]:
        """The scans of what else tiles move."""
        if all(move in self.moves for move in self._moved):
            return {}
        ways: tuple[tuple[Way, tuple[Scan, ...]], ...]
        ways = ("load", self.accelerator.loads), ("store", self.accelerator.stores)
        every: dict[Move, Scan] = {(way, scan.array): scan for way, scans in ways for scan in scans}
        return {move: scan for move, scan in every.items() if move not in self.moves}

    @property
    def _moved(self) -> list[Move]:
        return [*(("load", name) for name in self.loaded), *(("store", name) for name in self.stored)]

    @cached_property
    def loaded(self) -> tuple[str, ...]:
        """The arrays that tiles load, those that are handed over early first."""
        handed, found = self.accelerator.handover.early, self.accelerator.loaded
        return tuple(sorted((n for n in self.accelerator.plan.arrays if n in found), key=lambda n: n not in handed))

    @cached_property
    def stored(self) -> tuple[str, ...]:
        """The arrays that tiles store."""
        return tuple(name for name in self.accelerator.plan.arrays if name in self.accelerator.stored)

    @cached_property
    def _loops(self) -> tuple[Node, Mapping[str, LaneLoops]]:
        grouping = self.style.lanes.grouping
        return (self.accelerator.compute, {}) if grouping is None else counted_lanes(self.accelerator, grouping)

    @property
    def compute(self) -> Node:
        """The loops of a tile, over groups where there are lanes."""
        return self.names.loops(self._loops[0])

    @cached_property
    def _known(self) -> isl.Set:
        """What is known of parameters."""
        kernel, sizes = self.accelerator.kernel, self.style.sizes or {}
        is_sized = set(kernel.parameters) <= set(sizes)
        return within(parameter_limits(kernel, sizes), kernel.context) if is_sized else kernel.context

    def counts(self, original: Node, tree: Node, facts: isl.Set) -> Mapping[int, Body]:
        """The iterations of the loops of a tree, by their identities; that of some other names is the original."""
        found = trip_counts(original, facts.intersect(self._known)) if self.style.tuned else ()
        loops = (loop for loop in walk(tree) if isinstance(loop, For))
        return {
            id(loop): (TripCount(*each),) for loop, each in zip(loops, found, strict=bool(found)) if each is not None
        }

    def compute_counts(self, tree: Node) -> Mapping[int, Body]:
        """The iterations of the loops over the statements of a tile."""
        return self.counts(self._loops[0], tree, existing_coordinates(self.accelerator.plan.tiles))

    def move_counts(self, way: Way, array: str, tree: Node) -> Mapping[int, Body]:
        """The iterations of the loops that move an array, and of those over the beats of its rows."""
        loops, beat = array_moves(self.accelerator, way, array), self.style.beats.get(array)
        facts = existing_coordinates(self.accelerator.plan.tiles)
        if beat is None:
            return self.counts(loops, tree, facts)
        found = trip_counts(loops, facts.intersect(self._known))
        counted = (node for node in walk(tree) if isinstance(node, For | Instance))
        known = (
            (node, in_beats(n, beat) if isinstance(node, Instance) else n)
            for node, n in zip(counted, found, strict=True)
        )
        return {id(node): (TripCount(*each),) for node, each in known if each is not None}

    def pipelined(self, tree: Node) -> Mapping[int, Pipelining]:
        """How the innermost loops of `compute` are pipelined, by their identities."""
        if not self.style.tuned:
            return {}
        statements = {statement.name: statement for statement in self.accelerator.kernel.statements}
        facts = existing_coordinates(self.accelerator.plan.tiles)
        found = Recurrences(statements, self._loops[1]).of(self._loops[0], facts)
        return {id(loop): each for loop, each in zip(innermost_loops(tree), found, strict=True)}

    @property
    def lanes(self) -> Mapping[str, LaneLoops]:
        """The loops over the lanes of statements."""
        return {statement: named_lanes(lanes, self.names) for statement, lanes in self._loops[1].items()}

    @cached_property
    def parameters(self) -> tuple[Value, ...]:
        """The kernel's parameters."""
        return tuple(Value(self.names[n], kind) for n, kind in self.accelerator.kernel.parameter_types.items())

    @cached_property
    def scalars(self) -> tuple[Value, ...]:
        """The scalars passed by value."""
        return tuple(Value(self.names[a.name], a.type) for a in self.accelerator.registers if a.initialised)

    @property
    def arrays(self) -> tuple[External, ...]:
        """The arrays in external memory: those that are loaded, or both loaded and stored, and results."""
        return (*self._inputs, *self._results)

    @property
    def divided(self) -> Mapping[str, str]:
        """The ports that results are written through, by those that the same arrays are read through."""
        variables = {array.name: self.names[array.variable] for array in self.accelerator.transferred}
        return {variables[external.arrays[0]]: external.name for external in self._results}

    @cached_property
    def _inputs(self) -> tuple[External, ...]:
        given = [array for array in self.accelerator.transferred if array.variable not in self._divided]
        loaded, stored = self.accelerator.loaded, self.accelerator.stored
        read = [a for a in self.accelerator.transferred if a.variable in self._divided and a.name in loaded]
        found = {external.name: external for external in self._externals(given, loaded, stored)}
        found |= {external.name: external for external in self._externals(read, loaded, ())}
        order = dict.fromkeys(self.names[array.variable] for array in self.accelerator.transferred)
        return tuple(found[name] for name in order if name in found)

    @cached_property
    def _results(self) -> tuple[External, ...]:
        stored, taken = self.accelerator.stored, RESERVED | frozenset(self.names.names.values())
        written = [a for a in self.accelerator.transferred if a.variable in self._divided and a.name in stored]
        found = self._externals(written, (), stored)
        return tuple(replace(external, name=free_name(f"{external.name}_out", taken)) for external in found)

    def _externals(
        self, arrays: Sequence[Array], read: Container[str], written: Container[str]
    ) -> tuple[External, ...]:
        known = self.style.sizes or self.accelerator.kernel.defaults
        found = externals(arrays, self.names, known, read, written)
        return tuple(replace(each, beat=self.style.beats.get(each.arrays[0], 1)) for each in found)

    @cached_property
    def _divided(self) -> frozenset[str]:
        """The variables with a port to read and another one to write."""
        held: dict[str, list[str]] = {}
        for array in self.accelerator.transferred if self.style.tuned else ():
            held.setdefault(array.variable, []).append(array.name)
        loaded, stored, plan = self.accelerator.loaded, self.accelerator.stored, self.accelerator.plan
        return frozenset(
            variable
            for variable, names in held.items()
            if not loaded.isdisjoint(names) and not stored.isdisjoint(names)
            if not any(is_read_back(plan, name) for name in names)
        )

    @cached_property
    def elements(self) -> ExternalElements:
        """How elements are reached in external memory."""
        loads = {array: external for external in self._inputs for array in external.arrays}
        stores = {**loads, **{array: external for external in self._results for array in external.arrays}}
        arrays = tuple(buffer.array for buffer in self.accelerator.buffers.values())
        return ExternalElements(arrays, self.names, self.parameters, loads, stores)

    @cached_property
    def locals(self) -> Mapping[str, Cells]:
        """The local buffers, by arrays; the compute process owns its private ones."""
        shared = self.accelerator.stored | self.accelerator.loaded.difference(self.queued)
        return {
            name: self._cells(
                f"{self.names[name]}_local", buffer.array.type, buffer, None if name in shared else "compute"
            )
            for name, buffer in self.accelerator.buffers.items()
        }

    @cached_property
    def tags(self) -> Mapping[str, Cells]:
        """The tags of the cells of local buffers, by arrays, in checked programs."""
        buffers = self.accelerator.buffers if self.style.checked else {}
        return {name: self._cells(f"{self.names[name]}_tag", LONG, buffer, None) for name, buffer in buffers.items()}

    def _cells(self, name: str, kind: ScalarType, buffer: Buffer, owner: str | None) -> Cells:
        copies = (integer(buffer.copies),) if buffer.copies > 1 else ()
        banking, known = self.style.lanes.banking.get(buffer.array.name), self.style.sizes
        if banking is None:
            count = None if known is None else buffer.all_cells(known)
            return Cells(name, kind, (*copies, *buffer.extents), count, owner)
        count = buffer.copies * max(1, prod(banking.shape(known or {})))
        return Cells(name, kind, (*copies, *banking.sizes), count, owner, banking.count)

    @cached_property
    def tokens(self) -> Mapping[str, Stream]:
        """The streams of tokens between the processes, by their names."""
        about = _TOKENS | (_STRIP_TOKENS if self.early else {})
        return {name: Stream(name, BOOL, self.accelerator.depth, text) for name, text in about.items()}

    @cached_property
    def queued(self) -> tuple[str, ...]:
        """The arrays loaded through streams."""
        written = {statement.write.array for statement in self.accelerator.kernel.statements}
        return tuple(name for name in self.loaded if self.style.streamed and name in written)

    @cached_property
    def queues(self) -> Mapping[str, Stream]:
        """The streams of loaded words on their way to the compute process, in the order of loads, by arrays."""
        arrays = [self.accelerator.kernel.arrays[name] for name in self.queued]
        return {
            a.name: Stream(
                f"{self.names[a.name]}_words",
                a.type,
                WORDS_IN_STREAM // self.style.beats.get(a.name, 1),
                f"loaded words of {a.name}",
                self.style.beats.get(a.name, 1),
            )
            for a in arrays
        }

    @property
    def coordinates(self) -> tuple[Value, ...]:
        """The tile coordinates."""
        return tuple(map(Value, self.accelerator.plan.tiles.coordinates))

    @cached_property
    def changed(self) -> tuple[Array, ...]:
        """The scalars written by the compute process: its registers."""
        written = {statement.write.array for statement in self.accelerator.kernel.statements}
        return tuple(array for array in self.accelerator.registers if array.name in written)

    @cached_property
    def registers(self) -> tuple[Pointer, ...]:
        """The registers, by reference."""
        return tuple(Pointer(self.names[a.name], word_type(a.type)) for a in self.changed)

    @cached_property
    def counters(self) -> tuple[Counter, Counter]:
        """The words that the load and the store process have moved."""
        return Counter("load_words", "load"), Counter("store_words", "store")

    @cached_property
    def cells(self) -> tuple[Cells, ...]:
        """All local memory."""
        pairs = ((cells, self.tags.get(name)) for name, cells in self.locals.items())
        return tuple(cells for pair in pairs for cells in pair if cells is not None)

    @cached_property
    def in_tile(self) -> tuple[Parameter, ...]:
        """The parameters on offer to functions of one tile."""
        values = tuple(s for s in self.scalars if s.name not in {r.name for r in self.registers})
        return (
            *(*self.parameters, *self.coordinates, *values, *self.registers),
            *(*self.arrays, *self.cells, *self.queues.values(), COPY),
        )

    @cached_property
    def in_process(self) -> tuple[Parameter, ...]:
        """The parameters on offer to processes."""
        return (
            *(*self.parameters, *self.scalars, *self.arrays, *self.cells),
            *(*self.queues.values(), *self.tokens.values(), *self.counters),
        )

    @cached_property
    def early(self) -> tuple[str, ...]:
        """The arrays that are handed over early."""
        return tuple(name for name in self.loaded if name in self.accelerator.handover.early)

    @cached_property
    def late(self) -> tuple[str, ...]:
        """All other arrays that are loaded."""
        return tuple(name for name in self.loaded if name not in self.accelerator.handover.early)

    @cached_property
    def addresses(self) -> Addresses:
        """Where elements are."""
        return Addresses(
            self.accelerator,
            self.names,
            self.parameters,
            self.tags,
            self.elements.functions,
            self.coordinates,
            self.style.lanes.banking,
            dividers=not self.style.streamed,
        )
