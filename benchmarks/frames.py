"""The inverse wavelet transform of Devos, chapter 5: words per frame, and frames per second by memory bandwidth.

    python benchmarks/frames.py

Words per frame [Devos, Table 5.7]: CIF, 288 x 352 pixels, three levels; a word is a pixel. Ours are the load and store
sets of plans, counted, not a formula:

- RC: `examples/idwt97.c` on each level, a strip for each of the two passes. Between passes all goes through memory.
- LB: the same kernel line by line, a level in one strip, so that nothing goes through memory but its input and output.
- LB V: `idwt/idwt.c`, all three levels in one strip. LL of a level is not stored.

A plan assumes local memory for all that lives in a strip. `cells` says how much that is: the most elements that are
alive at once in the order of the variant (`idwt/lb.steps`, `idwt/lb_v.steps`), at 72 x 88 pixels over all three levels,
if no element is loaded twice. It is counted in a trace, and what any local memory needs at least. The thesis gives no
such figure; it only says that lines of an image fit, and frames do not.

Frames per second [Devos, Figure 5.20]: the picture is lost in the text at hand. What remains is its rule, frames =
min(computation, bandwidth / words per frame), and the frames of designs with borders on a Stratix EP1S60 that are
limited by computation (Table 5.9); `published` is that rule with these numbers. Ours are predicted by the model of
`loadstone.simulate.prediction.model` for accelerators of `examples/idwt97.c` (strips of 8 and 16 rows, three
levels one after the other) on memories that differ in bandwidth alone, and are as `paper` else: rows, latency and the
overlap of load, compute and store count. What cannot be compared: our clock is assumed (100 MHz, not placed), words
have 32 bits, the tiling differs from the variants (neighbouring strips exchange rows of `v`, so that more words move
than in LB), and one port for each local memory limits our datapaths. The form of the curves can: proportional, then
flat.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import loadstone as ls
from loadstone.dram.timing import Timing
from loadstone.model.kernel import Kernel
from loadstone.pipeline import plan_tiles
from loadstone.simulate.interpreter import Trace, execute
from loadstone.simulate.memory import initial_memory
from loadstone.simulate.prediction.model import predict_design
from loadstone.transfer import Plan
from loadstone.transfer.volumes import count
from loadstone.transform.choice import choose_tiling
from loadstone.transform.program import program_of
from loadstone.transform.script import read_script

ROOT = Path(__file__).parent.parent
FOLDER = Path(__file__).parent / "idwt"
LEVELS = ({"r": 144, "c": 176}, {"r": 72, "c": 88}, {"r": 36, "c": 44})
"""A level has 2r x 2c pixels."""
PIXELS = 288 * 352
SMALL = {"r": 9, "c": 11}
PUBLISHED = {"RC": 5.25, "LB": 2.625, "LB V": 2.0}
"""Pixels per frame in units of R C, for three levels [Devos, Table 5.7]."""
SCRIPTS = {"RC": None, "LB": "lb", "LB V": "lb_v"}
COMPUTED = {
    "15 RC": 14.83,
    "16 LB": 14.44,
    "17 LB V": 16.39,
    "18 LB opt.": 17.07,
    "19 LB hier.": 48.77,
    "26 RC man.": 78.89,
}
"""Designs with borders on the EP1S60F1020C6, and their frames per second for CIF [Devos, Table 5.9]."""
CYCLES_PER_WORD = (1, 2, 4, 8, 16, 32, 64)
CLOCK = 100_000_000

PASSES = """[r, c] -> {
  V_low[j, i] -> [0, j, 2i]; V_high[j, i] -> [0, j, 2i + 1]; V_front[j, k] -> [0, j, k];
  V_back[j, k] -> [0, j, 2r - 1 + k]; V_even[j, i] -> [0, j, 2i + 4]; V_odd[j, i] -> [0, j, 2i + 5];
  H_low[i, j] -> [1, i, 2j]; H_high[i, j] -> [1, i, 2j + 1]; H_front[i, k] -> [1, i, k];
  H_back[i, k] -> [1, i, 2c - 1 + k]; H_even[i, j] -> [1, i, 2j + 4]; H_odd[i, j] -> [1, i, 2j + 5] }"""
"""Time in the row-column transform: pass, column or row, and sample."""


def main() -> None:
    """Prints both tables."""
    level = ls.parse(ROOT / "examples/idwt97.c")
    show_words(level)
    show_frames(level)


def show_words(level: Kernel) -> None:
    """Words per frame, published and ours."""
    whole = one_output(ls.parse(FOLDER / "idwt.c"))
    words = words_of(level)
    print(f"{'words per frame':16}{'published':>12}{'ours':>12}{'cells, 72 x 88':>18}")
    for name, ours in words.items():
        print(f"{name:16}{PUBLISHED[name] * PIXELS:12.0f}{ours:12}{most_alive(whole, SCRIPTS[name]):18}")


def words_of(level: Kernel) -> dict[str, int]:
    """The words that the plans of the variants move for a frame."""
    whole = one_output(ls.parse(FOLDER / "idwt.c"))
    return {
        "RC": sum(moved(plan_tiles(choose_tiling(level, (1, 8, 1024), PASSES, 2)), each) for each in LEVELS),
        "LB": sum(moved(plan_tiles(choose_tiling(level, (2, 1, 1024), None, 3)), each) for each in LEVELS),
        "LB V": moved(plan_tiles(choose_tiling(whole, (1,), at_once(whole), 1)), LEVELS[-1]),
    }


def one_output(kernel: Kernel) -> Kernel:
    """The kernel of which somebody looks at the image alone."""
    arrays = {name: replace(array, live_out=name == "x") for name, array in kernel.arrays.items()}
    return replace(kernel, arrays=arrays)


def at_once(kernel: Kernel) -> str:
    """The schedule that puts everything in one tile."""
    instances = (f"{each.name}[{', '.join(each.iterators)}] -> [0]" for each in kernel.statements)
    return f"[{', '.join(kernel.parameters)}] -> {{ {'; '.join(instances)} }}"


def moved(plan: Plan, parameters: Mapping[str, int]) -> int:
    """The words that a plan loads and stores."""
    sets = (each for part in plan.arrays.values() for each in (part.strip_to_loaded, part.strip_to_stored))
    return sum(count(each.wrap(), parameters) for each in sets)


def most_alive(kernel: Kernel, script: str | None) -> int:
    """The most elements that are alive at once in the order of a variant, each from its first to its last access."""
    program = program_of(kernel)
    for step in () if script is None else read_script(FOLDER / f"{script}.steps"):
        program = step.step.applied(program)
    return greatest_overlap(execute(program.kernel, SMALL, initial_memory(kernel, SMALL)))


def greatest_overlap(trace: Trace) -> int:
    """The most elements that are alive at once in a trace."""
    first: dict[tuple[str, tuple[int, ...]], int] = {}
    last: dict[tuple[str, tuple[int, ...]], int] = {}
    for event in trace:
        key = event.array, tuple(event.element)
        first.setdefault(key, event.time)
        last[key] = event.time
    changes = sorted([(time, 1) for time in first.values()] + [(time + 1, -1) for time in last.values()])
    alive, most = 0, 0
    for _, change in changes:
        alive += change
        most = max(most, alive)
    return most


def show_frames(level: Kernel) -> None:
    """Frames per second by bandwidth, by the rule of the thesis and predicted."""
    print("\nframes per second, CIF, by bandwidth in million pixels per second")
    print(f"{'':24}{'words':>9}" + "".join(f"{bandwidth(each) / 1e6:9.1f}" for each in CYCLES_PER_WORD))
    for name, frames in COMPUTED.items():
        words = PIXELS * next(PUBLISHED[each] for each in ("LB V", "LB", "RC") if f" {each}" in name)
        curve = (min(frames, bandwidth(each) / words) for each in CYCLES_PER_WORD)
        print(f"{'published ' + name:24}{words:9.0f}" + "".join(f"{each:9.1f}" for each in curve))
    for rows in (8, 16):
        words, curve = predicted(level, rows)
        title = f"ours, strips of {rows} rows"
        print(f"{title:24}{words:9}" + "".join(f"{each:9.1f}" for each in curve), flush=True)


def bandwidth(cycles_per_word: int) -> float:
    """Words per second."""
    return CLOCK / cycles_per_word


def predicted(level: Kernel, rows: int) -> tuple[int, tuple[float, ...]]:
    """The words of a frame, and frames per second by bandwidth, of accelerators with strips of some rows."""
    circuits = [ls.accelerator(level, parameters=each, sizes=(rows, 1, 16)) for each in LEVELS]

    def runs(memory: Timing) -> Iterator[tuple[int, int]]:
        for each in circuits:
            found = predict_design(each.accelerator, each.design, each.values, memory)
            yield found.cycles, found.loaded + found.stored

    frames = [tuple(map(sum, zip(*runs(memory_of(each)), strict=True))) for each in CYCLES_PER_WORD]
    return frames[0][1], tuple(CLOCK / cycles for cycles, _ in frames)


def memory_of(cycles_per_word: int) -> Timing:
    """A memory like that of the paper that takes so many cycles for a word of an open row."""
    return Timing(f"every_{cycles_per_word}", 1, 1024, Fraction(32, cycles_per_word), 7, 40)


if __name__ == "__main__":
    main()
