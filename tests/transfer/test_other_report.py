"""Theorems 1 to 4 and equations 1 and 2 of RR-7648 in their own form, and what RR-7697 rejects, by execution.

A strip is executed on numbers: loads copy from remote to local memory, tiles read and write local memory, stores copy
back. A transfer is right if every read finds the value that it finds in sequence, and remote memory is in the end what
it is then. Approximations are right if they are for every strip that they allow.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import islpy as isl
import pytest

import loadstone as ls
from kernels import ROOT
from loadstone.transfer.tile_accesses import tile_accesses
from loadstone.transform.tiling import Tiling, tiled
from set_formulas import Elements, Tiles, theorem_1, theorem_5, theorem_6, union

Plan = tuple[list[Elements], list[Elements]]
"""Load and Store of each tile."""


class Strip(NamedTuple):
    """In, over-approximated, and Out, over- and under-approximated, of each tile."""

    reads: list[Elements]
    over: list[Elements]
    under: list[Elements]


def some(source: random.Random, among: Elements, probability: float) -> Elements:
    return frozenset(e for e in sorted(among, key=str) if source.random() < probability)


def random_strip(source: random.Random) -> Strip:
    every: Elements = frozenset(range(source.randint(1, 4)))
    tiles = range(source.randint(1, 4))
    over = [some(source, every, 0.4) for _ in tiles]
    return Strip([some(source, every, 0.4) for _ in tiles], over, [some(source, written, 0.5) for written in over])


def executions(source: random.Random, strip: Strip, count: int = 6) -> Iterator[tuple[list[Elements], list[Elements]]]:
    """What tiles read and write in executions that an approximation allows, the extreme ones among them."""
    yield strip.reads, strip.over
    yield strip.reads, strip.under
    for _ in range(count):
        reads = [some(source, elements, 0.7) for elements in strip.reads]
        writes = [u | some(source, o - u, 0.5) for o, u in zip(strip.over, strip.under, strict=True)]
        yield reads, writes


def is_executed_rightly(reads: Tiles, writes: Tiles, plan: Plan) -> bool:
    """Whether tiles see the values of the sequential execution, and leave its memory behind.

    Each tile is loaded before the one before it runs, as double buffering does.
    """
    remote = {element: (-1, element) for element in union((*reads, *writes, *plan[0], *plan[1]))}
    local: dict[object, object] = {}
    expected = dict(remote)
    load, store = plan
    steps = len(reads)
    for tile in range(steps + 1):
        if tile < steps:
            local |= {element: remote[element] for element in load[tile]}
        if tile > 0:
            if any(local.get(element) != expected[element] for element in reads[tile - 1]):
                return False
            written = {element: (tile, element) for element in writes[tile - 1]}
            local |= written
            expected |= written
            if any(element not in local for element in store[tile - 1]):
                return False
            remote |= {element: local[element] for element in store[tile - 1]}
    return remote == expected


def load_is_sufficient(strip: Strip, load: Tiles) -> bool:
    """Theorem 2."""
    reads, over, under = strip
    tiles = range(len(reads))
    needed = [reads[t] - union(under[:t]) for t in tiles]
    return all(union(needed[: t + 1]) <= union(load[: t + 1]) for t in tiles) and all(
        not union(over[:t]) & load[t] for t in tiles
    )


def store_is_sufficient(strip: Strip, store: Tiles) -> bool:
    """Theorem 3; (iii) goes with a load that is valid for the same In."""
    reads, over, under = strip
    tiles = range(len(reads))
    return (
        union(over) <= union(store)
        and all(not store[t] & union(over[t + 1 :]) for t in tiles)
        and all(store[t] <= union(reads[: t + 1]) | union(under[: t + 1]) for t in tiles)
    )


def equation_1(strip: Strip) -> list[Elements]:
    """Load(T) = In(T) \\ (In(t < T) u Out(t < T)), over-approximated."""
    return [strip.reads[t] - union(strip.reads[:t]) - union(strip.over[:t]) for t in range(len(strip.reads))]


def equation_2(strip: Strip) -> list[Elements]:
    """Store(T) = Out(T) \\ Out(t > T), over-approximated."""
    return [strip.over[t] - union(strip.over[t + 1 :]) for t in range(len(strip.over))]


def condition_1(strip: Strip) -> bool:
    """Theorem 4 (i)."""
    reads, over, under = strip
    return all(
        over[t] <= union(reads[: t + 1]) | union(over[t + 1 :]) | union(under[: t + 1]) for t in range(len(reads))
    )


def condition_2(strip: Strip) -> bool:
    """Theorem 4 (ii)."""
    reads, over, under = strip
    return all(reads[t] & (union(over[:t]) - union(under[:t])) <= union(reads[:t]) for t in range(len(reads)))


def with_unsure_writes(strip: Strip) -> Strip:
    """How (i) is met: what is perhaps written is read."""
    reads = [r | (o - u) for r, o, u in zip(*strip, strict=True)]
    return strip._replace(reads=reads)


def with_early_reads(strip: Strip) -> Strip:
    """How (ii) is met: In(T) gets what later tiles read that tiles up to T perhaps write, and none surely before."""
    reads, over, under = strip
    tiles = range(len(reads))
    early = [
        union(reads[t] & (union(over[: tile + 1]) - union(under[:t])) for t in tiles if t > tile) for tile in tiles
    ]
    return strip._replace(reads=[r | e for r, e in zip(reads, early, strict=True)])


def changed(source: random.Random, strip: Strip, plan: Sequence[Elements]) -> list[Elements]:
    """Transfers with some elements more, or fewer."""
    every = union((*strip.reads, *strip.over))
    return [(part | some(source, every, 0.15)) - some(source, every, 0.1) for part in plan]


def test_theorems_2_and_3_suffice() -> None:
    source, checked = random.Random(2), 0
    for _ in range(4000):
        strip = random_strip(source)
        store = theorem_5(strip.over)
        wide = with_unsure_writes(strip)
        load = theorem_6(*wide, store)
        plan = changed(source, strip, load), changed(source, strip, store)
        if not (load_is_sufficient(wide, plan[0]) and store_is_sufficient(wide, plan[1])):
            continue
        checked += 1
        assert all(is_executed_rightly(*one, plan) for one in executions(source, strip))
    assert checked > 500


def test_what_theorems_2_and_3_ask_for_is_needed() -> None:
    """Some plan that violates just one of the conditions is wrong."""
    source, wrong = random.Random(3), {"load": 0, "store": 0}
    for _ in range(2000):
        strip = with_unsure_writes(random_strip(source))
        store = theorem_5(strip.over)
        load = theorem_6(*strip, store)
        for name, plan in (
            ("load", (changed(source, strip, load), store)),
            ("store", (load, changed(source, strip, store))),
        ):
            if load_is_sufficient(strip, plan[0]) and store_is_sufficient(strip, plan[1]):
                continue
            wrong[name] += not all(is_executed_rightly(*one, plan) for one in executions(source, strip))
    assert min(wrong.values()) > 100


def test_theorem_4() -> None:
    source, checked = random.Random(4), 0
    for _ in range(6000):
        strip = random_strip(source)
        if not (condition_1(strip) and condition_2(strip)):
            continue
        checked += 1
        plan = equation_1(strip), equation_2(strip)
        assert load_is_sufficient(strip, plan[0])
        assert store_is_sufficient(strip, plan[1])
        assert all(is_executed_rightly(*one, plan) for one in executions(source, strip))
    assert checked > 500


def test_equations_1_and_2_alone_do_not_suffice() -> None:
    source = random.Random(5)
    strips = [random_strip(source) for _ in range(2000)]
    wrong = [
        strip
        for strip in strips
        if not all(
            is_executed_rightly(*one, (equation_1(strip), equation_2(strip))) for one in executions(source, strip)
        )
    ]
    assert wrong
    assert not any(condition_1(strip) and condition_2(strip) for strip in wrong)


def test_how_the_conditions_of_theorem_4_are_met() -> None:
    source = random.Random(6)
    for _ in range(3000):
        strip = random_strip(source)
        first = with_unsure_writes(strip)
        assert condition_1(first)
        both = with_early_reads(first)
        assert condition_1(both)
        assert condition_2(both)
        plan = equation_1(both), equation_2(both)
        assert all(is_executed_rightly(*one, plan) for one in executions(source, strip))


def test_theorem_1_by_execution() -> None:
    source = random.Random(1)
    for _ in range(3000):
        reads, writes, _ = random_strip(source)
        plan = theorem_1(reads, writes)
        assert is_executed_rightly(reads, writes, plan)
        assert plan == (equation_1(Strip(reads, writes, writes)), equation_2(Strip(reads, writes, writes)))


# The candidates that RR-7697 discusses before Theorem 6.

Candidate = Callable[[list[Elements], Strip], list[Elements]]


def needed(strip: Strip) -> list[Elements]:
    """In'(T): unsure stores are reads."""
    store = theorem_5(strip.over)
    return [r | (s - u) for r, s, u in zip(strip.reads, store, strip.under, strict=True)]


