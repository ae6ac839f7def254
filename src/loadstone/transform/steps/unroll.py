"""Unroll: several iterations of a loop become one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar

import islpy as isl

from loadstone.poly.spaces import constant
from loadstone.transform.loop_names import StepError, find_loop
from loadstone.transform.program import Nest, Part, Program

LARGEST = 64
"""The largest number of copies that unrolling makes of a statement."""


@dataclass(frozen=True, slots=True)
class Unroll:
    """Execute several iterations of a loop in one; all of them, if no factor is given and their number is known.

        for (int i = 0; i < N; i++)
          S: c[i] = a[i];

    unroll i by 2

        for (int i = 0; i < (N + 1) / 2; i++) {
          c[2 * i] = a[2 * i];
          if (N >= 2 * i + 2) {
            c[2 * i + 1] = a[2 * i + 1];
          }
        }
    """

    loop: str
    factor: int | None = None
    usage: ClassVar[str] = "unroll LOOP [by FACTOR]"

    def applied(self, program: Program) -> Program:
        """The program with the loop unrolled."""
        loop = find_loop(program, self.loop)
        start, factor = (0, self.factor) if self.factor is not None else self._whole(program, loop)
        if not 1 <= factor <= LARGEST:
            raise StepError(f"loops are unrolled by 1 to {LARGEST}", str(self.factor or self.loop))
        places = 1 + max(program.part(name).places[loop.depth + 1] for name in loop.names)
        names = {(n, k): program.fresh_name(f"{n}_{k}") for n in loop.names for k in range(factor)}

        def copies(part: Part) -> Iterator[Part]:
            value = part.loops[loop.depth].value.sub(constant(part.space, start))
            size = isl.Val.int_from_si(value.get_ctx(), factor)
            number = value.div(constant(part.space, factor)).floor()
            for k in range(factor):
                chosen = value.mod_val(size).eq_set(constant(part.space, k)).intersect(part.statement.domain)
                moved = part.with_loop(loop.depth, number)
                place = k * places + part.places[loop.depth + 1]
                yield moved.restricted(chosen, names[part.name, k]).at(loop.depth + 1, place)

        return program.replaced(loop.names, copies)

    def _whole(self, program: Program, loop: Nest) -> tuple[int, int]:
        """The first counter of a loop and the number of its iterations."""
        parts = [program.part(name) for name in loop.names]
        values = [part.loops[loop.depth].value.intersect_domain(part.statement.domain) for part in parts]
        known = [value.intersect_params(program.base.context) for value in values if not value.is_empty()]
        if not known:
            return 0, 1
        low = reduce(isl.Val.min, (value.min_val() for value in known))
        high = reduce(isl.Val.max, (value.max_val() for value in known))
        if not (low.is_int() and high.is_int()):
            raise StepError("the loop has no constant bounds", self.loop, "unroll LOOP by FACTOR")
        return low.to_python(), high.to_python() - low.to_python() + 1
