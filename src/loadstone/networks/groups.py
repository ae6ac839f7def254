"""Few groups for things of which some may not be together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeVar

T = TypeVar("T")

MOST_FOR_EXACT = 12

Groups = tuple[tuple[int, ...], ...]
Test = Callable[[int, int], bool]


def fewest_groups(things: Sequence[T], fit: Callable[[T, T], bool]) -> tuple[tuple[T, ...], ...]:
    """The things in groups such that any two in a group fit: the fewest for up to `MOST_FOR_EXACT` things, else few.

    >>> fewest_groups([1, 2, 3, 4, 6], lambda a, b: a % b == 0 or b % a == 0)
    ((1, 2, 4), (3, 6))
    """
    count = len(things)

    @cache
    def known(first: int, second: int) -> bool:
        return fit(things[first], things[second])

    groups = _placed(count, known, (), count) or ()
    while count <= MOST_FOR_EXACT and (fewer := _placed(count, known, (), len(groups) - 1)) is not None:
        groups = fewer
    return tuple(tuple(things[k] for k in group) for group in groups)


def _placed(count: int, fit: Test, groups: Groups, most: int) -> Groups | None:
    """The groups with the remaining things, up to number `count`, put into the first ones that work; None if none do.

    With as many groups as things this is first-fit and never goes back.
    """
    thing = sum(map(len, groups))
    if thing == count:
        return groups
    for position, group in enumerate((*groups, ())):
        if position < most and all(fit(other, thing) for other in group):
            found = _placed(count, fit, (*groups[:position], (*group, thing), *groups[position + 1 :]), most)
            if found is not None:
                return found
    return None
