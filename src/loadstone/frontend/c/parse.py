"""From preprocessed text to pycparser's tree, tolerant of what surrounds the kernel.

Files around a kernel hold much that no kernel needs (timers, printing, declarations that lean on missing headers).
A top-level declaration or function that does not parse is dropped, unless it holds the kernel.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pycparser import c_ast, c_parser

from loadstone.errors import Diagnostic, InputError, Span
from loadstone.frontend.c.preprocess import Preprocessed
from loadstone.kernel.types import FIXED_WIDTH

BARE_FUNCTION = "loadstone_bare_kernel"
MAX_NESTING = 200

_LIBRARY_TYPES = (*FIXED_WIDTH, "FILE", "va_list", "time_t", "clock_t", "pthread_t", "off_t", "wchar_t")
_PRELUDE = "".join(f"typedef int {name};" for name in _LIBRARY_TYPES) + "\n"
_TOKEN = re.compile(
    r'(?P<pragma>^[ \t]*\#[^\n]*)|(?P<string>"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')'
    r"|(?P<word>[A-Za-z_]\w*)|(?P<number>\.?\d[\w.]*)|(?P<mark>[^\w\s])",
    re.MULTILINE,
)
_STATEMENT_WORDS = frozenset({"for", "if", "while", "do", "goto", "return", "break", "switch"})
_DECLARATION_WORDS = frozenset(
    {"typedef", "static", "extern", "const", "volatile", "struct", "union", "enum", "inline", "register", "void"}
    | {"char", "short", "int", "long", "float", "double", "signed", "unsigned", "_Bool"}
    | set(_LIBRARY_TYPES)
)


@dataclass(frozen=True, slots=True)
class Parsed:
    """The tree of a file and the means to find its nodes in the source; `bare`: statements stood outside functions."""

    tree: c_ast.FileAST
    preprocessed: Preprocessed
    bare: bool
    _shift: int

    def offset(self, node: c_ast.Node) -> int:
        """Where a node starts in the preprocessed text."""
        coord = node.coord
        if coord is None:
            return 0
        line = coord.line - 1
        shift = self._shift if self.bare and line == 1 else 0
        return self.preprocessed.offset(line, (coord.column or 1) - shift)

    def span(self, node: c_ast.Node) -> Span:
        """Where a node stands in the user's source."""
        return self.preprocessed.span_at(self.offset(node))


@dataclass(frozen=True, slots=True)
class _Unit:
    """A top-level declaration, function, statement or pragma: `text[start:end]`."""

    start: int
    end: int
    kind: str


def parse(preprocessed: Preprocessed) -> Parsed:
    """The tree of a preprocessed file; raises `InputError` when the kernel itself does not parse."""
    if not preprocessed.text.strip():
        raise InputError(Diagnostic(f"'{preprocessed.source.name}' is empty", None, "a kernel is at least one loop"))
    units = list(_top_level_units(preprocessed))
    bare = any(unit.kind == "statement" for unit in units)
    opening = f"void {BARE_FUNCTION}(void) {{" if bare else ""
    text = preprocessed.text
    while True:
        body = f"{opening}{text}\n}}" if bare else text
        try:
            tree = c_parser.CParser().parse(_PRELUDE + body, "kernel")
        except c_parser.ParseError as error:
            text = _without_broken_unit(preprocessed, text, units, str(error), len(opening))
            continue
        except RecursionError:
            raise _too_deep(preprocessed.source.span(1, 1)) from None
        return Parsed(tree, preprocessed, bare, len(opening))


def _without_broken_unit(preprocessed: Preprocessed, text: str, units: list[_Unit], error: str, shift: int) -> str:
    """The text with the unit that holds a syntax error blanked out, if the kernel can do without it."""
    where = re.match(r"kernel:(\d+):(\d+): ?(.*)", error)
    line, column = (int(where[1]) - 1, int(where[2])) if where else (1, 1)
    offset = preprocessed.offset(line, column - (shift if line == 1 else 0)) if where else len(text) - 1
    unit = next((u for u in units if u.start <= offset < u.end), units[-1])
    chunk = text[unit.start : unit.end]
    needed = unit.kind == "statement" or "pragma scop" in chunk or "#pragma" not in text or not chunk.strip()
    if shift or needed:
        raise _syntax_error(preprocessed, offset, where[3] if where else error)
    return text[: unit.start] + re.sub(r"[^\n]", " ", chunk) + text[unit.end :]


def _syntax_error(preprocessed: Preprocessed, offset: int, message: str) -> InputError:
    found = message.removeprefix("before: ")
    at_end = not where_text(preprocessed, offset)
    what = "unexpected end of the file" if at_end else f"syntax error before '{found}'"
    return InputError(Diagnostic(what, preprocessed.span_at(offset), "the text is not C at this point"))


def where_text(preprocessed: Preprocessed, offset: int) -> str:
    """What stands from an offset on, without surrounding space."""
    return preprocessed.text[offset:].strip()


def _too_deep(span: Span) -> InputError:
    return InputError(Diagnostic("the program is nested too deeply", span, f"keep nesting below {MAX_NESTING} levels"))


def _top_level_units(preprocessed: Preprocessed) -> Iterator[_Unit]:
    depth = 0
    tokens: list[re.Match[str]] = []
    for token in _TOKEN.finditer(preprocessed.text):
        if token["pragma"] and depth == 0 and not tokens:
            yield _Unit(token.start(), token.end(), "pragma")
            continue
        tokens.append(token)
        depth += (token[0] in "({[") - (token[0] in ")}]") if token["mark"] else 0
        if depth > MAX_NESTING:
            raise _too_deep(preprocessed.span_at(token.start()))
        if depth <= 0 and token["mark"] and _ends_unit(token[0], tokens):
            yield _Unit(tokens[0].start(), token.end(), _kind(tokens))
            tokens, depth = [], 0
    if tokens:
        yield _Unit(tokens[0].start(), len(preprocessed.text), _kind(tokens))


def _ends_unit(mark: str, tokens: list[re.Match[str]]) -> bool:
    if mark == ";":
        return True
    return mark == "}" and (_kind(tokens) == "statement" or any(t[0] == ")" for t in tokens[:-1]) and not _has_assign(tokens))


def _has_assign(tokens: list[re.Match[str]]) -> bool:
    """Whether an `=` stands before the first brace: an initialiser, not a function body."""
    for token in tokens:
        if token[0] in "={":
            return token[0] == "="
    return False


def _kind(tokens: list[re.Match[str]]) -> str:
    first = tokens[0][0]
    if first in _STATEMENT_WORDS or first == "{":
        return "statement"
    if tokens[0]["word"] and first not in _DECLARATION_WORDS and len(tokens) > 1 and tokens[1][0] in "[=+-*/:":
        return "declaration" if tokens[1][0] == "*" else "statement"
    return "declaration"
