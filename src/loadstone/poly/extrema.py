"""Lexicographic extrema, each with a certificate.

isl's `lexmin` and `lexmax` are wrong on some unions of strided sets (`tests/poly/test_isl_defects.py` shows one),
depending on how their quotients are represented. So no other module calls them. A candidate E for the least values of a
relation R is taken only if

    E is contained in R,    E has the domain of R,    and no pair of R lies before the one of E with the same input,

which intersection, difference and application decide. Then E is single-valued as well: of two values for one input,
both in R, the smaller one would lie before the other. A candidate that fails gives way to R without the pairs that have
another one before them, which satisfies the three conditions by definition wherever there is a least value (isl raises
an error where there is none). So does one in more than `MOST_TESTED` pieces: a test takes longer than doing without. So
does one that isl does not find within `CANDIDATE_LIMIT` operations: it would have too many pieces.

Relations without quotients get the same test. Their extrema may have some, and no proof is known that isl keeps these
apart where it compares the pieces of a union; on the examples the test takes a few percent of the time of a plan.
"""

from __future__ import annotations

from typing import Literal

import islpy as isl

from loadstone.poly.dimensions import Relation
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.poly.spaces import Dim, without_dims

Side = Literal["least", "greatest"]

MOST_TESTED = 40
"""The largest number of pieces of a candidate that is tested."""
CANDIDATE_LIMIT = 300_000
"""The number of operations that isl may take to find a candidate."""


def least(relation: Relation) -> Relation:
    """The lexicographically smallest point of a set, for each value of the parameters, or of a map, for each input."""
    return _extremum(relation, "least")


def greatest(relation: Relation) -> Relation:
    """The lexicographically greatest point of a set, for each value of the parameters, or of a map, for each input."""
    return _extremum(relation, "greatest")


def least_function(relation: isl.Map) -> isl.PwMultiAff:
    """The smallest point for each input of a map, as a function."""
    return _function(relation, "least")


def greatest_function(relation: isl.Map) -> isl.PwMultiAff:
    """The greatest point for each input of a map, as a function."""
    return _function(relation, "greatest")


def least_value(points: isl.Set, position: int = 0) -> isl.PwAff:
    """The smallest value of one dimension of a set, as a function of the parameters."""
    return _value(points, position, "least")


def greatest_value(points: isl.Set, position: int = 0) -> isl.PwAff:
    """The greatest value of one dimension of a set, as a function of the parameters."""
    return _value(points, position, "greatest")


def is_extremum(found: isl.Map, relation: isl.Map, side: Side) -> bool:
    """Whether a map takes each input of a relation, and no other, to its extreme value there: the certificate."""
    return (
        found.is_subset(relation)
        and found.apply_range(_beyond(relation, side)).is_disjoint(relation)
        and relation.domain().is_subset(found.domain())
    )


def _beyond(relation: isl.Map, side: Side) -> isl.Map:
    """Values of a relation to the more extreme ones."""
    space = relation.get_space().range()
    return isl.Map.lex_gt(space) if side == "least" else isl.Map.lex_lt(space)


def by_difference(relation: isl.Map, side: Side) -> isl.Map:
    """The extreme values of a relation: all of its pairs but those with a more extreme one."""
    return relation.subtract(relation.apply_range(_beyond(relation, side).reverse()))


def _is_certain(found: isl.Map, relation: isl.Map, side: Side) -> bool:
    return found.n_basic_map() <= MOST_TESTED and is_extremum(found, relation, side)


def _extremum(relation: Relation, side: Side) -> Relation:
    whole, found = _as_map(relation), _candidate(relation, side)
    if found is not None and _is_certain(_as_map(found), whole, side):
        return found
    if isinstance(relation, isl.Set):
        return by_difference(whole, side).range()
    return by_difference(relation, side)


def _candidate(relation: Relation, side: Side) -> Relation | None:
    """The extreme points as isl finds them; None where that takes too many operations."""
    try:
        with operation_limit(CANDIDATE_LIMIT):
            return relation.lexmin() if side == "least" else relation.lexmax()
    except LimitReached:
        return None


def _as_map(relation: isl.Set | isl.Map) -> isl.Map:
    return isl.Map.from_range(relation) if isinstance(relation, isl.Set) else relation


def _function(relation: isl.Map, side: Side) -> isl.PwMultiAff:
    found = relation.lexmin_pw_multi_aff() if side == "least" else relation.lexmax_pw_multi_aff()
    if _is_certain(isl.Map.from_pw_multi_aff(found), relation, side):
        return found
    return isl.PwMultiAff.from_map(by_difference(relation, side))


def _value(points: isl.Set, position: int, side: Side) -> isl.PwAff:
    found = points.dim_min(position) if side == "least" else points.dim_max(position)
    others = [k for k in range(points.dim(Dim.set)) if k != position]
    values = _as_map(without_dims(points, others).reset_tuple_id())
    if _is_certain(_as_map(isl.Set.from_pw_aff(found)), values, side):
        return found
    return isl.PwMultiAff.from_set(by_difference(values, side).range()).get_at(0)
