"""Fuse: two loops of the same depth become one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from loadstone.transform.loop_names import StepError, find_loop
from loadstone.transform.program import Part, Program


@dataclass(frozen=True, slots=True)
class Fuse:
    """Put the body of the second loop behind the body of the first one.

        for (int i = 0; i < N; i++)
          S: a[i] = c[i];
        for (int k = 0; k < N; k++)
          R: d[k] = a[k];

    fuse S.i with R.k

        for (int i = 0; i < N; i++) {
          a[i] = c[i];
          d[i] = a[i];
        }
    """

    first: str
    second: str
    usage: ClassVar[str] = "fuse FIRST with SECOND"

    def applied(self, program: Program) -> Program:
        """The program with the loops fused."""
        first, second = find_loop(program, self.first), find_loop(program, self.second)
        if first.depth != second.depth:
            raise StepError("loops of different depth cannot be fused", self.second)
        depth = first.depth
        here, there = program.part(first.names[0]), program.part(second.names[0])
        if here.places[: depth + 1] == there.places[: depth + 1]:
            raise StepError(f"'{self.first}' and '{self.second}' are one loop already", self.second)
        if here.places[:depth] != there.places[:depth]:
            raise StepError("the loops do not stand in the same loop", self.second, "fuse the loops around them first")
        behind = 1 + max(part.places[depth + 1] for part in program.parts if part.name in first.names)
        return program.changed(second.names, lambda part: _behind(part, here, depth, behind))


def _behind(part: Part, first: Part, depth: int, place: int) -> Part:
    places = (*first.places[: depth + 1], place + part.places[depth + 1], *part.places[depth + 2 :])
    return replace(part, places=places)
