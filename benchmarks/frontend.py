"""Start-up of the command line, and time of `info` per example beside `gcc -fsyntax-only` on the same file.

python benchmarks/frontend.py [--start-up]

The first table counts the modules that a command loads, ours and all, and gives its time as a whole process: the
fastest of some runs. `--start-up` prints it alone.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import loadstone as ls
from loadstone.analysis.info import kernel_info

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").rglob("*.c"))
REPETITIONS = 3
MATMUL = str(Path(__file__).parent.parent / "examples" / "matmul.c")


def fastest(action: Callable[[], object]) -> float:
    def timed() -> float:
        start = time.perf_counter()
        action()
        return time.perf_counter() - start

    return min(timed() for _ in range(REPETITIONS))


def syntax_only(path: Path) -> None:
    subprocess.run(["gcc", "-fsyntax-only", "-w", str(path)], check=True)


def loaded(arguments: tuple[str, ...]) -> tuple[int, int]:
    """How many modules a command loads: of Loadstone, and in all."""
    script = "import sys; from loadstone.cli.main import main\ntry: main(sys.argv[1:])\nexcept SystemExit: pass\n"
    script += "names = list(sys.modules); sys.stderr.write(f\"{sum('loadstone' in n for n in names)} {len(names)}\")"
    result = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True)
    ours, every = result.stderr.split()
    return int(ours), int(every)


def start_up() -> None:
    """Print what commands load and take on matmul."""
    print(f"{'command':10} {'modules':>8} {'in all':>8} {'time [s]':>9}")
    for arguments in (("--help",), ("info", MATMUL), ("plan", MATMUL)):
        command = [sys.executable, "-m", "loadstone", *arguments]
        taken = fastest(lambda c=command: subprocess.run(c, capture_output=True, check=True))
        ours, every = loaded(arguments)
        print(f"{arguments[0]:10} {ours:8} {every:8} {taken:9.3f}")
    print()


def main() -> None:
    start_up()
    if "--start-up" in sys.argv:
        return
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
