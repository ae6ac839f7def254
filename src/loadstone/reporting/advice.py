"""What a plan gives away, in sentences that say what to change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod

from loadstone.fronts.space import Measure
from loadstone.markup import amount, number
from loadstone.reporting.machine import AREA, CLOCK_MHZ, Machine
from loadstone.reporting.strips import ShownStrip
from loadstone.simulate.memory import extents_of
from loadstone.storage.buffers import Buffer
from loadstone.storage.local_plan import LocalPlan

CAPACITIES: Mapping[str, Mapping[Measure, int]] = {
    "ecp5-25k": {"lut": 24_288, "blocks": 56, "dsp": 28},
    "ecp5-85k": {"lut": 83_640, "blocks": 208, "dsp": 156},
}
"""Look-up tables, block memories of 18 Kbit and multipliers of 18 x 18 bits, smallest device first [FPGA-DS-02012]."""
_CHANGES: Mapping[Measure, str] = {
    "lut": "integers and fixed point in place of floating point take fewer",
    "blocks": "smaller tiles, or --tile auto --local WORDS, take fewer",
    "dsp": "narrower types take fewer",
}
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
        yield f"{held}: smaller tiles along its subscripts, or fewer tiles in flight (--depth), need fewer cells."
    elif live and cells > WASTEFUL * live:
        whole = any(part.modulus is None for part in buffer.components)
        change = (
            "--split-buffers cuts it into parts, in C and HLS C++" if whole else "other tile loops may fold it better"
        )
        yield f"The buffer of {name} has {number(cells)} cells for {number(live)} elements at most at a time: {change}."


def machine_advice(machine: Machine) -> Iterator[str]:
    """What an accelerator gives away: more of something than a device has, a clock that is not reached.

    An estimate is compared with all devices of its family, a synthesis with the device it is for, as far as known.
    """
    clock = None if machine.synthesised is None else machine.synthesised.fmax_mhz
    if clock is not None and clock < CLOCK_MHZ:
        yield (
            f"The clock reaches {clock:.1f} MHz, not the {CLOCK_MHZ} MHz that times stand for: a run takes "
            f"{CLOCK_MHZ / clock:.2f} times as long. Fewer lanes or a narrower bus shorten the longest path."
        )
    named = None if machine.synthesised is None else machine.synthesised.device
    devices = {name: has for name, has in CAPACITIES.items() if named in (None, name)}
    for measure, change in _CHANGES.items():
        taken = machine.area[measure]
        small = [name for name, has in devices.items() if taken > has[measure]]
        if small:
            most = devices[small[-1]][measure]
            larger = next((f"; {name} has enough" for name in devices if name not in small), "")
            held = f"The accelerator takes {number(taken)} {AREA[measure]}, {small[-1]} has {number(most)}{larger}"
            lanes = ", and so do fewer lanes (--unroll)" if machine.lanes > 1 else ""
            yield f"{held}: {change}{lanes}."
