"""Random affine C kernels, in bounds and free of undefined behaviour for all parameter values >= 0.

`kernels()` is a Hypothesis strategy; `kernel_from_seed(k)` is kernel number k, for sweeps. Both run the same
generator over a `Draw`: what a sweep finds is named by its seed, and what Hypothesis finds shrinks.

How a kernel stays in bounds: every loop bound and every subscript is a `Quantity`, an affine expression together
with its `Envelope`, two affine expressions of the parameters alone between which it lies in every instance that
runs. Accesses are drawn freely, and stand in the text as marks (`@7@` is access 7). When all are known, each
dimension of each array gets the offset that lifts its lowest subscript to 0 and the extent that covers its highest,
and the marks are replaced by the shifted accesses.

The code is meant for `-fwrapv`: integers overflow. Floating-point statements are near-contractions, so that values
stay finite when the inputs are small.
"""

from __future__ import annotations

import operator
import random
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from functools import partial, reduce
from itertools import accumulate
from typing import TypeVar

from hypothesis import strategies as st

__all__ = ["Argument", "RandomKernel", "kernel_from_seed", "kernels"]

FUNCTION = "kernel_under_test"
PARAMETER_NAMES = ("N", "M", "P")
LARGEST_PARAMETER = 7
UNEVEN_VALUES = ((7, 4, 2), (3, 7, 5), (5, 2, 6))
ITERATOR_ORDERS = (("i", "j", "k"), ("j", "i", "k"), ("k", "j", "i"))
MAX_DEPTH = 3
MAX_NESTS = 3
MAX_STATEMENTS = 5
MAX_INSTANCES = 700
INTEGER_TYPES = ("int", "unsigned char", "short", "unsigned int", "long long")
FLOAT_TYPES = ("float", "double")
TYPE_ALIAS = "data_t"
MACROS = {
    "MIN": "#define MIN(x, y) ((x) < (y) ? (x) : (y))",
    "MAX": "#define MAX(x, y) ((x) > (y) ? (x) : (y))",
}
INDENT = "    "

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of the kernel's function; `extents` are C expressions of the parameters, none for a scalar."""

    name: str
    element_type: str
    extents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RandomKernel:
    """A C file with one function, `kernel_under_test`, and what a caller of it has to know.

    `parameters` are values to try; any others >= 0 are valid too. `arguments` are those of the function, in order:
    the parameters, then the by-value scalars, then the arrays. The elements of an array named in `index_arrays`
    must lie in [0, its bound); those of all other arrays are free, small finite values being best.
    """

    source: str
    parameters: tuple[dict[str, int], ...]
    arguments: tuple[Argument, ...] = ()
    index_arrays: dict[str, int] = field(default_factory=dict[str, int])


@st.composite
def kernels(draw: st.DrawFn, may: bool = False) -> RandomKernel:
    """A strategy for random kernels; `may` adds data-dependent conditions and indirect subscripts."""
    return random_kernel(Draw(lambda low, high: draw(st.integers(low, high))), may)


def kernel_from_seed(seed: int, may: bool = False) -> RandomKernel:
    """Kernel number `seed`, the same in every run."""
    return random_kernel(Draw(random.Random(seed).randint), may)


@dataclass(frozen=True, slots=True)
class Draw:
    """A source of choices: `integer(low, high)` is a number of the closed interval, and shrinks towards `low`."""

    integer: Callable[[int, int], int]

    def choice(self, options: Sequence[T]) -> T:
        """One of the options; shrinks towards the first."""
        return options[self.integer(0, len(options) - 1)]

    def chance(self, percent: int) -> bool:
        """True in `percent` of 100 cases; shrinks towards False."""
        return self.integer(0, 99) >= 100 - percent

    def weighted(self, *options: tuple[int, T]) -> T:
        """One of the (weight, option) pairs' options; shrinks towards the first."""
        totals = list(accumulate(weight for weight, _ in options))
        return options[bisect_right(totals, self.integer(0, totals[-1] - 1))][1]

    def split(self, total: int, most_parts: int) -> tuple[int, ...]:
        """At most `most_parts` positive numbers whose sum is `total` >= 1."""
        if most_parts == 1:
            return (total,)
        first = self.integer(1, total)
        return (first,) if first == total else (first, *self.split(total - first, most_parts - 1))


# --- Affine expressions and their envelopes ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Affine:
    """`constant` plus the sum of coefficient * atom; an atom is C text: a parameter, an iterator, `i / 2`, a mark."""

    constant: int = 0
    coefficients: Mapping[str, int] = field(default_factory=dict[str, int])

    def __add__(self, other: Affine | int) -> Affine:
        return combine(operator.add, self, Affine(other) if isinstance(other, int) else other)

    def __mul__(self, factor: int) -> Affine:
        return Affine(self.constant * factor, {atom: c * factor for atom, c in self.coefficients.items() if factor})

    def __neg__(self) -> Affine:
        return self * -1

    def __sub__(self, other: Affine | int) -> Affine:
        return self + -other

    def __str__(self) -> str:
        """The expression in C, positive terms first.

        >>> str(atom("N") - atom("i") * 2 + 1)
        'N + 1 - 2 * i'
        """
        terms = [(c, monomial(abs(c), name)) for name, c in self.coefficients.items()]
        if self.constant or not terms:
            terms.append((self.constant, str(abs(self.constant))))
        terms.sort(key=lambda term: term[0] < 0)
        signed = "".join(f" {'-' if c < 0 else '+'} {text}" for c, text in terms)
        return signed[3:] if signed.startswith(" + ") else "-" + signed[3:]


def combine(function: Callable[[int, int], int], left: Affine, right: Affine) -> Affine:
    """The expression whose constant and coefficients are `function` of those of `left` and `right`."""
    pairs = {
        name: (left.coefficients.get(name, 0), right.coefficients.get(name, 0))
        for name in (*left.coefficients, *right.coefficients)
    }
    coefficients = {name: function(*pair) for name, pair in pairs.items()}
    return Affine(function(left.constant, right.constant), {name: c for name, c in coefficients.items() if c})


def atom(text: str) -> Affine:
    """The expression that is the one atom `text`."""
    return Affine(0, {text: 1})


def monomial(coefficient: int, name: str) -> str:
    """The C text of coefficient * atom."""
    return name if coefficient == 1 else f"{coefficient} * {wrap(name)}"


def wrap(text: str) -> str:
    """`text` as an operand: in parentheses, unless it is one name, literal or access."""
    return text if re.fullmatch(r"[\w.]+|@\d+@", text) else f"({text})"


def above_all(expressions: Iterable[Affine]) -> Affine:
    """An expression of the parameters that is >= 0 and >= all `expressions` wherever the parameters are >= 0."""
    return reduce(partial(combine, max), expressions, Affine())


