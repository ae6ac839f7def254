"""Decision trees: QUASTs, quasi-affine selection trees [RR-7697, 2.2].

A QUAST is a function of an element and of the parameters, here the first or last operation or tile that has to do with
the element. It holds inside of its context: for elements of the array, and strips that exist.

    (1)  if p then x else x                    ==  x
    (2)  min(q, if p then x else y)            ==  if p then min(q, x) else min(q, y)
    (3)  min(undefined, q) == q,  min(i, j)    ==  if i << j then i else j
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import assert_never

import islpy as isl

from loadstone.kernel.affine import NotAffine, affine_value, signed_sum
from loadstone.poly import coalesced, set_space
from loadstone.poly.limits import DEFAULT_LIMIT, LimitReached, operation_limit
from loadstone.poly.linear import (
    components,
    conditions,
    linear,
    opposite,
    point_in,
    shifted,
    variable_names,
    where_negative,
    where_nonnegative,
)
from loadstone.poly.spaces import Dim, constant, variable
from loadstone.transfer.first_last import first_read_before_write, last_write
from loadstone.transfer.plan import Plan
from loadstone.transform.legality import maps_of
from loadstone.transform.tiling import TiledKernel

MAX_TESTS = 64
MAX_PARTS = 48
MAX_COMPARED = 40
UNDEFINED = "undefined"

Function = isl.Map | isl.UnionMap | isl.UnionPwMultiAff
Evaluated = tuple[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Leaf:
    """A value: a tuple of affine expressions, named after its statement where it is an operation."""

    value: isl.MultiAff

    @property
    def label(self) -> str:
        """The name of the tuple; empty for tiles."""
        return self.value.get_tuple_name(Dim.out) or ""


@dataclass(frozen=True, slots=True, eq=False)
class Bottom:
    """No value: larger than every other."""


@dataclass(frozen=True, slots=True, eq=False)
class Test:
    """`then` where all the conditions are at least 0, else `otherwise`."""

    conditions: tuple[isl.Aff, ...]
    then: Tree
    otherwise: Tree


Tree = Leaf | Bottom | Test
BOTTOM = Bottom()


@dataclass(frozen=True, slots=True, eq=False)
class Quast:
    """A tree, and the set of elements and parameters that it is meant for."""

    context: isl.Set
    root: Tree


def quast_of(function: Function, context: isl.Set, max_tests: int = MAX_TESTS) -> Quast:
    """The tree of a function of elements, inside of a context that has all its parameters (exact).

    Each test splits what is left of the pieces of the function as evenly as any of their constraints can. A tree that
    would need more than `max_tests` tests becomes a chain of one test for each convex piece.
    """
    convex = _convex_pieces(_merged(_given_pieces(function, context)), context)
    try:
        root = _grow(convex, context, max_tests)
    except _TooLarge:
        root = _chain(convex, context)
    return Quast(context, root)


def count_tests(tree: Tree) -> int:
    """The number of tests of a tree."""
    return 1 + count_tests(tree.then) + count_tests(tree.otherwise) if isinstance(tree, Test) else 0


def leaves(tree: Tree) -> Iterator[Leaf]:
    """The values of a tree, from left to right."""
    match tree:
        case Leaf():
            yield tree
        case Test():
            yield from leaves(tree.then)
            yield from leaves(tree.otherwise)
        case Bottom():
            return
        case _:
            assert_never(tree)


def pieces(quast: Quast) -> list[tuple[isl.Set, isl.MultiAff]]:
    """The disjoint sets on which the tree has one value, each with the value: the paths to its leaves."""
    return list(_paths(quast.root, quast.context, ()))


def _paths(tree: Tree, holding: isl.Set, excluded: tuple[isl.Set, ...]) -> Iterator[tuple[isl.Set, isl.MultiAff]]:
    match tree:
        case Leaf():
            region = reduce(lambda left, other: left.subtract(other), excluded, holding)
            if not region.is_empty():
                yield region, tree.value
        case Test(conditions=(single,)):
            yield from _paths(tree.then, holding.intersect(where_nonnegative(single)), excluded)
            yield from _paths(tree.otherwise, holding.intersect(where_negative(single)), excluded)
        case Test():
            chosen = _where_all(tree.conditions)
            yield from _paths(tree.then, holding.intersect(chosen), excluded)
            yield from _paths(tree.otherwise, holding, (*excluded, chosen))
        case Bottom():
            return
        case _:
            assert_never(tree)


def map_of(quast: Quast) -> isl.UnionMap:
    """Elements to values, as a relation."""
    found = isl.UnionMap.empty(quast.context.get_space().params())
    for region, value in pieces(quast):
        found = found.union(isl.Map.from_multi_aff(value).intersect_domain(region).to_union_map())
    return found


def inverse(quast: Quast) -> isl.UnionMap:
    """Values to elements: g(w) = union of { v | P_i(u, v) and f_i(u, v) = w } over the leaves [RR-7697, 2.2.2]."""
    return map_of(quast).reverse()


def evaluate(quast: Quast, parameters: Mapping[str, int], element: Sequence[int]) -> Evaluated | None:
    """The value for an element of the context, as a name and numbers; nothing where it is undefined."""
    point = point_in(quast.context.get_space(), parameters, element)
    tree = quast.root
    while isinstance(tree, Test):
        holds = all(condition.eval(point).is_nonneg() for condition in tree.conditions)
        tree = tree.then if holds else tree.otherwise
    if isinstance(tree, Bottom):
        return None
    return tree.label, tuple(part.eval(point).to_python() for part in components(tree.value))


def minimum(first: Quast, second: Quast) -> Quast:
    """The lexicographic minimum of two trees by rules (2) and (3); where both are equal, the value of the first.

    >>> space = isl.Set("{ A[x] : 0 <= x <= 9 }")
    >>> left = quast_of(isl.Map("{ A[x] -> [x] : x >= 2 }"), space)
    >>> right = quast_of(isl.Map("{ A[x] -> [5] }"), space)
    >>> [evaluate(minimum(left, right), {}, (x,)) for x in (0, 3, 9)]
    [('', (5,)), ('', (3,)), ('', (5,))]
    """
    context = first.context.intersect(second.context)
    return Quast(context, _minimum(first.root, second.root, context))


def simplified(quast: Quast) -> Quast:
    """The same function without tests that the context decides, and by rule (1) without tests that do not matter."""
    return Quast(quast.context, _simplify(quast.root, quast.context))


def without(quast: Quast, label: str) -> Quast:
    """The tree with the values of this name undefined, as for write-tagged leaves [RR-7697, 3.3]."""
    return simplified(Quast(quast.context, _without(quast.root, label)))


def _without(tree: Tree, label: str) -> Tree:
    match tree:
        case Leaf():
            return BOTTOM if tree.label == label else tree
        case Test():
            return Test(tree.conditions, _without(tree.then, label), _without(tree.otherwise, label))
        case Bottom():
            return tree
        case _:
            assert_never(tree)


def _minimum(first: Tree, second: Tree, region: isl.Set) -> Tree:
    if isinstance(first, Bottom):
        return _simplify(second, region)
    if isinstance(second, Bottom):
        return _simplify(first, region)
    if isinstance(first, Test):
        then, otherwise = first.then, first.otherwise
        return _choice(
            first.conditions, region, lambda r: _minimum(then, second, r), lambda r: _minimum(otherwise, second, r)
        )
    if isinstance(second, Test):
        then, otherwise = second.then, second.otherwise
        return _choice(
            second.conditions, region, lambda r: _minimum(first, then, r), lambda r: _minimum(first, otherwise, r)
        )
    return _smaller(first, second, 0, region)


def _smaller(first: Leaf, second: Leaf, position: int, region: isl.Set) -> Tree:
    """The tree of `i << j`, decided dimension by dimension; the first value on a tie."""
    firsts, seconds = components(first.value), components(second.value)
    if len(firsts) != len(seconds):
        raise ValueError("values of different length have no order")
    if position == len(firsts):
        return first
    difference = seconds[position].sub(firsts[position])
    if position == len(firsts) - 1:
        return _choice((difference,), region, lambda _: first, lambda _: second)
    return _choice(
        (shifted(difference, -1),),
        region,
        lambda _: first,
        lambda r: _choice((difference,), r, lambda s: _smaller(first, second, position + 1, s), lambda _: second),
    )


def _simplify(tree: Tree, region: isl.Set) -> Tree:
    if not isinstance(tree, Test):
        return tree
    return _choice(
        tree.conditions, region, lambda r: _simplify(tree.then, r), lambda r: _simplify(tree.otherwise, r)
    )


def _choice(
    tests: tuple[isl.Aff, ...],
    region: isl.Set,
    then: Callable[[isl.Set], Tree],
    otherwise: Callable[[isl.Set], Tree],
) -> Tree:
    """The test, or the branch that a region leaves; equal branches become one by rule (1)."""
    chosen = _where_all(tests)
    holds = region.intersect(chosen)
    if holds.is_empty():
        return otherwise(region)
    fails = region.intersect(where_negative(tests[0])) if len(tests) == 1 else region.subtract(chosen)
    if fails.is_empty():
        return then(region)
    left, right = then(holds), otherwise(fails)
    if isinstance(left, Leaf) and isinstance(right, Leaf):
        if _agree(left.value, right.value, holds):
            return right
        if _agree(left.value, right.value, fails):
            return left
    return left if same(left, right) else Test(tests, left, right)


def same(first: Tree, second: Tree) -> bool:
    """Whether two trees have the same tests and the same values."""
    match first, second:
        case Leaf(), Leaf():
            return first.value.plain_is_equal(second.value)
        case Test(), Test():
            return (
                len(first.conditions) == len(second.conditions)
                and all(a.plain_is_equal(b) for a, b in zip(first.conditions, second.conditions, strict=True))
                and same(first.then, second.then)
                and same(first.otherwise, second.otherwise)
            )
        case _:
            return isinstance(first, Bottom) and isinstance(second, Bottom)


def _where_all(tests: Sequence[isl.Aff]) -> isl.Set:
    first, *rest = tests
    return reduce(lambda region, test: region.intersect(where_nonnegative(test)), rest, where_nonnegative(first))


Piece = tuple[isl.Set, isl.MultiAff]


def _given_pieces(function: Function, context: isl.Set) -> list[Piece]:
    """The pieces of a function inside of the context: disjoint sets with one affine value each."""
    found: list[Piece] = []
    for part in _functions(function):
        within = part.align_params(context.get_space()).intersect_domain(context)
        within.foreach_piece(lambda region, value: found.append((region, value)))
    return [(region.compute_divs(), value) for region, value in found if not region.is_empty()]


def _functions(function: Function) -> list[isl.PwMultiAff]:
    match function:
        case isl.UnionPwMultiAff():
            found: list[isl.PwMultiAff] = []
            function.foreach_pw_multi_aff(found.append)
            return sorted(found, key=lambda part: part.get_tuple_name(Dim.out) or "")
        case isl.UnionMap():
            return [isl.PwMultiAff.from_map(part) for part in maps_of(function)]
        case _:
            return [isl.PwMultiAff.from_map(function)]


def _merged(given: list[Piece]) -> list[Piece]:
    """The pieces with one value for all of those that some value fits: rule (1) across pieces."""
    fits = _fit if len(given) <= MAX_COMPARED else _fit_plainly
    found: list[Piece] = []
    for piece in given:
        joined = next(((k, both) for k, other in enumerate(found) if (both := fits(other, piece))), None)
        if joined is None:
            found.append(piece)
        else:
            found[joined[0]] = joined[1]
    return [(coalesced(region), value) for region, value in found]


def _fit_plainly(first: Piece, second: Piece) -> Piece | None:
    return (first[0].union(second[0]), first[1]) if first[1].plain_is_equal(second[1]) else None


def _fit(first: Piece, second: Piece) -> Piece | None:
    """Both pieces as one, with the value of one that is right for the other too."""
    if _agree(first[1], second[1], second[0]):
        return first[0].union(second[0]), first[1]
    if _agree(first[1], second[1], first[0]):
        return first[0].union(second[0]), second[1]
    return None


def _agree(first: isl.MultiAff, second: isl.MultiAff, region: isl.Set) -> bool:
    """Whether two values are equal all over a region."""
    if first.get_tuple_name(Dim.out) != second.get_tuple_name(Dim.out) or first.dim(Dim.out) != second.dim(Dim.out):
        return False
    pairs = zip(components(first), components(second), strict=True)
    return all(region.is_subset(one.eq_set(other)) for one, other in pairs)


class _TooLarge(Exception):
    """A tree needs more tests than allowed."""


@dataclass(frozen=True, slots=True, eq=False)
class _Cut:
    """A test that a tree may use, with the points where it holds and where it fails."""

    condition: isl.Aff
    holds: isl.Set
    fails: isl.Set


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """A part of the context with one value; `sides` says for each cut: 1 inside, -1 outside, 0 on both sides."""

    tree: Tree
    region: isl.Set
    sides: tuple[int, ...]


def _convex_pieces(pieces_: list[Piece], context: isl.Set) -> list[tuple[Leaf, isl.BasicSet]]:
    """The convex sets that make up the pieces, as far as the context does not say it, with their values."""
    found: list[tuple[Leaf, isl.BasicSet]] = []
    for region, value in pieces_:
        leaf = Leaf(value)
        simple = region.gist(context).compute_divs().remove_redundancies()
        found += [(leaf, convex) for convex in simple.get_basic_sets()]
    return found


def _cuts(convex: list[tuple[Leaf, isl.BasicSet]], context: isl.Set) -> list[_Cut]:
    """The constraints of the pieces that the context does not decide, each once."""
    found: list[_Cut] = []
    for condition in (condition for _, region in convex for condition in conditions(region)):
        if not any(_equivalent(condition, cut.condition) for cut in found):
            found.append(_Cut(condition, where_nonnegative(condition), where_negative(condition)))
    return [cut for cut in found if _side(context, cut) == 0]


def _equivalent(first: isl.Aff, second: isl.Aff) -> bool:
    return first.plain_is_equal(second) or first.plain_is_equal(opposite(second))


def _parts(convex: list[tuple[Leaf, isl.BasicSet]], context: isl.Set) -> list[tuple[Tree, isl.Set]]:
    """The convex pieces, and what they leave of the context."""
    found: list[tuple[Tree, isl.Set]] = [
        (leaf, isl.Set.from_basic_set(region).intersect(context)) for leaf, region in convex
    ]
    rest = reduce(lambda left, part: left.subtract(part[1]), found, context)
    return found if rest.is_empty() else [*found, (BOTTOM, coalesced(rest))]


def _side(region: isl.Set, cut: _Cut) -> int:
    if region.is_disjoint(cut.holds):
        return -1
    return 1 if region.is_disjoint(cut.fails) else 0


def _grow(convex: list[tuple[Leaf, isl.BasicSet]], context: isl.Set, max_tests: int) -> Tree:
    if len(convex) > MAX_PARTS:
        raise _TooLarge
    cuts = _cuts(convex, context)
    known = [
        _Part(tree, region, tuple(_side(region, cut) for cut in cuts)) for tree, region in _parts(convex, context)
    ]
    return _grown(known, cuts, max_tests) if known else BOTTOM


def _grown(parts: list[_Part], cuts: list[_Cut], budget: int) -> Tree:
    """A tree that tells the parts apart."""
    if len({part.tree for part in parts}) == 1:
        return parts[0].tree
    if budget <= 0:
        raise _TooLarge
    chosen = min(range(len(cuts)), key=lambda k: _cost(parts, cuts, k))
    then = _grown(_restricted(parts, cuts, chosen, 1), cuts, budget - 1)
    otherwise = _grown(_restricted(parts, cuts, chosen, -1), cuts, budget - 1 - count_tests(then))
    return then if same(then, otherwise) else Test((cuts[chosen].condition,), then, otherwise)


def _cost(parts: list[_Part], cuts: list[_Cut], chosen: int) -> tuple[bool, int, int, int]:
    """How little a cut helps: whether it leaves all on one side, how much there is to tell apart, its floors."""
    inside = [part.tree for part in parts if part.sides[chosen] >= 0]
    outside = [part.tree for part in parts if part.sides[chosen] <= 0]
    work = sum(_to_tell_apart(side) ** 2 for side in (inside, outside))
    return not (inside and outside), work, cuts[chosen].condition.dim(Dim.div), chosen


def _to_tell_apart(trees: list[Tree]) -> int:
    return len(trees) if len(set(trees)) > 1 else 0


def _restricted(parts: list[_Part], cuts: list[_Cut], chosen: int, side: int) -> list[_Part]:
    """What lies on one side of a cut."""
    return [
        part if part.sides[chosen] else _cut_off(part, cuts, chosen, side)
        for part in parts
        if part.sides[chosen] in (0, side)
    ]


def _cut_off(part: _Part, cuts: list[_Cut], chosen: int, side: int) -> _Part:
    region = part.region.intersect(cuts[chosen].holds if side > 0 else cuts[chosen].fails)
    sides = tuple(known or _side(region, cut) for known, cut in zip(part.sides, cuts, strict=True))
    return _Part(part.tree, region, sides)


def _chain(convex: list[tuple[Leaf, isl.BasicSet]], context: isl.Set) -> Tree:
    """One test for each convex piece, one after the other."""
    tree: Tree = BOTTOM
    for leaf, region in reversed(convex):
        tests = tuple(test for test in conditions(region) if not context.is_disjoint(where_negative(test)))
        tree = Test(tests, leaf, tree) if tests else leaf
    return tree


def emit_quast(quast: Quast) -> str:
    """The tree as text; the floors that it uses are named at the top."""
    names = variable_names(quast.context.get_space())
    floors: dict[str, str] = {}
    lines = _lines(quast.root, names, floors, "")
    return "\n".join([*(f"with {name} = {text}" for text, name in floors.items()), *lines])


def _lines(tree: Tree, names: Sequence[str], floors: dict[str, str], margin: str) -> list[str]:
    """The lines of a tree; floors that are met are added to `floors`, from text to name."""
    lines: list[str] = []
    word = "if"
    while isinstance(tree, Test):
        tree = _conjunction(tree)
        tests = " and ".join(f"{_text(test, names, floors)} >= 0" for test in tree.conditions)
        lines += [f"{margin}{word} {tests}", *_lines(tree.then, names, floors, margin + "  ")]
        tree, word = tree.otherwise, "else if"
    inner = margin if word == "if" else margin + "  "
    return [*lines, *([f"{margin}else"] if lines else []), inner + _value_text(tree, names, floors)]


def _conjunction(tree: Test) -> Test:
    """The same tree: `if p then (if q then x else y) else y` becomes `if p and q then x else y`."""
    then = tree.then
    if isinstance(then, Test) and same(then.otherwise, tree.otherwise):
        return _conjunction(Test((*tree.conditions, *then.conditions), then.then, tree.otherwise))
    return tree


def _value_text(tree: Leaf | Bottom, names: Sequence[str], floors: dict[str, str]) -> str:
    if isinstance(tree, Bottom):
        return UNDEFINED
    return f"{tree.label}({', '.join(_text(part, names, floors) for part in components(tree.value))})"


def _text(value: isl.Aff, names: Sequence[str], floors: dict[str, str]) -> str:
    parts = linear(value, names)
    terms = [*parts.variables, *((factor, _floor_name(inner, names, floors)) for factor, inner in parts.floors)]
    positive_first = sorted(terms, key=lambda term: term[0] < 0)
    text = signed_sum([*positive_first, (parts.constant, "")])
    if parts.divisor == 1:
        return text
    return f"{text}/{parts.divisor}" if " " not in text else f"({text})/{parts.divisor}"


def _floor_name(inner: isl.Aff, names: Sequence[str], floors: dict[str, str]) -> str:
    text = f"floor({_text(inner, names, floors)})"
    if text not in floors:
        taken = {*names, *floors.values()}
        floors[text] = next(name for k in range(len(taken) + 1) if (name := f"k{k}") not in taken)
    return floors[text]


def strip_context(tiles: TiledKernel, array: str) -> isl.Set:
    """The elements of an array, for the parameters that are allowed and the strips that have instances."""
    whole = tiles.kernel.arrays[array]
    names = [f"x{k}" for k in range(whole.rank)]
    space = set_space((*tiles.kernel.parameters, *tiles.outer), array, names)
    inside = isl.Set.universe(space)
    for name, extent in zip(names, whole.extents, strict=True):
        index = variable(space, name)
        assert index is not None
        inside = inside.intersect(index.ge_set(constant(space, 0)))
        try:
            inside = inside.intersect(index.lt_set(affine_value(extent, space)))
        except NotAffine:
            continue
    return inside.intersect_params(strips_that_run(tiles))


def strips_that_run(tiles: TiledKernel) -> isl.Set:
    """The parameters and outer tile coordinates for which the strip has an instance."""
    maps = [tiles.instance_to_strip_tile(statement.name) for statement in tiles.kernel.statements]
    found = reduce(lambda left, right: left.union(right), (part.params() for part in maps))
    return coalesced(found.intersect_params(tiles.kernel.context)).compute_divs()


def plan_quasts(plan: Plan, limit: int = DEFAULT_LIMIT) -> list[tuple[str, str]]:
    """Titles and texts of the trees of a plan: FirstRead, LastWrite, Load and Store of each array.

    FirstRead is the first access of the strip where that is a read, as in [RR-7648, III-A]. A tree that takes more than
    `limit` isl operations is replaced by a line that says so.
    """
    return [(title, _within(limit, make)) for title, make in _trees(plan)]


def _within(limit: int, make: Callable[[], Quast]) -> str:
    try:
        with operation_limit(limit):
            return emit_quast(make())
    except LimitReached as reached:
        return f"not computed: {reached}"


def _trees(plan: Plan) -> Iterator[tuple[str, Callable[[], Quast]]]:
    tile = f"tile ({', '.join(plan.tiles.inner)})"
    for name, array in plan.arrays.items():
        element = name + "".join(f"[x{k}]" for k in range(plan.tiles.kernel.arrays[name].rank))
        yield f"FirstRead of {element}", lambda n=name: _operation_quast(plan, n, first_read_before_write)
        yield f"LastWrite of {element}", lambda n=name: _operation_quast(plan, n, last_write)
        yield f"Load of {element} in {tile}", lambda a=array: tile_quast(plan, a.name, a.load)
        yield f"Store of {element} in {tile}", lambda a=array: tile_quast(plan, a.name, a.store)


def _operation_quast(
    plan: Plan, array: str, choose: Callable[[TiledKernel, str], isl.UnionPwMultiAff]
) -> Quast:
    return quast_of(choose(plan.tiles, array), strip_context(plan.tiles, array))


def tile_quast(plan: Plan, array: str, tile_to_elements: isl.Map) -> Quast:
    """The tree from elements to the tile that moves them."""
    return quast_of(tile_to_elements.reverse(), strip_context(plan.tiles, array))
