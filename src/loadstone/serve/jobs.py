"""Requests on their way to workers: a few at once, each under a limit of time, stopped when nobody waits any more."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import tempfile
from collections.abc import Awaitable, Callable
from multiprocessing import forkserver, get_context
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, ForkServerProcess
from typing import Any

from loadstone.errors import Diagnostic
from loadstone.serve.request import Request
from loadstone.serve.settings import Settings
from loadstone.serve.worker import PROBLEMS, work

Send = Callable[[str], Awaitable[None]]
PATIENCE = 10
"""Seconds that a page may take to read an answer."""
END = "end"
"""The last answer to a request."""


class Workers:
    """The workers of a server; `close` removes what they left in their folder."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._context: ForkServerContext = get_context("forkserver")
        self._context.set_forkserver_preload(["loadstone.serve.warm"])
        _start_forkserver()
        self._free = asyncio.Semaphore(settings.workers)
        self._folder = tempfile.mkdtemp(prefix="loadstone-serve-")

    async def answer(self, request: Request, send: Send) -> None:
        """Send the answers to a request as they come, the panes that were not finished, and an end."""
        async with self._free:
            answered, why = await self._answer(request, send)
        missing = [] if answered == {PROBLEMS} else [name for name in request.panes if name not in answered]
        for name in missing:
            await send(_line(request, name, problems=[_problem(why)]))
        await send(_line(request, END, missing=missing))

    async def _answer(self, request: Request, send: Send) -> tuple[set[str], str]:
        """The panes that were finished, all of them sent, and why others were not."""
        folder = tempfile.mkdtemp(dir=self._folder)
        receiving, sending = self._context.Pipe(duplex=False)
        process = self._context.Process(target=work, args=(sending, request, self._settings, folder), daemon=True)
        answered: set[str] = set()
        why = "it ended without an answer"
        started = asyncio.create_task(asyncio.to_thread(process.start))
        try:
            await asyncio.shield(started)
            sending.close()
            async with asyncio.timeout(self._settings.seconds):
                while (data := await asyncio.to_thread(_received, receiving)) is not None:
                    answered |= _finished(json.loads(data))
                    await asyncio.wait_for(send(data), PATIENCE)
        except TimeoutError:
            why = f"stopped after {self._settings.seconds:g} seconds"
        finally:
            await asyncio.shield(_ended(started, process, sending, receiving, folder))
        return answered, why

    async def warm(self) -> None:
        """Start the process that workers are forked from."""

        async def ignore(_: str) -> None:
            return None

        await self.answer(Request(0, "warm", ("kernel",), "void warm(void) {}"), ignore)

    def close(self) -> None:
        """Remove the folder of the workers."""
        shutil.rmtree(self._folder, ignore_errors=True)


def _start_forkserver() -> None:
    """Start the process that workers are forked from; an interrupt from the terminal is left to the server alone."""
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        forkserver.ensure_running()
    finally:
        signal.signal(signal.SIGINT, handler)


def _problem(why: str) -> dict[str, Any]:
    """Why a pane is missing, as JSON."""
    return Diagnostic(why, None, "give smaller parameters or tiles, or allow more with --time").as_json()


def _line(request: Request, pane: str, **content: object) -> str:
    return json.dumps({"id": request.id, "slot": request.slot, "pane": pane, **content})


def _finished(answer: dict[str, Any]) -> set[str]:
    """The pane of an answer, unless more of it is to come."""
    return set() if answer.get("more") else {answer["pane"]}


def _received(connection: Connection) -> str | None:
    """The next answer; None when there is no other."""
    try:
        return connection.recv_bytes().decode()
    except (EOFError, OSError):
        return None


async def _ended(
    started: asyncio.Task[None], process: ForkServerProcess, sending: Connection, receiving: Connection, folder: str
) -> None:
    """Stop a worker, once it has started, and forget it."""
    await asyncio.gather(started, return_exceptions=True)
    sending.close()
    await asyncio.to_thread(_stop, process)
    receiving.close()
    shutil.rmtree(folder, ignore_errors=True)


def _stop(process: ForkServerProcess) -> None:
    """Stop a worker with all that it started, unless it has ended."""
    if process.pid is not None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            process.kill()
        process.join()
        process.close()
