"""The mapping criteria and what they allow: the most computing units and the smallest blocks [Corvino, 3.2, example 2].

Criterion 1 is printed with <=, by which blocks would be bounded above; substituting its two times into equation 1 gives
>=, which is used here. The example's blocks of 480 data follow from no single reading of the equations: see `READINGS`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil, floor

from loadstone.mapping.processors import Architecture, Block, Processor
from loadstone.mapping.times import ExternalMemory, compute_time, fetch_time_of_all, may_write, pace_is_kept

Units = tuple[int, ...]


def relative_sizes(architecture: Architecture) -> tuple[Fraction, ...]:
    """The size of each block if blocks leaving a macrotask hold a datum; inputs are `ratio` times what they make."""
    made: dict[int, Fraction] = {}

    def size(block: Block) -> Fraction:
        return Fraction(1) if block.consumer is None else block.ratio * output(block.consumer)

    def output(number: int) -> Fraction:
        if number not in made:
            made[number] = max((size(b) for b in architecture.blocks if b.producer == number), default=Fraction(1))
        return made[number]

    return tuple(map(size, architecture.blocks))


def fetches_are_masked(architecture: Architecture, memory: ExternalMemory, units: Units, block: Fraction) -> bool:
    """Criterion 1: each processor that reads external memory computes as long as it fetches, for blocks of a size.

    t_fetch = N_cu (N_k L_m + sum X_Mem / m), t_com = C_x x_j / N_cu with the data that it takes, as in the derivation.
    """
    sizes = dict(zip(architecture.blocks, relative_sizes(architecture), strict=True))
    for taken in architecture.blocks:
        if taken.producer is not None or taken.consumer is None:
            continue
        moved = [sizes[each] * block for each in architecture.exchanged(architecture.macrotask(taken))]
        processor, number = architecture.processors[taken.consumer], units[taken.consumer]
        if number * fetch_time_of_all(memory, moved) > compute_time(processor.interval, sizes[taken] * block, number):
            return False
    return True


def words_suffice(architecture: Architecture, memory: ExternalMemory, units: Units) -> bool:
    """Criterion 2: Diag(N_cu) I_Mem <= m, and the same for what is read: no more data a cycle than a word holds.

    The document bounds the writers alone; the 4 units of the filters that only read follow from the second part.
    """
    for block in architecture.blocks:
        if block.consumer is None and block.producer is not None and not may_write(memory, units[block.producer]):
            return False
        if block.producer is None and _intake(architecture, block, units) > memory.data_per_word:
            return False
    return True


def _intake(architecture: Architecture, block: Block, units: Units) -> Fraction:
    """The data of a block that its consumer takes in a cycle."""
    assert block.consumer is not None
    return block.ratio * units[block.consumer] / architecture.processors[block.consumer].interval


def paces_are_kept(architecture: Architecture, units: Units) -> bool:
    """Criterion 3: no consumer computes faster than what it takes is produced."""
    return all(
        pace_is_kept(
            (architecture.processors[block.producer].interval, units[block.producer]),
            (architecture.processors[block.consumer].interval, units[block.consumer]),
            block.ratio,
        )
        for block in architecture.blocks
        if block.producer is not None and block.consumer is not None
    )


def largest_units(architecture: Architecture, memory: ExternalMemory) -> Units:
    """The most computing units by criteria 2 and 3.

    Both bound each processor from above, given those before it, so that the greatest choice is found in their order.
    """
    units: list[int] = []
    for number, processor in enumerate(architecture.processors):
        bounds = [
            _bound(architecture, memory, units, processor, block)
            for block in architecture.blocks
            if number in (block.producer, block.consumer)
        ]
        units.append(max(1, floor(min((bound for bound in bounds if bound is not None), default=Fraction(1)))))
    return tuple(units)


def _bound(
    architecture: Architecture, memory: ExternalMemory, units: Sequence[int], processor: Processor, block: Block
) -> Fraction | None:
    """The most units of a processor because of a block; None where the block's consumer is the one that is bound."""
    if block.consumer is None:
        return Fraction(memory.data_per_word)
    if architecture.processors[block.consumer] is not processor:
        return None
    if block.producer is None:
        return memory.data_per_word * processor.interval / block.ratio
    before = architecture.processors[block.producer]
    return units[block.producer] * processor.interval / (before.interval * block.ratio)


@dataclass(frozen=True, slots=True)
class Reading:
    """A way to read criterion 1: units multiply fetches or not, transfers of all or of one macrotask, own or not."""

    by_units: bool
    of_all: bool
    own: bool

    def __str__(self) -> str:
        parts = ("N_cu^2" if self.by_units else "one unit", "all transfers" if self.of_all else "those of a pass")
        return ", ".join((*parts, "with the block itself" if self.own else "without the block itself"))


MASKED = Reading(by_units=False, of_all=False, own=True)
"""Equation 3 for a block of one unit among the transfers of a pass, as explorations use it."""

READINGS = tuple(Reading(*choice) for choice in product((True, False), repeat=3))
"""All readings of criterion 1. For the LPSF filter with 4 data a word and a latency of 30 (`docs/mapping.md`):

with N_cu = 4 and N_cu^2 no block is large enough (a block takes 16 times its data over 4 to fetch); with one unit, the
four transfers of both passes and the block itself 120 + x <= x has no solution; without the block itself (equation 2
alone) 120 + 3x/4 <= x gives the printed 480; the two transfers of a pass give 60 + x/2 <= x, so 120, and four parallel
blocks of 120 are 480 data as well. The 60 of section 4 is 480 over two copies of four units.
"""


def smallest_block(
    architecture: Architecture, memory: ExternalMemory, units: Units, reading: Reading | None = None
) -> int | None:
    """The fewest data of a block so that all fetches are masked; None where no size is large enough.

    Without a reading: criterion 1 as derived, with the transfers of each macrotask.
    """
    way = reading or Reading(by_units=True, of_all=False, own=True)
    sizes = dict(zip(architecture.blocks, relative_sizes(architecture), strict=True))
    least = 1
    for taken in architecture.blocks:
        if taken.producer is not None or taken.consumer is None:
            continue
        needed = _needed(architecture, memory, units, way, taken, sizes.__getitem__)
        if needed is None:
            return None
        least = max(least, needed)
    return least


def _needed(
    architecture: Architecture,
    memory: ExternalMemory,
    units: Units,
    way: Reading,
    taken: Block,
    size: Callable[[Block], Fraction],
) -> int | None:
    """The least t with factor * (N_k L_m + t sum / m) <= t C x / factor."""
    assert taken.consumer is not None
    groups = {p.macrotask for p in architecture.processors} if way.of_all else {architecture.macrotask(taken)}
    moved = [block for group in groups for block in architecture.exchanged(group)]
    factor = units[taken.consumer] if way.by_units else 1
    streamed = sum((size(block) for block in moved if way.own or block is not taken), Fraction(0))
    interval = architecture.processors[taken.consumer].interval
    gain = interval * size(taken) / factor - factor * streamed / memory.data_per_word
    return None if gain <= 0 else ceil(factor * len(moved) * memory.latency / gain)
