"""Macro expansion and includes, by pcpp, keeping for every token where it came from.

System headers that cannot be found are skipped: kernels need no declaration from them, only some of their constants.
Compiler keywords that only decorate (`__restrict`, `__attribute__`) are removed.
"""

from __future__ import annotations

import io
import os
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pcpp

from loadstone.errors import Diagnostic, InputError, Problems, Source, Span
from loadstone.files import UnreadableFile, file_bytes, is_inside, unreadable
from loadstone.frontend.c.headers import HEADERS

_DECORATIONS = (
    "__attribute__(x)",
    "__attribute(x)",
    "__asm__(x)",
    "__declspec(x)",
    "__extension__",
    "__inline=inline",
    "__inline__=inline",
    "__restrict=restrict",
    "__restrict__=restrict",
    "__const=const",
    "__volatile__=volatile",
    "_Noreturn",
)
_HINTS = {
    "Macro": "call it with the arguments that its definition names",
    "Unterminated": "close it with #endif",
    "Misplaced": "open it with #if, #ifdef or #ifndef before",
}
_NEEDS_NAME = ("define", "undef", "ifdef", "ifndef", "include")
_MAX_INCLUDES = 50
_SEPARATORS = dict.fromkeys(map(ord, "\f\v\x85\u2028\u2029"), " ")


@dataclass(frozen=True, slots=True)
class Preprocessed:
    """Preprocessed text and the original position of each of its tokens."""

    text: str
    source: Source
    _offsets: list[int] = field(repr=False)
    _places: list[Span] = field(repr=False)
    _lines: list[int] = field(repr=False)

    def span_at(self, offset: int) -> Span:
        """The original position of an offset into the text."""
        index = bisect_right(self._offsets, offset) - 1
        return self._places[max(index, 0)] if self._places else self.source.span(1, 1)

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and column of the text, both from 1."""
        start = self._lines[min(line, len(self._lines)) - 1]
        return start + max(column, 1) - 1

    def span(self, line: int, column: int) -> Span:
        """The original position of a line and column of the text."""
        return self.span_at(self.offset(line, column))


def preprocess(source: Source, defines: Mapping[str, str], include: tuple[Path, ...]) -> Preprocessed:
    """A source with macros expanded and the user's own headers included."""
    folders = (Path(source.name).parent, *include)
    engine = _Engine(source, folders)
    for directory in folders:
        engine.add_path(str(directory))
    engine.rewrite_paths.clear()
    for decoration in _DECORATIONS:
        name, _, value = decoration.partition("=")
        engine.define(f"{name} {value}")
    for name, value in defines.items():
        engine.define(f"{name} {value}")
    engine.parse(source.text, source.name)
    tokens = list(iter(engine.token, None))
    engine.problems.raise_if_any()
    return _assemble(source, tokens)


def read_source(path: Path) -> Source:
    """The text of a file, or an `InputError` that says why it cannot be read."""
    name = str(path)
    try:
        data = file_bytes(path)
    except UnreadableFile as reason:
        raise unreadable(f"'{name}'", reason, None, "give the path of a C file, a .py file or a .yaml file") from None
    if b"\0" in data:
        raise InputError(Diagnostic(f"'{name}' is a binary file, not source text"))
    text = _plain_lines(data)
    if not is_plain_text(text):
        raise InputError(Diagnostic(f"'{name}' holds control characters; it is not C source"))
    return Source(name, text)


