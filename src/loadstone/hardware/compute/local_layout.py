"""Local memories of an accelerator: the buffers of a plan, of the size that parameters in ranges need."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod
from types import MappingProxyType

from loadstone.hardware.layout import ArrayLayout
from loadstone.loops.accelerator import Accelerator
from loadstone.loops.ranges import Ranges
from loadstone.model.expression import Expression, binary, integer
from loadstone.model.tidy import tidy
from loadstone.parallel.banks import Banking, banked_shape
from loadstone.storage.buffers import Buffer, Component


@dataclass(frozen=True, slots=True, eq=False)
class LocalLayout(ArrayLayout):
    """The buffer of an array: `extents` are those of the buffer, and elements are where its mapping says.

    With two copies, the words of each are a power of two, so that the highest bit of the address chooses the copy;
    copies that are `apart` are memories of their own. With banks, the low bits of the address are the bank; the
    component that says it is the last one, in blocks of `step` values. Where banks are in several rows, the component
    before says the row.
    """

    components: tuple[Component, ...] = ()
    banks: int = 1
    step: int = 1
    apart: bool = False
    rows: int = 1

    @property
    def cells(self) -> int:
        """The number of the words of a copy."""
        return max(2, prod(self.extents))

    @property
    def depth(self) -> int:
        """The number of its words, in all copies."""
        return self.cells if self.copies == 1 else self.copies << (self.cells - 1).bit_length()

    def address(self, subscripts: Sequence[Expression]) -> Expression:
        """The cell of an element in its copy."""
        if not self.components:
            return integer(0)
        places = [_place(part, subscripts) for part in self.components]
        if self.step > 1:
            places[-1] = _bank_last(places[-1], self.step, self.banks)
        pairs = zip(self.strides, places, strict=True) if self.rows == 1 else self._in_rows(places)
        terms = [binary("*", integer(stride), place) for stride, place in pairs]
        return tidy(reduce(lambda total, term: binary("+", total, term), terms, integer(0)))

    def _in_rows(self, places: Sequence[Expression]) -> Iterator[tuple[int, Expression]]:
        """The digits of an address, with their strides: of the last two places the quotients, then row and column."""
        counts, stride = (self.rows, self.banks // self.rows), 1
        lowest = zip(places[-2:], counts, strict=True)
        low = [(binary("mod", place, integer(count)), count) for place, count in lowest]
        extents = [extent // count for extent, count in zip(self.extents[-2:], counts, strict=True)]
        quotients = [
            binary("floordiv", place, integer(count)) for place, count in zip(places[-2:], counts, strict=True)
        ]
        high = zip((*places[:-2], *quotients), (*self.extents[:-2], *extents), strict=True)
        for place, extent in reversed([*high, *low]):
            yield stride, place
            stride *= extent


def _place(part: Component, subscripts: Sequence[Expression]) -> Expression:
    """One dimension of a local address."""
    terms = (binary("*", integer(factor), each) for factor, each in zip(part.row, subscripts, strict=True))
    total = reduce(lambda sum_, term: binary("+", sum_, term), terms, integer(0))
    return total if part.modulus is None else binary("mod", total, integer(part.modulus))


def _bank_last(place: Expression, step: int, banks: int) -> Expression:
    """A place with the bank in its low digit: of the digits q, bank, r, the last one below the step, q, r, bank."""
    quotient = binary("floordiv", place, integer(step * banks))
    bank = binary("mod", binary("floordiv", place, integer(step)), integer(banks))
    rest = binary("*", integer(banks), binary("mod", place, integer(step)))
    return binary("+", binary("+", binary("*", integer(step * banks), quotient), rest), bank)


def bank_count(store: ArrayLayout) -> int:
    """How many banks a memory has."""
    return store.banks if isinstance(store, LocalLayout) else 1


def copy_count(store: ArrayLayout) -> int:
    """How many memories the copies of a memory are."""
    return store.copies if isinstance(store, LocalLayout) and store.apart else 1


def memory_depth(store: ArrayLayout) -> int:
    """The words of each of the memories of a store."""
    whole = store.cells if isinstance(store, LocalLayout) and store.apart else store.depth
    return max(2, whole // bank_count(store))


def local_layouts(
    accelerator: Accelerator, ranges: Ranges, banking: Mapping[str, Banking] = MappingProxyType({})
) -> dict[str, ArrayLayout]:
    """The local memories of an accelerator, and registers for scalars."""
    found: dict[str, ArrayLayout] = {}
    for array in accelerator.kernel.arrays.values():
        buffer: Buffer | None = accelerator.buffers.get(array.name)
        if buffer is None:
            found[array.name] = ArrayLayout(array.name, array.type, ())
        else:
            apart = array.name in arrays_apart(accelerator)
            found[array.name] = _local(buffer, banking.get(array.name), apart, ranges)
    return found


def arrays_apart(accelerator: Accelerator) -> frozenset[str]:
    """The arrays with two copies that are memories of their own: those whose ports load or store share with datapaths.

    Strips use copies in turn, so what moves for one strip then never waits for datapaths in another.
    """
    doubled = (name for name, buffer in accelerator.buffers.items() if buffer.copies > 1)
    return frozenset(name for name in doubled if _ports_are_shared(accelerator, name))


def _ports_are_shared(accelerator: Accelerator, array: str) -> bool:
    """Whether datapaths write to the memory of an array as loads do, or read from it as stores do."""
    moved, statements = accelerator.plan.arrays[array], accelerator.kernel.statements
    is_written = any(statement.write.array == array for statement in statements)
    is_read = any(read.array == array for statement in statements for read in statement.reads)
    return (is_written and not moved.load.is_empty()) or (is_read and not moved.store.is_empty())


def _local(buffer: Buffer, banking: Banking | None, apart: bool, ranges: Ranges) -> LocalLayout:
    """The memory of a buffer, with room for as many words in each bank."""
    array = buffer.array
    if banking is None:
        shape = tuple(ranges.greatest(part.size) for part in buffer.components) or (1,)
        return LocalLayout(array.name, array.type, shape, buffer.copies, buffer.components, apart=apart)
    shape, parts = banked_shape(banking, ranges), banking.parts
    return LocalLayout(
        array.name, array.type, shape, buffer.copies, parts, banking.count, banking.step, apart, banking.rows
    )
