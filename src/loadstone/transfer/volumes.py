"""Volumes: how many elements move, in closed form (barvinok) and for given parameters.

A closed form may be too large to be of use, or to compute; then there is none, and numbers are counted instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from math import prod

import islpy as isl

from loadstone.model.evaluate import evaluate
from loadstone.model.expression import Variable, walk
from loadstone.model.kernel import Array
from loadstone.poly import fixed
from loadstone.poly.enumeration import box_volume
from loadstone.poly.isolated import isolated
from loadstone.poly.kept import kept_by_text
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.poly.names import parameter_point
from loadstone.poly.spaces import Dim, without_determined_dims

COUNTING_LIMIT, FLAT_LIMIT = 50_000, 400_000
"""The operations that a closed form may take, and that of a flat set, where they take less time."""
FLAT_DIMENSIONS, FLAT_STRIDES = 4, 1
"""Strips of two outer coordinates and the elements of a matrix; the pieces with quotients, which take long."""
SIMPLE_DIMENSIONS, SIMPLE_PIECES, SIMPLE_CONSTRAINTS = 3, 2, 12
"""Sets that are counted here: barvinok takes a millisecond at most, another process five."""
UNLIMITED = 0
MOST_SCANNED = 2_000_000
"""The points of the largest box in which points are counted one by one."""


def volume(relation: isl.Map | isl.Set) -> isl.PwQPolynomial | None:
    """The number of pairs of a relation (or of points of a set) in closed form; None beyond the operation limit."""
    return _volume(relation if isinstance(relation, isl.Set) else relation.reset_tuple_id(Dim.out))


@kept_by_text
def _volume(relation: isl.Map | isl.Set) -> isl.PwQPolynomial | None:
    points = without_determined_dims(_points(relation))
    limit = FLAT_LIMIT if _is_flat(points) else COUNTING_LIMIT
    if _is_simple(points):
        with operation_limit(UNLIMITED):
            return _read(str(points.card().coalesce()))
    return _closed_form(lambda: points.card().coalesce(), limit)


def _is_flat(points: isl.Set) -> bool:
    """Whether a set has few dimensions, and few pieces with quotients."""
    strided = sum(each.dim(Dim.div) > 0 for each in points.get_basic_sets())
    return points.dim(Dim.set) <= FLAT_DIMENSIONS and strided <= FLAT_STRIDES


def _is_simple(points: isl.Set) -> bool:
    """Whether a set has few dimensions, pieces and constraints, and no quotients."""
    pieces = points.get_basic_sets() if points.n_basic_set() <= SIMPLE_PIECES else None
    return (
        pieces is not None
        and points.dim(Dim.set) <= SIMPLE_DIMENSIONS
        and all(each.dim(Dim.div) == 0 and each.n_constraint() <= SIMPLE_CONSTRAINTS for each in pieces)
    )


def tile_volume(tile_to_elements: isl.Map) -> isl.PwQPolynomial | None:
    """The number of elements of each tile as a function of its coordinates; None beyond the operation limit."""
    return _closed_form(tile_to_elements.card, COUNTING_LIMIT)


def _closed_form(count_points: Callable[[], isl.PwQPolynomial], limit: int) -> isl.PwQPolynomial | None:
    try:
        text = isolated(lambda: str(count_points()), limit)
    except LimitReached:
        return None
    return _read(text)


def _read(text: str) -> isl.PwQPolynomial:
    return isl.PwQPolynomial.read_from_str(isl.DEFAULT_CONTEXT, text)


def total(volumes: Sequence[isl.PwQPolynomial | None]) -> isl.PwQPolynomial | None:
    """The sum of volumes; None when one is unknown, or their sum is too large."""
    known = [part for part in volumes if part is not None]
    if len(known) < len(volumes) or not known:
        return None
    try:
        with operation_limit(FLAT_LIMIT):
            return reduce(lambda left, right: left.add(right), known)
    except LimitReached:
        return None


def value_of(polynomial: isl.PwQPolynomial, parameters: Mapping[str, int]) -> int:
    """The value of a closed form for given parameters."""
    point = parameter_point(parameters).align_params(polynomial.get_domain_space().params())
    return polynomial.eval(point.sample_point()).to_python()


def count(relation: isl.Map | isl.Set, parameters: Mapping[str, int]) -> int:
    """The number of pairs of a relation (or of points of a set) for given parameters.

    isl scans sets in small boxes, which takes milliseconds; barvinok may take seconds for the same, but none for boxes
    of any size.
    """
    chosen = fixed(_points(relation), parameters)
    if chosen.is_bounded() and box_volume(chosen) <= MOST_SCANNED:
        return chosen.count_val().to_python()
    return value_of(chosen.card(), parameters)


def _points(relation: isl.Map | isl.Set) -> isl.Set:
    return relation.wrap() if isinstance(relation, isl.Map) else relation


def array_words(array: Array, parameters: Mapping[str, int]) -> int | None:
    """The number of words that an array takes in memory, at least one; None where parameters are missing."""
    names = {part.name for extent in array.extents for part in walk(extent) if isinstance(part, Variable)}
    if not names <= parameters.keys():
        return None
    return max(1, prod(int(evaluate(extent, parameters, ())) for extent in array.extents))