def _plain_lines(data: bytes) -> str:
    """The text with line feeds as its only line ends, and no space before them."""
    text = data.decode("utf-8-sig", errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    return "\n".join(line.rstrip() for line in text.translate(_SEPARATORS).split("\n"))


def is_plain_text(text: str) -> bool:
    """Whether a text has no control characters but white space."""
    return not any(char < " " and char not in "\t\n" for char in text)


class _Line(int):
    """A line number that remembers the exact place; tokens that a macro makes inherit it from the macro's call."""

    place: Span


def _line(place: Span) -> _Line:
    line = _Line(place.line)
    line.place = place
    return line


class _Engine(pcpp.Preprocessor):
    """pcpp with places for tokens, and with our handling of missing headers and of errors.

    Headers come from the given folders and those below; `outside` is one that was found elsewhere.
    """

    def __init__(self, source: Source, folders: tuple[Path, ...]) -> None:
        super().__init__()
        self.folders = folders
        self.outside: str | None = None
        self.problems = Problems()
        self.sources = {os.path.abspath(source.name): source}
        self.line_directive = None
        self.directive: Span | None = None

    def group_lines(self, input: str, abssource: str) -> Iterator[list[Any]]:
        """The tokens line by line, each with its place."""
        source = self.sources[abssource]
        starts = line_starts(input)
        for tokens in super().group_lines(input, abssource):
            for token in tokens:
                line = bisect_right(starts, token.lexpos)
                token.place = source.span(line, token.lexpos - starts[line - 1] + 1)
                token.lineno = _line(token.place)
            yield tokens

    def define(self, tokens: Any) -> None:
        """Define a macro; the tokens of its body have no place of their own."""
        super().define(tokens)
        name = tokens.split()[0].partition("(")[0] if isinstance(tokens, str) else tokens[0].value
        for token in self.macros[name].value if name in self.macros else ():
            token.place = None

    def on_include_not_found(self, is_malformed: bool, is_system_include: bool, curdir: str, includepath: str) -> None:
        outside, self.outside = self.outside, None
        if is_malformed:
            self.problems.add("this includes no file", self.directive, "write the name in quotes or angle brackets")
        elif outside is not None:
            message = f"the header '{includepath}' is outside of the kernel's folder and of those given with -I"
            self.problems.add(message, self.directive, f"allow its folder with -I {os.path.dirname(outside)}")
        elif is_system_include or includepath in HEADERS:
            for name, value in HEADERS.get(includepath, {}).items():
                if name not in self.macros:
                    self.define(f"{name} {value}")
        else:
            hint = "give its folder with -I DIR"
            self.problems.add(f"cannot find the header '{includepath}'", self.directive, hint)
        raise pcpp.OutputDirective(pcpp.Action.IgnoreAndRemove)

    def on_error(self, file: str, line: int, msg: str) -> None:
        place = line.place if isinstance(line, _Line) else self.directive
        hint = next((hint for start, hint in _HINTS.items() if msg.startswith(start)), "see the C preprocessor's rules")
        self.problems.add(msg[:1].lower() + msg[1:].strip(), place, hint)

    def on_directive_unknown(self, directive: Any, toks: list[Any], ifpassthru: bool, precedingtoks: list[Any]) -> Any:
        """Pragmas stay in the text; `#error` is an error, and nothing else matters."""
        if directive.value == "pragma":
            return None
        if directive.value == "error":
            message = "#error " + "".join(token.value for token in toks)
            self.problems.add(message, self.directive, "define what the file asks for with -D NAME=VALUE")
        return True

    def on_directive_handle(self, directive: Any, toks: list[Any], ifpassthru: bool, precedingtoks: list[Any]) -> Any:
        """Remember where the directive stands, and let it take effect."""
        self.directive = precedingtoks[0].place
        if not toks and directive.value == "pragma":
            raise pcpp.OutputDirective(pcpp.Action.IgnoreAndRemove)
        if not toks and directive.value in _NEEDS_NAME:
            message = f"'#{directive.value}' is not complete"
            raise InputError(Diagnostic(message, self.directive, "write a name behind it"))
        return super().on_directive_handle(directive, toks, ifpassthru, precedingtoks)

    def on_file_open(self, is_system_include: bool, includepath: str) -> Any:
        if self.include_depth > _MAX_INCLUDES:
            hint = "guard each header with #ifndef, or with #pragma once"
            raise InputError(Diagnostic("headers include each other without end", self.directive, hint))
        text = _plain_lines(self._allowed_bytes(includepath))
        shown = os.path.relpath(includepath)
        self.sources[includepath] = Source(includepath if shown.startswith("..") else shown, text)
        return io.StringIO(text)

    def _allowed_bytes(self, path: str) -> bytes:
        """The contents of a header; raises `FileNotFoundError` where there is none in the folders for headers."""
        if not os.path.exists(path) or os.path.isdir(path):
            raise FileNotFoundError(path)
        if not is_inside(Path(path), self.folders):
            self.outside = os.path.realpath(path)
            raise FileNotFoundError(path)
        try:
            return file_bytes(Path(path))
        except UnreadableFile as reason:
            raise unreadable(f"the header '{os.path.basename(path)}'", reason, self.directive) from None

    def on_comment(self, tok: Any) -> bool:
        return False


def line_starts(text: str) -> list[int]:
    """The offsets at which the lines of a text start."""
    return [0, *(offset + 1 for offset, char in enumerate(text) if char == "\n")]


def _assemble(source: Source, tokens: list[Any]) -> Preprocessed:
    parts: list[str] = []
    offsets: list[int] = []
    places: list[Span] = []
    size = 0
    for token in tokens:
        text = " " if token.type == "CPP_LINECONT" else token.value
        if text.strip():
            offsets.append(size)
            places.append(getattr(token, "place", None) or _called_at(token.lineno, source))
        parts.append(text)
        size += len(text)
    text = "".join(parts)
    return Preprocessed(text, source, offsets, places, line_starts(text))


def _called_at(line: int, source: Source) -> Span:
    """Where the macro was called that made a token."""
    return line.place if isinstance(line, _Line) else source.span(1, 1)
