"""Small additions to islpy: everything that handles isl dimensions by position lives here."""

from loadstone.poly.names import fixed, named_set, renamed_dims, with_params
from loadstone.poly.points import pairs, points
from loadstone.poly.simplify import coalesced
from loadstone.poly.spaces import map_from_values, set_space, variable

__all__ = [
    "coalesced",
    "fixed",
    "map_from_values",
    "named_set",
    "pairs",
    "points",
    "renamed_dims",
    "set_space",
    "variable",
    "with_params",
]
