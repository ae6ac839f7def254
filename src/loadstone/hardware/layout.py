"""Where the arrays of a kernel are kept: in memories on the chip, row by row, and scalars in registers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from math import prod

from loadstone.hardware.words import bits_of, encoded
from loadstone.loops.ranges import Ranges
from loadstone.model.expression import Expression, binary, integer
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
            yield sum(index * stride for index, stride in zip(element, self.strides, strict=bool(extents)))

    def address(self, subscripts: Sequence[Expression]) -> Expression:
        """The address of an element: row by row; that of a scalar in memory is 0."""
        if not subscripts:
            return integer(0)
        pairs = zip(self.strides, subscripts, strict=True)
        terms = (binary("*", integer(stride), each) for stride, each in pairs)
        return tidy(reduce(lambda total, term: binary("+", total, term), terms))


ArrayLayouts = Mapping[str, ArrayLayout]


def layouts_of(ranges: Ranges, scalars: Collection[str] = ()) -> dict[str, ArrayLayout]:
    """The memories of a kernel's arrays, for parameters in ranges, and of scalars that are not in registers."""
    arrays = ranges.kernel.arrays
    extents = {name: tuple(map(ranges.greatest, array.extents)) for name, array in arrays.items()}
    extents |= dict.fromkeys(scalars, (1,))
    return {name: ArrayLayout(name, array.type, extents[name]) for name, array in arrays.items()}


def memory_words(store: ArrayLayout, extents: Sequence[int], values: Sequence[Number]) -> tuple[int, ...]:
    """The words of a memory that holds an array of some extents, row by row; 0 where it has more room."""
    found = [0] * max(1, store.depth)
    for place, value in zip(store.places(extents), values, strict=True):
        found[place] = encoded(value, store.element)
    return tuple(found)
