"""Vertices and chambers, periodic numbers, halved domains and cubics of Devos' thesis, each against brute force."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import sqrt

import islpy as isl
import pytest

from loadstone.cli.main import main
from loadstone.counting.bounding import (
    AddVariables,
    DropFractions,
    Method,
    ModClasses,
    PerFraction,
    PolyApproximation,
    SplitPeriods,
    bound,
    polynomials,
)
from loadstone.counting.extremum import number
from loadstone.counting.reading import read_quasi_polynomial
from loadstone.counting.relative_error import maximal_relative_error, relative_error
from loadstone.counting.vertices import Vertices, vertices_of
from loadstone.errors import InputError, UnsupportedError
from loadstone.poly import points
from loadstone.poly.inflation import upper_count
from loadstone.poly.linear import point_in
from loadstone.poly.terms import compiled, fraction

Point = tuple[Fraction, ...]
EXAMPLE_2 = "{ [x, y, z] : 0 <= x <= 5 and 0 <= y <= 6 and 0 <= z <= 11 - x - y }"
EXAMPLE_3 = "[p] -> { [x, y] : 0 <= x <= 5 and 0 <= y <= 6 and 0 <= p and x + y <= 11 - p }"
TABLE_3_2 = {
    "(0, 6)": (0, 5),
    "(5 - p, 6)": (0, 5),
    "(5, 6 - p)": (0, 6),
    "(5, 0)": (0, 6),
    "(0, 11 - p)": (5, 11),
    "(11 - p, 0)": (6, 11),
    "(0, 0)": (0, 11),
}
TABLE_C_1 = {
    (0, 5): {"(0, 0)", "(0, 6)", "(5 - p, 6)", "(5, 6 - p)", "(5, 0)"},
    (5, 6): {"(0, 0)", "(0, 11 - p)", "(5, 6 - p)", "(5, 0)"},
    (6, 11): {"(0, 0)", "(0, 11 - p)", "(11 - p, 0)"},
}


def only(text: str) -> Vertices:
    (found,) = vertices_of(isl.Set(text))
    return found


def ends(parameters: isl.Set) -> tuple[int, int]:
    """The smallest and the largest value of the only parameter."""
    values = parameters.move_dims(isl.dim_type.set, 0, isl.dim_type.param, 0, 1)
    return values.dim_min_val(0).to_python(), values.dim_max_val(0).to_python()


def test_example_2() -> None:
    found = only(EXAMPLE_2)
    corners = {"(0, 0, 0)", "(5, 0, 0)", "(5, 6, 0)", "(0, 6, 0)", "(0, 6, 5)", "(0, 0, 11)", "(5, 0, 6)"}
    assert {vertex.text for vertex in found.vertices} == corners
    assert len(found.chambers) == 1


def test_table_3_2() -> None:
    assert {vertex.text: ends(vertex.parameters) for vertex in only(EXAMPLE_3).vertices} == TABLE_3_2


def test_table_c_1() -> None:
    chambers = only(EXAMPLE_3).chambers
    assert {ends(each.parameters): {vertex.text for vertex in each.vertices} for each in chambers} == TABLE_C_1


def corners_at(sides: Sequence[tuple[int, int, int]]) -> set[Point]:
    """The vertices of the polygon a x + b y + c >= 0: intersections of sides that no side excludes."""
    found: set[Point] = set()
    for (a, b, c), (d, e, f) in combinations(sides, 2):
        determinant = a * e - b * d
        if determinant:
            x, y = Fraction(b * f - c * e, determinant), Fraction(c * d - a * f, determinant)
            if all(g * x + h * y + k >= 0 for g, h, k in sides):
                found.add((x, y))
    return found


def values(found: Vertices, parameters: Mapping[str, int]) -> list[set[Point]]:
    """The vertices of each chamber that holds the parameters."""
    space = found.chambers[0].parameters.get_space()
    point = point_in(space, parameters, ())
    holding = [each for each in found.chambers if isl.Set.from_point(point).is_subset(each.parameters)]
    return [
        {tuple(fraction(value.eval(point)) for value in vertex.coordinates) for vertex in each.vertices}
        for each in holding
    ]


@pytest.mark.parametrize("seed", range(12))
def test_vertices_of_random_polygons(seed: int) -> None:
    """Sides have whole coefficients of which two have no common divisor, so that isl does not move them."""
    rng = random.Random(seed)
    cuts = [(rng.choice((-3, -2, -1, 1, 2, 3)), rng.choice((-1, 1)), rng.choice((-1, 1)), rng.randint(0, 9))]
    cuts += [(rng.choice((-1, 1)), rng.choice((-3, -2, 2, 3)), rng.choice((-1, 1)), rng.randint(0, 9))]
    conditions = " and ".join(f"{a} x + {b} y + {t} p + {c} >= 0" for a, b, t, c in cuts)
    found = vertices_of(isl.Set(f"[p] -> {{ [x, y] : 0 <= x <= 7 and 0 <= y <= 6 and {conditions} }}"))
    for p in range(-12, 13):
        box = [(1, 0, 0), (-1, 0, 7), (0, 1, 0), (0, -1, 6)]
        wanted = corners_at([*box, *((a, b, t * p + c) for a, b, t, c in cuts)])
        chambers = [corners for each in found for corners in values(each, {"p": p})]
        assert wanted in chambers if wanted else not chambers
        assert all(corners == wanted for corners in chambers)


def test_sets_with_strides_have_no_affine_vertices() -> None:
    with pytest.raises(UnsupportedError, match="not affine"):
        vertices_of(isl.Set("[p] -> { [x] : 0 <= x <= p and x mod 2 = 1 }"))


def test_vertices_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["count", "--vertices", EXAMPLE_3, "--json"]) == 0
    (polytope,) = json.loads(capsys.readouterr().out)["polytopes"]
    assert {each["vertex"] for each in polytope["vertices"]} == set(TABLE_3_2)
    assert {frozenset(each["vertices"]) for each in polytope["chambers"]} == set(map(frozenset, TABLE_C_1.values()))
    assert main(["count", "--vertices", EXAMPLE_3, "-p", "p=8"]) == 0
    assert "(0, 0) (0, 3) (3, 0)" in capsys.readouterr().out
    assert main(["count", "--vertices", "{ [x] -> [y] : 0 <= y <= x }"]) == 2
    assert "a map has no vertices" in capsys.readouterr().err


# Periodic numbers [Devos, 4.4 and 4.5].


def samples(text: str) -> list[Fraction]:
    (piece,) = read_quasi_polynomial(text)
    function = compiled(piece.value)
    return [function.value(point) for point in sorted(points(piece.domain))]


@pytest.mark.parametrize("seed", range(6))
def test_periodic_numbers(seed: int) -> None:
    rng = random.Random(seed)
    entries = [Fraction(rng.randint(-9, 9), rng.randint(1, 4)) for _ in range(rng.randint(2, 7))]
    text = f"[{', '.join(map(str, entries))}]"
    assert samples(f"{{ [n] -> {text}_n : -20 <= n <= 20 }}") == [entries[n % len(entries)] for n in range(-20, 21)]
    shifted = f"{{ [n] -> 2 {text}_(3n - 1) : -9 <= n <= 9 }}"
    assert samples(shifted) == [2 * entries[(3 * n - 1) % len(entries)] for n in range(-9, 10)]


def test_the_periodic_number_of_the_thesis() -> None:
    text = "{{ [n] -> {} : -30 <= n <= 30 }}"
    assert samples(text.format("[0, 5/6, 2/3, 1/2, 1/3, 7/6]_n")) == samples(text.format("frac(n/3) + frac(n/2)"))
    assert samples(text.format("n + [4, 2, 0]_n")) == samples(text.format("n + 6 frac((2n - 1)/3)"))


@pytest.mark.parametrize("value", ["[1, 2]", "[1, 2] n", "[1, 2]_m", "[1, 2]_(n"])
def test_periodic_numbers_without_an_index_are_refused(value: str) -> None:
    with pytest.raises(InputError):
        read_quasi_polynomial(f"{{ [n] -> {value} : 0 <= n <= 9 }}")


# Closer bounds.


@pytest.mark.parametrize(
    "method", [AddVariables(), ModClasses(), SplitPeriods(3), PolyApproximation(), DropFractions()]
)
def test_halved_domains_have_valid_bounds(method: Method) -> None:
    """Closer, too, in all but isolated cases: chambers are no longer simplices of the same kind."""
    rng = random.Random(46)
    for _ in range(12):
        a, b, c = (rng.randint(-5, 5) for _ in range(3))
        text = f"{{ [i, j] -> {a} i^2 + {b} i j + {c} floor((i + j)/3) j : 0 <= i <= 9 and 0 <= j <= 9 - i }}"
        pieces = read_quasi_polynomial(text)
        truth = max(samples(text))
        for times in (1, 2, 5):
            found = number(bound(pieces, method, halvings=times))
            assert found is not None
            assert found >= truth


def test_halving_comes_close_to_the_maximum() -> None:
    pieces = read_quasi_polynomial("{ [x] -> 100x - x^2 : 0 <= x <= 100 }")
    found = [number(bound(pieces, AddVariables(), halvings=times)) for times in range(8)]
    assert found[0] == 5000
    assert found == sorted(found, key=lambda value: -float(value or 0))
    assert found[-1] == 2500


def test_dimensions_with_whole_vertices_are_not_inflated() -> None:
    """Only y has vertices that are not whole: 10 (t/2 + 1), where a cube around each point gives more."""
    relation = isl.Map("{ [t] -> [x, y] : 0 <= x < 10 and 0 <= 2y <= t <= 20 }")
    upper = upper_count(relation)
    for t in range(21):
        assert fraction(upper.eval(point_in(upper.get_domain_space(), {}, (t,)))) == 10 * (Fraction(t, 2) + 1)


def test_each_fraction_is_treated_on_its_own() -> None:
    """A small and a large divisor [Devos, 4.6.2]: residues of the first, periods of the second."""
    text = "{ [n] -> 7 floor(n/3) n - 5 floor(n/90) n + n : 0 <= n <= 130 }"
    (piece,) = read_quasi_polynomial(text)
    parts = {
        method: len(list(polynomials(piece, method))) for method in (PerFraction(), ModClasses(), SplitPeriods(44))
    }
    assert parts == {PerFraction(): 6, ModClasses(): 90, SplitPeriods(44): 44}
    found = number(bound((piece,), PerFraction()))
    assert found is not None
    assert max(samples(text)) <= found <= (number(bound((piece,), AddVariables())) or 0)


# Cubics [Devos, 4.5.1 and appendix D].


def extremal_cubics(size: int) -> list[tuple[Fraction, Fraction]]:
    """b and c of the polynomials x^3 + b x^2 + c x with the largest relative error."""
    if size % 4 == 3:
        return [(Fraction(-3 * size, 2), Fraction(9 * size * size, 16) - Fraction(3 * size, 8) - Fraction(7, 16))]
    families = [
        (ell, i)
        for ell in range(size)
        for i in range(3)
        if (ell >= 1 and 4 * ell + 4 <= size <= 4 * ell + 4 + i) or (ell == 0 and i >= 1 and 3 + i <= size <= 4 + i)
    ]
    return [
        (Fraction(-6 * ell - 3 - 3 * i), Fraction(9 * ell * ell + (12 * i + 3) * ell + 3 * i * i + 6 * i - 4))
        for ell, i in families
    ]


def cubic_error(b: float, c: float, size: int) -> float:
    """RE: extrema lie at the ends and where the derivative is zero [Devos, D: x_l and x_r]."""

    def value(x: float) -> float:
        return x**3 + b * x * x + c * x

    root = b * b - 3 * c
    turning = [(-b + sign * sqrt(root)) / 3 for sign in (-1, 1)] if root > 0 else []
    wide = [value(x) for x in (0, size, *(x for x in turning if 0 < x < size))]
    whole = [value(x) for x in range(size + 1)]
    return relative_error((min(wide), max(wide)), (min(whole), max(whole)))


@pytest.mark.parametrize("size", range(3, 20))
def test_extremal_cubics_reach_the_maximal_relative_error(size: int) -> None:
    families = extremal_cubics(size)
    assert families
    for b, c in families:
        assert cubic_error(float(b), float(c), size) == pytest.approx(maximal_relative_error(3, size), abs=1e-9)


@pytest.mark.parametrize("size", [3, 4, 6, 7, 10])
def test_no_cubic_exceeds_the_maximal_relative_error(size: int) -> None:
    most, rng = maximal_relative_error(3, size), random.Random(size)
    near = extremal_cubics(size)
    for _ in range(4000):
        b, c = rng.uniform(-3 * size, 0), rng.uniform(-size * size, 3 * size * size)
        if rng.random() < 0.5:
            start = rng.choice(near)
            b, c = float(start[0]) + rng.uniform(-0.5, 0.5), float(start[1]) + rng.uniform(-1, 1)
        assert cubic_error(b, c, size) <= most + 1e-9


def test_cubics_without_turning_points_have_no_error() -> None:
    for size in (3, 5, 8):
        assert cubic_error(-3.0, 4.0, size) == pytest.approx(0)
