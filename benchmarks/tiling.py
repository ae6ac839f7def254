"""Words that `--tile auto` moves for PolyBench, against the pragmas of the examples and lower bounds.

    python benchmarks/tiling.py [KERNEL ...] [--local 1024,4096,16384,65536] [--size medium|large]
                                [--log tiling.jsonl] [--seconds 600] [--sample 0]

A line for each kernel and local memory, decided in a process for each kernel, whose local memories share the closed
forms but no plans: `auto` and `cells` are the words and cells of the choice, `strips` whether they overlap; `pragma`
the words of the tiling in the example, whatever memory that takes (`fits` whether it does), `compulsory` each input
and each result once, `bound` the lower bound on words for this memory, `ratio` auto over the larger of both, `s` the
seconds of processor time of the decision with all closed forms. Where nothing is chosen the reason stands there.
`--size large` is n = 2,048 in all dimensions (512 in doitgen).

`--sample N` also draws N rectangular tilings of each legal order of the loops as they stand, of any sizes, and plans
in full the 20 whose closed forms promise the fewest words, fewer than the choice: `sample` says how many of those
fit, which is 0 unless the search overlooked something.

Finished lines stand in the log, as JSON, and are not computed again. Exits with 1 where a choice moves more words than
a pragma that fits, takes more than 60 s, or undercuts a bound.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from threading import Timer
from typing import Any

import loadstone as ls
from loadstone.errors import LoadstoneError
from loadstone.options import Choices
from loadstone.pipeline import Compilation
from loadstone.tiling_search.bounds import compulsory_words, io_bound
from loadstone.tiling_search.decision import Goal, Ordered, decide, schedules, search_space
from loadstone.tiling_search.evaluation import measure
from loadstone.tiling_search.orders import permuted
from loadstone.tiling_search.sizes import SizeSearch, extent
from loadstone.transfer.volumes import count
from loadstone.transform.tiling import TiledKernel

Row = dict[str, Any]
ENOUGH_SECONDS, MOST_PLANNED = 60, 20

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

LARGE: Mapping[str, Mapping[str, int]] = {
    **{name: dict.fromkeys(MEDIUM[name], 2048) for name in ("gemm", "2mm", "3mm", "syrk", "syr2k", "trmm", "symm")},
    "doitgen": {"nq": 512, "nr": 512, "np": 512},
}
SIZES = {"medium": MEDIUM, "large": LARGE}
COLUMNS = {
    "kernel": "14",
    "local": ">6",
    "words": ">11",
    "cells": ">6",
    "strips": "8",
    "pragma": ">11",
    "pragma_fits": ">5",
    "compulsory": ">9",
    "bound": ">10",
    "ratio": ">6",
    "s": ">6",
    "sample": ">6",
}
SHORT = {"words": "auto", "pragma_fits": "fits", "compulsory": "compuls."}


def pragma_row(compilation: Compilation, local: int) -> Row:
    """The words of the tiling in the source, and whether it fits into a local memory."""
    values, parts = compilation.values, compilation.transfers.arrays.values()
    words = sum(count(moved, values) for part in parts for moved in (part.strip_to_loaded, part.strip_to_stored))
    buffers = compilation.plan.arrays.values()
    return {"pragma": words, "pragma_fits": sum(max(1, part.buffer.cells(values)) for part in buffers) <= local}


def auto_row(goal: Goal, space: Sequence[Ordered]) -> Row:
    """What is chosen, or why nothing is."""
    begun = processor_time()
    try:
        found = decide(goal, [replace(ordered, plans={}) for ordered in space])
    except LoadstoneError as error:
        said = error.diagnostics[0]
        return {"s": processor_time() - begun, "error": f"{said.message}; {said.hint}"}
    return {
        **found.as_json(),
        "s": processor_time() - begun,
        "sizes": list(found.tiles.sizes),
        "strip": found.tiles.strip,
    }


def rows_of(name: str, size: str, memories: Sequence[int], sample: int) -> Iterator[Row]:
    """All figures of a kernel, for each local memory."""
    kernel, values = ls.parse(POLYBENCH / f"{name}.c"), SIZES[size][name]
    goals = [Compilation(kernel, Choices(sizes="auto", local=local), values).goal for local in memories]
    begun = processor_time()
    space = search_space(goals[0])
    shared = processor_time() - begun
    compulsory = compulsory_words(kernel, values).words
    for goal in goals:
        row: Row = {"kernel": name, "size": size, "local": goal.local, **auto_row(goal, space)}
        row |= {"s": row["s"] + shared, "bound": io_bound(kernel, values, goal.local), "compulsory": compulsory}
        try:
            row |= pragma_row(Compilation(kernel, Choices(), values), goal.local)
        except LoadstoneError as error:
            row["pragma_error"] = error.diagnostics[0].message
        if sample and "words" in row:
            row["sample"] = sum(words < row["words"] for words in sampled_words(goal, sample, row["words"]))
        yield row


def sampled_words(goal: Goal, count_of_each: int, limit: int) -> Iterator[int]:
    """The words below a limit of tilings that fit, of the most promising of random sizes of the loops as they stand."""
    drawn = sorted(_drawn(goal, count_of_each, limit), key=lambda each: each[0])
    for _, tiles in drawn[:MOST_PLANNED]:
        found = measure(
            tiles, goal.parameters, goal.make_plan, goal.depth, power_of_two=goal.power_of_two, split=goal.split
        )
        if found is not None and found.all_cells("drain") <= goal.local:
            yield found.words


def _drawn(goal: Goal, count_of_each: int, limit: int) -> Iterator[tuple[float, TiledKernel]]:
    """Random sizes of all legal orders of the loops as they stand, by their words, where live elements fit."""
    random, (plain, _) = Random(f"{goal.kernel.name} {goal.local}"), next(schedules(goal))
    for ordered in search_space(goal):
        if str(ordered.base.schedule) != str(plain.schedule):
            continue
        search = SizeSearch(ordered.order, ordered.traffic, ordered.held, goal.local)
        dims, strip = ordered.order.dims, len(ordered.order.strip)
        for _ in range(count_of_each):
            sizes = search.complete({k: random.randint(1, extent(ordered.held.reach[k])) for k in search.free})
            if search.cells(sizes) <= goal.local and (words := ordered.traffic.estimate(sizes)) < limit:
                theta = permuted(plain.theta, dims)
                yield words, TiledKernel(ordered.base.kernel, theta, tuple(sizes[k] for k in dims), strip)


def processor_time() -> float:
    """Seconds of processor time of this process and those that it waited for."""
    return sum(os.times()[:4])


def in_a_process(name: str, arguments: argparse.Namespace, memories: Sequence[int]) -> Iterator[Row]:
    """The rows of a kernel from a process of its own, which is stopped where it takes too long."""
    known = ",".join(map(str, memories))
    words = [name, "--one", "--local", known, "--size", arguments.size, "--sample", str(arguments.sample)]
    with subprocess.Popen([sys.executable, __file__, *words], stdout=subprocess.PIPE, text=True) as running:
        clock = Timer(arguments.seconds, running.kill)
        clock.start()
        assert running.stdout is not None
        yield from map(json.loads, running.stdout)
        clock.cancel()


def line(row: Row) -> str:
    """A row of the table."""

    def shown(key: str, form: str) -> str:
        value = row.get(key)
        text = (
            f"{value:.{2 if key == 'ratio' else 1 if key == 's' else 0}f}" if isinstance(value, float) else str(value)
        )
        return f"{'-' if value is None else text:{form}}"

    rest = row.get("error") or f"{'x'.join(map(str, row.get('sizes', ())))} strip {row.get('strip')}"
    return " ".join([*(shown(key, form) for key, form in COLUMNS.items()), rest])


def is_wrong(row: Row) -> bool:
    """Whether a row breaks what is promised."""
    if "words" not in row:
        return True
    loses = row.get("pragma_fits", False) and row["words"] > row["pragma"]
    return loses or row["s"] > ENOUGH_SECONDS or row["words"] < (row["bound"] or 0) or bool(row.get("sample"))


def known_rows(log: Path) -> dict[tuple[str, str, int], Row]:
    """The rows of a log."""
    rows = map(json.loads, log.read_text().splitlines()) if log.exists() else ()
    return {(row["kernel"], row["size"], row["local"]): row for row in rows}


def rows(arguments: argparse.Namespace) -> Iterator[Row]:
    """All rows, as they come; those of the log first."""
    known, log = known_rows(arguments.log), arguments.log
    for name in arguments.kernels:
        keys = {local: (name, arguments.size, local) for local in arguments.local}
        yield from (known[key] for key in keys.values() if key in known)
        missing = [local for local, key in keys.items() if key not in known]
        for row in in_a_process(name, arguments, missing) if missing else ():
            missing.remove(row["local"])
            with log.open("a") as file:
                file.write(json.dumps(row) + "\n")
            yield row
        for local in missing:
            yield {"kernel": name, "local": local, "error": f"not within {arguments.seconds} s"}


def integers(text: str) -> list[int]:
    """Integers that are separated by commas."""
    return [int(part) for part in text.split(",")]


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Words by --tile auto for PolyBench.")
    parser.add_argument("--local", type=integers, default=[1024, 4096, 16384, 65536])
    parser.add_argument("--size", choices=list(SIZES), default="medium")
    parser.add_argument("--log", type=Path, default=Path("tiling.jsonl"))
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("kernels", nargs="*", metavar="KERNEL")
    arguments = parser.parse_args()
    arguments.kernels = arguments.kernels or list(SIZES[arguments.size])
    if arguments.one:
        for row in rows_of(arguments.kernels[0], arguments.size, arguments.local, arguments.sample):
            print(json.dumps(row), flush=True)
        return 0
    print(" ".join(f"{SHORT.get(key, key):{form}}" for key, form in COLUMNS.items()))
    wrong = 0
    for row in rows(arguments):
        print(line(row), flush=True)
        wrong += is_wrong(row)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
