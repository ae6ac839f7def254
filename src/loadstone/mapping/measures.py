"""What a mapping costs: internal memory and latency [Corvino, 4, the optimization criteria]."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

from loadstone.mapping.criteria import Units, relative_sizes
from loadstone.mapping.processors import Architecture, Block


def local_memory(architecture: Architecture, units: Units, block: Block, size: Fraction) -> int:
    """LM_j(P_i) = 2 N_cu x_j, double buffered; the whole array where it is consumed against the scan that produced it.

    The document calls for a whole image wherever a filter that runs backwards follows one that runs forwards.
    """
    assert block.consumer is not None
    if block.producer is not None:
        ends = (architecture.processors[block.producer], architecture.processors[block.consumer])
        if ends[0].backwards != ends[1].backwards:
            return block.elements
    return 2 * units[block.consumer] * ceil(size)


def internal_memory(architecture: Architecture, units: Units, block: int) -> int:
    """IM: the sum of the buffers of all inputs of all processors, in data."""
    sizes = zip(architecture.blocks, relative_sizes(architecture), strict=True)
    return sum(local_memory(architecture, units, b, size * block) for b, size in sizes if b.consumer is not None)


def latency(architecture: Architecture) -> int:
    """AL: the data that go to external memory for one frame, in cycles, as transfers are masked.

    The document multiplies the image by the determinant of I_Mem, which is 0 for its example; the 4 M cycles that it
    gives are those of the two outputs, which are counted here.
    """
    return sum(block.elements for block in architecture.blocks if block.consumer is None)