def largest_value(expression: Affine) -> int:
    """An upper bound on an expression of the parameters, for values in [0, LARGEST_PARAMETER]."""
    return expression.constant + LARGEST_PARAMETER * sum(c for c in expression.coefficients.values() if c > 0)


@dataclass(frozen=True, slots=True)
class Envelope:
    """Two expressions of the parameters, valid bounds wherever the parameters are >= 0."""

    lower: Affine
    upper: Affine

    def __add__(self, other: Envelope) -> Envelope:
        return Envelope(self.lower + other.lower, self.upper + other.upper)

    def __mul__(self, factor: int) -> Envelope:
        ends = (self.lower * factor, self.upper * factor)
        return Envelope(*ends) if factor >= 0 else Envelope(*reversed(ends))


def constant_envelope(low: int, high: int) -> Envelope:
    """The closed interval from `low` to `high`."""
    return Envelope(Affine(low), Affine(high))


@dataclass(frozen=True, slots=True)
class Quantity:
    """An expression of iterators and parameters, with bounds on the values that it takes in a program."""

    expression: Affine
    envelope: Envelope

    def __add__(self, other: Quantity | int) -> Quantity:
        if isinstance(other, int):
            return Quantity(self.expression + other, self.envelope + constant_envelope(other, other))
        return Quantity(self.expression + other.expression, self.envelope + other.envelope)

    def __mul__(self, factor: int) -> Quantity:
        return Quantity(self.expression * factor, self.envelope * factor)

    def __sub__(self, other: Quantity) -> Quantity:
        return self + other * -1

    def __str__(self) -> str:
        return str(self.expression)


def literal(value: int) -> Quantity:
    """The quantity that is always `value`."""
    return Quantity(Affine(value), constant_envelope(value, value))


def quotient(numerator: Quantity, divisor: int) -> Quantity:
    """`numerator / divisor` of C, which rounds towards zero: between the numerator and 0."""
    envelope = numerator.envelope
    bounds = Envelope(combine(min, envelope.lower, Affine()), combine(max, envelope.upper, Affine()))
    return Quantity(atom(f"{wrap(str(numerator))} / {divisor}"), bounds)


def remainder(numerator: Quantity, divisor: int) -> Quantity:
    """`numerator % divisor` of C, which has the sign of the numerator."""
    lower = numerator.envelope.lower
    may_be_negative = combine(min, lower, Affine()) != Affine()
    bounds = constant_envelope(1 - divisor if may_be_negative else 0, divisor - 1)
    return Quantity(atom(f"{wrap(str(numerator))} % {divisor}"), bounds)


def minimum(left: Quantity, right: Quantity, text: str) -> Quantity:
    """The smaller of both, written as `text`; its upper bound is that of `left`."""
    lower = combine(min, left.envelope.lower, right.envelope.lower)
    return Quantity(atom(text), Envelope(lower, left.envelope.upper))


def maximum(left: Quantity, right: Quantity, text: str) -> Quantity:
    """The larger of both, written as `text`; its lower bound is that of `left`."""
    upper = combine(max, left.envelope.upper, right.envelope.upper)
    return Quantity(atom(text), Envelope(left.envelope.lower, upper))


# --- Variables and scopes ---------------------------------------------------------------------------------------------


class Role(Enum):
    """What a variable is to the function; only INPUT and INDEX arrays are never written."""

    DATA = auto()
    INPUT = auto()
    TABLE = auto()
    INDEX = auto()
    BY_VALUE = auto()
    LOCAL = auto()


ARGUMENT_ROLES = (Role.BY_VALUE, Role.INDEX, Role.INPUT, Role.DATA, Role.TABLE)
"""The roles of the arguments of the function, in the order of the arguments; the parameters stand before them."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A scalar (rank 0) or an array; `bound` is the extent of a TABLE and the exclusive limit of an INDEX's values."""

    name: str
    element_type: str
    rank: int
    role: Role
    bound: int = 0

    @property
    def is_float(self) -> bool:
        return self.element_type in FLOAT_TYPES


@dataclass(frozen=True, slots=True)
class Scope:
    """What may be used at one place of the program.

    `order` names the iterators of this nest by depth. `atoms` are the parameters and the iterators around the place.
    `instances` bounds how often the place is reached, for parameters up to LARGEST_PARAMETER.
    """

    order: tuple[str, ...]
    parameters: tuple[str, ...]
    atoms: Mapping[str, Quantity]
    iterators: tuple[str, ...] = ()
    temporaries: tuple[Variable, ...] = ()
    instances: int = 1

    @property
    def next_iterator(self) -> str:
        return self.order[len(self.iterators)]

    def enter(self, envelope: Envelope, trips: int) -> Scope:
        """The scope of the body of a loop over `next_iterator`."""
        name = self.next_iterator
        return replace(
            self,
            atoms={**self.atoms, name: Quantity(atom(name), envelope)},
            iterators=(*self.iterators, name),
            instances=self.instances * trips,
        )

    def declare(self, temporary: Variable) -> Scope:
        """The scope behind the declaration of `temporary`."""
        return replace(self, temporaries=(*self.temporaries, temporary))


def outermost_scope(parameters: tuple[str, ...], order: tuple[str, ...]) -> Scope:
    """The scope outside all loops."""
    atoms = {name: Quantity(atom(name), Envelope(atom(name), atom(name))) for name in parameters}
    return Scope(order, parameters, atoms)


def any_iterator(draw: Draw, scope: Scope) -> Quantity:
    """An iterator; outside all loops, a parameter."""
    return scope.atoms[draw.choice(scope.iterators or scope.parameters)]


def any_parameter(draw: Draw, scope: Scope) -> Quantity:
    """A parameter."""
    return scope.atoms[draw.choice(scope.parameters)]


def small_shift(draw: Draw) -> int:
    """A number in [-2, 2], most often 0."""
    return draw.weighted((10, 0), (4, -1), (4, 1), (2, -2), (2, 2))


# --- Loop bounds ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Bounds:
    """The smallest and the largest value of an iterator, both inclusive."""

    lower: Quantity
    upper: Quantity

    @property
    def envelope(self) -> Envelope:
        return Envelope(self.lower.envelope.lower, self.upper.envelope.upper)

    def trips(self, scope: Scope) -> int:
        """An upper bound on the number of iterations with step 1, for parameters up to LARGEST_PARAMETER."""
        distance = self.upper.expression - self.lower.expression
        if not distance.coefficients.keys() <= scope.atoms.keys():
            return max(largest_value(self.envelope.upper - self.envelope.lower) + 1, 1)
        terms = (scope.atoms[name] * c for name, c in distance.coefficients.items())
        return max(largest_value(reduce(operator.add, terms, literal(distance.constant)).envelope.upper) + 1, 1)


