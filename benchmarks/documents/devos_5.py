"""Items of Devos' thesis, chapter 5 and appendices A and F."""

from __future__ import annotations

import fixed_point
import frames

import loadstone as ls
from documents.items import Finding, Item, absent, claims, tested

DEVOS = "Devos"
CONTROL, SIMPLIFY = "tests/hardware/test_controllers.py::", "tests/loops/test_simplify_bounds.py::"
PIXELS = 288 * 352


def words() -> Finding:
    """Table 5.7: words per frame of the plans."""
    found = frames.words_of(ls.parse(frames.ROOT / "examples/idwt97.c"))
    known = {name: round(factor * PIXELS) for name, factor in frames.PUBLISHED.items()}
    worst = max(found[name] / known[name] for name in known)
    ours = "; ".join(f"{name} {found[name]}" for name in known)
    return Finding(
        "; ".join(f"{name} {value}" for name, value in known.items()), ours, "partly" if worst < 1.02 else "absent"
    )


def operations() -> Finding:
    """Operations per two samples, and per second."""
    kernel = ls.parse(fixed_point.SOURCE)
    samples, seconds = fixed_point.per_two_samples(kernel), fixed_point.per_second(kernel)
    rows = ((fixed_point.PER_TWO_SAMPLES, fixed_point.PER_SECOND), (samples, seconds))
    known, ours = (f"{a['*']} and {a['+']}, {b['*'] / 1e6:.1f} and {b['+'] / 1e6:.1f} million/s" for a, b in rows)
    return Finding(known, ours, "reproduced" if known == ours else "partly")


NO_DESIGN = "no accelerator of three levels with line buffers: hardware of `idwt97.c` has one level per run"
ITEMS: tuple[Item, ...] = (
    tested(
        "5.5",
        DEVOS,
        "Figure 5.5: one automaton per dimension",
        "cycles for all sizes",
        CONTROL + "test_figure_5_5_for_all_sizes",
        CONTROL + "test_figure_5_5_cycles_are_those_of_its_statements",
    ),
    tested(
        "5.7 timing",
        DEVOS,
        "Figure 5.7, Appendix F: every signal",
        "17 cycles",
        CONTROL + "test_figure_5_7_in_every_cycle",
    ),
    tested(
        "5.8 timing",
        DEVOS,
        "Figures 5.8 and 5.9: registers, par_sync",
        "stated",
        CONTROL + "test_figures_5_7_to_5_9_take_these_cycles",
        CONTROL + "test_figure_5_8_start_needs_two_cycles_to_the_bottom",
        CONTROL + "test_parts_at_the_same_time_end_as_par_sync_does",
    ),
    Item(
        "5.1",
        DEVOS,
        "Table 5.1: factorized and monolithic control",
        "python benchmarks/controllers.py --table 5.1",
        lambda: claims("benchmarks/controllers.py", "--table", "5.1"),
        reason="ECP5 instead of Stratix",
    ),
    Item(
        "5.2",
        DEVOS,
        "Tables 5.2 and 5.5: controllers of variants",
        "python benchmarks/controllers.py --table 5.2 rc_hv",
        lambda: claims("benchmarks/controllers.py", "--table", "5.2", "--counters", "own", "rc", "rc_h", "rc_hv", "lb"),
        status="partly",
        reason="isl makes no divisions where CLooG did: simplification has less to gain; without RC HVs and LB VHs",
    ),
    absent(
        "5.3",
        DEVOS,
        "Figure 5.12, Table 5.3: a statement in 9, 7 and 8 cycles",
        "9, 7, 8 cycles",
        "our datapaths are pipelined, one instance per cycle; a value of the iteration before is read again, not kept",
    ),
    tested(
        "5.4",
        DEVOS,
        "Table 5.4: equations 5.1 to 5.9",
        "9 equations",
        SIMPLIFY + "test_divisions_in_lowest_terms",
        SIMPLIFY + "test_comparisons_lose_their_division",
        SIMPLIFY + "test_terms_that_never_decide",
        reason="5.6 is lost; 5.9 is false as printed, c - 1 is right",
    ),
    Item(
        "5.6",
        DEVOS,
        "Table 5.6: registers at alpha, beta, gamma",
        "python benchmarks/controllers.py --table 5.6",
        lambda: claims("benchmarks/controllers.py", "--table", "5.6", "--counters", "shared"),
        status="partly",
        reason="ECP5 instead of Stratix; clocks move by a tenth with the seed of the placement",
    ),
    tested(
        "5.14",
        DEVOS,
        "Figures 5.14 and 5.15: simplified bounds",
        "2 nests",
        SIMPLIFY + "test_figure_5_14",
        SIMPLIFY + "test_figure_5_15",
        reason="the branch 4i - N > 7 of Figure 5.15(b) is never taken",
    ),
    tested(
        "5.16",
        DEVOS,
        "Figure 5.16: registers between automata",
        "10 places",
        CONTROL + "test_figure_5_16_with_the_registers_of_table_5_6",
    ),
    Item(
        "5.7",
        DEVOS,
        "Table 5.7: words per frame",
        "python benchmarks/frames.py",
        words,
        status="partly",
        reason="the words of plans; accelerators, made for strips of rows, move more (frames.py)",
    ),
    absent("5.8", DEVOS, "Tables 5.8 and 5.9: designs of the transform", "27 designs", NO_DESIGN),
    absent("5.10", DEVOS, "Table 5.10: registers in design 16", "4 rows", NO_DESIGN),
    absent(
        "5.11",
        DEVOS,
        "Table 5.11: energy of the decoder",
        "25.4 J and 11.6 J",
        "a board was measured; `explore --objective energy` estimates runs by a table of picojoules, not a board",
    ),
    absent("5.20", DEVOS, "Figure 5.20, 5.6.4: frames by bandwidth", "53 frames/s", NO_DESIGN),
    Item(
        "A.8",
        DEVOS,
        "A.3, A.8, A.9: multiplications and additions",
        "python benchmarks/fixed_point.py",
        operations,
        reason="(A.8) holds for a sum from i = 0 to k - 1",
        quick=True,
    ),
    Item(
        "A.11",
        DEVOS,
        "A.11: PSNR of fixed point against floating point",
        "python benchmarks/fixed_point.py",
        lambda: Finding("defined", f"{fixed_point.psnr(ls.parse(fixed_point.SOURCE)):.1f} dB", "partly"),
        status="partly",
        reason="the thesis has no number; integers with filters scaled by 2^14, three levels, random subbands",
        quick=True,
    ),
)
