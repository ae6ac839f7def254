"""Dates that do not decrease along the dimensions of blocks stay in order when blocks are run one after the other."""

from __future__ import annotations

import random

import islpy as isl
import pytest

from loadstone.poly.order import in_order_of_blocks

POINTS = [(i, j) for i in range(3) for j in range(3)]


def _dates(values: list[int], name: str) -> isl.Map:
    a, b, c, d, e = values
    return isl.Map(f"{{ {name}[i, j] -> [{a} i + {b} j, {c} i + {d} j, {e} j] }}")


def _date(values: list[int], point: tuple[int, int]) -> tuple[int, ...]:
    (a, b, c, d, e), (i, j) = values, point
    return a * i + b * j, c * i + d * j, e * j


@pytest.mark.parametrize("seed", range(60))
def test_what_is_in_order_is_in_the_order_of_blocks(seed: int) -> None:
    draw = random.Random(seed)
    first, second = ([draw.randint(-1, 2) for _ in range(5)] for _ in range(2))
    sizes = [draw.choice((1, 2, 3)) for _ in range(2)]
    chosen = draw.sample([(p, q) for p in POINTS for q in POINTS], 2)
    texts = (f"S[{p[0]}, {p[1]}] -> R[{q[0]}, {q[1]}]" for p, q in chosen)
    pairs = isl.Map(f"{{ {'; '.join(texts)} }}")

    def key(date: tuple[int, ...]) -> tuple[int, ...]:
        return (*(date[k] // sizes[k] for k in range(2)), *date)

    right = all(key(_date(first, p)) < key(_date(second, q)) for p, q in chosen)
    found = in_order_of_blocks(pairs, _dates(first, "S"), _dates(second, "R"), sizes)
    assert right or not found
    if all(size == 1 for size in sizes):
        assert found == all(_date(first, p) < _date(second, q) for p, q in chosen)


def test_skewed_tiles_are_known_to_be_in_order() -> None:
    pairs = isl.Map("{ S[t, i] -> S[t + 1, j] : i - 1 <= j <= i + 1 }")
    skewed, plain = isl.Map("{ S[t, i] -> [t, t + i] }"), isl.Map("{ S[t, i] -> [t, i] }")
    assert in_order_of_blocks(pairs, skewed, skewed, [32, 32])
    assert not in_order_of_blocks(pairs, plain, plain, [32, 32])
