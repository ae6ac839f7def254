"""Which places of their own temporaries can get, whatever the tiling: a line for each of them."""

from __future__ import annotations

from loadstone.model.kernel import Kernel
from loadstone.poly.limits import if_affordable
from loadstone.transform.privatise.own_cell import kept_in_own_cells
from loadstone.transform.privatise.subscripts import possible_subscripts
from loadstone.transform.privatise.webs import temporaries, with_webs
from loadstone.transform.removal import can_go


def private_places(kernel: Kernel) -> list[str]:
    """A sentence for each temporary that a tiling may privatise; none where that takes too long to find out."""
    return if_affordable(lambda: _sentences(kernel)) or []


def _sentences(kernel: Kernel) -> list[str]:
    kept = kept_in_own_cells(with_webs(kernel))
    found = [f"{change.temporary} can be kept in {change.element}" for change in kept.privatised]
    for array in temporaries(kept):
        loops = [each.loop for each in possible_subscripts(kept, array)] if can_go(kept, array) else []
        found += [f"{array} can be expanded along {', '.join(loops)}"] if loops else []
    return found
