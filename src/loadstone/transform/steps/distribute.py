"""Distribute: the body of a loop is cut in two, each with a loop of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from loadstone.transform.loop_names import StepError, find_loop, find_part
from loadstone.transform.program import Nest, Part, Program


@dataclass(frozen=True, slots=True)
class Distribute:
    """Give what stands in a loop from a statement on a loop of its own behind.

        for (int i = 0; i < N; i++) {
          S: a[i] = c[i];
          R: d[i] = a[i];
        }

    distribute S.i before R

        for (int i = 0; i < N; i++) {
          a[i] = c[i];
        }
        for (int i = 0; i < N; i++) {
          d[i] = a[i];
        }
    """

    loop: str
    statement: str
    usage: ClassVar[str] = "distribute LOOP before STATEMENT"

    def applied(self, program: Program) -> Program:
        """The program with the loop distributed."""
        loop, cut = find_loop(program, self.loop), find_part(program, self.statement)
        if cut.name not in loop.names:
            raise StepError(f"{cut.name} does not stand in '{self.loop}'", self.statement)
        self._check_cut(program, cut, loop)
        prefix, place = cut.places[: loop.depth], cut.places[loop.depth]
        later = [n for n in loop.names if program.part(n).places[loop.depth + 1] >= cut.places[loop.depth + 1]]
        room = program.with_room(prefix, place + 1)
        return room.changed(later, lambda part: part.at(loop.depth, place + 1))

    def _check_cut(self, program: Program, cut: Part, loop: Nest) -> None:
        """The cut must not run through an inner loop."""
        inside = loop.depth + 2
        for part in (program.part(name) for name in loop.names):
            if part.places[:inside] == cut.places[:inside] and part.places < cut.places:
                hint = "distribute the inner loop first"
                raise StepError(f"{part.name} stands before {cut.name} in an inner loop", self.statement, hint)
