"""Tilings judged by a Dask cluster: workers get the question once, and each tiling with the front so far.

Dask gives the tiling of a worker that dies to another one; a tiling that ends several workers is given up. Workers
need the same version of Loadstone, and processes that can be forked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pickle import dumps, loads
from typing import Any

from loadstone.errors import Diagnostic, ToolError
from loadstone.fronts.archive import Vector
from loadstone.fronts.question import Question, Verdict
from loadstone.fronts.search import Hire
from loadstone.fronts.stages import Stages
from loadstone.fronts.workers import Judged, Known, Processes, is_over
from loadstone.options import Choices

CONNECT_SECONDS, PAUSE = 10, 0.5
PER_THREAD = 2
"""Tilings that a thread of a worker has at once, so that it does not wait for the next."""


def cluster(address: str) -> Hire:
    """The workers of a scheduler, `tcp://host:port`."""
    return lambda question, _: Cluster(question, address)


@dataclass(frozen=True, eq=False)
class Cluster:
    """The workers of a Dask scheduler."""

    question: Question
    address: str

    def judge(self, tilings: Iterable[Choices], known: Known, end: float | None) -> Judged:
        """The verdicts on the designs of tilings; what runs when the time is over is left."""
        client = _connected(self.address)
        waiting, running, question = iter(tilings), dict[Any, Choices](), dumps(self.question)
        try:
            while not is_over(end):
                room = PER_THREAD * max(1, sum(client.nthreads().values())) - len(running)
                for tiling in _first(waiting, room):
                    running[client.submit(verdicts_on, question, tiling, known(), pure=False)] = tiling
                if not running:
                    return
                for done in _done(client, running):
                    yield (tiling := running.pop(done)), self._verdicts(done, tiling)
        finally:
            client.cancel(list(running), force=True)
            client.close()

    def _verdicts(self, done: Any, tiling: Choices) -> list[Verdict]:
        """What a worker answered; a tiling without an answer is given up."""
        if done.status == "finished":
            return done.result()
        reason = f"its tiling ended its workers: {type(done.exception()).__name__}"
        return [{"given up": reason} for _ in self.question.space.designs(tiling)]


def verdicts_on(question: bytes, tiling: Choices, known: list[Vector]) -> list[Verdict]:
    """On a worker: the verdicts on the designs of a tiling."""
    return _processes(question).verdicts(tiling, known)


@lru_cache(maxsize=2)
def _processes(question: bytes) -> Processes:
    asked: Question = loads(question)
    return Processes(asked, Stages(asked.subject))


def _first(waiting: Iterator[Choices], count: int) -> Iterator[Choices]:
    for _ in range(count):
        tiling = next(waiting, None)
        if tiling is None:
            return
        yield tiling


def _done(client: Any, running: dict[Any, Choices]) -> list[Any]:
    """The tilings that are judged, after a while at most."""
    with client.as_current(), suppress(TimeoutError):
        _distributed().wait(list(running), timeout=PAUSE, return_when="FIRST_COMPLETED")
    return [each for each in running if each.status in ("finished", "error", "cancelled", "lost")]


def _distributed() -> Any:
    try:
        return import_module("distributed")
    except ImportError:
        raise ToolError(Diagnostic("Dask is not installed", None, "pip install 'loadstone[cluster]'")) from None


def _connected(address: str) -> Any:
    distributed = _distributed()
    try:
        return distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        hint = "dask scheduler and dask worker start a cluster"
        raise ToolError(Diagnostic(f"no scheduler at '{address}': {error}", None, hint)) from None
