"""Dimensions of sets and maps, which only `poly` handles by position."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import islpy as isl
import pytest

from loadstone.poly.dimensions import (
    Comparison,
    are_equal,
    at_component,
    compared,
    constant_component,
    coordinate,
    first_coordinates,
    first_inputs,
    last_is_determined,
    padded,
    signed_differences,
    with_components,
    with_free_coordinates,
    with_remainders,
)
from loadstone.poly.linear import where_all

PACKAGE = Path(__file__).parent.parent.parent / "src" / "loadstone"
BY_POSITION = {
    "add_constraint",
    "add_constraints",
    "add_dims",
    "drop_constraints_involving_dims",
    "drop_constraints_not_involving_dims",
    "drop_dims",
    "eliminate",
    "equate",
    "fix_dim_si",
    "fix_input_si",
    "fix_val",
    "insert_dims",
    "lower_bound_si",
    "lower_bound_val",
    "move_dims",
    "order_ge",
    "order_gt",
    "order_le",
    "order_lt",
    "plain_get_val_if_fixed",
    "project_out",
    "project_out_except",
    "remove_dims",
    "set_dim_id",
    "set_dim_name",
    "upper_bound_si",
    "upper_bound_val",
}
"""Methods of isl that only `poly` calls."""


def calls_by_position(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Attribute) and node.attr in BY_POSITION:
            yield f"{path.relative_to(PACKAGE)}:{node.lineno} {node.attr}"


def test_only_poly_handles_dimensions_by_position() -> None:
    outside = [path for path in sorted(PACKAGE.rglob("*.py")) if path.parent.name != "poly"]
    assert [call for path in outside for call in calls_by_position(path)] == []


def test_the_methods_are_those_of_isl() -> None:
    kinds = (isl.Set, isl.Map, isl.BasicSet, isl.BasicMap, isl.Space)
    assert [name for name in sorted(BY_POSITION) if not any(hasattr(kind, name) for kind in kinds)] == []


POINTS = isl.Set("[n] -> { [x, y, z] : 0 <= x < n and x <= y <= x + 3 and z = 2y }")
DATES = isl.Map("{ S[i, j] -> [3, i, j, i, 0] : 0 <= i, j < 8 }")


def test_coordinates() -> None:
    assert first_coordinates(POINTS, 2).is_equal(isl.Set("[n] -> { [x, y] : 0 <= x < n and x <= y <= x + 3 }"))
    assert coordinate(POINTS, 1).is_equal(isl.Set("[n] -> { [y] : n > 0 and 0 <= y < n + 3 }"))
    assert last_is_determined(POINTS)
    assert not last_is_determined(first_coordinates(POINTS, 2))


def test_components() -> None:
    assert with_components(DATES, (1, 2)).is_equal(isl.Map("{ S[i, j] -> [i, j] : 0 <= i, j < 8 }"))
    assert [constant_component(DATES, k) for k in range(5)] == [3, None, None, None, 0]
    assert at_component(DATES, 1, 4).is_equal(DATES.intersect_domain(isl.Set("{ S[4, j] }")))
    assert are_equal(DATES, 1, 3)
    assert not are_equal(DATES, 1, 2)


def test_padding() -> None:
    assert padded(isl.Map("{ S[i] -> [i] }"), 3).is_equal(isl.Map("{ S[i] -> [i, 0, 0] }"))
    free = with_free_coordinates(isl.Set("{ [x] : x > 0 }"), isl.Set("{ [x, y] }").get_space())
    assert free.is_equal(isl.Set("{ [x, y] : x > 0 }"))
    assert with_remainders(isl.Set("{ [7] }"), (2, 1)).is_equal(isl.Set("{ [7, y, 0] : 0 <= y < 2 }"))


def test_inputs() -> None:
    assert first_inputs(isl.Map("{ [x, y] -> A[x + y] : 0 <= y < 3 }"), 1).is_equal(
        isl.Map("{ [x] -> A[e] : x <= e < x + 3 }")
    )


@pytest.mark.parametrize("comparison", get_args(Comparison))
def test_comparisons(comparison: Comparison) -> None:
    every = isl.Map("{ [x, y] -> [u, v] : 0 <= x, y, u, v < 3 }")
    assert compared(every, 1, comparison).is_equal(
        every.intersect(isl.Map(f"{{ [x, y] -> [u, v] : y {comparison} v }}"))
    )
    assert compared(every, 1, comparison, 0).is_equal(
        every.intersect(isl.Map(f"{{ [x, y] -> [u, v] : y {comparison} u }}"))
    )


def test_differences_in_both_directions() -> None:
    pairs = isl.Map("[n] -> { A[x] -> A[x + 2] : 0 <= x < n }")
    assert signed_differences(pairs).is_equal(isl.Set("{ [2]; [-2] }"))


def test_constraints() -> None:
    triangle = isl.BasicSet("[n] -> { [x, y] : 0 <= x <= y < n }")
    assert where_all(triangle.get_constraints(), triangle.get_space()).is_equal(isl.Set.from_basic_set(triangle))