def rectangular(draw: Draw, scope: Scope) -> Bounds:
    """0 .. N - 1 and the like."""
    low = draw.weighted((10, 0), (3, 1), (1, 2), (1, -1), (1, -2))
    return Bounds(literal(low), any_parameter(draw, scope) + draw.weighted((8, -1), (3, 0), (1, -2), (1, 1)))


def constant_range(draw: Draw, scope: Scope) -> Bounds:
    """0 .. 4 and the like."""
    low = draw.integer(0, 2)
    return Bounds(literal(low), literal(low + draw.integer(1, 4)))


def long_range(draw: Draw, scope: Scope) -> Bounds:
    """0 .. N + M - 1, M .. N + M and the like."""
    first, second = any_parameter(draw, scope), any_parameter(draw, scope)
    low = second if draw.chance(50) else literal(draw.integer(0, 1))
    return Bounds(low, first + second + draw.integer(-1, 0))


def upper_triangle(draw: Draw, scope: Scope) -> Bounds:
    """i + 1 .. N - 1 and the like."""
    return Bounds(any_iterator(draw, scope) + draw.integer(0, 2), any_parameter(draw, scope) + draw.integer(-1, 1))


def lower_triangle(draw: Draw, scope: Scope) -> Bounds:
    """0 .. i - 1 and the like."""
    return Bounds(literal(draw.integer(0, 1)), any_iterator(draw, scope) + draw.integer(-1, 1))


def opposite_triangle(draw: Draw, scope: Scope) -> Bounds:
    """0 .. N - i and the like."""
    distance = any_parameter(draw, scope) - any_iterator(draw, scope)
    return Bounds(literal(draw.integer(0, 1)), distance + draw.integer(-1, 1))


def skewed(draw: Draw, scope: Scope) -> Bounds:
    """i .. i + N - 1 and the like."""
    low = any_iterator(draw, scope) + draw.integer(0, 1)
    return Bounds(low, low + any_parameter(draw, scope) + draw.integer(-1, 0))


def window(draw: Draw, scope: Scope) -> Bounds:
    """i - 1 .. i + 1 and the like."""
    low = any_iterator(draw, scope) + draw.integer(-1, 0)
    return Bounds(low, low + draw.integer(1, 3))


def doubled(draw: Draw, scope: Scope) -> Bounds:
    """i .. 2 * i and the like."""
    iterator = any_iterator(draw, scope)
    low = iterator if draw.chance(50) else literal(0)
    return Bounds(low, iterator * 2 + draw.integer(-1, 1))


def halved(draw: Draw, scope: Scope) -> Bounds:
    """0 .. (i + N) / 2 and the like."""
    sum_of_both = any_iterator(draw, scope) + any_parameter(draw, scope)
    return Bounds(literal(0), quotient(sum_of_both, draw.integer(2, 3)))


def smaller_or_larger(draw: Draw, macro: str, left: Quantity, right: Quantity) -> str:
    """The C text of the smaller (`macro` is MIN) or larger (MAX) of both."""
    if draw.chance(60):
        return f"{macro}({left}, {right})"
    comparison = "<" if macro == "MIN" else ">"
    return f"({left} {comparison} {right} ? {left} : {right})"


def other_end(draw: Draw, scope: Scope, end: Quantity) -> Quantity:
    """A quantity to take the minimum or the maximum of `end` with: it depends on other atoms."""
    others = [name for name in scope.atoms if name not in end.expression.coefficients]
    return scope.atoms[draw.choice(others)] if others and draw.chance(75) else literal(2)


def clip(draw: Draw, scope: Scope, bounds: Bounds) -> Bounds:
    """`bounds` with a minimum or a maximum in one end; one case in four makes the range longer."""
    lower, upper = bounds.lower, bounds.upper
    macro = draw.choice(("MIN", "MAX"))
    function = minimum if macro == "MIN" else maximum
    if draw.chance(75) == (macro == "MIN"):
        other = other_end(draw, scope, upper) + draw.integer(1, 3)
        return Bounds(lower, function(upper, other, smaller_or_larger(draw, macro, upper, other)))
    other = other_end(draw, scope, lower) + draw.integer(-2, 0)
    return Bounds(function(lower, other, smaller_or_larger(draw, macro, lower, other)), upper)


def loop_bounds(draw: Draw, scope: Scope) -> Bounds:
    """The bounds of a loop at a place."""
    inner = bool(scope.iterators)
    shape = draw.weighted(
        (30, rectangular),
        (6, constant_range),
        (6, long_range),
        (16 * inner, upper_triangle),
        (16 * inner, lower_triangle),
        (8 * inner, opposite_triangle),
        (6 * inner, skewed),
        (6 * inner, window),
        (9 * inner, doubled),
        (5, halved),
    )
    bounds = shape(draw, scope)
    return clip(draw, scope, bounds) if draw.chance(15) else bounds


def short_bounds(draw: Draw, scope: Scope, most_trips: int) -> Bounds:
    """Bounds of a loop of at most `most_trips` >= 2 iterations."""
    low = any_iterator(draw, scope) + small_shift(draw) if draw.chance(60) else literal(draw.integer(0, 2))
    return Bounds(low, low + draw.integer(1, min(most_trips - 1, 3)))


def loop_header(draw: Draw, iterator: str, declares: bool, bounds: Bounds, step: int) -> str:
    """A C `for` over the bounds, upwards or downwards."""
    down = draw.chance(25)
    start, end = (bounds.upper, bounds.lower) if down else (bounds.lower, bounds.upper)
    strict, inclusive, outside = (">", ">=", end + -1) if down else ("<", "<=", end + 1)
    condition = f"{iterator} {strict} {outside}" if draw.chance(50) else f"{iterator} {inclusive} {end}"
    declaration = "int " if declares else ""
    return f"for ({declaration}{iterator} = {start}; {condition}; {increment(draw, iterator, step, down)})"


def increment(draw: Draw, iterator: str, step: int, down: bool) -> str:
    """The C text that moves an iterator by one step."""
    sign = "-" if down else "+"
    by_one = 20 * (step == 1)
    return draw.weighted(
        (by_one, f"{iterator}{sign}{sign}"),
        (by_one, f"{sign}{sign}{iterator}"),
        (3, f"{iterator} {sign}= {step}"),
        (1, f"{iterator} = {iterator} {sign} {step}"),
    )


# --- Affine conditions ------------------------------------------------------------------------------------------------


