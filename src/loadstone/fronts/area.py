"""Look-up tables, registers, multipliers and block memories of a design, estimated before synthesis.

Fitted by `benchmarks/area.py` to what Yosys 0.70 counts on ECP5 for 18 accelerators of 11 kernels, each behind its
registers (`loadstone synth --bus axi`). Errors are those of designs whose kernel was left out of the fit: for look-up
tables 3 % in the median and 35 % at most (double precision, which no other kernel has), for registers 3 % and 25 %
(eight lanes with products). Block memories and multipliers follow from rules, which held in 17 of the 18 cases, and
were off by one in the other one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from operator import mul
from typing import Literal

from loadstone.fronts.census import Census, Product, Shape

Fitted = Literal["lut", "ff"]
DSP_BITS, RULE_ERROR = 18, 1
"""The bits of a multiplier, and by how many the rules for multipliers and block memories were off at most."""
LUT_RAM_WORDS, LUT_RAM_BITS = 16, 4


@dataclass(frozen=True, slots=True)
class Coefficients:
    """Factors of the features of a census, and the greatest relative error that was measured."""

    factors: tuple[float, ...]
    error: float


COEFFICIENTS: Mapping[Fitted, Coefficients] = {
    "lut": Coefficients((0.599, 0.800, 0.500, 7.970), 0.35),
    "ff": Coefficients((358.3, 0.747, 0.729), 0.25),
}


def features(area: Fitted, found: Census) -> tuple[float, ...]:
    """What look-up tables follow (adders, choices, shifters, small memories) or registers (any design, their bits)."""
    small = [(shape, count) for shape, count in found.memories.items() if _is_small(shape)]
    if area == "ff":
        fetched = sum(count * width * reads * latency for (width, _, reads, latency), count in small)
        return 1, found.registers, fetched
    cells = sum(count * _lut_rams(shape) for shape, count in small)
    return found.adders, found.choices, found.shifters, cells


def estimated(area: Fitted, found: Census) -> int:
    """The look-up tables or registers of a design on ECP5."""
    return round(sum(map(mul, COEFFICIENTS[area].factors, features(area, found))))


def block_memories(found: Census) -> int:
    """The block memories of ECP5."""
    return sum(count * _blocks(shape) for shape, count in found.memories.items() if not _is_small(shape))


def multipliers(found: Census) -> int:
    """The multipliers of ECP5, of 18 by 18 bits: those of which a bit of the product is used."""
    return sum(count * _tiles(product) for product, count in found.products.items())


def _tiles(product: Product) -> int:
    left, right, width = product
    rows, columns = range(ceil(left / DSP_BITS)), range(ceil(right / DSP_BITS))
    return sum(DSP_BITS * (row + column) < width for row in rows for column in columns)


def _is_small(shape: Shape) -> bool:
    width, depth, _, latency = shape
    return latency == 0 or depth <= 32 or width * depth <= 512


def _lut_rams(shape: Shape) -> int:
    width, depth, reads, _ = shape
    return reads * ceil(width / LUT_RAM_BITS) * ceil(depth / LUT_RAM_WORDS)


def _blocks(shape: Shape) -> int:
    """A copy for each read port, in the widths that a block has."""
    width, depth, reads, _ = shape
    ways = ((36, 512), (18, 1024), (9, 2048), (4, 4096), (2, 8192), (1, 16384))
    return reads * min(ceil(width / bits) * ceil(depth / words) for bits, words in ways)
