"""Random expressions over the types of HLS: text in C++, with variables of random types.

`d` and `e` are divisors: they are never zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

C_TYPES = ("int", "unsigned char", "short", "bool")
SIGNED_Q, OVERFLOWS = ("AP_TRN", "AP_RND", "AP_RND_CONV"), ("AP_WRAP", "AP_SAT")


@dataclass(frozen=True, slots=True)
class Statement:
    """`target = value;` over variables: types by name, and the type of the target."""

    variables: dict[str, str]
    target: str
    value: str


def random_type(source: Random, most: int = 24) -> str:
    """A type of 1 to some bits."""
    bits = source.randint(1, most)
    if source.random() < 0.5:
        return f"ap_{source.choice(('', 'u'))}int<{bits}>"
    modes = f", {source.choice(SIGNED_Q)}, {source.choice(OVERFLOWS)}" if source.random() < 0.6 else ""
    sign = source.choice(("", "u"))
    return f"ap_{sign}fixed<{bits}, {source.randint(not sign, bits)}{modes}>"


def random_statement(source: Random) -> Statement:
    """An assignment of a random expression to a variable of a random type."""
    names = [f"v{k}" for k in range(4)]
    variables = {name: random_type(source) for name in names}
    variables["c"] = source.choice(C_TYPES)
    variables["d"] = f"ap_int<{source.randint(2, 12)}>"
    variables["e"] = f"ap_uint<{source.randint(2, 12)}>"
    return Statement(variables, random_type(source, 48), _Writer(source, variables).expression(3)[0])


@dataclass(frozen=True, slots=True)
class _Writer:
    source: Random
    variables: dict[str, str]

    def expression(self, depth: int) -> tuple[str, bool]:
        """An expression of a type of HLS, and whether it is an integer."""
        if depth == 0 or self.source.random() < 0.15:
            name = self.source.choice([name for name in self.variables if name != "c"])
            return name, "int" in self.variables[name]
        make = self.source.choice(
            (self._sum, self._sum, self._shift, self._cast, self._unary, self._quotient, self._choice)
        )
        return make(depth - 1)

    def _sum(self, depth: int) -> tuple[str, bool]:
        left, is_whole = self.expression(depth)
        op = self.source.choice(("+", "-", "*", "*", "&", "|", "^"))
        if self.source.random() < 0.25:
            return f"({left} {op} {self.source.choice(('c', '3', '-5', '100'))})", is_whole
        right, is_other = self.expression(depth)
        return f"({left} {op} {right})", is_whole and is_other

    def _quotient(self, depth: int) -> tuple[str, bool]:
        left, is_whole = self.expression(min(depth, 1))
        if not is_whole:
            return f"({left} / {self.source.choice(('7', '-3', 'd', 'e'))})", False
        kind, divisor = self.source.choice(
            (("ap_int<20>", "d"), ("ap_int<9>", "-3"), ("ap_uint<11>", "e"), ("ap_uint<7>", "7"))
        )
        return f"({kind}({left}) {self.source.choice('/%')} {divisor})", True

    def _shift(self, depth: int) -> tuple[str, bool]:
        left, is_whole = self.expression(depth)
        return f"({left} {self.source.choice(('<<', '>>'))} {self.source.randint(0, 6)})", is_whole

    def _cast(self, depth: int) -> tuple[str, bool]:
        kind = random_type(self.source)
        form = "{}({})" if self.source.random() < 0.5 else "static_cast<{}>({})"
        return form.format(kind, self.expression(depth)[0]), "int" in kind

    def _unary(self, depth: int) -> tuple[str, bool]:
        inner, is_whole = self.expression(depth)
        return f"({self.source.choice(('-', '-', '~'))}{inner})", is_whole

    def _choice(self, depth: int) -> tuple[str, bool]:
        kind = random_type(self.source)
        one, other = (f"{kind}({self.expression(depth)[0]})" for _ in range(2))
        left, right = self.expression(min(depth, 1))[0], self.expression(min(depth, 1))[0]
        op = self.source.choice(("<", "<=", "==", "!=", ">", ">="))
        return f"({left} {op} {right} ? {one} : {other})", "int" in kind
