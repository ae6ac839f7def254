"""Small additions to islpy: everything that handles isl dimensions by position lives here."""
# pyright: reportUnusedImport=false

from loadstone.poly.enumeration import pairs, points
from loadstone.poly.names import fixed, renamed_dims
from loadstone.poly.simplify import coalesced
from loadstone.poly.spaces import map_from_values, set_space, variable
