"""How far apart the tiles of a strip are when it runs: distances are counted in tiles that exist.

All relations map tiles to tiles of the same strip, with the outer tile coordinates as parameters.
"""

from __future__ import annotations

import islpy as isl

from loadstone.poly import coalesced
from loadstone.poly.kept import kept_by_text
from loadstone.poly.order import later, not_earlier


def at_least_after(existing: isl.Set, steps: int) -> isl.Map:
    """Tiles to the tiles that run at least this many steps after them; no step means not before."""
    space = existing.get_space()
    first = not_earlier(space) if steps == 0 else later(space)
    reach = _among(existing, first)
    for _ in range(steps - 1):
        reach = coalesced(reach.apply_range(_among(existing, later(space))))
    return reach


@kept_by_text
def at_most_after(existing: isl.Set, steps: int) -> isl.Map:
    """Tiles to the tiles that run before them, with them, or at most this many steps after them."""
    every = isl.Map.from_domain_and_range(existing, existing)
    return coalesced(every.subtract(at_least_after(existing, steps + 1)))


def _among(existing: isl.Set, relation: isl.Map) -> isl.Map:
    return relation.intersect_domain(existing).intersect_range(existing)
