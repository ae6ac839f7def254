"""Points by list comprehensions against points by isl."""

import random
from collections.abc import Iterable
from itertools import pairwise, product

import islpy as isl
import pytest

from loadstone.poly import enumeration
from loadstone.poly.enumeration import Point, pairs_in_order, points
from loadstone.poly.names import fixed
from loadstone.poly.spaces import Dim


def by_isl(value: isl.Set) -> list[Point]:
    found: list[Point] = []
    dims = range(value.dim(Dim.set))
    value.foreach_point(
        lambda point: found.append(tuple(point.get_coordinate_val(Dim.set, k).to_python() for k in dims))
    )
    return sorted(found)


def random_set(draw: random.Random) -> isl.Set:
    """A bounded set with inequalities, equalities, strides, quotients and existential variables."""
    names = [f"i{k}" for k in range(draw.randint(0, 4))]
    box = [f"{draw.randint(-5, 0)} <= {name} <= {draw.randint(0, 6)}" for name in names]
    conditions = box + [random_condition(draw, names) for _ in range(draw.randint(0, 4)) if names]
    tuple_text = f"[{', '.join(names)}]"
    value = isl.Set(f"[n] -> {{ {tuple_text} : n = 3 {''.join(f' and {each}' for each in conditions)} }}")
    other = isl.Set(f"[n] -> {{ {tuple_text} : n = 3 {''.join(f' and 0 <= {name} <= n' for name in names)} }}")
    return value.union(other) if draw.random() < 0.4 else value


def random_condition(draw: random.Random, names: list[str]) -> str:
    factors = [draw.randint(-3, 3) for _ in names]
    total = "0" + "".join(f" {'-' if by < 0 else '+'} {abs(by)}{name}" for by, name in zip(factors, names, strict=True))
    return draw.choice(
        [
            f"{total} >= {draw.randint(-6, 2)} - n",
            f"{total} = {draw.randint(-2, 2)}",
            f"({total}) mod {draw.randint(2, 5)} = {draw.randint(0, 1)}",
            f"floor(({total}) / {draw.randint(2, 3)}) <= {draw.randint(-1, 3)}",
            f"(exists e : {draw.randint(2, 4)}e <= {total} <= {draw.randint(5, 7)}e)",
        ]
    )


@pytest.mark.parametrize("seed", range(8))
def test_points_are_those_of_isl(seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(60):
        value = random_set(draw)
        assert points(value) == by_isl(value), value


def test_strides_cut_the_loops_around_others() -> None:
    """The 64 points of a box of 10^9, and those of sums of coordinates."""
    names = [f"i{k}" for k in range(6)]
    box = " and ".join(f"0 <= {name} < 32 and {name} mod 16 = 0" for name in names)
    assert points(isl.Set(f"{{ [{', '.join(names)}] : {box} }}")) == list(product((0, 16), repeat=6))
    sums = " and ".join(f"0 <= {b} < 32 and ({a} + {b}) mod 16 = 3" for a, b in pairwise(names))
    found = points(isl.Set(f"{{ [{', '.join(names)}] : i0 = 5 and {sums} }}"))
    assert found == list(product((5,), *[(14, 30), (5, 21)] * 2, (14, 30)))


def test_strides_are_walked_not_tried() -> None:
    """Neighbours on a ring of 10^9 places."""
    ring = "0 <= i < 3 and 0 <= j < 1000000000 and (j - i + 1) mod 1000000000 = 0"
    assert points(isl.Set(f"{{ [i, j] : {ring} }}")) == [(0, 999999999), (1, 0), (2, 1)]


def test_pairs_come_in_order() -> None:
    value = isl.Map("{ A[x] -> B[y, z] : 0 <= x < 3 and x <= y <= 2x and z = x + y; A[7] -> B[0, 0]; A[1] -> B[1, 2] }")
    assert pairs_in_order(value) == sorted(enumeration.pairs(value))
    assert pairs_in_order(value)[1] == ((1,), (1, 2))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{ A[x] -> B[] : 0 <= x < 2 }", [((0,), ()), ((1,), ())]),
        ("{ A[] -> B[x] : 0 <= x < 2 }", [((), (0,)), ((), (1,))]),
        ("{ A[] -> B[] }", [((), ())]),
    ],
)
def test_pairs_with_a_side_without_dimensions(text: str, expected: list[tuple[Point, Point]]) -> None:
    assert pairs_in_order(isl.Map(text)) == expected


