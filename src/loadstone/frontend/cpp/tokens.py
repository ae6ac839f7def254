"""The tokens of a C++ text, and its top-level parts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from loadstone.frontend.c.preprocess import Preprocessed

Kind = Literal["word", "number", "string", "mark", "pragma"]
_TOKEN = re.compile(
    r"(?P<pragma>^[ \t]*\#[^\n]*)|(?P<string>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')"
    r"|(?P<word>[A-Za-z_]\w*)|(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)|(?P<mark>::|[^\w\s])",
    re.MULTILINE,
)
_PIECE = re.compile(r"\w+|[^\w\s]")
_OPENING, _CLOSING = "([{", ")]}"


@dataclass(frozen=True, slots=True)
class Token:
    """A token: its text, the space before it, and where it starts in the C++ text."""

    text: str
    kind: Kind
    offset: int
    lead: str = ""

    def spelled(self, text: str) -> Token:
        """The token with another text."""
        return replace(self, text=text)

    @property
    def removed(self) -> Token:
        """Nothing in its place."""
        return replace(self, text="")


@dataclass(frozen=True, slots=True)
class Unit:
    """A top-level part: a function, a declaration or a pragma; `name` is what it defines, `around` its namespaces."""

    tokens: tuple[Token, ...]
    name: str
    around: tuple[str, ...] = ()

    @property
    def is_pragma(self) -> bool:
        """Whether it is a pragma."""
        return self.tokens[0].kind == "pragma"

    @property
    def is_template(self) -> bool:
        """Whether it is a template."""
        return self.tokens[0].text == "template"

    @property
    def defines(self) -> set[str]:
        """The names that it may define."""
        pairs = pairwise(self.tokens)
        is_function = any(token.text == "{" for token in self.tokens)
        found = {a.text for a, b in pairs if a.kind == "word" and b.text in ("=", ",", ";", "[")}
        return {self.name} if is_function else {self.name, *found}

    @property
    def words(self) -> set[str]:
        """The names in it."""
        return {token.text for token in self.tokens if token.kind == "word"}


def tokens_of(preprocessed: Preprocessed) -> list[Token]:
    """The tokens of a text; a pragma is one for each of its words."""
    return list(_tokens(preprocessed.text))


def _tokens(text: str) -> Iterator[Token]:
    end = 0
    for found in _TOKEN.finditer(text):
        lead, end = text[end : found.start()], found.end()
        if found["pragma"]:
            yield from _pragma(found[0], found.start(), lead)
            continue
        kind: Kind = (
            "word" if found["word"] else "number" if found["number"] else "string" if found["string"] else "mark"
        )
        yield Token(found[0], kind, found.start(), lead)


def _pragma(text: str, start: int, lead: str) -> Iterator[Token]:
    end = 0
    for piece in _PIECE.finditer(text):
        yield Token(piece[0], "pragma", start + piece.start(), (lead if end == 0 else "") + text[end : piece.start()])
        end = piece.end()


def closing(tokens: Sequence[Token], opening: int) -> int:
    """The position of the bracket that closes another; the last token where there is none."""
    depth = 0
    for position in range(opening, len(tokens)):
        text, is_mark = tokens[position].text, tokens[position].kind == "mark"
        depth += is_mark * ((text in _OPENING) - (text in _CLOSING))
        if depth == 0:
            return position
    return len(tokens) - 1


def angle_closing(tokens: Sequence[Token], opening: int) -> int | None:
    """The position of the `>` that closes a `<` of template arguments; None where it is an operator."""
    depth, position = 0, opening
    while position < len(tokens) and tokens[position].text not in (";", "{", "}"):
        text = tokens[position].text
        if text in ("(", "["):
            position = closing(tokens, position)
        depth += (text == "<") - (text == ">")
        if depth == 0:
            return position
        position += 1
    return None


def comma_parts(tokens: Sequence[Token]) -> list[list[Token]]:
    """The parts between commas that stand outside of brackets, template arguments included."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.text in ("(", "[", "{", "<")) - (token.text in (")", "]", "}", ">"))
        if token.text == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts if parts != [[]] else []


def units_of(tokens: Sequence[Token], around: tuple[str, ...] = ()) -> Iterator[Unit]:
    """The top-level parts; namespaces and blocks of C linkage are opened."""
    position = 0
    while position < len(tokens):
        inside = _opened(tokens, position)
        if inside is not None:
            end = closing(tokens, inside)
            named = tokens[position].text == "namespace" and tokens[position + 1].kind == "word"
            inner = (*around, tokens[position + 1].text) if named else around
            yield from units_of(tokens[inside + 1 : end], inner)
            position = end + 1
            continue
        end = _end_of_unit(tokens, position)
        part = tuple(tokens[position:end])
        yield Unit(part, _name(part), around)
        position = end


def _opened(tokens: Sequence[Token], position: int) -> int | None:
    """The position of the brace that opens a namespace or a block of C linkage."""
    texts = [token.text for token in tokens[position : position + 3]]
    match texts:
        case ["namespace", _, "{"]:
            return position + 2
        case ["namespace", "{", _]:
            return position + 1
        case ["extern", text, "{"] if text.startswith('"'):
            return position + 2
        case _:
            return None


def _end_of_unit(tokens: Sequence[Token], start: int) -> int:
    if tokens[start].kind == "pragma":
        stop = start + 1
        while stop < len(tokens) and tokens[stop].kind == "pragma" and "\n" not in tokens[stop].lead:
            stop += 1
        return stop
    position, has_arguments, assigned = start, False, False
    while position < len(tokens):
        text = tokens[position].text
        if text in ("(", "[", "{") and tokens[position].kind == "mark":
            end = closing(tokens, position)
            if text == "{" and has_arguments and not assigned:
                return end + 1
            has_arguments = has_arguments or text == "("
            position = end
        assigned = assigned or text == "="
        if text == ";":
            return position + 1
        position += 1
    return len(tokens)


def _name(tokens: Sequence[Token]) -> str:
    """What a part defines: the last name before its arguments, its value or its end."""
    if tokens[0].text == "template":
        tokens = tokens[(angle_closing(tokens, 1) or 0) + 1 :]
    if tokens and tokens[0].text == "using" and len(tokens) > 1:
        return tokens[1].text
    name, position = "", 0
    while position < len(tokens):
        token = tokens[position]
        if token.kind == "mark" and token.text in "(=[{;":
            break
        end = angle_closing(tokens, position) if token.text == "<" else None
        name = token.text if token.kind == "word" else name
        position = end + 1 if end is not None else position + 1
    return name
