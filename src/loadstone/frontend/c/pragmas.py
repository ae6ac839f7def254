"""The `#pragma loadstone` lines.

#pragma loadstone tile schedule(S1: t, t + i; S2: t, t + i + 1) size(8, 32) strip(1)
#pragma loadstone default(N = 40, M = 30)
#pragma loadstone assume(N >= 1 && M < N)
#pragma loadstone kill(work)

`type_pragmas` reads the pragmas for formats of types.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from pycparser import c_ast, c_parser

from loadstone.errors import InputError, Problems, Span, refused
from loadstone.frontend import syntax

_TILE_CLAUSES = ("schedule", "size", "strip")
_CLAUSES_WITHOUT_ARGUMENT = ("unsigned",)
_CLAUSE = re.compile(r"\s*([A-Za-z_]\w*)\s*(\(?)")


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of a pragma: its text, the offset at which it starts, and where offsets are in the source."""

    text: str
    offset: int
    span_at: Callable[[int], Span]

    @property
    def span(self) -> Span:
        """Where the piece starts in the source."""
        return self.span_at(self.offset)

    def part(self, start: int, end: int | None = None) -> Text:
        """The piece from one offset to another."""
        return Text(self.text[start:end], self.offset + start, self.span_at)

    def split(self, separator: str) -> Iterator[Text]:
        """The pieces between separators that stand outside of parentheses."""
        start = depth = 0
        for offset, char in enumerate(self.text):
            depth += (char == "(") - (char == ")")
            if char == separator and depth == 0:
                yield self.part(start, offset).stripped()
                start = offset + 1
        yield self.part(start).stripped()

    def stripped(self) -> Text:
        """The piece without surrounding space."""
        lead = len(self.text) - len(self.text.lstrip())
        return replace(self.part(lead), text=self.text.strip())


ExpressionReader = Callable[[c_ast.Node, Callable[[c_ast.Node], Span]], syntax.Expr]


def read_directives(pragmas: Sequence[Text], read: ExpressionReader, problems: Problems) -> syntax.Directives:
    """What the pragmas of a file say, taken together; a pragma is the text behind the word loadstone."""
    result = syntax.Directives()
    for pragma in pragmas:
        try:
            result = _directive(pragma, read, result)
        except InputError as error:
            problems.extend(error)
    return result


def _directive(text: Text, read: ExpressionReader, so_far: syntax.Directives) -> syntax.Directives:
    kind, rest = pragma_kind(text)
    match kind:
        case "tile":
            if so_far.tiling:
                raise refused("a kernel has one tiling", text.stripped().span, "remove one of the pragmas")
            return replace(so_far, tiling=_tiling(text, named_clauses(rest, _TILE_CLAUSES), read))
        case "default":
            return replace(so_far, defaults=so_far.defaults + tuple(_defaults(_argument(text), read)))
        case "assume":
            return replace(so_far, assumptions=(*so_far.assumptions, _expression(_argument(text), read)))
        case "kill":
            return replace(so_far, killed=(*so_far.killed, *_names(_argument(text))))
        case "fixed" | "integer":
            return so_far
        case _:
            hint = "known are: tile, default, assume, kill, fixed, integer"
            raise refused(f"unknown pragma 'loadstone {kind}'", text.stripped().span, hint)


def pragma_kind(text: Text) -> tuple[str, Text]:
    """The first word of a pragma, and what follows it."""
    word = re.match(r"\s*([A-Za-z_]\w*)", text.text)
    return (word[1], text.part(word.end())) if word else ("", text)


def _argument(text: Text) -> Text:
    (_, argument), *more = list(_clauses(text))
    if more:
        raise refused("unexpected text after the closing parenthesis", more[0][0].span, "remove it")
    return argument


def named_clauses(text: Text, known: Sequence[str]) -> dict[str, Text]:
    """The arguments of clauses by name."""
    found: dict[str, Text] = {}
    for name, argument in _clauses(text):
        if name.text not in known:
            raise refused(f"unknown clause '{name.text}'", name.span, "known are: " + ", ".join(known))
        if name.text in found:
            raise refused(f"'{name.text}' is given twice", name.span, "remove one of them")
        found[name.text] = argument
    return found


