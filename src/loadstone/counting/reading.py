"""Sets, maps and piecewise quasi-polynomials as users write them.

Sets and maps are in isl's syntax. So are quasi-polynomials, and there expressions may be written more freely: `n/2`,
`0.5 n`, `n (n + 1) / 2`, `n mod 3`, `n % 3`, `ceil(n/2)`, `frac(n/2)`, and
`[4, 2, 0]_n`, the periodic number that is 4, 2 or 0 for n mod 3 = 0, 1 or 2 [Devos, 4.2].
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn, TypeVar

import islpy as isl

from loadstone.counting.pieces import Piece, Pieces, flat_set
from loadstone.errors import Diagnostic, InputError, Source
from loadstone.poly.linear import variable_names
from loadstone.poly.reading import SyntaxProblem, read
from loadstone.poly.terms import constant_polynomial, floored, sum_of, terms, variables_of

SET_HINT = "a set looks like [N] -> { [i, j] : 0 <= i <= j < N }, a map like { [i] -> [j] : 0 <= j < i }"
POLYNOMIAL_HINT = "a quasi-polynomial looks like [N] -> { [i] -> i^2 + 3 * floor(i/2) : 0 <= i <= N }"
LARGEST_EXPONENT = 64
_TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d+)?)|([A-Za-z_][\w']*)|(\*\*|.))", re.DOTALL)
_OPENING, _CLOSING = "([{", ")]}"
_END = ""

T = TypeVar("T")
Relation = isl.UnionSet | isl.UnionMap


def read_relation(text: str, name: str = "SET") -> Relation:
    """A set or a map, of one tuple or of several; raises `InputError` with the position of a mistake."""
    source = Source(name, text)
    _check_end(source, SET_HINT)
    for kind in (isl.Set.read_from_str, isl.UnionSet.read_from_str, isl.UnionMap.read_from_str):
        found = _read(kind, text, source, SET_HINT)
        if found is not None:
            return flat_set(found).to_union_set() if isinstance(found, isl.Set) else found
    raise InputError(Diagnostic("this is neither a set nor a map", source.span(1, 1), SET_HINT))


def _read(kind: Callable[[isl.Context, str], T], text: str, source: Source, hint: str) -> T | None:
    try:
        return read(kind, text)
    except SyntaxProblem as problem:
        raise InputError(Diagnostic(problem.message, source.span(problem.line, problem.column), hint)) from None


def _check_end(source: Source, hint: str) -> None:
    """Refuse an empty text, and what follows the closing brace, which isl would not look at."""
    text = source.text.rstrip()
    if not text:
        raise InputError(Diagnostic(f"{source.name} is empty", None, hint))
    end = text.rfind("}") + 1
    if "{" in text and 0 < end < len(text):
        rest = end + len(text[end:]) - len(text[end:].lstrip())
        raise InputError(Diagnostic("unexpected text behind the closing brace", source.span_at(rest), hint))


def read_quasi_polynomial(text: str, name: str = "QPOLY") -> Pieces:
    """The pieces of a piecewise quasi-polynomial; raises `InputError` with the position of a mistake."""
    source = Source(name, text)
    _check_end(source, POLYNOMIAL_HINT)
    opening = text.find("{")
    if opening < 0 or not text.rstrip().endswith("}"):
        raise InputError(Diagnostic("braces are missing", source.span(1, 1), POLYNOMIAL_HINT))
    closing = text.rstrip().rfind("}")
    parts = list(_split(text, opening + 1, closing))
    if all(not text[start:end].strip() for start, end in parts):
        return ()
    return tuple(_piece(source, opening, closing, start, end) for start, end in parts)


def _split(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The stretches between the semicolons outside of brackets."""
    for position in _outside(text, start, end, ";"):
        yield start, position
        start = position + 1
    yield start, end


def _outside(text: str, start: int, end: int, wanted: str) -> Iterator[int]:
    """The positions of a text outside of brackets."""
    depth = 0
    for position in range(start, end):
        depth += (text[position] in _OPENING) - (text[position] in _CLOSING)
        if depth == 0 and text.startswith(wanted, position):
            yield position


