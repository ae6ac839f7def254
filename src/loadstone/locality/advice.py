"""Where long reuses come from, and what would shorten them [Devos, 3.2.2; Beyls, D'Hollander: SLO].

Hints only: nothing says that the dependences allow them, or that other reuses do not get longer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from loadstone.locality.nesting import Loop, Nesting
from loadstone.locality.profile import PairCount, Profile


class Kind(StrEnum):
    """Where use and reuse are: in different iterations of one loop, in different loops, or in neither."""

    CARRIED = "carried"
    CROSSING = "crossing"
    INSIDE = "inside"


class Action(StrEnum):
    """What shortens reuses of each kind."""

    TILE = "tile"
    FUSE = "fuse"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a reuse comes from: the loop that carries it, or the loops (one or two) that it leaves and enters."""

    kind: Kind
    loops: tuple[Loop, ...]

    def __str__(self) -> str:
        match self.kind:
            case Kind.CARRIED:
                return f"carried by {self.loops[0]}"
            case Kind.CROSSING:
                return f"crosses {' to '.join(map(str, self.loops))}"
            case Kind.INSIDE:
                return "inside of an iteration"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """The reuses of one origin together, and what to do about them."""

    action: Action
    origin: Origin
    reuses: int
    long: int
    largest: int

    @property
    def text(self) -> str:
        """The advice in words."""
        match self.action:
            case Action.TILE:
                return f"tile so that one iteration of {self.origin.loops[0]} touches less"
            case Action.FUSE if len(self.origin.loops) == 2:
                return f"fuse {self.origin.loops[0]} with {self.origin.loops[1]}"
            case Action.FUSE:
                return f"fuse {self.origin.loops[0]} with the statement outside of it"
            case Action.NONE:
                return "nothing to do"


def origin_of(nesting: Nesting, pair: PairCount) -> Origin:
    """The loop that carries the reuses of a pair of references, or the loops that they cross.

    The dates of use and reuse first differ in one dimension. If it is a loop around both, that loop carries the reuse.
    If it is a textual position, use and reuse are in the loops that follow there, if there are any.
    """
    use, reuse, depth = pair.use.statement, pair.reuse.statement, pair.depth
    if depth == nesting.order.length:
        return Origin(Kind.INSIDE, ())
    carrying = nesting.loop(use, depth) or nesting.loop(reuse, depth)
    if carrying is not None:
        return Origin(Kind.CARRIED, (carrying,))
    inside = (nesting.first_loop_inside(use, depth), nesting.first_loop_inside(reuse, depth))
    crossed = tuple(loop for loop in inside if loop is not None)
    return Origin(Kind.CROSSING if crossed else Kind.INSIDE, crossed)


def suggestions(nesting: Nesting, profile: Profile) -> tuple[Suggestion, ...]:
    """One entry per origin of reuses, those first that bring most misses to a cache of `profile.size`.

    Short reuses, and those inside of an iteration, need nothing.
    """
    groups: dict[Origin, list[PairCount]] = {}
    for pair in profile.pairs:
        groups.setdefault(origin_of(nesting, pair), []).append(pair)
    found = (_suggestion(origin, pairs) for origin, pairs in groups.items())
    return tuple(sorted(found, key=lambda s: (s.action is Action.NONE, -s.long, -s.largest)))


def _suggestion(origin: Origin, pairs: Iterable[PairCount]) -> Suggestion:
    known = tuple(pairs)
    long = sum(pair.long for pair in known)
    return Suggestion(
        action_for(origin, long), origin, sum(p.count for p in known), long, max(p.largest for p in known)
    )


def action_for(origin: Origin, long: int) -> Action:
    """What shortens reuses of an origin, if some of them are long."""
    shorter = {Kind.CARRIED: Action.TILE, Kind.CROSSING: Action.FUSE, Kind.INSIDE: Action.NONE}
    return shorter[origin.kind] if long else Action.NONE
