"""Where the arrays of a kernel are kept: in memories on the chip, row by row, and scalars in registers.

In external memory, arrays lie row by row, or in structures of the user.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import product
from math import prod

from loadstone.hardware.words import bits_of, encoded
from loadstone.loops.ranges import Ranges
from loadstone.model.expression import Expression, binary, integer
from loadstone.model.kernel import Array
from loadstone.model.record import Record
from loadstone.model.tidy import tidy
from loadstone.model.types import Number, ScalarType
from loadstone.rtl.types import Bits


@dataclass(frozen=True, slots=True, eq=False)
class ArrayLayout:
    """The memory of an array: the extents that it has room for; `depth` is 0 for a scalar, which is a register."""

    array: str
    element: ScalarType
    extents: tuple[int, ...]
    copies: int = 1

    @property
    def variable(self) -> str:
        """The structures that hold its elements, if any."""
        return ""

    @property
    def offset(self) -> int:
        """The address of its first element."""
        return 0

    @property
    def element_bytes(self) -> int:
        """The bytes of an element in external memory."""
        return self.element.storage.bits // 8

    @property
    def type(self) -> Bits:
        """The type of its words."""
        return bits_of(self.element)

    @property
    def depth(self) -> int:
        """The number of its words."""
        return max(2, prod(self.extents)) if self.extents else 0

    @property
    def strides(self) -> tuple[int, ...]:
        """The distances of elements that follow each other in each dimension."""
        return tuple(prod(self.extents[k + 1 :]) for k in range(len(self.extents)))

    def places(self, extents: Sequence[int]) -> Iterator[int]:
        """The addresses of the elements of an array of some extents, row by row."""
        for element in product(*map(range, extents)):
            steps = (index * stride for index, stride in zip(element, self.strides, strict=bool(extents)))
            yield self.offset + sum(steps)

    def address(self, subscripts: Sequence[Expression]) -> Expression:
        """The address of an element: row by row; that of a scalar in memory is the first one."""
        pairs = zip(self.strides, subscripts, strict=bool(subscripts))
        terms = (binary("*", integer(stride), each) for stride, each in pairs)
        return tidy(reduce(lambda total, term: binary("+", total, term), terms, integer(self.offset)))


@dataclass(frozen=True, slots=True, eq=False)
class RecordLayout(ArrayLayout):
    """An array in structures of the user; addresses count elements from the first structure.

    Members are aligned to their sizes, so that all distances are whole elements.
    """

    record: Record = field(kw_only=True)

    @property
    def variable(self) -> str:
        """The structures that hold its elements."""
        return self.record.variable

    @property
    def offset(self) -> int:
        """The address of its first element."""
        return self.record.offset // self.element_bytes

    @property
    def depth(self) -> int:
        """The elements that fit into the structures."""
        return max(2, self._step * prod(self._outer))

    @property
    def strides(self) -> tuple[int, ...]:
        """The distances of elements that follow each other in each dimension."""
        outer, inner = self._outer, self.record.inner_strides(self.element_bytes)
        rows = (self._step * prod(outer[k + 1 :]) for k in range(len(outer)))
        return (*rows, *(stride // self.element_bytes for stride in inner))

    @property
    def _step(self) -> int:
        """The distance of structures."""
        return self.record.size // self.element_bytes

    @property
    def _outer(self) -> tuple[int, ...]:
        """The extents of structures."""
        return self.extents[: len(self.extents) - len(self.record.inner_strides(0))]


ArrayLayouts = Mapping[str, ArrayLayout]


def layouts_of(ranges: Ranges, scalars: Collection[str] = ()) -> dict[str, ArrayLayout]:
    """The memories of a kernel's arrays, for parameters in ranges, and of scalars that are not in registers."""
    arrays = ranges.kernel.arrays
    extents = {name: tuple(map(ranges.greatest, array.extents)) for name, array in arrays.items()}
    extents |= dict.fromkeys(scalars, (1,))
    return {name: ArrayLayout(name, array.type, extents[name]) for name, array in arrays.items()}


def external_layouts(ranges: Ranges, scalars: Collection[str] = ()) -> dict[str, ArrayLayout]:
    """Where a kernel's arrays lie in external memory, for parameters in ranges, and scalars that do."""
    arrays = ranges.kernel.arrays
    return {name: _external(layout, arrays[name]) for name, layout in layouts_of(ranges, scalars).items()}


def _external(layout: ArrayLayout, array: Array) -> ArrayLayout:
    if array.record is None:
        return layout
    return RecordLayout(layout.array, layout.element, layout.extents, record=array.record)


def memory_words(store: ArrayLayout, extents: Sequence[int], values: Sequence[Number]) -> tuple[int, ...]:
    """The words of a memory that holds an array of some extents, row by row; 0 where it has more room."""
    found = [0] * max(1, store.depth)
    for place, value in zip(store.places(extents), values, strict=True):
        found[place] = encoded(value, store.element)
    return tuple(found)
