"""How many lanes a bus keeps busy: those that compute as fast as it moves words, as far as they are proved possible."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil

from loadstone.loops.accelerator import Accelerator, words_of_arrays
from loadstone.loops.ranges import Limits
from loadstone.parallel.lanes import Lanes, find_lanes
from loadstone.transfer.volumes import count

MOST_LANES = 64
"""The most lanes that are chosen."""


def fed_lanes(
    accelerator: Accelerator,
    limits: Mapping[str, Limits],
    parameters: Mapping[str, int],
    element_bytes: Mapping[str, int],
    beat_bytes: int,
) -> tuple[int, ...]:
    """The numbers of lanes along one loop or two: as many as the bus feeds, or the most that are possible below.

    Where only one is possible, those that the bus feeds: who asks for them is told why.
    """
    wanted = _wanted(accelerator, parameters, element_bytes, beat_bytes)
    best = find_lanes(accelerator, limits, wanted)
    for rows in (1 << k for k in range(1, wanted.bit_length() - 1)):
        if best.count == wanted:
            break
        best = _more(best, find_lanes(accelerator, limits, (rows, wanted // rows)))
    return best.counts if best.count > 1 else (wanted,)


def _more(one: Lanes, other: Lanes) -> Lanes:
    """The one with more lanes."""
    return other if other.count > one.count else one


def _wanted(
    accelerator: Accelerator, parameters: Mapping[str, int], element_bytes: Mapping[str, int], beat_bytes: int
) -> int:
    """The power of two from which on more lanes would wait for the bus, on which loads and stores go side by side."""
    moved = words_of_arrays(accelerator, parameters)
    loads, stores = (
        sum(ceil(words[way] * element_bytes[name] / beat_bytes) for name, words in moved.items()) for way in (0, 1)
    )
    instances = sum(count(statement.domain, parameters) for statement in accelerator.kernel.statements)
    share = ceil(instances / max(1, loads, stores))
    return min(MOST_LANES, 1 << max(0, share - 1).bit_length())
