"""Tilers taken apart into blocks and put together again.

Repetitions `r = b Q + q` in blocks of sizes `b`: the outer tiler takes all that the block `Q` takes, the inner one what
repetition `q` of the block takes of that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from loadstone.frontend.arrayol.specification import Matrix, Tiler, Vector


@dataclass(slots=True)
class _Side:
    """A dimension of the pattern of a block: its fitting, its size, and where repetitions of the block are in it."""

    fitting: Vector
    size: int
    start: int
    paving: list[int]


def blocked(tiler: Tiler, blocks: Sequence[int]) -> tuple[Tiler, Tiler]:
    """The tilers of blocks, and of the repetitions within one.

    A repetition that continues the pattern along one of its sides lengthens it, any other one is a side of its own.
    """
    rank, count = len(tiler.origin), len(blocks)
    sides = [_Side(column(tiler.fitting, k, rank), size, 0, [0] * count) for k, size in enumerate(tiler.pattern)]
    origin = tiler.origin
    for k, size in enumerate(blocks):
        step = column(tiler.paving, k, rank)
        if size == 1 or not any(step):
            continue
        origin = _lengthened(sides, origin, step, size, k, count)
    outer = Tiler(
        origin,
        tuple(tuple(entry * size for entry, size in zip(row, blocks, strict=True)) for row in tiler.paving),
        _rows([side.fitting for side in sides], rank),
        tuple(side.size for side in sides),
        tiler.wraps,
    )
    own = len(tiler.pattern)
    unit = tuple(tuple(int(row == k) for k in range(own)) for row in range(len(sides)))
    starts, paving = tuple(side.start for side in sides), tuple(tuple(side.paving) for side in sides)
    return outer, Tiler(starts, paving, unit, tiler.pattern, False)


def _lengthened(sides: list[_Side], origin: Vector, step: Vector, size: int, k: int, count: int) -> Vector:
    """Take up the repetitions of a dimension; returns the origin, which moves where they go backwards."""
    for side in sides:
        times = multiple(step, side.fitting)
        if times is not None and abs(times) <= side.size:
            side.paving[k] = times
            longer = abs(times) * (size - 1)
            side.size += longer
            if times > 0:
                return origin
            side.start += longer
            return tuple(o - longer * f for o, f in zip(origin, side.fitting, strict=True))
    sides.append(_Side(step, size, 0, [int(j == k) for j in range(count)]))
    return origin


def multiple(vector: Sequence[int], of: Sequence[int]) -> int | None:
    """How many times another vector a vector is; None where it is no multiple, or zero.

    >>> multiple((0, 6), (0, 2)), multiple((1, 6), (0, 2))
    (3, None)
    """
    pairs = [(a, b) for a, b in zip(vector, of, strict=True) if a or b]
    if not pairs or any(b == 0 or a % b for a, b in pairs) or len({a // b for a, b in pairs}) > 1:
        return None
    return pairs[0][0] // pairs[0][1] or None


def column(matrix: Matrix, k: int, rows: int) -> Vector:
    """A column of a matrix with some rows."""
    return tuple(matrix[row][k] for row in range(rows))


def _rows(columns: Sequence[Vector], rows: int) -> Matrix:
    return tuple(tuple(each[row] for each in columns) for row in range(rows))


def product(left: Matrix, right: Matrix, columns: int) -> Matrix:
    """The product of two matrices, the second with some columns."""
    return tuple(
        tuple(sum(a * row[k] for a, row in zip(line, right, strict=True)) for k in range(columns)) for line in left
    )


def composed(outer: Tiler, inner: Tiler) -> Tiler:
    """The tiler of `inner` on the patterns of `outer`, for the repetitions of both; `inner` must not wrap."""
    shift = product(outer.fitting, tuple((o,) for o in inner.origin), 1)
    columns = len(inner.paving[0]) if inner.paving else 0
    steps = product(outer.fitting, inner.paving, columns)
    return Tiler(
        tuple(o + s for o, (s,) in zip(outer.origin, shift, strict=True)),
        tuple((*first, *second) for first, second in zip(outer.paving, steps, strict=True)),
        product(outer.fitting, inner.fitting, len(inner.pattern)),
        inner.pattern,
        outer.wraps,
    )


def with_repetition(tiler: Tiler, kept: Sequence[int]) -> Tiler:
    """The tiler for some dimensions of its repetition, in this order."""
    paving = tuple(tuple(row[k] for k in kept) for row in tiler.paving)
    return Tiler(tiler.origin, paving, tiler.fitting, tiler.pattern, tiler.wraps)
