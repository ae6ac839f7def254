"""The explorer: time from a keystroke to each pane, and many pages at once.

    python benchmarks/serve.py [NAME ...]                    # milliseconds from a change of the text to each pane
    python benchmarks/serve.py --clients 100 --seconds 60    # pages that edit and wait, all at once

A change is sent as the page sends it, without the pause of 120 ms after the last keystroke. The server is warm. Times
are medians of five changes; of panes that fill while they are computed, the time to the first point. Exits with 1 where
the first pane of matmul takes more than 300 ms or all take more than 3 s, and where a page of the load test meets an
error.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

EXAMPLES = Path(__file__).parent.parent / "examples"
KERNELS = ("matmul", "polymul", "fir", "conv2d", "gemm", "atax", "jacobi-1d", "lu")
PANES = (
    *("kernel", "dependences", "tiling", "traffic", "tiles", "buffers", "c", "hls"),
    *("timeline", "resources", "verilog", "vhdl", "network", "reuse"),
)
LIVE = ("curve", "front")
ROUNDS, FIRST, ALL = 5, 300.0, 3000.0


@contextmanager
def server() -> Generator[str]:
    """The address of a server."""
    command = [sys.executable, "-m", "loadstone", "serve", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield json.loads(process.stdout.readline())["address"].replace("http", "ws") + "socket"
        finally:
            process.terminate()


def source(name: str) -> str:
    return next(path for path in EXAMPLES.rglob("*.c") if path.stem == name).read_text()


async def answered(socket: ClientConnection, number: int, text: str, panes: Sequence[str]) -> dict[str, float]:
    """The milliseconds to each pane; raises `RuntimeError` where one holds a problem."""
    start = time.perf_counter()
    await socket.send(json.dumps({"id": number, "source": text, "panes": list(panes)}))
    found: dict[str, float] = {}
    while "end" not in found:
        answer: dict[str, Any] = json.loads(await socket.recv())
        found.setdefault(answer["pane"], 1000 * (time.perf_counter() - start))
        if answer.get("problems"):
            raise RuntimeError(f"{answer['pane']}: {answer['problems'][0]['message']}")
    return found


async def first_point(socket: ClientConnection, number: int, text: str, pane: str) -> float:
    """The milliseconds until a pane that fills live shows something; then it is stopped."""
    start = time.perf_counter()
    await socket.send(json.dumps({"id": number, "source": text, "panes": [pane]}))
    while (answer := json.loads(await socket.recv()))["pane"] != pane or answer["id"] != number:
        if answer.get("problems"):
            raise RuntimeError(f"{answer['pane']}: {answer['problems'][0]['message']}")
    took = 1000 * (time.perf_counter() - start)
    await answered(socket, number + 1, text, ())
    return took


async def measured(address: str, name: str) -> dict[str, float]:
    """Medians of the milliseconds to each pane."""
    text = source(name)
    async with connect(address, max_size=None) as socket:
        await answered(socket, 0, text, PANES)
        rounds = [await answered(socket, k, text + "\n" * k, PANES) for k in range(1, ROUNDS + 1)]
        live = {pane: await first_point(socket, 100 + 10 * k, text, pane) for k, pane in enumerate(LIVE)}
    return {pane: median(each[pane] for each in rounds) for pane in ("problems", *PANES, "end")} | live


def show(names: Sequence[str], found: Sequence[dict[str, float]]) -> None:
    print(f"{'pane':13}" + "".join(f"{name:>11}" for name in names))
    for pane in ("problems", *PANES, "end", *LIVE):
        print(f"{pane:13}" + "".join(f"{each[pane]:11.0f}" for each in found))


async def edits(address: str, number: int, until: float) -> tuple[list[float], list[str]]:
    """The milliseconds that the changes of one page took, and the errors that it met."""
    chance, times, errors = random.Random(number), list[float](), list[str]()
    text = source("vector_sum")
    while time.monotonic() < until:
        try:
            async with connect(address, max_size=None, open_timeout=60) as socket:
                while time.monotonic() < until:
                    changed = text + "\n" * chance.randrange(50)
                    times.append(
                        (await answered(socket, len(times), changed, ("kernel", "dependences", "tiling")))["end"]
                    )
                    await asyncio.sleep(chance.random())
        except (OSError, RuntimeError, TimeoutError, asyncio.IncompleteReadError) as error:
            errors.append(f"page {number}: {type(error).__name__}: {error}")
    return times, errors


async def loaded(address: str, clients: int, seconds: float) -> int:
    """Let many pages edit at once; returns the exit status."""
    until = time.monotonic() + seconds
    pages = await asyncio.gather(*(edits(address, number, until) for number in range(clients)))
    times = [each for found, _ in pages for each in found]
    errors = [each for _, found in pages for each in found]
    low, *_, high = quantiles(times, n=20)
    print(f"{clients} pages for {seconds:g} s: {len(times)} changes answered, {len(errors)} errors")
    print(f"milliseconds to the tiling: median {median(times):.0f}, 5 % below {low:.0f}, 5 % above {high:.0f}")
    print("\n".join(errors[:10]))
    return 1 if errors or not all(found for found, _ in pages) else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", default=KERNELS)
    parser.add_argument("--clients", type=int)
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    with server() as address:
        if options.clients:
            return asyncio.run(loaded(address, options.clients, options.seconds))
        found = [asyncio.run(measured(address, name)) for name in options.names]
    show(options.names, found)
    times = dict(zip(options.names, found, strict=True)).get("matmul")
    return 0 if times is None or (times["kernel"] <= FIRST and times["end"] <= ALL) else 1


if __name__ == "__main__":
    sys.exit(main())
