"""Polytopes made larger until their vertices are whole for all parameters, so that counting gives a polynomial."""

from __future__ import annotations

from functools import reduce
from math import lcm

import islpy as isl

from loadstone.poly.linear import components
from loadstone.poly.spaces import Dim, inputs_to_parameters, without_determined_dims


def upper_count(relation: isl.Map) -> isl.PwQPolynomial:
    """A piecewise polynomial of parameters and inputs that is at least the number of images of each input.

    Inflation before expansion [Devos, 4.6.3; Meister, Verdoolaege]: each point x of a polytope P takes the cube from x
    to x + 1 with it into the inflated polytope; expanded by D, its vertices are whole, and every point of P stands for
    at least D^n of its points. A polytope whose vertices are whole stays as it is. Strides are dropped, which makes the
    result larger.
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
    where = part.params().to_set()
    if _vertex_denominator(plain) == 1:
        return plain.to_set().card().intersect_domain(where)
    scale = _vertex_denominator(_inflated(plain, 1))
    whole = _inflated(plain, scale).to_set().card().intersect_domain(where)
    return whole.scale_down_val(isl.Val.read_from_str(part.get_ctx(), str(scale ** plain.dim(Dim.set))))


def _inflated(polytope: isl.BasicSet, scale: int) -> isl.BasicSet:
    """The polytope with a unit cube added to each point, expanded by a factor."""
    result = isl.BasicSet.universe(polytope.get_space())
    for constraint in polytope.get_constraints():
        expression = constraint.get_aff()
        both = (expression, expression.neg()) if constraint.is_equality() else (expression,)
        for side in both:
            result = result.add_constraint(isl.Constraint.inequality_from_aff(_moved(side, scale)))
    return result


def _moved(side: isl.Aff, scale: int) -> isl.Aff:
    """a . y + scale (b . p + c + sum of |a_k| with a_k < 0), for a side a . x + b . p + c."""
    context = side.get_ctx()
    factor = isl.Val.int_from_si(context, scale)
    moved = side
    for k in range(side.dim(Dim.in_)):
        value = side.get_coefficient_val(Dim.in_, k)
        if value.is_neg():
            moved = moved.add_constant_val(value.neg())
    moved = moved.scale_val(factor)
    for k in range(side.dim(Dim.in_)):
        moved = moved.set_coefficient_val(Dim.in_, k, side.get_coefficient_val(Dim.in_, k))
    return moved


def _vertex_denominator(polytope: isl.BasicSet) -> int:
    """The smallest number by which all vertices become whole."""
    found: list[isl.Vertex] = []
    polytope.compute_vertices().foreach_vertex(found.append)
    values = (value for vertex in found for value in components(vertex.get_expr()))
    return lcm(*(value.get_denominator_val().to_python() for value in values))
