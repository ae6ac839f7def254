"""Modular mappings against brute force over the points of random sets of differences."""

from __future__ import annotations

from itertools import pairwise, permutations, product
from math import prod
from random import Random

import islpy as isl
import pytest

from loadstone.poly import points
from loadstone.poly.enumeration import Point
from loadstone.storage import search
from loadstone.storage.lattice import Modular, best_modular, mapping_of, smith, successive_modulo
from loadstone.storage.search import Budget, Exhausted, Lattice, LatticeSearch, Members, bases_near_identity, scales

SMALL_BUDGET = 3_000
PLENTY = 10**9


def symmetric(text: str) -> isl.Set:
    value = isl.Set(text)
    rank = value.dim(isl.dim_type.set)
    zero = isl.Set(f"{{ [{', '.join('0' * rank)}] }}")
    return value.union(value.neg()).union(zero)


def random_piece(random: Random, rank: int, size: int) -> str:
    names = [f"x{k}" for k in range(rank)]
    sides = [sorted(random.choices(range(-size, size + 1), k=2)) for _ in names]
    terms = [f"{low} <= {name} <= {high}" for name, (low, high) in zip(names, sides, strict=True)]
    skewed = " + ".join(f"{random.randint(-2, 2)} {name}" for name in names)
    extra = random.choice(
        [
            "",
            f"-{random.randint(0, 3)} <= {skewed} <= {random.randint(0, 3)}",
            f"({skewed}) mod {random.randint(2, 4)} = 0",
            f"exists e : 3 e <= x0 + {size} <= 4 e and {skewed} <= 5 e <= {2 * size} + {skewed}",
        ]
    )
    return " and ".join([*terms, extra]) if extra else " and ".join(terms)


def random_differences(seed: int, rank: int, size: int) -> isl.Set:
    random = Random(seed)
    pieces = [f"({random_piece(random, rank, size)})" for _ in range(random.randint(1, 3))]
    return symmetric(f"{{ [{', '.join(f'x{k}' for k in range(rank))}] : {' or '.join(pieces)} }}")


def sample(count: int) -> list[isl.Set]:
    sizes = {1: 30, 2: 9, 3: 4}
    return [random_differences(seed, 1 + seed % 3, sizes[1 + seed % 3]) for seed in range(count)]


def separates(mapping: Modular, differences: list[Point]) -> bool:
    """Whether no difference but 0 goes to the cell of 0, by brute force."""
    return not any(any(d) and not any(mapping.cell_of(d)) for d in differences)


def rounded_up(mapping: Modular) -> int:
    return prod(1 << (modulus - 1).bit_length() for modulus in mapping.moduli)


def hermite_forms(rank: int, determinant: int) -> list[Lattice]:
    """All Hermite forms of a determinant, without any search."""
    found: list[Lattice] = []
    for pivots in product(range(1, determinant + 1), repeat=rank):
        if prod(pivots) == determinant:
            rows = [[(pivots[k], *rest) for rest in product(*map(range, pivots[k + 1 :]))] for k in range(rank)]
            found.extend(product(*rows))
    return found


def in_lattice(lattice: Lattice, point: Point) -> bool:
    for row in lattice:
        multiple, remainder = divmod(point[0], row[0])
        if remainder:
            return False
        point = tuple(a - multiple * b for a, b in zip(point[1:], row[1:], strict=True))
    return True


def determinant_of(matrix: list[list[int]]) -> int:
    total = 0
    for order in permutations(range(len(matrix))):
        inversions = sum(a > b for k, a in enumerate(order) for b in order[k + 1 :])
        total += (-1) ** inversions * prod(matrix[k][j] for k, j in enumerate(order))
    return total


def box(rank: int, size: int) -> list[Point]:
    return list(product(range(-size, size + 1), repeat=rank))


