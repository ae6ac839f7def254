"""Channels that are FIFOs before and after the split, for the kernels of RR-9131 (Tables 1 and 2) and all of PolyBench.

    python benchmarks/networks.py [--power-of-two] [--all] [KERNEL ...]

Channels between statements only, as in the report. It tells neither its tilings nor its sizes, and takes PolyBench 3.2,
whose loops differ from ours in places: numbers of channels compare only roughly, sizes not at all, shares of FIFOs
well. The tilings are those of our sources (`#pragma loadstone tile`) with default parameters; stencils of two and three
dimensions have a second one, of time and one skewed dimension. `depth` is the published split, `ours` the complete one.

Columns are those of the report. Table 1: channels, FIFOs among them, channels that are FIFOs or become FIFOs
(`split`, #fifo-split), cells of FIFOs and of all channels; then channels, FIFOs and cells after the split. Table 2:
cells of the channels that fail and are split, before (`fail`) and after (`parts`), and the difference in per cent.

Takes about four minutes for the kernels of the report, more with `--all`. Exits with 1 where our split recovers a
smaller share than the report, or the published one does in all tilings that we have.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import published

import loadstone as ls
from loadstone.networks.model import Network
from loadstone.networks.sizes import occupancies, power_of_two
from loadstone.networks.split import split_by_depth, split_completely
from loadstone.pipeline import whole_network
from loadstone.transform.choice import choose_tiling
from loadstone.transform.tiling import TiledKernel

POLYBENCH = Path(__file__).parent.parent / "examples" / "polybench"
TABLE_1, TABLE_2 = published.table("rr9131", "table_1"), published.table("rr9131", "table_2")
TWO_DIMENSIONS = {
    "jacobi-2d": "[tsteps, n] -> { S0[t, i, j] -> [t, 2t + i]; S1[t, i, j] -> [t, 2t + i + 1] }",
    "seidel-2d": "[tsteps, n] -> { S0[t, i, j] -> [t, t + i] }",
    "heat-3d": "[tsteps, n] -> { S0[t, i, j, k] -> [t, 2t + i]; S1[t, i, j, k] -> [t, 2t + i + 1] }",
}
"""Tilings of time and one skewed dimension, in tiles of 4 by 8."""


class Counted(NamedTuple):
    """A network: channels, FIFOs, original channels that are FIFOs altogether, cells of FIFOs and of all.

    `fail` and `parts` are cells of the channels that were split, before and after.
    """

    channels: int
    fifo: int
    recovered: int
    fifo_size: int
    size: int
    fail: int
    parts: int


class Row(NamedTuple):
    """A kernel with one of its tilings, and its networks."""

    kernel: str
    tiling: str
    before: Counted
    depth: Counted
    complete: Counted
    seconds: float


def cells_of(network: Network, parameters: dict[str, int], rounded: bool) -> dict[str, int]:
    """The cells of each channel."""
    found = occupancies(network, parameters)
    return {name: power_of_two(cells) for name, cells in found.items()} if rounded else dict(found)


def counted(network: Network, cells: dict[str, int], whole: dict[str, int]) -> Counted:
    """The numbers of a network, with the cells of its channels and of those before the split."""
    fifos = {channel.id for channel in network.channels if channel.pattern == "fifo"}
    origins = {channel.id: channel.split_from or channel.id for channel in network.channels}
    broken = {origins[name] for name in origins if name not in fifos}
    split = {origin for name, origin in origins.items() if origin != name} - broken
    return Counted(
        len(origins),
        len(fifos),
        len(set(origins.values()) - broken),
        sum(cells[name] for name in fifos),
        sum(cells.values()),
        sum(whole[origin] for origin in split),
        sum(cells[name] for name, origin in origins.items() if origin in split),
    )


def row_of(name: str, two_dimensions: bool = False, rounded: bool = False) -> Row:
    """The networks of a kernel."""
    start = time.perf_counter()
    tiles = tiles_of(name, two_dimensions)
    whole = whole_network(tiles, compute_only=True)
    parameters = dict(tiles.kernel.defaults)
    networks = whole, split_by_depth(whole), split_completely(whole)
    cells = [cells_of(network, parameters, rounded) for network in networks]
    numbers = [counted(network, each, cells[0]) for network, each in zip(networks, cells, strict=True)]
    tiling = " x ".join(map(str, tiles.sizes))
    return Row(name, tiling, *numbers, seconds=time.perf_counter() - start)


def tiles_of(name: str, two_dimensions: bool) -> TiledKernel:
    """A kernel with the tiling of its source, or that of time and one dimension."""
    kernel = ls.parse(POLYBENCH / f"{name}.c")
    return choose_tiling(kernel, (4, 8), TWO_DIMENSIONS[name]) if two_dimensions else choose_tiling(kernel)


def share(part: int, whole: int) -> float:
    """A share in per cent."""
    return 100 * part / whole if whole else 100.0


def published_share(kernel: str) -> float:
    """The channels that the report recovers, in per cent."""
    known = TABLE_1[kernel]
    return share(known["fifo_split"], known["channels_before"])


def worse(rows: Sequence[Row]) -> Iterator[str]:
    """The kernels of which a split recovers less than in the report, in all tilings."""
    for kernel in sorted({row.kernel for row in rows} & set(TABLE_1)):
        ours = [row for row in rows if row.kernel == kernel]
        for split in ("depth", "complete"):
            best = max(share(getattr(row, split).recovered, row.before.channels) for row in ours)
            if best < published_share(kernel):
                yield f"{kernel}: {split}, {best:.0f} % of {published_share(kernel):.0f} %"


def difference(fail: int, parts: int) -> str:
    """The cells that the split adds, in per cent."""
    return f"{100 * (parts - fail) / fail:.0f}" if fail else "-"


HEAD = (
    f"{'kernel':12}{'':8}{'ch':>5}{'fifo':>5}{'split':>6}{'%':>5}{'fifo size':>10}{'size':>8}"
    f"{'ch':>6}{'fifo':>5}{'fifo size':>10}{'size':>8}{'fail':>8}{'parts':>8}{'diff':>6}"
)


def report_line(kernel: str) -> str:
    """What the report has of a kernel."""
    first, second = TABLE_1[kernel], TABLE_2[kernel]
    delta = "-" if second["delta_pct"] is None else str(second["delta_pct"])
    return (
        f"{kernel:12}{'RR-9131':8}{first['channels_before']:5}{first['fifo_before']:5}{first['fifo_split']:6}"
        f"{published_share(kernel):5.0f}{first['fifo_size_before']:10}{first['total_size_before']:8}"
        f"{first['channels_after']:6}{first['fifo_after']:5}{first['fifo_size_after']:10}{first['total_size_after']:8}"
        f"{second['size_fifo_fail']:8}{second['size_fifo_split']:8}{delta:>6}"
    )


def our_line(row: Row, label: str, after: Counted) -> str:
    """What we have of a kernel, split in one of the two ways."""
    before = row.before
    return (
        f"{'':12}{label:8}{before.channels:5}{before.fifo:5}{after.recovered:6}"
        f"{share(after.recovered, before.channels):5.0f}{before.fifo_size:10}{before.size:8}"
        f"{after.channels:6}{after.fifo:5}{after.fifo_size:10}{after.size:8}"
        f"{after.fail:8}{after.parts:8}{difference(after.fail, after.parts):>6}"
    )


def show(row: Row) -> None:
    """Print a kernel."""
    print(report_line(row.kernel) if row.kernel in TABLE_1 else row.kernel)
    print(our_line(row, "depth", row.depth), f" {row.tiling}")
    print(our_line(row, "ours", row.complete), f" {row.seconds:.1f} s", flush=True)


def tasks(names: Sequence[str]) -> list[tuple[str, bool]]:
    """Kernels, and whether they have the tiling of time and one dimension."""
    return [(name, two) for name in names for two in ((False, True) if name in TWO_DIMENSIONS else (False,))]


def main() -> int:
    """Print the tables and judge them."""
    parser = argparse.ArgumentParser(description="Tables 1 and 2 of RR-9131, published and ours.")
    parser.add_argument("--power-of-two", action="store_true", help="sizes rounded up to powers of two")
    parser.add_argument("--all", action="store_true", help="all of PolyBench")
    parser.add_argument("kernels", nargs="*")
    options = parser.parse_args()
    start = time.perf_counter()
    every = sorted(path.stem for path in POLYBENCH.glob("*.c"))
    chosen = tasks(options.kernels or (every if options.all else list(TABLE_1)))
    print(HEAD)
    rows: list[Row] = []
    with ProcessPoolExecutor(2) as pool:
        for row in pool.map(row_of, *zip(*chosen, strict=True), [options.power_of_two] * len(chosen)):
            show(row)
            rows.append(row)
    found = list(worse(rows))
    print(f"{len(rows)} networks in {time.perf_counter() - start:.0f} s; worse than published: {found or 'none'}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
