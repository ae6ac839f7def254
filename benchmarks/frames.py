"""The inverse wavelet transform of Devos, chapter 5, as accelerators: words per frame, cycles, area, frames per second.

    python benchmarks/frames.py [--rtl VARIANT | --others]

One kernel, `idwt/levels.c`, makes three accelerators, by three tilings; the number of levels, up to three, and the size
of the image are parameters that are known when they start:

- RC: strips of a pass over the columns of a level or of one over its rows; between passes all goes through memory.
- LB: a level is a strip, row by row; LL of a level goes through memory. Lines of a level are held on the chip.
- LB V: all levels are one strip, eight lines of the image after eight; only input and image go through memory.

Words per frame [Table 5.7]: CIF, 288 x 352 pixels, three levels; a word is a pixel. Ours are those of plans, which
accelerators move: `--rtl LB` simulates one at this size beside the original program, bit by bit (minutes).
`cells` are all local buffers together, for CIF.

The thesis makes hardware of these three alone. `--others` simulates the other eight variants of its Table 3.6 as
accelerators, `idwt/idwt.c` after their scripts at 24 x 24 pixels, in tiles that Loadstone chooses (a minute for each).

Cycles and area [Tables 5.8 and 5.9, designs 15 to 17]: 72 x 88 pixels, borders included; memories on the chip have
one port to read, or five. LUT and multipliers are estimates for an ECP5 (`loadstone.fronts.area`), where the
thesis has logic elements of a Stratix and multipliers that statements share; ours has a pipeline for each of 20
statements. Frames are those of CIF at the clock that the thesis reached with the design.

Frames per second by bandwidth [Figure 5.20]: the picture is lost in the text at hand. What remains is its rule, frames
= min(computation, bandwidth / words per frame), and the frames of designs with borders on a Stratix EP1S60 that are
limited by computation (Table 5.9); `published` is that rule with these numbers. Ours are predicted by the model of
`loadstone.simulate.prediction` on memories that differ in bandwidth alone, and are as `paper` else: rows, latency and
the overlap of load, compute and store count. Our clock is assumed (100 MHz, not placed), and words have 32 bits.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import NamedTuple

import published

import loadstone as ls
from loadstone.circuits import CircuitCompilation
from loadstone.dram.timing import Timing, preset
from loadstone.fronts.bounds import planned
from loadstone.fronts.measures import built
from loadstone.fronts.space import Measure
from loadstone.model.kernel import Kernel
from loadstone.outcome import Outcome
from loadstone.simulate.prediction.model import predict_design

KERNEL = Path(__file__).parent / "idwt" / "levels.c"
CIF, SMALL = ({"r": rows, "c": columns, "levels": 3} for rows, columns in ((36, 44), (9, 11)))
PIXELS = 288 * 352
PUBLISHED = {"RC": 5.25, "LB": 2.625, "LB V": 2.0}
"""Pixels per frame in units of R C, for three levels [Devos, Table 5.7]."""
OTHERS = ("rc_h", "rc_v", "rc_hv", "rc_vh", "vh_lb", "lb_h", "lb_hv", "lb_vh")
SIZES = {"RC": (1, 8), "LB": (1, 2), "LB V": (8,)}
DESIGNS = published.table("devos_5", "table_5_9")
DECODERS = published.table("devos_5", "table_5_11")
COMPARED = {"RC": 15, "LB": 16, "LB V": 17}
"""The designs of Table 5.9 that were generated from the three variants, with borders."""
CURVES = {15: "RC", 16: "LB", 17: "LB V", 18: "LB opt.", 19: "LB hier.", 26: "RC man."}
CYCLES_PER_WORD = (1, 2, 4, 8, 16, 32, 64)
CLOCK = 100_000_000
READ_PORTS = (1, 5)


class Design(NamedTuple):
    """An accelerator at 72 x 88 pixels: cycles, and its area as estimated."""

    cycles: int
    area: Mapping[Measure, int]


def main() -> int:
    """Print the tables, or simulate a variant."""
    parser = argparse.ArgumentParser(description="The inverse wavelet transform as accelerators.")
    parser.add_argument("--rtl", choices=tuple(SIZES), help="simulate this variant, a frame of CIF, in Verilator")
    parser.add_argument("--others", action="store_true", help="simulate the other eight variants, small frames")
    options = parser.parse_args()
    if options.rtl is not None:
        return shown_outcome(options.rtl, simulated(options.rtl))
    if options.others:
        return max(shown_outcome(name, after_script(name)) for name in OTHERS)
    show_words()
    show_designs()
    show_frames()
    return 0


def shown_outcome(name: str, found: Outcome) -> int:
    """Print what a simulated frame has shown; 1 if it was wrong."""
    verdict = "bit-identical to C" if found.is_right else "different from C"
    print(f"{name}: {verdict}, {words_moved(found)} words, {found.cycles} cycles", flush=True)
    return 0 if found.is_right else 1


@cache
def kernel() -> Kernel:
    """The transform of up to three levels."""
    return ls.parse(KERNEL)


def schedule(name: str) -> str | None:
    """Time in a variant; None: that of the source, LB V."""
    if name == "LB V":
        return None
    times: list[str] = []
    for level in (3, 2, 1):
        columns = [f"{band}_{phase}{level}[i, j]" for band in ("LL", "HL") for phase in ("even", "odd")]
        rows = [f"L_even{level}[i, j]", f"L_odd{level}[i, j]", *([f"first{level - 1}[i, j]"] if level > 1 else [])]
        by_rows = (f"{3 - level}, 2i", f"{3 - level}, i")
        first, second = (f"{6 - 2 * level}, j", f"{7 - 2 * level}, i") if name == "RC" else by_rows
        times += [f"{one} -> [{first}]" for one in columns]
        times += [f"{one} -> [{second}]" for one in rows]
    return f"[r, c, levels] -> {{ {'; '.join(times)} }}"


@cache
def compilation(name: str, ports: int = 1, *, small: bool = False) -> CircuitCompilation:
    """The accelerator of a variant, for frames of CIF or of 72 x 88 pixels."""
    parameters, sizes, time = SMALL if small else CIF, SIZES[name], schedule(name)
    if ports == 1:
        return ls.accelerator(kernel(), parameters=parameters, sizes=sizes, schedule=time)
    return ls.accelerator(kernel(), parameters=parameters, sizes=sizes, schedule=time, read_ports=ports)


@cache
def words_of(name: str) -> int:
    """The words that the plan of a variant moves for a frame."""
    return planned(compilation(name))["words"]


@cache
def design(name: str, ports: int) -> Design:
    """An accelerator at 72 x 88 pixels."""
    made = compilation(name, ports, small=True)
    return Design(cycles_of(made, preset("paper")), built(made))


def cycles_of(made: CircuitCompilation, memory: Timing) -> int:
    """The cycles of a frame."""
    return predict_design(made.accelerator, made.outline, made.values, memory).cycles


def simulated(name: str) -> Outcome:
    """A frame of CIF through the accelerator of a variant, in Verilator, beside the original program."""
    return ls.run(compilation(name), target="verilog", memory="paper", no_baseline=True)


def after_script(name: str) -> Outcome:
    """A frame of 24 x 24 pixels through the transform after the script of a variant, in Verilator."""
    folder = KERNEL.parent
    made = ls.transformed(ls.parse(folder / "idwt.c"), folder / f"{name}.steps").kernel
    small = {"r": 3, "c": 3}
    return ls.run(made, parameters=small, target="verilog", memory="paper", read_ports=1, no_baseline=True)


def words_moved(found: Outcome) -> int:
    """The words that an accelerator has loaded and stored."""
    return 0 if found.traffic is None else found.traffic.loaded + found.traffic.stored


def show_words() -> None:
    """Words per frame, published and ours."""
    print(f"{'words per frame':16}{'published':>12}{'ours':>12}{'cells':>12}")
    for name, factor in PUBLISHED.items():
        cells = planned(compilation(name))["cells"]
        print(f"{name:16}{factor * PIXELS:12.0f}{words_of(name):12}{cells:12}", flush=True)


def show_designs() -> None:
    """Cycles and area at 72 x 88 pixels, published and ours."""
    heads = ("cycles", "cells", "multipliers", "frames/s")
    print(f"\n{'72 x 88 pixels':24}" + "".join(f"{head:>13}" for head in heads))
    for name, number in COMPARED.items():
        row = DESIGNS[number]
        numbers = (row["cycles_72x88"], row["LE"], row["multipliers"])
        print(f"{f'published {number} {name}':24}" + "".join(f"{each:13}" for each in numbers), end="")
        print(f"{row['fps_CIF_S60C6']:13.1f}")
        for ports in READ_PORTS:
            ours = design(name, ports)
            frames = row["fmax_S60C6"] * 1e6 / cycles_of(compilation(name, ports), preset("paper"))
            title = f"ours, {ports} port{'s' * (ports > 1)}"
            print(f"{title:24}{ours.cycles:13}{ours.area['lut']:13}{ours.area['dsp']:13}{frames:13.1f}", flush=True)


def show_frames() -> None:
    """Frames per second by bandwidth, by the rule of the thesis and predicted."""
    print("\nframes per second, CIF, by bandwidth in million pixels per second")
    print(f"{'':24}{'words':>9}" + "".join(f"{bandwidth(each) / 1e6:9.1f}" for each in CYCLES_PER_WORD))
    for number, name in CURVES.items():
        words = PIXELS * next(PUBLISHED[each] for each in ("LB V", "LB", "RC") if name.startswith(each))
        curve = (min(DESIGNS[number]["fps_CIF_S60C6"], bandwidth(each) / words) for each in CYCLES_PER_WORD)
        print(f"{f'published {number} {name}':24}{words:9.0f}" + "".join(f"{each:9.1f}" for each in curve))
    for name in SIZES:
        for ports in READ_PORTS:
            curve = predicted(name, ports)
            title = f"ours {name}, {ports} port{'s' * (ports > 1)}"
            print(f"{title:24}{words_of(name):9}" + "".join(f"{each:9.1f}" for each in curve), flush=True)


def bandwidth(cycles_per_word: int) -> float:
    """Words per second."""
    return CLOCK / cycles_per_word


@cache
def predicted(name: str, ports: int) -> tuple[float, ...]:
    """Frames per second by bandwidth of the accelerator of a variant."""
    made = compilation(name, ports)
    return tuple(CLOCK / cycles_of(made, memory_of(each)) for each in CYCLES_PER_WORD)


def memory_of(cycles_per_word: int) -> Timing:
    """A memory like that of the paper that takes so many cycles for a word of an open row."""
    return Timing(f"every_{cycles_per_word}", 1, 1024, Fraction(32, cycles_per_word), 7, 40)


if __name__ == "__main__":
    sys.exit(main())
