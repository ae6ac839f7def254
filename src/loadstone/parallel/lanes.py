"""Lanes: iterations of a loop of a tile that run in lock step.

A dimension d of a tiling can be unrolled U times if its iterations with the same quotient (t_d mod size) div U, in the
same iteration of the loops around, touch no element in common that one of them writes. These form a group; the lane of
an iteration is (t_d mod size) mod U. Groups run with d div U in place of d, and d mod U inside of everything. Instances
that depend on each other keep their order, since in a group only those of the same lane do.

A statement has lanes if a step of d is always the same step of its iterators. An instance of the controller then stands
for a group: its iterators are those of lane 0, and masks say which lanes exist. Other statements run one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

import islpy as isl

from loadstone.loops.accelerator import Accelerator, compute_loops, time_names
from loadstone.loops.facts import attempted, surely
from loadstone.loops.model import Instance, Node, walk, with_instances
from loadstone.loops.ranges import Limits, Ranges
from loadstone.model.affine import NotAffine, affine_value, constant_value
from loadstone.model.expression import Expression, Variable, binary, integer, substituted
from loadstone.model.free_name import free_name
from loadstone.model.from_isl import from_ast
from loadstone.model.kernel import WRITE, Access, Statement
from loadstone.model.types import INT
from loadstone.parallel.banks import Banking, BanksOfLanes, BanksOfPlaces, Place, Touch, find_banking, possible_banks
from loadstone.poly import map_from_values
from loadstone.poly.dimensions import for_any_parameters
from loadstone.poly.enumeration import points
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.poly.spaces import (
    Dim,
    constant,
    dimension,
    inputs_to_parameters,
    range_product,
    values_of,
    variable,
    with_outer_parameters,
)
from loadstone.transform.tiling import TiledKernel

Step = tuple[int, ...]
"""By how much the iterators of a statement grow from a lane to the next."""
ORDER_LIMIT = 10_000_000
"""The most isl operations to find out whether two accesses keep their order."""


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """Groups of `count` iterations of a dimension of a tiling; `steps` are those of the statements that have lanes."""

    tiles: TiledKernel
    position: int
    count: int
    steps: Mapping[str, Step]

    def lanes(self, statement: str) -> int:
        """The lanes of a statement."""
        return self.count if statement in self.steps else 1

    def lane(self, statement: str) -> isl.Map:
        """Instances to their lanes."""
        return self._mapped(statement, [self._lane(statement)])

    def used_lane(self, statement: str) -> isl.Map:
        """Instances to the lanes of the statement in which they run."""
        return self.lane(statement) if statement in self.steps else self._mapped(statement, [self._zero(statement)])

    def instances(self, statement: str, lane: int) -> isl.Set:
        """The instances that run in a lane of the statement."""
        return self.used_lane(statement).intersect_range(isl.Set(f"{{ [{lane}] }}")).domain()

    def around(self, statement: str) -> isl.Map:
        """Instances to the loops around their group, and its number."""
        return self._mapped(statement, self._key(statement)[: self.position + 1])

    def group(self, statement: str) -> isl.Map:
        """Instances to their groups."""
        return self._mapped(statement, self._key(statement))

    def first(self, statement: str) -> isl.Map:
        """Instances to the iterators that lane 0 of their group has, or would have; themselves without lanes."""
        space = self._space(statement)
        iterators = [dimension(space, k) for k in range(space.dim(Dim.set))]
        if statement in self.steps:
            lane = self._lane(statement)
            steps = (lane.mul(constant(space, step)) for step in self.steps[statement])
            iterators = [value.sub(step) for value, step in zip(iterators, steps, strict=True)]
        return self._mapped(statement, iterators).set_tuple_name(Dim.out, statement)

    def _mapped(self, statement: str, values: Sequence[isl.PwAff]) -> isl.Map:
        return map_from_values(self._space(statement), values).intersect_domain(self._domain(statement))

    def _domain(self, statement: str) -> isl.Set:
        return self.tiles.kernel.statement(statement).domain

    def _space(self, statement: str) -> isl.Space:
        return self._domain(statement).get_space()

    def _zero(self, statement: str) -> isl.PwAff:
        return constant(self._space(statement), 0)

    def _key(self, statement: str) -> list[isl.PwAff]:
        """The dimensions of the tiling, with the value of lane 0 in place of the one of the lanes."""
        values = list(values_of(self.tiles.theta[statement]))
        values[self.position] = values[self.position].sub(self._lane(statement))
        return values

    def _lane(self, statement: str) -> isl.PwAff:
        value = values_of(self.tiles.theta[statement])[self.position]
        size = self.tiles.sizes[self.position]
        in_tile = value if size % self.count == 0 else _modulo(value, size)
        return _modulo(in_tile, self.count)


def _modulo(value: isl.PwAff, number: int) -> isl.PwAff:
    return value.mod_val(isl.Val.int_from_si(value.get_ctx(), number))


@dataclass(frozen=True, slots=True, eq=False)
class Lanes:
    """The requested lanes and the actual ones: of which loop, and why not more.

    `banking`: the banks of arrays. `banks`: the banks that lanes of accesses may touch. Both only where there are
    several. `described`: the banks in words.
    """

    asked: int
    count: int
    dimension: str
    reason: str
    grouping: Grouping | None
    banking: Mapping[str, Banking]
    banks: BanksOfPlaces
    described: Mapping[str, str]

    def as_json(self) -> dict[str, Any]:
        """The lanes for a report."""
        found: dict[str, Any] = {"asked": self.asked, "count": self.count, "loop": self.dimension}
        return {**found, "reason": self.reason, "banks": dict(self.described)}


NO_LANES = Lanes(1, 1, "", "", None, {}, {}, {})


class _NoLanes(Exception):
    """A dimension cannot have so many lanes, for a reason."""


def find_lanes(accelerator: Accelerator, limits: Mapping[str, Limits], asked: int) -> Lanes:
    """As many lanes as possible, at most the requested ones, in the dimension that serves most statements."""
    if asked <= 1:
        return NO_LANES
    tiles = accelerator.plan.tiles
    names, reasons = time_names(tiles), list[str]()
    for count in _counts(asked):
        why = "; ".join(reasons)
        for grouping in _dimensions(tiles, count):
            name = names[grouping.position]
            try:
                return _with_lanes(accelerator, limits, grouping, asked, name, "" if count == asked else why)
            except _NoLanes as reason:
                if count == asked:
                    reasons.append(f"{name}: {reason}")
    return Lanes(asked, 1, "", "; ".join(reasons) or "no statement has a loop of the tiling", None, {}, {}, {})


def _counts(asked: int) -> list[int]:
    """Numbers of lanes to try: the requested one, and powers of two below."""
    powers = [1 << k for k in range(1, asked.bit_length()) if 1 << k < asked]
    return [asked, *reversed(powers)]


def _dimensions(tiles: TiledKernel, count: int) -> list[Grouping]:
    """The dimensions in which statements have lanes: first those of the most loops of statements, inner ones first."""
    found = [_grouping(tiles, position, count) for position in reversed(range(len(tiles.sizes)))]
    useful = [grouping for grouping in found if grouping.steps]
    return sorted(useful, key=lambda each: -sum(map(len, each.steps.values())))


def _grouping(tiles: TiledKernel, position: int, count: int) -> Grouping:
    """The groups of a dimension, with the statements that have lanes there."""
    steps = {name: step for name in tiles.theta if (step := _step(tiles.theta[name], position)) is not None}
    found = Grouping(tiles, position, count, steps)
    kept = {name: step for name, step in steps.items() if surely(lambda name=name: _is_uniform(found, name))}
    return Grouping(tiles, position, count, kept)


def _step(theta: isl.Map, position: int) -> Step | None:
    """By how much the iterators of a statement grow when one dimension does by 1; None if it is not always the same."""
    space = theta.range().get_space()
    moved = [dimension(space, k).add(constant(space, int(k == position))) for k in range(space.dim(Dim.set))]
    following = theta.apply_range(map_from_values(space, moved)).apply_range(theta.reverse())
    steps = attempted(lambda: for_any_parameters(following.deltas()))
    found = points(steps) if steps is not None and steps.is_singleton() else ()
    return found[0] if found else None


def _is_uniform(grouping: Grouping, statement: str) -> bool:
    """Whether all instances of a group are so many steps after lane 0 as their lanes say."""
    return grouping.group(statement).reverse().apply_range(grouping.first(statement)).is_single_valued()


def _with_lanes(
    accelerator: Accelerator, limits: Mapping[str, Limits], grouping: Grouping, asked: int, name: str, reason: str
) -> Lanes:
    """The lanes of a grouping; raises `_NoLanes` where it cannot be."""
    size = grouping.tiles.sizes[grouping.position]
    if size < grouping.count:
        raise _NoLanes(f"a tile has only {size} of its iterations")
    _check_order(grouping)
    known = Ranges(accelerator.kernel, limits).known
    found: dict[str, Banking] = {}
    banks: dict[Place, BanksOfLanes] = {}
    for array, buffer in accelerator.buffers.items():
        touches = list(touches_of(grouping, array, known))
        banking = find_banking(buffer, [each for each in touches if each.place[0] in grouping.steps], grouping.count)
        if banking is None:
            raise _NoLanes(_conflict(array, touches))
        if banking.count > 1:
            found[array] = banking
            banks |= {touch.place: possible_banks(banking, buffer, touch) for touch in touches}
    words = {array: banking.described for array, banking in found.items()}
    return Lanes(asked, grouping.count, name, reason, grouping, found, banks, words)


def _conflict(array: str, touches: Sequence[Touch]) -> str:
    """Why an array has no banks."""
    if any(touch.shift is None for touch in touches):
        return f"which elements of {array} its iterations touch is not known in time"
    return f"no banks of {array} are known to serve all iterations in one cycle"


def _check_order(grouping: Grouping) -> None:
    """Raises `_NoLanes` if instances that touch an element, one of them to write it, would change places."""
    dates = [_Dates.of(grouping, statement) for statement in grouping.tiles.kernel.statements]
    for writer, other in product(dates, dates):
        for array, place in other.places:
            name, written = writer.places[-1]
            if array == name and not _keep_order((writer, written), (other, place)):
                raise _NoLanes(f"its iterations depend on each other through {array}")


@dataclass(frozen=True, slots=True, eq=False)
class _Dates:
    """The instances of a statement: their times before, and with lanes, and places by accessed array, the write last.

    A place is the tile, the loops around the group, and the element; only instances of one place are compared.
    """

    before: isl.Map
    after: isl.Map
    places: tuple[tuple[str, isl.Map], ...]

    @classmethod
    def of(cls, grouping: Grouping, statement: Statement) -> _Dates:
        """The dates of the instances of a statement."""
        name, tiles = statement.name, grouping.tiles
        around = range_product((tiles.instance_to_tile(name), grouping.around(name)))
        accesses = (*statement.reads, statement.write)
        return cls(
            tiles.instance_to_time(name).intersect_domain(statement.domain),
            group_time(grouping, name),
            tuple((each.array, around.flat_range_product(each.relation)) for each in accesses),
        )


def _keep_order(first: tuple[_Dates, isl.Map], second: tuple[_Dates, isl.Map]) -> bool:
    """Whether instances of the same place keep their order."""
    (one, place), (other, same_place) = first, second
    try:
        with operation_limit(ORDER_LIMIT):
            same = place.apply_range(same_place.reverse())
            return same.is_empty() or not (_swaps(same, one, other) or _swaps(same.reverse(), other, one))
    except LimitReached:
        return False


def _swaps(same: isl.Map, one: _Dates, other: _Dates) -> bool:
    """Whether an instance that comes first would not any more."""
    swapped = same.intersect(one.before.lex_lt_map(other.before))
    return not swapped.intersect(one.after.lex_ge_map(other.after)).is_empty()


def group_time(grouping: Grouping, statement: str) -> isl.Map:
    """Instances to the time of their group in a tile: its dimensions, the statement, and the old time without lanes."""
    tiles, names = grouping.tiles, [each.name for each in grouping.tiles.kernel.statements]
    group = grouping.group(statement)
    space = group.domain().get_space()
    place = map_from_values(space, [constant(space, names.index(statement))])
    old = tiles.instance_to_time(statement)
    if statement in grouping.steps:
        old = map_from_values(space, [constant(space, 0)] * old.dim(Dim.out))
    return range_product((group, place, old)).intersect_domain(group.domain())


def touches_of(grouping: Grouping, array: str, known: isl.Set) -> Iterator[Touch]:
    """The accesses of an array by groups, for known parameters."""
    for statement in grouping.tiles.kernel.statements:
        for position, access in (*enumerate(statement.reads), (WRITE, statement.write)):
            if access.array == array:
                relation = access.relation.intersect_params(known)
                groups = grouping.group(statement.name).reverse().apply_range(relation)
                lanes = grouping.used_lane(statement.name).reverse().apply_range(relation)
                shift = _shift(statement, access, grouping.steps.get(statement.name, ()))
                yield Touch((statement.name, position), groups, lanes, shift)


def _shift(statement: Statement, access: Access, step: Step) -> tuple[int, ...] | None:
    """By how much each subscript grows from a lane to the next; None if that is not always the same."""
    moved = moved_iterators(statement, step, 1)
    space = statement.domain.get_space()
    try:
        values = [
            (affine_value(substituted(each, moved), space), affine_value(each, space)) for each in access.subscripts
        ]
    except NotAffine:
        return None
    found = [constant_value(after.sub(before)) for after, before in values]
    numbers = tuple(each for each in found if each is not None)
    return numbers if len(numbers) == len(found) else None


def moved_iterators(statement: Statement, step: Step, lane: int) -> dict[str, Expression]:
    """The iterators of a lane as functions of those of lane 0, where they are others."""
    return {
        name: binary("+", Variable(name, INT), integer(lane * by))
        for name, by in zip(statement.iterators, step, strict=False)
        if lane * by
    }


@lru_cache(maxsize=16)
def group_loops(accelerator: Accelerator, grouping: Grouping) -> Node:
    """The loops of a tile over groups; the arguments of statements with lanes are followed by a mask for each lane.

    They are kept for a while: hardware and predictions of an accelerator share them.
    """
    tiles = accelerator.plan.tiles
    parts = {statement.name: _Part.of(grouping, statement) for statement in tiles.kernel.statements}
    tree = compute_loops(tiles, [part.schedule for part in parts.values()], _loop_names(grouping))
    masks = {name: parts[name].masks() for name in grouping.steps}

    def masked(instance: Instance) -> Node:
        values = dict(zip(_base_names(len(instance.arguments)), instance.arguments, strict=True))
        extra = (substituted(mask, values) for mask in masks.get(instance.statement, ()))
        return Instance(instance.statement, (*instance.arguments, *extra))

    return with_instances(tree, masked)


def lane_loops(accelerator: Accelerator, lanes: Lanes) -> Node:
    """The loops of a tile, over groups where there are lanes."""
    return accelerator.compute if lanes.grouping is None else group_loops(accelerator, lanes.grouping)


def masked_lanes(tree: Node, statement: str, count: int) -> list[bool]:
    """Which lanes of a statement in loops over groups may have no instance."""
    found = [part for part in walk(tree) if isinstance(part, Instance) and part.statement == statement]
    return [any(instance.arguments[lane - count] != integer(1) for instance in found) for lane in range(count)]


def _loop_names(grouping: Grouping) -> list[str]:
    names = time_names(grouping.tiles)
    names[grouping.position] = free_name(f"{names[grouping.position]}_group", frozenset(names))
    return names


def _base_names(count: int) -> list[str]:
    """Names for the iterators of lane 0 that nothing in a source has."""
    return [f"iterator {k}" for k in range(count)]


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A statement in a tile, whose coordinates are parameters: its instances, and the groups to their times."""

    step: Step
    lanes: int
    domain: isl.Set
    schedule: isl.Map

    @classmethod
    def of(cls, grouping: Grouping, statement: Statement) -> _Part:
        """The part of a statement."""
        tiles, name = grouping.tiles, statement.name
        domain = with_outer_parameters(tiles.instance_to_tile(name), tiles.coordinates).domain()
        times = group_time(grouping, name).intersect_domain(domain)
        schedule = grouping.first(name).intersect_domain(domain).reverse().apply_range(_numbered(grouping, times))
        return cls(grouping.steps.get(name, ()), grouping.lanes(name), domain, schedule.coalesce())

    def masks(self) -> list[Expression]:
        """Whether the instance of each lane exists, as conditions on the iterators of lane 0."""
        return [_condition(self._exists(lane), self.schedule.domain()) for lane in range(self.lanes)]

    def _exists(self, lane: int) -> isl.Set:
        space = self.domain.get_space()
        back = [dimension(space, k).sub(constant(space, lane * by)) for k, by in enumerate(self.step)]
        moved = map_from_values(space, back).set_tuple_name(Dim.out, space.get_tuple_name(Dim.set) or "")
        return self.domain.apply(moved)


def _numbered(grouping: Grouping, times: isl.Map) -> isl.Map:
    """The times with groups numbered in their tile."""
    space = times.range().get_space()
    values = [dimension(space, k) for k in range(space.dim(Dim.set))]
    tile = variable(space, grouping.tiles.coordinates[grouping.position])
    assert tile is not None
    origin = tile.mul(constant(space, grouping.tiles.sizes[grouping.position]))
    number = values[grouping.position].sub(origin).div(constant(space, grouping.count)).floor()
    values[grouping.position] = number
    return times.apply_range(map_from_values(space, values))


def _condition(exists: isl.Set, groups: isl.Set) -> Expression:
    """A condition for a lane of known groups."""
    names = _base_names(groups.dim(Dim.set))
    where, known = (
        inputs_to_parameters(isl.Map.from_domain(each), names).params() for each in (exists.gist(groups), groups)
    )
    build = isl.AstBuild.from_context(known)
    return from_ast(build.expr_from_set(where.coalesce().gist(known)))