def _clauses(text: Text) -> Iterator[tuple[Text, Text]]:
    """The `name(argument)` clauses of a text; some have no argument."""
    rest = text
    while rest.text.strip():
        clause = _CLAUSE.match(rest.text)
        if clause and not clause[2] and clause[1] in _CLAUSES_WITHOUT_ARGUMENT:
            yield rest.part(clause.start(1), clause.end(1)), rest.part(clause.end(), clause.end())
            rest = rest.part(clause.end())
            continue
        if not clause or not clause[2]:
            raise refused("expected NAME(...)", rest.stripped().span, "for example size(32, 32) or bits(16)")
        end = _matching(rest, clause.end())
        yield rest.part(clause.start(1), clause.end(1)), rest.part(clause.end(), end)
        rest = rest.part(end + 1)


def _matching(text: Text, start: int) -> int:
    depth = 1
    for offset in range(start, len(text.text)):
        depth += (text.text[offset] == "(") - (text.text[offset] == ")")
        if depth == 0:
            return offset
    raise refused("this '(' is never closed", text.part(start - 1).span, "close it with ')'")


def _tiling(text: Text, clauses: dict[str, Text], read: ExpressionReader) -> syntax.Tiling:
    if "size" not in clauses:
        raise refused("the tiling has no size", text.stripped().span, "add size(32, 32)")
    sizes = tuple(_positive(piece) for piece in clauses["size"].split(","))
    strip = _positive(clauses["strip"].stripped()) if "strip" in clauses else 1
    schedules = clauses["schedule"].split(";") if "schedule" in clauses else ()
    schedule = tuple(_statement_schedule(piece, read) for piece in schedules)
    for name, values in schedule:
        if len(values) != len(sizes):
            dimensions = f"{len(values)} schedule dimension{'s' * (len(values) != 1)}"
            message = f"'{name.id}' has {dimensions}, but the number of sizes is {len(sizes)}"
            raise refused(message, name.span, "give one size per dimension")
    return syntax.Tiling(schedule, sizes, strip, text.stripped().span)


def _statement_schedule(text: Text, read: ExpressionReader) -> tuple[syntax.Name, tuple[syntax.Expr, ...]]:
    name, colon, _ = text.text.partition(":")
    if not colon or not name.strip().isidentifier():
        raise refused("expected 'STATEMENT: expressions'", text.span, "for example S2: N - j, i")
    values = text.part(len(name) + 1)
    return syntax.Name(name.strip(), text.span), tuple(_expression(piece, read) for piece in values.split(","))


def _defaults(text: Text, read: ExpressionReader) -> Iterator[tuple[syntax.Name, syntax.Expr]]:
    for piece in text.split(","):
        match = re.match(r"([A-Za-z_]\w*)\s*=(?!=)", piece.text)
        if not match:
            raise refused("expected NAME = VALUE", piece.span, "for example default(N = 40, M = N / 2)")
        yield syntax.Name(match[1], piece.span), _expression(piece.part(match.end()), read)


def _names(text: Text) -> Iterator[str]:
    for piece in text.split(","):
        if not piece.text.isidentifier():
            raise refused("expected the name of a variable", piece.span, "for example kill(work, row)")
        yield piece.text


def _positive(text: Text) -> int:
    if not re.fullmatch(r"\d+", text.text) or int(text.text) == 0:
        raise refused("expected a positive number", text.span, "for example size(32, 32)")
    return int(text.text)


def _expression(text: Text, read: ExpressionReader) -> syntax.Expr:
    """A C expression in a pragma; positions of its parts are found by column."""
    text = text.stripped()
    if not text.text:
        raise refused("an expression is missing here", text.span, "for example schedule(S0: i, j)")
    opening = "int x = "
    try:
        tree = c_parser.CParser().parse(f"{opening}{text.text};", "pragma")
    except c_parser.ParseError:
        raise refused(f"cannot read the expression '{text.text}'", text.span, "write it as in C") from None

    def span(node: c_ast.Node) -> Span:
        column = node.coord.column if node.coord else len(opening) + 1
        return text.span_at(text.offset + max(column - len(opening) - 1, 0))

    return read(tree.ext[0].init, span)
