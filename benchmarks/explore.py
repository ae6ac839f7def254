"""Fronts of spaces of designs: how many designs bounds exclude, how fast the others are, whether the front is right.

    python benchmarks/explore.py [NAME ...] [--simulate] [--brute]

For each kernel a space of tile sizes, lanes and memories. `excluded` is the share of designs that bounds excluded,
`rate` the designs evaluated or excluded per second of processor time, `complete` those evaluated in full per second of
processor time where nothing is excluded: the first tilings of the space, with all stages. Then follow seconds to the
exact front on one process, on two, and on a Dask cluster of two workers on loopback (`-` where Dask is not installed).
With `--brute` every design is predicted, with `--simulate` the five best points of the front are simulated in
Verilator. Exits with 1 where fronts differ, or a prediction is more than 3 % off.
"""

from __future__ import annotations

import resource
import sys
import time
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

import loadstone as ls
from loadstone.circuit_trials import run_system
from loadstone.dram.timing import preset
from loadstone.errors import LoadstoneError
from loadstone.fronts.archive import Archive, Vector
from loadstone.fronts.asking import ask
from loadstone.fronts.cluster import cluster
from loadstone.fronts.measures import measured, vector
from loadstone.fronts.question import Answer, Point, Question
from loadstone.fronts.search import Hire, explore, processes
from loadstone.fronts.space import Design
from loadstone.fronts.stages import Stages, TilingStages
from loadstone.fronts.store import Store
from loadstone.options import Choices, HardwareOptions, RunOptions
from loadstone.pipeline import Compilation

EXAMPLES = Path(__file__).parent.parent / "examples"
WITHIN, BEST, TIMED = 0.03, 5, 5
MEMORIES = ("paper", "ddr4-2400")


@dataclass(frozen=True, slots=True)
class Case:
    """A space of designs of a kernel."""

    file: str
    parameters: dict[str, int]
    sizes: tuple[int, ...]
    lanes: tuple[int, ...] = (1, 2, 4, 8)


CASES = {
    "matmul": Case("matmul.c", {"n": 32}, (4, 8, 16, 32)),
    "fir": Case("fir.c", {"L": 16, "N": 256}, (2, 4, 8, 16, 32, 64)),
    "conv2d": Case("accumulators/conv2d.c", {"h": 12, "w": 14}, (3, 8)),
    "gemm": Case("polybench/gemm.c", {"ni": 16, "nj": 18, "nk": 20}, (4, 8, 16)),
    "jacobi-2d": Case("polybench/jacobi-2d.c", {"tsteps": 6, "n": 20}, (4, 8), (1, 2, 4)),
}


def asked(case: Case) -> Question:
    """The question of a case."""
    kernel = ls.parse(EXAMPLES / case.file)
    compilation = Compilation(kernel, given=case.parameters)
    axes: dict[str, tuple[Any, ...]] = {"sizes": case.sizes, "unroll": case.lanes, "memory": MEMORIES}
    return ask(compilation, Design(Choices(), HardwareOptions(), "paper"), axes, ("cycles", "cells"), {})


def processor_time() -> float:
    """Seconds of this process and of those that it waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def timed(question: Question, hire: Hire) -> tuple[Answer, float, float]:
    """The answer to a question, with seconds on the clock and of processors."""
    begun, used = time.monotonic(), processor_time()
    with Store(None, "") as store:
        answer = explore(question, store, hire=hire)
    return answer, time.monotonic() - begun, processor_time() - used


def complete_rate(question: Question) -> float:
    """Designs per second of processor time where all stages are made: the median of some tilings."""
    stages, rates = Stages(question.subject), list[float]()
    for tiling in list(question.space.tilings())[-TIMED:]:
        of_tiling, count, begun = TilingStages(stages), 0, processor_time()
        for design in question.space.designs(tiling):
            try:
                measured(of_tiling.compilation(design), design.memory)
                count += 1
            except LoadstoneError:
                continue
        rates.append(count / max(processor_time() - begun, 1e-6))
    return median(rates)


def vectors(question: Question, answer: Answer) -> set[Vector]:
    """The front as vectors."""
    return {vector(point.measures, question.objectives) for point in answer.front}


def by_brute_force(question: Question) -> set[Vector]:
    """The front of all designs, none of which is excluded."""
    archive: Archive[None] = Archive()
    stages = Stages(question.subject)
    for tiling in question.space.tilings():
        of_tiling = TilingStages(stages)
        for design in question.space.designs(tiling):
            try:
                archive.add(vector(measured(of_tiling.compilation(design), design.memory), question.objectives), None)
            except LoadstoneError:
                continue
    return set(archive.vectors)


def on_cluster(question: Question) -> tuple[Answer, float] | None:
    """The answer by two workers on loopback, and the seconds that it took; None without Dask."""
    if find_spec("distributed") is None:
        return None
    distributed: Any = import_module("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as local:
        answer, seconds, _ = timed(question, cluster(local.scheduler_address))
    return answer, seconds


def error(question: Question, point: Point) -> float:
    """How far the predicted cycles of a design are from simulated ones."""
    compilation = question.subject.compilation(point.design)
    run = run_system(compilation, preset(point.design.memory), RunOptions(target="verilog", no_baseline=True))
    assert run.cycles is not None
    return point.measures["cycles"] / run.cycles - 1


def show(name: str, options: set[str]) -> bool:
    """Print the figures of a case; whether its front is right."""
    question = asked(CASES[name])
    rate = complete_rate(question)
    one, first, used = timed(question, processes(1))
    two, second, _ = timed(question, processes(2))
    dask = on_cluster(question)
    front, right = vectors(question, one), True
    right &= one.is_exhaustive and front == vectors(question, two)
    right &= dask is None or front == vectors(question, dask[0])
    third = "-" if dask is None else f"{dask[1]:.0f}"
    share = one.excluded / max(1, one.space)
    print(f"{name:10} {one.space:6} {one.evaluated:6} {share:8.0%} {one.space / used:6.1f} {rate:8.1f}", end=" ")
    print(f"{first:6.0f} {second:6.0f} {third:>6}  front {len(front)}", end="", flush=True)
    if "--brute" in options:
        same = by_brute_force(question) == front
        print(f", {'as' if same else 'NOT as'} brute force", end="", flush=True)
        right &= same
    if "--simulate" in options:
        errors = [error(question, point) for point in one.front[:BEST]]
        print(f", predictions {min(errors):+.1%} to {max(errors):+.1%}", end="", flush=True)
        right &= max(map(abs, errors)) <= WITHIN
    print()
    return right


def main() -> int:
    """Print all cases."""
    options = {word for word in sys.argv[1:] if word.startswith("--")}
    names = [word for word in sys.argv[1:] if word not in options] or list(CASES)
    print(
        f"{'':10} {'space':>6} {'eval.':>6} {'excluded':>8} {'rate':>6} {'complete':>8} {'1':>6} {'2':>6} {'Dask':>6}"
    )
    wrong = [name for name in names if not show(name, options)]
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
