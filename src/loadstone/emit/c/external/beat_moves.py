"""Functions of one tile that move rows of an array in beats; `beats` says how."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from loadstone.emit.c.code import (
    EMPTY,
    Block,
    Body,
    External,
    Get,
    Pipelined,
    Put,
    Statement,
    Text,
    Unrolled,
    bus_word,
    code,
    listed,
    under,
    verbatim,
    word_type,
)
from loadstone.emit.c.interface import Interface
from loadstone.model.kernel import Array
from loadstone.parallel.banks import Banking

_X = Text("x_")


@dataclass(frozen=True, eq=False)
class BeatMoves:
    """The statements that move a row of an array between external memory, or a stream of its words, and banks."""

    given: Interface
    array: Array

    def loaded(self, outer: Sequence[Text], first: Text, last: Text, count: Body) -> Body:
        """A row goes into local memory, or into the stream of the array if it has one."""
        queue, word = self.given.queues.get(self.array.name), code("@[first_beat + k_]", self._read)
        if queue is not None:
            return self._row((outer, first, last), count, (), (Put(queue, word),))
        taken = code(f"const {self._word} bus_words = @;", word)
        return self._row((outer, first, last), count, (), (taken, *self._into_banks(outer)))

    def received(self, outer: Sequence[Text], first: Text, last: Text, count: Body) -> Body:
        """A row goes from the stream of an array into local memory."""
        taken = Get(self.given.queues[self.array.name], Text(f"const {self._word} bus_words = "))
        return self._row((outer, first, last), count, (), (taken, *self._into_banks(outer)))

    def stored(self, outer: Sequence[Text], first: Text, last: Text, count: Body) -> Body:
        """A row goes into external memory, whose elements beside it keep their values."""
        put = code("@[first_beat + k_] = bus_words;", self._written)
        body = (
            *verbatim(f"{self._word} bus_words = k_ == 0 ? head_words : tail_words;"),
            *self._from_banks(outer),
            put,
        )
        return self._row((outer, first, last), count, tuple(self._ends()), body)

    @property
    def _read(self) -> External:
        return self.given.elements.loads[self.array.name]

    @property
    def _written(self) -> External:
        return self.given.elements.stores[self.array.name]

    @property
    def _count(self) -> int:
        return self.given.style.beats[self.array.name]

    @property
    def _word(self) -> str:
        return bus_word(self.array.type, self._count)

    @property
    def _banking(self) -> Banking:
        return self.given.style.lanes.banking[self.array.name]

    def _row(self, row: tuple[Sequence[Text], Text, Text], count: Body, ends: Body, body: Body) -> Body:
        """The beats that a row is in, in a pipelined loop around a body, which begins with a count."""
        outer, first, last = row
        begin, shift = self.given.elements.position(self.array, [*outer, Text("0")]), self._shift
        beats = f"(int)(((row_at + last_x) >> {shift}) - first_beat) + 1"
        place = Text(f"const int x_beat = (int)(((first_beat + k_) << {shift}) - row_at);")
        placed = (place,) if any("x_beat" in line.text for line in _texts(body)) else ()
        inner = (
            code("const int first_x = @, last_x = @;", first, last),
            Text("const int row_words = last_x - first_x + 1;"),
            code("const long row_at = @;", begin),
            Text(f"const long first_beat = (row_at + first_x) >> {shift};"),
            Text(f"const int beat_count = row_words > 0 ? {beats} : 0;"),
            *ends,
            Block(Text("for (int k_ = 0; k_ < beat_count; k_++)"), (Pipelined(), *count, *placed, *body)),
            *under(Text("row_words > 0"), verbatim("words += row_words;")),
        )
        return (Block(EMPTY, inner),)

    @property
    def _shift(self) -> int:
        return self._count.bit_length() - 1

    def _ends(self) -> Iterator[Statement]:
        """The first and the last beat of a row, as they are in memory, where the row does not fill them."""
        mask, port = self._count - 1, self._written
        begins = f"((row_at + first_x) & {mask}) != 0"
        yield Text(f"const bool is_filled = ((row_at + last_x + 1) & {mask}) == 0;")
        yield Text(f"{self._word} head_words(0), tail_words(0);")
        head = Text(f"beat_count > 0 && ({begins} || (beat_count == 1 && !is_filled))")
        yield from under(head, (code("head_words = @[first_beat];", port),))
        last = code("tail_words = @[first_beat + beat_count - 1];", port)
        yield from under(Text("beat_count > 1 && !is_filled"), (last,))

    def _into_banks(self, outer: Sequence[Text]) -> Body:
        place = self._place(outer, is_write=True)
        return self._over_banks((*under(self._exists(outer), (code("@ = bus_words[lane_];", place),)),))

    def _from_banks(self, outer: Sequence[Text]) -> Body:
        """The elements of a row that are in a beat, of each bank, and then of each lane."""
        columns, place = self._banking.columns, self._place(outer, is_write=False)
        column = "bank_" if self._banking.rows == 1 else f"bank_ & {columns - 1}"
        kept = code(f"banked[{column}] = @;", place)
        lane = (
            Unrolled(),
            Text("const int x_ = x_beat + lane_;"),
            *under(Text("first_x <= x_ && x_ <= last_x"), verbatim(f"bus_words[lane_] = banked[x_ & {columns - 1}];")),
        )
        pragma = "#pragma HLS array_partition variable=banked complete"
        zeros = verbatim(f"{word_type(self.array.type)} banked[{columns}] = {{}};", pragma)
        lanes = Block(Text(f"for (int lane_ = 0; lane_ < {self._count}; lane_++)"), lane)
        return (*zeros, *self._over_banks(under(self._exists(outer), (kept,))), lanes)

    def _over_banks(self, body: Body) -> Body:
        """A loop over banks, each with the element of the beat that may be in it."""
        banking = self._banking
        lane = Text(f"const int lane_ = (bank_ - x_beat) & {banking.columns - 1};")
        head = Text(f"for (int bank_ = 0; bank_ < {banking.count}; bank_++)")
        return (Block(head, (Unrolled(), lane, Text("const int x_ = x_beat + lane_;"), *body)),)

    def _exists(self, outer: Sequence[Text]) -> Text:
        """Whether the element for a bank is in the beat, in the row, and in this bank."""
        banking, tests = self._banking, [Text("first_x <= x_"), Text("x_ <= last_x")]
        if self._count < banking.columns:
            tests.insert(0, Text(f"lane_ < {self._count}"))
        if banking.rows > 1:
            bank = self.given.addresses.bank(self.array, [*outer, _X])
            assert bank is not None
            tests.append(code("@ == bank_", bank))
        return listed(tests, " && ")

    def _place(self, outer: Sequence[Text], *, is_write: bool) -> Text:
        cells = self.given.locals[self.array.name]
        return code("@[@][bank_]", cells, self.given.addresses.inside(self.array, [*outer, _X], is_write))


def _texts(body: Body) -> Iterator[Text]:
    """The lines of statements."""
    for statement in body:
        if isinstance(statement, Text):
            yield statement
        elif isinstance(statement, Block):
            yield from _texts(statement.body)
