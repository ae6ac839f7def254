"""Automata that walk the elements that a tile loads or stores, in the order of their addresses, one in each step.

This is the linearization of Boulet and Feautrier, with its functions First and Next taken apart by coordinate, as in an
odometer. E(T) are the elements of the tile, P_k is E(T) projected on its first k coordinates:

    first_k(x_0 .. x_{k-1}) = min { y : (x_0 .. x_{k-1}, y) in P_{k+1} }
    last_k(x_0 .. x_{k-1})  = max { y : (x_0 .. x_{k-1}, y) in P_{k+1} }
    more_k(x_0 .. x_k)      = x_k < last_k(x_0 .. x_{k-1})
    next_k(x_0 .. x_k)      = min { y > x_k : (x_0 .. x_{k-1}, y) in P_{k+1} }

A step moves the innermost coordinate that has more, and sets those behind it to their first values. The walk is exact
where that takes few operations and decisions. Else it goes through a larger set, and each point has to be tested: the
convex set that isl's simple hull finds, or a box.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TypeVar

import islpy as isl

from loadstone.model.expression import COMPARISONS, Binary, Expression, Select, Variable, integer, walk
from loadstone.model.from_isl import from_aff, from_ast
from loadstone.model.types import INT
from loadstone.poly import coalesced
from loadstone.poly.dimensions import coordinate, first_coordinates, for_any_parameters
from loadstone.poly.extrema import greatest_value, least, least_value
from loadstone.poly.kept import kept_by_text
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.poly.linear import merged, where_all
from loadstone.poly.names import names_of
from loadstone.poly.simplify import MOST_PIECES
from loadstone.poly.spaces import Dim, first_to_others, inputs_to_parameters

SCAN_LIMIT = 1_000_000
MOST_DECISIONS = 200
MOST_COMPARED = 3
MOST_IN_A_ROW = 50

_DECIDING = COMPARISONS | {"min", "max"}
_BACK = isl.Map("{ [y] -> [y - 1] }")
_LATER, _FROM = isl.Map("{ [y] -> [z] : z > y }"), isl.Map("{ [y] -> [z] : z >= y }")

Piece = tuple[isl.Set, isl.Aff]
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Step:
    """How one coordinate moves: its first value for the coordinates before it, whether there are more, and the next."""

    variable: str
    first: Expression
    more: Expression
    next: Expression


@dataclass(frozen=True, slots=True)
class Scan:
    """A walk through the elements of a tile, as functions of parameters, tile coordinates and the current element.

    `some` says whether any point is visited. `run_end` is a value of the last coordinate that steps of one reach from
    the current element without leaving the elements of the tile: the last such value, or the current one where the last
    is costly to find. `member` is the test that visited points must pass; without it, all are elements of the tile.
    """

    array: str
    some: Expression
    steps: tuple[Step, ...]
    run_end: Expression | None
    member: Expression | None

    @property
    def decisions(self) -> int:
        """How many comparisons, minima and maxima the expressions hold."""
        return sum(isinstance(part, Binary) and part.op in _DECIDING for e in self._expressions() for part in walk(e))

    def _expressions(self) -> Iterator[Expression]:
        yield self.some
        for step in self.steps:
            yield from (step.first, step.more, step.next)
        yield from (e for e in (self.run_end, self.member) if e is not None)


def scan(tile_to_elements: isl.Map, known: isl.Set, variables: Sequence[str]) -> Scan:
    """The walk through the elements of each tile, for the tiles that are known to exist.

    `variables` name the coordinates of the elements. The dimensions of the tiles must be named.
    """
    array = tile_to_elements.get_tuple_name(Dim.out) or ""
    return replace(_scan(tile_to_elements.reset_tuple_id(Dim.out), known, tuple(variables)), array=array)


@kept_by_text
def _scan(tile_to_elements: isl.Map, known: isl.Set, variables: Sequence[str]) -> Scan:
    """The walk through the elements of an array without a name."""
    names = names_of(tile_to_elements.get_space(), Dim.in_)
    tiles = inputs_to_parameters(isl.Map.from_domain(known), names).params()
    every = inputs_to_parameters(tile_to_elements, names).reset_tuple_id()
    existing = _within_limit(lambda: coalesced(every.intersect_params(tiles)))
    elements = every if existing is None else existing
    if elements.is_empty():
        return _nothing(variables)
    exact = _exact(elements, tiles, variables) if elements.n_basic_set() <= MOST_PIECES else None
    return exact or _tested(elements, tiles, variables)


def _within_limit(make: Callable[[], Made]) -> Made | None:
    """What is made, unless that takes too many operations, or isl fails on its own representation."""
    try:
        with operation_limit(SCAN_LIMIT):
            return make()
    except (LimitReached, isl.Error):
        return None


def _nothing(variables: Sequence[str]) -> Scan:
    """The walk through no elements."""
    zero = integer(0)
    steps = tuple(Step(variable, zero, zero, zero) for variable in variables)
    return Scan("", zero, steps, zero if steps else None, None)


def _exact(elements: isl.Set, tiles: isl.Set, variables: Sequence[str]) -> Scan | None:
    """The walk through the elements and nothing else, with the ends of runs where they are cheap; None if it is not."""
    plain = _within_limit(lambda: _walk(elements, tiles, variables))
    if plain is None or plain.decisions > MOST_DECISIONS:
        return None
    run_end = _within_limit(lambda: _run_end(rows(elements, variables)[-1])) if variables else None
    bursts = plain if run_end is None else replace(plain, run_end=run_end)
    return bursts if bursts.decisions <= MOST_DECISIONS else plain


def _tested(elements: isl.Set, tiles: isl.Set, variables: Sequence[str]) -> Scan:
    """A walk through a convex set or a box around the elements, with a test of its points."""
    around = _within_limit(lambda: _bounded_hull(elements))
    hull = None if around is None else _within_limit(lambda: _walk(around, tiles, variables))
    if around is not None and hull is not None:
        return replace(hull, member=_member(elements, around, tiles, variables))
    box = _walk_box(elements if around is None else around, tiles, variables)
    return replace(box, member=_member(elements, isl.Set.universe(elements.get_space()), tiles, variables))


def _bounded_hull(elements: isl.Set) -> isl.Set | None:
    """The convex set that isl's simple hull finds, if it is bounded."""
    around = isl.Set.from_basic_set(elements.simple_hull())
    return around if around.is_bounded() else None


