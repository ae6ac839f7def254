"""Interchange: two loops of a nest change places."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from loadstone.transform.loop_names import StepError, find_loop
from loadstone.transform.program import Part, Program


@dataclass(frozen=True, slots=True)
class Interchange:
    """Exchange two loops around the same statements.

        for (int i = 0; i < N; i++)
          for (int j = 0; j < N; j++)
            S: b[i][j] = a[j];

    interchange i j

        for (int j = 0; j < N; j++) {
          for (int i = 0; i < N; i++) {
            b[i][j] = a[j];
          }
        }
    """

    first: str
    second: str
    usage: ClassVar[str] = "interchange FIRST SECOND"

    def applied(self, program: Program) -> Program:
        """The program with the loops exchanged."""
        first, second = find_loop(program, self.first), find_loop(program, self.second)
        if set(first.names) != set(second.names):
            lonely = sorted(set(first.names) ^ set(second.names))[0]
            hint = f"distribute the loop, or write [S].{self.first.rpartition('.')[2]} for single statements"
            raise StepError(f"{lonely} stands in only one of the loops", self.second, hint)
        return program.changed(first.names, lambda part: _exchanged(part, first.depth, second.depth))


def _exchanged(part: Part, first: int, second: int) -> Part:
    loops = list(part.loops)
    loops[first], loops[second] = loops[second], loops[first]
    return replace(part, loops=tuple(loops))
