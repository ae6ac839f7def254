"""Arrays that the source addresses linearly, read as arrays of rows.

float *a;  a[i * n + k]              ->  a[i][k], with rows of n elements
float *a;  a[(i * h + j) * w + k]    ->  a[i][j][k], with planes of h rows of w elements

The address i * n + k is that of a[i][k] only where 0 <= k < n: otherwise it lies in another row. So the subscripts of
all accesses are divided by one sequence of extents, and the remainders must lie in their
rows for all instances. Where some parameters forbid that, the others are an assumption, which generated programs check.
An array whose accesses do not agree is left as it is, with a remark.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain, islice

import islpy as isl

from loadstone.frontend import syntax
from loadstone.frontend.assumptions import Confidence, confidence, simple_condition
from loadstone.frontend.typing import Names, Typing, element_relation, settled
from loadstone.model.affine import NotAffine, affine_text, affine_value
from loadstone.model.expression import Binary, Expression, Operand, Variable, walk
from loadstone.model.kernel import Access, Assumption, Statement
from loadstone.model.polynomial import (
    ONE,
    Polynomial,
    as_expression,
    degree,
    divided,
    plus,
    polynomial,
    primitive,
    times,
)
from loadstone.poly import set_space
from loadstone.poly.limits import if_affordable
from loadstone.poly.spaces import dimension

MOST_SHAPES = 16
"""How many shapes are tried for one array."""
MOST_OPERATIONS = 2_000_000
"""How much work the reading of one array may be."""
_SHIFTS = (0, -1, 1, -2, 2)

Shape = tuple[Expression | None, ...]
"""The extents of an array; the first is None where the source does not tell it."""


@dataclass(frozen=True, slots=True)
class Linearised:
    """Statements whose accesses have one subscript per dimension, the shapes found, and what they rest on."""

    statements: tuple[Statement, ...]
    shapes: Mapping[str, Shape]
    assumptions: tuple[Assumption, ...]
    remarks: tuple[str, ...]


def with_rows(
    statements: tuple[Statement, ...], names: Names, context: isl.Set, assumptions: tuple[Assumption, ...]
) -> Linearised:
    """The statements with linear addresses read as subscripts of rows, where parameters in the context allow it.

    `assumptions` are the ones made already.
    """
    found = Linearised(statements, {}, assumptions, ())
    for name in dict.fromkeys(a.array for s in statements for a in accesses_of(s) if _is_product(a)):
        assumed = reduce(isl.Set.intersect, (each.condition for each in found.assumptions), context)
        found = _with_array(found, _Array(names.symbols[name], names, assumed))
    return found


def accesses_of(statement: Statement) -> tuple[Access, ...]:
    """All accesses of a statement."""
    return (*statement.reads, statement.write)


def _is_product(access: Access) -> bool:
    """Whether the first subscript of an access multiplies variables."""
    return bool(access.subscripts) and degree(polynomial(access.subscripts[0])) > 1


def _with_array(found: Linearised, array: _Array) -> Linearised:
    name = array.symbol.name
    accesses = [access for s in found.statements for access in accesses_of(s) if access.array == name]
    reading = if_affordable(lambda: array.reading(accesses), MOST_OPERATIONS)
    if reading is None:
        return replace(found, remarks=(*found.remarks, array.remark(accesses)))
    statements = tuple(_rewritten(s, name, reading) for s in found.statements)
    assumption = array.assumption(reading)
    return Linearised(
        statements,
        {**found.shapes, name: reading.shape},
        (*found.assumptions, *([assumption] if assumption else [])),
        found.remarks,
    )


def _rewritten(statement: Statement, name: str, reading: _Reading) -> Statement:
    def changed(access: Access) -> Access:
        return reading.rows[access].access if access.array == name else access

    return replace(
        statement, reads=settled([changed(read) for read in statement.reads]), write=changed(statement.write)
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Row:
    """An access by row and place in the row, and the instances that would leave their row."""

    access: Access
    outside: isl.Set


@dataclass(frozen=True, slots=True, eq=False)
class _Reading:
    """A way to read an array: its shape, its accesses, and the parameters for which some leave their rows.

    `needed` are those for which there are accesses.
    """

    shape: Shape
    rows: Mapping[Access, _Row]
    outside: isl.Set
    needed: isl.Set

    @property
    def confidence(self) -> Confidence:
        """How sure it is that no access leaves its row."""
        return confidence(self.outside, self.needed)

    @property
    def condition(self) -> isl.Set | None:
        """A simple condition under which no access leaves its row, if there is one."""
        return simple_condition(self.outside, self.needed)


@dataclass(frozen=True, slots=True, eq=False)
class _Array:
    """An array that is addressed linearly, in a context."""

    symbol: syntax.Symbol
    names: Names
    context: isl.Set

    def reading(self, accesses: Sequence[Access]) -> _Reading | None:
        """The array by rows, if there is a way: without assumption if possible."""
        if self.symbol.values is not None:
            return None
        addresses = [polynomial(access.subscripts[0]) for access in accesses]
        shapes = islice(_shapes(addresses, self._multipliers(accesses)), MOST_SHAPES)
        ways = [way for inner in shapes if (way := self._read_by(inner, accesses)) is not None]
        return min((way for way in ways if way.condition is not None), key=lambda way: way.confidence, default=None)

    def _multipliers(self, accesses: Sequence[Access]) -> list[Polynomial]:
        """What subscripts multiply with, as far as it is affine and depends on parameters alone: extents to try.

        These are the factors of products as they are written, and those of moving expressions.
        """
        found: list[Polynomial] = []
        for factor in chain(self._written_factors(accesses), self._collected_factors(accesses)):
            if degree(factor) == 1 and factor not in found:
                found.append(factor)
        return found

    def _written_factors(self, accesses: Sequence[Access]) -> Iterator[Polynomial]:
        parts = (part for access in accesses for part in walk(access.subscripts[0]))
        for part in parts:
            if isinstance(part, Binary) and part.op == "*":
                yield from (polynomial(side) for side in (part.right, part.left) if self._is_fixed(side))

    def _collected_factors(self, accesses: Sequence[Access]) -> Iterator[Polynomial]:
        for access in accesses:
            factors: dict[tuple[Expression, ...], Polynomial] = {}
            for monomial, factor in polynomial(access.subscripts[0]).items():
                moving = tuple(atom for atom in monomial if not self._is_fixed(atom))
                rest = tuple(atom for atom in monomial if self._is_fixed(atom))
                factors[moving] = plus(factors.get(moving, {}), {rest: factor})
            for factor in (factor for moving, factor in factors.items() if moving and degree(factor)):
                yield factor
                yield primitive(factor)

    def _is_fixed(self, atom: Expression) -> bool:
        """Whether an expression depends on parameters alone."""
        return all(
            not isinstance(part, Operand) and (not isinstance(part, Variable) or part.name in self.names.parameters)
            for part in walk(atom)
        )

    def _read_by(self, inner: tuple[Polynomial, ...], accesses: Sequence[Access]) -> _Reading | None:
        rows = {access: row for access in accesses if (row := self._row(access, inner)) is not None}
        first = self._rows_declared(inner)
        if len(rows) < len(accesses) or not all(_is_affine(row.access, first is None) for row in rows.values()):
            return None
        needed = _union(access.relation.domain().params() for access in accesses).intersect(self.context)
        outside = _union(row.outside.params() for row in rows.values())
        return _Reading((first, *map(as_expression, inner), *self._further_extents()), rows, outside, needed)

    def _further_extents(self) -> Iterator[Expression | None]:
        """The extents of the dimensions behind the first, as the source has them."""
        typing = Typing(self.names, {}, isl.Set.universe(set_space(self.names.parameters, "", ())))
        return (None if extent is None else typing.expression(extent) for extent in self.symbol.extents[1:])

    def _rows_declared(self, inner: tuple[Polynomial, ...]) -> Expression | None:
        """The number of rows, where the declared extent is a multiple of their size."""
        extent = self.symbol.extents[0]
        if extent is None:
            return None
        space = isl.Set.universe(set_space(self.names.parameters, "", ()))
        rows, rest = divided(polynomial(Typing(self.names, {}, space).expression(extent)), reduce(times, inner))
        return None if rest or not rows or degree(rows) > 1 else as_expression(rows)

    def _row(self, access: Access, inner: tuple[Polynomial, ...]) -> _Row | None:
        """The access with one subscript for each dimension; None where it is not affine, but for the first."""
        places: list[Polynomial] = [polynomial(access.subscripts[0])]
        for extent in reversed(inner):
            places[:1] = divided(places[0], extent)
        domain = access.relation.domain().intersect_params(self.context)
        outside = isl.Set.empty(domain.get_space())
        for position in range(len(places) - 1, 0, -1):
            best = self._shifted(places[position], inner[position - 1], domain)
            if best is None:
                return None
            shift, beyond = best
            places[position] = plus(places[position], times(inner[position - 1], {ONE: shift}))
            places[position - 1] = plus(places[position - 1], {ONE: -shift})
            outside = outside.union(beyond)
        subscripts = (*map(as_expression, places), *access.subscripts[1:])
        return _Row(self._by_rows(access, subscripts, inner), outside)

    def _shifted(self, place: Polynomial, extent: Polynomial, domain: isl.Set) -> tuple[int, isl.Set] | None:
        """How many rows to add so that a place lies in its row, and the instances for which it does not."""
        ways: list[tuple[Confidence, int, isl.Set]] = []
        for shift in _SHIFTS:
            try:
                moved = affine_value(as_expression(plus(place, times(extent, {ONE: shift}))), domain.get_space())
                limit = affine_value(as_expression(extent), domain.get_space())
            except NotAffine:
                return None
            outside = domain.subtract(moved.nonneg_set().intersect(moved.lt_set(limit)))
            ways.append((confidence(outside.params(), domain.params()), shift, outside))
            if ways[-1][0] is Confidence.PROVED:
                break
        _, shift, outside = min(ways, key=lambda way: way[0])
        return shift, outside

    def _by_rows(self, access: Access, subscripts: tuple[Expression, ...], inner: tuple[Polynomial, ...]) -> Access:
        """The access with these subscripts; only the first may be unknown, and is then anything in its range."""
        domain = access.relation.domain()
        values = [_affine(subscript, domain.get_space()) for subscript in subscripts]
        relation = element_relation(domain.get_space(), access.array, values).intersect_domain(domain)
        exact = access.certain and all(value is not None for value in values)
        rows = self._rows_declared(inner)
        limit = None if rows is None else _affine(rows, relation.get_space().range())
        if values[0] is None:
            row = dimension(relation.get_space().range(), 0)
            known = row.nonneg_set() if limit is None else row.nonneg_set().intersect(row.lt_set(limit))
            relation = relation.intersect_range(known)
        return replace(access, subscripts=subscripts, relation=relation, exact=exact)

    def assumption(self, reading: _Reading) -> Assumption | None:
        """What must hold of the parameters for a way to read the array."""
        condition = reading.condition
        if condition is None or reading.confidence is Confidence.PROVED:
            return None
        inner = reading.shape[1:]
        rows = "".join(f"[{affine_text(extent, self.names.parameters) if extent else ''}]" for extent in inner)
        return Assumption(condition, f"so that '{self.symbol.name}' can be read as {self.symbol.name}[]{rows}")

    def remark(self, accesses: Sequence[Access]) -> str:
        """Why the array is not read by rows, and how to declare it."""
        name, kind = self.symbol.name, self.symbol.type.described
        line = next((f"line {each.span.line}: " for each in accesses if each.span), "")
        strides = [affine_text(as_expression(s), self.names.parameters) for s in self._multipliers(accesses)]
        hint = f"{kind} {name}[][{strides[0] if strides else 'n'}]"
        reason = "may leave its row, is not affine in rows, or takes too long to decide"
        return f"{line}a subscript of '{name}' {reason}; declare it as {hint}"


def _affine(expression: Expression, space: isl.Space) -> isl.PwAff | None:
    try:
        return affine_value(expression, space)
    except NotAffine:
        return None


def _is_affine(access: Access, with_first: bool) -> bool:
    """Whether all subscripts of an access are affine, or all but the first."""
    space = access.relation.domain().get_space()
    return all(_affine(subscript, space) is not None for subscript in access.subscripts[0 if with_first else 1 :])


def _union(sets: Iterable[isl.Set]) -> isl.Set:
    return reduce(isl.Set.union, sets)


def _shapes(addresses: Sequence[Polynomial], extents: Sequence[Polynomial]) -> Iterator[tuple[Polynomial, ...]]:
    """The inner extents by which all addresses become affine subscripts, innermost dimension last."""
    if all(degree(address) <= 1 for address in addresses):
        yield ()
        return
    for extent in extents:
        parts = [divided(address, extent) for address in addresses]
        if all(degree(rest) <= 1 for _, rest in parts):
            yield from ((*outer, extent) for outer in _shapes([quotient for quotient, _ in parts], extents))
