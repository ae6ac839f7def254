"""Skew: a multiple of one loop is added to another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import islpy as isl

from loadstone.poly.spaces import constant
from loadstone.transform.loop_names import StepError, find_loop
from loadstone.transform.program import Part, Program


@dataclass(frozen=True, slots=True)
class Skew:
    """Add a multiple of one loop to another one.

        for (int i = 0; i < N; i++)
          for (int j = 0; j < N; j++)
            S: b[i][j] = a[j];

    skew S.j by S.i

        for (int i = 0; i < N; i++) {
          for (int j = i; j < N + i; j++) {
            b[i][j - i] = a[j - i];
          }
        }
    """

    loop: str
    other: str
    factor: int | None = None
    usage: ClassVar[str] = "skew LOOP by OTHER [times FACTOR]"

    def applied(self, program: Program) -> Program:
        """The program with the loop skewed."""
        loop, other = find_loop(program, self.loop), find_loop(program, self.other)
        outside = sorted(set(loop.names) - set(other.names))
        if outside:
            raise StepError(f"{outside[0]} does not stand in '{self.other}'", self.other)
        if loop.depth == other.depth:
            raise StepError("a loop cannot be skewed by itself", self.other, "stretch multiplies a loop")
        times = 1 if self.factor is None else self.factor

        def skewed(part: Part, counter: isl.PwAff) -> isl.PwAff:
            return counter.add(part.loops[other.depth].value.mul(constant(part.space, times)))

        return program.recounted(loop, skewed)
