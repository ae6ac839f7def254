"""Names and values of dimensions and parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

import islpy as isl

from loadstone.poly.spaces import Dim

HasParams = TypeVar("HasParams", isl.Set, isl.Map, isl.UnionSet, isl.UnionMap, isl.PwAff)


def parameter_point(values: Mapping[str, int]) -> isl.Set:
    """The parameter set that holds exactly these values."""
    space = isl.Space.params_alloc(isl.DEFAULT_CONTEXT, len(values))
    result = isl.Set.universe(space)
    for position, (name, value) in enumerate(values.items()):
        result = result.set_dim_name(Dim.param, position, name).fix_val(
            Dim.param, position, isl.Val.int_from_si(isl.DEFAULT_CONTEXT, value)
        )
    return result


def names_of(space: isl.Space, kind: isl.dim_type = Dim.param) -> tuple[str, ...]:
    """The names of the dimensions of one kind, the parameters by default; empty for those without a name."""
    return tuple(space.get_dim_name(kind, position) or "" for position in range(space.dim(kind)))


def fixed(value: HasParams, parameters: Mapping[str, int]) -> HasParams:
    """The value with parameters set to numbers."""
    return value.intersect_params(parameter_point(parameters))


def allows(context: isl.Set, parameters: Mapping[str, int]) -> bool:
    """Whether a set of parameters holds these values.

    A copy is asked: isl writes a set otherwise when it has been asked about it, and then finds other, equal dependences
    and another schedule; a question about values must not change the tiling.
    """
    copy = isl.Set.read_from_str(context.get_ctx(), str(context))
    return not fixed(copy, parameters).is_empty()


def renamed_dims(value: isl.Map, dims: Sequence[str], kind: isl.dim_type = Dim.out) -> isl.Map:
    """The map with the dimensions of one side named."""
    for position, name in enumerate(dims):
        value = value.set_dim_name(kind, position, name)
    return value
