"""Published lower bounds on the words that PolyBench computations move through a local memory of S words.

Leading terms, with the exact number of instances (off the diagonal where proofs are), less two memories full of words
for what they leave out, as in the exact form for the matrix product [Smith, Lowery, Langou, van de Geijn 2019]. A
kernel is one of these computations if it has the statements below, with the same instances and references. Where
published forms differ:

- syrk, cholesky: n^2 m / sqrt(2 S) and n^3 / (3 sqrt(2 S)) [Beaumont, Eyraud-Dubois, Verite, Langou 2022], which also
  reach them. Those of SOAP [Kwasniewski et al. 2021], n^2 m / sqrt(S) and n^3 / (3 sqrt(S)), are undercut by
  that, and by any run with c in local memory where n^2 = 2 S; those of IOLB [Olivry et al. 2020] are less.
- syr2k, symm: sqrt(2) n^2 m / sqrt(S) and sqrt(2) m^2 n / sqrt(S) [Al Daas, Ballard, Grigori, Kumar, Rouse, Verite
  2024]. IOLB has n^2 m / sqrt(S) for syr2k. In a column of symm, x elements of b and y of c allow at most x y updates
  of both statements together, and at most 2 |a|, thus sqrt(2 |a| x y); in all columns sqrt(2 |a| |b| |c|) [Cauchy].
- covariance, correlation, nussinov, floyd-warshall: those of IOLB. Those of SOAP are twice as much; for the first two
  they rest on what is undercut in syrk.
- stencils, durbin, deriche, atax, bicg, mvt, gemver, gesummv, trisolv: none. The forms of stencils grow with the time
  steps, and do not say from which memory on they do not hold: a run with the grid in local memory undercuts them. The
  others are what any run loads (`compulsory`), or are undercut where vectors fit (durbin: 3 n^2 / 2, a run with 3 n
  cells moves 2 n words).

For gemm, 2mm, 3mm and doitgen what is derived in `bounds.py` is the published form.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import islpy as isl

from loadstone.model.kernel import Kernel, Statement
from loadstone.poly import fixed
from loadstone.poly.spaces import Dim
from loadstone.poly.terms import without_parameters
from loadstone.tiling_search.closed_counts import len_of
from loadstone.transfer.strips import in_memory


@dataclass(frozen=True)
class Computation:
    """A computation: statements as references on their instances, and the published form with its source.

    The leading term of the form is `factor` times the number of instances of these statements that are `counted`, over
    sqrt(S).
    """

    name: str
    parameters: tuple[str, ...]
    statements: tuple[tuple[str, tuple[str, ...]], ...]
    factor: float
    form: str
    source: str
    counted: str = "true"

    @cached_property
    def instances(self) -> isl.Set:
        """The iterators that count."""
        return isl.Set(f"{{ [i, j, k] : {self.counted} }}")

    @cached_property
    def references(self) -> tuple[frozenset[isl.Map], ...]:
        """The references of each statement."""
        names = ", ".join(self.parameters)
        return tuple(
            frozenset(isl.Map(f"[{names}] -> {{ [i, j, k] -> {element} : {where} }}") for element in elements)
            for where, elements in self.statements
        )


@dataclass(frozen=True, slots=True)
class Published:
    """A bound for given parameters and local memory, and where it is from."""

    words: float
    source: str


DEPTH = 3
"""The iterators of the statements below."""
IOLB = "IOLB, Olivry et al. 2020"
SYMMETRIC, SYMMETRIC_TWICE = "Beaumont et al. 2022", "Al Daas et al. 2024"
_LOWER = ("0 <= k < j < i < n", ("a[i, j]", "a[i, k]", "a[k, j]"))
_UPPER = ("0 <= k < i <= j < n", ("a[i, j]", "a[i, k]", "a[k, j]"))
_SQUARE = ("0 <= k < j < i < n", ("a[i, j]", "a[i, k]", "a[j, k]"))
_RANK, _PRODUCT = "0 <= j <= i < n and 0 <= k < m", ("c[i, j]", "a[i, k]", "a[j, k]")
_TRIANGLE = ("0 <= i < k < m and 0 <= j < n", ("b[i, j]", "a[k, i]", "b[k, j]"))
_ABOVE = ("0 <= k < i < m and 0 <= j < n", ("c[k, j]", "a[i, k]", "b[i, j]"))
_BELOW = ("0 <= k < i < m and 0 <= j < n", ("c[i, j]", "a[i, k]", "b[k, j]"))
_PROJECTED = ("0 <= i < j < n and 0 <= k < m", ("r[i, j]", "q[k, i]", "a[k, j]"))
_COVARIANCE = ("0 <= i <= j < m and 0 <= k < n", ("cov[i, j]", "data[k, i]", "data[k, j]"))
_CORRELATION = ("0 <= i < j < m and 0 <= k < n", ("corr[i, j]", "data[k, i]", "data[k, j]"))
_PAIRS = ("0 <= i < k < j < n", ("table[i, j]", "table[i, k]", "table[1 + k, j]"))
_PATHS = ("0 <= i < n and 0 <= j < n and 0 <= k < n", ("path[j, k]", "path[j, i]", "path[i, k]"))

COMPUTATIONS = (
    Computation("lu", ("n",), (_LOWER, _UPPER), 2, "2 n^3 / (3 sqrt(S))", IOLB),
    Computation("cholesky", ("n",), (_SQUARE,), sqrt(2), "n^3 / (3 sqrt(2 S))", SYMMETRIC),
    Computation("syrk", ("n", "m"), ((_RANK, _PRODUCT),), sqrt(2), "n^2 m / sqrt(2 S)", SYMMETRIC, "i != j"),
    Computation(
        "syr2k",
        ("n", "m"),
        ((_RANK, (*_PRODUCT, "b[i, k]", "b[j, k]")),),
        2 * sqrt(2),
        "sqrt(2) n^2 m / sqrt(S)",
        SYMMETRIC_TWICE,
        "i != j",
    ),
    Computation("symm", ("m", "n"), (_ABOVE, _BELOW), sqrt(2), "sqrt(2) m^2 n / sqrt(S)", SYMMETRIC_TWICE),
    Computation("trmm", ("m", "n"), (_TRIANGLE,), 2, "m^2 n / sqrt(S)", IOLB),
    Computation("gramschmidt", ("m", "n"), (_PROJECTED, _PROJECTED), 1, "m n^2 / sqrt(S)", IOLB),
    Computation("covariance", ("m", "n"), (_COVARIANCE,), 1, "m^2 n / (2 sqrt(S))", IOLB),
    Computation("correlation", ("m", "n"), (_CORRELATION,), 1, "m^2 n / (2 sqrt(S))", IOLB),
    Computation("nussinov", ("n",), (_PAIRS,), 1, "n^3 / (6 sqrt(S))", IOLB),
    Computation("floyd-warshall", ("n",), (_PATHS,), 1, "n^3 / sqrt(S)", IOLB),
)


def published_bound(kernel: Kernel, parameters: Mapping[str, int], local: int) -> Published | None:
    """The published bound for a kernel; None where it is not one of the computations."""
    for known in COMPUTATIONS:
        statements = _statements(kernel, known)
        if statements:
            instances = sum(_instances(statement, known, parameters) for statement in statements)
            words = known.factor * instances / sqrt(local) - 2 * local
            return Published(words, f"{known.form} [{known.source}]")
    return None


def _statements(kernel: Kernel, known: Computation) -> list[Statement]:
    """The statements of a kernel that are those of a computation; none if some are missing."""
    if not kernel.exact or set(kernel.parameters) != set(known.parameters):
        return []
    deep = [(s, _references(kernel, s)) for s in kernel.statements if len(s.iterators) == DEPTH]
    found = [[s for s, own in deep if _are_equal(references, own)] for references in known.references]
    return list({s.name: s for each in found for s in each}.values()) if all(found) else []


def _instances(statement: Statement, known: Computation, parameters: Mapping[str, int]) -> int:
    domain = without_parameters(fixed(statement.domain, parameters), parameters)
    return len_of(domain.reset_tuple_id().intersect(known.instances))


def _references(kernel: Kernel, statement: Statement) -> list[isl.Map]:
    """The references of a statement to arrays in memory, all its instances unnamed."""
    accesses = [a for a in (*statement.reads, statement.write) if in_memory(kernel.arrays[a.array])]
    return [a.relation.intersect_domain(statement.domain).reset_tuple_id(Dim.in_) for a in accesses]


def _are_equal(some: frozenset[isl.Map], others: list[isl.Map]) -> bool:
    """Whether both hold the same relations."""
    return all(any(a.is_equal(b) for b in others) for a in some) and all(
        any(a.is_equal(b) for a in some) for b in others
    )
