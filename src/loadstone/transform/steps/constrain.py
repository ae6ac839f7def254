"""Constrain: instances of a statement whose results nobody needs are left out (adding constraints)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from loadstone.transform.condition import instances_where
from loadstone.transform.loop_names import find_part
from loadstone.transform.program import Part, Program


@dataclass(frozen=True, slots=True)
class Constrain:
    """Execute only the instances for which a condition holds; legal where no result of the others is needed.

        for (int i = 0; i < N; i++)
          S: c[0] = a[i];

    constrain S to i == N - 1

        if (N >= 1) {
          c[0] = a[N - 1];
        }
    """

    statement: str
    condition: str
    usage: ClassVar[str] = "constrain STATEMENT to CONDITION..."

    def applied(self, program: Program) -> Program:
        """The program without the other instances."""
        part = find_part(program, self.statement)

        def copies(part: Part) -> Iterator[Part]:
            yield part.restricted(instances_where(part, self.condition))

        return program.replaced([part.name], copies)
