"""Items of Devos' thesis, chapter 5 and appendices A and F."""

from __future__ import annotations

from collections.abc import Sequence

import fixed_point
import frames
import statement_cycles

import loadstone as ls
from documents.items import Finding, Item, claims, tested
from loadstone.fronts.bounds import planned

DEVOS = "Devos"
CONTROL, SIMPLIFY = "tests/hardware/test_controllers.py::", "tests/loops/test_simplify_bounds.py::"
PIXELS = 288 * 352
HANDED_ON = (9, 7, 8)
"""Cycles of the statement of Figure 5.12: unoptimised, optimised, and optimised for i = 1."""
NEAR = 0.1
"""How far frames may be from the rule: rows of the memory that change take time as well, most of all in RC."""


def words() -> Finding:
    """Table 5.7: words per frame of the accelerators."""
    known = {name: round(factor * PIXELS) for name, factor in frames.PUBLISHED.items()}
    found = {name: frames.words_of(name) for name in known}
    printed, ours = ("; ".join(f"{name} {value}" for name, value in each.items()) for each in (known, found))
    return Finding(printed, ours, "reproduced" if found == known else "partly")


def simulated() -> Finding:
    """A frame of CIF through the line-based accelerator, in Verilator."""
    words, found = round(frames.PUBLISHED["LB"] * PIXELS), frames.simulated("LB")
    moved = frames.words_moved(found)
    same = "bit-identical" if found.is_right else "different"
    text = f"{moved} words, {found.cycles} cycles, {same}"
    return Finding(f"{words} words", text, "reproduced" if found.is_right and moved == words else "absent")


def others() -> Finding:
    """The eight variants of which the thesis makes no hardware."""
    found = {name: frames.after_script(name) for name in frames.OTHERS}
    right = sum(each.is_right for each in found.values())
    cycles = ", ".join(f"{name} {each.cycles}" for name, each in found.items())
    ours = f"{right} bit-identical; cycles {cycles}"
    return Finding(f"{len(found)} variants", ours, "reproduced" if right == len(found) else "partly")


def designs() -> Finding:
    """Tables 5.8 and 5.9: cycles and cells of the generated designs with borders at 72 x 88 pixels."""
    known = {name: frames.DESIGNS[number] for name, number in frames.COMPARED.items()}
    found = {name: frames.design(name, 1) for name in known}
    printed = "; ".join(f"{name} {row['cycles_72x88']} cycles, {row['LE']} LE" for name, row in known.items())
    ours = "; ".join(f"{name} {one.cycles} cycles, {one.area['lut']} LUT" for name, one in found.items())
    fewer = all(found[name].cycles <= row["cycles_72x88"] for name, row in known.items())
    return Finding(printed, ours, "partly" if fewer else "absent")


def curves() -> Finding:
    """Figure 5.20: proportional to the bandwidth where it limits, in the order of words; else flat."""
    slowest = frames.CYCLES_PER_WORD[-1]
    rule = {name: frames.bandwidth(slowest) / (factor * frames.PIXELS) for name, factor in frames.PUBLISHED.items()}
    found = {name: frames.predicted(name, 1) for name in rule}
    good = all(follows(found[name], frames.PUBLISHED[name] * frames.PIXELS) for name in rule)
    millions = frames.bandwidth(slowest) / 1e6
    printed = "; ".join(f"{name} {each:.1f}" for name, each in rule.items())
    ours = "; ".join(f"{name} {curve[-1]:.1f}" for name, curve in found.items())
    fast = ", ".join(f"{name} {curve[0]:.1f}" for name, curve in found.items())
    return Finding(
        f"frames/s at {millions:.1f} million pixels/s: {printed}; flat where computation limits, 53 on a board",
        f"{ours}; at {frames.bandwidth(1) / 1e6:.0f} million: {fast}",
        "reproduced" if good else "partly",
    )


def follows(curve: Sequence[float], words: float) -> bool:
    """Whether frames are those of the rule where one of both limits is twice the other."""
    top = curve[0]
    limits = [frames.bandwidth(each) / words for each in frames.CYCLES_PER_WORD]
    ruled = [(one, min(top, most)) for one, most in zip(curve, limits, strict=True) if not top / 2 < most < top * 2]
    return len(ruled) >= len(curve) // 2 and all(abs(one / known - 1) < NEAR for one, known in ruled)


def energies() -> Finding:
    """Table 5.11: energy of a frame by the table of picojoules."""
    rows = {"RC": "RC IDWT manual", "LB": "LB IDWT CLooGVHDL+ManOpt"}
    known = {name: frames.DECODERS[row]["energy_J"] for name, row in rows.items()}
    found = {name: planned(frames.compilation(name))["energy"] for name in rows}
    ratio = found["RC"] / found["LB"]
    return Finding(
        f"RC {known['RC']} J, LB {known['LB']} J, {known['RC'] / known['LB']:.2f} to 1",
        f"{ratio:.2f} to 1 for the transform of a frame",
        "partly" if ratio > 1 else "absent",
    )


