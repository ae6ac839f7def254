"""Structures in external memory: where their members lie, as the C ABI has it.

The elements of an array lie in the structures of a variable. Its first subscripts, row by row, tell the structure. The
others select within: the elements of one member, or, where structures hold several members of one type and nothing
else, a word.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    """A name on the way to a member, and the extents behind it: `p[3]`."""

    name: str
    extents: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Member:
    """A number in a structure, or an array of numbers: `.p[3].w[2]`.

    `offset` is where it begins, `strides` are the distances of elements, one for each extent; all in bytes.
    """

    steps: tuple[Step, ...]
    offset: int
    strides: tuple[int, ...]

    @property
    def extents(self) -> tuple[int, ...]:
        """The extents of all steps."""
        return tuple(extent for step in self.steps for extent in step.extents)


@dataclass(frozen=True, slots=True)
class Record:
    """The structures that hold the elements of an array.

    `variable` has them, under the `type` of the source, with `size` bytes each. `members` are those of the array: one,
    or all where the last dimension of the array is the words of a structure.
    """

    variable: str
    type: str
    size: int
    members: tuple[Member, ...]

    @property
    def is_interleaved(self) -> bool:
        """Whether the last dimension of the array is the words of a structure."""
        return len(self.members) > 1

    @property
    def offset(self) -> int:
        """The byte of a structure where the elements of the array begin."""
        return self.members[0].offset

    def inner_strides(self, element_bytes: int) -> tuple[int, ...]:
        """The distances of elements in a structure, in bytes, one for each subscript within it."""
        return (element_bytes,) if self.is_interleaved else self.members[0].strides
