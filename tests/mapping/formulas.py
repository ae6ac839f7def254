"""Equations 1 to 6 and the criteria as the document has them, against which what the explorer finds is checked.

Equations 4 and 5 are printed with <, equation 1, criterion 2 and the example's result (4 units at 4 data a word) need
<=, which is used for all. Times are exact fractions of cycles [Corvino, 3.2: equations 1 to 6, definitions 1 and 2].
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from loadstone.mapping.criteria import Units, relative_sizes
from loadstone.mapping.processors import Architecture, Block
from loadstone.mapping.times import ExternalMemory


def fetch_latency(memory: ExternalMemory, others: Sequence[Fraction]) -> Fraction:
    """L(j), equation 2: a transfer waits for its own latency and, at worst, for all other transfers."""
    return memory.latency + sum((memory.latency + size / memory.data_per_word for size in others), Fraction(0))


def fetch_time(memory: ExternalMemory, size: Fraction, others: Sequence[Fraction]) -> Fraction:
    """t_fetch, definition 1: the latency, then a word a cycle."""
    return fetch_latency(memory, others) + size / memory.data_per_word


def fetch_time_of_all(memory: ExternalMemory, sizes: Sequence[Fraction]) -> Fraction:
    """t_fetch, equation 3: the same for every block, N_k L_m + sum of X_Mem / m."""
    return len(sizes) * Fraction(memory.latency) + sum(sizes, Fraction(0)) / memory.data_per_word


def compute_time(interval: Fraction, size: Fraction, units: int = 1) -> Fraction:
    """t_com, definition 2: a datum each initiation interval, divided among computing units."""
    return interval * size / units


def is_masked(fetches: Sequence[Fraction], computing: Fraction) -> bool:
    """Equation 1: the longest fetch takes no longer than the computation."""
    return max(fetches, default=Fraction(0)) <= computing


def may_write(memory: ExternalMemory, units: int) -> bool:
    """Equation 4: a processor that writes to external memory has a unit for each datum of a word at most."""
    return units <= memory.data_per_word


def read_is_masked(fetch: Fraction, computing: Fraction, units: int) -> bool:
    """Equation 5: blocks of all units are fetched one after the other, and computed side by side."""
    return units * fetch <= computing / units


def pace_is_kept(producer: tuple[Fraction, int], consumer: tuple[Fraction, int], ratio: Fraction) -> bool:
    """Equation 6: a consumer computes no faster than its producer, both given by interval and units."""
    (produced, producers), (consumed, consumers) = producer, consumer
    return consumers / consumed <= producers / (produced * ratio)


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
