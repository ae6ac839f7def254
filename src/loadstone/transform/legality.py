"""Legality: an order of execution must keep the source of every dependence before its target."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import islpy as isl

from loadstone.analysis import Dependences
from loadstone.errors import IllegalTransformation
from loadstone.model.kernel import Kernel
from loadstone.poly.names import fixed
from loadstone.poly.order import order_violations
from loadstone.poly.points import fixed_input, points, sample_pair
from loadstone.poly.spaces import Dim
from loadstone.transform.tiling import TiledKernel

Instance = tuple[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Violation:
    """Two instances that touch an element in the wrong order, and the dimension of the order that runs backwards."""

    kind: str
    parameters: Mapping[str, int]
    source: Instance
    target: Instance
    element: str
    dimension: str

    def text(self) -> str:
        """The violation in words."""
        values = ", ".join(f"{name} = {value}" for name, value in self.parameters.items())
        where = f" (with {values})" if values else ""
        return (
            f"{show(self.source)} must run before {show(self.target)}, because of {self.element} "
            f"({self.kind} dependence){where}, but {self.dimension} runs backwards"
        )


def show(instance: Instance) -> str:
    """An instance in C terms."""
    name, point = instance
    return f"{name}({', '.join(map(str, point))})"


def check_legal(tiles: TiledKernel, dependences: Dependences, hint: Callable[[], str] = str) -> None:
    """Raise `IllegalTransformation` with a witness unless the tiling respects all dependences."""
    found = violation(tiles, dependences)
    if found:
        advice = hint()
        text = f"error: the tiling is illegal: {found.text()}"
        raise IllegalTransformation(text + (f"\nhint: {advice}" if advice else ""))


def violation(tiles: TiledKernel, dependences: Dependences) -> Violation | None:
    """A dependence that the order of a tiling breaks, if there is one (exact)."""
    orders = {s.name: tiles.instance_to_order(s.name) for s in tiles.kernel.statements}
    for kind in ("flow", "anti", "output"):
        relation: isl.UnionMap = getattr(dependences, kind)
        for part in maps_of(relation.intersect_params(tiles.kernel.context)):
            source, target = part.get_tuple_name(Dim.in_), part.get_tuple_name(Dim.out)
            for position, broken in order_violations(part, orders[source], orders[target]):
                return _witness(kind, broken, position, tiles)
    return None


def maps_of(relation: isl.UnionMap) -> list[isl.Map]:
    """The maps of a union, sorted by the names of their tuples."""
    found: list[isl.Map] = []
    relation.foreach_map(found.append)
    return sorted(found, key=lambda m: (m.get_tuple_name(Dim.in_), m.get_tuple_name(Dim.out)))


def _witness(kind: str, broken: isl.Map, position: int, tiles: TiledKernel) -> Violation:
    parameters, source, target = sample_pair(broken)
    pair = (broken.get_tuple_name(Dim.in_), source), (broken.get_tuple_name(Dim.out), target)
    return Violation(
        kind, parameters, *pair, _common_element(kind, pair, parameters, tiles.kernel), _dimension(position, tiles)
    )


def _dimension(position: int, tiles: TiledKernel) -> str:
    count = len(tiles.sizes)
    if position < count:
        return f"tile dimension {tiles.coordinates[position]}"
    if position < 2 * count:
        return f"dimension {position - count} of the schedule, inside of a tile,"
    return "the textual order, inside of a tile,"


def _common_element(kind: str, pair: tuple[Instance, Instance], parameters: Mapping[str, int], kernel: Kernel) -> str:
    """The element that both instances touch, as C would write it."""
    firsts = kernel.accesses(lambda s: s.reads if kind == "anti" else (s.write,))
    seconds = kernel.accesses(lambda s: s.reads if kind == "flow" else (s.write,))
    from_first, from_second = (
        _elements(accesses, instance, parameters) for accesses, instance in zip((firsts, seconds), pair, strict=True)
    )
    shared = sorted(from_first & from_second)
    name, element = shared[0]
    return name + "".join(f"[{index}]" for index in element)


def _elements(
    accesses: isl.UnionMap, instance: Instance, parameters: Mapping[str, int]
) -> set[tuple[str, tuple[int, ...]]]:
    name, point = instance
    found: set[tuple[str, tuple[int, ...]]] = set()
    for part in maps_of(fixed(accesses, parameters)):
        if part.get_tuple_name(Dim.in_) == name:
            elements = fixed_input(part, point).range()
            found |= {(elements.get_tuple_name(), element) for element in points(elements)}
    return found