def handed_on() -> Finding:
    """Figure 5.12: cycles of an instance."""
    (statement,) = statement_cycles.figure_5_12().statements
    found = tuple(statement_cycles.cycles(statement))
    printed, ours = (", ".join(map(str, each)) + " cycles" for each in (HANDED_ON, found))
    return Finding(printed, ours, "reproduced" if found == HANDED_ON else "partly")


def operations() -> Finding:
    """Operations per two samples, and per second."""
    kernel = ls.parse(fixed_point.SOURCE)
    samples, seconds = fixed_point.per_two_samples(kernel), fixed_point.per_second(kernel)
    rows = ((fixed_point.PER_TWO_SAMPLES, fixed_point.PER_SECOND), (samples, seconds))
    known, ours = (f"{a['*']} and {a['+']}, {b['*'] / 1e6:.1f} and {b['+'] / 1e6:.1f} million/s" for a, b in rows)
    return Finding(known, ours, "reproduced" if known == ours else "partly")


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
        "python benchmarks/controllers.py --table 5.2 --counters own rc rc_h rc_hv lb",
        lambda: claims("benchmarks/controllers.py", "--table", "5.2", "--counters", "own", "rc", "rc_h", "rc_hv", "lb"),
        status="partly",
        reason="isl makes no divisions where CLooG did: simplification has less to gain; without RC HVs and LB VHs",
    ),
    Item(
        "5.12",
        DEVOS,
        "Figure 5.12: a statement whose values are handed on in registers",
        "python benchmarks/statement_cycles.py",
        handed_on,
        reason="circuits of statements one after the other; our accelerators are pipelines, which read a value again",
        quick=True,
    ),
    Item(
        "5.3",
        DEVOS,
        "Table 5.3: area and clock of loop control and statements",
        "python benchmarks/statement_area.py",
        lambda: claims("benchmarks/statement_area.py"),
        status="partly",
        reason="ECP5 instead of Stratix; widths are not told; the register of B[i - 1] has two sources",
    ),
    tested(
        "5.3 cycles",
        DEVOS,
        "Figure 5.12, Table 5.3: the designs in simulation, bit by bit",
        "9 cycles; 7, and 8 for i = 1",
        "tests/loops/test_statement_units.py::test_figure_5_12_in_hardware",
        "tests/loops/test_statement_units.py::test_units_compute_what_the_program_does",
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
        "python benchmarks/controllers.py --table 5.6 --counters shared",
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
    ),
    tested(
        "5.7 hardware",
        DEVOS,
        "5.6: RC, LB and LB V of three levels in Verilog, lines on the chip, levels known at run time",
        "RC, LB, LB V",
        "tests/hardware/test_line_based.py::test_accelerators_of_three_levels",
        "tests/hardware/test_line_based.py::test_the_number_of_levels_is_known_when_a_program_starts",
        "tests/hardware/test_line_based.py::test_the_lines_on_the_chip_are_as_many_for_any_image",
    ),
    Item(
        "5.7 simulated",
        DEVOS,
        "5.6: the line-based transform of three levels of a CIF frame in Verilog, beside the program in C",
        "python benchmarks/frames.py --rtl LB",
        simulated,
    ),
    Item(
        "5.7 others",
        DEVOS,
        "5.6: the other eight variants of Table 3.6 as accelerators of three levels, beside the program in C",
        "python benchmarks/frames.py --others",
        others,
        reason="the thesis has no numbers of them; 24 x 24 pixels, in tiles that Loadstone chooses",
    ),
    Item(
        "5.8",
        DEVOS,
        "Tables 5.8 and 5.9: generated designs 15 to 17 of the transform",
        "python benchmarks/frames.py",
        designs,
        status="partly",
        reason="ECP5 instead of Stratix, area estimated; a pipeline for each statement, not one statement at a time; "
        "designs of other tools and by hand are not ours to make",
    ),
    Item(
        "5.10",
        DEVOS,
        "Table 5.10: registers in the control of design 16",
        "python benchmarks/line_control.py",
        lambda: claims("benchmarks/line_control.py"),
        reason="ECP5 instead of Stratix; control alone, with statements of one cycle, and loops of isl: 6, 378 and 384 "
        "cycles more instead of 22, 460 and 482",
    ),
    Item(
        "5.11",
        DEVOS,
        "Table 5.11: energy of the decoder",
        "python benchmarks/papers.py --only 5.11",
        energies,
        status="partly",
        reason="a board with the whole decoder was measured; ours is the transform, by picojoules that "
        "`explore --energy` replaces",
    ),
    Item(
        "5.20",
        DEVOS,
        "Figure 5.20, 5.6.4: frames by bandwidth",
        "python benchmarks/frames.py",
        curves,
        reason="clock of 100 MHz assumed; the picture is lost, its rule and the words are not",
    ),
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
