"""How long `plan --schedule auto` takes on each kernel of a folder, and what it chooses.

    python benchmarks/automatic.py FOLDER [-I DIR ...]

FOLDER is searched for C files with a kernel; PolyBench 4.2.1, for one, needs `-I FOLDER/utilities`. Processor time
counts that of children, in which isl's scheduler and the counting of points run.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import loadstone as ls
from loadstone.loops.accelerator import Accelerator
from loadstone.pipeline import Compilation
from loadstone.transform.tiling import Tiling


def main() -> None:
    """Print a line for each kernel."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("-I", dest="include", action="append", default=[])
    arguments = parser.parse_args()
    for path in sorted(arguments.folder.rglob("*.c")):
        try:
            kernel = ls.parse(path, include=arguments.include)
        except ls.InputError:
            continue
        print(f"{path.stem:20} {report(kernel)}", flush=True)


def report(kernel: ls.Kernel) -> str:
    """Seconds of processor time, the sizes of tiles, and what was chosen."""
    start = seconds()
    try:
        accelerator: Accelerator = Compilation(kernel, tiling=Tiling(schedule="auto")).accelerator
    except ls.LoadstoneError as error:
        return f"{seconds() - start:6.1f} s  {error}"
    scans = len(accelerator.loads) + len(accelerator.stores)
    tiles = accelerator.plan.tiles
    return f"{seconds() - start:6.1f} s  {'x'.join(map(str, tiles.sizes)):16} {scans:2} scans  {tiles.choice}"


def seconds() -> float:
    """Processor time of this process and of those that it waited for."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


if __name__ == "__main__":
    main()
