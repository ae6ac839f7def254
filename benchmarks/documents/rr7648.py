"""Items of RR-7648, Program Analysis and Source-Level Communication Optimizations for High-Level Synthesis."""

from __future__ import annotations

import speedup

from documents.items import Finding, Item, tested

RR = "RR-7648"
OTHER, STORAGE = "tests/transfer/test_other_report.py::", "tests/storage/test_storage.py::"
WORDS, PRODUCT = 16384, 32
"""Sizes of vectors and matrices at which speed-ups are measured."""


def speedups() -> Finding:
    """Speed-ups over the direct implementation on the memory of the report."""
    ours: dict[str, float] = {}
    for name, tile, size in (
        ("dma", (1024,), WORDS),
        ("vector_sum", (1024,), WORDS),
        ("matmul", (32, 32, 32), PRODUCT),
    ):
        case = speedup.Case(name, tile, size, size)
        slow, fast = (speedup.run(design, {"n": size}) for design in (case.direct(size), case.accelerator(size)))
        ours[name] = slow.outcome.cycles / fast.outcome.cycles if slow.right and fast.right else 0.0
    known = {name: row.speedup for name, row in speedup.PUBLISHED.items()}
    good = all(ours[name] >= known[name] for name in known)
    return Finding(_numbers(known), _numbers(ours), "reproduced" if good else "partly")


def areas() -> Finding:
    """What accelerators take more than the direct implementation."""
    known, ours = dict[str, float](), dict[str, float]()
    for name, tile in (("dma", (1024,)), ("vector_sum", (1024,)), ("matmul", (32, 32, 32))):
        case, row = speedup.Case(name, tile, 65536, 65536), speedup.PUBLISHED[name]
        size = 256 if name == "matmul" else 65536
        direct, full = (
            speedup.synthesize(design.module, speedup.DEVICE, clock=False)
            for design in (case.direct(size), case.accelerator(size))
        )
        known[name], ours[name] = row.automatic.alut / row.original.alut, full.lut / direct.lut
    return Finding(f"ALUT {_numbers(known)}", f"LUT {_numbers(ours)}", "partly")


def _numbers(values: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.2f}" for name, value in values.items())


ITEMS: tuple[Item, ...] = (
    tested(
        "7648/T1", RR, "theorem 1, by execution of strips on numbers", "theorem", OTHER + "test_theorem_1_by_execution"
    ),
    tested(
        "7648/T2-3",
        RR,
        "theorems 2 and 3: sufficient conditions",
        "theorems",
        OTHER + "test_theorems_2_and_3_suffice",
        OTHER + "test_what_theorems_2_and_3_ask_for_is_needed",
    ),
    tested(
        "7648/T4",
        RR,
        "equations 1 and 2 and theorem 4",
        "theorem",
        OTHER + "test_theorem_4",
        OTHER + "test_equations_1_and_2_alone_do_not_suffice",
        OTHER + "test_how_the_conditions_of_theorem_4_are_met",
    ),
    tested(
        "7648/T5",
        RR,
        "FirstRead and LastWrite of the product",
        "4 entries",
        "tests/transfer/test_quast.py::test_first_reads_of_matmul",
        "tests/transfer/test_quast.py::test_last_writes_of_matmul",
    ),
    tested(
        "7648/loads",
        RR,
        "transfers of the product: a and b by blocks, c by strips",
        "4 sets",
        "tests/transfer/test_theorems.py::test_matrix_product_of_the_other_report",
    ),
    tested(
        "7648/DS",
        RR,
        "conflict set, lattice and mapping of a",
        "[-31; 31] x [-63; 63], (i mod 32, k mod 64)",
        STORAGE + "test_the_conflict_set_of_matmul_as_published",
        STORAGE + "test_matmul_as_published",
    ),
    tested(
        "7648/fig 7",
        RR,
        "theta_db",
        "dates of six processes",
        "tests/storage/test_double_buffering.py",
        reason="ours does not drain after each pair of tiles: same conflict set, more overlap",
    ),
    tested(
        "7648/fig 8",
        RR,
        "five drivers and their tokens",
        "Load0, Load1, Compute, Store0, Store1",
        "tests/storage/test_strip_overlap.py::test_the_next_strip_is_loaded_before_a_strip_is_stored",
        status="partly",
        reason="three processes with D tiles in flight replace them, see storage.md",
    ),
    tested(
        "7648/III-C",
        RR,
        "First and Next of Boulet and Feautrier",
        "algorithm",
        "tests/loops/test_scan.py::test_scans_of_hand_made_maps",
    ),
    tested(
        "7648/DDR",
        RR,
        "80 ns for another row, 10 ns in a row, 400 ns latency",
        "8 times",
        "tests/dram/test_dram.py::test_single_beats_are_served_like_the_paper_says",
    ),
    Item(
        "7648/fig 11",
        RR,
        "speed-ups",
        "python benchmarks/speedup.py --no-area",
        speedups,
        reason="more than 8 for the product: tiles are read from local memory again and again",
    ),
    Item(
        "7648/area",
        RR,
        "area of accelerators over that of the original",
        "python benchmarks/speedup.py --no-clock",
        areas,
        status="partly",
        reason="ECP5 instead of Stratix II, and no processor and memory controller around the accelerator",
    ),
)