def _walk(elements: isl.Set, tiles: isl.Set, variables: Sequence[str]) -> Scan:
    """The walk through a set, with runs of single points."""
    some = short_test(elements.params(), tiles)
    return Scan("", some, tuple(map(_step, rows(elements, variables))), _current(variables), None)


def _walk_box(around: isl.Set, tiles: isl.Set, variables: Sequence[str]) -> Scan:
    """The walk through a box around a set, which is cheap to find: its bounds are those of all pieces together."""
    sides = [_side(around, k, tiles) for k in range(len(variables))]
    some = _all_hold(Binary("<=", low, high, INT) for low, high in sides if low != high)
    steps = (Step(x, low, _less(x, high), _following(x)) for x, (low, high) in zip(variables, sides, strict=True))
    return Scan("", some, tuple(steps), _current(variables), None)


def _current(variables: Sequence[str]) -> Expression | None:
    """The last coordinate, if there is one."""
    return Variable(variables[-1], INT) if variables else None


def _member(elements: isl.Set, around: isl.Set, tiles: isl.Set, variables: Sequence[str]) -> Expression:
    """Whether a point of a set around the elements of an existing tile is one of them."""
    inside = _as_parameters(elements, variables).params()
    context = _as_parameters(around.intersect_params(tiles), variables).params()
    short = _within_limit(lambda: short_test(coalesced(inside), context))
    return short or _in_some_piece(inside)


