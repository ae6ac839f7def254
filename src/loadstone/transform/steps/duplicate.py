"""Duplicate: instances of a statement are executed a second time, elsewhere (peeling with duplication)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from loadstone.transform.condition import instances_where
from loadstone.transform.loop_names import StepError, find_part
from loadstone.transform.program import Part, Program


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Execute the instances for which a condition holds once more, as a statement of another name.

    The copy stands behind the statement and can be moved by later steps, for example into the tile that needs its
    value [Devos, 3.6.2]. It must not read what it writes: the second execution would see the result of the first.

        for (int i = 0; i < N; i++)
          S: c[i] = a[i];

    duplicate S where i == 3 as R

        for (int i = 0; i < N; i++) {
          c[i] = a[i];
          if (i == 3) {
            c[3] = a[3];
          }
        }
    """

    statement: str
    condition: str
    name: str | None = None
    usage: ClassVar[str] = "duplicate STATEMENT where CONDITION... [as NAME]"

    def applied(self, program: Program) -> Program:
        """The program with the copy."""
        part = find_part(program, self.statement)
        chosen = instances_where(part, self.condition)
        _check_repeatable(part)
        name = program.fresh_name(self.name or f"{part.name}_copy")
        copy = part.restricted(chosen, name).at(len(part.loops), part.places[-1] + 1)
        room = program.with_room(part.places[:-1], part.places[-1] + 1)
        return replace(room, parts=(*room.parts, copy))


def _check_repeatable(part: Part) -> None:
    write = part.statement.write.relation
    for read in part.statement.reads:
        if read.array == part.statement.write.array and not read.relation.intersect(write).is_empty():
            raise StepError(f"{part.name} reads what it writes: twice gives another result than once", part.name)
