"""Where arrays lie in external memory, and the words of its bus that hold them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from loadstone.bus.ports import Bus
from loadstone.hardware.accelerator.outline import AcceleratorOutline
from loadstone.hardware.design import BusDesign

PAGE = 4096
"""Arrays start at multiples of so many bytes, unless a base is given."""
NARROW = 32
OnBus = BusDesign | AcceleratorOutline


def far(bus: Bus) -> int:
    """Where the memory begins on a bus: at the upper half of wide addresses, so that all their bits matter."""
    return 1 << bus.address_width - 1 if bus.address_width > NARROW else 0


def placed(design: OnBus, given: Mapping[str, int] | None = None) -> dict[str, int]:
    """The byte addresses of all variables in a memory; those without a given one lie one after the other."""
    found = dict(given or {})
    free = max((_end(design, name, at) for name, at in found.items()), default=0)
    for name in design.bases:
        if name not in found:
            found[name] = -(-free // PAGE) * PAGE
            free = _end(design, name, found[name])
    return found


def words_needed(design: BusDesign, bases: Mapping[str, int]) -> int:
    """The words of a memory that holds all arrays, a power of two."""
    end = max((_end(design, name, at) for name, at in bases.items()), default=0)
    return 1 << max(1, (-(-end // design.bus.bytes) - 1).bit_length())


def _end(design: OnBus, variable: str, base: int) -> int:
    held = (name for name in design.element_bytes if design.variable(name) == variable)
    return base + max(_bytes(design, name) for name in held)


def _bytes(design: OnBus, array: str) -> int:
    return design.external[array].depth * design.element_bytes[array]


def packed(design: BusDesign, bases: Mapping[str, int], elements: Mapping[str, Sequence[int]]) -> list[int]:
    """The words of a memory with the elements of arrays in it, 0 elsewhere."""
    width = design.bus.bytes
    data = bytearray(words_needed(design, bases) * width)
    for name, words in elements.items():
        base, size, layout = bases[design.variable(name)], design.element_bytes[name], design.external[name]
        mask = (1 << 8 * size) - 1
        for place in layout.places(layout.extents) if layout.variable else range(len(words)):
            data[base + size * place : base + size * (place + 1)] = (words[place] & mask).to_bytes(size, "little")
    return [int.from_bytes(data[at : at + width], "little") for at in range(0, len(data), width)]


def unpacked(design: BusDesign, bases: Mapping[str, int], words: Sequence[int]) -> dict[str, list[int]]:
    """The elements of all arrays in the words of a memory, at their addresses in `external`."""
    data = b"".join(word.to_bytes(design.bus.bytes, "little") for word in words)
    found: dict[str, list[int]] = {}
    for name, size in design.element_bytes.items():
        base = bases[design.variable(name)]
        places = range(base, base + _bytes(design, name), size)
        found[name] = [int.from_bytes(data[at : at + size], "little") for at in places]
    return found
