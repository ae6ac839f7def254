"""Local memories of an accelerator: the buffers of a plan, of the size that parameters in ranges need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod
from types import MappingProxyType

import islpy as isl

from loadstone.hardware.layout import Store, greatest
from loadstone.loops.accelerator import Accelerator
from loadstone.loops.ranges import Limits, within_limits
from loadstone.model.expression import Expression, binary, integer
from loadstone.model.tidy import tidy
from loadstone.parallel.banks import Banking
from loadstone.storage.buffers import Buffer, Component


@dataclass(frozen=True, slots=True, eq=False)
class LocalStore(Store):
    """The buffer of an array: `extents` are those of the buffer, and elements are where its mapping says.

    With two copies, the words of each are a power of two, so that one bit of the address chooses the copy. With banks,
    the low bits of the address are the bank; the component that says it is the last one, in blocks of `step` values.
    """

    components: tuple[Component, ...] = ()
    banks: int = 1
    step: int = 1

    @property
    def depth(self) -> int:
        """The number of its words, in all copies."""
        cells = max(2, prod(self.extents))
        return cells if self.copies == 1 else self.copies << (cells - 1).bit_length()

    def address(self, subscripts: Sequence[Expression]) -> Expression:
        """The cell of an element in its copy."""
        if not self.components:
            return integer(0)
        places = [_place(part, subscripts) for part in self.components]
        if self.step > 1:
            places[-1] = _bank_last(places[-1], self.step, self.banks)
        pairs = zip(self.strides, places, strict=True)
        terms = [binary("*", integer(stride), place) for stride, place in pairs]
        return tidy(reduce(lambda total, term: binary("+", total, term), terms, integer(0)))


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


def bank_count(store: Store) -> int:
    """How many banks a memory has."""
    return store.banks if isinstance(store, LocalStore) else 1


def local_stores(
    accelerator: Accelerator, limits: Mapping[str, Limits], banking: Mapping[str, Banking] = MappingProxyType({})
) -> dict[str, Store]:
    """The local memories of an accelerator, and registers for scalars."""
    known = within_limits(accelerator.kernel, limits)
    found: dict[str, Store] = {}
    for array in accelerator.kernel.arrays.values():
        buffer: Buffer | None = accelerator.buffers.get(array.name)
        if buffer is None:
            found[array.name] = Store(array.name, array.type, ())
        else:
            found[array.name] = _local(buffer, banking.get(array.name), limits, known)
    return found


def _local(buffer: Buffer, banking: Banking | None, limits: Mapping[str, Limits], known: isl.Set) -> LocalStore:
    """The memory of a buffer, with room for as many words in each bank."""
    array, parts = buffer.array, buffer.components if banking is None else banking.parts
    shape = tuple(max(1, greatest(part.size, limits, known)) for part in parts) or (1,)
    if banking is None:
        return LocalStore(array.name, array.type, shape, buffer.copies, parts)
    block = banking.step * banking.count
    whole = (*shape[:-1], -(-shape[-1] // block) * block)
    return LocalStore(array.name, array.type, whole, buffer.copies, parts, banking.count, banking.step)
