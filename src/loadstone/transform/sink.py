"""Statements next to inner loops join an iteration of these loops, so that imperfect nests can be tiled.

    for (i...) {                          for (i...)
      for (j = 0; j < n; j++)               for (j = 0; j < n; j++) {
        S0;                       ->          S0;
      S1;                                     if (j == n - 1) S1;
    }                                       }

Padded with zeros, S1 would run in the first tile of j, before most of S0. A statement before inner loops joins their
first iteration likewise, which zero is not if their counters begin elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from typing import Literal

import islpy as isl

from loadstone.model.kernel import Statement
from loadstone.poly.dimensions import constant_component, padded, with_components
from loadstone.poly.extrema import greatest, least
from loadstone.poly.spaces import Dim, first_to_others, range_product
from loadstone.transform.tiling import TiledKernel


def sunk(tiles: TiledKernel) -> TiledKernel:
    """The tiling of the loops as they stand, with each statement next to inner loops at the end or begin of these."""
    theta = {s.name: _with_neighbours(tiles, s) for s in tiles.kernel.statements}
    return replace(tiles, theta=theta)


def _with_neighbours(tiles: TiledKernel, statement: Statement) -> isl.Map:
    """Theta of a statement, its padding replaced by the last iteration of the loops before it, where they have one.

    Without loops before it, by the first iteration of the loops behind it.
    """
    theta = tiles.theta[statement.name]
    dims = theta.dim(Dim.out)
    kept = dims - max(s.depth for s in tiles.kernel.statements) + statement.depth
    before, behind = (
        [first_to_others(tiles.theta[s.name].range(), kept) for s in _inner_loops(tiles, statement, side)]
        for side in ("before", "behind")
    )
    if not before and not behind:
        return theta
    ends = greatest(reduce(isl.Map.union, before)) if before else least(reduce(isl.Map.union, behind))
    prefix = with_components(theta, range(kept))
    joined = prefix.apply_range(ends)
    rest = padded(isl.Map.from_domain(statement.domain.subtract(joined.domain())), dims - kept)
    return range_product((prefix, joined.union(rest)))


def _inner_loops(tiles: TiledKernel, statement: Statement, side: Literal["before", "behind"]) -> Iterator[Statement]:
    """The statements in deeper loops that stand before or behind a statement, inside of the same loops."""
    depth = statement.depth
    here = _places(statement)
    for other in tiles.kernel.statements:
        there = _places(other)
        shares_loops = other.depth > depth and there[:depth] == here[:depth] and not other.domain.is_empty()
        if shares_loops and (there[depth] < here[depth] if side == "before" else there[depth] > here[depth]):
            yield other


def _places(statement: Statement) -> list[int]:
    """The textual positions in the 2d+1 schedule: one in each loop, outermost first."""
    schedule = statement.schedule
    return [constant_component(schedule, k) or 0 for k in range(0, schedule.dim(Dim.out), 2)]
