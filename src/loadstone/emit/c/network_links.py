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
from typing import Literal

from loadstone.emit.c.addresses import coordinates, emit_cell
from loadstone.emit.c.functions import Function
from loadstone.emit.c.network_names import type_name, word_type
from loadstone.emit.c.printer import INDENT, braced, emit_expression
from loadstone.model.expression import integer
from loadstone.model.types import BOOL, INT, ScalarType
from loadstone.networks.model import Channel
from loadstone.networks.sizes import ChannelSize
from loadstone.storage.buffers import Component

Side = Literal["producer", "consumer"]


@dataclass(frozen=True, slots=True)
class StreamDialect:
    """How a language writes streams.

    `stream` declares a parameter that is a stream; `$` is the type of its words (`~` as part of a name), `@` its name,
    `#` the number of words that it holds. `get` is the expression that takes a word, `put` the statement that adds the
    word `%`. `fence` keeps accesses to the things named `%` in order, where the language does not. `pipelined` lines
    stand at the head of innermost loops in which nothing but streams waits.
    """

    stream: str
    get: str
    put: str
    fence: str = ""
    pipelined: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stream:
    """A bounded stream of words."""

    name: str
    type: ScalarType
    capacity: int

    def declared(self, text: str) -> str:
        """A declaration of the dialect, for this stream; `@` still stands for its name."""
        return (
            text.replace("$", word_type(self.type)).replace("~", type_name(self.type)).replace("#", str(self.capacity))
        )

    def written(self, text: str, word: str = "") -> str:
        """An expression or statement of the dialect, for this stream and a word."""
        return self.declared(text).replace("@", self.name).replace("%", word)


@dataclass(frozen=True, slots=True)
class Cells:
    """Words in local memory; `owner` is the process that they belong to, none where two processes share them."""

    name: str
    type: ScalarType
    count: int
    owner: str | None


