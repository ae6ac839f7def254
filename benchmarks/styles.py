"""Thirty kernels in the style of HLS engineers through every command, and the words that they move.

    python benchmarks/styles.py [KERNEL ...]

Each runs as it stands, tiled by its pragma or without being told, and with tiles of 8. `network` is for kernels whose
accesses are all exact. The words are those of the plan. Where `benchmarks/without_accumulators` has the kernel without
its accumulators, the ratio compares with it. `tests/test_styles.py` checks a sample of the table, sweeps all of it.
"""

from __future__ import annotations

import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import loadstone as ls
from loadstone.cli.main import main as run_command
from loadstone.options import Choices
from loadstone.pipeline import Compilation
from loadstone.transfer.volumes import count

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
PLAIN = Path(__file__).parent / "without_accumulators"
OTHERS = (
    *("blend_stream.cpp", "fir_ap.cpp", "gray.c", "histogram.c", "matmul_ap.cpp", "matmul_linear.c"),
    "sparse/sparse_product.c",
)
KERNELS = (
    *sorted((EXAMPLES / "accumulators").glob("*.c")),
    *sorted((EXAMPLES / "styles").glob("*.c")),
    *(EXAMPLES / name for name in OTHERS),
)
TILINGS = {"as it stands": None, "tiles of 8": 8}
COMMANDS = {
    "info": ("info",),
    "plan": ("plan",),
    "c": ("run", "--target", "c", "--checked"),
    "hls": ("run", "--target", "hls"),
    "verilog": ("run", "--target", "verilog"),
    "verilog on a bus": ("run", "--target", "verilog", "--memory", "paper"),
    "network": ("network",),
    "network in c": ("run", "--target", "c", "--network"),
}
UNTILED = ("info", "verilog")
"""The commands that take no tiling."""
EXACT = ("network", "network in c")
"""The commands for kernels whose accesses are all exact."""


@dataclass(frozen=True)
class Row:
    """A kernel with a tiling: the verdict on each command, the words moved, and those without accumulators."""

    kernel: str
    tiling: str
    verdicts: dict[str, str]
    words: int
    plain: int | None

    @property
    def ratio(self) -> str:
        """The words against those without accumulators."""
        return "-" if self.plain is None else f"{self.words / self.plain:.2f}"

    def text(self) -> str:
        """The row of the table."""
        cells = (self.kernel, self.tiling, *self.verdicts.values(), str(self.words), str(self.plain or "-"), self.ratio)
        return f"| {' | '.join(cells)} |"


def row(path: Path, tiling: str) -> Row:
    """The row of a kernel."""
    verdicts = {name: verdict(path, name, tiling) for name in COMMANDS}
    plain = PLAIN / path.name
    return Row(path.stem, tiling, verdicts, words(path, tiling), words(plain, tiling) if plain.exists() else None)


def verdict(path: Path, name: str, tiling: str) -> str:
    """What a command says of a kernel: ok, the error, or a dash where it is not meant for the kernel."""
    if name in EXACT and not compiled(path, tiling).tiles.kernel.exact:
        return "-"
    size = None if name in UNTILED else TILINGS[tiling]
    options = () if size is None else ("--tile", str(size))
    printed, errors = StringIO(), StringIO()
    with redirect_stdout(printed), redirect_stderr(errors):
        status = run_command([*COMMANDS[name], str(path), *options])
    is_right = status == 0 and ("run" not in COMMANDS[name] or "agrees bit by bit" in printed.getvalue())
    return "ok" if is_right else (errors.getvalue() or printed.getvalue()).strip().splitlines()[0]


def compiled(path: Path, tiling: str) -> Compilation:
    """The kernel of a file with its default parameters, in a tiling."""
    kernel = ls.parse(path)
    return Compilation(kernel, Choices(sizes=TILINGS[tiling]), kernel.defaults)


def words(path: Path, tiling: str) -> int:
    """The words that the plan of a kernel moves, loads and stores together."""
    compilation = compiled(path, tiling)
    arrays = compilation.transfers.arrays.values()
    moved = (relation for part in arrays for relation in (part.strip_to_loaded, part.strip_to_stored))
    return sum(count(relation, compilation.values) for relation in moved)


def main() -> None:
    """Print the table."""
    heads = ("kernel", "tiling", *COMMANDS, "words", "without accumulators", "ratio")
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    chosen = [path for path in KERNELS if path.stem in sys.argv[1:] or len(sys.argv) == 1]
    for path in chosen:
        for tiling in TILINGS:
            print(row(path, tiling).text(), flush=True)


if __name__ == "__main__":
    main()
