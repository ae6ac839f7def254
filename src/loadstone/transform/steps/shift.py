"""Shift: statements move to later (or earlier) iterations of a loop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from loadstone.transform.condition import amount
from loadstone.transform.loop_names import find_loop
from loadstone.transform.program import Program


@dataclass(frozen=True, slots=True)
class Shift:
    """Move statements by some iterations of a loop; the amount may depend on parameters and loops around.

        for (int i = 1; i < N; i++) {
          S: a[i] = c[i];
          R: d[i] = a[i - 1];
        }

    shift [R].i by 1

        if (N >= 2) {
          for (int i = 1; i <= N; i++) {
            if (N >= i + 1) {
              a[i] = c[i];
            }
            if (i >= 2) {
              d[i - 1] = a[i - 2];
            }
          }
        }
    """

    loop: str
    amount: str
    usage: ClassVar[str] = "shift LOOP by AMOUNT..."

    def applied(self, program: Program) -> Program:
        """The program with the statements moved."""
        loop = find_loop(program, self.loop)
        return program.recounted(loop, lambda part, counter: counter.add(amount(part, self.amount)))