@dataclass(frozen=True, eq=False)
class Link:
    """A channel in a program, under a name, for words of a type; `signed`: coordinates of producers may be negative."""

    channel: Channel
    size: ChannelSize
    name: str
    type: ScalarType
    dialect: StreamDialect
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
        return (self._words,) if self.ordered else (self._filled, self._freed)

    @property
    def _words(self) -> Stream:
        return Stream(self.name, self.type, self.size.cells)

    @property
    def _filled(self) -> Stream:
        return Stream(f"{self.name}_filled", INT, self.size.cells)

    @property
    def _freed(self) -> Stream:
        return Stream(f"{self.name}_freed", INT, self.size.cells)

    @property
    def cells(self) -> tuple[Cells, ...]:
        """The local memories."""
        if self.shares_cells:
            return (
                Cells(f"{self.name}_words", self.type, self.size.cells, None),
                Cells(f"{self.name}_busy", BOOL, self.size.cells, self.channel.producer),
                Cells(f"{self.name}_full", BOOL, self.size.cells, self.channel.consumer),
            )
        if self.private and self.size.cells > 1:
            return (Cells(f"{self.name}_words", self.type, self.size.cells, self.channel.producer),)
        return ()

    def cell_function(self) -> Function | None:
        """The function that gives the cell for the value of an instance, if cells are not filled one after another."""
        mapping = self.size.mapping
        if self.ordered or mapping is None:
            return None
        rows = zip(mapping.rows, mapping.moduli, strict=True)
        parts = [Component(row, modulus, integer(modulus)) for row, modulus in rows if modulus > 1]
        rank = max((len(row) for row in mapping.rows), default=0)
        text = emit_cell(parts, emit_expression, signed=self.signed)
        point = ", ".join(f"x{k}" for k in range(rank))
        comment = f"The cell of channel {self.channel.id} for the value of {self.channel.producer}({point})."
        return Function(comment, "static inline int", f"{self.name}_cell", coordinates(rank), (f"return {text};",))

    def start(self, side: Side) -> list[str]:
        """What stands before the loops of a process on one side of the channel."""
        lines: list[str] = []
        if self.shares_cells:
            lines += self._over_cells(f"{self._flags(side)}[cell] = false;")
        if self.private and side == "producer":
            lines += self._ring() if self.size.cells > 1 else [f"{word_type(self.type)} {self.name}_word = 0;"]
        if self.kept and side == "consumer":
            lines.append(f"{word_type(self.type)} {self.name}_kept = 0;")
        return lines

    def _ring(self) -> list[str]:
        return [f"int {self.name}_first = 0, {self.name}_last = 0;"] if self.ordered else []

    def end(self, side: Side) -> list[str]:
        """What stands behind the loops of a process on one side of the channel: all cells become free."""
        return self._over_cells(*self._await_free()) if self.shares_cells and side == "producer" else []

    def _flags(self, side: Side) -> str:
        return f"{self.name}_{'busy' if side == 'producer' else 'full'}"

    def _over_cells(self, *body: str) -> list[str]:
        return [f"for (int cell = 0; cell < {self.size.cells}; cell++)", *(INDENT + line for line in body)]

    def send(self, value: str, cell: str) -> list[str]:
        """The lines that send a value; `cell` is the call of the cell function."""
        if self.private:
            return [f"{self._slot('last', cell)} = {value};"]
        if self.ordered:
            return [self._put(self._words, value)]
        return [
            f"const int cell = {cell};",
            *self._await_free(),
            *self._fence("freed"),
            f"{self.name}_words[cell] = {value};",
            f"{self.name}_busy[cell] = true;",
            *self._fence("filled"),
            self._put(self._filled, "cell"),
        ]

    def simple_value(self, cell: str) -> str | None:
        """The expression that receives a value, if that is all it takes."""
        return None if self.kept or self.shares_cells else self._taken(cell)

    def receive(self, target: str, cell: str, first: str | None, last: str | None) -> list[str]:
        """The lines that receive a value into a variable.

        `first` and `last` tell whether this is the first and the last read of the value, None if it always is.
        """
        if self.shares_cells:
            return self._receive_from_cell(target, cell, last)
        if not self.kept:
            return [f"{target} = {self._taken(cell)};"]
        return [*conditional(first, [f"{self.name}_kept = {self._taken(cell)};"]), f"{target} = {self.name}_kept;"]

    def _receive_from_cell(self, target: str, cell: str, last: str | None) -> list[str]:
        freed = [f"{self.name}_full[cell] = false;", self._put(self._freed, "cell")]
        return [
            f"const int cell = {cell};",
            f"while (!{self.name}_full[cell])",
            f"{INDENT}{self.name}_full[{self._get(self._filled)}] = true;",
            *self._fence("filled"),
            f"{target} = {self.name}_words[cell];",
            *self._fence("freed"),
            *conditional(last, freed),
        ]

    def _await_free(self) -> list[str]:
        return [f"while ({self.name}_busy[cell])", f"{INDENT}{self.name}_busy[{self._get(self._freed)}] = false;"]

    def _taken(self, cell: str) -> str:
        return self._slot("first", cell) if self.private else self._get(self._words)

    def _slot(self, end: str, cell: str) -> str:
        """The word of a process's own that is next at one end of the ring, or that is in a cell."""
        if self.size.cells == 1:
            return f"{self.name}_word"
        place = f"turn(&{self.name}_{end}, {self.size.cells})" if self.ordered else cell
        return f"{self.name}_words[{place}]"

    def _get(self, stream: Stream) -> str:
        return stream.written(self.dialect.get)

    def _put(self, stream: Stream, word: str) -> str:
        return stream.written(self.dialect.put, word)

    def _fence(self, stream: str) -> list[str]:
        names = f"{self.name}_words, {self.name}_{stream}"
        return [self.dialect.fence.replace("%", names)] if self.dialect.fence else []


def conditional(condition: str | None, lines: list[str]) -> list[str]:
    """Lines under a condition, if there is one."""
    if condition is None:
        return lines
    if len(lines) == 1:
        return [f"if ({condition})", INDENT + lines[0]]
    return braced(f"if ({condition})", lines)
