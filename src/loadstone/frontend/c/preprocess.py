"""Macro expansion and includes, by pcpp, keeping for every token where it came from.

System headers that cannot be found are skipped: kernels need no declaration from them. Compiler keywords that only
decorate (`__restrict`, `__attribute__`) are removed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pcpp

from loadstone.errors import Problems, Source, Span

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


@dataclass(frozen=True, slots=True)
class Preprocessed:
    """Preprocessed text and the original position of each of its tokens."""

    text: str
    source: Source
    _offsets: list[int] = field(repr=False)
    _origins: list[tuple[Source, int]] = field(repr=False)
    _lines: list[int] = field(repr=False)

    def span_at(self, offset: int) -> Span:
        """The original position of an offset into the text."""
        index = bisect_right(self._offsets, offset) - 1
        if not self._origins:
            return self.source.span(1, 1)
        origin, position = self._origins[max(index, 0)]
        return origin.span_at(position)

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and column of the text, both from 1."""
        start = self._lines[min(line, len(self._lines)) - 1]
        return start + max(column, 1) - 1

    def span(self, line: int, column: int) -> Span:
        """The original position of a line and column of the text."""
        return self.span_at(self.offset(line, column))


def preprocess(path: Path, defines: Mapping[str, str], include: tuple[Path, ...]) -> Preprocessed:
    """The file at `path` with macros expanded and the user's own headers included."""
    source = read_source(path)
    engine = _Engine(source)
    for directory in (path.parent, *include):
        engine.add_path(str(directory))
    for decoration in _DECORATIONS:
        name, _, value = decoration.partition("=")
        engine.define(f"{name} {value}")
    for name, value in defines.items():
        engine.define(f"{name} {value}")
    engine.parse(source.text, source.name)
    tokens = list(iter(engine.token, None))
    engine.problems.raise_if_any()
    return _assemble(source, engine, tokens)


def read_source(path: Path) -> Source:
    """The text of a file, or an `InputError` that says why it cannot be read."""
    problems = Problems()
    name = str(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        reason = (error.strerror or "cannot be read").lower()
        problems.add(f"cannot read '{name}': {reason}", hint="give the path of a C file, a .py file or a .yaml file")
        problems.raise_if_any()
        raise
    if b"\0" in data:
        problems.add(f"'{name}' is a binary file, not C source")
    text = data.decode("utf-8", errors="replace")
    if not is_plain_text(text):
        problems.add(f"'{name}' holds control characters; it is not C source")
    problems.raise_if_any()
    return Source(name, text.replace("\r\n", "\n"))


def is_plain_text(text: str) -> bool:
    """Whether a text has no control characters but white space."""
    return not any(char < " " and char not in "\t\n\r\f\v" for char in text)


class _Engine(pcpp.Preprocessor):
    """pcpp with our handling of missing headers and of errors."""

    def __init__(self, source: Source) -> None:
        super().__init__()
        self.problems = Problems()
        self.sources = {source.name: source}
        self.line_directive = None

    def on_include_not_found(
        self, is_malformed: bool, is_system_include: bool, curdir: str, includepath: str
    ) -> None:
        if not is_system_include and not is_malformed:
            self.problems.add(
                f"cannot find the header '{includepath}'",
                self._here(),
                "give its folder with -I DIR",
            )
        raise pcpp.OutputDirective(pcpp.Action.IgnoreAndRemove)

    def on_error(self, file: str, line: int, msg: str) -> None:
        source = self.sources.get(file)
        self.problems.add(msg.strip(), source.span(line, 1) if source else None)

    def on_file_open(self, is_system_include: bool, includepath: str) -> Any:
        handle = super().on_file_open(is_system_include, includepath)
        text = Path(includepath).read_text(encoding="utf-8", errors="replace")
        self.sources[includepath] = Source(includepath, text)
        return handle

    def on_comment(self, tok: Any) -> bool:
        return False

    def _here(self) -> Span | None:
        source = self.sources.get(self.source)
        line = self.linemacro
        return source.span(line, 1) if source and line else None


def _assemble(source: Source, engine: _Engine, tokens: list[Any]) -> Preprocessed:
    parts: list[str] = []
    offsets: list[int] = []
    origins: list[tuple[Source, int]] = []
    size = 0
    for token, origin in zip(tokens, _origins(source, engine, tokens), strict=True):
        if token.value.strip():
            offsets.append(size)
            origins.append(origin)
        parts.append(token.value)
        size += len(token.value)
    text = "".join(parts)
    starts = [0, *(i + 1 for i, char in enumerate(text) if char == "\n")]
    return Preprocessed(text, source, offsets, origins, starts)


def _origins(source: Source, engine: _Engine, tokens: list[Any]) -> Iterator[tuple[Source, int]]:
    """For each token its source and offset there; a token that a macro made stands where the macro was called."""
    after = 0
    for token in tokens:
        origin = engine.sources.get(token.source, source)
        if getattr(token, "expanded_from", None):
            yield origin, _skip_space(origin.text, after)
        else:
            after = token.lexpos + len(token.value)
            yield origin, token.lexpos


def _skip_space(text: str, offset: int) -> int:
    while offset < len(text) and text[offset].isspace():
        offset += 1
    return min(offset, max(len(text) - 1, 0))
