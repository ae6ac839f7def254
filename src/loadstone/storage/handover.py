"""How one strip follows the other: what its first tile may load while results of the strip before are being stored.

An array that is never stored hands its buffer over as soon as the last tile of a strip is computed: the next strip
loads into it while results are still on their way to memory. An array that is stored hands over when all is stored:
until then its buffer holds results, and what the next strip loads may be among them. Strips overlap if some array
hands over early, otherwise each strip drains before the next begins.
"""

from __future__ import annotations

from dataclasses import dataclass

from loadstone.poly.order import later
from loadstone.transfer.plan import ArrayPlan, Plan
from loadstone.transfer.strips import strip_space


@dataclass(frozen=True, slots=True)
class Handover:
    """The arrays whose buffers are handed over early, in the order of the plan, and why so for each loaded array."""

    early: tuple[str, ...]
    reasons: dict[str, str]

    @property
    def mode(self) -> str:
        """Whether strips overlap or drain."""
        return "overlap" if self.early else "drain"

    def reason(self) -> str:
        """The decision in words."""
        return "; ".join(f"{array}: {why}" for array, why in self.reasons.items()) or "nothing is loaded"


def handover(plan: Plan) -> Handover:
    """How the strips of a plan follow each other."""
    loaded = {name: part for name, part in plan.arrays.items() if not part.load.is_empty()}
    early = tuple(name for name, part in loaded.items() if part.store.is_empty())
    return Handover(early, {name: _reason(plan, part) for name, part in loaded.items()})


def _reason(plan: Plan, part: ArrayPlan) -> str:
    if part.store.is_empty():
        return "never stored, loaded for the next strip while results are stored"
    if _is_read_back(plan, part):
        return "stored by a strip and loaded by a later one, waits until all is stored"
    return "its buffer holds results, waits until all is stored"


def _is_read_back(plan: Plan, part: ArrayPlan) -> bool:
    """Whether a later strip loads an element that a strip stores."""
    stored_later = part.strip_to_stored.apply_range(part.strip_to_loaded.reverse())
    return not stored_later.intersect(later(strip_space(plan.tiles))).is_empty()
