"""How one strip follows the other: whether it is loaded while the strip before is still computed and stored.

Strips overlap where no strip loads what the one before it stored. Load, compute and store then run through the end of
a strip without waiting. Elements of two strips would meet in the same cells, so buffers have two copies, which strips
use in turn. Two strips are in flight at most: the loads of a strip wait until the strip two before it is stored, which
used the same copies. So what a strip stores may be loaded by any later strip but the next one.

Otherwise strips drain, with one copy of each buffer. An array that is never stored hands its buffer over early, as soon
as the last tile of the strip before is computed, while results are still being stored. All others wait until all of the
strip before is stored: until then their buffers hold results, and what the next strip loads may be among them.

Nobody waits for ever. Let L(n), C(n) and S(n) be the load, computation and store of tile n, counted over all strips.
C(n) waits for C(n - 1) and L(n), S(n) for S(n - 1) and C(n). L(n) waits for L(n - 1) and for tiles before n: for the
token of S(n - D), and at the head of a strip for C or S of the strip before, or S of the strip two before. So each wait
leads to an earlier tile, or to an earlier process of the same tile, and such a chain ends. Sending a token does not
wait: load has the token of S(n - D) when it starts L(n), so that at most D tokens are between two processes, as many as
their queues can hold. Load counts the tokens of S, which come in order, to know which strips are stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import islpy as isl

from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.storage.strip_order import later_strips, next_strip
from loadstone.transfer.plan import ArrayPlan, Plan
from loadstone.transform.tiling import TiledKernel

Mode = Literal["overlap", "drain"]
ReadBack = Literal["never", "later", "next", "unknown"]
"""When what a strip stores is loaded again: by no strip, by a later one but not the next, by the next, or any of it."""

NEXT_LIMIT = 1_000_000


@dataclass(frozen=True, slots=True)
class Handover:
    """Whether strips overlap or drain, why, and what that means for each loaded array.

    `doubled`: arrays with double buffers. `early`: arrays loaded before the drain is complete.
    """

    mode: Mode
    why: str
    doubled: tuple[str, ...]
    early: tuple[str, ...]
    reasons: Mapping[str, str]

    def copies(self, array: str) -> int:
        """The number of copies of an array's buffer."""
        return 2 if array in self.doubled else 1

    def reason(self) -> str:
        """The decision in words."""
        return "; ".join((self.why, *(f"{array}: {reason}" for array, reason in self.reasons.items())))


def handover(plan: Plan, depth: int, requested: Mode = "overlap") -> Handover:
    """How the strips of a plan follow each other with `depth` tiles in flight: overlapped if requested and possible."""
    if later_strips(plan.tiles).is_empty():
        return Handover("overlap", "there is one strip", (), (), {})
    if depth == 1:
        return Handover("drain", "one tile is in flight", (), (), {})
    loaded = {name: part for name, part in plan.arrays.items() if not part.load.is_empty()}
    back: dict[str, ReadBack] = {name: _read_back(plan, part) for name, part in loaded.items()}
    obstacle = _obstacle(requested, back)
    if obstacle is not None:
        early = tuple(name for name, part in loaded.items() if part.store.is_empty())
        return Handover("drain", obstacle, (), early, {n: _drain_reason(loaded[n], back[n]) for n in loaded})
    moved = tuple(name for name, part in plan.arrays.items() if name in loaded or not part.store.is_empty())
    why = "no strip loads what the one before it stored"
    return Handover("overlap", why, moved, (), {n: _overlap_reason(loaded[n], back[n]) for n in loaded})


def is_read_back(plan: Plan, array: str) -> bool:
    """Whether a strip loads what an earlier one stored, or may do so; within a strip, loads come before stores."""
    part = plan.arrays[array]
    if part.load.is_empty() or part.store.is_empty():
        return False
    try:
        with operation_limit(NEXT_LIMIT):
            return not _loaded_again(plan, part).is_empty()
    except LimitReached:
        return True


def _loaded_again(plan: Plan, part: ArrayPlan) -> isl.Map:
    """Strips to later ones that load what they stored."""
    pairs = part.strip_to_stored.apply_range(part.strip_to_loaded.reverse())
    return pairs.intersect(later_strips(plan.tiles))


def _obstacle(requested: Mode, back: Mapping[str, ReadBack]) -> str | None:
    """Why strips drain, if they do."""
    if "next" in back.values():
        return "a strip loads what the one before it stored"
    if "unknown" in back.values():
        return "a strip loads what an earlier one stored"
    return "requested" if requested == "drain" else None


def _overlap_reason(part: ArrayPlan, back: ReadBack) -> str:
    if part.store.is_empty():
        return "never stored, loaded while the strip before is computed and stored"
    if back == "later":
        return "stored by a strip and loaded by a later one, but not by the next, which does not wait"
    return "no strip loads what an earlier one stored, none waits"


def _drain_reason(part: ArrayPlan, back: ReadBack) -> str:
    if part.store.is_empty():
        return "never stored, loaded for the next strip while results are stored"
    match back:
        case "next":
            return "stored by a strip and loaded by the next one, waits until all is stored"
        case "later" | "unknown":
            return "stored by a strip and loaded by a later one, waits until all is stored"
        case "never":
            return "its buffer holds results, waits until all is stored"


def _read_back(plan: Plan, part: ArrayPlan) -> ReadBack:
    """When elements that a strip stores are loaded again; exact but for `unknown`.

    The next strip comes first: what it loads is far simpler than what all strips load that were stored by any.
    """
    following = _next_strip(plan.tiles)
    if following is not None:
        loaded_next = following.apply_range(part.strip_to_loaded)
        if not loaded_next.intersect(part.strip_to_stored).is_empty():
            return "next"
    if _loaded_again(plan, part).is_empty():
        return "never"
    return "unknown" if following is None else "later"


@lru_cache(maxsize=2)
def _next_strip(tiles: TiledKernel) -> isl.Map | None:
    """Strips to the next one; None where that takes too many operations, which is tried once for all arrays."""
    try:
        with operation_limit(NEXT_LIMIT):
            return next_strip(tiles)
    except LimitReached:
        return None
