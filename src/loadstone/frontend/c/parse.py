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
from loadstone.frontend.recursion_limit import MAX_NESTING, deep_recursion
from loadstone.model.types import FIXED_WIDTH

BARE_FUNCTION = "loadstone_bare_kernel"

_LIBRARY_TYPES = (*FIXED_WIDTH, "FILE", "va_list", "time_t", "clock_t", "pthread_t", "off_t", "wchar_t")
_PRELUDE = "".join(f"typedef int {name};" for name in _LIBRARY_TYPES) + "\n"
_TOKEN = re.compile(
    r'(?P<pragma>^[ \t]*\#[^\n]*)|(?P<string>"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')'
    r"|(?P<word>[A-Za-z_]\w*)|(?P<number>\.?\d[\w.]*)|(?P<mark>[^\w\s])",
    re.MULTILINE,
)
_SCOP = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+scop\b", re.MULTILINE)
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_MEANINGS = {
    "Invalid function definition": "this is neither a declaration nor a statement",
    "Invalid expression": "an expression is expected here",
    "At end of input": "the text ends here",
}
_DEPTH_OF_BODY = 10
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
        offset = self.preprocessed.offset(line, (coord.column or 1) - shift)
        return self._operator(node, offset) if isinstance(node, c_ast.UnaryOp) else offset

    def _operator(self, node: c_ast.UnaryOp, operand: int) -> int:
        """Where a prefix operator stands: before its operand, with nothing but other operators between."""
        text = self.preprocessed.text
        found = text.rfind(node.op, 0, operand)
        between = text[found + len(node.op) : operand]
        return operand if found < 0 or between.strip(" \t\n(*&+-!~") else found

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
        raise InputError(Diagnostic(f"there is no code in '{preprocessed.source.name}'", None, hint))
    _check_brackets(preprocessed)
    units = list(_top_level_units(preprocessed.text))
    bare = any(unit.kind == "statement" for unit in units)
    opening = f"void {BARE_FUNCTION}(void) {{" if bare else ""
    text = preprocessed.text
    while True:
        parser = c_parser.CParser(lexer=_Lexer)
        try:
            with deep_recursion():
                tree = parser.parse(_PRELUDE + (f"{opening}{text}\n}}" if bare else text), "kernel")
        except (c_parser.ParseError, RecursionError) as error:
            failure = _failure(preprocessed, error, parser.clex, len(opening))
            text = _without_broken_unit(text, units, failure, None if bare else wanted)
            continue
        parsed = Parsed(tree, preprocessed, bare, len(opening))
        _check_depth(parsed)
        return parsed


@dataclass(frozen=True, slots=True)
class _Failure:
    """A syntax error: where it is in the preprocessed text, and how to report it."""

    offset: int
    error: InputError


def _failure(preprocessed: Preprocessed, error: Exception, lexer: c_lexer.CLexer, shift: int) -> _Failure:
    """What pycparser reports, at the token that it read last where it does not say where."""
    assert isinstance(lexer, _Lexer)
    where = re.fullmatch(r"kernel(?::(\d+):(\d+))?: ?(.*)", str(error), re.DOTALL)
    line, column = (int(where[1]), int(where[2])) if where and where[1] else lexer.last
    offset = preprocessed.offset(line - 1, column - (shift if line == 2 else 0))
    if isinstance(error, RecursionError):
        return _Failure(offset, _too_deep(preprocessed.span_at(offset)))
    return _Failure(offset, _syntax_error(where[3] if where else str(error), preprocessed, offset))


def _syntax_error(message: str, preprocessed: Preprocessed, offset: int) -> InputError:
    text = preprocessed.text
    found = message.removeprefix("before: ")
    hint = "the text is not C at this point"
    if offset >= len(text.rstrip()):
        what = "unexpected end of the file"
        hint = "a ';' may be missing" if text.rstrip()[-1:] not in ";{}" else hint
    elif found == message:
        what = "syntax error: " + _MEANINGS.get(message, message[:1].lower() + message[1:])
    else:
        what = f"syntax error before '{found}'"
        before = text[:offset].rstrip()
        ends_line = "\n" in text[len(before) : offset]
        hint = "a ';' may be missing before it" if ends_line and before[-1:] not in ";{}" else hint
    return InputError(Diagnostic(what, preprocessed.span_at(offset), hint))


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


def _too_deep(span: Span) -> InputError:
    hint = f"at most {MAX_NESTING} levels are handled; split long expressions and nests"
    return InputError(Diagnostic("the program is nested too deeply here", span, hint))


def _check_depth(parsed: Parsed) -> None:
    """Raise an error where the tree is deeper than all that follows can handle."""
    waiting: list[tuple[c_ast.Node, int]] = [(parsed.tree, -_DEPTH_OF_BODY)]
    while waiting:
        node, depth = waiting.pop()
        if depth > MAX_NESTING:
            raise _too_deep(parsed.span(node))
        waiting.extend((child, depth + 1) for _, child in reversed(node.children()))


def _check_brackets(preprocessed: Preprocessed) -> None:
    """Raise an error at the first bracket without a partner, or nested too deeply."""
    open_brackets: list[re.Match[str]] = []
    for token in _TOKEN.finditer(preprocessed.text):
        if not token["mark"] or token[0] not in "()[]{}":
            continue
        if token[0] in _CLOSING:
            open_brackets.append(token)
        elif not open_brackets:
            raise _bracket_error(preprocessed, token, "closes nothing", "remove it, or open it before")
        elif _CLOSING[open_brackets[-1][0]] == token[0]:
            open_brackets.pop()
        else:
            break
        if len(open_brackets) > MAX_NESTING:
            raise _too_deep(preprocessed.span_at(token.start()))
    if open_brackets:
        last = open_brackets[-1]
        raise _bracket_error(preprocessed, last, "is never closed", f"close it with '{_CLOSING[last[0]]}'")


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