def _in_some_piece(inside: isl.Set) -> Expression:
    """Whether parameters are in a set, constraint by constraint, which takes no time to find however many there are."""
    pieces = inside.compute_divs().get_basic_sets()
    return _folded("||", [_all_hold(map(_holds, piece.get_constraints())) for piece in pieces])


def _all_hold(conditions: Iterable[Expression]) -> Expression:
    return _folded("&&", list(conditions) or [integer(1)])


def _holds(constraint: isl.Constraint) -> Expression:
    """Whether parameters satisfy a constraint."""
    return Binary("==" if constraint.is_equality() else ">=", from_aff(constraint.get_aff()), integer(0), INT)


def short_test(inside: isl.Set, context: isl.Set) -> Expression:
    """Whether parameters of a context are in a part of it, in few comparisons."""
    return _condition(_separated(inside, context.subtract(inside)), context)


def _as_parameters(value: isl.Set, names: Sequence[str]) -> isl.Set:
    """The set with its first dimensions turned into parameters of these names."""
    return inputs_to_parameters(first_to_others(value, len(names)), names)


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """The values of one coordinate: a set of one dimension, of which the coordinates before it are parameters."""

    variable: str
    values: isl.Set

    def ahead(self, candidates: isl.Set, comparison: str) -> isl.Set:
        """The candidates that compare in this way with the current value, which is a parameter then."""
        current = self.values.intersect(isl.Set(f"[{self.variable}] -> {{ [y] : y = {self.variable} }}")).params()
        chosen = isl.Set(f"[{self.variable}] -> {{ [y] : y {comparison} {self.variable} }}")
        return candidates.intersect(chosen).intersect_params(current)

    @property
    def run_ends(self) -> isl.Set:
        """The values that are not followed by one."""
        return self.values.subtract(self.values.apply(_BACK))

    @property
    def is_solid(self) -> bool:
        """Whether the values have no gaps."""
        return isl.Map.from_range(self.run_ends).is_single_valued()

    def without(self, parameters: isl.Set) -> Row:
        """The values for other parameters."""
        return replace(self, values=self.values.subtract(self.values.intersect_params(parameters)))

    @property
    def gaps(self) -> isl.Set:
        """The parameters for which the values have gaps: those with several values that are not followed by one."""
        return self.run_ends.apply(_LATER).intersect(self.run_ends).params()

    @property
    def test(self) -> Expression:
        """Whether a number between the first and the last value is a value."""
        around = self.values.apply(_FROM).intersect(self.values.apply(_FROM.reverse()))
        inside, context = (_as_parameters(each, [self.variable]).params() for each in (self.values, around))
        return short_test(coalesced(inside), context)

    @property
    def is_single(self) -> bool:
        """Whether there is never more than one value."""
        return isl.Map.from_range(self.values).is_single_valued()


def rows(elements: isl.Set, variables: Sequence[str]) -> list[Row]:
    """The rows of all coordinates, outermost first."""
    found: list[Row] = []
    for k, variable in enumerate(variables):
        prefixes = coalesced(first_coordinates(elements, k + 1))
        found.append(Row(variable, _as_parameters(prefixes, variables[:k])))
    return found


def _step(row: Row) -> Step:
    first = smallest(row.values)
    if row.is_single:
        return Step(row.variable, first, integer(0), _following(row.variable))
    more = _less(row.variable, largest(row.values))
    following = _following(row.variable) if row.is_solid else smallest(row.ahead(row.values, ">"))
    return Step(row.variable, first, more, following)


def _run_end(row: Row) -> Expression:
    return largest(row.values) if row.is_solid else smallest(row.ahead(row.run_ends, ">="))


def _less(variable: str, last: Expression) -> Expression:
    return Binary("<", Variable(variable, INT), last, INT)


def _following(variable: str) -> Expression:
    return Binary("+", Variable(variable, INT), integer(1), INT)


def smallest(values: isl.Set) -> Expression:
    """The smallest number of a set of numbers, where it has any."""
    return _value(least_value(values), values.params())


