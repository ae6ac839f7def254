"""Small additions to islpy: everything that handles isl dimensions by position lives here."""

from loadstone.poly.enumeration import pairs, points
from loadstone.poly.names import fixed, renamed_dims
from loadstone.poly.simplify import coalesced
from loadstone.poly.spaces import map_from_values, set_space, variable

__all__ = [
    "coalesced",
    "fixed",
    "map_from_values",
    "pairs",
    "points",
    "renamed_dims",
    "set_space",
    "variable",
]
