"""Extrema of sets and maps: right by enumeration, certified, and asked of isl in one place only."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path

import islpy as isl
import pytest

import loadstone
from loadstone.poly import extrema, fixed, pairs, points
from loadstone.poly.extrema import (
    Side,
    by_difference,
    greatest,
    greatest_function,
    greatest_value,
    is_extremum,
    least,
    least_function,
    least_value,
)

PACKAGE = Path(loadstone.__file__).parent
ASKS_ISL = re.compile(r"(partial_|union_)?lex(min|max)(_\w+)?|dim_(min|max)")
RELATIONS = (
    "[n] -> { A[i] -> [j, k] : 0 <= i, j < n and i <= k <= i + j and (j + k) mod 2 = 0 }",
    "[n] -> { A[i] -> [j, k] : 0 <= i, j, k < n and 2j >= i + 3k; A[i] -> [j, j] : 0 <= i < n and i <= 3j <= n }",
    "[n] -> { A[i] -> [j, k] : exists (e : 0 <= i < n and i <= 2e + j <= n and 0 <= k <= 3e <= i) and -n <= j <= n }",
)
SIDES: tuple[tuple[Side, Callable[[isl.Map], isl.Map], Callable[[isl.Map], isl.PwMultiAff]], ...] = (
    ("least", least, least_function),
    ("greatest", greatest, greatest_function),
)


def enumerated(relation: isl.Map, side: Side) -> set[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The extreme values by plain comparison."""
    choose = min if side == "least" else max
    listed = pairs(relation)
    return {(source, choose(end for start, end in listed if start == source)) for source, _ in listed}


@pytest.mark.parametrize("text", RELATIONS)
@pytest.mark.parametrize(("side", "extremum", "function"), SIDES, ids=["least", "greatest"])
def test_extrema_of_maps(
    text: str, side: Side, extremum: Callable[[isl.Map], isl.Map], function: Callable[[isl.Map], isl.PwMultiAff]
) -> None:
    relation = isl.Map(text)
    found = extremum(relation)
    assert is_extremum(found, relation, side)
    assert found.is_equal(by_difference(relation, side))
    assert found.is_equal(isl.Map.from_pw_multi_aff(function(relation)))
    for size in (0, 1, 3, 6):
        assert pairs(fixed(found, {"n": size})) == enumerated(fixed(relation, {"n": size}), side)


@pytest.mark.parametrize("text", RELATIONS)
def test_extrema_of_sets_and_of_single_dimensions(text: str) -> None:
    whole = isl.Map(text).range()
    ends = (least(whole), greatest(whole))
    for size in (1, 3, 6):
        listed = sorted(points(fixed(whole, {"n": size})))
        assert [only_point(end, size) for end in ends] == [listed[0], listed[-1]]
        for position in (0, 1):
            column = sorted(point[position] for point in listed)
            values = (least_value(whole, position), greatest_value(whole, position))
            assert [only_point(isl.Set.from_pw_aff(v), size) for v in values] == [(column[0],), (column[-1],)]


def only_point(value: isl.Set, size: int) -> tuple[int, ...]:
    (point,) = points(fixed(value, {"n": size}))
    return point


@pytest.mark.parametrize("wrong", ["[i] -> [i + 1]", "[i] -> [i - 1]", "[i] -> [i]; [3] -> [4]"])
def test_the_certificate_refuses(wrong: str) -> None:
    """A value too great, a value outside of the relation, and two values for one input."""
    relation = isl.Map("{ [i] -> [j] : 0 <= i <= j <= 9 }")
    assert is_extremum(isl.Map("{ [i] -> [i] : 0 <= i <= 9 }"), relation, "least")
    assert not is_extremum(isl.Map(f"{{ {wrong} }}").intersect(relation), relation, "least")
    assert not is_extremum(isl.Map(f"{{ {wrong} }}").intersect_domain(relation.domain()), relation, "least")


def test_a_candidate_that_leaves_inputs_out_is_refused() -> None:
    relation = isl.Map("{ [i] -> [j] : 0 <= i <= j <= 9 }")
    assert not is_extremum(isl.Map("{ [i] -> [i] : 0 <= i <= 8 }"), relation, "least")


@pytest.mark.parametrize("text", RELATIONS)
def test_candidates_that_are_not_tested_give_way(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    relation = isl.Map(text)
    points_of, value, function = least(relation.range()), least_value(relation.range()), least_function(relation)
    monkeypatch.setattr(extrema, "MOST_TESTED", 0)
    assert least(relation.range()).is_equal(points_of)
    assert least_value(relation.range()).is_equal(value)
    assert isl.Map.from_pw_multi_aff(least_function(relation)).is_equal(isl.Map.from_pw_multi_aff(function))


def test_only_one_module_asks_isl_for_extrema() -> None:
    asking = {
        f"{path.relative_to(PACKAGE)}:{node.lineno}: {node.attr}"
        for path in PACKAGE.rglob("*.py")
        if path != PACKAGE / "poly" / "extrema.py"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and ASKS_ISL.fullmatch(node.attr)
    }
    assert not asking


def test_a_candidate_that_takes_too_many_operations_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    relation = isl.Map(RELATIONS[1])
    expected = by_difference(relation, "least")
    monkeypatch.setattr(extrema, "CANDIDATE_LIMIT", 1)
    monkeypatch.setattr(extrema, "is_extremum", None)
    assert least(relation).is_equal(expected)
