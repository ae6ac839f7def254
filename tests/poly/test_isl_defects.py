"""Defects of isl that we work around, each as small as it can be told to its authors.

A test here holds as long as isl is wrong. One that fails says which workaround may go.
"""

from __future__ import annotations

from itertools import pairwise

import islpy as isl

from loadstone.poly import pairs, points
from loadstone.poly.extrema import is_extremum, least

STRIDED = "{ [x, y] : exists (e : (x + y) mod 2 = 0 and -5 < x <= y and 2 + x <= 2e <= x - y) }"
FOUR_POINTS = {(-4, -4), (-4, -2), (-3, -3), (-2, -2)}
MENDED = "isl is mended: poly/extrema.py may trust it from this version on"


def later_points() -> isl.Map:
    """Points of the strided set to all later ones; made anew, for isl is right when asked the same object again."""
    strided = isl.Set(STRIDED)
    return isl.Map.lex_lt(strided.get_space()).intersect_domain(strided).intersect_range(strided)


def test_the_strided_set_has_four_points() -> None:
    assert set(points(isl.Set(STRIDED))) == FOUR_POINTS


def test_lexmin_overlooks_successors_in_a_strided_set() -> None:
    """The lexicographic successor of (-4, -4) is (-4, -2); isl_map_lexmin gives (-3, -3) (islpy 2026.2.2).

    The relation is isl_map_lex_lt of the space, its domain and range intersected with the set. The result is contained
    in the relation and has its domain. It is right after isl_map_compute_divs, or when asked for a second time.
    """
    found, relation = later_points().lexmin(), later_points()
    assert ((-4, -4), (-4, -2)) in pairs(relation)
    assert ((-4, -4), (-3, -3)) in pairs(found), MENDED
    assert found.is_subset(relation)
    assert found.domain().is_equal(relation.domain())
    assert later_points().compute_divs().lexmin().is_equal(least(later_points()))


def test_the_certificate_notices() -> None:
    assert not is_extremum(later_points().lexmin(), later_points(), "least")


def test_the_fallback_finds_the_successors() -> None:
    assert pairs(least(later_points())) == set(pairwise(sorted(FOUR_POINTS)))
