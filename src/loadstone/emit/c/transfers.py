"""Transfers of an accelerator: loops over the loads and stores of a tile, and the automata behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from loadstone.emit.c.code import (
    EMPTY,
    Block,
    Body,
    Function,
    Get,
    Pipelined,
    Pointer,
    Put,
    Statement,
    Text,
    code,
    verbatim,
)
from loadstone.emit.c.compute.recurrences import has_loops
from loadstone.emit.c.external.beat_moves import BeatMoves
from loadstone.emit.c.external.structures import own_structure
from loadstone.emit.c.interface import Interface, Way
from loadstone.emit.c.loops.long_conditions import named_head, named_test, unnested
from loadstone.emit.c.printer import LoopCode, is_constant, written
from loadstone.loops.model import For, Instance, Node
from loadstone.loops.scan import Scan
from loadstone.model.expression import Expression
from loadstone.model.kernel import Array

Verb = Literal["load", "take", "store"]
_NO_WORDS = Text("long words = 0;")


@dataclass(frozen=True, eq=False)
class Transfers:
    """The functions that load and store the elements of a tile."""

    interface: Interface

    @cached_property
    def _point(self) -> Pointer:
        return Pointer("p", own_structure(self.interface.accelerator.kernel, "point"))

    @property
    def rank(self) -> int:
        """The number of members of a point: the most subscripts of an array that is scanned; 0 if none is."""
        return max((len(scan.steps) or 1 for scan in self.interface.scans.values()), default=0)

    @cached_property
    def walks(self) -> Mapping[str, Function]:
        """First and Next of all scans, by their names."""
        scans = self.interface.scans.items()
        return {function.name: function for (way, _), scan in scans for function in self._walks(scan, way)}

    def _walks(self, scan: Scan, verb: str) -> Iterator[Function]:
        """First and Next of a scan."""
        offer = (*self.interface.parameters, *self.interface.coordinates, self._point)
        name, array = self.interface.names[scan.array], scan.array
        first = f"First: sets p to the first element of {array} to {verb}; false if there is none."
        yield Function(first, "bool", f"first_{verb}_{name}", offer, tuple(self._first(scan)), "static inline")
        after = f"Next: sets p to the next element of {array} to {verb}; false if there is none."
        yield Function(after, "bool", f"next_{verb}_{name}", offer, tuple(self._next(scan)), "static inline")

    def _counted(self, expression: Expression) -> Text:
        return written(self.interface.names.counted(expression))

    def _first(self, scan: Scan) -> Iterator[Statement]:
        if not is_constant(scan.some, 1):
            yield Block(code("if (!(@))", self._counted(scan.some)), verbatim("return false;"), braced=False)
        yield from self._set(scan, 0)
        yield Text("return true;")

    def _set(self, scan: Scan, start: int) -> Iterator[Text]:
        for position, step in enumerate(scan.steps[start:], start):
            yield code(f"@->x{position} = @;", self._point, self._counted(step.first))

    def _next(self, scan: Scan) -> Iterator[Statement]:
        for position, step in reversed(list(enumerate(scan.steps))):
            if is_constant(step.more, 0):
                continue
            move = code(f"@->x{position} = @;", self._point, self._counted(step.next))
            body = (move, *self._set(scan, position + 1), Text("return true;"))
            yield Block(code("if (@)", self._counted(step.more)), body)
        yield Text("return false;")

    @cached_property
    def functions(self) -> Mapping[str, Function]:
        """The functions that move what a tile loads and stores, by their names."""
        given = self.interface
        early, late = given.early, given.late
        kinds: tuple[tuple[str, Verb, Sequence[str], str], ...] = (
            ("load_tile", "load", () if early else late, "Loads the inputs of a tile"),
            ("load_early", "load", early, "Loads the inputs of a tile from arrays without stores"),
            ("load_late", "load", late if early else (), "Loads the inputs of a tile from arrays with stores"),
            ("take_tile", "take", given.queued, "Receives loaded words of arrays written by tiles"),
            ("store_tile", "store", given.stored, "Stores the final results of a tile"),
        )
        return {
            name: Function(
                f"{comment}: {', '.join(arrays)}.",
                "long",
                name,
                given.in_tile,
                tuple(self._counted_words(verb, arrays)),
            )
            for name, verb, arrays, comment in kinds
            if arrays
        }

    def _counted_words(self, verb: Verb, arrays: Sequence[str]) -> Iterator[Statement]:
        """Statements that move what a tile needs of arrays, and return the number of words."""
        if self.interface.style.streamed:
            yield _NO_WORDS
            for array in arrays:
                yield from self._one_array(verb, array)
        else:
            scans = [self._scan(verb, array) for array in arrays]
            yield from (*self._point_of(scans), _NO_WORDS, *self._flat_loop(verb, scans))
        yield Text("return words;")

    def _one_array(self, verb: Verb, array: str) -> Body:
        """Nested loops over what a tile moves of an array, or a flat one where these are too complicated."""
        loops = self.interface.moves.get((_way(verb), array))
        if loops is not None and array in self.interface.style.beats:
            return self._rows(verb, array, loops)
        if loops is not None:
            return self._nested_loops(verb, array, loops)
        scans = [self._scan(verb, array)]
        run = verbatim("int run;") if self._in_bursts(scans[0]) else ()
        return (Block(EMPTY, (*self._point_of(scans), *run, *self._flat_loop(verb, scans))),)

    def _scan(self, verb: Verb, array: str) -> Scan:
        return self.interface.scans[_way(verb), array]

    def _nested_loops(self, verb: Verb, array: str, loops: Node) -> Body:
        """Loops over the elements of an array, row by row."""

        def moved(leaf: Instance) -> Body:
            point = [written(argument) for argument in leaf.arguments]
            return (self._move(verb, self.interface.accelerator.kernel.arrays[array], point), Text("words++;"))

        named = self.interface.names.loops(loops)
        counts = self.interface.move_counts(_way(verb), array, named)

        def begun(loop: For) -> Body:
            return (*(() if has_loops(loop) else (Pipelined(),)), *counts.get(id(loop), ()))

        return self._code(named, moved, begun)

    def _code(self, tree: Node, moved: Callable[[Instance], Body], begun: Callable[[For], Body]) -> Body:
        if not self.interface.style.tuned:
            return LoopCode(moved, begun).code(tree)
        return unnested(LoopCode(moved, begun, head=named_head, test=named_test).code(tree))

    def _rows(self, verb: Verb, array: str, loops: Node) -> Body:
        """Loops over rows that move in beats."""
        moves = BeatMoves(self.interface, self.interface.accelerator.kernel.arrays[array])
        ways = {"load": moves.loaded, "take": moves.received, "store": moves.stored}
        named = self.interface.names.loops(loops)
        counts = self.interface.move_counts(_way(verb), array, named)

        def moved(leaf: Instance) -> Body:
            *outer, first, last = map(written, leaf.arguments)
            return ways[verb](outer, first, last, counts.get(id(leaf), ()))

        return self._code(named, moved, lambda loop: counts.get(id(loop), ()))

    def _point_of(self, scans: Sequence[Scan]) -> Iterator[Statement]:
        """The current point of scans."""
        if any(scan.steps for scan in scans):
            zeros = ", ".join("0" for _ in range(self.rank))
            kind = self._point.type
            yield from verbatim(f"{kind} point = {{{zeros}}};", f"{kind} *const p = &point;")

    def _flat_loop(self, verb: Verb, scans: Sequence[Scan]) -> Body:
        """One loop over the elements of several arrays, in the order of addresses."""
        return self._loop_over_one(verb, scans[0]) if len(scans) == 1 else self._loop_over_all(verb, scans)

    def _loop_over_one(self, verb: Verb, scan: Scan) -> Body:
        step = (*self._pipelined([scan]), *self._transfer(verb, scan), self._to("next", verb, scan))
        return (code("bool @", self._to("first", verb, scan)), Block(Text("while (more)"), step))

    def _loop_over_all(self, verb: Verb, scans: Sequence[Scan]) -> Body:
        numbers = ", ".join(f"{number}: {scan.array}" for number, scan in enumerate(scans))
        body = (*self._pipelined(scans), self._step(verb, scans), *self._advance(verb, scans))
        return (
            Text(f"int at = 0; /* {numbers} */"),
            code("bool @", self._to("first", verb, scans[0])),
            *self._advance(verb, scans),
            Block(Text("while (more)"), body),
        )

    def _to(self, step: str, verb: Verb, scan: Scan) -> Text:
        """Go to the first or next element of a scan, if there is one."""
        way = "load" if verb == "take" else verb
        return code("more = @;", self.walks[f"{step}_{way}_{self.interface.names[scan.array]}"].call())

    def _pipelined(self, scans: Sequence[Scan]) -> Body:
        return () if any(map(self._in_bursts, scans)) else (Pipelined(),)

    def _advance(self, verb: Verb, scans: Sequence[Scan]) -> Iterator[Block]:
        """Where an array has no more, go to the first element of the next one that has some."""
        for number, scan in enumerate(scans[1:], start=1):
            body = (Text(f"at = {number};"), self._to("first", verb, scan))
            yield Block(Text(f"if (!more && at == {number - 1})"), body)

    def _step(self, verb: Verb, scans: Sequence[Scan]) -> Block:
        """Transfer the current element, or the run that begins with it, and go to the next of its array."""
        cases: list[Block] = []
        for number, scan in enumerate(scans):
            body = (*self._transfer(verb, scan), self._to("next", verb, scan), Text("break;"))
            label = f"case {number}:" if number + 1 < len(scans) else "default:"
            cases.append(Block(Text(label), body, braced=False))
        return Block(Text("switch (at)"), tuple(cases))

    def _transfer(self, verb: Verb, scan: Scan) -> Body:
        array = self.interface.accelerator.kernel.arrays[scan.array]
        point = [Text(f"p->x{position}") for position in range(len(scan.steps))]
        if self._in_bursts(scan):
            return self._burst(verb, scan, array, point)
        lines = (self._move(verb, array, point), Text("words++;"))
        return lines if scan.member is None else (Block(code("if (@)", self._counted(scan.member)), lines),)

    def _in_bursts(self, scan: Scan) -> bool:
        return self.interface.style.streamed and scan.run_end is not None and scan.member is None

    def _burst(self, verb: Verb, scan: Scan, array: Array, point: list[Text]) -> Body:
        assert scan.run_end is not None
        last = point[-1]
        move = (Pipelined(), self._move(verb, array, [*point[:-1], Text("k_")]))
        return (
            code("run = @;", self._counted(scan.run_end)),
            Block(code("for (int k_ = @; k_ <= run; k_++)", last), move),
            code("words += run - @ + 1;", last),
            code("@ = run;", last),
        )

    def _move(self, verb: Verb, array: Array, point: Sequence[Text]) -> Statement:
        given = self.interface
        inside = local_element(given, array, point, is_write=verb != "store")
        queue = given.queues.get(array.name)
        match verb:
            case "take" if queue:
                return Get(queue, code("@ = ", inside))
            case "load" if queue:
                return Put(queue, given.elements.loaded(array, point))
            case "store":
                return given.elements.stored(array, point, inside)
            case _:
                return code("@ = @;", inside, given.elements.loaded(array, point))


def _way(verb: Verb) -> Way:
    """In which way words move that are loaded, taken from a stream of loaded words, or stored."""
    return "store" if verb == "store" else "load"


def local_element(given: Interface, array: Array, subscripts: Sequence[Text], *, is_write: bool) -> Text:
    """The reference to an element in local memory."""
    cell = code("@[@]", given.locals[array.name], given.addresses.inside(array, subscripts, is_write))
    bank = given.addresses.bank(array, subscripts)
    return cell if bank is None else code("@[@]", cell, bank)
