"""Channels of a network in a program: how a value is sent, and how it is received.

    fifo             a stream
    fifo-register    a stream; the consumer takes a value at its first read and keeps it for the others
    reorder          cells that producer and consumer share, and two streams of numbers of cells: `filled` forwards,
    reorder-register `freed` backwards, from the last read of the value

The producer knows which cells are busy: it writes to a cell that is not, and reads from `freed` until the one that it
needs is free. The consumer knows which cells are full, and reads from `filled` until the one that it needs is.

Streams of cells never block a writer: a cell whose number is in `filled` is not filled again before it was freed, and
not freed before its number was read from `filled`; likewise for `freed`. So a stream holds each cell at most once, and
as many places as there are cells are enough. In the end every value was read; the producer waits until all its cells
are free, so that both streams are empty and the network can start anew.

A channel from a process to itself needs no streams: values are in a ring, or in cells, that the process owns.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from loadstone.emit.c.addresses import cell_code, coordinates
from loadstone.emit.c.code import (
    Block,
    Body,
    Cells,
    Fence,
    Function,
    Get,
    Helper,
    Put,
    Statement,
    Stream,
    Text,
    code,
    under,
    verbatim,
    word_type,
)
from loadstone.emit.c.names import Names
from loadstone.model.expression import integer
from loadstone.model.types import BOOL, INT, ScalarType
from loadstone.networks.model import Channel
from loadstone.networks.sizes import ChannelSize
from loadstone.storage.buffers import Component

Side = Literal["producer", "consumer"]
_TURN_LINES = """\
/* The position in a ring buffer; advances to the next. */
static inline int turn(int *at, int length)
{
  const int place = *at;
  *at = place + 1 == length ? 0 : place + 1;
  return place;
}
"""
_TURN = Helper((20, "turn"), "turn", tuple(_TURN_LINES.split("\n")))


@dataclass(frozen=True, slots=True)
class Ends:
    """A channel in a program: its name, type of words, number of cells, array, and the processes at its ends."""

    name: str
    type: ScalarType
    count: int
    array: str
    producer: str
    consumer: str

    def stream(self, suffix: str, kind: ScalarType) -> Stream:
        """A stream from one end to the other."""
        about = f"{self.array}: {self.producer} to {self.consumer}"
        return Stream(f"{self.name}{suffix}", kind, self.count, about)

    def memory(self, suffix: str, kind: ScalarType, owner: str | None) -> Cells:
        """A memory with a word for each cell."""
        return Cells(f"{self.name}{suffix}", kind, (integer(self.count),), self.count, owner)


@dataclass(frozen=True, eq=False)
class SharedCells:
    """Cells shared by producer and consumer, and the streams of cells filled and freed."""

    ends: Ends

    @cached_property
    def words(self) -> Cells:
        """The cells."""
        return self.ends.memory("_words", self.ends.type, None)

    @cached_property
    def busy(self) -> Cells:
        """Per cell, whether it is occupied: the view of the producer."""
        return self.ends.memory("_busy", BOOL, self.ends.producer)

    @cached_property
    def full(self) -> Cells:
        """Per cell, whether it is occupied: the view of the consumer."""
        return self.ends.memory("_full", BOOL, self.ends.consumer)

    @cached_property
    def filled(self) -> Stream:
        """The numbers of cells that were filled."""
        return self.ends.stream("_filled", INT)

    @cached_property
    def freed(self) -> Stream:
        """The numbers of cells that were freed."""
        return self.ends.stream("_freed", INT)

    def start(self, side: Side) -> Body:
        """All cells are free."""
        return self._over_cells(code("@[cell] = false;", self.busy if side == "producer" else self.full))

    def end(self, side: Side) -> Body:
        """All cells become free."""
        return self._over_cells(self._await_free()) if side == "producer" else ()

    def _over_cells(self, body: Statement) -> Body:
        return (Block(Text(f"for (int cell = 0; cell < {self.ends.count}; cell++)"), (body,), braced=False),)

    def _await_free(self) -> Block:
        return _wait(code("while (@[cell])", self.busy), Get(self.freed, code("@[", self.busy), "] = false;"))

    def send(self, value: Text, cell: Text) -> Body:
        """The statements that send a value through a cell."""
        return (
            code("const int cell = @;", cell),
            self._await_free(),
            Fence((self.words.name, self.freed.name)),
            code("@[cell] = @;", self.words, value),
            code("@[cell] = true;", self.busy),
            Fence((self.words.name, self.filled.name)),
            Put(self.filled, Text("cell")),
        )

    def receive(self, target: str, cell: Text, last: Text | None) -> Body:
        """The statements that receive a value from a cell; `last` is the test for its last read."""
        return (
            code("const int cell = @;", cell),
            _wait(code("while (!@[cell])", self.full), Get(self.filled, code("@[", self.full), "] = true;")),
            Fence((self.words.name, self.filled.name)),
            code("@ = @[cell];", target, self.words),
            Fence((self.words.name, self.freed.name)),
            *under(last, (code("@[cell] = false;", self.full), Put(self.freed, Text("cell")))),
        )


def _wait(head: Text, step: Get) -> Block:
    return Block(head, (step,), braced=False)


@dataclass(frozen=True, eq=False)
class Link:
    """A channel in a program, under a name, for words of a type; `signed`: coordinates of producers may be negative."""

    channel: Channel
    size: ChannelSize
    name: str
    type: ScalarType
    signed: bool

    @property
    def private(self) -> bool:
        """Whether producer and consumer are one process."""
        return self.channel.producer == self.channel.consumer

    @property
    def ordered(self) -> bool:
        """Whether values are read in the order in which they are written."""
        return self.channel.pattern in ("fifo", "fifo-register")

    @property
    def kept(self) -> bool:
        """Whether the consumer keeps the value for later reads."""
        return self.channel.pattern == "fifo-register"

    @property
    def _ends(self) -> Ends:
        channel = self.channel
        return Ends(self.name, self.type, self.size.cells, channel.array, channel.producer, channel.consumer)

    @cached_property
    def shared(self) -> SharedCells | None:
        """The cells shared by two processes, if any."""
        return None if self.private or self.ordered else SharedCells(self._ends)

    @cached_property
    def _stream(self) -> Stream:
        return self._ends.stream("", self.type)

    @property
    def _ring(self) -> Cells:
        return self._ends.memory("_words", self.type, self.channel.producer)

    @property
    def streams(self) -> tuple[Stream, ...]:
        """The streams."""
        if self.shared:
            return (self.shared.filled, self.shared.freed)
        return () if self.private else (self._stream,)

    @property
    def cells(self) -> tuple[Cells, ...]:
        """The local memories."""
        if self.shared:
            return (self.shared.words, self.shared.busy, self.shared.full)
        return (self._ring,) if self.private and self.size.cells > 1 else ()

    def cell_function(self) -> Function | None:
        """The function that gives the cell for the value of an instance, if cells are not filled one after another."""
        mapping = self.size.mapping
        if self.ordered or mapping is None or not self.cells:
            return None
        rows = zip(mapping.rows, mapping.moduli, strict=True)
        parts = [Component(row, modulus, integer(modulus)) for row, modulus in rows if modulus > 1]
        point = coordinates(max((len(row) for row in mapping.rows), default=0))
        body = (code("return @;", cell_code(parts, Names({}, {}), signed=self.signed)),)
        instance = f"{self.channel.producer}({', '.join(x.name for x in point)})"
        comment = f"The cell of channel {self.channel.id} for the value of {instance}."
        return Function(comment, "int", f"{self.name}_cell", point, body, "static inline")

    def start(self, side: Side) -> Body:
        """What stands before the loops of a process on one side of the channel."""
        if self.shared:
            return self.shared.start(side)
        word = word_type(self.type)
        lines: list[str] = []
        if self.private and side == "producer":
            if self.size.cells == 1:
                lines.append(f"{word} {self.name}_word = 0;")
            elif self.ordered:
                lines.append(f"int {self.name}_first = 0, {self.name}_last = 0;")
        if self.kept and side == "consumer":
            lines.append(f"{word} {self.name}_kept = 0;")
        return verbatim(*lines)

    def end(self, side: Side) -> Body:
        """What stands behind the loops of a process on one side of the channel."""
        return self.shared.end(side) if self.shared else ()

    def send(self, value: Text, cell: Text) -> Body:
        """The statements that send a value; `cell` is the call of the cell function."""
        if self.shared:
            return self.shared.send(value, cell)
        return (code("@ = @;", self._slot("last", cell), value) if self.private else Put(self._stream, value),)

    @property
    def is_simple(self) -> bool:
        """Whether it takes one expression to receive a value."""
        return not (self.kept or self.shared)

    def receive(self, target: str, cell: Text, first: Text | None, last: Text | None) -> Body:
        """The statements that receive a value into a variable.

        `first` and `last` tell whether this is the first and the last read of the value, None if it always is.
        """
        if self.shared:
            return self.shared.receive(target, cell, last)
        if not self.kept:
            return (self._taken(target, cell),)
        return (*under(first, (self._taken(f"{self.name}_kept", cell),)), Text(f"{target} = {self.name}_kept;"))

    def _taken(self, target: str, cell: Text) -> Statement:
        if self.private:
            return code("@ = @;", target, self._slot("first", cell))
        return Get(self._stream, Text(f"{target} = "))

    def _slot(self, end: str, cell: Text) -> Text:
        """The word at one end of the ring, or in a cell, of a private channel."""
        if self.size.cells == 1:
            return Text(f"{self.name}_word")
        place = code(f"@(&{self.name}_{end}, {self.size.cells})", _TURN) if self.ordered else cell
        return code("@[@]", self._ring, place)