def linear_form(draw: Draw, scope: Scope) -> Quantity:
    """A combination of one or two iterators; outside all loops, a parameter."""
    first = any_iterator(draw, scope)
    others = [name for name in scope.iterators if scope.atoms[name] != first]
    if not others or draw.chance(45):
        return first
    second = scope.atoms[draw.choice(others)]
    return draw.weighted((4, first + second), (3, first - second), (2, first + second * 2), (2, first * 2 - second))


def comparison(draw: Draw, scope: Scope) -> str:
    """`i + j < N` and the like."""
    right = literal(draw.integer(0, 5))
    if scope.iterators and draw.chance(55):
        right = any_parameter(draw, scope) + small_shift(draw)
    relation = draw.weighted((4, "<"), (3, "<="), (3, ">"), (3, ">="), (2, "=="), (2, "!="))
    return f"{linear_form(draw, scope)} {relation} {right}"


def congruence(draw: Draw, scope: Scope) -> str:
    """`(i + 2 * j) % 3 == 1` and the like; the left side may be negative."""
    divisor = draw.integer(2, 4)
    form = linear_form(draw, scope) + draw.weighted((4, 0), (1, 1), (1, -2))
    return f"{wrap(str(form))} % {divisor} {draw.choice(('==', '!='))} {draw.integer(0, divisor - 1)}"


def quotient_comparison(draw: Draw, scope: Scope) -> str:
    """`i / 2 <= M` and the like; the numerator may be negative."""
    relation = draw.choice(("<", "<=", ">", "==", "!="))
    return f"{quotient(linear_form(draw, scope), draw.integer(2, 3))} {relation} {draw.integer(0, 2)}"


def condition_operand(draw: Draw, scope: Scope, depth: int) -> str:
    """A condition that can stand beside `&&` and `||`."""
    text = affine_condition(draw, scope, depth)
    return f"({text})" if "&&" in text or "||" in text else text


def conjunction(draw: Draw, scope: Scope, depth: int) -> str:
    """Two conditions joined by `&&` or `||`."""
    joint = draw.choice(("&&", "||"))
    return f"{condition_operand(draw, scope, depth - 1)} {joint} {condition_operand(draw, scope, depth - 1)}"


def affine_condition(draw: Draw, scope: Scope, depth: int = 2) -> str:
    """A C condition on iterators and parameters, with at most `depth` levels of `&&`, `||`."""
    kind = draw.weighted((50, "compare"), (22, "modulo"), (6, "quotient"), (8, "not"), (25 * (depth > 0), "join"))
    match kind:
        case "compare":
            return comparison(draw, scope)
        case "modulo":
            return congruence(draw, scope)
        case "quotient":
            return quotient_comparison(draw, scope)
        case "not":
            return f"!({affine_condition(draw, scope, depth - 1)})"
        case _:
            return conjunction(draw, scope, depth)


