"""Beats: how many neighbouring elements of an array move in one cycle between a bus and its local memory.

A slice is what of a row has the same quotient by a size in its last subscript. Its elements are in different banks, and
at the same place in each of them, if the bank is the last subscript modulo a multiple of the size. Lanes may want other
banks: a common banking is proved to serve both, or the array moves one element in a cycle.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from loadstone.loops.accelerator import Accelerator
from loadstone.loops.ranges import Ranges
from loadstone.loops.slices import has_rows
from loadstone.loops.tile_loops import move_loops
from loadstone.parallel.banks import (
    MOST_GROWTH,
    Banking,
    Touch,
    banked_shape,
    conflict_free,
    possible_banks,
    successive_parts,
    with_banks,
)
from loadstone.parallel.groups import touches_of
from loadstone.parallel.lanes import Lanes
from loadstone.storage.buffers import Buffer, Component

APART = "its elements are apart in external memory"
NO_ROWS = "no loop of a tile goes along its rows"
NO_BANKS = "no banks are known to serve both lanes and beats"
SHORT = "its rows in local memory have at most {} elements"
TOO_LARGE = "the banks would take more than twice the memory"
MOST_BANKS = 128
"""The most banks in rows and columns that serve both lanes and beats."""


@dataclass(frozen=True, slots=True)
class Beats:
    """The elements of arrays that fit a beat, those that move in a cycle, and why these are fewer."""

    fits: Mapping[str, int]
    sizes: Mapping[str, int]
    reasons: Mapping[str, str]

    def size(self, array: str) -> int:
        """The size of the slices of an array."""
        return self.sizes.get(array, 1)

    @property
    def most(self) -> int:
        """The most elements that move in a cycle."""
        return max(self.sizes.values(), default=1)

    @property
    def are_several(self) -> bool:
        """Whether a beat holds several elements of some array."""
        return any(fits > 1 for fits in self.fits.values())

    @property
    def several(self) -> dict[str, int]:
        """The arrays of which several elements move in a cycle."""
        return {name: size for name, size in self.sizes.items() if size > 1}

    def as_json(self) -> dict[str, Any]:
        """The elements per cycle of each array, and the reasons for fewer than a beat holds."""
        return {"elements": dict(self.sizes), "reasons": dict(self.reasons)}


NO_BEATS = Beats({}, {}, {})


def find_beats(
    accelerator: Accelerator, ranges: Ranges, lanes: Lanes, fits: Mapping[str, int], apart: frozenset[str]
) -> tuple[Beats, Lanes]:
    """Slices that are as large as possible, of arrays of which some elements fit a beat, and lanes with their banks.

    The elements of arrays that are `apart` are not next to each other in external memory.
    """
    sizes, reasons = dict[str, int](), dict[str, str]()
    for array, most in fits.items():
        alone = _moved_alone(accelerator, array)
        banking, reason = None, APART if array in apart else NO_ROWS
        if most > 1 and array not in apart and not all(alone.values()):
            banking, sizes[array], reason = _largest(accelerator.buffers[array], ranges, lanes, most)
        if banking is not None:
            lanes = _with_banks(accelerator.buffers[array], ranges, lanes, banking)
        sizes.setdefault(array, 1)
        if sizes[array] < most:
            reasons[array] = reason
        elif most > 1 and any(alone.values()):
            reasons[array] = f"{'load' if alone.get('load') else 'store'}: {NO_ROWS}"
    return Beats(fits, sizes, reasons), lanes


def _moved_alone(accelerator: Accelerator, array: str) -> dict[str, bool]:
    """By which processes an array is moved, and whether each of them moves its elements one by one."""
    moved = {"load": accelerator.loaded, "store": accelerator.stored}
    verbs = (verb for verb, arrays in moved.items() if array in arrays)
    return {verb: not has_rows(move_loops(accelerator, verb), array) for verb in verbs}


def _largest(buffer: Buffer, ranges: Ranges, lanes: Lanes, most: int) -> tuple[Banking | None, int, str]:
    """Banks for the largest slices, their size, and why they are not larger."""
    row, conflict = _row_length(buffer, ranges), False
    longest = size = min(most, 1 << (row - 1).bit_length())
    touches = _touches(buffer, ranges, lanes)
    current = lanes.banking.get(buffer.array.name, Banking(1, 1, buffer.components))
    found: Banking | None = None
    while found is None and size > 1:
        for banking in _candidates(buffer, current, size, tries=3 if touches else 1):
            if found is None and _is_small(banking, current, ranges):
                is_free = all(conflict_free(banking.bank_of(buffer), touch) for touch in touches)
                found, conflict = (banking, conflict) if is_free else (None, True)
        size = size if found else size // 2
    reason = NO_BANKS if conflict else TOO_LARGE
    return found, size, SHORT.format(row) if size == longest else reason


def _row_length(buffer: Buffer, ranges: Ranges) -> int:
    """The elements of a row that are in local memory at a time, at most."""
    return max(ranges.greatest(part.size) for part in successive_parts(buffer) if part.row == _last_row(buffer))


def _last_row(buffer: Buffer) -> tuple[int, ...]:
    """The row of a mapping by the last subscript alone."""
    return tuple(int(k == buffer.array.rank - 1) for k in range(buffer.array.rank))


def _touches(buffer: Buffer, ranges: Ranges, lanes: Lanes) -> list[Touch]:
    """The accesses of lanes that run together."""
    grouping = lanes.grouping
    if grouping is None:
        return []
    found = touches_of(grouping, buffer.array.name, ranges.known)
    return [touch for touch in found if touch.place[0] in grouping.steps]


def _candidates(buffer: Buffer, current: Banking, size: int, tries: int) -> Iterator[Banking]:
    """Banks by the last subscript, at least as many as now, and as a slice has elements; or as columns of those now."""
    row, mappings = _last_row(buffer), ((buffer.components, False), (successive_parts(buffer), True))
    for count in (max(size, current.count) << k for k in range(tries)):
        for parts, successive in mappings:
            for others, part in _split(parts, row):
                for banked in with_banks(part, count, successive=successive):
                    if _divides(count, banked):
                        yield Banking(count, 1, (*others, banked))
    rows = _rows_now(current)
    if rows is not None and rows[1] * size <= MOST_BANKS:
        for others, part in _split([part for part in current.parts if part is not rows[0]], row):
            columns = max(size, current.count // rows[1])
            for banked in with_banks(part, columns, successive=False):
                if _divides(columns, banked):
                    yield Banking(rows[1] * columns, 1, (*others, rows[0], banked), rows[1])


def _split(parts: Sequence[Component], row: tuple[int, ...]) -> Iterator[tuple[tuple[Component, ...], Component]]:
    """The dimension of a mapping that is by the last subscript, with the others, if none of these depends on it."""
    for index, part in enumerate(parts):
        others = (*parts[:index], *parts[index + 1 :])
        if part.row == row and not any(other.row[-1] for other in others):
            yield others, part


def _divides(count: int, part: Component) -> bool:
    """Whether the number of banks divides the modulus of a dimension, if it has one."""
    return part.modulus is None or part.modulus % count == 0


def _rows_now(current: Banking) -> tuple[Component, int] | None:
    """What says the row of a bank, the same along a slice, if banks by the last subscript become its columns."""
    if current.rows == 1 and (current.count == 1 or current.step > 1):
        return None
    part, rows = (current.parts[-2], current.rows) if current.rows > 1 else (current.parts[-1], current.count)
    return None if part.row[-1] else (part, rows)


def _is_small(banking: Banking, current: Banking, ranges: Ranges) -> bool:
    return _cells(banking, ranges) <= MOST_GROWTH * _cells(current, ranges) + banking.count


def _cells(banking: Banking, ranges: Ranges) -> int:
    """The words of a memory with banks."""
    return prod(banked_shape(banking, ranges))


def _with_banks(buffer: Buffer, ranges: Ranges, lanes: Lanes, banking: Banking) -> Lanes:
    """The lanes with other banks of an array."""
    name, banks = buffer.array.name, dict(lanes.banks)
    if lanes.grouping is not None:
        touches = touches_of(lanes.grouping, name, ranges.known)
        banks |= {touch.place: possible_banks(banking, buffer, touch) for touch in touches}
    described = {**lanes.described, name: banking.described}
    return replace(lanes, banking={**lanes.banking, name: banking}, banks=banks, described=described)
