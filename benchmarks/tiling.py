"""Words that `--tile auto` moves at PolyBench MEDIUM sizes, against the pragmas of the examples and lower bounds.

    python benchmarks/tiling.py [--local 1024,4096,16384,65536] [KERNEL ...]

`auto` and `cells` are the words and cells of the choice, `strips` whether they overlap; `pragma` the words of the
tiling in the example, whatever memory that takes; `bound` the lower bound on words for this memory, and `ratio` auto
over the larger of bound and compulsory. `s` are seconds of processor time; the first memory pays for the closed forms.
Where no tiling fits there is `-`, and what the smallest would need.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from pathlib import Path

import loadstone as ls
from loadstone.errors import UnsupportedError
from loadstone.options import Choices
from loadstone.pipeline import Compilation
from loadstone.tiling_search.bounds import compulsory_words, io_bound
from loadstone.tiling_search.decision import decide, search_space
from loadstone.transfer.volumes import count

POLYBENCH = Path(__file__).parent.parent / "examples" / "polybench"
MEDIUM: Mapping[str, Mapping[str, int]] = {
    "2mm": {"ni": 180, "nj": 190, "nk": 210, "nl": 220},
    "3mm": {"ni": 180, "nj": 190, "nk": 200, "nl": 210, "nm": 220},
    "adi": {"tsteps": 100, "n": 200},
    "atax": {"m": 390, "n": 410},
    "bicg": {"m": 390, "n": 410},
    "cholesky": {"n": 400},
    "correlation": {"m": 240, "n": 260},
    "covariance": {"m": 240, "n": 260},
    "deriche": {"w": 720, "h": 480},
    "doitgen": {"nq": 40, "nr": 50, "np": 60},
    "durbin": {"n": 400},
    "fdtd-2d": {"tmax": 100, "nx": 200, "ny": 240},
    "floyd-warshall": {"n": 500},
    "gemm": {"ni": 200, "nj": 220, "nk": 240},
    "gemver": {"n": 400},
    "gesummv": {"n": 250},
    "gramschmidt": {"m": 200, "n": 240},
    "heat-3d": {"tsteps": 100, "n": 40},
    "jacobi-1d": {"tsteps": 100, "n": 400},
    "jacobi-2d": {"tsteps": 100, "n": 250},
    "lu": {"n": 400},
    "ludcmp": {"n": 400},
    "mvt": {"n": 400},
    "nussinov": {"n": 500},
    "seidel-2d": {"tsteps": 100, "n": 400},
    "symm": {"m": 200, "n": 240},
    "syr2k": {"m": 200, "n": 240},
    "syrk": {"m": 200, "n": 240},
    "trisolv": {"n": 400},
    "trmm": {"m": 200, "n": 240},
}


def pragma_words(compilation: Compilation) -> int:
    """The words of the tiling in the source."""
    parts = compilation.transfers.arrays.values()
    values = compilation.values
    return sum(count(moved, values) for part in parts for moved in (part.strip_to_loaded, part.strip_to_stored))


def show(name: str, sizes: list[int]) -> None:
    """A row for each local memory."""
    kernel, values = ls.parse(POLYBENCH / f"{name}.c"), MEDIUM[name]
    own, least = pragma_words(Compilation(kernel, Choices(), values)), compulsory_words(kernel, values).words
    space = None
    for local in sizes:
        start = processor_time()
        goal = Compilation(kernel, Choices(sizes="auto", local=local), values).goal
        space = space or search_space(goal)
        bound = io_bound(kernel, values, local)
        shown = "" if bound is None else f"{bound:.0f}"
        try:
            found = decide(goal, space)
            auto = f"{found.words:>9} {found.cells:>7} {found.strips:8}"
            rest = f"{found.ratio:>6.2f} {'x'.join(map(str, found.tiles.sizes))} strip {found.tiles.strip}"
        except UnsupportedError as error:
            auto, rest = f"{'-':>9} {'-':>7} {'':8}", error.diagnostics[0].hint
        spent = processor_time() - start
        print(f"{name:14} {local:>6} {auto} {own:>9} {least:>9} {shown:>9} {spent:>5.1f} {rest}", flush=True)


def processor_time() -> float:
    """Seconds of processor time of this process and those that it waited for."""
    return sum(os.times()[:4])


def main() -> None:
    parser = argparse.ArgumentParser(description="Words by --tile auto at PolyBench MEDIUM sizes.")
    parser.add_argument("--local", default="1024,4096,16384,65536")
    parser.add_argument("kernels", nargs="*", metavar="KERNEL", default=list(MEDIUM))
    arguments = parser.parse_args()
    columns = ("local", "auto", "cells", "strips", "pragma", "compuls.", "bound", "s", "ratio", "sizes")
    print(f"{'kernel':14} {' '.join(columns)}")
    for name in arguments.kernels or MEDIUM:
        show(name, [int(size) for size in arguments.local.split(",")])


if __name__ == "__main__":
    main()
