"""How far numbers reach: ranges of parameters and of loop counters."""

from __future__ import annotations

from collections.abc import Mapping

import islpy as isl

from loadstone.loops.known import attempted, first_and_last
from loadstone.poly.spaces import Dim, set_space, variable

Limits = tuple[int, int]


def within(ranges: Mapping[str, Limits], context: isl.Set | None = None) -> isl.Set:
    """The values of parameters inside of ranges, inclusively, that a context allows."""
    space = set_space(tuple(ranges), "", ()).params()
    found = isl.Set.universe(space)
    for name, (low, high) in ranges.items():
        bounds = isl.Set(f"[{name}] -> {{ : {low} <= {name} <= {high} }}")
        found = found.intersect(bounds)
    return found if context is None else found.intersect(context)


def limits_of(known: isl.Set, name: str) -> Limits | None:
    """The least and the greatest value of a variable of a set; None where there is none or it is hard to find."""
    return attempted(lambda: _limits(known, name))


def _limits(known: isl.Set, name: str) -> Limits | None:
    values = known.project_out_except([name], [Dim.param])
    if values.is_empty() or variable(values.get_space(), name) is None:
        return None
    first, last = first_and_last(values, name)
    return first.min_val().to_python(), last.max_val().to_python()
