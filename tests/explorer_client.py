"""Servers of the explorer, and a page without a browser, which asks and collects answers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple, cast

from websockets.sync.client import ClientConnection, connect

MAIN = (
    *("kernel", "dependences", "tiling", "traffic", "tiles", "buffers", "c", "hls"),
    *("timeline", "resources", "verilog", "vhdl", "network", "reuse"),
)

SCALE = "void scale(int n, int a[n], int b[n]) {\n  for (int i = 0; i < n; i++)\n    b[i] = 3 * a[i];\n}\n"
"""A small kernel."""


class Explorer(NamedTuple):
    """A server that runs: its address, its process, and the folder with its headers."""

    address: str
    process: int
    folder: Path


@contextmanager
def running(folder: Path, *options: str, **environment: str) -> Generator[Explorer]:
    """A server in a process of its own."""
    command = [sys.executable, "-m", "loadstone", "serve", "--json", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment}) as process:
        assert process.stdout is not None
        try:
            yield Explorer(json.loads(process.stdout.readline())["address"], process.pid, folder)
        finally:
            process.terminate()
            process.wait(20)


class Page:
    """A connection to the explorer."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.count = 0

    def ask(self, source: str, panes: tuple[str, ...] = MAIN, slot: str = "main", **more: Any) -> int:
        """Send a request; returns its number."""
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "slot": slot, "panes": panes, "source": source, **more}))
        return self.count

    def next(self, seconds: float = 60) -> dict[str, Any]:
        """The next answer."""
        return json.loads(self.socket.recv(timeout=seconds))

    def answers(self, number: int, seconds: float = 60) -> Iterator[dict[str, Any]]:
        """The answers to a request up to its end; those to others are left out."""
        until = monotonic() + seconds
        while True:
            answer = self.next(max(0.1, until - monotonic()))
            if answer.get("id") == number:
                yield answer
                if answer["pane"] == "end":
                    return

    def panes(self, source: str, panes: tuple[str, ...] = MAIN, **more: Any) -> dict[str, dict[str, Any]]:
        """The last answer for each pane."""
        return {answer["pane"]: answer for answer in self.answers(self.ask(source, panes, **more))}


@contextmanager
def page(address: str, **options: Any) -> Generator[Page]:
    """A page that is open."""
    with cast(ClientConnection, connect(address.replace("http", "ws") + "socket", max_size=None, **options)) as socket:
        yield Page(socket)
