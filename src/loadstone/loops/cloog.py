"""Input files of CLooG 0.12 as schedules [Devos, 3.5.3]: contexts, domains and scattering functions as matrices.

A row of a matrix is `0` for an equality or `1` for an inequality, then the coefficients of scattering dimensions (in
scattering functions alone), iterators, parameters, and a constant. A domain may be a union of matrices. Statements are
S1, S2, ... in their order. What `generate` makes of the schedule are the loops that CLooG would print.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

import islpy as isl

from loadstone.errors import Diagnostic, InputError, Source
from loadstone.files import UnreadableFile, file_text, unreadable
from loadstone.poly.dimensions import padded

Matrix = Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True, eq=False)
class CloogInput:
    """A file of CLooG: the context of the parameters, and the instances of statements with their dates."""

    context: isl.Set
    schedule: isl.UnionMap


def read_cloog(path: Path) -> CloogInput:
    """The schedule in a file of CLooG; raises `InputError` where it is none."""
    try:
        return parse_cloog(file_text(path), str(path))
    except UnreadableFile as reason:
        raise unreadable(f"'{path}'", reason) from None


def parse_cloog(text: str, name: str = "input.cloog") -> CloogInput:
    """The schedule in a text of CLooG."""
    return _Reader(Source(name, text)).read()


class _Reader:
    """Reads the words of a file in order; `#` begins a comment."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._words = list(_words(source))
        self._next = self._columns = 0

    def read(self) -> CloogInput:
        self._word()
        context = self._matrix()
        parameters = self._names(len(context[0]) - 2 if context else self._columns - 2, "p")
        domains = [self._union() for _ in range(self._number())]
        depths = [max((len(m[0]) for m in union if m), default=0) - 2 - len(parameters) for union in domains]
        self._names(max(depths, default=0), "i")
        scattering = [self._matrix() for _ in range(self._number())]
        instances = [_domain(k, union, depths[k], parameters) for k, union in enumerate(domains)]
        dates = [_dates(k, matrix, depths[k], parameters) for k, matrix in enumerate(scattering)]
        schedule = _together(instances, dates or [_identity(k, each) for k, each in enumerate(instances)])
        space = ", ".join(parameters)
        return CloogInput(isl.Set(f"[{space}] -> {{ : {_conditions(context, parameters)} }}"), schedule)

    def _word(self) -> str:
        if self._next == len(self._words):
            raise InputError(Diagnostic("the file ends too early", None, "a file of CLooG has six parts"))
        self._next += 1
        return self._words[self._next - 1][1]

    def _number(self) -> int:
        line, text = self._words[min(self._next, len(self._words) - 1)]
        word = self._word()
        if not word.lstrip("-").isdigit():
            raise InputError(Diagnostic(f"'{text}' is not a number", self._source.span(line, 1)))
        return int(word)

    def _matrix(self) -> Matrix:
        rows, columns = self._number(), self._number()
        self._columns = columns
        return [[self._number() for _ in range(columns)] for _ in range(rows)]

    def _union(self) -> list[Matrix]:
        """The matrices of a domain, behind which stand three numbers for later use."""
        found = [self._matrix() for _ in range(self._number())]
        for _ in range(3):
            self._number()
        return found

    def _names(self, count: int, letter: str) -> list[str]:
        """The names that follow, if the file gives them, else numbered ones."""
        given = self._number()
        return [self._word() if given else f"{letter}{k + 1}" for k in range(count)]


def _words(source: Source) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(source.text.splitlines(), 1):
        yield from ((number, word) for word in line.partition("#")[0].split())


def _conditions(matrix: Matrix, names: Sequence[str]) -> str:
    """The rows of a matrix as conditions over names."""
    texts = [
        " + ".join(f"{factor} * {name}" for factor, name in zip(row[1:], (*names, "1"), strict=True))
        + (" = 0" if row[0] == 0 else " >= 0")
        for row in matrix
    ]
    return " and ".join(texts) or "1 = 1"


def _iterators(depth: int) -> list[str]:
    return [f"_i{k + 1}" for k in range(depth)]


def _domain(position: int, union: Sequence[Matrix], depth: int, parameters: Sequence[str]) -> isl.Set:
    names = _iterators(depth)
    parts = (_conditions(matrix, (*names, *parameters)) for matrix in union)
    pieces = "; ".join(f"S{position + 1}[{', '.join(names)}] : {part}" for part in parts)
    return isl.Set(f"[{', '.join(parameters)}] -> {{ {pieces} }}")


def _dates(position: int, matrix: Matrix, depth: int, parameters: Sequence[str]) -> isl.Map:
    """A scattering function: instances to dates."""
    names = _iterators(depth)
    outputs = [f"_c{k + 1}" for k in range(len(matrix[0]) - 2 - depth - len(parameters))] if matrix else []
    conditions = _conditions(matrix, (*outputs, *names, *parameters))
    text = f"S{position + 1}[{', '.join(names)}] -> [{', '.join(outputs)}] : {conditions}"
    return isl.Map(f"[{', '.join(parameters)}] -> {{ {text} }}")


def _identity(position: int, instances: isl.Set) -> isl.Map:
    """Without scattering functions: the iterators, then the order of the statements."""
    names = _iterators(instances.dim(isl.dim_type.set))
    return isl.Map(f"{{ S{position + 1}[{', '.join(names)}] -> [{', '.join((*names, str(position)))}] }}")


def _together(instances: Sequence[isl.Set], dates: Sequence[isl.Map]) -> isl.UnionMap:
    length = max(each.dim(isl.dim_type.out) for each in dates)
    maps = (padded(each, length).intersect_domain(domain) for each, domain in zip(dates, instances, strict=True))
    return reduce(isl.UnionMap.union, (each.to_union_map() for each in maps))
