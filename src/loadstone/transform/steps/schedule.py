"""Schedule: the whole schedule vector of a statement at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from loadstone.model.expression import Variable
from loadstone.transform.condition import original_value, read_expression
from loadstone.transform.loop_names import StepError, find_part
from loadstone.transform.program import Loop, Part, Program


@dataclass(frozen=True, slots=True)
class Schedule:
    """Give a statement a schedule vector: textual places and loops in turn, over its original iterators.

        for (int i = 0; i < N; i++)
          for (int j = 0; j < N; j++)
            S: b[i][j] = a[j];

    schedule S as 0, i + j, 0, i, 0

        for (int t1 = 0; t1 < 2 * N - 1; t1++) {
          for (int i = max(0, -N + t1 + 1); i <= min(N - 1, t1); i++) {
            b[i][t1 - i] = a[t1 - i];
          }
        }
    """

    statement: str
    vector: str
    usage: ClassVar[str] = "schedule STATEMENT as VECTOR..."

    def applied(self, program: Program) -> Program:
        """The program with the statement in its new place."""
        part = find_part(program, self.statement)
        entries = [entry.strip() for entry in self.vector.split(",")]
        if len(entries) % 2 == 0 or not all(entry.lstrip("-").isdigit() for entry in entries[::2]):
            hint = f"for example: schedule {part.name} as 0, i, 0"
            raise StepError("a schedule vector is a number, then loops and numbers in turn", entries[0], hint)
        places = tuple(int(entry) for entry in entries[::2])
        loops: tuple[Loop, ...] = ()
        for entry in entries[1::2]:
            loops = (*loops, Loop(_loop_name(replace(part, loops=loops), entry), original_value(part, entry)))
        return program.changed([part.name], lambda found: replace(found, places=places, loops=loops))


def _loop_name(part: Part, entry: str) -> str:
    expression = read_expression(entry)
    return part.fresh_loop(expression.name if isinstance(expression, Variable) else f"t{len(part.loops) + 1}")
