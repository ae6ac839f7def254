"""What a plan gives away, in sentences that say what to change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod

from loadstone.markup import amount, number
from loadstone.reporting.machine import Machine
from loadstone.reporting.strips import ShownStrip
from loadstone.simulate.memory import extents_of
from loadstone.storage.buffers import Buffer
from loadstone.storage.local_plan import LocalPlan

BLOCKS: Mapping[str, int] = {"ecp5-25k": 56, "ecp5-85k": 208}
"""Block memories of 18 Kbit [Lattice FPGA-DS-02012]."""
WASTEFUL = 1.5
"""Cells of a buffer for each element that lives at the same time, from which on it is worth a word."""


def plan_advice(plan: LocalPlan, parameters: Mapping[str, int], strips: Sequence[ShownStrip]) -> Iterator[str]:
    """What the plan of a tiling gives away."""
    if strips and all(strip.tile_count == 1 for strip in strips):
        inner = ", ".join(plan.tiles.inner)
        yield (
            f"The strips shown have a single tile: nothing is reused from tile to tile along {inner}. "
            "Smaller tiles in that dimension, or --strip with more dimensions, make strips longer."
        )
    for name, part in plan.arrays.items():
        yield from _of_buffer(name, part.buffer, _elements(plan, name, parameters), parameters)


def _elements(plan: LocalPlan, name: str, parameters: Mapping[str, int]) -> int:
    return prod(extents_of(plan.tiles.kernel.arrays[name], parameters))


def _of_buffer(name: str, buffer: Buffer, elements: int, parameters: Mapping[str, int]) -> Iterator[str]:
    """What the buffer of an array with some elements gives away."""
    cells, live = buffer.cells(parameters), buffer.most_live(parameters)
    if cells > elements > 0:
        held = f"{name} has {amount(elements, 'element')}, its buffer {amount(cells, 'cell')}"
        yield f"{held}: smaller tiles along its subscripts need no more cells than the array has elements."
    elif live and cells > WASTEFUL * live:
        whole = any(part.modulus is None for part in buffer.components)
        change = (
            "--split-buffers cuts it into parts, in C and HLS C++" if whole else "other tile loops may fold it better"
        )
        yield f"The buffer of {name} has {number(cells)} cells for {number(live)} elements at most at a time: {change}."


def machine_advice(machine: Machine) -> Iterator[str]:
    """What an accelerator gives away: memories that no device of a family has."""
    blocks = machine.area["blocks"]
    small = [name for name, most in BLOCKS.items() if blocks > most]
    if small:
        fits = [name for name in BLOCKS if name not in small]
        larger = f"; {fits[0]} has enough" if fits else ""
        yield (
            f"The local memories take {number(blocks)} blocks, {small[0]} has {BLOCKS[small[0]]}{larger}. "
            "--tile auto --local WORDS chooses tiles for a smaller memory."
        )
