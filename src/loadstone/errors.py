"""What can go wrong, and how it is said: position, source line, caret, hint.

>>> source = Source("k.c", "for (;;)\\n  x = y;\\n")
>>> print(Diagnostic("'y' is not declared", source.span(2, 7), "declare it").text())
k.c:2:7: error: 'y' is not declared
  x = y;
      ^
hint: declare it
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Source:
    """A text that the user gave, and the name it goes by."""

    name: str
    text: str = field(repr=False)

    def line(self, number: int) -> str:
        """The line with this number (from 1), without its end; empty beyond the text."""
        lines = self.text.splitlines()
        return lines[number - 1] if 1 <= number <= len(lines) else ""

    def span(self, line: int, column: int) -> Span:
        """The position at a line and column, both counted from 1."""
        return Span(self, line, column)

    def span_at(self, offset: int) -> Span:
        """The position of a character offset."""
        line = self.text.count("\n", 0, offset) + 1
        return Span(self, line, offset - (self.text.rfind("\n", 0, offset) + 1) + 1)


@dataclass(frozen=True, slots=True)
class Span:
    """A position in a source, counted from 1."""

    source: Source
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.source.name}:{self.line}:{self.column}"

    def excerpt(self) -> str:
        """The source line with a caret under the column."""
        text = self.source.line(self.line)
        margin = "".join("\t" if char == "\t" else " " for char in text[: self.column - 1])
        return f"{text}\n{margin}^"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One problem: what is wrong, where, and what to do about it."""

    message: str
    span: Span | None = None
    hint: str = ""

    def text(self) -> str:
        """The problem as shown to people."""
        where = f"{self.span}: " if self.span else ""
        lines = [f"{where}error: {self.message}"]
        if self.span and self.span.source.line(self.span.line).strip():
            lines.append(self.span.excerpt())
        if self.hint:
            lines.append(f"hint: {self.hint}")
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        """The problem for programs; positions are null where there are none."""
        span = self.span
        place = ("file", "line", "column")
        where = (None, None, None) if span is None else (span.source.name, span.line, span.column)
        return {"message": self.message, **dict(zip(place, where, strict=True)), "hint": self.hint}


class LoadstoneError(Exception):
    """Base of all errors that a user may see; `exit_status` is what the command line returns."""

    exit_status = 2

    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__("\n".join(d.text() for d in diagnostics))
        self.diagnostics = diagnostics

    def as_json(self) -> dict[str, Any]:
        """The first problem as JSON, and all of them where there are several."""
        first, *others = (d.as_json() for d in self.diagnostics)
        return {"error": first} | ({"errors": [first, *others]} if others else {})


class InputError(LoadstoneError):
    """The input is wrong; holds every problem that was found."""


def refused(message: str, span: Span | None = None, hint: str = "") -> InputError:
    """The error for something that cannot stand where it does."""
    return InputError(Diagnostic(message, span, hint))


class UnsupportedError(InputError):
    """The input may be right, but a method cannot handle it."""


class ToolError(LoadstoneError):
    """An external program is missing or failed."""


class RunFailed(LoadstoneError):
    """A run that failed: hardware that reports an error, or a program that crashed."""

    exit_status = 1


class IllegalTransformation(LoadstoneError):
    """A schedule or tiling that breaks a dependence; the diagnostic carries the witness."""

    exit_status = 1


class Problems:
    """Collects the diagnostics of a file, so that all of them are reported at once."""

    def __init__(self) -> None:
        self._found: list[Diagnostic] = []

    def add(self, message: str, span: Span | None = None, hint: str = "") -> None:
        """Record a problem; the same one is kept only once."""
        diagnostic = Diagnostic(message, span, hint)
        if diagnostic not in self._found:
            self._found.append(diagnostic)

    def extend(self, error: InputError) -> None:
        """Record the problems that an error carries."""
        for diagnostic in error.diagnostics:
            self.add(diagnostic.message, diagnostic.span, diagnostic.hint)

    @property
    def found(self) -> tuple[Diagnostic, ...]:
        """What was recorded so far."""
        return tuple(self._found)

    def raise_if_any(self) -> None:
        """Raise `InputError` with everything recorded, in the order of the source."""
        if self._found:
            raise InputError(*sorted(self._found, key=_position))


def _position(diagnostic: Diagnostic) -> tuple[str, int, int]:
    span = diagnostic.span
    return (span.source.name, span.line, span.column) if span else ("", 0, 0)
