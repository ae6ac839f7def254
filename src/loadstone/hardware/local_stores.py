"""Local memories of an accelerator: the buffers of a plan, of the size that parameters in ranges need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod

from loadstone.hardware.limits import Limits
from loadstone.hardware.stores import Store, greatest, within_limits
from loadstone.loops.accelerator import Accelerator
from loadstone.model.expression import Expression, binary, integer
from loadstone.model.tidy import tidy
from loadstone.storage.buffers import Buffer, Component


@dataclass(frozen=True, slots=True, eq=False)
class LocalStore(Store):
    """The buffer of an array: `extents` are those of the buffer, and elements are where its mapping says.

    With two copies, the words of each are a power of two, so that one bit of the address chooses the copy.
    """

    components: tuple[Component, ...] = ()

    @property
    def depth(self) -> int:
        """The number of its words, in all copies."""
        cells = max(2, prod(self.extents))
        return cells if self.copies == 1 else self.copies << (cells - 1).bit_length()

    def address(self, subscripts: Sequence[Expression]) -> Expression:
        """The cell of an element in its copy."""
        places = (_place(part, subscripts) for part in self.components)
        pairs = zip(self.strides, places, strict=True)
        terms = [binary("*", integer(stride), place) for stride, place in pairs]
        return tidy(reduce(lambda total, term: binary("+", total, term), terms, integer(0)))


def _place(part: Component, subscripts: Sequence[Expression]) -> Expression:
    """One dimension of a local address."""
    terms = (binary("*", integer(factor), each) for factor, each in zip(part.row, subscripts, strict=True))
    total = reduce(lambda sum_, term: binary("+", sum_, term), terms, integer(0))
    return total if part.modulus is None else binary("mod", total, integer(part.modulus))


def local_stores(accelerator: Accelerator, limits: Mapping[str, Limits]) -> dict[str, Store]:
    """The local memories of an accelerator, and registers for scalars."""
    known = within_limits(accelerator.kernel, limits)
    found: dict[str, Store] = {}
    for array in accelerator.kernel.arrays.values():
        buffer: Buffer | None = accelerator.buffers.get(array.name)
        if buffer is None:
            found[array.name] = Store(array.name, array.type, ())
        else:
            shape = tuple(max(1, greatest(part.size, limits, known)) for part in buffer.components)
            found[array.name] = LocalStore(array.name, array.type, shape or (1,), buffer.copies, buffer.components)
    return found
