"""Split: the instances of a statement for which a condition holds become a statement of their own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from loadstone.transform.condition import instances_where
from loadstone.transform.loop_names import find_part
from loadstone.transform.program import Part, Program


@dataclass(frozen=True, slots=True)
class Split:
    """Give the instances for which a condition holds a name of their own, so that later steps can treat them apart.

        for (int i = 0; i < N; i++)
          S: c[i] = a[i];

    split S where i < 3 as R

        for (int i = 0; i <= min(2, N - 1); i++) {
          c[i] = a[i];
        }
        for (int i = 3; i < N; i++) {
          c[i] = a[i];
        }
    """

    statement: str
    condition: str
    name: str | None = None
    usage: ClassVar[str] = "split STATEMENT where CONDITION... [as NAME]"

    def applied(self, program: Program) -> Program:
        """The program with the statement split."""
        part = find_part(program, self.statement)
        chosen = instances_where(part, self.condition)
        name = program.fresh_name(self.name or f"{part.name}_part")

        def copies(part: Part) -> Iterator[Part]:
            yield part.restricted(part.statement.domain.subtract(chosen))
            yield part.restricted(chosen, name).at(len(part.loops), part.places[-1] + 1)

        return program.with_room(part.places[:-1], part.places[-1] + 1).replaced([part.name], copies)