def _piece(source: Source, opening: int, closing: int, start: int, end: int) -> Piece:
    """One piece; its domain is read from the text with all else blanked out, so that positions stay."""
    text = source.text
    arrow = next(_outside(text, start, end, "->"), None)
    value_start = start if arrow is None else arrow + len("->")
    colon = next(_outside(text, value_start, end, ":"), end)
    head, names = text[: opening + 1] + _blank(text[opening + 1 : start]), text[start : arrow or start]
    condition = text[colon:end] if colon < end else ":" if arrow is None else ""
    shown = head + names + _blank(text[start + len(names) : colon]) + condition + _blank(text[end:closing]) + "}"
    domain = _read(isl.Set.read_from_str, shown, source, POLYNOMIAL_HINT)
    if domain is None:
        raise InputError(Diagnostic("this is not the domain of a piece", source.span_at(start), POLYNOMIAL_HINT))
    domain = flat_set(domain)
    return Piece(domain, _Parser(source, value_start, colon, domain.get_space()).value())


def _blank(text: str) -> str:
    """As much empty text, on as many lines."""
    return re.sub(r"[^\n]", " ", text)


@dataclass(frozen=True, slots=True)
class _Token:
    """A number, a name or a sign, and where it starts."""

    text: str
    start: int


class _Parser:
    """Reads an expression by recursive descent.

    sum: product (+|- product)*; product: factor ((*|/|mod|%)? factor)*; factor: (-)* atom (^ number)?.
    """

    def __init__(self, source: Source, start: int, end: int, space: isl.Space) -> None:
        self._source, self._space = source, space
        self._tokens = [*_tokens(source.text, start, end), _Token(_END, max(start, len(source.text[:end].rstrip())))]
        self._next = 0
        self._variables = dict(zip(variable_names(space), variables_of(space), strict=True))

    def value(self) -> isl.QPolynomial:
        """The value of the whole expression."""
        found = self._sum()
        if self._token.text != _END:
            self._fail(f"unexpected '{self._token.text}'")
        return found

    @property
    def _token(self) -> _Token:
        return self._tokens[self._next]

    def _fail(self, message: str, token: _Token | None = None, hint: str = POLYNOMIAL_HINT) -> NoReturn:
        where = self._source.span_at((token or self._token).start)
        raise InputError(Diagnostic(message, where, hint))

    def _accept(self, *texts: str) -> str | None:
        if self._token.text not in texts:
            return None
        self._next += 1
        return self._tokens[self._next - 1].text

    def _expect(self, text: str) -> None:
        if not self._accept(text):
            self._fail(f"'{text}' is missing here")

    def _sum(self) -> isl.QPolynomial:
        total = self._product()
        while sign := self._accept("+", "-"):
            operand = self._product()
            total = total.add(operand) if sign == "+" else total.sub(operand)
        return total

    def _product(self) -> isl.QPolynomial:
        total = self._factor()
        while self._token.text not in (_END, "+", "-", *_CLOSING, ","):
            start = self._token
            match self._accept("*", "/", "mod", "%"):
                case "/":
                    total = total.scale_val(isl.Val.one(total.get_ctx()).div(self._constant("divisor")))
                case "mod" | "%":
                    total = self._remainder(total, start)
                case _:
                    total = total.mul(self._factor())
        return total

    def _constant(self, what: str) -> isl.Val:
        """The value of a factor that must be a number other than zero."""
        start = self._token
        found = self._factor()
        value = found.get_constant_val()
        if any(term.powers or term.floors for term in terms(found)) or value.is_zero():
            self._fail(f"the {what} must be a number other than zero", start)
        return value

    def _remainder(self, value: isl.QPolynomial, operator: _Token) -> isl.QPolynomial:
        """value - d * floor(value / d)."""
        modulus = self._constant("modulus")
        one = isl.Val.one(value.get_ctx())
        return value.sub(self._floor(value.scale_val(one.div(modulus)), operator).scale_val(modulus))

    def _factor(self) -> isl.QPolynomial:
        if self._accept("-"):
            return self._factor().neg()
        base = self._atom()
        if not self._accept("^", "**"):
            return base
        token = self._token
        if not token.text.isdigit() or int(token.text) > LARGEST_EXPONENT:
            self._fail(f"an exponent is a whole number up to {LARGEST_EXPONENT}")
        self._next += 1
        return base.pow(int(token.text))

    def _atom(self) -> isl.QPolynomial:
        token = self._token
        if token.text[:1].isdigit():
            self._next += 1
            return constant_polynomial(self._space, Fraction(token.text))
        if self._accept("("):
            return self._closed(")")
        if self._accept("["):
            return self._floor_or_periodic(token)
        if token.text in ("floor", "ceil", "frac") and token.text not in self._variables:
            self._next += 1
            self._expect("(")
            return self._rounded(token, self._closed(")"))
        return self._variable(token)

    def _floor_or_periodic(self, opening: _Token) -> isl.QPolynomial:
        """[e], the floor of e, or [u0, u1, ...]_n, the periodic number that is u_i for n mod d = i."""
        values = [self._sum()]
        while self._accept(","):
            values.append(self._sum())
        self._expect("]")
        return self._floor(values[0], opening) if len(values) == 1 else self._periodic(values, self._index())

    def _index(self) -> tuple[isl.QPolynomial, _Token]:
        """What stands behind a periodic number, _n or _(2n + 1)."""
        token = self._token
        if not token.text.startswith("_") or token.text in self._variables:
            self._fail("a periodic number needs an index", token, "[4, 2, 0]_n, [1, 2]_(i + j)")
        self._next += 1
        if token.text == "_":
            self._expect("(")
            return self._closed(")"), token
        name = _Token(token.text[1:], token.start + 1)
        if name.text not in self._variables:
            self._fail(f"unknown variable '{name.text}'", name)
        return self._variables[name.text], token

    def _periodic(self, values: Sequence[isl.QPolynomial], index: tuple[isl.QPolynomial, _Token]) -> isl.QPolynomial:
        """The sum of u_i (1/d + {(n - 1 - i)/d} - {(n - i)/d}) [Devos, 4.4 and 4.5]."""
        number, where = index
        share = constant_polynomial(self._space, Fraction(1, len(values)))

        def fraction_of(offset: int) -> isl.QPolynomial:
            value = number.sub(constant_polynomial(self._space, offset)).mul(share)
            return value.sub(self._floor(value, where))

        factors = (share.add(fraction_of(i + 1)).sub(fraction_of(i)) for i in range(len(values)))
        return sum_of((value.mul(factor) for value, factor in zip(values, factors, strict=True)), self._space)

    def _closed(self, bracket: str) -> isl.QPolynomial:
        found = self._sum()
        self._expect(bracket)
        return found

    def _rounded(self, function: _Token, value: isl.QPolynomial) -> isl.QPolynomial:
        match function.text:
            case "ceil":
                return self._floor(value.neg(), function).neg()
            case "frac":
                return value.sub(self._floor(value, function))
            case _:
                return self._floor(value, function)

    def _floor(self, value: isl.QPolynomial, where: _Token) -> isl.QPolynomial:
        found = floored(value)
        if found is None:
            self._fail("the argument of a floor must be affine", where, "products of variables cannot be rounded")
        return found

    def _variable(self, token: _Token) -> isl.QPolynomial:
        if token.text not in self._variables:
            known = ", ".join(name for name in self._variables if name) or "none"
            if token.text == _END:
                self._fail("an expression is missing here")
            if token.text[0].isalpha() or token.text[0] == "_":
                self._fail(f"unknown variable '{token.text}'", token, f"variables are: {known}")
            self._fail(f"unexpected '{token.text}'")
        self._next += 1
        return self._variables[token.text]


def _tokens(text: str, start: int, end: int) -> Iterator[_Token]:
    end = len(text[:end].rstrip())
    while start < end and (found := _TOKEN.match(text, start, end)):
        yield _Token(found[found.lastindex or 0], found.start(found.lastindex or 0))
        start = found.end()
