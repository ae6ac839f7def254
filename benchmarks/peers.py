"""Processor time and peak memory of `info` and `plan` on a folder of C kernels, beside PPCG and pet where given.

python benchmarks/peers.py [FOLDER] [--ppcg PATH] [--pet PATH] [-I DIR] [-D NAME] [--names PART,...] [--save FILE]

Kernels are all C files below the folder with `#pragma scop`; without a folder, PolyBench in the examples. `plan` has
tiles of 32 and the schedule that isl finds, as `ppcg --target=c --tile` has. A ratio is our time over that of PPCG.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from resources import Figures, compiled_into, loadstone, used_by

EXAMPLES = Path(__file__).parent.parent / "examples" / "polybench"
OURS = {"info": ("info",), "plan": ("plan", "--tile", "32", "--schedule", "auto")}

Row = dict[str, Figures | str]
"""Figures by program, or why there are none."""


def kernels_in(folder: Path) -> dict[str, Path]:
    """The C files below a folder that mark a kernel, by name."""
    files = sorted(folder.rglob("*.c"), key=lambda path: path.stem)
    return {path.stem: path for path in files if "#pragma scop" in path.read_text(errors="replace")}


def commands_for(path: Path, options: argparse.Namespace) -> dict[str, list[str]]:
    """The command line of each program for a kernel."""
    shared = [word for folder in options.include for word in ("-I", str(folder))]
    shared += [word for name in options.define for word in ("-D", name)]
    ours = ["--json", "--time", str(options.limit)]
    found = {name: loadstone(*words, str(path), *shared, *ours) for name, words in OURS.items()}
    if options.ppcg:
        found["ppcg"] = [str(options.ppcg), "--target=c", "--tile", *shared, "-o", "/dev/null", str(path)]
    if options.pet:
        found["pet"] = [str(options.pet), *shared, str(path)]
    return found


def row_of(path: Path, options: argparse.Namespace, environment: Mapping[str, str]) -> Row:
    """The figures of all programs for a kernel."""
    commands = commands_for(path, options).items()
    return {name: used_by(command, options.limit, environment) for name, command in commands}


def ratio(row: Row, ours: str) -> float | None:
    """Our time over that of PPCG; None where one of them has none."""
    mine, theirs = row[ours], row.get("ppcg", "not given")
    return None if isinstance(mine, str) or isinstance(theirs, str) else mine[0] / theirs[0]


def shown(row: Row) -> str:
    """Seconds and MB of each program, then our ratios to PPCG."""
    figures = ("".join(_entry(each)) for each in row.values())
    ratios = (_ratio_entry(ratio(row, ours)) for ours in OURS) if "ppcg" in row else ()
    why = "; ".join(f"{name}: {reason}" for name, reason in row.items() if isinstance(reason, str))
    return f"{''.join(figures)}{''.join(ratios)}  {why}".rstrip()


def _entry(figures: Figures | str) -> str:
    return f"{'-':>9}{'':>7}" if isinstance(figures, str) else f"{figures[0]:9.2f}{figures[1]:7.0f}"


def _ratio_entry(number: float | None) -> str:
    return f"{'-':>10}" if number is None else f"{number:10.2f}"


def heading(programs: Sequence[str]) -> str:
    """The names of the columns."""
    ratios = [f"{ours}/ppcg" for ours in OURS] if "ppcg" in programs else []
    columns = [f"{f'{name} s':>9}{'MB':>7}" for name in programs] + [f"{each:>10}" for each in ratios]
    return f"{'':20}{''.join(columns)}"


def summary(rows: Sequence[Row]) -> list[str]:
    """Median and total of each program, and our ratios to PPCG, over the kernels where both have figures."""
    lines: list[str] = []
    for program in rows[0]:
        known = [figures[0] for row in rows if not isinstance(figures := row[program], str)]
        if known:
            middle = statistics.median(known)
            lines.append(f"{program}: median {middle:.2f} s, total {sum(known):.1f} s of {len(known)}")
    for ours in OURS:
        ratios = [number for row in rows if (number := ratio(row, ours)) is not None]
        if ratios:
            lines.append(f"{ours} over ppcg: median {statistics.median(ratios):.2f}, most {max(ratios):.2f}")
    return lines


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=EXAMPLES)
    parser.add_argument("--ppcg", type=Path)
    parser.add_argument("--pet", type=Path)
    parser.add_argument("-I", dest="include", action="append", type=Path, default=[])
    parser.add_argument("-D", dest="define", action="append", default=[])
    parser.add_argument("--names", default="")
    parser.add_argument("--limit", type=int, default=300)
    parser.add_argument("--save", type=Path)
    return parser.parse_args()


def main() -> None:
    options = _options()
    parts = [part for part in options.names.split(",") if part]
    kernels = {n: p for n, p in kernels_in(options.folder).items() if not parts or any(part in n for part in parts)}
    if not kernels:
        raise SystemExit(f"no C file with '#pragma scop' below {options.folder}")
    rows: dict[str, Row] = {}
    with tempfile.TemporaryDirectory() as compiled:
        environment = compiled_into(Path(compiled))
        first = next(iter(kernels.values()))
        row_of(first, options, environment)
        print(heading(list(commands_for(first, options))))
        for name, path in kernels.items():
            rows[name] = row_of(path, options, environment)
            print(f"{name:20}{shown(rows[name])}", flush=True)
    print("\n".join(summary(list(rows.values()))))
    if options.save:
        options.save.write_text(json.dumps(rows))


if __name__ == "__main__":
    main()
