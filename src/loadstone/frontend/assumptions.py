"""Conditions on parameters under which what a kernel is taken for is true: proved, assumed, or refused."""

from __future__ import annotations

from enum import IntEnum

import islpy as isl

from loadstone.poly import coalesced
from loadstone.poly.spaces import parameters_at_least, parameters_below

LARGE = 8
"""What a parameter of usual size is at least."""


class Confidence(IntEnum):
    """For which parameters something holds, surest first.

    PROVED: for all; SIZES: for all that are not negative, as sizes are; POSSIBLE: for some that are large.
    """

    PROVED = 0
    SIZES = 1
    POSSIBLE = 2
    NONE = 3


def confidence(broken: isl.Set, needed: isl.Set) -> Confidence:
    """How sure something is, by the parameters for which it fails, among those for which it is needed."""
    space = needed.get_space()
    if broken.is_empty():
        return Confidence.PROVED
    if broken.intersect(parameters_at_least(space, 0)).is_empty():
        return Confidence.SIZES
    large = needed.subtract(broken).intersect(parameters_at_least(space, LARGE))
    return Confidence.NONE if large.is_empty() else Confidence.POSSIBLE


def simple_condition(broken: isl.Set, needed: isl.Set) -> isl.Set | None:
    """One polyhedron of parameters for which something holds wherever it is needed, if there is one."""
    condition = coalesced(needed.subtract(broken).gist(needed))
    is_simple = condition.n_basic_set() == 1
    match confidence(broken, needed):
        case Confidence.PROVED:
            return isl.Set.universe(needed.get_space())
        case Confidence.NONE:
            return None
        case Confidence.SIZES if not is_simple:
            return parameters_at_least(needed.get_space(), 0)
        case _:
            return condition if is_simple else parameters_below(broken, LARGE)
