"""A C++ file as a program: translated to C, with its own text as the original."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from pathlib import Path

from loadstone.errors import Source
from loadstone.frontend import syntax
from loadstone.frontend.c.dialect import Dialect
from loadstone.frontend.c.preprocess import Preprocessed, line_starts, preprocess
from loadstone.frontend.c.program import read_dialect
from loadstone.frontend.cpp.tokens import Token, Unit
from loadstone.frontend.cpp.translate import Translation
from loadstone.model.kernel import Original
from loadstone.model.types import ScalarType

_GUARDS = (
    "__AP_INT_H__",
    "__AP_FIXED_H__",
    "__AP_COMMON_H__",
    "X_HLS_STREAM_SIM_H",
    "X_HLS_STREAM_SYN_H",
    "X_HLS_MATH_H",
)
_DEFINED = {"__cplusplus": "201703L", "__SYNTHESIS__": "1", **dict.fromkeys(_GUARDS, "1")}
"""Macros of C++ and HLS; include guards of the vendor's headers keep these out, should a folder of -I have them."""

_SCOP = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+scop\b", re.MULTILINE)


def read_cpp(
    source: Source,
    defines: Mapping[str, str],
    include: tuple[Path, ...],
    function: str | None,
    types: Mapping[str, ScalarType] | None = None,
) -> syntax.Program:
    """The kernel of a C++ source as a syntax tree, with the problems that were found on the way."""
    preprocessed = preprocess(source, {**_DEFINED, **defines}, include)
    translation = Translation(preprocessed)
    marked = _SCOP.search(preprocessed.text) is not None

    def is_kernel(unit: Unit) -> bool:
        texts = [token.text for token in unit.tokens]
        return "scop" in texts if marked else function in (None, unit.name)

    text = _Text(preprocessed, translation.translated(is_kernel), _typedefs(translation))
    dialect = Dialect(
        text.translated,
        translation.names.formats,
        frozenset(translation.references),
        translation.names.streams,
        lambda start, end: _original(translation.units, preprocessed.text, text.origin(start), text.origin(end)),
        translation.names.constants,
    )
    return read_dialect(dialect, Path(source.name).stem, function, types or {})


def _typedefs(translation: Translation) -> str:
    """Definitions of the names that stand for types with arguments."""
    names = translation.names
    return "".join(f"typedef int {name};" for name in (*names.formats, *names.streams))


class _Text:
    """The C text of tokens, in which every token has the place that it has in the source."""

    def __init__(self, preprocessed: Preprocessed, tokens: Sequence[Token], opening: str) -> None:
        parts, self._offsets, self._origins = [opening], [0], [0]
        size = len(opening)
        for token in tokens:
            if token.text:
                self._offsets.append(size + len(token.lead))
                self._origins.append(token.offset)
            parts += [token.lead, token.text]
            size += len(token.lead) + len(token.text)
        self._end = len(preprocessed.text)
        text = "".join((*parts, "\n"))
        places = [preprocessed.span_at(origin) for origin in self._origins]
        self.translated = Preprocessed(text, preprocessed.source, self._offsets, places, line_starts(text))

    def origin(self, offset: int) -> int:
        """Where the first token at or behind an offset of the C text starts in the C++ text."""
        position = bisect_right(self._offsets, offset - 1)
        return self._origins[position] if position < len(self._origins) else self._end


def _original(units: Sequence[Unit], text: str, start: int, end: int) -> Original:
    """The kernel as it stands, with the definitions of the file that it uses."""
    body = text[start:end]
    needed = set(re.findall(r"[A-Za-z_]\w*", body))
    kept: list[str] = []
    own = next(unit for unit in units if unit.tokens[0].offset <= start < unit.tokens[-1].offset)
    for unit in reversed(units):
        is_import = [token.text for token in unit.tokens[:2]] == ["using", "namespace"]
        if not unit.is_pragma and unit is not own and (is_import or unit.defines & needed):
            needed |= unit.words
            kept.insert(0, _in_namespaces(unit, text))
    opened = [f"namespace {name} {{}}" for unit in units for name in unit.around[:1]]
    visible = [f"using namespace {'::'.join(own.around)};"] if own.around else []
    return Original("\n".join((*dict.fromkeys(opened), *kept, *visible)), body, (), "c++")


def _in_namespaces(unit: Unit, text: str) -> str:
    """A part of the text in the namespaces that it stands in."""
    first, last = unit.tokens[0], unit.tokens[-1]
    code = text[first.offset : last.offset + len(last.text)]
    return "".join(f"namespace {name} {{ " for name in unit.around) + code + " }" * len(unit.around)