def without(first: Sequence[Elements], read: Sequence[Elements], written: Sequence[Elements]) -> list[Elements]:
    return [first[t] - union(read[:t]) - union(written[:t]) for t in range(len(first))]


CANDIDATES: dict[str, Candidate] = {
    "over": lambda read, strip: without(read, read, strip.over),
    "under": lambda read, strip: without(read, read, strip.under),
    "useless": lambda read, strip: without([r | o for r, o in zip(read, strip.over, strict=True)], read, strip.over),
}


def outcome(name: str) -> tuple[int, int]:
    """How many of some strips a candidate is wrong for, and for how many it loads more than Theorem 6."""
    source, wrong, more = random.Random(7), 0, 0
    for _ in range(2000):
        strip = random_strip(source)
        store = theorem_5(strip.over)
        load = CANDIDATES[name](needed(strip), strip)
        wrong += not all(is_executed_rightly(*one, (load, store)) for one in executions(source, strip))
        more += union(load) > union(theorem_6(*strip, store))
    return wrong, more


@pytest.mark.parametrize("name", ["over", "under"])
def test_the_first_two_candidates_are_wrong(name: str) -> None:
    wrong, _ = outcome(name)
    assert wrong > 0


def test_the_third_candidate_is_right_and_loads_useless_data() -> None:
    wrong, more = outcome("useless")
    assert wrong == 0
    assert more > 0


