"""Stretch: the iterations of a loop move apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from loadstone.poly.spaces import constant
from loadstone.transform.loop_names import StepError, find_loop
from loadstone.transform.program import Program


@dataclass(frozen=True, slots=True)
class Stretch:
    """Multiply a loop by a number, so that it keeps step with a longer one.

        for (int i = 0; i < N; i++)
          S: c[i] = a[i];

    stretch i by 2

        for (int i = 0; i < N; i++) {
          c[i] = a[i];
        }
    """

    loop: str
    factor: int
    usage: ClassVar[str] = "stretch LOOP by FACTOR"

    def applied(self, program: Program) -> Program:
        """The program with the loop stretched."""
        if self.factor < 1:
            raise StepError("a loop is stretched by a positive number", str(self.factor), "reverse runs it backwards")
        loop = find_loop(program, self.loop)
        return program.recounted(loop, lambda part, counter: counter.mul(constant(part.space, self.factor)))
