"""A worker: answers one request in a process of its own, and ends.

The process leads a group. Branches are forked from it once the kernel is read, so that they share what is known of it,
although isl's objects cannot be sent from one process to another. To stop a worker is to kill its group.
"""

from __future__ import annotations

import json
import os
import resource
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Lock
from time import perf_counter
from typing import Any

from loadstone.errors import Diagnostic, LoadstoneError
from loadstone.serve.panes import LIVE, TRUNK, answers, branches
from loadstone.serve.request import Request
from loadstone.serve.settings import Settings
from loadstone.serve.subject import Subject

PROBLEMS = "problems"
"""The first answer: what is wrong with the text."""
_GRACE = 5
_LARGEST_FILE = 64 << 20


@dataclass(frozen=True, eq=False)
class _Reply:
    """The way back to the server, shared by the processes of a group."""

    connection: Connection
    lock: Lock
    request: Request
    began: float

    def send(self, pane: str, **content: Any) -> None:
        """Send the contents of a pane."""
        answer = {"id": self.request.id, "slot": self.request.slot, "pane": pane, **content}
        with self.lock:
            answer["ms"] = round(1000 * (perf_counter() - self.began))
            self.connection.send_bytes(json.dumps(answer).encode())


def work(connection: Connection, request: Request, settings: Settings, folder: str) -> None:
    """Answer a request pane by pane through a connection; the process works in a folder of its own."""
    began = perf_counter()
    os.setsid()
    _confine(settings, folder)
    reply = _Reply(connection, get_context("fork").Lock(), request, began)
    subject = Subject(request, settings.include, settings.allow_run)
    problems = _problems(subject)
    reply.send(PROBLEMS, problems=problems)
    if problems:
        return
    _answer(subject, [name for name in TRUNK if name in request.panes], reply)
    _answer_beside(subject, branches(request.panes), reply)


def _confine(settings: Settings, folder: str) -> None:
    """Limit memory, time and files of this process and of all that it starts."""
    seconds = int(settings.seconds) + _GRACE
    for limit, value in (
        (resource.RLIMIT_AS, settings.memory),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, _LARGEST_FILE),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(limit, (value, value))
    os.chdir(folder)
    tempfile.tempdir = folder
    os.environ["LOADSTONE_TIME_LIMIT"] = str(settings.seconds)


def _problems(subject: Subject) -> list[dict[str, Any]]:
    """What is wrong with the text of a kernel."""
    try:
        _ = subject.kernel
    except Exception as error:
        return described(error)
    return []


def described(error: Exception) -> list[dict[str, Any]]:
    """What went wrong, as JSON; nothing of the program itself is told of errors that should not happen."""
    match error:
        case LoadstoneError():
            found = error.diagnostics
        case MemoryError():
            found = (Diagnostic("not enough memory", None, "give smaller parameters or tiles"),)
        case _:
            found = (
                Diagnostic(f"internal error: {type(error).__name__}: {error}", None, "this is a bug in Loadstone"),
            )
    return [each.as_json() for each in found]


def _answer(subject: Subject, names: Iterable[str], reply: _Reply) -> None:
    """Send panes one after the other; what goes wrong stands in the pane."""
    for name in names:
        try:
            for data in answers(subject, name):
                reply.send(name, data=data, more=name in LIVE)
            if name in LIVE:
                reply.send(name, more=False)
        except Exception as error:
            reply.send(name, problems=described(error))


def _answer_beside(subject: Subject, groups: list[list[str]], reply: _Reply) -> None:
    """Send groups of panes, each in a process of its own but for the first."""
    children = [_forked(subject, group, reply) for group in groups[1:]]
    for group in groups[:1]:
        _answer(subject, group, reply)
    for child in children:
        os.waitpid(child, 0)


def _forked(subject: Subject, names: list[str], reply: _Reply) -> int:
    """The process that sends some panes."""
    child = os.fork()
    if child == 0:
        try:
            _answer(subject, names, reply)
        finally:
            os._exit(0)
    return child
