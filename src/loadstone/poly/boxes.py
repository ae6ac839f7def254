"""Boxes around what a map relates its inputs to: each component between two bounds that depend on the input alone."""

from __future__ import annotations

import islpy as isl

from loadstone.poly.dimensions import with_components
from loadstone.poly.spaces import Dim


def box_around(value: isl.Map) -> isl.Map:
    """A map that relates each input to a box around its images; it holds for any integers as inputs.

    A component lies between the two closest parallel bounds, or between all bounds where no two are parallel.
    """
    box = isl.Map.universe(value.get_space())
    image = isl.Set.universe(value.get_space().range()).identity()
    for position in range(value.dim(Dim.out)):
        bounds = _bounds(with_components(value, {position})).to_map()
        box = box.intersect(bounds.apply_range(with_components(image, {position}).reverse()))
    return box


def _bounds(component: isl.Map) -> isl.BasicMap:
    """Bounds of a map to numbers."""
    hull = component.remove_divs().simple_hull()
    constraints = hull.get_constraints()
    lower, upper = ([c for c in constraints if _weight(c) == sign] for sign in (1, -1))
    pairs = [(_width(low, high), low, high) for low in lower for high in upper if _parallel(hull, low, high)]
    if not pairs:
        return hull
    _, low, high = min(pairs, key=lambda pair: pair[0])
    return isl.BasicMap.universe(hull.get_space()).add_constraint(low).add_constraint(high)


def _weight(constraint: isl.Constraint) -> int:
    """The coefficient of the number that an inequality bounds; 0 for an equation."""
    return 0 if constraint.is_equality() else constraint.get_coefficient_val(Dim.out, 0).to_python()


def _width(low: isl.Constraint, high: isl.Constraint) -> int:
    """How far two parallel bounds are apart."""
    return low.get_constant_val().add(high.get_constant_val()).to_python()


def _parallel(space: isl.BasicMap, low: isl.Constraint, high: isl.Constraint) -> bool:
    """Whether the distance of two bounds is the same for all inputs."""
    return all(
        low.get_coefficient_val(kind, k).add(high.get_coefficient_val(kind, k)).is_zero()
        for kind in (Dim.param, Dim.in_)
        for k in range(space.dim(kind))
    )
