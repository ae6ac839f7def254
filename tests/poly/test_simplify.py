"""Simplification keeps values, and leaves them in a form that isl handles well."""

from __future__ import annotations

import islpy as isl

from loadstone.poly import coalesced

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