@pytest.mark.parametrize(
    ("text", "least", "expected"),
    [
        ("{ [x, y] : -31 <= x <= 31 and -63 <= y <= 63 }", 2048, Modular(((1, 0), (0, 1)), (32, 64))),
        ("{ [x, y] : -31 <= x <= 31 and -63 <= y <= 63 }", 1900, Modular(((1, 0), (0, 1)), (32, 64))),
        ("{ [x] : -28 <= x <= 28 }", 29, Modular(((1,),), (29,))),
        ("{ [x] : -28 <= x <= 28 and x mod 3 = 0 }", 1, Modular(((1,),), (10,))),
        ("{ A[x, y] : x = 0 and -63 <= y <= 63 }", 64, Modular(((1, 0), (0, 1)), (1, 64))),
        ("{ [x, y] : 1 = 0 }", 0, Modular(((1, 0), (0, 1)), (1, 1))),
        ("{ [x, y] : x = 0 and y = 0 }", 1, Modular(((1, 0), (0, 1)), (1, 1))),
        ("{ [] }", 1, Modular((), ())),
        ("{ [y, x] : -3 <= x - y <= 3 and -20 <= x <= 20 }", 1, Modular(((1, 0), (0, 1)), (4, 21))),
        ("{ [x, y] : -64 < y < 64 and -129 <= 64 x + y <= 129 }", 130, Modular(((64, 1),), (130,))),
    ],
)
def test_mappings_that_are_known(text: str, least: int, expected: Modular) -> None:
    assert best_modular(isl.Set(text), least) == expected


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        ("{ [x, y] : -20 <= x + y <= 20 and -3 <= x - y <= 3 }", 48, 42),
        ("{ [x, y] : -15 <= x <= 15 and -15 <= y <= 15 and -15 <= x - y <= 15 }", 256, 192),
        ("{ [x, y] : -31 <= x <= 31 and -7 <= y <= 7 or -7 <= x <= 7 and -63 <= y <= 63 }", 2048, 568),
        ("{ [x, y, z] : -8 < y < 8 and -8 < z < 8 and -65 <= 64 x + 8 y + z <= 65 }", 192, 66),
    ],
)
def test_better_than_successive_modulo(text: str, before: int, after: int) -> None:
    differences = isl.Set(text)
    best = best_modular(differences, 1)
    assert successive_modulo(differences).cells == before
    assert best.cells <= after
    assert separates(best, points(differences))


def test_random_sets_by_brute_force() -> None:
    better = 0
    for differences in sample(120):
        every = points(differences)
        baseline, best = successive_modulo(differences), best_modular(differences, 1, budget=SMALL_BUDGET)
        assert separates(baseline, every)
        assert separates(best, every), differences
        assert best.cells <= baseline.cells
        better += best.cells < baseline.cells
    assert better > 30


def test_successive_modulo_by_its_definition() -> None:
    for differences in sample(90):
        every = points(differences)
        rank = differences.dim(isl.dim_type.set)
        slices = [[d for d in every if not any(d[:k])] for k in range(rank)]
        assert successive_modulo(differences).moduli == tuple(1 + max(d[k] for d in slices[k]) for k in range(rank))


def test_powers_of_two_on_random_sets() -> None:
    for differences in sample(60):
        best = best_modular(differences, 1, power_of_two=True, budget=SMALL_BUDGET)
        assert separates(best, points(differences)), differences
        assert all(modulus & (modulus - 1) == 0 for modulus in best.moduli)
        assert best.cells <= rounded_up(successive_modulo(differences))


def test_membership_is_exact() -> None:
    for differences in sample(30):
        members, every = Members.of(differences), set(points(differences))
        assert members.reach == tuple(map(max, zip(*every, strict=True)))
        for point in product(*(range(-width, width + 1) for width in members.reach)):
            assert members.holds(point) == (point in every), (differences, point)


def test_membership_asks_isl_about_unknown_existential_variables() -> None:
    differences = symmetric("{ [x, y] : exists e : 3 e <= x <= 4 e and 2 y <= 5 e and 0 <= x <= 12 and x - 3 <= 2 y }")
    members, every = Members.of(differences), set(points(differences))
    assert any(piece.rest is not None for piece in members.pieces)
    assert {point for point in box(2, 16) if members.holds(point)} == every


def test_membership_without_a_hull(monkeypatch: pytest.MonkeyPatch) -> None:
    differences = symmetric("{ [x, y] : exists e : 3 e <= x <= 4 e and 2 y <= 5 e and 0 <= x <= 12 and x - 3 <= 2 y }")
    monkeypatch.setattr(search, "HULL_LIMIT", 1)
    members, every = Members.of(differences), set(points(differences))
    assert any(not piece.forms for piece in members.pieces)
    assert {point for point in box(2, 16) if members.holds(point)} == every


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_fewest_cells_by_all_lattices(rank: int) -> None:
    size = {1: 20, 2: 4, 3: 1}[rank]
    improved = 0
    for seed in range(30):
        differences = random_differences(1000 + seed, rank, size)
        every = [d for d in points(differences) if any(d)]
        best = best_modular(differences, 1, budget=PLENTY)
        smaller = (form for cells in range(1, best.cells) for form in hermite_forms(rank, cells))
        assert not any(all(not in_lattice(form, d) for d in every) for form in smaller), (differences, best)
        assert separates(best, every)
        improved += best.cells < successive_modulo(differences).cells
    assert improved