def largest(values: isl.Set) -> Expression:
    """The largest number of a set of numbers, where it has any."""
    return _value(greatest_value(values), values.params())


def _value(function: isl.PwAff, context: isl.Set) -> Expression:
    """A short expression of a function of parameters inside of a context in which it is defined."""
    simple = coalesced(function.gist(context)).intersect_domain(context)
    return _selected(merged(simple.get_pieces(), _joined))


def _joined(first: Piece, second: Piece) -> Piece | None:
    """Both pieces as one, with the value of one that is right for the other too."""
    equal = first[1].eq_set(second[1])
    fitting = first if second[0].is_subset(equal) else second if first[0].is_subset(equal) else None
    return None if fitting is None else (first[0].union(second[0]), fitting[1])


def _selected(pieces: Sequence[Piece]) -> Expression:
    """The value of the piece that holds: by a minimum, a maximum, or the test that takes the fewest constraints."""
    domain = _union([piece[0] for piece in pieces])
    for op, compared in (("min", isl.Aff.le_set), ("max", isl.Aff.ge_set)):
        if _is_extremum(pieces, compared):
            return _folded(op, [_affine(value, domain) for _, value in pieces])
    test, position = _shortest_test(pieces)
    chosen, value = pieces[position]
    rest = [*pieces[:position], *pieces[position + 1 :]]
    return Select(_condition(test, domain), _affine(value, chosen), _selected(rest), INT)


def _shortest_test(pieces: Sequence[Piece]) -> tuple[isl.Set, int]:
    """The test of few constraints that tells one piece from the others, and the position of the piece."""
    likely = sorted(range(len(pieces)), key=lambda k: _constraint_count(pieces[k][0]))[:MOST_COMPARED]
    tests = [(_separated(pieces[k][0], _union([d for d, _ in (*pieces[:k], *pieces[k + 1 :])])), k) for k in likely]
    return min(tests, key=lambda test: _constraint_count(test[0]))


def _is_extremum(pieces: Sequence[Piece], compared: Callable[[isl.Aff, isl.Aff], isl.Set]) -> bool:
    """Whether the value of each piece compares in this way with all others."""
    return all(domain.is_subset(compared(value, other)) for domain, value in pieces for _, other in pieces)


def _separated(inside: isl.Set, outside: isl.Set) -> isl.Set:
    """A set of few constraints that holds all of one set and nothing of another that is disjoint from it."""
    found = isl.Set.empty(inside.get_space())
    for piece in inside.compute_divs().get_basic_sets():
        if not isl.Set.from_basic_set(piece).is_subset(found):
            found = found.union(_loosened(piece, outside))
    return coalesced(found)


def _loosened(piece: isl.BasicSet, outside: isl.Set) -> isl.Set:
    """A convex set without the constraints that nothing outside needs, the widest of them tried first."""
    kept = sorted(piece.get_constraints(), key=_width, reverse=True)
    space = piece.get_space()
    for constraint in tuple(kept):
        fewer = [other for other in kept if other is not constraint]
        if where_all(fewer, space).is_disjoint(outside):
            kept = fewer
    return where_all(kept, space)


def _width(constraint: isl.Constraint) -> int:
    """The number of parameters and floors in a constraint."""
    return sum(
        constraint.involves_dims(kind, k, 1) for kind in (Dim.param, Dim.div) for k in range(constraint.dim(kind))
    )


def _constraint_count(value: isl.Set) -> int:
    return sum(len(piece.get_constraints()) for piece in value.get_basic_sets())


def _union(sets: Sequence[isl.Set]) -> isl.Set:
    return reduce(lambda left, right: left.union(right), sets)


def _condition(where: isl.Set, context: isl.Set) -> Expression:
    """Whether parameters of a context are in a set."""
    return from_ast(isl.AstBuild.from_context(context).expr_from_set(where))


def _affine(value: isl.Aff, context: isl.Set) -> Expression:
    """The value of an affine expression of parameters of a context."""
    return from_ast(isl.AstBuild.from_context(context).expr_from_pw_aff(isl.PwAff.from_aff(value)))


