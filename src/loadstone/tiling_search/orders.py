"""Orders of the dimensions of a schedule whose tilings are legal, whatever the sizes are.

A dependence changes each dimension of the dates by a negative amount, by nothing, or by a positive one. Which patterns
of signs there are is found once for a schedule, for all parameters. All else follows from the patterns: a dimension of
size 1 that grows has carried a dependence; a dimension of another size may have, or may leave it to the inside of the
tile, where the next dimensions count again. So a tiling is legal if no pattern has a negative sign before its first
positive one in a dimension of size 1.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

import islpy as isl

from loadstone.analysis import dependences
from loadstone.model.kernel import Kernel
from loadstone.poly.dimensions import at_coordinate, at_least, at_most, constant_component
from loadstone.poly.spaces import Dim
from loadstone.tiling_search.strip_boxes import Theta
from loadstone.transform.legality import maps_of

Signs = tuple[int, ...]
MOST_ORDERED = 2


@dataclass(frozen=True, slots=True)
class Order:
    """Tile loops: the outer dimensions, those of the strip, and the ones among both that must have size 1."""

    outer: tuple[int, ...]
    strip: tuple[int, ...]
    single: frozenset[int]

    @property
    def dims(self) -> tuple[int, ...]:
        """All dimensions, outermost first."""
        return self.outer + self.strip


def sign_patterns(kernel: Kernel, theta: Theta) -> frozenset[Signs] | None:
    """How dependences change the dates; None if one has equal dates and runs against the order of statements."""
    positions = {statement.name: k for k, statement in enumerate(kernel.statements)}
    found: set[Signs] = set()
    for part in maps_of(dependences(kernel).all.intersect_params(kernel.context)):
        source, target = part.get_tuple_name(Dim.in_) or "", part.get_tuple_name(Dim.out) or ""
        steps = part.apply_domain(theta[source]).apply_range(theta[target]).deltas()
        patterns = set(_signs(steps, ()))
        if positions[source] > positions[target] and not all(map(any, patterns)):
            return None
        found |= patterns
    return frozenset(found)


def _signs(steps: isl.Set, known: Signs) -> Iterator[Signs]:
    """The patterns that begin in a known way."""
    if steps.is_empty():
        return
    if len(known) == steps.dim(Dim.set):
        yield known
        return
    position = len(known)
    yield from _signs(at_most(steps, position, -1), (*known, -1))
    yield from _signs(at_coordinate(steps, position, 0), (*known, 0))
    yield from _signs(at_least(steps, position, 1), (*known, 1))


def is_legal_order(patterns: Collection[Signs], dims: Sequence[int], single: Collection[int]) -> bool:
    """Whether all tilings with dimensions in this order are legal, some of them with size 1.

    >>> is_legal_order({(1, -1)}, (0, 1), ()), is_legal_order({(1, -1)}, (0, 1), (0,))
    (False, True)
    """
    return all(_is_kept(signs, dims, single) for signs in patterns)


def _is_kept(signs: Signs, dims: Sequence[int], single: Collection[int]) -> bool:
    for dim in dims:
        if signs[dim] < 0:
            return False
        if signs[dim] > 0 and dim in single:
            return True
    return True


def numbering(theta: Theta) -> frozenset[int]:
    """The dimensions that number nests: their dates are constants for each statement."""
    dims = next(iter(theta.values())).dim(Dim.out)
    return frozenset(k for k in range(dims) if all(constant_component(t, k) is not None for t in theta.values()))


def legal_orders(patterns: Collection[Signs], dims: int, numbers: frozenset[int]) -> Iterator[Order]:
    """Legal orders, one for each set of outer dimensions and each order of the strip.

    The order of outer dimensions changes neither words nor buffers. Strips of many dimensions keep their order.
    Dimensions that number nests have size 1; others only where the tiling is not legal otherwise.
    """
    for depth in range(1, dims + 1):
        ways = permutations(range(dims), depth) if depth <= MOST_ORDERED else combinations(range(dims), depth)
        for strip in ways:
            rest = [k for k in range(dims) if k not in strip]
            found = _least_restricted(patterns, [(*outer, *strip) for outer in permutations(rest)], numbers)
            for order, single in found:
                yield Order(order[: dims - depth], strip, single)


def _least_restricted(
    patterns: Collection[Signs], orders: Sequence[Sequence[int]], numbers: frozenset[int]
) -> Iterator[tuple[tuple[int, ...], frozenset[int]]]:
    """For each least set of dimensions that must have size 1, an order that is legal with it."""
    others = [k for k in sorted(orders[0]) if k not in numbers]
    found: list[frozenset[int]] = []
    for count in range(len(others) + 1):
        for chosen in combinations(others, count):
            single = numbers | frozenset(chosen)
            if any(known <= single for known in found):
                continue
            legal = next((order for order in orders if is_legal_order(patterns, order, single)), None)
            if legal is not None:
                found.append(single)
                yield tuple(legal), single


def permuted(theta: Theta, dims: Sequence[int]) -> Mapping[str, isl.Map]:
    """The schedule with its dimensions in another order."""
    return {name: _permuted(dates, dims) for name, dates in theta.items()}


def _permuted(dates: isl.Map, dims: Sequence[int]) -> isl.Map:
    names = [f"t{k}" for k in range(dates.dim(Dim.out))]
    return dates.apply_range(isl.Map(f"{{ [{', '.join(names)}] -> [{', '.join(names[k] for k in dims)}] }}"))