def test_search_does_not_go_below_the_bound() -> None:
    differences = symmetric("{ [x, y] : -30 <= x <= 30 and -30 <= y <= 30 and x mod 5 = 0 and y mod 3 = 0 }")
    fewest = best_modular(differences, 1, budget=PLENTY).cells
    bound = fewest + 5
    assert fewest < bound <= best_modular(differences, bound).cells < successive_modulo(differences).cells
    assert best_modular(differences, PLENTY) == successive_modulo(differences)


def test_mappings_do_not_change_from_run_to_run() -> None:
    for differences in sample(12):
        text = str(differences)
        first, second = (best_modular(isl.Set(text), 1, budget=SMALL_BUDGET) for _ in range(2))
        assert first == second


def test_no_budget_leaves_bases() -> None:
    differences = isl.Set("{ [y, x] : -3 <= x - y <= 3 and -20 <= x <= 20 }")
    assert best_modular(differences, 1, budget=0) == Modular(((1, 0), (0, 1)), (4, 21))


def test_budget_ends_a_search() -> None:
    members = Members.of(isl.Set("{ [x, y] : -1000 <= x <= 1000 and -1000 <= y <= 1000 }"))
    with pytest.raises(Exhausted):
        LatticeSearch(members, (1, 1), Budget(500)).smallest(range(1, PLENTY), 1)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_every_lattice_is_found_once(rank: int) -> None:
    zero = Members.of(isl.Set(f"{{ [{', '.join('0' * rank)}] }}"))
    every = LatticeSearch(zero, (1,) * rank, Budget(PLENTY))
    for cells in range(1, 13):
        found = [form for offsets in range(4) for form in every.lattices(rank, cells, offsets)]
        assert sorted(found) == sorted(hermite_forms(rank, cells))


def test_scaled_lattices_are_all_multiples() -> None:
    differences = isl.Set("{ [x, y] : -9 <= x + y <= 9 and -9 <= x <= 9 }")
    scaled = LatticeSearch(Members.of(differences), (4, 2), Budget(PLENTY))
    every = [d for d in points(differences) if any(d)]
    for cells in range(1, 20):
        forms = [((4 * a, 2 * b), (2 * c,)) for (a, b), (c,) in hermite_forms(2, cells) if b]
        expected = [form for form in forms if not any(in_lattice(form, d) for d in every)]
        assert sorted(scaled.lattices(2, cells, 1)) == sorted(expected)
        assert expected or cells < 19


def test_scales_end_with_one() -> None:
    assert scales((63, 0, 5)) == [(8, 1, 1), (4, 1, 1), (2, 1, 1), (1, 1, 1)]
    assert scales((3,)) == [(1,)]


@pytest.mark.parametrize(("rank", "largest"), [(1, 9), (2, 12), (3, 6)])
def test_kernel_of_the_mapping_is_the_lattice(rank: int, largest: int) -> None:
    region = box(rank, largest if rank < 3 else 3)
    for cells in range(1, largest + 1):
        for form in hermite_forms(rank, cells):
            mapping = mapping_of(form)
            assert mapping.cells == cells
            for point in region:
                assert in_lattice(form, point) == (not any(mapping.cell_of(point))), (form, mapping, point)


def test_diagonal_lattices_keep_the_shape_of_the_array() -> None:
    assert mapping_of(((2, 0, 0), (1, 0), (3,))) == Modular(((1, 0, 0), (0, 1, 0), (0, 0, 1)), (2, 1, 3))
    assert mapping_of(((2, 0, 0), (1, 1), (3,))) == Modular(((1, 0, 0), (0, 1, -1)), (2, 3))


def test_smith_form_of_random_matrices() -> None:
    random = Random(11)
    for _ in range(300):
        size = random.randint(1, 4)
        matrix = [[random.randint(-9, 9) for _ in range(size)] for _ in range(size)]
        cells = abs(determinant_of(matrix))
        if cells == 0:
            continue
        diagonal, columns = zip(*smith(matrix), strict=True)
        assert prod(diagonal) == cells
        assert all(after % before == 0 for before, after in pairwise(diagonal))
        assert abs(determinant_of([list(column) for column in columns])) == 1
        for row, (number, column) in product(matrix, zip(diagonal, columns, strict=True)):
            assert sum(a * b for a, b in zip(row, column, strict=True)) % number == 0


@pytest.mark.parametrize("rank", [1, 2, 3, 4])
def test_bases_are_unimodular_and_begin_with_the_identity(rank: int) -> None:
    bases = bases_near_identity(rank)
    assert len(set(bases)) == len(bases)
    assert mapping_of(tuple((1,) + (0,) * (rank - k - 1) for k in range(rank))).rows == bases[0]
    assert all(abs(determinant_of([list(row) for row in rows])) == 1 for rows in bases)
