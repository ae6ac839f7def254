"""Bodies of elementary tasks: C in the specification, or a function of a C file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pycparser import c_ast

from loadstone.errors import Source, Span, refused
from loadstone.frontend.arrayol.specification import Body, Token
from loadstone.frontend.c.parse import parse
from loadstone.frontend.c.preprocess import Preprocessed, preprocess

_TOKEN = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|[A-Za-z_]\w*|\d[\w.]*|\s+|.", re.DOTALL)


def inline_body(text: str, span: Span, is_exact: bool) -> Body:
    """A body in the specification; all of it stands where it begins, if its lines are not those of the file."""
    return Body(tuple(_inline_tokens(text, span, is_exact)))


def _inline_tokens(text: str, span: Span, is_exact: bool) -> Iterator[Token]:
    line, column = 0, 0
    for match in _TOKEN.finditer(text):
        word = match[0]
        place = span.source.span(span.line + line, span.column + column) if is_exact else span
        yield Token(" " if word.startswith(("/*", "//")) else word, place)
        line += word.count("\n")
        column = len(word) - word.rindex("\n") - 1 if "\n" in word else column + len(word)


def tokens_at(text: str, span: Span) -> Iterator[Token]:
    """The tokens of a text, all of which stand at one place."""
    return (Token(match[0], span) for match in _TOKEN.finditer(text))


def function_body(source: Source, name: str, span: Span) -> Body:
    """The body of a function of a C file; `span` is where the function is named."""
    text = preprocess(source, {}, ())
    parsed = parse(text, name)
    functions = [node for node in parsed.tree.ext if isinstance(node, c_ast.FuncDef)]
    found = next((node for node in functions if node.decl.name == name), None)
    if found is None:
        known = ", ".join(node.decl.name for node in functions) or "none"
        raise refused(f"there is no function '{name}' in '{source.name}'", span, f"its functions: {known}")
    opening = text.text.index("{", parsed.offset(found.decl))
    closing = _matching(text.text, opening)
    start = max(text.text.rfind(mark, 0, parsed.offset(found.decl)) for mark in ";}")
    around = (*_tokens(text, 0, start + 1), *_tokens(text, closing + 1, len(text.text)))
    return Body(tuple(_tokens(text, opening + 1, closing)), around)


def _tokens(text: Preprocessed, start: int, end: int) -> Iterator[Token]:
    for match in _TOKEN.finditer(text.text, start, end):
        yield Token(match[0], text.span_at(match.start()))


def _matching(text: str, opening: int) -> int:
    depth = 0
    for match in _TOKEN.finditer(text, opening):
        depth += (match[0] == "{") - (match[0] == "}")
        if depth == 0:
            return match.start()
    return len(text)
