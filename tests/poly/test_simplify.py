"""Simplification keeps values, and leaves them in a form that isl handles well."""

from __future__ import annotations

from functools import reduce

import islpy as isl

from loadstone.poly import coalesced
from loadstone.poly.simplify import MOST_PIECES, joined

ROWS = """[N, T0, T1, T2] -> {
    [x0] : T0 = 0 and T2 = 0 and x0 = 2 - T1 and (-2 + 2N - T1) mod 6 = 0 and -N < T1 <= 0;
    [x0] : T0 = 0 and T2 = 0 and x0 = 1 - T1 and (-2 + 2N - T1) mod 6 = 0 and -N < T1 <= 0
           and -6 + T1 <= 6*floor((-2 + T1)/6) <= -4 + T1 }"""


def test_coalesced_sets_survive_lexmin() -> None:
    """With plain `coalesce`, isl's `lexmin` drops the stride from the set that it is called on."""
    expected = isl.Set(ROWS)
    found = coalesced(isl.Set(ROWS))
    found.lexmin_pw_multi_aff()
    assert found.is_equal(expected)


def test_unions_of_many_pieces_that_overlap_are_one_piece() -> None:
    """Coalesced in the end, they would have too many pieces for it."""
    parts = [isl.Set(f"[n] -> {{ [x] : n >= 1 and {k - 30} <= 32x <= n + {k} }}") for k in range(100)]
    empty = isl.Set("[n] -> { [x] : false }")
    found = joined(parts, empty)
    assert coalesced(found).n_basic_set() == 1
    assert found.is_equal(reduce(isl.Set.union, parts, empty))


def test_unions_of_few_pieces_are_as_they_come() -> None:
    parts = [isl.Set(f"{{ [x] : {3 * k} <= x <= {3 * k + 1} }}") for k in range(MOST_PIECES)]
    assert str(joined(parts, isl.Set("{ [x] : false }"))) == str(reduce(isl.Set.union, parts))
