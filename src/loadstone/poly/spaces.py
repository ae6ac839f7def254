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
    val = isl.Val.read_from_str(space.get_ctx(), str(value))
    return isl.PwAff.from_aff(isl.Aff.val_on_domain(isl.LocalSpace.from_space(space), val))


def dimension(space: isl.Space, position: int) -> isl.PwAff:
    """A dimension of a set space as a function on it."""
    return isl.PwAff.from_aff(isl.Aff.var_on_domain(isl.LocalSpace.from_space(space), Dim.set, position))


def map_from_values(space: isl.Space, values: Sequence[isl.PwAff], name: str = "") -> isl.Map:
    """The map from a set space to the tuple `name[values]`."""
    result = isl.Map.universe(space.from_domain().add_dims(Dim.out, len(values)))
    for position, value in enumerate(values):
        graph = isl.Map.from_pw_aff(value)
        graph = graph.insert_dims(Dim.out, 0, position)
        graph = graph.add_dims(Dim.out, len(values) - position - 1)
        result = result.intersect(graph)
    return result.set_tuple_name(Dim.out, name) if name else result


def values_of(function: isl.Map) -> tuple[isl.PwAff, ...]:
    """The dimensions of the range of a single-valued map as functions on its domain."""
    whole = isl.PwMultiAff.from_map(function)
    return tuple(whole.get_pw_aff(position) for position in range(function.dim(Dim.out)))


def later_in_last_dim(value: isl.Set, upward: bool) -> isl.Set:
    """All points that equal one of the set but for their last coordinate, which is not smaller (or not greater)."""
    last = value.dim(Dim.set) - 1
    reach = isl.Map.universe(value.get_space().map_from_set())
    for position in range(last):
        reach = reach.equate(Dim.in_, position, Dim.out, position)
    reach = reach.order_le(Dim.in_, last, Dim.out, last) if upward else reach.order_ge(Dim.in_, last, Dim.out, last)
    return value.apply(reach)


def stepped(value: isl.Set, step: int) -> isl.Set:
    """The points moved in the last dimension."""
    space = value.get_space()
    *outer, last = (dimension(space, position) for position in range(space.dim(Dim.set)))
    moved = map_from_values(space, [*outer, last.add(constant(space, step))])
    return value.apply(moved).reset_space(space)


def range_product(maps: Sequence[isl.Map]) -> isl.Map:
    """The map to the values of several maps of one domain, one after the other."""
    result, *rest = maps
    for other in rest:
        result = result.flat_range_product(other)
    return result


def within_ranges(value: isl.Set, ranges: Sequence[tuple[int, int]]) -> isl.Set:
    """The points whose coordinates are between a least and a greatest value each.

    >>> within_ranges(isl.Set("{ [x, y] : x >= y }"), [(0, 1), (1, 5)]).is_equal(isl.Set("{ [1, 1] }"))
    True
    """
    ctx = value.get_ctx()
    for position, (least, greatest) in enumerate(ranges):
        low, high = isl.Val.int_from_si(ctx, least), isl.Val.int_from_si(ctx, greatest)
        value = value.lower_bound_val(Dim.set, position, low).upper_bound_val(Dim.set, position, high)
    return value


def first_to_others(value: isl.Set, count: int) -> isl.Map:
    """The map from the first dimensions of the points of a set to the other ones."""
    return isl.Map.from_range(value).move_dims(Dim.in_, 0, Dim.out, 0, count)


def tile_map(params: Sequence[str], sizes: Sequence[int]) -> isl.Map:
    """The map from points to tiles: `[t0, ...] -> [floor(t0 / size0), ...]`."""
    space = set_space(params, "", [f"t{k}" for k in range(len(sizes))])
    values = [dimension(space, k).div(constant(space, size)).floor() for k, size in enumerate(sizes)]
    return map_from_values(space, values)


