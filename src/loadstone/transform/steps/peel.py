"""Peel: the first or last iterations of a loop are split off into a loop of their own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar, Literal

import islpy as isl

from loadstone.poly.order import near_end
from loadstone.poly.spaces import first_to_others
from loadstone.transform.loop_names import StepError, find_loop
from loadstone.transform.program import Nest, Part, Program


@dataclass(frozen=True, slots=True)
class Peel:
    """Split the first or last iterations off a loop.

        for (int i = 0; i < N; i++)
          S: c[i] = a[i];

    peel first 1 of i

        if (N >= 1) {
          c[0] = a[0];
        }
        for (int i = 1; i < N; i++) {
          c[i] = a[i];
        }
    """

    side: Literal["first", "last"]
    count: int
    loop: str
    usage: ClassVar[str] = "peel SIDE COUNT of LOOP"

    def applied(self, program: Program) -> Program:
        """The program with the iterations in a loop of their own, before or behind the others."""
        if self.side not in ("first", "last"):
            raise StepError(f"'{self.side}' is neither first nor last", self.side, f"usage: {self.usage}")
        if self.count < 1:
            raise StepError("peel at least one iteration", str(self.count))
        loop = find_loop(program, self.loop)
        chosen = near_end(_iterations(program, loop), self.count, upward=self.side == "first")
        names = {name: program.fresh_name(f"{name}_{self.side}") for name in loop.names}
        around = program.part(loop.names[0])
        place = around.places[loop.depth]
        peeled, rest = (place, place + 1) if self.side == "first" else (place + 1, place)

        def copies(part: Part) -> Iterator[Part]:
            domain = part.statement.domain
            taken = chosen.apply(part.counters(loop.depth + 1).reverse()).intersect(domain)
            yield part.restricted(domain.subtract(taken)).at(loop.depth, rest)
            yield part.restricted(taken, names[part.name]).at(loop.depth, peeled)

        return program.with_room(around.places[: loop.depth], place + 1).replaced(loop.names, copies)


def _iterations(program: Program, loop: Nest) -> isl.Map:
    """The counters of the loops around a loop, to its own."""
    parts = [program.part(name) for name in loop.names]
    points = (part.counters(loop.depth + 1).intersect_domain(part.statement.domain).range() for part in parts)
    return first_to_others(reduce(isl.Set.union, points).intersect_params(program.base.context), loop.depth)