def test_the_naive_solution_is_right() -> None:
    """All loads in the first tile, all stores in the last."""
    source = random.Random(8)
    for _ in range(2000):
        strip = random_strip(source)
        nothing: list[Elements] = [frozenset()] * (len(strip.reads) - 1)
        written = union(strip.over)
        load = [union(strip.reads) | (written - union(strip.under)), *nothing]
        assert all(is_executed_rightly(*one, (load, [*nothing, written])) for one in executions(source, strip))


# The sets of the polynomial product, tiling (a).

IN = "c[m] : 0 <= 10T0 <= N and 10T1 <= m <= 2N - 10T0 and N - 10T0 - 9 + 10T1 <= m <= N - 10T0 + 10T1 + 9"
IN_BEFORE = "c[m] : T1 >= 1 and 0 <= 10T0 <= N and 0 <= m <= 2N - 10T0 and N - 10T0 - 9 <= m <= N - 10T0 + 10T1 - 1"


def printed(text: str) -> isl.Map:
    return isl.Map.read_from_str(isl.DEFAULT_CONTEXT, f"[N, T0] -> {{ [T1] -> {text} }}")


def accessed() -> tuple[isl.Map, isl.Map]:
    """In and Out of c."""
    kernel = ls.parse(ROOT / "examples" / "polymul.c")
    found = tile_accesses(tiled(kernel, Tiling((10, 10), "[N] -> { S2[i,j] -> [N-j, i] }")))["c"]
    return found.reads, found.must_writes


def test_in_as_printed() -> None:
    """RR-7697, 2.2: In(T) = Out(T); the printed form holds for tiles with 10 T <= N, and only there."""
    reads, writes = accessed()
    there = isl.Set("[N, T0] -> { [T1] : 0 <= 10T1 <= N }")
    assert reads.is_equal(writes)
    assert reads.is_equal(printed(IN).intersect_domain(there))
    assert not reads.is_equal(printed(IN))


def test_in_before_a_tile_as_printed() -> None:
    """RR-7697, 2.2: In(t < T)."""
    reads, _ = accessed()
    earlier = reads.apply_domain(isl.Map("[N, T0] -> { [t] -> [T1] : t < T1 }"))
    assert earlier.intersect_domain(isl.Set("[N, T0] -> { [T1] : T1 >= 1 }")).is_equal(printed(IN_BEFORE))