def with_outer_parameters(value: isl.Map, names: Sequence[str]) -> isl.Map:
    """The map with the first dimensions of its range turned into parameters of these names."""
    count = value.dim(Dim.param)
    value = value.move_dims(Dim.param, count, Dim.out, 0, len(names))
    for position, name in enumerate(names):
        value = value.set_dim_name(Dim.param, count + position, name)
    return value


def inputs_to_parameters(value: isl.Map, names: Sequence[str]) -> isl.Set:
    """The range of a map whose input dimensions become parameters of these names."""
    count = value.dim(Dim.param)
    value = value.move_dims(Dim.param, count, Dim.in_, 0, len(names))
    for position, name in enumerate(names):
        value = value.set_dim_name(Dim.param, count + position, name)
    return value.range()


def parameters_to_inputs(value: isl.Map, names: Sequence[str]) -> isl.Map:
    """The map with parameters of these names turned into leading input dimensions."""
    for position, name in enumerate(names):
        index = value.find_dim_by_name(Dim.param, name)
        if index < 0:
            value = value.insert_dims(Dim.in_, position, 1)
        else:
            value = value.move_dims(Dim.in_, position, Dim.param, index, 1)
    return value


def maps_of(value: isl.UnionMap) -> tuple[isl.Map, ...]:
    """The maps between single spaces of a union."""
    maps = value.get_map_list()
    return tuple(maps.get_at(k) for k in range(maps.n_map()))


def has_divisions(value: isl.UnionMap) -> bool:
    """Whether pairs are told apart by quotients or remainders."""
    found = [part.get_basic_map_list() for part in maps_of(value)]
    pieces = (pieces.get_at(k) for pieces in found for k in range(pieces.n_basic_map()))
    return any(piece.dim(Dim.div) for piece in pieces)


def with_parameters_first(value: isl.Set) -> isl.Set:
    """The set with its parameters as first dimensions, without a name."""
    count = value.dim(Dim.param)
    unnamed = value.reset_tuple_id() if value.has_tuple_id() else value
    return unnamed.move_dims(Dim.set, 0, Dim.param, 0, count)


def without_parameters_below(context: isl.Set, most: int) -> isl.Set:
    """What a parameter set says beside upper bounds of single parameters that are less than a number."""
    points, narrow = with_parameters_first(isl.Set.from_params(context)), isl.Set.universe(context.get_space())
    for position in range(points.dim(Dim.set)):
        greatest = points.dim_max_val(position)
        if greatest.is_int() and greatest.to_python() < most:
            narrow = narrow.upper_bound_val(Dim.param, position, greatest)
    return context.gist(narrow)


def parameters_at_least(space: isl.Space, number: int) -> isl.Set:
    """The parameters of a space, none of which is less than a number."""
    box, least = isl.Set.universe(space.params()), isl.Val.int_from_si(space.get_ctx(), number)
    for position in range(space.dim(Dim.param)):
        box = box.lower_bound_val(Dim.param, position, least)
    return box


def parameters_below(value: isl.Set, least: int) -> isl.Set | None:
    """The parameters, one of which is less than anywhere in a set, where that is at least a number; None if none is."""
    values, universe = with_parameters_first(isl.Set.from_params(value)), isl.Set.universe(value.get_space())
    for position in range(value.dim(Dim.param)):
        first = values.dim_min_val(position)
        if first.is_int() and first.to_python() > least:
            return universe.upper_bound_val(Dim.param, position, first.sub(isl.Val.one(value.get_ctx())))
    return None


def box_near_least(known: isl.Set, reach: int) -> isl.Set:
    """The parameters that are at most so far from the least values that are known of them, or from -1."""
    values, box = with_parameters_first(isl.Set.from_params(known)), isl.Set.universe(known.get_space())
    for position in range(known.dim(Dim.param)):
        least = values.dim_min_val(position)
        first = least.to_python() if least.is_int() else -1
        low, high = (isl.Val.int_from_si(known.get_ctx(), number) for number in (first, first + reach))
        box = box.lower_bound_val(Dim.param, position, low).upper_bound_val(Dim.param, position, high)
    return box