# --- Accesses and the layout of arrays --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Access:
    """An element of an array, as drawn: before the offsets that bring it into bounds."""

    array: str
    subscripts: tuple[Quantity, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """What to add to the subscripts of an array, and its extents, per dimension."""

    offsets: tuple[Affine, ...]
    extents: tuple[Affine, ...]


def layout(accesses: Sequence[Access]) -> Layout:
    """The layout of the one array that all `accesses` touch, such that each is in bounds."""
    dimensions = tuple(zip(*(access.subscripts for access in accesses), strict=True))
    offsets = tuple(above_all(-s.envelope.lower for s in subscripts) for subscripts in dimensions)
    highest = (
        above_all(s.envelope.upper + offset for s in subscripts)
        for subscripts, offset in zip(dimensions, offsets, strict=True)
    )
    return Layout(offsets, tuple(top + 1 for top in highest))


def access_text(access: Access, placed: Layout) -> str:
    """The C text of an access to an array with the layout; it holds the marks of the accesses in its subscripts."""
    shifted = (s.expression + offset for s, offset in zip(access.subscripts, placed.offsets, strict=True))
    return access.array + "".join(f"[{expression}]" for expression in shifted)


def mirrored(draw: Draw, scope: Scope) -> Quantity:
    """`N - i` and the like."""
    return any_parameter(draw, scope) - any_iterator(draw, scope) + small_shift(draw)


def quasi_affine(draw: Draw, scope: Scope) -> Quantity:
    """`i / 2`, `(i + j) % 3` and the like."""
    function = draw.choice((quotient, remainder))
    return function(linear_form(draw, scope), draw.integer(2, 3)) + draw.weighted((3, 0), (1, 1))


def fixed_position(draw: Draw, scope: Scope) -> Quantity:
    """`0`, `N` and the like."""
    return any_parameter(draw, scope) if draw.chance(15) else literal(draw.weighted((6, 0), (1, 1), (1, 2)))


def subscript(draw: Draw, scope: Scope, position: int, simple: bool) -> Quantity:
    """A subscript for dimension `position`; the `simple` ones keep large arrays small."""
    if position >= len(scope.iterators):
        return fixed_position(draw, scope)
    shift = small_shift(draw)
    aligned = scope.atoms[scope.iterators[position]] + shift
    kind = draw.weighted(
        (75, "aligned"),
        (18, "other"),
        (2, "fixed"),
        (9 * (not simple), "mirrored"),
        (5 * (not simple), "scaled"),
        (9 * (not simple), "combined"),
        (6 * (not simple), "quasi"),
    )
    match kind:
        case "aligned":
            return aligned
        case "other":
            return any_iterator(draw, scope) + shift
        case "fixed":
            return fixed_position(draw, scope)
        case "mirrored":
            return mirrored(draw, scope)
        case "scaled":
            return any_iterator(draw, scope) * draw.integer(2, 3) + shift
        case "combined":
            return linear_form(draw, scope) + shift
        case _:
            return quasi_affine(draw, scope)


@dataclass(frozen=True, slots=True)
class Memory:
    """The variables of a kernel, and the accesses drawn so far; access k stands in the text as the mark `@k@`."""

    draw: Draw
    variables: tuple[Variable, ...]
    accesses: list[Access] = field(default_factory=list[Access])

    def of_role(self, *roles: Role) -> tuple[Variable, ...]:
        """The variables with one of the roles, role by role."""
        return tuple(variable for role in roles for variable in self.variables if variable.role is role)

    def readable(self, scope: Scope, is_float: bool) -> tuple[Variable, ...]:
        """The variables that an expression may read; temporaries stand for half of them where there are any."""
        known = [v for v in self.variables if v.role is not Role.INDEX and v.is_float == is_float]
        temporaries = [v for v in scope.temporaries if v.is_float == is_float]
        return (*known, *temporaries * max(len(known), 1))

    def access(self, variable: Variable, scope: Scope) -> str:
        """The C text, with marks, of a random element of an array, or of a scalar."""
        if variable.rank == 0:
            return variable.name
        simple = variable.rank == MAX_DEPTH or variable.role is Role.LOCAL
        subscripts = [subscript(self.draw, scope, position, simple) for position in range(variable.rank)]
        if variable.role is Role.TABLE:
            subscripts[0] = self.indirect_subscript(scope)
        return self.mark(Access(variable.name, tuple(subscripts)))

    def indirect_subscript(self, scope: Scope) -> Quantity:
        """An element of an index array."""
        index = self.draw.choice(self.of_role(Role.INDEX))
        return Quantity(atom(self.access(index, scope)), constant_envelope(0, index.bound - 1))

    def mark(self, access: Access) -> str:
        """The mark of a new access."""
        self.accesses.append(access)
        return f"@{len(self.accesses) - 1}@"

    def layout_of(self, array: str) -> Layout:
        """The layout that fits the accesses drawn so far; each array is accessed at least once."""
        return layout([access for access in self.accesses if access.array == array])

    def resolve(self, text: str) -> str:
        """`text` with each mark replaced by its access, marks in the subscripts of accesses included."""
        layouts = {array: self.layout_of(array) for array in {access.array for access in self.accesses}}
        texts = [access_text(access, layouts[access.array]) for access in self.accesses]
        while "@" in text:
            text = re.sub(r"@(\d+)@", lambda mark: texts[int(mark[1])], text)
        return text


# --- Values -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Values:
    """Random C expressions, integer and floating, without undefined behaviour; `depth` bounds their nesting."""

    draw: Draw
    memory: Memory

    def of_type(self, element_type: str, scope: Scope, depth: int) -> str:
        """An expression that may be assigned to a variable of the type."""
        return self.floating(scope, depth) if element_type in FLOAT_TYPES else self.integer(scope, depth)

    def data_condition(self, scope: Scope) -> str:
        """`a[i] > 3` and the like."""
        is_float = self.draw.chance(40)
        limit = self.draw.choice(("0.5", "-1.0", "0.0")) if is_float else str(self.draw.integer(0, 9))
        return f"{wrap(self.leaf(is_float, scope))} {self.draw.choice(('>', '<', '<=', '>=', '!='))} {limit}"

    def leaf(self, is_float: bool, scope: Scope) -> str:
        """A read of a variable, where there is one of the kind, else a number."""
        readable = self.memory.readable(scope, is_float)
        if readable:
            return self.memory.access(self.draw.choice(readable), scope)
        return self.float_literal() if is_float else str(linear_form(self.draw, scope))

    def float_literal(self) -> str:
        return self.draw.choice(("0.5", "1.0f", "2.5", ".75f", "-1.5", "3e-1"))

    def integer_literal(self) -> str:
        return self.draw.weighted((8, str(self.draw.integer(0, 9))), (1, "-3"), (1, "0x1F"), (1, "5u"), (1, "100LL"))

    def integer_leaf(self, scope: Scope) -> str:
        """A variable, a literal, an iterator or a parameter."""
        kind = self.draw.weighted((60, "read"), (15, "literal"), (16, "iterator"), (9, "parameter"))
        match kind:
            case "read":
                return self.leaf(False, scope)
            case "literal":
                return self.integer_literal()
            case "iterator":
                return str(linear_form(self.draw, scope))
            case _:
                return str(any_parameter(self.draw, scope))

    def float_leaf(self, scope: Scope) -> str:
        """A variable, a literal, or an integer."""
        kind = self.draw.weighted((70, "read"), (15, "literal"), (15, "integer"))
        match kind:
            case "read":
                return self.leaf(True, scope)
            case "literal":
                return self.float_literal()
            case _:
                return self.integer_leaf(scope)

    def integer(self, scope: Scope, depth: int) -> str:
        """An expression of some integer type."""
        if depth == 0:
            return self.integer_leaf(scope)
        node = self.draw.weighted(
            (40, self.integer_sum),
            (14, self.integer_by_literal),
            (8, self.bitwise),
            (8, self.integer_unary),
            (8, self.integer_cast),
            (12, self.integer_ternary),
            (3, self.bounded_cast),
        )
        return node(scope, depth - 1)

    def integer_operand(self, scope: Scope, depth: int) -> str:
        return wrap(self.integer(scope, depth))

    def integer_sum(self, scope: Scope, depth: int) -> str:
        """A sum, a difference or a product."""
        sign = self.draw.weighted((4, "+"), (3, "-"), (2, "*"))
        return f"{self.integer_operand(scope, depth)} {sign} {self.integer_operand(scope, 0)}"

    def integer_by_literal(self, scope: Scope, depth: int) -> str:
        """An operation whose second operand is a literal for which it is defined."""
        second = self.draw.choice(("* 3", "% 5", "/ 3", ">> 1", "& 7", "/ 2", "% 16"))
        return f"{self.integer_operand(scope, depth)} {second}"

    def bitwise(self, scope: Scope, depth: int) -> str:
        """A bitwise operation, or the left shift of a small nonnegative number."""
        if self.draw.chance(20):
            return f"({self.integer_operand(scope, depth)} & 7) << {self.draw.integer(1, 3)}"
        sign = self.draw.choice(("^", "&", "|"))
        return f"{self.integer_operand(scope, depth)} {sign} {self.integer_operand(scope, 0)}"

    def integer_unary(self, scope: Scope, depth: int) -> str:
        return f"{self.draw.choice('-~')}{self.integer_operand(scope, depth)}"

    def integer_cast(self, scope: Scope, depth: int) -> str:
        return f"({self.draw.choice(INTEGER_TYPES)}){self.integer_operand(scope, depth)}"

    def integer_ternary(self, scope: Scope, depth: int) -> str:
        operands = f"{self.integer_operand(scope, depth)} : {self.integer_operand(scope, 0)}"
        return f"{self.ternary_condition(scope)} ? {operands}"

    def bounded_cast(self, scope: Scope, depth: int) -> str:
        """A floating value clamped to [-8, 8], which replaces a NaN too, as an integer."""
        return f"(int)fmin(fmax({self.floating(scope, depth)}, -8.0), 8.0)"

    def ternary_condition(self, scope: Scope) -> str:
        """An affine or a data-dependent condition."""
        if self.draw.chance(45):
            return self.data_condition(scope)
        text = affine_condition(self.draw, scope, 1)
        return f"({text})" if self.draw.chance(50) else text

    def floating(self, scope: Scope, depth: int) -> str:
        """An expression to be assigned to a floating variable; in magnitude little more than its largest operand."""
        if depth == 0:
            return self.float_leaf(scope)
        node = self.draw.weighted(
            (40, self.damped_sum),
            (16, self.pure_call),
            (8, self.float_cast),
            (12, self.float_ternary),
            (6, self.float_quotient),
            (18, self.product_with_input),
        )
        return node(scope, depth - 1)

    def float_operand(self, scope: Scope, depth: int) -> str:
        return wrap(self.floating(scope, depth))

    def damped_sum(self, scope: Scope, depth: int) -> str:
        """`0.5 * x - 0.25 * y` and the like."""
        first, second = self.draw.choice(("0.5", "0.25", "0.5f")), self.draw.choice(("0.25", "0.5", "0.125f"))
        left, right = self.float_operand(scope, depth), self.float_operand(scope, 0)
        return f"{first} * {left} {self.draw.choice('+-')} {second} * {right}"

    def pure_call(self, scope: Scope, depth: int) -> str:
        """A call of a function of the C library."""
        argument = self.floating(scope, depth)
        function = self.draw.choice(("fabs", "sqrt", "fmax"))
        match function:
            case "fabs":
                return f"fabs({argument})"
            case "sqrt":
                return f"sqrt(fabs({argument}))"
            case _:
                return f"fmax({argument}, {self.float_leaf(scope)})"

    def float_cast(self, scope: Scope, depth: int) -> str:
        element_type = self.draw.choice(FLOAT_TYPES)
        if self.draw.chance(40):
            return f"({element_type}){self.integer_operand(scope, depth)}"
        return f"({element_type}){self.float_operand(scope, depth)}"

    def float_ternary(self, scope: Scope, depth: int) -> str:
        operands = f"{self.float_operand(scope, depth)} : {self.float_operand(scope, 0)}"
        return f"{self.ternary_condition(scope)} ? {operands}"

    def float_quotient(self, scope: Scope, depth: int) -> str:
        return f"{self.float_operand(scope, depth)} / {self.draw.choice(('2.0', '4.0f', '3'))}"

    def product_with_input(self, scope: Scope, depth: int) -> str:
        """A product with an element that is never written, if any: such products do not compound."""
        inputs = [variable for variable in self.memory.of_role(Role.INPUT) if variable.is_float]
        if not inputs:
            return self.damped_sum(scope, depth)
        factor = self.memory.access(self.draw.choice(inputs), scope)
        return f"0.25 * {self.float_operand(scope, depth)} * {factor}"


# --- Statements -------------------------------------------------------------------------------------------------------

Item = tuple[str, ...]
"""The lines of one declaration, statement, conditional or loop."""


def indented(items: Iterable[Item]) -> Item:
    """The lines of all items, one level deeper."""
    return tuple(INDENT + line for item in items for line in item)


def can_stand_alone(items: Sequence[Item]) -> bool:
    """Whether the body of a loop can do without braces: it is one statement or one loop."""
    return len(items) == 1 and not items[0][0].startswith("if ")


@dataclass(frozen=True, slots=True)
class Statements:
    """Random statements, conditionals and loops.

    `instances` bounds how often each statement runs. `names` holds the labels and temporaries used so far.
    """

    draw: Draw
    memory: Memory
    values: Values
    may: bool
    declares_iterators: bool
    instances: int
    names: list[str] = field(default_factory=list[str])

    def block(self, scope: Scope, count: int) -> list[Item]:
        """Items that hold `count` statements together."""
        items: list[Item] = []
        while count > 0:
            kind = self.item_kind(scope, count)
            taken = self.size_of_item(kind, scope, count)
            count -= taken
            match kind:
                case "statement":
                    items.append(self.statement(scope))
                case "declaration":
                    temporary, declaration = self.declaration(scope)
                    items += declaration
                    scope = scope.declare(temporary)
                case "guard":
                    items.append(self.guard(scope, taken))
                case _:
                    items.append(self.loop(scope, taken))
        return items

    def item_kind(self, scope: Scope, count: int) -> str:
        """What to put next into a block that still lacks `count` statements."""
        inside = bool(scope.iterators)
        can_loop = len(scope.iterators) < MAX_DEPTH and self.most_trips(scope) >= 2
        return self.draw.weighted(
            (40 if inside else 5, "statement"),
            ((14 if inside else 3) * (count > 1), "declaration"),
            (22 if inside else 4, "guard"),
            ((50 if inside else 90) * can_loop, "loop"),
        )

    def size_of_item(self, kind: str, scope: Scope, count: int) -> int:
        """How many of `count` statements the next item takes."""
        if kind in ("statement", "declaration"):
            return 1
        return count if not scope.iterators or self.draw.chance(35) else self.draw.integer(1, count)

    def most_trips(self, scope: Scope) -> int:
        """How many iterations a loop at this place may have."""
        return self.instances // scope.instances

    def loop(self, scope: Scope, count: int) -> Item:
        """A loop around `count` statements."""
        step = self.draw.weighted((80, 1), (14, 2), (6, 3))
        bounds = loop_bounds(self.draw, scope)
        if bounds.trips(scope) // step > self.most_trips(scope):
            step, bounds = 1, short_bounds(self.draw, scope, self.most_trips(scope))
        header = loop_header(self.draw, scope.next_iterator, self.declares_iterators, bounds, step)
        body = self.block(scope.enter(bounds.envelope, -(-bounds.trips(scope) // step)), count)
        if can_stand_alone(body) and self.draw.chance(50):
            return (header, *indented(body))
        return (header + " {", *indented(body), "}")

    def guard(self, scope: Scope, count: int) -> Item:
        """A conditional around `count` statements, sometimes with an `else`, sometimes with an `else if`."""
        condition = self.guard_condition(scope)
        sizes = self.draw.split(count, 3) if self.draw.chance(60) else (count,)
        first, *others = (indented(self.block(scope, size)) for size in sizes)
        lines = (f"if ({condition}) {{", *first)
        for rank, body in enumerate(others, 1):
            is_last = rank == len(others) and self.draw.chance(80)
            keyword = "else" if is_last else f"else if ({self.guard_condition(scope)})"
            lines = (*lines, f"}} {keyword} {{", *body)
        return (*lines, "}")

    def guard_condition(self, scope: Scope) -> str:
        """A condition of an `if`; data-dependent only in a `may` kernel."""
        if not (self.may and self.draw.chance(50)):
            return affine_condition(self.draw, scope)
        data = self.values.data_condition(scope)
        return f"{comparison(self.draw, scope)} && {data}" if self.draw.chance(20) else data

    def declaration(self, scope: Scope) -> tuple[Variable, list[Item]]:
        """A temporary and its declaration, with a value."""
        element_type = self.target(scope).element_type if self.draw.chance(70) else random_type(self.draw)
        temporary = Variable(self.new_name("t"), element_type, 0, Role.LOCAL)
        value = self.values.of_type(element_type, scope, 1)
        if self.draw.chance(30):
            return temporary, [(f"{element_type} {temporary.name};",), (f"{temporary.name} = {value};",)]
        return temporary, [(f"{element_type} {temporary.name} = {value};",)]

    def new_name(self, prefix: str) -> str:
        """A name that no label or temporary has yet."""
        self.names.append(f"{prefix}{len(self.names)}")
        return self.names[-1]

    def statement(self, scope: Scope) -> Item:
        """An assignment, a compound assignment or an increment, sometimes with a label."""
        target = self.target(scope)
        form = self.draw.weighted((60, self.assignment), (32, self.compound_assignment), (8, self.step_by_one))
        label = f"{self.new_name('L')}: " if self.draw.chance(12) else ""
        return (f"{label}{form(target, scope)};",)

    def target(self, scope: Scope) -> Variable:
        """A variable to write: most often an array, by-value scalars rarely."""
        arrays = [v for v in self.memory.of_role(Role.DATA, Role.TABLE, Role.LOCAL) if v.rank > 0]
        scalars = [v for v in self.memory.of_role(Role.LOCAL) if v.rank == 0] + list(scope.temporaries)
        by_value = self.memory.of_role(Role.BY_VALUE)
        weights = (85, 12 * bool(scalars), 3 * bool(by_value))
        return self.draw.choice(self.draw.weighted(*zip(weights, (arrays, scalars, by_value), strict=True)))

    def assignment(self, target: Variable, scope: Scope) -> str:
        """An assignment; at least half of them read a temporary or the variable that they write."""
        written = self.memory.access(target, scope)
        depth = self.draw.integer(0, 2)
        value = self.values.of_type(target.element_type, scope, depth)
        partner = self.partner(target, scope)
        if self.draw.chance(60 if partner == target else 90):
            value = self.combined(partner, value, target.is_float, scope)
        return f"{written} = {value}"

    def partner(self, target: Variable, scope: Scope) -> Variable:
        """A variable to read in an assignment to `target`: a temporary if there is one, else `target` itself."""
        fitting = [v for v in scope.temporaries if target.is_float or not v.is_float]
        return self.draw.choice(fitting) if fitting and self.draw.chance(75) else target

    def combined(self, partner: Variable, value: str, is_float: bool, scope: Scope) -> str:
        """`value` combined with an element of `partner`."""
        element = self.memory.access(partner, scope)
        if is_float:
            return f"0.5 * {element} {self.draw.choice('+-')} 0.25 * {wrap(value)}"
        return f"{element} {self.draw.weighted((4, '+'), (2, '-'), (1, '*'), (1, '^'))} {wrap(value)}"

    def compound_assignment(self, target: Variable, scope: Scope) -> str:
        """`a[i] += 3` and the like."""
        written = self.memory.access(target, scope)
        if self.draw.chance(25):
            return f"{written} {self.scaling(target.is_float)}"
        if target.is_float:
            value = self.values.floating(scope, self.draw.integer(0, 1))
            return f"{written} {self.draw.choice('+-')}= 0.25 * {wrap(value)}"
        sign = self.draw.weighted((6, "+"), (4, "-"), (3, "*"), (2, "^"), (1, "|"), (1, "&"))
        return f"{written} {sign}= {self.values.integer(scope, self.draw.integer(0, 2))}"

    def scaling(self, is_float: bool) -> str:
        """A compound assignment with a literal for which it is defined."""
        if is_float:
            return self.draw.choice(("*= 0.5", "/= 2.0f", "*= -0.75f"))
        return self.draw.choice(("*= 3", "/= 3", "%= 7", ">>= 1"))

    def step_by_one(self, target: Variable, scope: Scope) -> str:
        """`a[i]++` and the like."""
        written = self.memory.access(target, scope)
        return self.draw.choice((f"{written}++", f"++{written}", f"{written}--"))


# --- The kernel -------------------------------------------------------------------------------------------------------


def random_type(draw: Draw) -> str:
    """One of the element types, floating ones in half of the cases."""
    return draw.choice(FLOAT_TYPES) if draw.chance(50) else draw.choice(INTEGER_TYPES)


def random_variables(draw: Draw, may: bool) -> tuple[Variable, ...]:
    """The variables of a kernel: the first is an array that may be written, the others often have its type."""
    first = Variable("a", random_type(draw), random_rank(draw), Role.DATA)
    others = [
        (name, random_rank(draw), draw.weighted((65, Role.DATA), (35, Role.INPUT)))
        for name in "bcd"[: draw.weighted((3, 0), (4, 1), (3, 2), (1, 3))]
    ]
    if draw.chance(35):
        others.append(("w", draw.weighted((3, 1), (1, 2)), Role.LOCAL))
    if draw.chance(35):
        others.append(("s", 0, Role.LOCAL))
    if draw.chance(35):
        others.append((draw.choice(("alpha", "beta")), 0, Role.BY_VALUE))
    types = [first.element_type if draw.chance(50) else random_type(draw) for _ in others]
    variables = (Variable(name, type_, rank, role) for type_, (name, rank, role) in zip(types, others, strict=True))
    return (first, *variables, *(indirect_variables(draw) if may else ()))


def random_rank(draw: Draw) -> int:
    """The rank of an array."""
    return draw.weighted((4, 1), (4, 2), (2, 3))


def indirect_variables(draw: Draw) -> tuple[Variable, ...]:
    """A table and an index array to access it with; in some cases, neither."""
    if draw.chance(30):
        return ()
    bound = draw.integer(3, 6)
    table = Variable("h", random_type(draw), draw.weighted((3, 1), (1, 2)), Role.TABLE, bound)
    return (table, Variable("idx", "int", 1, Role.INDEX, bound))


def parameter_values(draw: Draw, names: tuple[str, ...]) -> tuple[dict[str, int], ...]:
    """Values to try: all zero, all one, uneven ones, and one random choice, without repetition."""
    rows = [(0,) * 3, (1,) * 3, *UNEVEN_VALUES, tuple(draw.integer(0, LARGEST_PARAMETER) for _ in range(3))]
    distinct = dict.fromkeys(row[: len(names)] for row in rows)
    return tuple(dict(zip(names, row, strict=True)) for row in distinct)


def nests(draw: Draw, statements: Statements, parameters: tuple[str, ...], count: int) -> list[Item]:
    """The items of up to MAX_NESTS nests, which hold `count` statements together."""
    items: list[Item] = []
    for size in draw.split(count, MAX_NESTS):
        order = draw.weighted((8, ITERATOR_ORDERS[0]), (2, ITERATOR_ORDERS[1]), (1, ITERATOR_ORDERS[2]))
        items += statements.block(outermost_scope(parameters, order), size)
    return items


def names_in(items: Iterable[Item], memory: Memory) -> frozenset[str]:
    """The names that occur in the items, and those of all arrays that are accessed."""
    text = "\n".join(indented(items))
    return frozenset(re.findall(r"[A-Za-z_]\w*", text)) | {access.array for access in memory.accesses}


def copy_out(statements: Statements, scope: Scope, used: frozenset[str]) -> list[Item]:
    """Statements that store the used local scalars into an array, so that a caller sees their last values."""
    memory = statements.memory
    first_array = memory.variables[0]
    scalars = [v for v in memory.of_role(Role.LOCAL) if v.rank == 0 and v.name in used]
    storable = [v for v in scalars if first_array.is_float or not v.is_float]
    return [(f"{memory.access(first_array, scope)} = {scalar.name};",) for scalar in storable]


def initial_nest(statements: Statements, scope: Scope, array: Variable) -> Item:
    """A nest that writes every element of a local array."""
    lines: list[str] = []
    extents = statements.memory.layout_of(array.name).extents
    for depth, extent in enumerate(extents):
        bounds = Bounds(literal(0), Quantity(extent - 1, Envelope(extent - 1, extent - 1)))
        name = scope.next_iterator
        header = loop_header(statements.draw, name, statements.declares_iterators, bounds, 1)
        lines.append(INDENT * depth + header)
        scope = scope.enter(bounds.envelope, 1)
    target = array.name + "".join(f"[{name}]" for name in scope.iterators)
    return (*lines, f"{INDENT * len(extents)}{target} = {initial_value(statements, scope, array)};")


def initial_value(statements: Statements, scope: Scope, array: Variable) -> str:
    """A value for an element of a local array: an element of another array, or a number."""
    sources = [v for v in statements.memory.of_role(Role.DATA, Role.INPUT) if array.is_float or not v.is_float]
    if sources and statements.draw.chance(60):
        return f"{statements.memory.access(statements.draw.choice(sources), scope)} + 1"
    return str(linear_form(statements.draw, scope) + statements.draw.integer(0, 3))


def prologue(statements: Statements, scope: Scope, used: frozenset[str]) -> tuple[list[Item], list[Item]]:
    """The declarations of the used local variables and the code that initialises them: before and in the scop."""
    before: list[Item] = []
    inside: list[Item] = []
    for variable in statements.memory.of_role(Role.LOCAL):
        if variable.name not in used:
            continue
        declared_inside = statements.draw.chance(30)
        (inside if declared_inside else before).append((f"{declarator(statements.memory, variable)};",))
        initialised_inside = declared_inside or variable.rank > 0 or statements.draw.chance(50)
        (inside if initialised_inside else before).append(initialisation(statements, scope, variable))
    return before, inside


def initialisation(statements: Statements, scope: Scope, variable: Variable) -> Item:
    """The code that gives a local variable its first value or values."""
    if variable.rank > 0:
        return initial_nest(statements, scope, variable)
    return (f"{variable.name} = {'0.5' if variable.is_float else statements.draw.integer(0, 3)};",)


def declarator(memory: Memory, variable: Variable) -> str:
    """The C declaration of a variable."""
    extents = memory.layout_of(variable.name).extents if variable.rank > 0 else ()
    return f"{variable.element_type} {variable.name}" + "".join(f"[{extent}]" for extent in extents)


def argument(memory: Memory, variable: Variable) -> Argument:
    """The variable as an argument of the function."""
    extents = memory.layout_of(variable.name).extents if variable.rank > 0 else ()
    return Argument(variable.name, variable.element_type, tuple(str(extent) for extent in extents))


def preamble(function: str, aliased: str) -> list[str]:
    """The lines of includes, macros and typedefs that a function needs."""
    includes = ["#include <math.h>"] if re.search(r"\b(fabs|sqrt|fmax|fmin)\(", function) else []
    macros = [text for macro, text in MACROS.items() if f"{macro}(" in function]
    typedefs = [f"typedef {aliased} {TYPE_ALIAS};"] if TYPE_ALIAS in function else []
    return [*includes, *macros, *typedefs, ""]


def signature(arguments: Iterable[Argument], aliased: str) -> str:
    """The C parameter list; arguments of the element type `aliased` are declared through the type alias."""
    types = {aliased: TYPE_ALIAS}
    return ", ".join(
        f"{types.get(a.element_type, a.element_type)} {a.name}" + "".join(f"[{extent}]" for extent in a.extents)
        for a in arguments
    )


def function_text(parameter_list: str, before: Iterable[Item], inside: Iterable[Item]) -> str:
    """The C function with `before` in front of the scop and `inside` in it."""
    lines = (*indented(before), "#pragma scop", *indented(inside), "#pragma endscop")
    return "\n".join((f"void {FUNCTION}({parameter_list}) {{", *lines, "}", ""))


def random_kernel(draw: Draw, may: bool) -> RandomKernel:
    """A random kernel; with `may`, one that can have data-dependent conditions and indirect subscripts."""
    parameters = PARAMETER_NAMES[: draw.weighted((4, 1), (5, 2), (1, 3))]
    memory = Memory(draw, random_variables(draw, may))
    count = draw.weighted((2, 1), (4, 2), (5, 3), (5, 4), (4, MAX_STATEMENTS))
    values = Values(draw, memory)
    declares_iterators = not draw.chance(25)
    statements = Statements(draw, memory, values, may, declares_iterators, MAX_INSTANCES // count)
    items = nests(draw, statements, parameters, count)
    scope = outermost_scope(parameters, ITERATOR_ORDERS[0])
    items += copy_out(statements, scope, names_in(items, memory))
    return assemble(statements, scope, items, parameter_values(draw, parameters))


def assemble(
    statements: Statements, scope: Scope, items: list[Item], values: tuple[dict[str, int], ...]
) -> RandomKernel:
    """The kernel whose scop holds `items`, behind what they need to be initialised."""
    memory = statements.memory
    before, inside = prologue(statements, scope, names_in(items, memory))
    if not statements.declares_iterators:
        before.insert(0, (f"int {', '.join(ITERATOR_ORDERS[0])};",))
    used = names_in([*before, *inside, *items], memory)
    variables = [v for v in memory.of_role(*ARGUMENT_ROLES) if v.name in used]
    arguments = tuple(Argument(name, "int") for name in scope.parameters)
    arguments += tuple(argument(memory, v) for v in variables)
    aliased = statements.draw.choice(FLOAT_TYPES) if statements.draw.chance(20) else ""
    function = memory.resolve(function_text(signature(arguments, aliased), before, [*inside, *items]))
    bounds = {v.name: v.bound for v in variables if v.role is Role.INDEX}
    return RandomKernel("\n".join([*preamble(function, aliased), function]), values, arguments, bounds)
