"""Items of Corvino, Gamatie, Boulet, Architecture Exploration for Efficient Data Transfer and Storage."""

from __future__ import annotations

from documents.items import Item, tested

CORVINO = "Corvino"
MAPPING, ARRAY_OL = "tests/mapping/test_mapping.py::", "tests/frontend/test_array_ol.py::test_random_specifications"
ITEMS: tuple[Item, ...] = (
    tested(
        "C/LPSF",
        CORVINO,
        "the four filters",
        "4 equations",
        MAPPING + "test_passes_one_after_the_other_are_the_application",
        reason="HFRL and VFBU read the neighbour that their scan has computed; printed is the other one",
    ),
    tested("C/Array-OL", CORVINO, "tilers: origin, fitting, paving", "formulas", ARRAY_OL),
    tested(
        "C/model",
        CORVINO,
        "definitions 1 to 7, equations (1) to (6), criteria 1 to 3",
        "13 formulas",
        MAPPING + "test_equation_3_is_definition_1_with_equation_2",
        MAPPING + "test_units_and_blocks_are_those_of_brute_force",
        reason="criterion 1 with >=, which follows from its derivation; printed is <=",
    ),
    tested("C/example 1", CORVINO, "example 1", "needs m > 1, and data parallelism", MAPPING + "test_example_1"),
    tested(
        "C/example 2",
        CORVINO,
        "example 2: matrices, N_cu, IM, AL",
        "N_cu 4, IM 15K, AL 4M",
        MAPPING + "test_the_matrices_of_two_passes_are_those_of_example_2",
        MAPPING + "test_units_memory_and_latency_are_those_of_example_2",
        reason="K_Mem without the third one, which I_Com excludes",
    ),
    tested(
        "C/480",
        CORVINO,
        "blocks of at least 480 data, or 60",
        "480 and 60",
        MAPPING + "test_480_follows_from_one_reading_and_60_from_none",
        status="partly",
        reason="480 follows from equation (2) alone, 60 from nothing; the document has both",
    ),
    tested(
        "C/exploration",
        CORVINO,
        "exploration of fusions",
        "8 fusions, 56 and 32 comparisons",
        MAPPING + "test_the_exploration_has_8_fusions_and_32_comparisons",
    ),
)
