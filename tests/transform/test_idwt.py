"""The variants of the 2-D inverse wavelet transform [Devos, 3.7 and 3.8]: legal, equal to the original, more local."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

import islpy as isl
import pytest

import loadstone as ls
from kernels import ROOT
from loadstone.analysis import dependences
from loadstone.locality import exceeding, measure, order_of
from loadstone.model.kernel import Kernel
from loadstone.poly import fixed, pairs
from loadstone.poly.spaces import Dim
from loadstone.simulate.interpreter import Instance
from loadstone.transform.legality import maps_of, program_violation
from loadstone.transform.program import Part, Program, program_of
from loadstone.transform.script import read_script
from loadstone.transform.scripted import transformed
from loadstone.trials import compare_executions
from oracle import flow_pairs, traced

FOLDER = ROOT / "benchmarks" / "idwt"
VARIANTS = ("lb", "lb_h", "lb_hv", "lb_v", "lb_vh", "rc_h", "rc_hv", "rc_v", "rc_vh", "vh_lb")
OVERLAPPING = ("lb_v_overlap", "rc_h_overlap", "rc_v_overlap")
SMALL_TILES = ("lb_vhs", "rc_hvs")
SAMPLE = ("lb", "lb_h", "lb_vh", "rc_v", "rc_vh", "vh_lb", "lb_v_overlap", "rc_h_overlap")
IMAGE = {"r": 9, "c": 11}

PUBLISHED = {
    "rc": (10202, 8954, 4868, 489),
    "rc_h": (12731, 10981, 6035, 0),
    "rc_hv": (14213, 10695, 2114, 0),
    "rc_v": (11845, 9106, 2103, 0),
    "rc_vh": (14267, 10801, 2120, 0),
    "vh_lb": (15660, 10876, 2008, 0),
    "lb": (33646, 1881, 1119, 211),
    "lb_h": (14871, 13124, 6508, 0),
    "lb_hv": (16617, 12456, 6748, 0),
    "lb_v": (34242, 4678, 144, 0),
    "lb_vh": (16685, 11899, 774, 0),
}
"""Reuses with a distance greater than 2^9, 2^11, 2^13 and 2^14, 72 x 88 pixels [Devos, Table 3.6]."""


@cache
def original() -> Kernel:
    return ls.parse(FOLDER / "idwt.c")


@cache
def variant(name: str) -> Program:
    program = program_of(original())
    for item in () if name == "rc" else read_script(FOLDER / f"{name}.steps"):
        program = item.step.applied(program)
    return program


def two_stripes(name: str) -> dict[str, int]:
    """Sizes with two stripes in each direction in which a variant is tiled."""
    return {"r": 5 if "v" in name else 3, "c": 5 if "h" in name else 3}


def test_all_scripts_are_variants_or_primary_sequences() -> None:
    primary = {"rc2lb", "tile_v", "tile_h", "overlap"}
    assert {path.stem for path in FOLDER.glob("*.steps")} == {*VARIANTS, *OVERLAPPING, *SMALL_TILES, *primary}


def equals_original(name: str) -> bool:
    sizes = two_stripes(name.removesuffix("_overlap"))
    return bool(compare_executions(variant(name).kernel, sizes).is_right)


@pytest.mark.parametrize("name", [*VARIANTS, *OVERLAPPING, *SMALL_TILES])
def test_variants_are_legal(name: str) -> None:
    assert program_violation(variant(name), dependences(original())) is None


@pytest.mark.parametrize("name", SAMPLE)
def test_variants_equal_the_original(name: str) -> None:
    assert equals_original(name)


@pytest.mark.sweep
@pytest.mark.parametrize("name", [name for name in (*VARIANTS, *OVERLAPPING, *SMALL_TILES) if name not in SAMPLE])
def test_all_variants_equal_the_original(name: str) -> None:
    assert equals_original(name)


def test_all_steps_of_a_variant_are_legal() -> None:
    assert all(outcome.legal for outcome in transformed(original(), FOLDER / "lb.steps").steps)


@pytest.mark.sweep
@pytest.mark.parametrize("name", VARIANTS)
def test_all_steps_of_all_variants_are_legal(name: str) -> None:
    assert all(outcome.legal for outcome in transformed(original(), FOLDER / f"{name}.steps").steps)


def test_tilings_of_the_row_column_variant_commute() -> None:
    assert variant("rc_hv").kernel.schedule.is_equal(variant("rc_vh").kernel.schedule)


def stripe_of(part: Part) -> isl.Map:
    """Instances of the kernel to the stripe in which a statement executes them."""
    return part.counters(1).intersect_domain(part.statement.domain).set_tuple_name(Dim.in_, part.base)


def between_stripes(program: Program) -> Iterator[isl.Map]:
    """The flow of values whose target runs in a stripe in which no copy of the source runs."""
    for flow in maps_of(dependences(program.base).flow.intersect_params(program.base.context)):
        sources = [stripe_of(p) for p in program.parts if p.base == flow.get_tuple_name(Dim.in_)]
        targets = [stripe_of(p) for p in program.parts if p.base == flow.get_tuple_name(Dim.out)]
        for target in targets:
            rest = flow.intersect_range(target.domain())
            for source in sources:
                rest = rest.subtract(source.apply_range(target.reverse()))
            yield rest


def are_independent(program: Program) -> bool:
    return all(rest.is_empty() for rest in between_stripes(program))


@pytest.mark.parametrize("name", OVERLAPPING)
def test_overlapping_stripes_are_independent(name: str) -> None:
    assert not are_independent(variant(name.removesuffix("_overlap")))
    assert are_independent(variant(name))


def needed(wanted: Iterable[Instance], sources: Mapping[Instance, set[Instance]]) -> set[Instance]:
    """The wanted instances and all that they need."""
    found: set[Instance] = set()
    waiting = list(wanted)
    while waiting:
        instance = waiting.pop()
        if instance not in found:
            found.add(instance)
            waiting += sources.get(instance, ())
    return found


def executed_by_stripes(program: Program, parameters: Mapping[str, int]) -> dict[tuple[int, ...], set[Instance]]:
    """The instances of the kernel that each stripe executes."""
    found: defaultdict[tuple[int, ...], set[Instance]] = defaultdict(set)
    for part in program.parts:
        for instance, stripe in pairs(fixed(stripe_of(part), parameters)):
            found[stripe].add((part.base, instance))
    return found


@pytest.mark.parametrize("name", OVERLAPPING)
def test_overlapping_stripes_execute_what_they_need_and_nothing_else(name: str) -> None:
    parameters = {"r": 3, "c": 9} if name == "rc_h_overlap" else {"r": 9, "c": 3}
    sources: defaultdict[Instance, set[Instance]] = defaultdict(set)
    for source, target in flow_pairs(traced(original(), parameters)):
        sources[target].add(source)
    stripes = executed_by_stripes(variant(name), parameters)
    assert len(stripes) == 3
    for executed in stripes.values():
        results = [instance for instance in executed if instance[0] in ("H_even1", "H_odd1")]
        assert executed == needed(results, sources)


def long_reuses(name: str) -> tuple[int, ...]:
    profile = measure(order_of(variant(name).kernel), IMAGE)
    return tuple(exceeding(profile, 2**exponent) for exponent in (9, 11, 13, 14))


def changes(reuses: tuple[int, ...], before: tuple[int, ...]) -> tuple[bool, ...]:
    """For each distance, whether a variant has fewer reuses than another one."""
    return tuple(number < other for number, other in zip(reuses, before, strict=True))


def check_changes(names: Iterable[str]) -> None:
    before = long_reuses("rc")
    for name in names:
        ours = long_reuses(name)
        assert changes(ours, before) == changes(PUBLISHED[name], PUBLISHED["rc"]), name
        assert (ours[3] == 0) == (PUBLISHED[name][3] == 0), name


def test_variants_have_fewer_long_reuses_where_published() -> None:
    check_changes(("lb", "lb_v", "rc_v", "rc_h"))


@pytest.mark.sweep
def test_all_variants_have_fewer_long_reuses_where_published() -> None:
    check_changes(VARIANTS)
