"""Spaces with named dimensions, and affine expressions over them."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

Dim = isl.dim_type


def set_space(params: Sequence[str], name: str, dims: Sequence[str]) -> isl.Space:
    """The space of `name[dims]` with parameters."""
    space = isl.Space.create_from_names(isl.DEFAULT_CONTEXT, set=list(dims), params=list(params))
    return space.set_tuple_name(Dim.set, name) if name else space


def variable(space: isl.Space, name: str) -> isl.PwAff | None:
    """The dimension or parameter with this name as an affine function on a set space; dimensions hide parameters."""
    for kind in (Dim.set, Dim.param):
        position = space.find_dim_by_name(kind, name)
        if position >= 0:
            local = isl.LocalSpace.from_space(space)
            return isl.PwAff.from_aff(isl.Aff.var_on_domain(local, kind, position))
    return None


def constant(space: isl.Space, value: int) -> isl.PwAff:
    """A constant function on a set space."""
    val = isl.Val.int_from_si(space.get_ctx(), value)
    return isl.PwAff.from_aff(isl.Aff.val_on_domain(isl.LocalSpace.from_space(space), val))


def map_from_values(space: isl.Space, values: Sequence[isl.PwAff], name: str = "") -> isl.Map:
    """The map from a set space to the tuple `name[values]`."""
    result = isl.Map.universe(space.from_domain().add_dims(Dim.out, len(values)))
    for position, value in enumerate(values):
        graph = isl.Map.from_pw_aff(value)
        graph = graph.insert_dims(Dim.out, 0, position)
        graph = graph.add_dims(Dim.out, len(values) - position - 1)
        result = result.intersect(graph)
    return result.set_tuple_name(Dim.out, name) if name else result


def later_in_last_dim(value: isl.Set, upward: bool) -> isl.Set:
    """All points that equal one of the set but for their last coordinate, which is not smaller (or not greater)."""
    last = value.dim(Dim.set) - 1
    reach = isl.Map.universe(value.get_space().map_from_set())
    for position in range(last):
        reach = reach.equate(Dim.in_, position, Dim.out, position)
    reach = reach.order_le(Dim.in_, last, Dim.out, last) if upward else reach.order_ge(Dim.in_, last, Dim.out, last)
    return value.apply(reach)
