"""Statements behind inner loops join the last iteration of these loops, so that imperfect nests can be tiled.

    for (i...) {                          for (i...)
      for (j = 0; j < n; j++)               for (j = 0; j < n; j++) {
        S0;                       ->          S0;
      S1;                                     if (j == n - 1) S1;
    }                                       }

Padded with zeros, S1 would run in the first tile of j, before most of S0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce

import islpy as isl

from loadstone.model.kernel import Statement, padded
from loadstone.poly.spaces import Dim, first_to_others, range_product
from loadstone.transform.tiling import TiledKernel


def sunk(tiles: TiledKernel) -> TiledKernel:
    """The tiling of the loops as they stand, with each statement behind inner loops at the end of these."""
    theta = {s.name: _with_last_iteration(tiles, s) for s in tiles.kernel.statements}
    return replace(tiles, theta=theta)


def _with_last_iteration(tiles: TiledKernel, statement: Statement) -> isl.Map:
    """Theta of a statement, its padding replaced by the last iteration of the loops before it, where they have one."""
    theta = tiles.theta[statement.name]
    dims = theta.dim(Dim.out)
    kept = dims - _deepest(tiles) + _depth(statement)
    before = [first_to_others(tiles.theta[s.name].range(), kept) for s in _loops_before(tiles, statement)]
    if not before:
        return theta
    prefix = theta.project_out(Dim.out, kept, dims - kept)
    last = prefix.apply_range(reduce(isl.Map.union, before).lexmax())
    rest = padded(isl.Map.from_domain(statement.domain.subtract(last.domain())), dims - kept)
    return range_product((prefix, last.union(rest)))


def _deepest(tiles: TiledKernel) -> int:
    return max(_depth(s) for s in tiles.kernel.statements)


def _depth(statement: Statement) -> int:
    """The number of loops around a statement."""
    return statement.schedule.dim(Dim.out) // 2


def _loops_before(tiles: TiledKernel, statement: Statement) -> Iterator[Statement]:
    """The statements in deeper loops that stand before a statement, inside of the same loops."""
    depth = _depth(statement)
    here = _places(statement)
    for other in tiles.kernel.statements:
        there = _places(other)
        shares_loops = _depth(other) > depth and there[:depth] == here[:depth]
        if shares_loops and there[depth] < here[depth]:
            yield other


def _places(statement: Statement) -> list[int]:
    """The textual positions in the 2d+1 schedule: one in each loop, outermost first."""
    found = (
        statement.schedule.plain_get_val_if_fixed(Dim.out, k) for k in range(0, statement.schedule.dim(Dim.out), 2)
    )
    return [value.to_python() if value.is_int() else 0 for value in found]
