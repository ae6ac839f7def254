"""The decision trees of a plan: FirstRead, LastWrite, Load and Store as QUASTs [RR-7697, 2.2 and 3.3]."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce

import islpy as isl

from loadstone.analysis import within_extents
from loadstone.poly import coalesced
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.poly.linear import conditions, merged, opposite, where_negative, where_nonnegative
from loadstone.poly.spaces import Dim
from loadstone.transfer.first_last import first_read_before_write, last_write
from loadstone.transfer.plan import Plan
from loadstone.transfer.selection_tree import BOTTOM, Leaf, Quast, Test, Tree, agree, count_tests, emit_quast, same
from loadstone.transfer.tile_accesses import element_space
from loadstone.transform.legality import maps_of
from loadstone.transform.tiling import TiledKernel

MAX_TESTS = 32
MAX_PARTS = 32
MAX_COMPARED = 40
TREE_LIMIT = 10_000_000

Function = isl.Map | isl.UnionMap | isl.UnionPwMultiAff
Piece = tuple[isl.Set, isl.MultiAff]
Convex = tuple[Leaf, isl.BasicSet]


def quast_of(function: Function, context: isl.Set, max_tests: int = MAX_TESTS) -> Quast:
    """The tree of a function of elements, inside of a context that has all its parameters (exact).

    Each test splits what is left of the pieces of the function as evenly as any of their constraints can. A tree that
    would need more than `max_tests` tests becomes a chain of one test for each convex piece.
    """
    given = _given_pieces(function, context)
    convex = _convex_pieces(merged(given, _fit if len(given) <= MAX_COMPARED else _fit_plainly), context)
    try:
        root = _grow(convex, context, max_tests)
    except _TooLarge:
        root = _chain(convex, context)
    return Quast(context, root)


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


def _fit_plainly(first: Piece, second: Piece) -> Piece | None:
    return (first[0].union(second[0]), first[1]) if first[1].plain_is_equal(second[1]) else None


def _fit(first: Piece, second: Piece) -> Piece | None:
    """Both pieces as one, with the value of one that is right for the other too: rule (1) across pieces."""
    if agree(first[1], second[1], second[0]):
        return first[0].union(second[0]), first[1]
    if agree(first[1], second[1], first[0]):
        return first[0].union(second[0]), second[1]
    return None


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


def _convex_pieces(pieces_: list[Piece], context: isl.Set) -> list[Convex]:
    """The convex sets that make up the pieces, as far as the context does not say it, with their values."""
    found: list[Convex] = []
    for region, value in pieces_:
        leaf = Leaf(value)
        simple = region.gist(context).compute_divs().remove_redundancies()
        found += [(leaf, convex) for convex in simple.get_basic_sets()]
    return found


def _cuts(convex: list[Convex], context: isl.Set) -> list[_Cut]:
    """The constraints of the pieces that the context does not decide, each once."""
    found: list[_Cut] = []
    for condition in (condition for _, region in convex for condition in conditions(region)):
        if not any(_equivalent(condition, cut.condition) for cut in found):
            found.append(_Cut(condition, where_nonnegative(condition), where_negative(condition)))
    return [cut for cut in found if _side(context, cut) == 0]


def _equivalent(first: isl.Aff, second: isl.Aff) -> bool:
    return first.plain_is_equal(second) or first.plain_is_equal(opposite(second))


def _parts(convex: list[Convex], context: isl.Set) -> list[tuple[Tree, isl.Set]]:
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


def _grow(convex: list[Convex], context: isl.Set, max_tests: int) -> Tree:
    if len(convex) > MAX_PARTS:
        raise _TooLarge
    cuts = _cuts(convex, context)
    known = [_Part(tree, region, tuple(_side(region, cut) for cut in cuts)) for tree, region in _parts(convex, context)]
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
    work = sum((len(side) if len(set(side)) > 1 else 0) ** 2 for side in (inside, outside))
    return not (inside and outside), work, cuts[chosen].condition.dim(Dim.div), chosen


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


def _chain(convex: list[Convex], context: isl.Set) -> Tree:
    """One test for each convex piece, one after the other."""
    tree: Tree = BOTTOM
    for leaf, region in reversed(convex):
        tests = tuple(test for test in conditions(region) if not context.is_disjoint(where_negative(test)))
        tree = Test(tests, leaf, tree) if tests else leaf
    return tree


def strip_context(tiles: TiledKernel, array: str) -> isl.Set:
    """The elements of an array, for the parameters that are allowed and the strips that have instances."""
    whole = tiles.kernel.arrays[array]
    inside = within_extents(whole, element_space((*tiles.kernel.parameters, *tiles.outer), whole))
    return inside.intersect_params(strips_that_run(tiles))


def strips_that_run(tiles: TiledKernel) -> isl.Set:
    """The parameters and outer tile coordinates for which the strip has an instance."""
    maps = [tiles.instance_to_strip_tile(statement.name) for statement in tiles.kernel.statements]
    found = reduce(lambda left, right: left.union(right), (part.params() for part in maps))
    return coalesced(found.intersect_params(tiles.kernel.context)).compute_divs()


def plan_quasts(plan: Plan, limit: int = TREE_LIMIT) -> list[tuple[str, str]]:
    """Titles and texts of the trees of a plan: FirstRead, LastWrite, Load and Store of each array.

    FirstRead is the first access of the strip where that is a read, as in [RR-7648, III-A]. A tree that takes more than
    `limit` isl operations is replaced by a line that says so.
    """
    return [(title, _within(limit, make)) for title, make in plan_trees(plan)]


def _within(limit: int, make: Callable[[], Quast]) -> str:
    try:
        with operation_limit(limit):
            return emit_quast(make())
    except LimitReached as reached:
        return f"not computed: {reached}"


def plan_trees(plan: Plan) -> Iterator[tuple[str, Callable[[], Quast]]]:
    """The titles of all trees of a plan, with functions that make them."""
    tile = f"tile ({', '.join(plan.tiles.inner)})"
    for name, array in plan.arrays.items():
        element = name + "".join(f"[x{k}]" for k in range(plan.tiles.kernel.arrays[name].rank))
        yield f"FirstRead of {element}", lambda n=name: _operation_quast(plan, n, first_read_before_write)
        yield f"LastWrite of {element}", lambda n=name: _operation_quast(plan, n, last_write)
        yield f"Load of {element} in {tile}", lambda a=array: tile_quast(plan, a.name, a.load)
        yield f"Store of {element} in {tile}", lambda a=array: tile_quast(plan, a.name, a.store)


def _operation_quast(plan: Plan, array: str, choose: Callable[[TiledKernel, str], isl.UnionPwMultiAff]) -> Quast:
    return quast_of(choose(plan.tiles, array), strip_context(plan.tiles, array))


def tile_quast(plan: Plan, array: str, tile_to_elements: isl.Map) -> Quast:
    """The tree from elements to the tile that moves them."""
    return quast_of(tile_to_elements.reverse(), strip_context(plan.tiles, array))
