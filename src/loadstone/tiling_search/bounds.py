"""Lower bounds on the words that any order of execution moves through a local memory of S words.

Each element that an instance reads is in local memory then. Cut a run into segments with M arrivals of elements each:
an element arrives by a load, or by a write of an instance that does not read it. A segment uses at most S + M elements,
the first one M. Let a reference r see the iterators U_r: different values of these are different elements. If the
weights w_r of references cover each iterator, sum over r with k in U_r of w_r >= 1, the instances of a segment are at
most the product over r of (elements seen by r) ^ w_r [Loomis, Whitney 1949; Finner 1992; for programs Christ et al.
2013, Olivry et al. 2020]. With t_a the sum of the weights of the references to array a, t of all, that is at most

    F(X) = product over arrays a of (t_a X / t) ^ t_a    for X = S + M elements in all.

So |D| instances take at least M ceil((|D| - F(M)) / F(S + M)) arrivals, for any M; without those by writes these are
loads. Stores are at least the elements written that are seen after the kernel. For the matrix product this is
2 n^3 / sqrt(S) + n^2 up to lower terms, the published form [Smith, Lowery, Langou, van de Geijn 2019].

Statements add up, as parts |D| / F(S + M) of a segment, where they share no array: F grows faster than X. They also do
if each has weights 1/2 for three arrays, of which all statements but one, at most, share one array t_k with others: a
segment of sum over k of sqrt(t_k a_k b_k), at most sqrt(t_k) (a_k + b_k) / 2 each, and of sqrt(p q r) for the one that
is left. The first part is largest where all a and b belong to the largest t. If that is p, the sum is at most
sqrt(p) (X - p) / 2, and that at most (X / 3) ^ (3/2); else both parts share no array.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import ceil, prod

import islpy as isl

from loadstone.model.kernel import Access, Kernel, Statement
from loadstone.poly import fixed
from loadstone.poly.dimensions import with_inputs
from loadstone.poly.terms import without_parameters
from loadstone.tiling_search.closed_counts import len_of
from loadstone.tiling_search.published import published_bound
from loadstone.transfer.baselines import compulsory
from loadstone.transfer.strips import in_memory
from loadstone.transfer.volumes import count

WEIGHTS = (0.0, 1 / 3, 0.5, 2 / 3, 1.0)
MOST_REFERENCES, MOST_STATEMENTS = 5, 6
SEGMENTS = tuple(sorted({round(2 ** (exponent / 4)) for exponent in range(128)}))
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Reuse:
    """A statement: how many instances it has, and the weights of the arrays whose elements bound how many run."""

    instances: int
    weights: Mapping[str, float]

    def most(self, elements: float) -> float:
        """The most instances that so many elements allow: F."""
        total = sum(self.weights.values())
        return prod((weight * elements / total) ** weight for weight in self.weights.values() if weight)


@dataclass(frozen=True, slots=True)
class Compulsory:
    """Each input once, each result once."""

    loads: int
    stores: int

    @property
    def words(self) -> int:
        """Loads and stores."""
        return self.loads + self.stores


def compulsory_words(kernel: Kernel, parameters: Mapping[str, int]) -> Compulsory:
    """What cannot be avoided with any local memory."""
    found = compulsory(kernel)
    loads, stores = (sum(count(part, parameters) for part in parts) for parts in (found.loads, found.stores))
    return Compulsory(loads, stores)


@dataclass(frozen=True, slots=True)
class Bound:
    """A lower bound on words, and where it is from."""

    words: float
    source: str


def best_bound(kernel: Kernel, parameters: Mapping[str, int], local: int) -> Bound | None:
    """The largest known bound on the words that the kernel moves through a local memory; None where none is known."""
    derived, known = derived_bound(kernel, parameters, local), published_bound(kernel, parameters, local)
    found = [] if derived is None else [Bound(derived, "derived")]
    if known is not None and known.words > 0:
        found.append(Bound(known.words, known.source))
    return max(found, key=lambda bound: bound.words, default=None)


def io_bound(kernel: Kernel, parameters: Mapping[str, int], local: int) -> float | None:
    """The words of the largest known bound; None where none is known."""
    found = best_bound(kernel, parameters, local)
    return None if found is None else found.words


def derived_bound(kernel: Kernel, parameters: Mapping[str, int], local: int) -> float | None:
    """The bound that is proved here; None where the proof does not apply."""
    found = list(_reuses(kernel, parameters))[:MOST_STATEMENTS]
    if not found or not kernel.exact:
        return None
    chosen = [part for size in range(1, len(found) + 1) for part in combinations(found, size) if _add_up(part)]
    loads = max(_arrivals(part, local) - _written(kernel, parameters, part) for part in chosen)
    return max(0.0, loads) + compulsory_words(kernel, parameters).stores


def _arrivals(reuses: Sequence[Reuse], local: int) -> float:
    """The arrivals of elements that statements need together."""

    def segments(arrivals: float) -> float:
        first = max(reuse.most(arrivals) / reuse.most(local + arrivals) for reuse in reuses)
        return sum(reuse.instances / reuse.most(local + arrivals) for reuse in reuses) - first

    return max(each * max(0, ceil(segments(each) - ROUNDING)) for each in SEGMENTS)


def _add_up(reuses: Sequence[Reuse]) -> bool:
    """Whether the parts that statements have of a segment add up to at most one."""
    arrays = [set(reuse.weights) for reuse in reuses]
    shared = {a for one, other in combinations(arrays, 2) for a in one & other}
    halves = all(sorted(reuse.weights.values()) == [0.5] * 3 for reuse in reuses)
    return not shared or (halves and sum(len(part & shared) > 1 for part in arrays) <= 1)


def _written(kernel: Kernel, parameters: Mapping[str, int], reuses: Sequence[Reuse]) -> int:
    """The arrivals by writes: instances that write an element of one of the arrays without reading it."""
    arrays = {array for reuse in reuses for array in reuse.weights}
    creators = [s for s in kernel.statements if s.write.array in arrays and not _reads_own(s)]
    return sum(_instances(statement, parameters) for statement in creators)


def _reads_own(statement: Statement) -> bool:
    same = (read for read in statement.reads if read.array == statement.write.array)
    return any(statement.write.relation.is_subset(read.relation) for read in same)


def _instances(statement: Statement, parameters: Mapping[str, int]) -> int:
    return len_of(without_parameters(fixed(statement.domain, parameters), parameters))


def _reuses(kernel: Kernel, parameters: Mapping[str, int]) -> Iterator[Reuse]:
    """For each statement with more iterators than any of its references sees, the weights with the least F."""
    for statement in kernel.statements:
        reads = (read for read in statement.reads if in_memory(kernel.arrays[read.array]))
        seen = {(read.array, _seen(read, statement)) for read in reads}
        references = sorted((array, sorted(dims)) for array, dims in seen if dims)[:MOST_REFERENCES]
        weights = _best_weights(references, len(statement.iterators))
        if weights is not None:
            yield Reuse(_instances(statement, parameters), weights)


def _seen(read: Access, statement: Statement) -> frozenset[int]:
    """The iterators whose values different elements have; none where a reference is not of that kind."""
    dims = range(len(statement.iterators))
    relation = read.relation.intersect_domain(statement.domain)
    seen = [k for k in dims if not _is_single(relation, [j for j in dims if j != k])]
    return frozenset(seen) if with_inputs(relation, seen).is_injective() else frozenset()


def _is_single(relation: isl.Map, dims: Sequence[int]) -> bool:
    """Whether some iterators determine the element: whether it depends on no other."""
    return with_inputs(relation, dims).is_single_valued()


def _best_weights(references: Sequence[tuple[str, list[int]]], iterators: int) -> Mapping[str, float] | None:
    """Weights of arrays that cover all iterators, with the least sum; None where that is at most one."""
    found: list[tuple[float, float, dict[str, float]]] = []
    for weights in product(WEIGHTS, repeat=len(references)):
        weighted = [(weight, *reference) for weight, reference in zip(weights, references, strict=True) if weight]
        if all(sum(w for w, _, dims in weighted if k in dims) >= 1 - ROUNDING for k in range(iterators)):
            arrays = {a: sum(w for w, array, _ in weighted if array == a) for _, a, _ in weighted}
            found.append((sum(weights), Reuse(0, arrays).most(1.0), arrays))
    best = min(found, key=lambda each: each[:2], default=None)
    return None if best is None or best[0] <= 1 + ROUNDING else best[2]
