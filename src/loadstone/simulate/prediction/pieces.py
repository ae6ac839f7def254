"""What movers visit: elements of arrays that become requests, and the bursts that requests are cut into."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple


class Stretch(NamedTuple):
    """Elements next to each other in slices of a size, the first of which may begin with some elements left out."""

    length: int
    left_out: int = 0
    size: int = 1

    @property
    def visits(self) -> int:
        """The number of slices."""
        return self.begun(self.length)

    def begun(self, count: int) -> int:
        """The slices that begin in the first elements."""
        return -(-(self.left_out + min(count, self.length)) // self.size) if count > 0 else 0

    def ended(self, count: int) -> int:
        """The slices that end with the first elements, or before."""
        return self.visits if count >= self.length else max(0, self.left_out + count) // self.size

    def cut(self, visits: int) -> tuple[Stretch, Stretch]:
        """The first slices, and the others."""
        count = min(self.length, visits * self.size - self.left_out)
        return self._replace(length=count), Stretch(self.length - count, 0, self.size)


class Piece(NamedTuple):
    """Elements that a mover visits one after the other, which become one request; without an array, idle visits."""

    array: str
    address: int
    length: int
    visits: int
    stretches: tuple[Stretch, ...] = ()


class Cut(NamedTuple):
    """A burst of a request: its address and beats, the slices that end and begin in it, and the cycles that it takes.

    `taken` are the cycles to take its slices from the bus, `late` those of them after its last beat came, `given` those
    to give them to the bus.
    """

    address: int
    beats: int
    ended: int
    begun: int
    taken: int
    late: int
    given: int


@dataclass(frozen=True, slots=True)
class Widths:
    """The bytes of a beat, of the longest burst, and of the elements of arrays."""

    beat: int
    longest: int
    elements: Mapping[str, int]


def cuts_of(bus: Widths, piece: Piece) -> list[Cut]:
    """The bursts of a request, cut at multiples of the longest one [reading.py, writing.py, slices.py].

    A first slice over two beats takes a cycle more when it is read, and a last one when it is written.
    """
    size, beat, longest = bus.elements[piece.array], bus.beat, bus.longest
    start, end, cuts = piece.address, piece.address + piece.length * size, list[Cut]()
    ended = begun = 0
    more = int(_crosses(beat, piece.address, size * _first(piece)))
    while start < end:
        stop = min((start // longest + 1) * longest, end)
        first, count = start // beat, (stop - piece.address) // size
        now_ended, now_begun = _ended(piece.stretches, count), _begun(piece.stretches, count)
        last = int(stop == end and _crosses(beat, end - size * _last(piece), size * _last(piece)))
        beats = -(-stop // beat) - first
        before = _ended(piece.stretches, max(0, (first + beats - 1) * beat - piece.address) // size)
        late = max(0, now_ended - max(before, ended) - 1)
        taken, given = now_ended - ended + more, now_begun - begun + last
        cuts.append(Cut(first * beat, beats, now_ended - ended, now_begun - begun, taken, late, given))
        start, ended, begun, more = stop, now_ended, now_begun, 0
    return cuts


def _crosses(beat: int, address: int, length: int) -> bool:
    """Whether bytes are in two beats."""
    return address // beat != (address + length - 1) // beat


def _first(piece: Piece) -> int:
    """The elements of the first slice."""
    first = piece.stretches[0]
    return min(first.length, first.size - first.left_out)


def _last(piece: Piece) -> int:
    """The elements of the last slice."""
    last = piece.stretches[-1]
    return last.length if last.visits == 1 else (last.left_out + last.length - 1) % last.size + 1


def _ended(stretches: Sequence[Stretch], count: int) -> int:
    return sum(each.ended(count - before) for each, before in _with_starts(stretches) if before < count)


def _begun(stretches: Sequence[Stretch], count: int) -> int:
    return sum(each.begun(count - before) for each, before in _with_starts(stretches) if before < count)


def _with_starts(stretches: Sequence[Stretch]) -> list[tuple[Stretch, int]]:
    """Stretches, each with the elements before it."""
    return list(zip(stretches, accumulate((each.length for each in stretches), initial=0), strict=False))


def joined(array: str, address: int, width: int, stretches: Sequence[Stretch], longest: int) -> list[Piece]:
    """Neighbouring elements of some bytes from an address on, in pieces of at most the longest number of visits."""
    pieces, kept, visits = list[Piece](), list[Stretch](), 0
    for stretch in stretches:
        rest = stretch
        while rest.length:
            part, rest = rest.cut(longest - visits)
            kept.append(part)
            visits += part.visits
            if visits == longest:
                pieces.append(_piece(array, address, kept, visits))
                address += width * pieces[-1].length
                kept, visits = [], 0
    return [*pieces, _piece(array, address, kept, visits)] if kept else pieces


def _piece(array: str, address: int, stretches: Sequence[Stretch], visits: int) -> Piece:
    return Piece(array, address, sum(each.length for each in stretches), visits, tuple(stretches))
