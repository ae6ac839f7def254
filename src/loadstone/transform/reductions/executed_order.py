"""Kernels whose reductions run in the order of a tiling, not in that of the text.

What follows, dependences, plans, buffers, networks and programs, is that of the order that is executed: the schedule of
the kernel becomes it. Signed sums and products of C must not overflow, and in another order they might: they are
computed without sign, modulo 2^bits, which gives the same bits.
"""

from __future__ import annotations

from dataclasses import replace

import islpy as isl

from loadstone.analysis import Dependences
from loadstone.model.expression import Binary, Cast, Expression, cast
from loadstone.model.kernel import Kernel, Statement
from loadstone.model.types import integer_type
from loadstone.poly import map_from_values
from loadstone.poly.dimensions import with_components
from loadstone.poly.spaces import Dim, constant, values_of
from loadstone.transform.legality import violation
from loadstone.transform.reductions.orderless import Pair, free_pairs, is_exact
from loadstone.transform.reductions.updates import between, without_order
from loadstone.transform.tiling import TiledKernel


def in_executed_order(tiles: TiledKernel, known: Dependences, *, free: bool) -> TiledKernel | None:
    """The tiling of the kernel whose reductions run in its order; None where it breaks other dependences.

    `known` are all dependences of the kernel. `free` lets floating-point reductions run in any order, too: what
    they are then compared with is no longer the text of the source, but C printed in the order that is executed.
    """
    pairs = free_pairs(tiles.kernel, free=free)
    if not pairs or violation(tiles, without_order(tiles.kernel, known, pairs)) is not None:
        return None
    turned = _turned(tiles, known, pairs)
    kernel = replace(tiles.kernel, statements=tuple(_dated(tiles, s, turned) for s in tiles.kernel.statements))
    arrays = sorted({s.write.array for s in tiles.kernel.statements if s.name in turned})
    rounded = frozenset(s.write.array for s in tiles.kernel.statements if s.name in turned and not is_exact(s, kernel))
    note = f"updates of {', '.join(arrays)} in the order of the tiles"
    said = f"{tiles.choice}; {note}" if tiles.choice else note
    return replace(tiles, kernel=replace(kernel, original=None) if rounded else kernel, choice=said, rounded=rounded)


def _turned(tiles: TiledKernel, known: Dependences, pairs: tuple[Pair, ...]) -> frozenset[str]:
    """The statements with an update that runs before one that the text has before it."""
    found = (pair for pair in pairs if violation(tiles, between(tiles.kernel, known, pair)) is not None)
    return frozenset(statement.name for pair in found for statement in pair)


def _dated(tiles: TiledKernel, statement: Statement, turned: frozenset[str]) -> Statement:
    """The statement at its dates in the tiling; a signed sum or product whose updates change places wraps around."""
    space = statement.domain.get_space()
    zero = constant(space, 0)
    dates = [zero]
    for value in _loops(tiles, statement):
        dates += [value, zero]
    dates[2 * _tile_loops(tiles)] = constant(space, _place(tiles.kernel, statement))
    schedule = map_from_values(space, dates).intersect_domain(statement.domain)
    value = _wrapping(statement.value) if statement.name in turned else statement.value
    return replace(statement, schedule=schedule, value=value)


def _tile_loops(tiles: TiledKernel) -> int:
    """The number of loops over tiles and inside of them; those over tiles of size 1 are both."""
    return len(tiles.sizes) + sum(size > 1 for size in tiles.sizes)


def _loops(tiles: TiledKernel, statement: Statement) -> list[isl.PwAff]:
    """The loops over tiles, those inside of a tile, and the original ones, which decide between equal dates."""
    theta = tiles.theta[statement.name]
    inside = with_components(theta, [k for k, size in enumerate(tiles.sizes) if size > 1])
    original = range(1, statement.schedule.dim(Dim.out), 2)
    rest = () if theta.is_injective() else values_of(with_components(statement.schedule, original))
    return [*values_of(tiles.instance_to_tile(statement.name)), *values_of(inside), *rest]


def _place(kernel: Kernel, statement: Statement) -> int:
    return [each.name for each in kernel.statements].index(statement.name)


def _wrapping(value: Expression) -> Expression:
    """The value of a signed sum or product, computed without sign; other values as they are."""
    match value:
        case Cast():
            return replace(value, operand=_wrapping(value.operand))
        case Binary(op="+" | "-" | "*", type=kind) if kind.is_integer and kind.signed:
            plain = integer_type(kind.bits, signed=False)
            return cast(replace(value, left=cast(value.left, plain), right=cast(value.right, plain), type=plain), kind)
        case _:
            return value