def _folded(op: str, values: Iterable[Expression]) -> Expression:
    """The values, each once, joined by a binary operator; a tree of little depth, however many there are."""
    level = list(dict.fromkeys(values))
    while len(level) > MOST_IN_A_ROW:
        level = [_in_a_row(op, level[k : k + MOST_IN_A_ROW]) for k in range(0, len(level), MOST_IN_A_ROW)]
    return _in_a_row(op, level)


def _in_a_row(op: str, values: Sequence[Expression]) -> Expression:
    return reduce(lambda left, right: Binary(op, left, right, INT), values)


def _side(elements: isl.Set, position: int, tiles: isl.Set) -> tuple[Expression, Expression]:
    """Bounds of one coordinate of the elements, as tight as the constraints of the pieces say."""
    pieces = [_shadow(piece, position) for piece in elements.get_basic_sets() if not piece.is_empty()]
    lows = [_folded("max", _bounds(piece, tiles, isl.Constraint.is_lower_bound, isl.Aff.ceil)) for piece in pieces]
    highs = [_folded("min", _bounds(piece, tiles, isl.Constraint.is_upper_bound, isl.Aff.floor)) for piece in pieces]
    return _folded("min", lows), _folded("max", highs)


def _shadow(piece: isl.BasicSet, position: int) -> isl.BasicSet:
    """The values of one coordinate of a convex set, without the gaps."""
    return coordinate(piece, position).remove_divs()


def _bounds(
    values: isl.BasicSet,
    context: isl.Set,
    is_bound: Callable[[isl.Constraint, isl.dim_type, int], bool],
    rounded: Callable[[isl.Aff], isl.Aff],
) -> Iterator[Expression]:
    """The bounds of one side that the constraints of a convex set of numbers give."""
    for constraint in values.get_constraints():
        exact = constraint.is_equality() and constraint.involves_dims(Dim.set, 0, 1)
        if exact or is_bound(constraint, Dim.set, 0):
            bound = rounded(constraint.get_bound(Dim.set, 0))
            yield _affine(bound.project_domain_on_params(), context)


def burst_lengths(tile_to_elements: isl.Map, variables: Sequence[str]) -> tuple[int, int | None] | None:
    """The shortest and the longest run of elements of a tile that follow each other in the last subscript.

    Over all tiles and parameters; the longest is None where there is no bound. Beyond the operation limit the result is
    the trivial one, 1 and None. No result where no tile has elements.
    """
    if tile_to_elements.is_empty():
        return None
    if not variables:
        return 1, 1
    return _lengths(tile_to_elements.reset_tuple_id(Dim.out), tuple(variables))


@kept_by_text
def _lengths(tile_to_elements: isl.Map, variables: Sequence[str]) -> tuple[int, int | None]:
    try:
        with operation_limit(SCAN_LIMIT):
            return _extent(_run_lengths(tile_to_elements, variables))
    except LimitReached:
        return 1, None


def _run_lengths(tile_to_elements: isl.Map, variables: Sequence[str]) -> isl.Set:
    """The lengths of all runs."""
    elements = inputs_to_parameters(tile_to_elements, names_of(tile_to_elements.get_space(), Dim.in_)).reset_tuple_id()
    row = Row(variables[-1], _as_parameters(elements, variables[:-1]))
    starts = Row(row.variable, row.values.subtract(row.values.apply(_BACK.reverse())))
    start_to_end = least(starts.ahead(row.run_ends, ">="))
    lengths = start_to_end.apply(isl.Map(f"[{row.variable}] -> {{ [y] -> [y - {row.variable} + 1] }}"))
    return for_any_parameters(lengths)


def _extent(numbers: isl.Set) -> tuple[int, int | None]:
    """The smallest and the largest of a set of positive numbers; None where there is no largest."""
    largest = numbers.dim_max_val(0)
    return numbers.dim_min_val(0).to_python(), largest.to_python() if largest.is_int() else None
