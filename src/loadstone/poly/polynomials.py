"""Quasi-polynomials: those that are affine, and their largest values."""

from __future__ import annotations

from functools import reduce

import islpy as isl

from loadstone.poly.simplify import coalesced
from loadstone.poly.spaces import Dim


def affine(polynomial: isl.QPolynomial) -> isl.Aff | None:
    """The quasi-polynomial as an affine expression with floors; None if it is not of degree 1."""
    terms: list[isl.Term] = []
    polynomial.foreach_term(terms.append)
    found = isl.Aff.zero_on_domain(isl.LocalSpace.from_space(polynomial.get_domain_space()))
    for term in terms:
        factors = [(kind, k) for kind in (Dim.param, Dim.set, Dim.div) for k in range(term.dim(kind))]
        used = [(factor, term.get_exp(*factor)) for factor in factors if term.get_exp(*factor) > 0]
        if sum(exponent for _, exponent in used) > 1:
            return None
        value = _factor(found.get_domain_local_space(), term, *used[0][0]) if used else _one(found)
        found = found.add(value.scale_val(term.get_coefficient_val()))
    return found


def _factor(local: isl.LocalSpace, term: isl.Term, kind: isl.dim_type, position: int) -> isl.Aff:
    if kind == Dim.div:
        return term.get_div(position).floor()
    return isl.Aff.var_on_domain(isl.LocalSpace.from_space(local.get_space()), kind, position)


def _one(like: isl.Aff) -> isl.Aff:
    return isl.Aff.val_on_domain_space(like.get_domain_space(), isl.Val.one(like.get_ctx()))


def maximum(values: isl.PwQPolynomial) -> tuple[isl.PwQPolynomial, bool] | None:
    """The largest value over the domain as a function of the parameters, and whether it is exact or an upper bound.

    Exact where all pieces are affine, and where isl says that the bound it finds by Bernstein expansion is reached.
    None where the bound is not one quasi-polynomial, or an affine one, for each parameter.
    """
    exact = _affine_maximum(values)
    if exact is not None:
        return isl.PwQPolynomial.from_pw_aff(exact), True
    bound, tight = values.bound(isl.fold.max)
    polynomial = _polynomial(bound)
    return None if polynomial is None else (polynomial, tight)


def _affine_maximum(values: isl.PwQPolynomial) -> isl.PwAff | None:
    """The largest value if all pieces are affine, by integer programming."""
    ranges: list[isl.Set] = []
    for domain, polynomial in values.get_pieces():
        value = affine(polynomial)
        if value is None:
            return None
        ranges.append(isl.Map.from_aff(value).intersect_domain(domain).range())
    return coalesced(coalesced(reduce(isl.Set.union, ranges)).dim_max(0)) if ranges else None


def _polynomial(bound: isl.PwQPolynomialFold) -> isl.PwQPolynomial | None:
    """The bound without maxima; None if one of them is not that of affine expressions."""
    pieces: list[tuple[isl.Set, isl.QPolynomialFold]] = []
    bound.foreach_piece(lambda domain, fold: pieces.append((domain, fold)))
    found: isl.PwQPolynomial | None = None
    for domain, fold in pieces:
        value = _largest(domain, fold)
        if value is None:
            return None
        found = value if found is None else found.add(value)
    return found


def _largest(domain: isl.Set, fold: isl.QPolynomialFold) -> isl.PwQPolynomial | None:
    """The largest of some quasi-polynomials in a domain of parameters: a single one, or affine ones; else None."""
    polynomials: list[isl.QPolynomial] = []
    fold.foreach_qpolynomial(polynomials.append)
    if len(polynomials) == 1:
        return isl.PwQPolynomial.alloc(domain, polynomials[0])
    values = [affine(polynomial) for polynomial in polynomials]
    known = [isl.PwAff.from_aff(value) for value in values if value is not None]
    if len(known) < len(values):
        return None
    return isl.PwQPolynomial.from_pw_aff(reduce(isl.PwAff.max, known).intersect_domain(domain))
