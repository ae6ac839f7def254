"""Decision trees: QUASTs, quasi-affine selection trees [RR-7697, 2.2].

A QUAST is a function of an element and of the parameters, for instance the first operation that reads the element. It
holds inside of its context.

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

from loadstone.model.affine import signed_sum
from loadstone.poly.linear import (
    components,
    linear,
    point_in,
    shifted,
    variable_names,
    where_negative,
    where_nonnegative,
)
from loadstone.poly.spaces import Dim

UNDEFINED = "undefined"

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

    >>> context = isl.Set("{ A[x] : 0 <= x <= 9 }")
    >>> left = Quast(context, Leaf(isl.MultiAff("{ A[x] -> [x] }")))
    >>> right = Quast(context, Leaf(isl.MultiAff("{ A[x] -> [5] }")))
    >>> print(emit_quast(minimum(left, right)))
    if -x + 5 >= 0
      (x)
    else
      (5)
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
    return _choice(tree.conditions, region, lambda r: _simplify(tree.then, r), lambda r: _simplify(tree.otherwise, r))


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
        if agree(left.value, right.value, holds):
            return right
        if agree(left.value, right.value, fails):
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


def agree(first: isl.MultiAff, second: isl.MultiAff, region: isl.Set) -> bool:
    """Whether two values are equal all over a region."""
    if first.get_tuple_name(Dim.out) != second.get_tuple_name(Dim.out) or first.dim(Dim.out) != second.dim(Dim.out):
        return False
    pairs = zip(components(first), components(second), strict=True)
    return all(region.is_subset(one.eq_set(other)) for one, other in pairs)


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
