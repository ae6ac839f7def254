"""Quasi-polynomials that are affine."""

from __future__ import annotations

import islpy as isl

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
