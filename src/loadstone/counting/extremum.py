"""Upper bounds as functions of the parameters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from math import inf

import islpy as isl

from loadstone.poly import coalesced
from loadstone.poly.limits import operation_limit
from loadstone.poly.linear import where_nonnegative
from loadstone.poly.polynomials import affine
from loadstone.poly.terms import fraction, terms

Value = Fraction | float


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A quasi-polynomial of the parameters; `attained` if there always is a point with that value."""

    value: isl.QPolynomial
    attained: bool


@dataclass(frozen=True, slots=True, eq=False)
class Chamber:
    """Parameters for which a bound is the largest of some candidates."""

    parameters: isl.Set
    candidates: tuple[Candidate, ...]

    def negated(self) -> Chamber:
        """The chamber with the signs of its candidates changed."""
        return replace(self, candidates=tuple(Candidate(c.value.neg(), c.attained) for c in self.candidates))


@dataclass(frozen=True, slots=True, eq=False)
class Extremum:
    """An upper bound in each chamber of the parameters for which there are points.

    `relative_error` is what continuous extrema may exceed the discrete range by, relative to it [Devos, 4.5]; None if
    nothing is known.
    """

    chambers: tuple[Chamber, ...]
    relative_error: float | None = None

    @property
    def attained(self) -> bool:
        """Whether there always is a point with the value of the bound, which then is the maximum."""
        return all(candidate.attained for chamber in self.chambers for candidate in chamber.candidates)

    def unattained(self) -> Extremum:
        """The same bound, of which it is not known whether it is attained."""
        return replace(self, chambers=tuple(_unattained(chamber) for chamber in self.chambers))


def _unattained(chamber: Chamber) -> Chamber:
    return replace(chamber, candidates=tuple(replace(c, attained=False) for c in chamber.candidates))


DISJOINT_LIMIT = 4_000_000
NOTHING = Extremum((), 0.0)


def largest(bounds: Iterable[Extremum]) -> Extremum:
    """The bound on several functions: the largest of their bounds; its chambers may overlap."""
    found = list(bounds)
    errors = [part.relative_error for part in found]
    known = [error for error in errors if error is not None]
    chambers: dict[str, Chamber] = {}
    for chamber in (chamber for part in found for chamber in part.chambers):
        same = chambers.get(str(chamber.parameters))
        candidates = chamber.candidates if same is None else undominated((*same.candidates, *chamber.candidates))
        chambers[str(chamber.parameters)] = Chamber(chamber.parameters, candidates)
    return Extremum(tuple(chambers.values()), max(known, default=0.0) if len(known) == len(errors) else None)


def disjoint(found: Extremum) -> Extremum:
    """The same bound in chambers that do not overlap; raises `LimitReached` where there are too many."""
    chambers: list[Chamber] = []
    with operation_limit(DISJOINT_LIMIT):
        for chamber in found.chambers:
            chambers = _overlaid(chambers, chamber)
        return replace(found, chambers=tuple(_pruned(chamber) for chamber in chambers))


def _pruned(chamber: Chamber) -> Chamber:
    """The chamber without candidates that are nowhere larger than another one, as far as their difference is affine."""
    kept = list(chamber.candidates)
    for candidate in chamber.candidates:
        others = [other for other in kept if other is not candidate]
        if any(_exceeds(other.value, candidate.value, chamber.parameters) for other in others):
            kept = others
    return replace(chamber, candidates=tuple(kept))


def _exceeds(left: isl.QPolynomial, right: isl.QPolynomial, parameters: isl.Set) -> bool:
    """Whether one quasi-polynomial is at least another one everywhere; no where that is not known."""
    if any(value.is_infty() or value.is_neginfty() for value in (left, right)):
        return _at_least(left, right)
    difference = affine(left.sub(right))
    return difference is not None and parameters.is_subset(where_nonnegative(difference))


def _overlaid(chambers: list[Chamber], other: Chamber) -> list[Chamber]:
    """Chambers and another one, the candidates of both where they overlap."""
    both = [
        Chamber(chamber.parameters.intersect(other.parameters), undominated((*chamber.candidates, *other.candidates)))
        for chamber in chambers
    ]
    alone = [Chamber(chamber.parameters.subtract(other.parameters), chamber.candidates) for chamber in chambers]
    rest = reduce(isl.Set.subtract, (chamber.parameters for chamber in chambers), other.parameters)
    every = (*both, *alone, Chamber(rest, other.candidates))
    return _merged(chamber for chamber in every if not chamber.parameters.is_empty())


