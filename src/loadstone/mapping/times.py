"""The times of a processor and of its transfers [Corvino, 3.2: equations 1 to 6, definitions 1 and 2].

Equations 4 and 5 are printed with <, equation 1, criterion 2 and the example's result (4 units at 4 data a word) need
<=, which is used for all. Times are exact fractions of cycles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class ExternalMemory:
    """An external memory: `m` data in a word, one word a cycle, and `L_m` cycles before the first of a burst."""

    data_per_word: int
    latency: int


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
