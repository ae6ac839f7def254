"""Strip-mine: a loop becomes a loop over strips and one over the iterations of a strip."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from loadstone.poly.spaces import constant
from loadstone.transform.loop_names import StepError, find_loop
from loadstone.transform.program import Loop, Part, Program


@dataclass(frozen=True, slots=True)
class StripMine:
    """Cut a loop into strips; the new loop around it counts them, and is called `it` if the loop is called `i`.

        for (int i = 0; i < N; i++)
          S: c[i] = a[i];

    strip-mine i by 4

        for (int it = 0; it <= floord(N - 1, 4); it++) {
          for (int i = 4 * it; i <= min(N - 1, 4 * it + 3); i++) {
            c[i] = a[i];
          }
        }
    """

    loop: str
    size: int
    name: str | None = None
    usage: ClassVar[str] = "strip-mine LOOP by SIZE [as NAME]"

    def applied(self, program: Program) -> Program:
        """The program with the loop cut into strips."""
        if self.size < 1:
            raise StepError("strips have at least one iteration", str(self.size))
        loop = find_loop(program, self.loop)
        return program.changed(loop.names, lambda part: strip_mined(part, loop.depth, self.size, self.name))


def strip_mined(part: Part, depth: int, size: int, name: str | None) -> Part:
    """The statement with a loop over strips around one of its loops."""
    inner = part.loops[depth]
    number = inner.value.div(constant(part.space, size)).floor()
    strip = Loop(part.fresh_loop(name or f"{inner.name}t"), number)
    return replace(
        part,
        loops=(*part.loops[:depth], strip, *part.loops[depth:]),
        places=(*part.places[: depth + 1], 0, *part.places[depth + 1 :]),
    )
