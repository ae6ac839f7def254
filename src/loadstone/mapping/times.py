"""External memories as the times of the document see them: bursts of words after a latency [Corvino, 3.2]."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ExternalMemory:
    """An external memory: `m` data in a word, one word a cycle, and `L_m` cycles before the first of a burst."""

    data_per_word: int
    latency: int
