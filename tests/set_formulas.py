"""The formulas of RR-7697 as oracles: on finite sets of elements per tile, and as isl formulas on tile -> elements.

`reads` is In, over-approximated; `over` and `under` are Out, over- and under-approximated; equal in the exact case.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import combinations

import islpy as isl

Elements = frozenset[Hashable]
Tiles = Sequence[Elements]


def union(sets: Iterable[Elements]) -> Elements:
    return frozenset[Hashable]().union(*sets)


def theorem_1(reads: Tiles, writes: Tiles) -> tuple[list[Elements], list[Elements]]:
    """Load(T) = In(T) \\ (In(t < T) u Out(t < T)) and Store(T) = Out(T) \\ Out(t > T)."""
    tiles = range(len(reads))
    load = [reads[t] - union(reads[:t]) - union(writes[:t]) for t in tiles]
    return load, theorem_5(writes)


def theorem_5(over: Tiles) -> list[Elements]:
    """Store(T) = Out(T) \\ Out(t > T), over-approximated."""
    return [over[t] - union(over[t + 1 :]) for t in range(len(over))]


def theorem_6(reads: Tiles, over: Tiles, under: Tiles, store: Tiles) -> list[Elements]:
    """Load(T) = (In'(T) u (Out(T) n Ra(t > T))) \\ (In'(t < T) u Out(t < T)); In' counts unsure stores as reads."""
    tiles = range(len(reads))
    read = [reads[t] | (store[t] - under[t]) for t in tiles]
    remote = [read[t] - union(under[:t]) for t in tiles]
    return [(read[t] | (over[t] & union(remote[t + 1 :]))) - union(read[:t]) - union(over[:t]) for t in tiles]


def theorem_7(reads: Tiles, over: Tiles, under: Tiles) -> tuple[list[Elements], list[Elements]]:
    """By first and last tiles, with the symbols for undefined (larger than all) and top (smaller than all)."""
    undefined, top = len(reads), -1

    def first(sets: Tiles, element: Hashable) -> int:
        return next((t for t, elements in enumerate(sets) if element in elements), undefined)

    def first_read_before_sure_write(element: Hashable) -> int:
        read, sure = first(reads, element), first(under, element)
        q1 = top if sure < read else min(read, sure)
        q2 = min(q1, first(over, element))
        return undefined if q2 == top else q2

    every = union(reads) | union(over)
    load = [frozenset(e for e in every if first_read_before_sure_write(e) == t) for t in range(undefined)]
    store = [frozenset(e for e in every if undefined - 1 - first(over[::-1], e) == t) for t in range(undefined)]
    return load, store


def violated(
    reads: Tiles, over: Tiles, under: Tiles, load: Tiles, store: Tiles, needed: Elements | None = None
) -> set[str]:
    """The names of the conditions for validity and exactness that a plan of a strip violates.

    `needed`, if given, are the elements that must be stored; the papers store all that is written.
    """
    tiles = range(len(reads))
    wanted = union(over) if needed is None else needed
    pairs = list(combinations(tiles, 2))
    read = [reads[t] | (store[t] - under[t]) for t in tiles]
    conditions = {
        "Theorem 3 (i)": all(reads[t] - union(under[:t]) <= union(load[: t + 1]) for t in tiles),
        "Theorem 3 (ii)": all(not union(over[:t]) & load[t] for t in tiles),
        "Theorem 4 (i)": wanted <= union(store),
        "Theorem 4 (ii)": all(not store[t] & union(over[t + 1 :]) for t in tiles),
        "Theorem 4 (iii)": all(store[t] - union(under[: t + 1]) <= union(load[: t + 1]) for t in tiles),
        "Definition 2 (i)": wanted <= union(store) <= union(over),
        "Definition 3 (ii)": union(read[t] - union(under[:t]) for t in tiles) == union(load),
        "Definition 3 (iii)": all(not load[t] & load[u] for t, u in pairs),
        "Definition 4 (ii)": all(not store[t] & store[u] for t, u in pairs),
    }
    return {name for name, holds in conditions.items() if not holds}


def before(tile_to_elements: isl.Map) -> isl.Map:
    """X(t < T)."""
    return tile_to_elements.apply_domain(isl.Map.lex_lt(tile_to_elements.get_space().domain()))


def behind(tile_to_elements: isl.Map) -> isl.Map:
    """X(t > T)."""
    return tile_to_elements.apply_domain(isl.Map.lex_gt(tile_to_elements.get_space().domain()))


def isl_theorem_1(reads: isl.Map, writes: isl.Map) -> tuple[isl.Map, isl.Map]:
    load = reads.subtract(before(reads).union(before(writes)))
    return load, isl_theorem_5(writes)


def isl_theorem_5(over: isl.Map) -> isl.Map:
    return over.subtract(behind(over))


def isl_theorem_6(reads: isl.Map, over: isl.Map, under: isl.Map, store: isl.Map) -> isl.Map:
    read = reads.union(store.subtract(under))
    remote = read.subtract(before(under))
    return read.union(over.intersect(behind(remote))).subtract(before(read).union(before(over)))


def isl_theorem_7(reads: isl.Map, over: isl.Map, under: isl.Map) -> tuple[isl.Map, isl.Map]:
    first_read, first_sure = reads.reverse().lexmin(), under.reverse().lexmin()
    earlier_read = first_read.apply_range(isl.Map.lex_le(first_read.get_space().range()))
    top = first_sure.subtract(earlier_read).domain()
    accessed = first_read.union(over.reverse().lexmin()).lexmin()
    return accessed.subtract_domain(top).reverse(), over.reverse().lexmax().reverse()
