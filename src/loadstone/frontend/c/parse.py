"""From preprocessed text to pycparser's tree, tolerant of what surrounds the kernel.

Files around a kernel hold much that no kernel needs (timers, printing, declarations that lean on missing headers).
A top-level declaration or function that does not parse is dropped, unless it holds the kernel.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pycparser import c_ast, c_lexer, c_parser

from loadstone.errors import Diagnostic, InputError, Span
from loadstone.frontend.c.preprocess import Preprocessed
from loadstone.model.types import FIXED_WIDTH

BARE_FUNCTION = "loadstone_bare_kernel"
MAX_NESTING = 200

_LIBRARY_TYPES = (*FIXED_WIDTH, "FILE", "va_list", "time_t", "clock_t", "pthread_t", "off_t", "wchar_t")
_PRELUDE = "".join(f"typedef int {name};" for name in _LIBRARY_TYPES) + "\n"
_TOKEN = re.compile(
    r'(?P<pragma>^[ \t]*\#[^\n]*)|(?P<string>"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')'
    r"|(?P<word>[A-Za-z_]\w*)|(?P<number>\.?\d[\w.]*)|(?P<mark>[^\w\s])",
    re.MULTILINE,
)
_SCOP = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+scop\b", re.MULTILINE)
_PARTNERS = {")": "(", "]": "[", "}": "{"}
_STATEMENT_WORDS = frozenset({"for", "if", "while", "do", "goto", "return", "break", "switch"})
_DECLARATION_WORDS = frozenset(
    {"typedef", "static", "extern", "const", "volatile", "struct", "union", "enum", "inline", "register", "void"}
    | {"char", "short", "int", "long", "float", "double", "signed", "unsigned", "_Bool"}
    | set(_LIBRARY_TYPES)
)


class _Lexer(c_lexer.CLexer):
    """A lexer that remembers the line and column of the last token."""

    last = (1, 1)

    def token(self) -> c_lexer.Token | None:
        """The next token, or None at the end."""
        token = super().token()
        if token is not None:
            self.last = (token.lineno, token.column)
        return token


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


def parse(preprocessed: Preprocessed, wanted: str | None = None) -> Parsed:
    """The tree of a preprocessed file; raises `InputError` when the kernel itself does not parse.

    `wanted` is the function that holds the kernel, where the user named one.
    """
    if not preprocessed.text.strip():
        hint = "a kernel is at least one loop"
        raise InputError(Diagnostic(f"'{preprocessed.source.name}' is empty", None, hint))
    _check_brackets(preprocessed)
    units = list(_top_level_units(preprocessed.text))
    bare = any(unit.kind == "statement" for unit in units)
    opening = f"void {BARE_FUNCTION}(void) {{" if bare else ""
    text = preprocessed.text
    while True:
        body = f"{opening}{text}\n}}" if bare else text
        parser = c_parser.CParser(lexer=_Lexer)
        try:
            tree = parser.parse(_PRELUDE + body, "kernel")
        except c_parser.ParseError as error:
            assert isinstance(parser.clex, _Lexer)
            failure = _failure(preprocessed, str(error), parser.clex, len(opening))
            text = _without_broken_unit(text, units, failure, None if bare else wanted)
            continue
        except RecursionError:
            raise too_deep(preprocessed.source.span(1, 1)) from None
        return Parsed(tree, preprocessed, bare, len(opening))


@dataclass(frozen=True, slots=True)
class _Failure:
    """A syntax error: where it is in the preprocessed text, and how to report it."""

    offset: int
    error: InputError


def _failure(preprocessed: Preprocessed, report: str, lexer: _Lexer, shift: int) -> _Failure:
    """The syntax error that pycparser reports, at the token that it read last where it does not say where."""
    where = re.fullmatch(r"kernel(?::(\d+):(\d+))?: ?(.*)", report, re.DOTALL)
    message = where[3] if where else report
    line, column = (int(where[1]), int(where[2])) if where and where[1] else lexer.last
    offset = preprocessed.offset(line - 1, column - (shift if line == 2 else 0))
    return _Failure(offset, _syntax_error(_described(message), preprocessed, offset))


def _described(message: str) -> str:
    found = message.removeprefix("before: ")
    return f"syntax error before '{found}'" if found != message else f"syntax error: {message[:1].lower()}{message[1:]}"


def _syntax_error(message: str, preprocessed: Preprocessed, offset: int) -> InputError:
    beyond = offset >= len(preprocessed.text.rstrip())
    what = "unexpected end of the file" if beyond else message
    return InputError(Diagnostic(what, preprocessed.span_at(offset), "the text is not C at this point"))


def _without_broken_unit(text: str, units: list[_Unit], failure: _Failure, wanted: str | None) -> str:
    """The text with the unit that holds a syntax error blanked out; raises the error if the kernel may be there."""
    unit = next((u for u in units if u.start <= failure.offset < u.end), units[-1])
    chunk = text[unit.start : unit.end]
    if _SCOP.search(text):
        needed = _SCOP.search(chunk) is not None
    else:
        needed = wanted is None or re.search(rf"\b{re.escape(wanted)}\b", chunk) is not None
    if needed or unit.kind == "statement" or not chunk.strip():
        raise failure.error
    return text[: unit.start] + re.sub(r"[^\n]", " ", chunk) + text[unit.end :]


def too_deep(span: Span | None) -> InputError:
    """The error for a program whose nesting exceeds what can be handled."""
    return InputError(Diagnostic("the program is nested too deeply", span, f"keep nesting below {MAX_NESTING} levels"))


def _check_brackets(preprocessed: Preprocessed) -> None:
    """Raise an error at the first bracket without a partner."""
    open_brackets: list[re.Match[str]] = []
    for token in _TOKEN.finditer(preprocessed.text):
        if not token["mark"] or token[0] not in "()[]{}":
            continue
        if token[0] in "([{":
            open_brackets.append(token)
        elif not open_brackets or open_brackets.pop()[0] != _PARTNERS[token[0]]:
            hint = f"open it with '{_PARTNERS[token[0]]}', or remove it"
            raise _bracket_error(preprocessed, token, "has no partner", hint)
        if len(open_brackets) > MAX_NESTING:
            raise too_deep(preprocessed.span_at(token.start()))
    if open_brackets:
        closing = {opening: closing for closing, opening in _PARTNERS.items()}[open_brackets[-1][0]]
        raise _bracket_error(preprocessed, open_brackets[-1], "is never closed", f"close it with '{closing}'")


def _bracket_error(preprocessed: Preprocessed, token: re.Match[str], what: str, hint: str) -> InputError:
    return InputError(Diagnostic(f"this '{token[0]}' {what}", preprocessed.span_at(token.start()), hint))


def _top_level_units(text: str) -> Iterator[_Unit]:
    depth = 0
    tokens: list[re.Match[str]] = []
    for token in _TOKEN.finditer(text):
        if token["pragma"] and depth == 0 and not tokens:
            yield _Unit(token.start(), token.end(), "pragma")
            continue
        tokens.append(token)
        depth += (token[0] in "({[") - (token[0] in ")}]") if token["mark"] else 0
        if depth <= 0 and token["mark"] and _ends_unit(token[0], tokens):
            yield _Unit(tokens[0].start(), token.end(), _kind(tokens))
            tokens, depth = [], 0
    if tokens:
        yield _Unit(tokens[0].start(), len(text), _kind(tokens))


def _ends_unit(mark: str, tokens: list[re.Match[str]]) -> bool:
    if mark == ";":
        return not _is_old_style_head(tokens)
    if mark != "}":
        return False
    return _kind(tokens) == "statement" or (any(t[0] == ")" for t in tokens[:-1]) and not _has_assign(tokens))


def _is_old_style_head(tokens: list[re.Match[str]]) -> bool:
    """Whether the tokens are the head of a function in the style `f(n) int n;`, whose body is still to come."""
    if _kind(tokens) == "statement":
        return False
    closing = next((k for k, token in enumerate(tokens) if token[0] == ")"), len(tokens))
    return closing + 1 < len(tokens) and tokens[closing + 1]["word"] is not None


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