def without_determined_dims(value: isl.Set) -> isl.Set:
    """A set with as many points, from which dimensions that the others determine have been dropped.

    >>> print(without_determined_dims(isl.Set("[n] -> { [t, x] : 8t <= x <= 8t + 7 and 0 <= x < n }")))
    [n] -> { [x] : 0 <= x < n }
    """
    value = value.unwrap().wrap().flatten() if value.is_wrapping() else value.reset_tuple_id()
    for position in reversed(range(value.dim(Dim.set))):
        split = isl.Map.from_domain(value).move_dims(Dim.out, 0, Dim.in_, position, 1)
        if split.is_single_valued():
            value = split.domain()
    return value


def fixed_to_zero(value: isl.Set, dims: Sequence[int]) -> isl.Set:
    """The points of a set whose coordinates in these dimensions are zero."""
    zero = isl.Val.zero(value.get_ctx())
    for position in dims:
        value = value.fix_val(Dim.set, position, zero)
    return value


def equal_halves(pairs: isl.Set, dims: Sequence[int]) -> isl.Set:
    """The pairs of a wrapped map whose two sides agree in these dimensions."""
    relation = pairs.unwrap()
    for position in dims:
        relation = relation.equate(Dim.in_, position, Dim.out, position)
    return relation.wrap()


def largest_gap(pairs: isl.Set, position: int) -> isl.Val:
    """The largest absolute difference of the two sides of a wrapped map in one dimension."""
    rank = pairs.unwrap().dim(Dim.in_)
    local = isl.LocalSpace.from_space(pairs.get_space())
    left = isl.Aff.var_on_domain(local, Dim.set, position)
    right = isl.Aff.var_on_domain(local, Dim.set, rank + position)
    if pairs.is_empty():
        return isl.Val.zero(pairs.get_ctx())
    return pairs.max_val(left.sub(right)).max(pairs.max_val(right.sub(left)))


def symmetric_box(space: isl.Space, gaps: Sequence[isl.Val]) -> isl.Set:
    """The points whose coordinates are at most these numbers in absolute value; infinity is no bound."""
    result = isl.Set.universe(space)
    for position, gap in enumerate(gaps):
        if gap.is_int():
            result = result.lower_bound_val(Dim.set, position, gap.neg()).upper_bound_val(Dim.set, position, gap)
    return result


def without_dims(value: isl.Set, dims: Sequence[int]) -> isl.Set:
    """The set projected on its other dimensions."""
    for position in sorted(dims, reverse=True):
        value = value.project_out(Dim.set, position, 1)
    return value


def outer_dims(value: isl.Set, count: int) -> isl.Set:
    """What a set says of its first dimensions; the others are free."""
    inner = value.dim(Dim.set) - count
    return value.project_out(Dim.set, count, inner).add_dims(Dim.set, inner)


def combination(space: isl.Space, row: Sequence[int], modulus: int | None) -> isl.PwAff:
    """The sum of row * coordinates on a set space, modulo a number if one is given."""
    total = constant(space, 0)
    for position, factor in enumerate(row):
        total = total.add(dimension(space, position).mul(constant(space, factor)))
    return total if modulus is None else total.mod_val(isl.Val.int_from_si(space.get_ctx(), modulus))


def least_step_in(pairs: isl.Map, dates: isl.Map, position: int) -> int | None:
    """The least number of steps between pairs whose dates differ in one dimension first; None if there are none."""
    steps = pairs.apply_domain(dates).apply_range(dates).deltas()
    for before in range(position):
        steps = steps.fix_val(Dim.set, before, isl.Val.zero(steps.get_ctx()))
    if position < 0 or steps.is_empty():
        return None
    stride = dates.range().get_stride(position).to_python()
    return steps.dim_min_val(position).to_python() // stride
