"""Channels that are FIFOs before and after the split, for the kernels of RR-9131 (Tables 1 and 2) and all of PolyBench.

    python benchmarks/networks.py [--power-of-two]

Channels between statements only, as in the report; the tilings are those of our sources (`#pragma loadstone tile`), the
parameters their defaults. The report tells neither its tilings nor its sizes, and takes PolyBench 3.2, whose loops
differ from ours in places: numbers of channels compare only roughly, shares of FIFOs well. `before` is the tiled
network whose channels are whole, `depth` the published split, `complete` ours. `recovered` counts original channels
that are FIFOs, or become FIFOs, as the column #fifo-split of the report does. Exits with 1 where we recover a smaller
share than the report.
"""

from __future__ import annotations

import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import loadstone as ls
from loadstone.networks.model import Network
from loadstone.networks.sizes import occupancies, power_of_two
from loadstone.networks.split import split_by_depth, split_completely
from loadstone.pipeline import whole_network
from loadstone.transform.choice import choose_tiling

POLYBENCH = Path(__file__).parent.parent / "examples" / "polybench"
ROUNDED = "--power-of-two" in sys.argv


class Published(NamedTuple):
    """A row of Tables 1 and 2 [RR-9131]: channels and FIFOs before, channels recovered, and sizes in all."""

    channels: int
    fifo: int
    recovered: int
    size: int
    channels_after: int
    size_after: int


PUBLISHED = {
    "trmm": Published(2, 1, 2, 512, 3, 513),
    "gemm": Published(2, 1, 2, 528, 3, 304),
    "syrk": Published(2, 1, 2, 8193, 3, 8194),
    "symm": Published(6, 3, 6, 818, 7, 819),
    "gemver": Published(6, 3, 5, 4161, 7, 4162),
    "gesummv": Published(6, 6, 6, 96, 6, 96),
    "syr2k": Published(2, 1, 2, 8193, 3, 8194),
    "lu": Published(8, 0, 3, 1088, 11, 1091),
    "cholesky": Published(9, 3, 6, 1074, 11, 1076),
    "atax": Published(5, 3, 4, 65, 5, 65),
    "doitgen": Published(3, 2, 3, 12288, 4, 12289),
    "jacobi-2d": Published(10, 0, 10, 8320, 18, 8832),
    "seidel-2d": Published(9, 0, 9, 49952, 16, 52065),
    "jacobi-1d": Published(6, 1, 6, 1153, 10, 1175),
    "heat-3d": Published(20, 0, 20, 148608, 38, 158992),
}


class Counted(NamedTuple):
    """A network: its channels, those that are FIFOs, original channels that are FIFOs altogether, and values held."""

    channels: int
    fifo: int
    recovered: int
    size: int


class Row(NamedTuple):
    """A kernel with its tiling, and its networks."""

    kernel: str
    tiling: str
    before: Counted
    depth: Counted
    complete: Counted
    seconds: float


def counted(network: Network, parameters: dict[str, int]) -> Counted:
    """The numbers of a network."""
    values = occupancies(network, parameters).values()
    whole: dict[str, bool] = {}
    for channel in network.channels:
        origin = channel.split_from or channel.id
        whole[origin] = whole.get(origin, True) and channel.pattern == "fifo"
    fifo = sum(channel.pattern == "fifo" for channel in network.channels)
    size = sum(map(power_of_two, values)) if ROUNDED else sum(values)
    return Counted(len(network.channels), fifo, sum(whole.values()), size)


def row_of(path: Path) -> Row:
    """The networks of a kernel."""
    start = time.perf_counter()
    kernel = ls.parse(path)
    tiles = choose_tiling(kernel)
    whole = whole_network(tiles, compute_only=True)
    parameters = dict(kernel.defaults)
    numbers = [counted(network, parameters) for network in (whole, split_by_depth(whole), split_completely(whole))]
    tiling = " x ".join(map(str, tiles.sizes))
    return Row(path.stem, tiling, *numbers, seconds=time.perf_counter() - start)


def share(part: int, whole: int) -> float:
    """A share in per cent."""
    return 100 * part / whole if whole else 100.0


def is_worse(row: Row) -> bool:
    """Whether a smaller share of channels is recovered than in the report."""
    published = PUBLISHED.get(row.kernel)
    ours = share(row.complete.recovered, row.before.channels)
    return published is not None and ours < share(published.recovered, published.channels)


def print_published(rows: list[Row]) -> None:
    """Tables 1 and 2, published and ours."""
    print(f"{'':12}{'RR-9131':>38}{'ours':>14}")
    print(f"{'kernel':12}{'ch':>5}{'fifo':>5}{'recov':>6}{'%':>5}{'size':>8}{'after':>9}", end="")
    print(f"{'ch':>6}{'fifo':>5}{'depth':>6}{'compl':>6}{'%':>5}{'parts':>6}{'size':>8}{'after':>8}  tiling")
    for row in (row for row in rows if row.kernel in PUBLISHED):
        known = PUBLISHED[row.kernel]
        percent = share(known.recovered, known.channels)
        print(f"{row.kernel:12}{known.channels:5}{known.fifo:5}{known.recovered:6}{percent:5.0f}", end="")
        print(f"{known.size:8}{known.size_after:9}", end="")
        print(f"{ours_text(row)}  {row.tiling}{'  WORSE' if is_worse(row) else ''}")


def ours_text(row: Row) -> str:
    """Our columns."""
    percent = share(row.complete.recovered, row.before.channels)
    return (
        f"{row.before.channels:6}{row.before.fifo:5}{row.depth.recovered:6}{row.complete.recovered:6}{percent:5.0f}"
        f"{row.complete.channels:6}{row.before.size:8}{row.complete.size:8}"
    )


def main() -> int:
    """Print the tables and judge them."""
    start = time.perf_counter()
    with ProcessPoolExecutor(2) as pool:
        rows = list(pool.map(row_of, sorted(POLYBENCH.glob("*.c"))))
    print_published(rows)
    print()
    print(f"{'kernel':16}{'ch':>6}{'fifo':>5}{'depth':>6}{'compl':>6}{'%':>5}{'parts':>6}{'size':>8}{'after':>8}  s")
    for row in rows:
        print(f"{row.kernel:16}{ours_text(row)}  {row.seconds:.1f}")
    print(f"{len(rows)} kernels in {time.perf_counter() - start:.0f} s")
    return 1 if any(map(is_worse, rows)) else 0


if __name__ == "__main__":
    sys.exit(main())
