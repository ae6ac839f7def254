"""Expand: every value of an array gets an element of its own, so that false dependences vanish (single assignment)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from loadstone.transform.expansion import expanded
from loadstone.transform.loop_names import StepError
from loadstone.transform.program import Program


@dataclass(frozen=True, slots=True)
class Expand:
    """Give every value that is written to an array or scalar an element of its own.

    Each statement that writes the array gets an array with a subscript for each of its iterators; reads go where the
    value was written. A statement whose reads come from several places is split. What is seen after the kernel is
    copied back at the end.

        for (int i = 0; i < N; i++) {
          S: s = a[i];
          R: c[i] = s * s;
        }

    expand s

        int s;
        int s_S[N];
        for (int i = 0; i < N; i++) {
          s_S[i] = a[i];
          c[i] = s_S[i] * s_S[i];
        }
    """

    array: str
    usage: ClassVar[str] = "expand ARRAY"

    def applied(self, program: Program) -> Program:
        """The program without false dependences through the array."""
        if self.array not in program.base.arrays:
            known = ", ".join(program.base.arrays) or "none"
            raise StepError(f"there is no array '{self.array}'", self.array, f"arrays are: {known}")
        return expanded(program, self.array)
