"""Quasi-polynomials taken apart into terms, put together again, and compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import lcm
from re import findall

import islpy as isl

from loadstone.poly.linear import conditions, linear, variable_names
from loadstone.poly.polynomials import affine
from loadstone.poly.spaces import Dim

Powers = tuple[tuple[int, int], ...]
Floors = tuple[tuple[isl.Aff, int], ...]
FloorValue = Callable[[isl.Aff], isl.QPolynomial]


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """coefficient * product of variable^exponent * product of floor(argument)^exponent.

    Variables are numbered: parameters first, then dimensions, as `variable_names` lists them.
    """

    coefficient: Fraction
    powers: Powers
    floors: Floors


def terms(polynomial: isl.QPolynomial) -> tuple[Term, ...]:
    """The terms of a quasi-polynomial."""
    found: list[isl.Term] = []
    polynomial.foreach_term(found.append)
    return tuple(_term(term) for term in found)


def _term(term: isl.Term) -> Term:
    params = term.dim(Dim.param)
    variables = [(k, term.get_exp(Dim.param, k)) for k in range(params)]
    variables += [(params + k, term.get_exp(Dim.set, k)) for k in range(term.dim(Dim.set))]
    floors = [(term.get_div(k), term.get_exp(Dim.div, k)) for k in range(term.dim(Dim.div)) if term.get_exp(Dim.div, k)]
    powers = tuple((k, exponent) for k, exponent in variables if exponent)
    return Term(fraction(term.get_coefficient_val()), powers, tuple(floors))


def fraction(value: isl.Val) -> Fraction:
    """A rational number of isl."""
    return Fraction(str(value))


def isl_value(context: isl.Context, value: Fraction | int) -> isl.Val:
    """A rational number for isl."""
    return isl.Val.read_from_str(context, str(Fraction(value)))


def constant_polynomial(space: isl.Space, value: Fraction | int) -> isl.QPolynomial:
    """A constant on a set space."""
    return isl.QPolynomial.val_on_domain(space, isl_value(space.get_ctx(), value))


def variables_of(space: isl.Space) -> tuple[isl.QPolynomial, ...]:
    """The parameters and then the dimensions of a set space, as polynomials on it."""
    places = [(kind, k) for kind in (Dim.param, Dim.set) for k in range(space.dim(kind))]
    return tuple(isl.QPolynomial.var_on_domain(space, kind, k) for kind, k in places)


def rebuilt(
    polynomial: isl.QPolynomial, space: isl.Space, variables: Sequence[isl.QPolynomial], floor: FloorValue
) -> isl.QPolynomial:
    """The quasi-polynomial with all variables and floors replaced, by quasi-polynomials on a set space."""
    total = isl.QPolynomial.zero_on_domain(space)
    for term in terms(polynomial):
        product = constant_polynomial(space, term.coefficient)
        for position, exponent in term.powers:
            product = product.mul(variables[position].pow(exponent))
        for argument, exponent in term.floors:
            product = product.mul(floor(argument).pow(exponent))
        total = total.add(product)
    return total


def rebuilt_argument(
    argument: isl.Aff, space: isl.Space, variables: Sequence[isl.QPolynomial], floor: FloorValue
) -> isl.QPolynomial:
    """The argument of a floor with all variables and inner floors replaced."""
    return rebuilt(isl.QPolynomial.from_aff(argument), space, variables, floor)


def floored(argument: isl.QPolynomial) -> isl.QPolynomial | None:
    """The floor of an affine quasi-polynomial; None if it is not affine."""
    value = affine(argument)
    return None if value is None else isl.QPolynomial.from_aff(value.floor())


def with_values(polynomial: isl.QPolynomial, space: isl.Space, variables: Sequence[isl.QPolynomial]) -> isl.QPolynomial:
    """The quasi-polynomial with its variables replaced by affine ones on a set space, in floors as well."""

    def floor(argument: isl.Aff) -> isl.QPolynomial:
        value = floored(rebuilt_argument(argument, space, variables, floor))
        assert value is not None
        return value

    return rebuilt(polynomial, space, variables, floor)


def floor_arguments(polynomial: isl.QPolynomial) -> dict[str, isl.Aff]:
    """The arguments of all floors, also of floors in floors, inner ones first; by their texts."""
    found: dict[str, isl.Aff] = {}
    for term in terms(polynomial):
        for argument, _ in term.floors:
            found |= floor_arguments(isl.QPolynomial.from_aff(argument))
            found.setdefault(str(argument), argument)
    return found


def divisor(argument: isl.Aff) -> int:
    """The denominator of an affine expression."""
    return argument.get_denominator_val().to_python()


def degrees(polynomial: isl.QPolynomial) -> dict[int, int]:
    """The largest exponent of each variable that appears outside of floors."""
    found: dict[int, int] = {}
    for term in terms(polynomial):
        for position, exponent in term.powers:
            found[position] = max(found.get(position, 0), exponent)
    return found


@dataclass(frozen=True, slots=True)
class Compiled:
    """A quasi-polynomial as a Python function of parameters and coordinates: its values times `denominator`."""

    numerator: Callable[..., int]
    denominator: int

    def value(self, coordinates: Sequence[int]) -> Fraction:
        """The value at a point."""
        return Fraction(self.numerator(*coordinates), self.denominator)


def compiled(polynomial: isl.QPolynomial) -> Compiled:
    """The quasi-polynomial as a function of parameters and then coordinates, all whole numbers."""
    names = [f"x{k}" for k in range(len(variable_names(polynomial.get_domain_space())))]
    found = terms(polynomial)
    denominator = lcm(*(term.coefficient.denominator for term in found))
    text = " + ".join(_term_text(term, denominator, names) for term in found) or "0"
    scope: dict[str, Callable[..., int]] = {}
    exec(f"def numerator({', '.join(names)}): return {text}", scope)
    return Compiled(scope["numerator"], denominator)


def _term_text(term: Term, denominator: int, names: Sequence[str]) -> str:
    factors = [str(int(term.coefficient * denominator))]
    factors += [f"{names[position]}**{exponent}" for position, exponent in term.powers]
    factors += [f"{_floor_text(argument, names)}**{exponent}" for argument, exponent in term.floors]
    return "*".join(factors)


def _floor_text(argument: isl.Aff, names: Sequence[str]) -> str:
    return f"({_numerator_text(argument, names)}//{linear(argument, names).divisor})"


def _numerator_text(value: isl.Aff, names: Sequence[str]) -> str:
    parts = linear(value, names)
    products = [f"{factor}*{name}" for factor, name in parts.variables]
    products += [f"{factor}*{_floor_text(inner, names)}" for factor, inner in parts.floors]
    return f"({' + '.join([*products, str(parts.constant)])})"


def sum_of(polynomials: Iterator[isl.QPolynomial], space: isl.Space) -> isl.QPolynomial:
    """The sum of quasi-polynomials on a set space."""
    return reduce(isl.QPolynomial.add, polynomials, isl.QPolynomial.zero_on_domain(space))


def without_parameters(value: isl.Set, values: Mapping[str, int]) -> isl.Set:
    """The points of a set for given values of some parameters, which it then has no longer."""
    for name, number in values.items():
        position = value.find_dim_by_name(Dim.param, name)
        if position >= 0:
            value = value.fix_val(Dim.param, position, isl_value(value.get_ctx(), number))
            value = value.project_out(Dim.param, position, 1)
    return value


def compiled_pieces(value: isl.PwQPolynomial) -> tuple[tuple[str, ...], Callable[..., int]]:
    """A count without dimensions as the parameters that it depends on, and a Python function of these."""
    found: list[tuple[isl.Set, isl.QPolynomial]] = []
    value.foreach_piece(lambda domain, polynomial: found.append((domain, polynomial)))
    names = variable_names(value.get_domain_space())
    lines = [_piece_text(domain, polynomial, names) for domain, polynomial in found]
    used = tuple(name for name in names if any(name in set(findall(r"\w+", line)) for line in lines))
    scope: dict[str, Callable[..., int]] = {}
    exec("\n".join([f"def value({', '.join(used)}):", *lines, "    return 0"]), scope)
    return used, scope["value"]


def _piece_text(domain: isl.Set, polynomial: isl.QPolynomial, names: Sequence[str]) -> str:
    """A line that returns the value of one piece where it holds."""
    parts = domain.compute_divs().remove_redundancies().get_basic_sets()
    places = [" and ".join(f"{_numerator_text(c, names)} >= 0" for c in conditions(part)) or "True" for part in parts]
    found = terms(polynomial)
    denominator = lcm(*(term.coefficient.denominator for term in found))
    text = " + ".join(_term_text(term, denominator, names) for term in found) or "0"
    return f"    if {' or '.join(f'({place})' for place in places)}: return ({text})//{denominator}"
