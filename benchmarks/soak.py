"""A soak: random kernels, scripts, tilings and options through the command line, until one result is wrong.

    python benchmarks/soak.py --kernels 100000 --seed 0 --jobs 2

Each kernel goes through `info`, `plan`, `plan --check` of its own plan and C that checks its cells; every tenth also
through one of HLS C++, process network, hardware on the chip, hardware with external memory. Kernels have
accumulators, local arrays, accesses that depend on data, jumps, linearised subscripts, several types. A case ends
right, refused (a diagnostic), out of time, or wrong: the results differ, a traceback, a generated program that does
not compile. The first wrong one is shrunk to a few lines and printed with its commands. Cases that are done stand in
the log; a soak that was stopped goes on there. With `--keep-going`, wrong ones are logged as well, to be shrunk one by
one afterwards: `--seed S --kernels 1` with a log of its own.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from random_cases import Case, Ending, Verdict, drawn, ending, shrunk  # noqa: E402


class Running:
    """A case in a process of its own, with a limit on its time."""

    def __init__(self, seed: int, work: Callable[[], Ending], seconds: float) -> None:
        self.seed = seed
        self.folder = TemporaryDirectory()
        self.end = time.monotonic() + seconds
        self.process = os.fork()
        if self.process == 0:
            os.setsid()
            os.chdir(self.folder.name)
            try:
                Path("ending.json").write_text(json.dumps(asdict(work())))
            finally:
                os._exit(0)

    def ended(self) -> Ending | None:
        """How it ended; None while it runs."""
        if os.waitpid(self.process, os.WNOHANG)[0] == 0:
            if time.monotonic() < self.end:
                return None
            os.killpg(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
            found = Ending("out of time", "", "", ())
        else:
            file = Path(self.folder.name) / "ending.json"
            found = (
                Ending(**json.loads(file.read_text()))
                if file.exists()
                else Ending("wrong", "", "the process ended", ())
            )
        self.folder.cleanup()
        return found


def run_alone(case: Case, seconds: float) -> Ending:
    """One case, waited for."""
    running = Running(case.seed, lambda: ending(case), seconds)
    while (found := running.ended()) is None:
        time.sleep(0.01)
    return found


def wrong_as(case: Case, seconds: float) -> Callable[[Case], bool]:
    """Whether another case is wrong at the same command in the same words, and reads nothing that nobody set."""
    first, defined = run_alone(case, seconds), _is_defined(case.source)

    def is_wrong(smaller: Case) -> bool:
        if defined and not _is_defined(smaller.source):
            return False
        found = run_alone(smaller, seconds)
        return (found.verdict, found.way, found.text[:60]) == ("wrong", first.way, first.text[:60])

    return is_wrong


def _is_defined(source: str) -> bool:
    """Whether the C compiler finds no variable that is read before it is set."""
    command = [
        "gcc",
        "-x",
        "c",
        "-O2",
        "-c",
        "-o",
        os.devnull,
        "-Werror=uninitialized",
        "-Werror=maybe-uninitialized",
        "-",
    ]
    return subprocess.run(command, input=source, text=True, capture_output=True, check=False).returncode == 0


def soak(seeds: Iterator[int], jobs: int, seconds: float, log: Path, *, keep_going: bool) -> int | None:
    """Runs cases until one is wrong, whose seed it answers, or all are done; wrong ones may be logged like others."""
    gc.freeze()
    running: list[Running] = []
    with log.open("a") as lines:
        while True:
            while len(running) < jobs and (seed := next(seeds, None)) is not None:
                running.append(Running(seed, lambda seed=seed: ending(drawn(seed)), seconds))
            if not running:
                return None
            time.sleep(0.02)
            for one in list(running):
                if (found := one.ended()) is None:
                    continue
                running.remove(one)
                if found.verdict == "wrong":
                    print(f"\nseed {one.seed}, {found.way}: {found.text}", flush=True)
                    if not keep_going:
                        _stop(running)
                        return one.seed
                lines.write(json.dumps({"seed": one.seed, **asdict(found)}) + "\n")
                lines.flush()


def _stop(running: Sequence[Running]) -> None:
    for one in running:
        one.end = 0
        while one.ended() is None:
            time.sleep(0.01)


@dataclass(frozen=True, slots=True)
class Entry:
    """A case in the log."""

    seed: int
    verdict: Verdict
    passed: tuple[str, ...]


def logged(log: Path) -> dict[int, Entry]:
    """The cases of a log by their seeds."""
    lines = map(json.loads, log.read_text().splitlines()) if log.exists() else ()
    return {line["seed"]: Entry(line["seed"], line["verdict"], tuple(line["passed"])) for line in lines}


def summary(log: Path) -> str:
    """How the cases of a log ended, and how many were right in each back end."""
    entries = logged(log).values()
    verdicts = Counter(entry.verdict for entry in entries)
    ways = Counter(way for entry in entries for way in entry.passed)
    return "\n".join(
        (
            f"{len(entries)} kernels: " + ", ".join(f"{n} {verdict}" for verdict, n in verdicts.most_common()),
            "right: " + ", ".join(f"{way} {n}" for way, n in ways.most_common()),
        )
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernels", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="the first case")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--time", type=float, default=120, help="seconds for a case")
    parser.add_argument("--keep-going", action="store_true", help="log wrong cases, too, instead of stopping")
    parser.add_argument("--log", type=Path, default=ROOT / "out" / "soak.jsonl")
    chosen = parser.parse_args()
    chosen.log.parent.mkdir(parents=True, exist_ok=True)
    done = logged(chosen.log)
    seeds = (seed for seed in range(chosen.seed, chosen.seed + chosen.kernels) if seed not in done)
    wrong = soak(seeds, chosen.jobs, chosen.time, chosen.log, keep_going=chosen.keep_going)
    print(summary(chosen.log))
    if wrong is None:
        return 1 if any(entry.verdict == "wrong" for entry in logged(chosen.log).values()) else 0
    print(f"shrinking case {wrong}")
    case = drawn(wrong)
    print(shrunk(case, wrong_as(case, chosen.time)).text())
    return 1


if __name__ == "__main__":
    sys.exit(main())
