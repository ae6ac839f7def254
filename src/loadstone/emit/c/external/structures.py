"""Structures of the user in C: references to their members, and copies between structures and arrays of members."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from loadstone.emit.c.code import INDENT, Text, code, word_type
from loadstone.errors import Diagnostic, UnsupportedError
from loadstone.model.kernel import Array, Kernel
from loadstone.model.record import Member, Record

_GATE = "gate"
"""A structure of a header that all generated programs share."""
_HEADERS = ("#include <stdbool.h>", "#include <stddef.h>", "#include <stdint.h>")


def record_definitions(kernel: Kernel, taken: Collection[str]) -> list[str]:
    """The lines that define structures in external memory; raises `UnsupportedError` where names of types are taken."""
    text = _definitions(kernel)
    clash = sorted(set(taken) & set(re.findall(r"\}\s*(\w+)\s*;", text)) | {_GATE} & set(_tags(text)))
    if clash:
        hint = "give it another name"
        raise UnsupportedError(Diagnostic(f"generated programs need the name of the type '{clash[0]}'", None, hint))
    return [*_HEADERS, "", *text.split("\n"), ""] if text else []


def own_structure(kernel: Kernel, name: str) -> str:
    """The type of a structure of generated programs, whose name is none of the user's."""
    taken = _tags(_definitions(kernel))
    while name in taken:
        name += "_"
    return f"struct {name}"


def _definitions(kernel: Kernel) -> str:
    return kernel.original.records if kernel.original else ""


def _tags(text: str) -> list[str]:
    """The names of structures in definitions; in C++, those of types are names of structures, too."""
    return [*re.findall(r"\bstruct\s+(\w+)", text), *re.findall(r"\}\s*(\w+)\s*;", text)]


def member_reference(structure: Text, member: Member, subscripts: Sequence[Text]) -> Text:
    """The reference to an element of a member: `x[i].p[k].w`."""
    found, left = structure, list(subscripts)
    for step in member.steps:
        found = code(f"@.{step.name}", found)
        for _ in step.extents:
            found = code("@[@]", found, left.pop(0))
    return found


def words_of(record: Record) -> Iterator[tuple[Member, int, int]]:
    """The members of structures of words, with the first word of each and the first one behind it."""
    end = 0
    for member in record.members:
        start, end = end, end + prod(member.extents)
        yield member, start, end


def digits(number: Text, extents: Sequence[int]) -> list[Text]:
    """The subscripts of an element from its number, row by row.

    >>> [text.text for text in digits(Text("k"), (2, 3))]
    ['k / 3', 'k % 3']
    """
    found: list[Text] = []
    for position, extent in enumerate(extents):
        rest = prod(extents[position + 1 :])
        quotient = number if rest == 1 else code(f"@ / {rest}", number)
        found.append(quotient if position == 0 else code(f"@ % {extent}", quotient))
    return found


@dataclass(frozen=True, slots=True)
class Packing:
    """Structures of a variable that hold the elements of some arrays, which lie row by row elsewhere.

    `name` is the pointer to the structures, `cells` and `counts` are the places and the numbers of elements of arrays.
    """

    name: str
    type: str
    arrays: tuple[Array, ...]
    cells: Mapping[str, str]
    counts: Mapping[str, str]

    def opened(self) -> Iterator[str]:
        """Lines that allocate the structures and fill them."""
        yield f"{self.type} *{self.name};"
        yield "{"
        yield f"{INDENT}long structures = 1;"
        for array in self.arrays:
            count = f"({self.counts[array.name]}) / {_inner(array)}"
            yield f"{INDENT}structures = structures < {count} ? {count} : structures;"
        yield f"{INDENT}{self.name} = ({self.type} *)calloc((size_t)structures, sizeof({self.type}));"
        yield f"{INDENT}if (!{self.name})"
        yield f"{2 * INDENT}abort();"
        yield "}"
        for array in self.arrays:
            yield from self._copied(array, "@ = ~;")

    def unpacked(self) -> Iterator[str]:
        """Lines that copy the elements of arrays back."""
        for array in self.arrays:
            yield from self._copied(array, "~ = @;")

    def closed(self) -> str:
        """The line that frees the structures."""
        return f"free({self.name});"

    def _copied(self, array: Array, template: str) -> Iterator[str]:
        """A loop over the elements of an array; in the template `@` is a member and `~` its cell."""
        assert array.record is not None
        inner, member = _inner(array), array.record.members[0]
        structure = Text(f"{self.name}[{'k' if inner == 1 else f'k / {inner}'}]")
        inside = digits(Text(f"k % {inner}"), member.extents) if inner > 1 else []
        reference = member_reference(structure, member, inside).text
        cell = f"(({word_type(array.type)} *){self.cells[array.name]})[k]"
        yield f"for (long k = 0; k < {self.counts[array.name]}; k++)"
        yield INDENT + template.replace("@", reference).replace("~", cell)


def _inner(array: Array) -> int:
    """The number of elements of an array in a structure."""
    return prod(array.record.members[0].extents) if array.record else 1


def apart(arrays: Iterable[Array]) -> dict[str, tuple[Array, ...]]:
    """The arrays that are members of structures, by variable; structures of words lie in memory as they are."""
    found: dict[str, tuple[Array, ...]] = {}
    for array in arrays:
        if array.record is not None and not array.record.is_interleaved:
            found[array.variable] = (*found.get(array.variable, ()), array)
    return found


def type_of(arrays: Sequence[Array]) -> str:
    """The type of the structures that hold some arrays."""
    record = arrays[0].record
    assert record is not None
    return record.type