def test_isl_enumerates_nothing_that_has_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(enumeration, "_listed_by_isl")
    value = isl.Set("{ [x, y, z] : 0 <= x, y, z < 50 and (x + y) mod 2 = 0 and z <= floor(x / 2) }")
    assert len(points(value)) == 16250
    hidden = isl.Set("{ [x, y] : exists a, b : 0 <= a, b < 9 and 3a - b <= x + y <= 3a + b and 0 <= 5x - 7a + b < 9 }")
    assert points(hidden.intersect(isl.Set("{ [x, y] : 0 <= x, y < 9 }")))


def test_no_points() -> None:
    assert points(isl.Set("{ [x] : 1 = 0 }")) == []
    assert points(isl.Set("{ [] : }")) == [()]


def test_pairs_whose_loops_isl_makes_wrong() -> None:
    """isl 0.27 generates loops for the whole map that use an iterator where it is not set."""
    value = isl.Map(
        "[N] -> { S[i, j = i] -> S[i' = i, j' = 2 + i] : "
        "exists (e0: i mod 2 = 0 and 2 <= i <= -6 + N and 2 + i <= 2e0 < N - i);"
        "S[i, j = 1 + i] -> S[i' = 1 + i, j' = 0] : (1 + i) mod 2 = 0 and 0 < i <= -7 + N and 2i <= -3 + N;"
        "S[i, j = N - 1 - i] -> S[i' = N - 1 - i, j' = 0] : (N + i) mod 2 = 1 and 0 < i <= N - 7 and 2i < N - 1;"
        "S[i = 2, j = 2] -> S[i' = 2, j' = 4] : 0 <= N <= 7; S[i = 3, j = 4] -> S[i' = 4, j' = 0] : 4 <= N <= 9;"
        "S[i = 1, j = 2] -> S[i' = 2, j' = 0] : 0 <= N <= 7 }"
    )
    for size in range(14):
        here = fixed(value, {"N": size})
        points_of_isl = by_isl(here.wrap().flatten().project_out_all_params())
        assert pairs_in_order(here) == [(point[:2], point[2:]) for point in points_of_isl]


def test_strides_that_begin_at_quotients_of_parameters() -> None:
    condition = "k <= j <= 2k and 3T <= k <= 2 + 3T and 3k <= 2n and 3U - 10 <= j <= 3U - 8 and (2n + 3k) mod 6 <= 2"
    value = isl.Set(f"[n, T, U] -> {{ [k, j] : {condition} }}")
    for n, tile, strip in product(range(12), range(4), range(9)):
        assert points(fixed(value, {"n": n, "T": tile, "U": strip})) == [
            (k, j)
            for k in range(3 * tile, 3 * tile + 3)
            for j in range(3 * strip - 10, 3 * strip - 7)
            if k <= j <= 2 * k and 3 * k <= 2 * n and (2 * n + 3 * k) % 6 <= 2
        ]


def test_hidden_dimensions_end_iterations_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twelve coordinates that are all even or all odd: each is looked at where its neighbour is known."""
    tested = list[bool]()

    def counted(values: Iterable[bool]) -> bool:
        tested.append(any(values))
        return tested[-1]

    monkeypatch.setitem(vars(enumeration)["_FUNCTIONS"], "any", counted)
    names = [f"x{k}" for k in range(12)]
    bounds = [f"0 <= {name} <= 1" for name in names]
    alike = [f"({one} + {two}) mod 2 = 0" for one, two in pairwise(names)]
    value = isl.Set(f"{{ [{', '.join(names)}] : {' and '.join((*bounds, *alike))} }}")
    assert points(value) == [(0,) * 12, (1,) * 12]
    assert len(tested) <= 4
