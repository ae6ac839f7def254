"""Time to plan each example with its own tiling: legality, load and store sets, closed-form volumes.

python benchmarks/plan.py
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path

import loadstone as ls
from loadstone.pipeline import plan_tiles
from loadstone.transfer.description import plan_info
from loadstone.transform.choice import choose_tiling

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").rglob("*.c"))


def seconds_to_plan(path: Path) -> tuple[float, float, int]:
    """Seconds for the plan, seconds with closed forms and text, and how many closed forms were too large."""
    start = time.perf_counter()
    plan = plan_tiles(choose_tiling(ls.parse(path)))
    planned = time.perf_counter() - start
    info = plan_info(plan)
    missing = sum(array[key] is None for array in info["arrays"].values() for key in ("load_volume", "store_volume"))
    return planned, time.perf_counter() - start, missing


def main() -> None:
    print(f"{'example':20} {'plan [s]':>9} {'with volumes [s]':>17} {'open forms':>11}")
    totals: list[float] = []
    for path in EXAMPLES:
        planned, total, missing = seconds_to_plan(path)
        totals.append(total)
        print(f"{path.stem:20} {planned:9.3f} {total:17.3f} {missing or '':>11}")
    print(f"median {statistics.median(totals):.3f} s, slowest {max(totals):.3f} s")


if __name__ == "__main__":
    main()
