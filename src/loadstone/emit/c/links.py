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
/* The place in a ring at which it is, and a step to the next one. */
static inline int turn(int *at, int length)
{
  const int place = *at;
  *at = place + 1 == length ? 0 : place + 1;
  return place;
}
"""
_TURN = Helper((20, "turn"), "turn", tuple(_TURN_LINES.split("\n")))


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
    def shares_cells(self) -> bool:
        """Whether two processes share cells."""
        return not self.private and not self.ordered

    @property
    def kept(self) -> bool:
        """Whether the consumer keeps the value for later reads."""
        return self.channel.pattern == "fifo-register"

    @property
    def streams(self) -> tuple[Stream, ...]:
        """The streams."""
        if self.private:
            return ()
        return (self._stream("", self.type),) if self.ordered else (self._filled, self._freed)

    def _stream(self, suffix: str, kind: ScalarType) -> Stream:
        about = f"{self.channel.array}: {self.channel.producer} to {self.channel.consumer}"
        return Stream(f"{self.name}{suffix}", kind, self.size.cells, about)

    @cached_property
    def _filled(self) -> Stream:
        return self._stream("_filled", INT)

    @cached_property
    def _freed(self) -> Stream:
        return self._stream("_freed", INT)

    @cached_property
    def _words(self) -> Cells:
        return self._memory("_words", self.type, self.channel.producer if self.private else None)

    def _flags(self, side: Side) -> Cells:
        """Which cells are busy, as the producer knows, or full, as the consumer does."""
        if side == "producer":
            return self._memory("_busy", BOOL, self.channel.producer)
        return self._memory("_full", BOOL, self.channel.consumer)

    def _memory(self, suffix: str, kind: ScalarType, owner: str | None) -> Cells:
        count = self.size.cells
        return Cells(f"{self.name}{suffix}", kind, (integer(count),), count, owner)

    @property
    def cells(self) -> tuple[Cells, ...]:
        """The local memories."""
        if self.shares_cells:
            return (self._words, self._flags("producer"), self._flags("consumer"))
        return (self._words,) if self.private and self.size.cells > 1 else ()

    def cell_function(self) -> Function | None:
        """The function that gives the cell for the value of an instance, if cells are not filled one after another."""
        mapping = self.size.mapping
        if self.ordered or mapping is None or not (self.size.cells > 1 or self.shares_cells):
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
        word = word_type(self.type)
        if self.shares_cells:
            return self._over_cells(code("@[cell] = false;", self._flags(side)))
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
        """What stands behind the loops of a process on one side of the channel: all cells become free."""
        return self._over_cells(self._await_free()) if self.shares_cells and side == "producer" else ()

    def _over_cells(self, body: Statement) -> Body:
        return (Block(Text(f"for (int cell = 0; cell < {self.size.cells}; cell++)"), (body,), braced=False),)

    def send(self, value: Text, cell: Text) -> Body:
        """The statements that send a value; `cell` is the call of the cell function."""
        if self.private:
            return (code("@ = @;", self._slot("last", cell), value),)
        if self.ordered:
            return (Put(self._stream("", self.type), value),)
        return (
            code("const int cell = @;", cell),
            self._await_free(),
            self._fence(self._freed),
            code("@[cell] = @;", self._words, value),
            code("@[cell] = true;", self._flags("producer")),
            self._fence(self._filled),
            Put(self._filled, Text("cell")),
        )

    @property
    def is_simple(self) -> bool:
        """Whether it takes one expression to receive a value."""
        return not (self.kept or self.shares_cells)

    def receive(self, target: str, cell: Text, first: Text | None, last: Text | None) -> Body:
        """The statements that receive a value into a variable.

        `first` and `last` tell whether this is the first and the last read of the value, None if it always is.
        """
        if self.shares_cells:
            return self._receive_from_cell(target, cell, last)
        if not self.kept:
            return (self._taken(target, cell),)
        return (*under(first, (self._taken(f"{self.name}_kept", cell),)), Text(f"{target} = {self.name}_kept;"))

    def _receive_from_cell(self, target: str, cell: Text, last: Text | None) -> Body:
        full = self._flags("consumer")
        wait = Get(self._filled, code("@[", full), "] = true;")
        return (
            code("const int cell = @;", cell),
            Block(code("while (!@[cell])", full), (wait,), braced=False),
            self._fence(self._filled),
            code("@ = @[cell];", target, self._words),
            self._fence(self._freed),
            *under(last, (code("@[cell] = false;", full), Put(self._freed, Text("cell")))),
        )

    def _await_free(self) -> Block:
        busy = self._flags("producer")
        wait = Get(self._freed, code("@[", busy), "] = false;")
        return Block(code("while (@[cell])", busy), (wait,), braced=False)

    def _taken(self, target: str, cell: Text) -> Statement:
        if self.private:
            return code("@ = @;", target, self._slot("first", cell))
        return Get(self._stream("", self.type), Text(f"{target} = "))

    def _slot(self, end: str, cell: Text) -> Text:
        """The word of a process's own that is next at one end of the ring, or that is in a cell."""
        if self.size.cells == 1:
            return Text(f"{self.name}_word")
        place = code(f"@(&{self.name}_{end}, {self.size.cells})", _TURN) if self.ordered else cell
        return code("@[@]", self._words, place)

    def _fence(self, stream: Stream) -> Fence:
        return Fence((self._words.name, stream.name))
