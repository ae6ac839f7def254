"""What an Array-OL specification says: arrays, tilers, tasks [Corvino, section 2; Boulet]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from loadstone.errors import Span

Vector = tuple[int, ...]
Matrix = tuple[Vector, ...]
Sizes = tuple[int | None, ...]
"""Sizes of a shape or of a repetition space; None where it is unbounded."""

TYPES = {
    **{f"{sign}int{bits}": f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)},
    **{name: name for name in ("int", "float", "double")},
}
"""The types of C that the types of arrays are."""


@dataclass(frozen=True, slots=True)
class ArrayShape:
    """An array: its sizes and the name of its type."""

    sizes: Sizes
    type: str
    span: Span


@dataclass(frozen=True, slots=True)
class Tiler:
    """Which elements of an array a repetition takes: element i of repetition r is `origin + paving r + fitting i`.

    `wraps`: subscripts are taken modulo the shape.
    """

    origin: Vector
    paving: Matrix
    fitting: Matrix
    pattern: Vector
    wraps: bool


@dataclass(frozen=True, slots=True)
class Port:
    """A pattern that a task reads or writes in each repetition, under a name of its own."""

    name: str
    array: str
    tiler: Tiler
    span: Span


@dataclass(frozen=True, slots=True)
class Before:
    """The pattern that an earlier repetition wrote: that of `distance` before; `initial` where there is none."""

    name: str
    output: str
    distance: Vector
    initial: str
    span: Span


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a mark or white space of C, and where it stands."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Body:
    """The C of an elementary task; `around` is the rest of the file that it comes from, if it is a function there."""

    tokens: tuple[Token, ...]
    around: tuple[Token, ...] = ()
    file: str = ""
    function: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """A task: elementary with a body, compound with tasks of its own; repetitive where it has a repetition space."""

    name: str
    repetition: Sizes
    inputs: tuple[Port, ...]
    before: tuple[Before, ...]
    outputs: tuple[Port, ...]
    body: Body | None
    arrays: Mapping[str, ArrayShape]
    tasks: tuple[Task, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Specification:
    """An application: arrays and the tasks between them."""

    name: str
    arrays: Mapping[str, ArrayShape]
    tasks: tuple[Task, ...]
    span: Span
