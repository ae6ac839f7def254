"""Where the arrays of a kernel are kept: in memories on the chip, row by row, and scalars in registers.

In external memory, arrays lie row by row, or in structures of the user.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import product
from math import prod

from loadstone.hardware.words import bits_of, encoded
from loadstone.loops.ranges import Ranges
from loadstone.model.evaluate import evaluate
from loadstone.model.expression import Expression, Variable, binary, integer, walk
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
class ExternalLayout(ArrayLayout):
    """An array in external memory: row by row, or in structures of the user, whose members are `record`.

    Addresses count elements from the first structure. Members are aligned to their sizes, so that all distances are
    whole elements.
    """

    record: Record | None = field(default=None, kw_only=True)

    @property
    def variable(self) -> str:
        """The structures that hold its elements, if any."""
        return self.record.variable if self.record else ""

    @property
    def offset(self) -> int:
        """The address of its first element."""
        return self.record.offset // self.element_bytes if self.record else 0

    @property
    def depth(self) -> int:
        """The elements that fit into its rows, or into the structures."""
        return max(2, self.step * prod(self.extents[: self.outer_rank])) if self.extents else 0

    @property
    def strides(self) -> tuple[int, ...]:
        """The distances of elements that follow each other in each dimension."""
        return self.strides_of(self.extents)

    @property
    def step(self) -> int:
        """The distance of structures, or of elements."""
        return self.record.size // self.element_bytes if self.record else 1

    @property
    def inner(self) -> tuple[int, ...]:
        """The distances of elements within a structure."""
        inner = self.record.inner_strides(self.element_bytes) if self.record else ()
        return tuple(stride // self.element_bytes for stride in inner)

    @property
    def outer_rank(self) -> int:
        """The number of subscripts that tell the structure of an element, or all."""
        return len(self.extents) - len(self.inner)

    def strides_of(self, extents: Sequence[int]) -> tuple[int, ...]:
        """The distances of elements for some extents."""
        outer = extents[: self.outer_rank]
        return (*(self.step * prod(outer[k + 1 :]) for k in range(self.outer_rank)), *self.inner)


@dataclass(frozen=True, slots=True, eq=False)
class PackedLayout(ExternalLayout):
    """An array in external memory as in C, without gaps: strides follow the parameters of a run.

    `sizes` are its extents as expressions, `moving` the dimensions whose strides change with parameters.
    """

    sizes: tuple[Expression, ...] = ()
    moving: tuple[int, ...] = ()

    def places(self, extents: Sequence[int]) -> Iterator[int]:
        """The addresses of the elements of an array of some extents."""
        strides = self.strides_of(extents)
        for element in product(*map(range, extents)):
            yield self.offset + sum(k * stride for k, stride in zip(element, strides, strict=bool(extents)))

    def address(self, subscripts: Sequence[Expression]) -> Expression:
        """The part of the address of an element that fixed strides give."""
        fixed = (integer(0) if k in self.moving else each for k, each in enumerate(subscripts))
        return ArrayLayout.address(self, tuple(fixed))

    def rows(self, subscripts: Sequence[Expression]) -> tuple[Expression, ...]:
        """The subscripts whose strides change with parameters."""
        return tuple(subscripts[k] for k in self.moving)

    def factors(self, dimension: int) -> tuple[Expression, ...]:
        """The factors of the stride of a dimension: extents, and the distance of structures."""
        if dimension >= self.outer_rank:
            return (integer(self.inner[dimension - self.outer_rank]),)
        step = () if self.step == 1 else (integer(self.step),)
        return (*self.sizes[dimension + 1 : self.outer_rank], *step)

    def strides_for(self, parameters: Mapping[str, int]) -> tuple[int, ...]:
        """The distances of elements that follow each other in each dimension, for values of parameters."""
        return self.strides_of([int(evaluate(size, parameters, ())) for size in self.sizes])


ArrayLayouts = Mapping[str, ArrayLayout]
PackedLayouts = Mapping[str, PackedLayout]


def layouts_of(ranges: Ranges, scalars: Collection[str] = ()) -> dict[str, ArrayLayout]:
    """The memories of a kernel's arrays, for parameters in ranges, and of scalars that are not in registers."""
    arrays = ranges.kernel.arrays
    extents = {name: tuple(map(ranges.greatest, array.extents)) for name, array in arrays.items()}
    extents |= dict.fromkeys(scalars, (1,))
    return {name: ArrayLayout(name, array.type, extents[name]) for name, array in arrays.items()}


def external_layouts(ranges: Ranges) -> dict[str, ArrayLayout]:
    """Where a kernel's arrays lie in external memory, for parameters in ranges."""
    arrays = ranges.kernel.arrays
    return {
        name: ExternalLayout(name, layout.element, layout.extents, record=arrays[name].record)
        for name, layout in layouts_of(ranges).items()
    }


def packed_layouts(ranges: Ranges, scalars: Collection[str] = ()) -> dict[str, PackedLayout]:
    """The arrays of a kernel in external memory, for parameters in ranges, and scalars that are not in registers."""
    found: dict[str, PackedLayout] = {}
    for name, layout in layouts_of(ranges, scalars).items():
        array = ranges.kernel.arrays[name]
        outer = array.extents[: array.outer_rank]
        moving = tuple(k for k in range(len(outer)) if any(_moves(ranges, each) for each in outer[k + 1 :]))
        kept = PackedLayout(name, layout.element, layout.extents, sizes=array.extents, moving=moving)
        found[name] = replace(kept, record=array.record)
    return found


def _moves(ranges: Ranges, extent: Expression) -> bool:
    """Whether an extent changes with parameters in their ranges."""
    used = {part.name for part in walk(extent) if isinstance(part, Variable)}
    return any(low < high for name, (low, high) in ranges.limits.items() if name in used)


def memory_words(store: ArrayLayout, extents: Sequence[int], values: Sequence[Number]) -> tuple[int, ...]:
    """The words of a memory that holds an array of some extents, row by row; 0 where it has more room."""
    found = [0] * max(1, store.depth)
    for place, value in zip(store.places(extents), values, strict=True):
        found[place] = encoded(value, store.element)
    return tuple(found)
