"""Explorations on a real Dask cluster on loopback: the same front, whatever becomes of a worker."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

import loadstone as ls
from loadstone.cli.main import main
from loadstone.fronts.cluster import cluster
from loadstone.fronts.question import Answer, Question
from loadstone.fronts.search import Hire, explore, processes
from loadstone.fronts.space import Design, Space
from loadstone.fronts.stages import Subject
from loadstone.fronts.store import Store
from loadstone.options import Choices, HardwareOptions

EXAMPLES = Path(__file__).parents[2] / "examples"
needs_dask = pytest.mark.skipif(find_spec("distributed") is None, reason="Dask is not installed: loadstone[cluster]")


def question() -> Question:
    subject = Subject(ls.parse(EXAMPLES / "vector_sum.c"), {"n": 60})
    axes = {"sizes": (1, 2, 4, 8, 16, 32), "unroll": (1, 2)}
    return Question(subject, Space(Design(Choices(), HardwareOptions(), "paper"), 1, axes))


def found(hire: Hire, seen: list[int] | None = None) -> Answer:
    with Store(None, "test") as store:
        return explore(question(), store, hire=hire, progress=None if seen is None else seen.append)


@contextmanager
def running(count: int) -> Generator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The address of a scheduler with some workers of one thread each, and these workers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    dask = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1"]
    started = [_started([*dask, "--port", str(port), "--no-dashboard", "--no-show"])]
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-dashboard"]
    started += [_started([*worker, "--no-nanny", "--host", "127.0.0.1"]) for _ in range(count)]
    try:
        yield address, started[1:]
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()


def _started(command: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ))


def waited(address: str, count: int) -> str:
    """The address, when so many workers have come."""
    distributed = pytest.importorskip("distributed")
    with distributed.Client(address, timeout=60) as client:
        client.wait_for_workers(count, timeout=60)
    return address


@needs_dask
def test_two_workers_find_the_front_of_one_process() -> None:
    with running(2) as (address, _):
        answer = found(cluster(waited(address, 2)))
    alone = found(processes(1))
    assert answer.is_exhaustive
    assert [point.measures for point in answer.front] == [point.measures for point in alone.front]


@needs_dask
def test_a_worker_that_dies_loses_nothing() -> None:
    with running(2) as (address, workers):
        seen: list[int] = []

        class Killing(list[int]):
            def append(self, value: int) -> None:
                if not seen:
                    workers[0].send_signal(signal.SIGKILL)
                seen.append(value)

        answer = found(cluster(waited(address, 2)), Killing())
        assert workers[0].wait(timeout=10) == -signal.SIGKILL
    assert answer.is_exhaustive
    assert not answer.reasons
    alone = found(processes(1))
    assert [point.measures for point in answer.front] == [point.measures for point in alone.front]


@needs_dask
def test_no_scheduler_is_an_error(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("loadstone.fronts.cluster.CONNECT_SECONDS", 1)
    words = ["explore", str(EXAMPLES / "vector_sum.c"), "-p", "n=8", "--over", "tile=4"]
    begun = time.monotonic()
    assert main([*words, "--cluster", "tcp://127.0.0.1:1"]) != 0
    assert "no scheduler at" in capsys.readouterr().err
    assert time.monotonic() - begun < 60


def test_without_dask_there_is_a_hint(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    words = ["explore", str(EXAMPLES / "vector_sum.c"), "-p", "n=8", "--over", "tile=4"]
    assert main([*words, "--cluster", "tcp://127.0.0.1:1"]) != 0
    assert "loadstone[cluster]" in capsys.readouterr().err