def _merged(chambers: Iterable[Chamber]) -> list[Chamber]:
    """Chambers with the same candidates put together."""
    found: dict[tuple[str, ...], Chamber] = {}
    for chamber in chambers:
        key = tuple(sorted(f"{c.value} {c.attained}" for c in chamber.candidates))
        known = found.get(key)
        domain = chamber.parameters if known is None else known.parameters.union(chamber.parameters)
        found[key] = Chamber(domain, chamber.candidates)
    return [Chamber(coalesced(chamber.parameters), chamber.candidates) for chamber in found.values()]


def undominated(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Candidates that no other one exceeds by a constant; of equal ones, an attained one."""
    kept: list[Candidate] = []
    for candidate in sorted(candidates, key=lambda c: not c.attained):
        if not any(_at_least(other.value, candidate.value) for other in kept):
            kept = [other for other in kept if not _at_least(candidate.value, other.value)]
            kept.append(candidate)
    return tuple(kept)


def _at_least(left: isl.QPolynomial, right: isl.QPolynomial) -> bool:
    if left.is_infty() or right.is_neginfty():
        return True
    if right.is_infty() or left.is_neginfty():
        return False
    value = constant_value(left.sub(right))
    return value is not None and value >= 0


def constant_value(polynomial: isl.QPolynomial) -> Value | None:
    """The value of a constant; None if it is none."""
    if polynomial.is_infty():
        return inf
    if polynomial.is_neginfty():
        return -inf
    if any(term.powers or term.floors for term in terms(polynomial)):
        return None
    return fraction(polynomial.get_constant_val())


def one_polynomial(chamber: Chamber, *, minimum: bool = False) -> isl.PwQPolynomial | None:
    """The bound of a chamber without maxima: a single candidate, or affine ones; else None."""
    if len(chamber.candidates) == 1:
        return isl.PwQPolynomial.alloc(chamber.parameters, chamber.candidates[0].value)
    known = [affine(candidate.value) for candidate in chamber.candidates]
    values = [isl.PwAff.from_aff(value) for value in known if value is not None]
    if len(values) < len(known):
        return None
    return isl.PwQPolynomial.from_pw_aff(
        reduce(isl.PwAff.min if minimum else isl.PwAff.max, values).intersect_domain(chamber.parameters)
    )


def number(found: Extremum, *, minimum: bool = False) -> Value | None:
    """The value of a bound that depends on no parameters; None without points."""
    values = [constant_value(c.value) for chamber in found.chambers for c in chamber.candidates]
    known = [value for value in values if value is not None]
    assert len(known) == len(values)
    return (min if minimum else max)(known, default=None)


def as_text(found: Extremum, *, minimum: bool = False) -> str:
    """A bound in isl's syntax: a piecewise quasi-polynomial, or the largest or smallest of several.

    Empty without points. Where a bound is zero it is left out, as isl does.
    """
    plain = [one_polynomial(chamber, minimum=minimum) for chamber in found.chambers]
    known = [part for part in plain if part is not None]
    if not plain:
        return ""
    if len(known) == len(plain):
        return _zero_shown(str(reduce(isl.PwQPolynomial.add, known).coalesce()))
    head = str(found.chambers[0].parameters).partition("{")[0]
    return f"{head}{{ {'; '.join(_chamber_text(chamber, minimum) for chamber in found.chambers)} }}"


def _chamber_text(chamber: Chamber, minimum: bool) -> str:
    values = ", ".join(_inside(str(candidate.value)) for candidate in chamber.candidates)
    condition = _inside(str(chamber.parameters)).removeprefix(":").strip()
    return f"{'min' if minimum else 'max'}({values})" + (f" : {condition}" if condition else "")


def _inside(text: str) -> str:
    """What stands between the braces."""
    return text.partition("{")[2].rpartition("}")[0].strip()


def _zero_shown(text: str) -> str:
    """The text of a function that is zero everywhere, which isl writes without any piece."""
    head, brace, rest = text.partition("{")
    return f"{head}{brace} 0 }}" if not rest.strip(" }") else text
