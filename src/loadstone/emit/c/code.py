"""C as a tree: parameters with their roles, statements whose texts know the names in them, and functions.

Generated text is never parsed. A function takes the parameters on offer that its statements use, and a program defines
the helpers in use. Streams, fences and pipelined loops are statements of their own, printed by a `Syntax`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from textwrap import fill
from typing import Literal, assert_never

from loadstone.model.expression import Expression
from loadstone.model.types import BOOL, INT, ScalarType

INDENT = "  "
LONGEST_LINE = 120


@dataclass(frozen=True, slots=True)
class Value:
    """A number that is passed by value."""

    name: str
    type: ScalarType = INT


@dataclass(frozen=True, slots=True)
class Pointer:
    """A variable of the caller, of a type."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class External:
    """An array of the kernel in external memory, or structures that hold several.

    `type` is that of what lies there, with some `bits`. `extents` are those of each array that differs, `words` is the
    size where that is known. So many elements are in a `beat` of the bus.
    """

    name: str
    arrays: tuple[str, ...]
    type: str
    bits: int
    extents: tuple[tuple[Expression, ...], ...]
    words: int | None
    read: bool
    written: bool
    beat: int = 1

    @property
    def word(self) -> str:
        """The type of what moves at once."""
        return bus_word(self.type, self.beat)

    @property
    def depth(self) -> int | None:
        """How many of these there are, where that is known."""
        return None if self.words is None else -(-self.words // self.beat)


@dataclass(frozen=True, slots=True)
class Cells:
    """Local memory: its dimensions, and the number of its cells where that is fixed.

    `owner` is the process to which it belongs, none where processes share it. With several `banks`, each has `count`
    cells, of which the last dimension tells the bank.
    """

    name: str
    type: ScalarType
    sizes: tuple[Expression, ...]
    count: int | None
    owner: str | None
    banks: int = 1


@dataclass(frozen=True, slots=True)
class Stream:
    """A bounded stream of words, or of beats of several; `about` says what it carries."""

    name: str
    type: ScalarType
    capacity: int
    about: str
    beat: int = 1

    @property
    def word(self) -> str:
        """The type of what it carries, in C++."""
        return bus_word(self.type, self.beat)


@dataclass(frozen=True, slots=True)
class Counter:
    """The number of words that a process has moved."""

    name: str
    kind: Literal["load", "store"]


Parameter = Value | Pointer | External | Cells | Stream | Counter


@dataclass(frozen=True, slots=True)
class Helper:
    """A helper function; `order` sorts definitions."""

    order: tuple[int, str]
    name: str
    lines: tuple[str, ...]


Use = str | Helper


@dataclass(frozen=True, slots=True)
class Text:
    """A line of C, or a part of one, with the names of parameters and functions in it, and the helpers.

    `origin` is the statement of the kernel that a line executes.
    """

    text: str
    uses: frozenset[Use] = frozenset()
    origin: str | None = None

    @property
    def is_name(self) -> bool:
        """Whether it is one name."""
        return self.uses == frozenset[Use]({self.text})


EMPTY = Text("")


@dataclass(frozen=True, slots=True)
class Block:
    """Statements behind a head, in braces or alone."""

    head: Text
    body: Body
    braced: bool = True


@dataclass(frozen=True, slots=True)
class Get:
    """Take a word from a stream, in the middle of a line."""

    stream: Stream
    before: Text = EMPTY
    after: str = ";"


@dataclass(frozen=True, slots=True)
class Put:
    """Add a word to a stream."""

    stream: Stream
    word: Text


@dataclass(frozen=True, slots=True)
class Fence:
    """A memory fence for memories and streams; without names, for all that a process shares."""

    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pipelined:
    """At the head of a loop: its iterations may start one per cycle, or one in an interval of some cycles.

    When `alone`, the iterations of one execution of the loop do not overlap those of the next one.
    """

    interval: int = 1
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Unrolled:
    """At the head of a loop: all its iterations run at once."""


@dataclass(frozen=True, slots=True)
class Independent:
    """At the head of a pipelined loop: no iteration reads what an earlier one has written into a local memory."""

    name: str


@dataclass(frozen=True, slots=True)
class TripCount:
    """At the head of a loop: how many iterations it has."""

    least: int
    greatest: int


Statement = Text | Block | Get | Put | Fence | Pipelined | Unrolled | Independent | TripCount
Body = tuple[Statement, ...]


def code(template: str, *values: Text | Parameter | Helper | Function | str) -> Text:
    """A text in which values stand for `@`; parameters and functions are used, strings are names known to all.

    >>> code("@ = @[0];", "x", Pointer("a", "int"))
    Text(text='x = a[0];', uses=frozenset({'a'}), origin=None)
    """
    first, *rest = template.split("@")
    parts = [first]
    uses: set[Use] = set()
    for value, after in zip(values, rest, strict=True):
        match value:
            case str():
                parts.append(value)
            case Text():
                parts.append(value.text)
                uses |= value.uses
            case Helper():
                parts.append(value.name)
                uses.add(value)
            case _:
                parts.append(value.name)
                uses.add(value.name)
        parts.append(after)
    return Text("".join(parts), frozenset(uses))


def listed(texts: Iterable[Text], between: str = ", ") -> Text:
    """Texts in a row."""
    parts = tuple(texts)
    return Text(between.join(part.text for part in parts), frozenset[Use]().union(*(part.uses for part in parts)))


def verbatim(*lines: str) -> Body:
    """Lines that use nothing."""
    return tuple(map(Text, lines))


def under(condition: Text | None, body: Body) -> Body:
    """Statements under a condition, if there is one; a single one needs no braces."""
    if condition is None:
        return body
    return (Block(code("if (@)", condition), body, braced=len(body) > 1),)


def used(body: Iterable[Statement]) -> frozenset[Use]:
    """The names and helpers in statements."""
    return frozenset[Use]().union(*map(_uses, body))


def origins(body: Iterable[Statement]) -> Iterator[tuple[str, str]]:
    """The lines that execute statements of the kernel, without indentation, each with the name of its statement."""
    for statement in body:
        match statement:
            case Text(text=text, origin=str(origin)):
                yield text, origin
            case Block(body=inner):
                yield from origins(inner)
            case _:
                pass


def _uses(statement: Statement) -> frozenset[Use]:
    match statement:
        case Text(uses=uses):
            return uses
        case Block(head=head, body=body):
            return head.uses | used(body)
        case Get(stream=stream, before=before):
            return before.uses | {stream.name}
        case Put(stream=stream, word=word):
            return word.uses | {stream.name}
        case Fence() | Pipelined() | Unrolled() | Independent() | TripCount():
            return frozenset()
        case _:
            assert_never(statement)


def word_type(kind: ScalarType) -> str:
    """The type as both C and C++ write it."""
    return "bool" if kind == BOOL else str(kind)


def bus_word(kind: ScalarType | str, count: int) -> str:
    """The type of some elements that move at once, in C++."""
    name = kind if isinstance(kind, str) else word_type(kind)
    return name if count == 1 else f"hls::vector<{name}, {count}>"


def type_name(kind: ScalarType) -> str:
    """The type as a part of identifiers."""
    return word_type(kind).lower().replace(" ", "_")


def c_declaration(parameter: Parameter) -> str:
    """The declaration of a parameter in C."""
    match parameter:
        case Value(name=name, type=kind):
            return f"{word_type(kind)} {name}"
        case Pointer(name=name, type=kind):
            return f"{kind} *{name}"
        case External(name=name, word=kind, written=written):
            return f"{'' if written else 'const '}{kind} *{name}"
        case Cells(name=name, type=kind):
            return f"{word_type(kind)} *{name}"
        case Stream(name=name, type=kind):
            return f"struct {type_name(kind)}_stream *{name}"
        case Counter(name=name):
            return f"long *{name}"
        case _:
            assert_never(parameter)


@dataclass(frozen=True, slots=True)
class Syntax:
    """How a language writes parameters, streams, fences, pipelined and unrolled loops.

    In templates `@` is the name of a stream or a memory, `~` its type as a part of a name, `%` the word that is put, or
    the names that a fence keeps in order; `{}` are numbers of iterations.
    """

    get: str = ""
    put: str = ""
    fence: str = ""
    pipelined: str = ""
    alone: str = ""
    unrolled: str = ""
    independent: str = ""
    counted: str = ""
    declared: Callable[[Parameter], str] = c_declaration

    def lines(self, body: Body, shared: Sequence[str] = ()) -> Iterator[str]:
        """The lines of statements in a function that shares things with others."""
        for statement in body:
            match statement:
                case Text(text=text):
                    yield text
                case Block(head=head, body=inner, braced=braced):
                    start = f"{head.text} {{".lstrip() if braced else head.text
                    yield from (start, *(INDENT + line for line in self.lines(inner, shared)), *["}"] * braced)
                case Get(stream=stream, before=before, after=after):
                    yield f"{before.text}{_of_stream(self.get, stream)}{after}"
                case Put(stream=stream, word=word):
                    yield _of_stream(self.put, stream).replace("%", word.text)
                case Fence(names=names):
                    yield from [self.fence.replace("%", ", ".join(names or shared))] * bool(self.fence)
                case Pipelined(interval=interval, alone=alone):
                    yield from [self.pipelined.replace("@", str(interval))] * bool(self.pipelined)
                    yield from [self.alone] * (alone and bool(self.alone))
                case Unrolled():
                    yield from [self.unrolled] * bool(self.unrolled)
                case TripCount(least=least, greatest=most):
                    yield from [self.counted.format(least, most)] * bool(self.counted)
                case Independent(name=name):
                    yield from [self.independent.replace("@", name)] * bool(self.independent)
                case _:
                    assert_never(statement)


def _of_stream(template: str, stream: Stream) -> str:
    return template.replace("~", type_name(stream.type)).replace("@", stream.name)


PLAIN = Syntax()


@dataclass(frozen=True, eq=False)
class Function:
    """A function; its parameters are the ones on `offer` in use in its body."""

    comment: str
    result: str
    name: str
    offer: tuple[Parameter, ...]
    body: Body
    kind: Literal["static", "static inline", "component"] = "static"

    @cached_property
    def uses(self) -> frozenset[Use]:
        """The names and helpers in its body."""
        return used(self.body)

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters in use."""
        return tuple(parameter for parameter in self.offer if parameter.name in self.uses)

    def lines(self, syntax: Syntax) -> list[str]:
        """The definition."""
        shared = [p.name for p in self.parameters if isinstance(p, External | Cells | Stream)]
        body = (INDENT + line for line in syntax.lines(self.body, shared))
        return [f"/* {self.comment} */", self.head(syntax), "{", *body, "}", ""]

    def head(self, syntax: Syntax) -> str:
        """The declaration, on several lines where it is long."""
        parameters = ", ".join(map(syntax.declared, self.parameters)) or "void"
        text = f"{self.kind} {self.result} {self.name}({parameters})"
        return fill(text, LONGEST_LINE, subsequent_indent=2 * INDENT, break_long_words=False, break_on_hyphens=False)

    def call(self, values: Mapping[str, Text | str] | None = None) -> Text:
        """A call that passes variables of the same names, or the given values."""
        given = values or {}
        return code("@(@)", self, listed(code("@", given.get(p.name, p)) for p in self.parameters))
