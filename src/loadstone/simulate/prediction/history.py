"""What happened before, as far as later cycles depend on it: things that came in groups, and bursts that were open."""

from __future__ import annotations

from collections import deque

NEVER_OPEN = -2


class History:
    """When things happened that come in groups, evenly inside of a group; questions go forward."""

    def __init__(self) -> None:
        self._groups: deque[tuple[int, int, int, int]] = deque()
        self.count = 0

    def add(self, count: int, first: int, last: int) -> None:
        """Notes that so many things happened from a first to a last cycle."""
        if count == 0:
            return
        self._groups.append((self.count, count, first, last))
        self.count += count

    def after(self, number: int) -> int:
        """The cycle after which so many things have happened, -1 if that is always so."""
        if number <= 0:
            return -1
        groups = self._groups
        while groups and groups[0][0] + groups[0][1] < number:
            groups.popleft()
        if not groups:
            return -1
        before, count, first, last = groups[0]
        if count == 1:
            return last
        return first - (number - before - 1) * (first - last) // (count - 1)


class OpenBursts:
    """When bursts had all their responses, of which at most some may be open; without a bound, nobody waits."""

    def __init__(self, most: int | None) -> None:
        self._ends = None if most is None else deque([NEVER_OPEN] * most)

    def closed(self) -> int:
        """When the burst had its last response that must be over before the next one begins."""
        return NEVER_OPEN if self._ends is None else self._ends.popleft()

    def close(self, cycle: int) -> None:
        """Notes when the next burst has its last response."""
        if self._ends is not None:
            self._ends.append(cycle)
