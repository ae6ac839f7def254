"""Tile: nested loops become loops over tiles and, inside of these, over the iterations of a tile."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from loadstone.transform.loop_names import StepError, find_loop
from loadstone.transform.program import Nest, Part, Program
from loadstone.transform.steps.strip_mine import strip_mined


@dataclass(frozen=True, slots=True)
class Tile:
    """Strip-mine nested loops, and move the loops over strips outside: one size for each loop, or one for all.

        for (int i = 0; i < N; i++)
          for (int j = 0; j < N; j++)
            S: b[i][j] = a[j];

    tile i j by 4 8

        for (int it = 0; it <= floord(N - 1, 4); it++) {
          for (int jt = 0; jt <= (N - 1) / 8; jt++) {
            for (int i = 4 * it; i <= min(N - 1, 4 * it + 3); i++) {
              for (int j = 8 * jt; j <= min(N - 1, 8 * jt + 7); j++) {
                b[i][j] = a[j];
              }
            }
          }
        }
    """

    loops: tuple[str, ...]
    sizes: tuple[int, ...]
    names: tuple[str, ...] | None = None
    usage: ClassVar[str] = "tile LOOPS* by SIZES* [as NAMES*]"

    def applied(self, program: Program) -> Program:
        """The program with the loops tiled."""
        nests = [find_loop(program, loop) for loop in self.loops]
        self._check(nests)
        sizes = self.sizes * len(nests) if len(self.sizes) == 1 else self.sizes
        names = self.names or (None,) * len(nests)
        return program.changed(nests[0].names, lambda part: _tiled(part, nests[0].depth, sizes, names))

    def _check(self, nests: list[Nest]) -> None:
        for position, (loop, nest) in enumerate(zip(self.loops, nests, strict=True)):
            if set(nest.names) != set(nests[0].names) or nest.depth != nests[0].depth + position:
                raise StepError(f"'{loop}' is not perfectly nested in the loops before it", loop, "outermost first")
        if len(self.sizes) not in (1, len(nests)) or any(size < 1 for size in self.sizes):
            raise StepError("give one positive size, or one for each loop", str(self.sizes[0]))
        if self.names is not None and len(self.names) != len(nests):
            raise StepError("give a name for each loop", self.names[0])


def _tiled(part: Part, depth: int, sizes: tuple[int, ...], names: tuple[str | None, ...]) -> Part:
    """The statement with loops over tiles around its loops from a depth on."""
    for position, (size, name) in enumerate(zip(sizes, names, strict=True)):
        part = _outwards(strip_mined(part, depth + 2 * position, size, name), depth + 2 * position, depth + position)
    return part


def _outwards(part: Part, depth: int, target: int) -> Part:
    """The statement with a loop moved outwards over its perfectly nested neighbours."""
    loops = list(part.loops)
    loops.insert(target, loops.pop(depth))
    return replace(part, loops=tuple(loops))
