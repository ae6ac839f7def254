"""Reverse: a loop runs backwards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from loadstone.transform.loop_names import find_loop
from loadstone.transform.program import Program


@dataclass(frozen=True, slots=True)
class Reverse:
    """Run a loop backwards.

        for (int i = 0; i < N; i++)
          S: c[i] = a[i];

    reverse i

        for (int i = -N + 1; i <= 0; i++) {
          c[-i] = a[-i];
        }
    """

    loop: str
    usage: ClassVar[str] = "reverse LOOP"

    def applied(self, program: Program) -> Program:
        """The program with the loop reversed."""
        return program.recounted(find_loop(program, self.loop), lambda _, counter: counter.neg())
