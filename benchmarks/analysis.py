"""Processor time and peak memory of `info` and `plan`, a process per command: PolyBench, large kernels, stencils.

python benchmarks/analysis.py [NAME ...] [--save FILE] [--beside FILE] [--commands info,plan,auto] [--limit SECONDS]

Names choose kernels (parts of names do, too). `plan` has the tiling of the source, `auto` tiles of 32 and the schedule
that isl finds. A command that exceeds the limit is stopped. `--save` keeps the figures as JSON, `--beside` prints
those of an earlier run in front of them.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from pathlib import Path

from large_kernels import KERNELS
from resources import Figures, compiled_into, loadstone, used_by

POLYBENCH = sorted((Path(__file__).parent.parent / "examples" / "polybench").glob("*.c"))
COMMANDS = {
    "info": ("info",),
    "plan": ("plan",),
    "auto": ("plan", "--tile", "32", "--schedule", "auto"),
}

Results = dict[str, dict[str, Figures | str]]
"""Figures of kernels by command, or why there are none."""


def measured(path: Path, command: str, limit: int, compiled: Path) -> Figures | str:
    """Figures of a command, or why there are none; compiled modules are kept in a folder, as once installed."""
    words = (*COMMANDS[command], str(path), "--json", "--time", str(limit))
    return used_by(loadstone(*words), limit, compiled_into(compiled))


def chosen_kernels(names: list[str], folder: Path) -> dict[str, Path]:
    """The kernels to measure: those of PolyBench in the examples, then the others, written into a folder."""
    found = {path.stem: path for path in POLYBENCH}
    for name, text in KERNELS.items():
        found[name] = folder / f"{name}.c"
        found[name].write_text(text)
    return {name: path for name, path in found.items() if not names or any(part in name for part in names)}


def shown(figures: Figures | str, earlier: Figures | str | None) -> str:
    """One entry of the table: seconds and MB, those of an earlier run in front."""
    return f"{_entry(earlier) + ' -> ' if earlier is not None else ''}{_entry(figures)}"


def _entry(figures: Figures | str) -> str:
    return f"{'-':>8} {'':>6}" if isinstance(figures, str) else f"{figures[0]:8.2f} {figures[1]:6.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--save", type=Path)
    parser.add_argument("--beside", type=Path)
    parser.add_argument("--commands", default="info,plan,auto")
    parser.add_argument("--limit", type=int, default=300)
    arguments = parser.parse_args()
    commands = arguments.commands.split(",")
    earlier: Results = json.loads(arguments.beside.read_text()) if arguments.beside else {}
    results: Results = {}
    print(f"{'':16}" + "".join(f"{f'{command} [s, MB]':>{36 if earlier else 18}}" for command in commands))
    with tempfile.TemporaryDirectory() as folder:
        compiled = Path(folder, "compiled")
        measured(POLYBENCH[0], "plan", arguments.limit, compiled)
        for name, path in chosen_kernels(arguments.names, Path(folder)).items():
            results[name] = {command: measured(path, command, arguments.limit, compiled) for command in commands}
            row = (shown(results[name][c], earlier.get(name, {}).get(c)).rjust(36 if earlier else 18) for c in commands)
            why = "; ".join(f"{c}: {figures}" for c, figures in results[name].items() if isinstance(figures, str))
            print(f"{name:16}{''.join(row)}  {why}".rstrip(), flush=True)
    _print_totals(results, commands)
    if arguments.save:
        arguments.save.write_text(json.dumps(results))


def _print_totals(results: Results, commands: list[str]) -> None:
    """Median and total per command, of PolyBench alone."""
    names = [path.stem for path in POLYBENCH if path.stem in results]
    for command in commands:
        known = [figures[0] for name in names if not isinstance(figures := results[name][command], str)]
        if known:
            middle, total = statistics.median(known), sum(known)
            print(f"PolyBench, {command}: median {middle:.2f} s, total {total:.1f} s of {len(known)}")


if __name__ == "__main__":
    main()
