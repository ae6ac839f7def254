"""Items of RR-7697, Kernel Offloading with Optimized Remote Accesses."""

from __future__ import annotations

from documents.items import Item, tested

RR = "RR-7697"
THEOREMS, OTHER, QUAST = (f"tests/transfer/test_{name}.py::" for name in ("theorems", "other_report", "quast"))
ITEMS: tuple[Item, ...] = (
    tested(
        "7697/2.1",
        RR,
        "tilings (a) and (b): loads and stores of each tile",
        "N = 9, 20, 25",
        THEOREMS + "test_samples_of_the_polynomial_product",
    ),
    tested(
        "7697/fig 1b",
        RR,
        "tiling (b): c is loaded in the first tile of a strip, stored in the last",
        "stated",
        THEOREMS + "test_polynomial_product_along_the_diagonals",
        reason="loads are in the first tile only where N mod 10 = 0 or N < 10; stores always in the last",
    ),
    tested(
        "7697/quast",
        RR,
        "selection tree of the first read of c",
        "6 leaves, simplified 4",
        QUAST + "test_first_read_of_the_polynomial_product",
        QUAST + "test_tree_of_the_polynomial_product",
    ),
    tested(
        "7697/inversion",
        RR,
        "FirstReadInTile by inversion of the tree",
        "2 pieces",
        QUAST + "test_inversion_of_the_polynomial_product",
    ),
    tested(
        "7697/in",
        RR,
        "In(T) and In(t < T) as printed",
        "2 sets",
        OTHER + "test_in_as_printed",
        OTHER + "test_in_before_a_tile_as_printed",
        reason="the printed In(T) holds for tiles with bT <= N only",
    ),
    tested(
        "7697/load",
        RR,
        "Load(0), Load(T), the output of Omega, Store",
        "4 sets",
        THEOREMS + "test_polynomial_product_by_columns_backwards",
    ),
    tested(
        "7697/algebra",
        RR,
        "rules (1) to (3) of selection trees",
        "3 rules",
        QUAST + "test_rule_1_drops_tests_that_do_not_matter",
        QUAST + "test_rule_2_moves_the_minimum_into_the_branches",
        QUAST + "test_rule_2_with_the_same_test_on_both_sides",
        QUAST + "test_rule_3_undefined_is_larger_than_everything",
    ),
    tested(
        "7697/D1-4",
        RR,
        "definitions 1 to 4: valid and exact transfers",
        "4 definitions",
        "tests/transfer/test_check.py::test_spoilt_plans_are_invalid",
        "tests/transfer/test_check.py::test_wasteful_plans_are_valid_and_not_exact",
    ),
    tested(
        "7697/T1",
        RR,
        "theorem 1: exact loads and stores",
        "theorem",
        THEOREMS + "test_theorem_6_is_theorem_1_where_accesses_are_exact",
        OTHER + "test_theorem_1_by_execution",
    ),
    tested(
        "7697/T2",
        RR,
        "theorem 2 and (4): by first and last tiles",
        "theorem",
        QUAST + "test_first_access_by_minimum_of_tagged_trees",
        QUAST + "test_tiles_of_operations_are_the_plan",
    ),
    tested(
        "7697/T3-4",
        RR,
        "theorems 3 and 4: valid approximations",
        "theorems",
        THEOREMS + "test_theorems_5_to_7_on_random_instances",
    ),
    tested(
        "7697/naive",
        RR,
        "the naive solution is valid",
        "stated",
        OTHER + "test_the_naive_solution_is_right",
    ),
    tested(
        "7697/T5-6",
        RR,
        "theorems 5 and 6: approximated loads and stores",
        "theorems",
        THEOREMS + "test_theorems_5_to_7_on_random_instances",
    ),
    tested(
        "7697/rejected",
        RR,
        "three candidates for Load that are rejected",
        "2 invalid, 1 wasteful",
        OTHER + "test_the_first_two_candidates_are_wrong",
        OTHER + "test_the_third_candidate_is_right_and_loads_useless_data",
    ),
    tested(
        "7697/T7",
        RR,
        "theorem 7 and its algorithm",
        "theorem",
        THEOREMS + "test_theorems_5_to_7_on_random_instances",
    ),
)
