"""Positions: the nodes of Python's tree, and pieces of the strings in it, found again in the user's file."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from loadstone.errors import Source, Span, refused

Finder = Callable[[ast.AST], Span]

_QUOTES = ("'", '"', "'''", '"""')


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of text and where it starts; when it is not `exact`, where the whole of it comes from."""

    text: str
    span: Span
    exact: bool = True

    def part(self, start: int, end: int | None = None) -> Text:
        """The piece from one offset to another."""
        return replace(self, text=self.text[start:end], span=self._moved(start))

    def stripped(self) -> Text:
        """The piece without surrounding space."""
        start = len(self.text) - len(self.text.lstrip())
        return replace(self.part(start), text=self.text.strip())

    def split(self, separator: str) -> Iterator[Text]:
        """The pieces between separators."""
        start = 0
        for piece in self.text.split(separator):
            yield self.part(start, start + len(piece)).stripped()
            start += len(piece) + len(separator)

    def parse(self) -> tuple[ast.expr, Finder]:
        """The text as a Python expression, and the means to find the parts of it."""
        try:
            tree = ast.parse(f"({self.text})", mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            hint = "write a Python expression, for example n >= 1 and m < n"
            raise refused(f"cannot read the expression '{self.text.strip()}'", self.span, hint) from None
        return tree, self._span_in

    def _span_in(self, node: ast.AST) -> Span:
        line, column = _position(f"({self.text})", node)
        return self._moved(column - 2) if line == 1 else self.span

    def _moved(self, offset: int) -> Span:
        moves = self.exact and "\n" not in self.text[:offset]
        return replace(self.span, column=self.span.column + max(offset, 0)) if moves else self.span


@dataclass(frozen=True, slots=True)
class Script:
    """A Python text in which the nodes of its tree can be found."""

    source: Source

    def span(self, node: ast.AST) -> Span:
        """Where a node starts."""
        return self.source.span(*_position(self.source.text, node))

    def string(self, node: ast.Constant) -> Text:
        """The contents of a string literal; exact when it is written in one piece and without escapes."""
        span = self.span(node)
        written = ast.get_source_segment(self.source.text, node) or ""
        quotes = next((q for q in _QUOTES if written == q + str(node.value) + q), None)
        if quotes is None:
            return Text(str(node.value), span, exact=False)
        return Text(str(node.value), replace(span, column=span.column + len(quotes)))


def _position(text: str, node: ast.AST) -> tuple[int, int]:
    """Line and column of a node in characters, from 1; Python counts the bytes of UTF-8 from 0."""
    number = getattr(node, "lineno", 1)
    lines = _lines(text)
    line = lines[number - 1] if number <= len(lines) else ""
    before = line.encode()[: getattr(node, "col_offset", 0)]
    return number, len(before.decode(errors="replace")) + 1


@lru_cache(maxsize=16)
def _lines(text: str) -> list[str]:
    return text.split("\n")
