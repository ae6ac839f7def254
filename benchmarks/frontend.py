"""Time of `info` per example, and as a ratio to `gcc -fsyntax-only` on the same file.

python benchmarks/frontend.py
"""

from __future__ import annotations

import statistics
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import loadstone as ls
from loadstone.analysis.info import kernel_info

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").rglob("*.c"))
REPETITIONS = 3


def fastest(action: Callable[[], object]) -> float:
    def timed() -> float:
        start = time.perf_counter()
        action()
        return time.perf_counter() - start

    return min(timed() for _ in range(REPETITIONS))


def syntax_only(path: Path) -> None:
    subprocess.run(["gcc", "-fsyntax-only", "-w", str(path)], check=True)


def main() -> None:
    print(f"{'example':20} {'lines':>6} {'info [s]':>9} {'gcc [s]':>9} {'ratio':>7}")
    times: list[float] = []
    for path in EXAMPLES:
        ours = fastest(lambda p=path: kernel_info(ls.parse(p)))
        gcc = fastest(lambda p=path: syntax_only(p))
        lines = len(path.read_text().splitlines())
        times.append(ours)
        print(f"{path.stem:20} {lines:6} {ours:9.3f} {gcc:9.3f} {ours / gcc:7.1f}")
    print(f"median {statistics.median(times):.3f} s, slowest {max(times):.3f} s")


if __name__ == "__main__":
    main()
