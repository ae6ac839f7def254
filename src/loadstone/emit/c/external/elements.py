"""Elements in external memory, as C reaches them: by their position, or in structures of the user."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from loadstone.emit.c.addresses import call_at, position_function
from loadstone.emit.c.code import Block, Body, External, Function, Parameter, Text, Value, code, word_type
from loadstone.emit.c.external.structures import digits, member_reference, words_of
from loadstone.emit.c.names import Names
from loadstone.model.kernel import Array
from loadstone.model.types import LONG
from loadstone.transfer.volumes import array_words

_STRUCTURE, _WORD = Value("structure", LONG), Value("word")


@dataclass(frozen=True, eq=False)
class ExternalElements:
    """The functions that reach elements of external memory, by arrays that are loaded and stored."""

    arrays: tuple[Array, ...]
    names: Names
    parameters: tuple[Parameter, ...]
    loads: Mapping[str, External]
    stores: Mapping[str, External]

    @cached_property
    def functions(self) -> Mapping[str, tuple[Function, ...]]:
        """All functions, by array: first that for positions of elements."""
        kinds = (self._positions, self._structures, self._getters, self._setters)
        return {a.name: tuple(kind[a.name] for kind in kinds if a.name in kind) for a in self.arrays}

    @cached_property
    def _positions(self) -> Mapping[str, Function]:
        """The positions of elements, row by row."""
        return {array.name: position_function(array, self.names, self.parameters) for array in self.arrays}

    @cached_property
    def _structures(self) -> Mapping[str, Function]:
        """The positions of structures, where these hold several elements of an array."""
        inner = (array for array in self.arrays if array.outer_rank < array.rank)
        return {a.name: position_function(a, self.names, self.parameters, a.outer_rank) for a in inner}

    @cached_property
    def _getters(self) -> Mapping[str, Function]:
        return {name: self._getter(name) for name in self.loads if self._is_interleaved(name)}

    @cached_property
    def _setters(self) -> Mapping[str, Function]:
        return {name: self._setter(name) for name in self.stores if self._is_interleaved(name)}

    def _is_interleaved(self, name: str) -> bool:
        return any(a.name == name and a.record is not None and a.record.is_interleaved for a in self.arrays)

    def loaded(self, array: Array, point: Sequence[Text]) -> Text:
        """The value of an element."""
        if array.name in self._getters:
            return self._getters[array.name].call(self._word(array, point))
        return self._reference(self.loads[array.name], array, point)

    def stored(self, array: Array, point: Sequence[Text], value: Text) -> Text:
        """The statement that gives an element a value."""
        if array.name in self._setters:
            return code("@;", self._setters[array.name].call({**self._word(array, point), "value": value}))
        return code("@ = @;", self._reference(self.stores[array.name], array, point), value)

    def position(self, array: Array, point: Sequence[Text]) -> Text:
        """The number of an element among the words of its array."""
        return call_at(self._positions[array.name], point)

    def _reference(self, external: External, array: Array, point: Sequence[Text]) -> Text:
        function = self._structures.get(array.name, self._positions[array.name])
        structure = code("@[@]", external, call_at(function, point[: array.outer_rank]))
        if array.record is None:
            return structure
        return member_reference(structure, array.record.members[0], point[array.outer_rank :])

    def _word(self, array: Array, point: Sequence[Text]) -> dict[str, Text | str]:
        """The arguments that tell a word: its structure, and its place there."""
        return {
            _STRUCTURE.name: call_at(self._structures[array.name], point[: array.outer_rank]),
            _WORD.name: point[array.outer_rank],
        }

    def _getter(self, name: str) -> Function:
        array, external = self._array(name), self.loads[name]
        comment, own = f"A word of a structure of {name}.", f"{self.names[name]}_get"
        body = _choice(external, array, lambda reference: code("return @;", reference))
        return Function(comment, word_type(array.type), own, (external, _STRUCTURE, _WORD), body, "static inline")

    def _setter(self, name: str) -> Function:
        array, external = self._array(name), self.stores[name]
        value = Value("value", array.type)
        comment, own = f"Sets a word of a structure of {name}.", f"{self.names[name]}_set"
        body = _choice(external, array, lambda reference: code("@ = @;", reference, value))
        return Function(comment, "void", own, (external, _STRUCTURE, _WORD, value), body, "static inline")

    def _array(self, name: str) -> Array:
        return next(array for array in self.arrays if array.name == name)


def _choice(external: External, array: Array, statement: Callable[[Text], Text]) -> Body:
    """The cases of a word of a structure; `statement` has a reference to it."""
    assert array.record is not None
    structure = code("@[@]", external, _STRUCTURE)
    cases: list[Block] = []
    for member, start, end in words_of(array.record):
        number = code("@", _WORD) if start == 0 else code(f"(@ - {start})", _WORD)
        reference = member_reference(structure, member, digits(number, member.extents))
        head = code(f"{'else ' if cases else ''}if (@ < {end})", _WORD)
        cases.append(Block(head, (statement(reference),), braced=False))
    return (*cases[:-1], Block(Text("else"), cases[-1].body, braced=False))


def externals(
    arrays: Iterable[Array], names: Names, known: Mapping[str, int], read: Container[str], written: Container[str]
) -> tuple[External, ...]:
    """External memory of some arrays: one for each, or for all that are members of structures of one variable."""
    held: dict[str, list[Array]] = {}
    for array in arrays:
        held.setdefault(array.variable, []).append(array)
    return tuple(
        External(
            names[variable],
            tuple(array.name for array in found),
            *_lying(found[0]),
            tuple(dict.fromkeys(array.extents[: array.outer_rank] for array in found)),
            _most_words(found, known),
            any(array.name in read for array in found),
            any(array.name in written for array in found),
        )
        for variable, found in held.items()
    )


def _lying(array: Array) -> tuple[str, int]:
    """The type of what holds the elements of an array, and its bits, for structures a power of two."""
    if array.record is None:
        return word_type(array.type), array.type.bits
    return array.record.type, 1 << (8 * array.record.size - 1).bit_length()


def _most_words(arrays: Sequence[Array], known: Mapping[str, int]) -> int | None:
    """The number of words or structures, where all sizes are known."""
    found = [array_words(replace(array, extents=array.extents[: array.outer_rank]), known) for array in arrays]
    sizes = [size for size in found if size is not None]
    return max(sizes) if len(sizes) == len(found) else None
