"""Quasi-polynomials turned into polynomials [Devos, 4.6, Table 4.4].

A floor is its argument minus a fraction: floor(e/d) = e/d - q/d with q = e mod d. `add_variables` makes q a variable of
its own in [0, d - 1]; `mod_classes` fixes it, `periods` fixes the floor itself, `per_fraction` one or the other;
`drop_fractions` replaces it by one of its extremes. Each returns pieces whose values are polynomials, and whose largest
value is not below that of the given piece.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from math import prod

import islpy as isl

from loadstone.counting.pieces import Piece
from loadstone.poly import terms as quasi
from loadstone.poly.dimensions import halves_by_sign, with_remainders
from loadstone.poly.linear import variable_names

MOST_CLASSES = 4_000


def add_variables(piece: Piece) -> Piece:
    """The piece with a variable for each fraction, which is not tied to the others [Devos, Table 4.4 (a)]."""
    arguments = quasi.floor_arguments(piece.value)
    domain = with_remainders(piece.domain, [quasi.divisor(argument) for argument in arguments.values()])
    variables = quasi.variables_of(domain.get_space())
    fractions = dict(zip(arguments, variables[len(variables) - len(arguments) :], strict=True))
    return Piece(domain, _without_floors(piece.value, domain.get_space(), variables, fractions))


def _without_floors(
    value: isl.QPolynomial,
    space: isl.Space,
    variables: Sequence[isl.QPolynomial],
    remainders: Mapping[str, isl.QPolynomial],
) -> isl.QPolynomial:
    """The quasi-polynomial with each floor(e/d) replaced by e/d - q/d; q is known by the text of e/d."""

    def floor(argument: isl.Aff) -> isl.QPolynomial:
        rest = remainders.get(str(argument))
        whole = quasi.rebuilt_argument(argument, space, variables, floor)
        if rest is None:
            return _floor_of(whole)
        return whole.sub(rest.scale_val(quasi.isl_value(space.get_ctx(), Fraction(1, quasi.divisor(argument)))))

    return quasi.rebuilt(value, space, variables, floor)


def mod_classes(piece: Piece) -> Iterator[Piece]:
    """The piece on each residue class of its fractions; where there are too many, variables for the largest divisors.

    [Devos, Table 4.4 (b)]. Classes without points are left out.
    """
    arguments = quasi.floor_arguments(piece.value)
    chosen = _few(arguments)
    space = piece.domain.get_space()
    for domain, residues in _classes(piece.domain, list(chosen.items())):
        remainders = {text: quasi.constant_polynomial(space, residue) for text, residue in residues.items()}
        yield add_variables(Piece(domain, _without_floors(piece.value, space, quasi.variables_of(space), remainders)))


def _few(arguments: Mapping[str, isl.Aff]) -> dict[str, isl.Aff]:
    """As many of the arguments with the smallest divisors as give no more than the largest number of classes."""
    chosen: dict[str, isl.Aff] = {}
    number = 1
    for text, argument in sorted(arguments.items(), key=lambda item: quasi.divisor(item[1])):
        number *= quasi.divisor(argument)
        if number > MOST_CLASSES:
            break
        chosen[text] = argument
    return {text: argument for text, argument in arguments.items() if text in chosen}


def _classes(domain: isl.Set, arguments: list[tuple[str, isl.Aff]]) -> Iterator[tuple[isl.Set, dict[str, int]]]:
    """The residue classes of a domain that have points."""
    if domain.is_empty():
        return
    if not arguments:
        yield domain, {}
        return
    (text, argument), *others = arguments
    for residue in range(quasi.divisor(argument)):
        for part, residues in _classes(domain.intersect(_residue_class(argument, residue)), others):
            yield part, {text: residue, **residues}


def _residue_class(argument: isl.Aff, residue: int) -> isl.Set:
    """The points with e mod d = residue, for an argument e/d."""
    modulus = quasi.isl_value(argument.get_ctx(), quasi.divisor(argument))
    expression = argument.scale_val(modulus)
    fixed = isl.Aff.val_on_domain_space(argument.get_domain_space(), quasi.isl_value(argument.get_ctx(), residue))
    return expression.mod_val(modulus).eq_set(fixed)


def periods(piece: Piece, most: int) -> Iterator[Piece]:
    """The piece for each value of its floors that take at most so many, variables for the other fractions.

    [Devos, Table 4.4 (d)]. isl has this too (`split_periods`), but goes wrong for floors in floors, and then changes
    the polynomial that it was given (islpy 2026.2.2).
    """
    return map(add_variables, _with_known_floors(piece, lambda _: most))


def per_fraction(piece: Piece, most: int) -> Iterator[Piece]:
    """The piece with each fraction treated on its own: by values of the floor, or by residues, whichever are fewer.

    [Devos, 4.6.2]. Floors that take more than `most` values are treated by residues, as far as these are few.
    """
    for part in _with_known_floors(piece, lambda argument: min(most, quasi.divisor(argument) - 1)):
        yield from mod_classes(part)


def _with_known_floors(piece: Piece, most: Callable[[isl.Aff], int]) -> Iterator[Piece]:
    """The piece for each value of its floors that take at most so many; the others stay."""
    space = piece.domain.get_space()
    arguments = quasi.floor_arguments(piece.value)
    for domain, values in _periods(piece.domain, list(arguments.items()), most):

        def floor(argument: isl.Aff, values: Mapping[str, int] = values) -> isl.QPolynomial:
            known = values.get(str(argument))
            whole = quasi.rebuilt_argument(argument, space, quasi.variables_of(space), floor)
            return _floor_of(whole) if known is None else quasi.constant_polynomial(space, known)

        yield Piece(domain, quasi.rebuilt(piece.value, space, quasi.variables_of(space), floor))


def _floor_of(argument: isl.QPolynomial) -> isl.QPolynomial:
    found = quasi.floored(argument)
    assert found is not None
    return found


def _periods(
    domain: isl.Set, arguments: list[tuple[str, isl.Aff]], most: Callable[[isl.Aff], int]
) -> Iterator[tuple[isl.Set, dict[str, int]]]:
    """The parts of a domain in which floors that take at most so many values have one."""
    if domain.is_empty():
        return
    if not arguments:
        yield domain, {}
        return
    (text, argument), *others = arguments
    values = isl.Map.from_aff(argument.floor()).intersect_domain(domain).range()
    first, last = values.dim_min_val(0), values.dim_max_val(0)
    if not (first.is_int() and last.is_int() and last.sub(first).to_python() < most(argument)):
        yield from _periods(domain, others, most)
        return
    for number in range(first.to_python(), last.to_python() + 1):
        fixed = isl.Aff.val_on_domain_space(argument.get_domain_space(), quasi.isl_value(domain.get_ctx(), number))
        for part, known in _periods(domain.intersect(argument.floor().eq_set(fixed)), others, most):
            yield part, {text: number, **known}


def drop_fractions(piece: Piece) -> Iterator[Piece]:
    """In each orthant, the piece with fractions at that end of their range that makes their terms larger.

    [Devos, 4.6.3]: q/d becomes 0 where its factor is negative, and (d - 1)/d where it is positive.
    """
    arguments = quasi.floor_arguments(piece.value)
    if not arguments:
        yield piece
        return
    wide = add_variables(piece)
    space = piece.domain.get_space()
    ranges = [quasi.divisor(argument) - 1 for argument in arguments.values()]
    kept = len(variable_names(space))
    concerned = {position for term in quasi.terms(wide.value) for position, _ in term.powers if position < kept}
    for orthant, signs in _orthants(piece.domain, sorted(concerned)):
        polynomials = (_dropped(term, signs, ranges, space) for term in quasi.terms(wide.value))
        yield Piece(orthant, quasi.sum_of(polynomials, space))


def _orthants(domain: isl.Set, variables: Sequence[int]) -> Iterator[tuple[isl.Set, dict[int, int]]]:
    """The parts of a domain in which variables have a sign: not negative, or negative."""
    if domain.is_empty():
        return
    if not variables:
        yield domain, {}
        return
    first, *others = variables
    for sign, half in zip((1, -1), halves_by_sign(domain, first), strict=True):
        for part, signs in _orthants(half, others):
            yield part, {first: sign, **signs}


def _dropped(term: quasi.Term, signs: Mapping[int, int], ranges: Sequence[int], space: isl.Space) -> isl.QPolynomial:
    """A term of variables and fractions with the fractions replaced, so that it does not become smaller."""
    variables = quasi.variables_of(space)
    own = [(position, exponent) for position, exponent in term.powers if position < len(variables)]
    fractions = term.powers[len(own) :]
    sign = prod((signs[position] ** exponent for position, exponent in own), start=term.coefficient)
    extreme = prod(ranges[position - len(variables)] ** exponent for position, exponent in fractions)
    factor = term.coefficient * (extreme if sign > 0 or not fractions else 0)
    powers = (variables[position].pow(exponent) for position, exponent in own)
    return reduce(isl.QPolynomial.mul, powers, quasi.constant_polynomial(space, factor))
