"""Polytopes made larger until their vertices are whole for all parameters, so that counting gives a polynomial."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import lcm, prod

import islpy as isl

from loadstone.poly.linear import components
from loadstone.poly.spaces import Dim, inputs_to_parameters, without_determined_dims

ROUNDS = 3
"""How often factors are made larger before all dimensions get the same."""


def upper_count(relation: isl.Map) -> isl.PwQPolynomial:
    """A piecewise polynomial of parameters and inputs that is at least the number of images of each input.

    Orthogonal expansion with inflation [Devos, 4.6.3; Meister, Verdoolaege]: dimension k of a polytope P is expanded by
    a factor D_k, and each point D x takes the points y = D x + r, 0 <= r_k < D_k, with it into the inflated polytope,
    whose vertices are whole. Every point of P stands for D_1 ... D_n of its points. Dimensions in which the vertices of
    P are whole are left alone, so that a polytope with whole vertices stays as it is. Strides are dropped, which makes
    the result larger.
    """
    inputs, parameters = relation.dim(Dim.in_), relation.dim(Dim.param)
    names = [f"_in{k}" for k in range(inputs)]
    parts = inputs_to_parameters(relation, names).make_disjoint().get_basic_sets()
    zero = isl.PwQPolynomial.zero(isl.Set.empty(relation.get_space().domain()).card().get_space())
    counts = (_upper(part).move_dims(Dim.in_, 0, Dim.param, parameters, inputs) for part in parts)
    return reduce(isl.PwQPolynomial.add, counts) if parts else zero


def _upper(part: isl.BasicSet) -> isl.PwQPolynomial:
    """The upper polynomial for one polytope, on the parameters for which it has points."""
    plain = without_determined_dims(part.to_set()).remove_divs().simple_hull()
    whole, factors = _whole(plain)
    count = whole.to_set().card().intersect_domain(part.params().to_set())
    return count.scale_down_val(isl.Val.read_from_str(part.get_ctx(), str(prod(factors))))


def _whole(polytope: isl.BasicSet) -> tuple[isl.BasicSet, Sequence[int]]:
    """An expanded and inflated polytope whose vertices are whole, and the factors of its dimensions."""
    factors = [1] * polytope.dim(Dim.set)
    for _ in range(ROUNDS):
        found = _inflated(polytope, factors, 1)
        missing = _denominators(found)
        if prod(missing) == 1:
            return found, factors
        factors = [factor * more for factor, more in zip(factors, missing, strict=True)]
    same = [lcm(*_denominators(_inflated(polytope, [1] * len(factors), 0)))] * len(factors)
    return _inflated(polytope, same, 0), same


def _inflated(polytope: isl.BasicSet, factors: Sequence[int], less: int) -> isl.BasicSet:
    """The polytope expanded by factors D_k, with all of 0 <= r_k <= D_k - less added to each point."""
    result = isl.BasicSet.universe(polytope.get_space())
    for constraint in polytope.get_constraints():
        expression = constraint.get_aff()
        both = (expression, expression.neg()) if constraint.is_equality() else (expression,)
        for side in both:
            result = result.add_constraint(isl.Constraint.inequality_from_aff(_moved(side, factors, less)))
    return result


def _moved(side: isl.Aff, factors: Sequence[int], less: int) -> isl.Aff:
    """The side a . x + e >= 0 for y = D x + r: L (a . (y - r) / D + e) for the r that make it largest, L = lcm(D)."""
    whole = lcm(*factors)
    moved = side.scale_val(isl.Val.int_from_si(side.get_ctx(), whole))
    for k, factor in enumerate(factors):
        value = side.get_coefficient_val(Dim.in_, k).mul(isl.Val.int_from_si(side.get_ctx(), whole // factor))
        moved = moved.set_coefficient_val(Dim.in_, k, value)
        if value.is_neg():
            moved = moved.add_constant_val(value.neg().mul(isl.Val.int_from_si(side.get_ctx(), factor - less)))
    return moved


def _denominators(polytope: isl.BasicSet) -> Sequence[int]:
    """For each dimension the smallest number by which that coordinate of all vertices becomes whole."""
    found: list[isl.Vertex] = []
    polytope.compute_vertices().foreach_vertex(found.append)
    rows = [components(vertex.get_expr()) for vertex in found]
    return [lcm(*(value.get_denominator_val().to_python() for value in column)) for column in zip(*rows, strict=True)]
