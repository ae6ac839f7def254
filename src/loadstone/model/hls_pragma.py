"""Pragmas of HLS tools in the source of a kernel: `#pragma HLS UNROLL factor=4`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from loadstone.errors import Span


@dataclass(frozen=True, slots=True)
class HlsPragma:
    """A pragma: its text behind `#pragma`, its directive, `words` and `name=value` options, the loop that it stands in.

    Directives are in capitals, words and options in small letters.
    """

    text: str
    directive: str
    words: tuple[str, ...]
    options: Mapping[str, str]
    loop: str
    span: Span

    def number(self, option: str) -> int | None:
        """The value of an option, if it is a number."""
        text = self.options.get(option, "")
        return int(text) if text.isdigit() else None

    def choice(self, option: str, known: Iterable[str]) -> str | None:
        """The word of some known ones that stands alone, or as the value of an option."""
        given = (self.options.get(option, "").lower(), *self.words)
        return next((word for word in given if word in known), None)
