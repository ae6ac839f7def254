"""Groups: iterations of loops of a tile that run in lock step, one in each lane.

Along an axis, a dimension d of a tiling, the lane of an iteration is (t_d mod size) mod U. Iterations that differ only
in their lanes form a group. Groups run with d div U in place of d, in an order of the dimensions of a tile, and what
has no lanes along an axis runs one by one inside of its group.

A statement has lanes along an axis if a step of d is always the same step of its iterators. An instance of the
controller then stands for a group: its iterators are those of lane 0, and masks say which lanes exist.

Loops of a statement that no dimension of the tiling depends on are whole in each tile. They run inside of the loops of
the tile, or around those that are around the statement alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import islpy as isl

from loadstone.loops.facts import attempted, surely
from loadstone.model.affine import NotAffine, affine_value, constant_value
from loadstone.model.expression import Expression, Variable, binary, integer, substituted
from loadstone.model.kernel import WRITE, Access, Statement
from loadstone.model.types import INT
from loadstone.parallel.banks import Touch
from loadstone.poly import map_from_values
from loadstone.poly.dimensions import for_any_parameters
from loadstone.poly.enumeration import points
from loadstone.poly.spaces import Dim, constant, dimension, range_product, values_of
from loadstone.transform.tiling import TiledKernel

Step = tuple[int, ...]
"""By how much the iterators of a statement grow from a lane to the next."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A dimension of a tiling of which so many iterations run at once."""

    position: int
    count: int


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """Groups along axes; `steps` are those of statements along each axis, None where a statement has no lanes.

    Statements without any lanes are missing. `order` are the dimensions of the tiling as the loops of a tile have them,
    the outermost first; `split` of them are around all statements, and the others around each statement alone. So many
    `whole` loops, which are no dimensions of the tiling, are between both; the others are inside of all.
    """

    tiles: TiledKernel
    axes: tuple[Axis, ...]
    steps: Mapping[str, tuple[Step | None, ...]]
    order: tuple[int, ...]
    split: int
    whole: int = 0

    @property
    def count(self) -> int:
        """The most lanes of a statement."""
        return prod(axis.count for axis in self.axes)

    @property
    def weight(self) -> int:
        """How many loops of statements have lanes."""
        return sum(len(step) for steps in self.steps.values() for step in steps if step is not None)

    @property
    def is_turned(self) -> bool:
        """Whether axes are in another order than the loops."""
        places = [axis.position for axis in self.axes]
        return places != sorted(places)

    def own_axes(self, statement: str) -> tuple[Axis, ...]:
        """The axes along which a statement has lanes."""
        steps = self.steps.get(statement, ())
        return tuple(axis for axis, step in zip(self.axes, steps, strict=False) if step is not None)

    def own_steps(self, statement: str) -> tuple[Step, ...]:
        """The steps of a statement along its axes."""
        return tuple(step for step in self.steps.get(statement, ()) if step is not None)

    def lanes(self, statement: str) -> int:
        """The lanes of a statement."""
        return prod(axis.count for axis in self.own_axes(statement))

    def places(self, statement: str) -> list[tuple[int, ...]]:
        """Where its lanes are along the axes of a statement, in their order."""
        return list(product(*(range(axis.count) for axis in self.own_axes(statement))))

    def offset(self, statement: str, lane: int) -> Step:
        """By how much the iterators of a lane are ahead of those of lane 0."""
        steps, place = self.own_steps(statement), self.places(statement)[lane]
        return tuple(sum(map(int.__mul__, place, each)) for each in zip(*steps, strict=True))

    def lane(self, statement: str) -> isl.Map:
        """Instances to the lanes of the statement in which they run."""
        total = constant(self._space(statement), 0)
        for axis in self.own_axes(statement):
            total = total.mul(constant(self._space(statement), axis.count)).add(self._lane(statement, axis))
        return self._mapped(statement, [total])

    def instances(self, statement: str, lane: int) -> isl.Set:
        """The instances that run in a lane of the statement."""
        return self.lane(statement).intersect_range(isl.Set(f"{{ [{lane}] }}")).domain()

    def around(self, statement: str) -> isl.Map:
        """Instances to the loops that stay what they are, and the number of the group in the first that changes."""
        places = [axis.position for axis in self.axes]
        kept = 0
        while kept < self.split and self.order[kept] == kept and kept not in places:
            kept += 1
        first = int(kept < self.split and self.order[kept] == kept)
        return self._mapped(statement, self._key(statement)[: kept + first])

    def group(self, statement: str) -> isl.Map:
        """Instances to their groups."""
        return self._mapped(statement, self._key(statement))

    def time(self, statement: str) -> isl.Map:
        """Instances to the time of their group in a tile: dimensions and the statement, and the rest of its time."""
        names, space = [each.name for each in self.tiles.kernel.statements], self._space(statement)
        key = self._key(statement)
        values = [key[position] for position in self.order]
        whole = _of_length(self.whole_loops(statement)[: self.whole], self.whole, space)
        values[self.split : self.split] = [constant(space, names.index(statement)), *whole]
        ordered = self._mapped(statement, values)
        return range_product((ordered, self._rest(statement))).intersect_domain(self._domain(statement))

    def first(self, statement: str) -> isl.Map:
        """Instances to the iterators that lane 0 of their group has, or would have; themselves without lanes."""
        space = self._space(statement)
        iterators = [dimension(space, k) for k in range(space.dim(Dim.set))]
        for axis, step in zip(self.own_axes(statement), self.own_steps(statement), strict=True):
            lane = self._lane(statement, axis)
            moves = (lane.mul(constant(space, by)) for by in step)
            iterators = [value.sub(by) for value, by in zip(iterators, moves, strict=True)]
        return self._mapped(statement, iterators).set_tuple_name(Dim.out, statement)

    def whole_loops(self, statement: str) -> list[isl.PwAff]:
        """The loops of a statement that no dimension of the tiling depends on, the outermost first."""
        domain, schedule = self._domain(statement), self.tiles.kernel.statement(statement).schedule
        tiled = [_iterators_in(value.gist(domain)) for value in values_of(self.tiles.theta[statement])]
        whole = frozenset(range(domain.dim(Dim.set))).difference(*tiled)
        dates = [date.gist(domain) for date in values_of(schedule)] if whole else []
        return [date for date in dates if _iterators_in(date) and whole.issuperset(_iterators_in(date))]

    @property
    def whole_names(self) -> list[str]:
        """The names of the whole loops, the outermost first, as many as there are in a statement that has the most."""
        statements = self.tiles.kernel.statements
        loops = max(([(each, loop) for loop in self.whole_loops(each.name)] for each in statements), key=len)
        return [statement.iterators[_iterators_in(loop)[0]] for statement, loop in loops]

    def loops_alone(self, statement: str) -> Iterator[tuple[int, int]]:
        """Where times have the loops around a statement and no other, the innermost first, and iterations inside.

        Without loops around it alone, those around all statements. Iterations of whole loops are not counted.
        """
        values, inside = values_of(self.tiles.theta[statement]), 1
        if not self.whole and self.whole_loops(statement):
            rest = self.tiles.instance_to_time(statement).dim(Dim.out)
            yield from ((len(self.order) + place, inside) for place in range(rest, 0, -1))
        is_alone = len(self.tiles.kernel.statements) > 1 and self.split < len(self.order)
        for position in reversed(self.order[self.split :]):
            if constant_value(values[position]) is None:
                yield self.place(position), inside
                inside *= self.iterations(position)
        yield from ((self.split + place, inside) for place in range(self.whole, 0, -1))
        for position in reversed(() if is_alone else self.order[: self.split]):
            if constant_value(values[position]) is None:
                yield self.place(position), inside
                inside *= self.iterations(position)

    def iterations(self, position: int) -> int:
        """The iterations of a loop over groups in a whole tile."""
        count = next((axis.count for axis in self.axes if axis.position == position), 1)
        return -(-self.tiles.sizes[position] // count)

    def place(self, position: int) -> int:
        """Where times have a dimension of the tiling."""
        found = self.order.index(position)
        return found + (1 + self.whole if found >= self.split else 0)

    def is_uniform(self, statement: str) -> bool:
        """Whether all instances of a group are so many steps after lane 0 as their lanes say."""
        return self.time(statement).reverse().apply_range(self.first(statement)).is_single_valued()

    def _rest(self, statement: str) -> isl.Map:
        """Instances to their lanes along axes along which they have none, and their whole loops.

        To the old time, if they have no lanes at all.
        """
        old, own = self.tiles.instance_to_time(statement), self.own_axes(statement)
        if not own:
            return old
        lanes = [self._lane(statement, axis) for axis in self.axes if axis not in own]
        rest = [*lanes, *self.whole_loops(statement)]
        return self._mapped(statement, _of_length(rest, old.dim(Dim.out), self._space(statement)))

    def _mapped(self, statement: str, values: Sequence[isl.PwAff]) -> isl.Map:
        return map_from_values(self._space(statement), values).intersect_domain(self._domain(statement))

    def _domain(self, statement: str) -> isl.Set:
        return self.tiles.kernel.statement(statement).domain

    def _space(self, statement: str) -> isl.Space:
        return self._domain(statement).get_space()

    def _key(self, statement: str) -> list[isl.PwAff]:
        """The dimensions of the tiling, with the value of lane 0 in place of those of axes."""
        values = list(values_of(self.tiles.theta[statement]))
        for axis in self.axes:
            values[axis.position] = values[axis.position].sub(self._lane(statement, axis))
        return values

    def _lane(self, statement: str, axis: Axis) -> isl.PwAff:
        """The lane of an instance along an axis."""
        value = values_of(self.tiles.theta[statement])[axis.position]
        size = self.tiles.sizes[axis.position]
        return _modulo(value if size % axis.count == 0 else _modulo(value, size), axis.count)


def _of_length(values: Sequence[isl.PwAff], length: int, space: isl.Space) -> list[isl.PwAff]:
    """Values, followed by zeros."""
    return [*values, *[constant(space, 0)] * (length - len(values))]


def _iterators_in(value: isl.PwAff) -> list[int]:
    """The iterators that a value depends on."""
    return [k for k in range(value.dim(Dim.in_)) if value.involves_dims(Dim.in_, k, 1)]


def _modulo(value: isl.PwAff, number: int) -> isl.PwAff:
    return value.mod_val(isl.Val.int_from_si(value.get_ctx(), number))


def in_old_order(tiles: TiledKernel, axes: tuple[Axis, ...] = ()) -> Grouping:
    """Groups along axes, without lanes of statements, in the order of the loops as they stand."""
    return Grouping(tiles, axes, {}, tuple(range(len(tiles.sizes))), len(tiles.sizes))


def step_along(theta: isl.Map, position: int) -> Step | None:
    """By how much the iterators of a statement grow when one dimension does by 1; None if it is not always the same."""
    space = theta.range().get_space()
    moved = [dimension(space, k).add(constant(space, int(k == position))) for k in range(space.dim(Dim.set))]
    following = theta.apply_range(map_from_values(space, moved)).apply_range(theta.reverse())
    steps = attempted(lambda: for_any_parameters(following.deltas()))
    found = points(steps) if steps is not None and steps.is_singleton() else ()
    return found[0] if found else _iterator_along(theta, following)


def _iterator_along(theta: isl.Map, following: isl.Map) -> Step | None:
    """The step of the first iterator whose next value always is what follows; None if there is none."""
    space = theta.domain().get_space()
    count = space.dim(Dim.set)
    for chosen in range(count):
        step = tuple(int(k == chosen) for k in range(count))
        moved = map_from_values(space, [dimension(space, k).add(constant(space, by)) for k, by in enumerate(step)])
        pairs = moved.set_tuple_name(Dim.out, space.get_tuple_name(Dim.set) or "")
        pairs = pairs.intersect_domain(theta.domain()).intersect_range(theta.domain())
        if not pairs.is_empty() and surely(lambda pairs=pairs: pairs.is_subset(following)):
            return step
    return None


def touches_of(grouping: Grouping, array: str, known: isl.Set) -> Iterator[Touch]:
    """The accesses of an array by groups, for known parameters."""
    for statement in grouping.tiles.kernel.statements:
        for position, access in (*enumerate(statement.reads), (WRITE, statement.write)):
            if access.array == array:
                name = statement.name
                relation = access.relation.intersect_params(known)
                groups = grouping.time(name).reverse().apply_range(relation)
                lanes = grouping.lane(name).reverse().apply_range(relation)
                axes = zip(grouping.own_axes(name), grouping.own_steps(name), strict=True)
                shifts = tuple((axis.count, _shift(statement, access, step)) for axis, step in axes)
                yield Touch((name, position), groups, lanes, shifts)


def _shift(statement: Statement, access: Access, step: Step) -> tuple[int, ...] | None:
    """By how much each subscript grows from a lane to the next; None if that is not always the same."""
    moved = moved_iterators(statement, step)
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


def moved_iterators(statement: Statement, offset: Step) -> dict[str, Expression]:
    """The iterators of a lane that is ahead of lane 0, as functions of those of lane 0, where they are others."""
    return {
        name: binary("+", Variable(name, INT), integer(by))
        for name, by in zip(statement.iterators, offset, strict=False)
        if by
    }
