"""Reading isl's syntax, with the position of what isl does not understand."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Generator
from contextlib import contextmanager
from tempfile import TemporaryFile
from typing import IO, TypeVar

import islpy as isl

T = TypeVar("T")
_POSITION = re.compile(r"syntax error \((\d+), (\d+)\): (.*)(?:\ngot (.*))?")
_STANDARD_ERROR = 2
_WORDS = {
    "expecting other token": "unexpected text",
    "unexpected isl_token": "unexpected text",
    "unexpected EOF": "the text ends too early",
}


class SyntaxProblem(Exception):
    """A text that isl does not understand, and where."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.message, self.line, self.column = message, line, column


def read(kind: Callable[[isl.Context, str], T], text: str) -> T | None:
    """What a reading function of isl makes of a text; None if the text is something else, or too much of it.

    Raises `SyntaxProblem` where isl finds a mistake.
    """
    with TemporaryFile("w+", encoding="utf-8") as heard:
        try:
            with _said_to(heard):
                return kind(isl.DEFAULT_CONTEXT, text)
        except isl.Error:
            heard.seek(0)
            found = _POSITION.search(heard.read())
    if found is None:
        return None
    message = _WORDS.get(found[3], found[3])
    token = (found[4] or "").removeprefix("ident ")
    raise SyntaxProblem(f"{message} {token}".rstrip(), int(found[1]), int(found[2]))


@contextmanager
def _said_to(file: IO[str]) -> Generator[None]:
    """Let isl tell its errors, which it only does on the standard error of the process, to a file."""
    context = isl.DEFAULT_CONTEXT
    before, saved = context.get_on_error(), os.dup(_STANDARD_ERROR)
    context.set_on_error(isl.on_error.WARN)
    os.dup2(file.fileno(), _STANDARD_ERROR)
    try:
        yield
    finally:
        context.set_on_error(before)
        os.dup2(saved, _STANDARD_ERROR)
        os.close(saved)
