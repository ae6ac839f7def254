"""A tiling as the pragma that asks for it."""

from __future__ import annotations

import islpy as isl

from loadstone.model.affine import signed_sum
from loadstone.model.kernel import Kernel, Statement
from loadstone.poly.linear import linear
from loadstone.poly.names import names_of
from loadstone.poly.spaces import values_of
from loadstone.transform.tiling import TiledKernel, loop_schedule


def tiling_pragma(tiles: TiledKernel, kernel: Kernel) -> str | None:
    """The pragma that gives a kernel this tiling; None where a statement is not one of the kernel or not affine."""
    given = f"size({', '.join(map(str, tiles.sizes))})" + (f" strip({tiles.strip})" if tiles.strip > 1 else "")
    if all(tiles.theta[name].is_equal(dates) for name, dates in loop_schedule(tiles.kernel).items()):
        return f"#pragma loadstone tile {given}"
    if {s.name for s in kernel.statements} != set(tiles.theta):
        return None
    dates = {s.name: _dates(tiles.theta[s.name], s) for s in kernel.statements}
    known = [f"{name}: {', '.join(values)}" for name, values in dates.items() if values is not None]
    return f"#pragma loadstone tile schedule({'; '.join(known)}) {given}" if len(known) == len(dates) else None


def _dates(theta: isl.Map, statement: Statement) -> list[str] | None:
    values = [_affine(value, statement) for value in values_of(theta)]
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else None


def _affine(value: isl.PwAff, statement: Statement) -> str | None:
    """A component of a date as C; None unless it is one affine function."""
    found: list[isl.Aff] = []
    value.foreach_piece(lambda _, function: found.append(function))
    parts = linear(found[0], (*names_of(value.get_space()), *statement.iterators)) if len(found) == 1 else None
    if parts is None or parts.floors or parts.divisor != 1:
        return None
    terms = [(factor, name) for factor, name in parts.variables]
    return signed_sum([*terms, (parts.constant, "")] if parts.constant or not terms else terms, "*")
