"""The server over its socket: answers as they come, errors, safety, and what garbage does to it."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from explorer_client import MAIN, SCALE, Explorer, page, running
from kernels import ROOT

MATMUL = (ROOT / "examples" / "matmul.c").read_text()
SLOW = (ROOT / "examples" / "polybench" / "jacobi-2d.c").read_text()


def answer(address: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of an answer."""
    place = urlsplit(address)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=60)
    try:
        connection.request("GET" if body is None else "POST", path, body, headers)
        found = connection.getresponse()
        return found.status, {name.lower(): value for name, value in found.getheaders()}, found.read()
    finally:
        connection.close()


def is_up(address: str) -> bool:
    """Whether the server answers a page."""
    with page(address) as client:
        return "data" in client.panes(SCALE, ("kernel",))["kernel"]


def test_panes_come_one_by_one(server: str) -> None:
    with page(server) as client:
        found = list(client.answers(client.ask(SCALE, parameters={"n": 20}, options={"sizes": "8"})))
    order = [each["pane"] for each in found]
    assert order[:4] == ["problems", "kernel", "dependences", "tiling"]
    assert order[-1] == "end"
    assert sorted(order[1:-1]) == sorted(MAIN)
    assert all("data" in each for each in found[1:-1])
    assert [each["ms"] for each in found[:-1]] == sorted(each["ms"] for each in found[:-1])


ERRORS = (
    ("void f(int n, int a[n]) {\n  for (int i = 0; i < n; i++)\n    a[i] = b;\n}\n", 3, "b"),
    ("void f(int n, int a[n]) {\n  for (int i = 0; i < n; i++)\n    a[i] = 1\n}\n", 4, ""),
    ('#include "/etc/hostname"\nvoid f(int n, int a[n]) { for (int i = 0; i < n; i++) a[i] = 1; }\n', 1, "header"),
    ("#pragma loadstone tilt size(8)\n" + SCALE, 1, "unknown pragma"),
    ("/* nothing */\n", None, ""),
)


@pytest.mark.parametrize(("source", "line", "said"), ERRORS)
def test_problems_have_a_place(server: str, source: str, line: int | None, said: str) -> None:
    with page(server) as client:
        found = client.panes(source)
    assert set(found) == {"problems", "end"}
    first = found["problems"]["problems"][0]
    assert first["line"] == line or line is None
    assert said in first["message"]


def test_a_new_request_stops_the_one_before(explorer: Explorer) -> None:
    with page(explorer.address) as client:
        client.panes(SCALE, ("kernel",))
        idle = _descendants(explorer.process)
        old = client.ask(SLOW)
        while client.next()["pane"] != "tiling":
            pass
        wait_until(lambda: len(_descendants(explorer.process) - idle) >= 3)
        workers = _descendants(explorer.process) - idle
        new = client.ask(SCALE, ("kernel", "traffic"))
        found = [client.next()]
        while found[-1]["pane"] != "end":
            found.append(client.next())
    assert found[-1]["id"] == new
    assert {each["id"] for each in found} <= {old, new}
    assert [each["pane"] for each in found if each["id"] == new] == ["problems", "kernel", "traffic", "end"]
    wait_until(lambda: not any(map(_is_alive, workers)))


def wait_until(holds: Callable[[], bool], seconds: float = 20) -> None:
    """Wait until something holds."""
    until = monotonic() + seconds
    while not holds():
        assert monotonic() < until
        sleep(0.05)


def _is_alive(process: int) -> bool:
    """Whether a process runs, wherever it belongs."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_slots_do_not_stop_each_other(server: str) -> None:
    with page(server) as client:
        numbers = {client.ask(SCALE, ("kernel",), slot): slot for slot in ("main", "curve")}
        ended: set[Any] = set()
        while ended < set(numbers):
            found = client.next()
            ended |= {found["id"]} if found["pane"] == "end" else set()
        for slot in ("a", "b", "c"):
            client.ask(SCALE, ("kernel",), slot)
        while (found := client.next())["pane"] != "refused":
            pass
    assert "slots" in found["error"]["message"]


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"source": 1}', "[" * 5000, '{"source": "x", "panes": ["?"]}']
)
def test_garbage_is_refused_and_the_page_stays_open(server: str, text: str) -> None:
    with page(server) as client:
        client.socket.send(text)
        assert client.next()["pane"] == "refused"
        client.socket.send(text.encode())
        assert client.next()["pane"] == "refused"
        assert "data" in client.panes(SCALE, ("kernel",))["kernel"]


def test_ten_megabytes_are_refused(server: str) -> None:
    text = "x" * 10_000_000
    with page(server) as client, pytest.raises(ConnectionClosed):
        client.panes(text)
    try:
        status = answer(server, "/project.zip", json.dumps({"source": text}).encode())[0]
    except (BrokenPipeError, ConnectionResetError):
        status = 413
    assert status == 413
    assert is_up(server)


def test_half_closed_sockets_and_noise_do_no_harm(server: str) -> None:
    place = urlsplit(server)
    for noise in (
        b"",
        b"GET / HTT",
        b"\x00\xff" * 400,
        b"GET /socket HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n\r\n",
    ):
        with socket.create_connection((place.hostname, place.port), timeout=10) as raw:
            raw.sendall(noise)
            raw.shutdown(socket.SHUT_WR)
    with page(server) as client:
        client.ask(SLOW)
    assert is_up(server)


def test_a_hundred_requests_at_once(server: str) -> None:
    def asked(_: int) -> bool:
        return answer(server, "/settings.json")[0] == 200

    def compiled(_: int) -> bool:
        with page(server, open_timeout=60) as client:
            return "data" in client.panes(SCALE, ("kernel",))["kernel"]

    with ThreadPoolExecutor(100) as pool:
        assert all(pool.map(asked, range(100)))
        assert all(pool.map(compiled, range(30)))


def test_only_pages_of_the_server_may_ask(server: str) -> None:
    host = urlsplit(server).netloc
    assert answer(server, "/")[0] == 200
    assert answer(server, "/", Host="evil.example")[0] == 403
    assert answer(server, "/", Origin=f"http://{host}")[0] == 200
    assert answer(server, "/", Origin="http://evil.example")[0] == 403
    assert answer(server, "/", Origin="null")[0] == 403
    assert answer(server, "/project.zip", b"{}", Origin="https://" + host)[0] == 403
    with pytest.raises(InvalidStatus), page(server, origin="http://evil.example"):
        pass


def test_pages_need_nothing_else(server: str) -> None:
    status, headers, body = answer(server, "/")
    assert status == 200
    assert "default-src 'none'" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert b"://" not in body
    for path in ("/explorer.js", "/explorer.css", "/icon.svg"):
        assert answer(server, path)[0] == 200
    assert answer(server, "/../settings.py")[0] == 404
    assert answer(server, "/static/explorer.js")[0] == 404


def test_projects_are_downloaded(server: str) -> None:
    status, headers, body = answer(
        server, "/project.zip", json.dumps({"source": SCALE, "options": {"sizes": "8"}}).encode()
    )
    assert (status, headers["content-type"], body[:2]) == (200, "application/zip", b"PK")
    assert 'filename="scale.zip"' in headers["content-disposition"]
    status, _, body = answer(server, "/project.zip", json.dumps({"source": "int x = ;\n"}).encode())
    assert status == 422
    assert json.loads(body)["error"]["line"] == 1


def test_text_is_escaped(server: str) -> None:
    source = '/* <script>alert(1)</script> */\n#error "<img src=x onerror=alert(1)>"\n' + SCALE
    with page(server) as client:
        assert "<img" in client.panes(source)["problems"]["problems"][0]["message"]
        drawn = client.panes(SCALE, ("tiles", "network"))
    assert "<script" not in json.dumps(drawn)


def test_headers_come_from_given_folders_alone(explorer: Explorer) -> None:
    (explorer.folder / "headers" / "size.h").write_text("#define N 12\n")
    (explorer.folder / "secret.h").write_text("#define N 13\n")
    kernel = "void f(int a[N]) {\n  for (int i = 0; i < N; i++)\n    a[i] = i;\n}\n"
    with page(explorer.address) as client:
        found = client.panes(f'#include "size.h"\n{kernel}', ("kernel",))
        assert found["kernel"]["data"]["arrays"]["a"]["extents"] == ["12"]
        for name in ("../secret.h", str(explorer.folder / "secret.h"), "pyproject.toml", "README.md"):
            refused = client.panes(f'#include "{name}"\n{kernel}', ("kernel",))["problems"]["problems"]
            assert "header" in refused[0]["message"]


def test_c_is_not_compiled_unless_allowed(explorer: Explorer) -> None:
    with page(explorer.address) as client:
        found = client.panes(SCALE, parameters={"n": 20}, options={"sizes": "8"})
        assert not [each for each in found.values() if each.get("problems")]
        client.ask(SCALE, ("run",))
        assert client.next()["pane"] == "refused"
    asked = json.dumps({"source": SCALE, "parameters": {"n": 20}}).encode()
    for path in ("/project.zip", "/waveform.vcd"):
        assert answer(explorer.address, path, asked)[0] == 200
    with page(explorer.address) as client:
        live = list(client.answers(client.ask(SCALE, ("front",), "explore", parameters={"n": 20})))
    assert live[-3]["data"]["exhaustive"] is True
    assert not (explorer.folder / "used").exists()


@pytest.mark.sweep
def test_c_is_run_where_that_is_allowed(tmp_path: Path) -> None:
    with running(tmp_path, "--allow-run") as made, page(made.address) as client:
        found = client.panes(SCALE, ("run", "reuse"), parameters={"n": 5000}, options={"sizes": "8"})
    assert found["run"]["data"]["match"] is True
    assert found["run"]["data"]["loaded"] == 5000
    assert found["reuse"]["data"]["smaller"] is False


def test_requests_end_in_time(hasty: Explorer) -> None:
    assert is_up(hasty.address)
    with page(hasty.address) as client:
        start = monotonic()
        found = client.panes(SLOW, ("kernel", "curve"))
        assert 2 <= monotonic() - start < 15
        assert "data" in found["kernel"]
        assert found["end"]["missing"] == ["curve"]
        assert found["curve"]["problems"][0]["message"] == "stopped after 2 seconds"
        assert "data" in client.panes(SCALE, ("kernel",))["kernel"]


def resident(process: int) -> int:
    """The memory of a process in KiB."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])


def edit_many(explorer: Explorer, edits: int) -> None:
    """Memory does not grow with edits, and no process is left."""
    with page(explorer.address) as client:
        for warming in range(10):
            client.panes(SCALE + "\n" * warming, ("kernel",))
        before, children = resident(explorer.process), len(_descendants(explorer.process))
        for edit in range(edits):
            client.ask(SCALE + " " * (edit % 50), ("kernel", "tiling"))
            if edit % 5 == 0:
                client.panes(SCALE, ("kernel",))
        client.panes(SCALE, ("kernel",))
        assert resident(explorer.process) - before < 20_000
        assert len(_descendants(explorer.process)) <= children + 1


def _descendants(root: int) -> set[int]:
    """The processes that a process has started, and these in turn."""
    parents: dict[int, int] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found = {root}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {root}


def test_memory_is_bounded_over_edits(explorer: Explorer) -> None:
    edit_many(explorer, 60)


@pytest.mark.sweep
def test_memory_is_bounded_over_a_thousand_edits(explorer: Explorer) -> None:
    edit_many(explorer, 1000)


KERNELS = (
    "matmul",
    "polymul",
    "fir",
    "jacobi1d_sa",
    "suffix_sums",
    "histogram",
    "polybench/gemm",
    "polybench/atax",
    "polybench/trisolv",
    "polybench/lu",
)


@pytest.mark.sweep
@pytest.mark.parametrize("name", KERNELS)
def test_ten_kernels(server: str, name: str) -> None:
    with page(server) as client:
        found = client.panes((ROOT / "examples" / f"{name}.c").read_text())
    assert "data" in found["kernel"]
    assert "data" in found["tiling"]
    for each in found.values():
        assert "internal error" not in json.dumps(each.get("problems", ""))


@pytest.mark.sweep
@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 13, 16, 24, 32, 40])
def test_ten_tilings(server: str, size: int) -> None:
    with page(server) as client:
        found = client.panes(MATMUL, ("tiling", "traffic"), options={"sizes": f"{size},8,4"})
    assert found["tiling"]["data"]["sizes"] == [size, 8, 4]
    loads = 1600 + 1600 * 5 + 1600 * -(-40 // size)
    assert found["traffic"]["data"]["ways"][0] == {"way": "this plan", "load": loads, "store": 1600}


def test_an_interrupt_ends_the_server_without_a_word(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "loadstone", "serve", "--json"]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdout=pipe, stderr=pipe, text=True, start_new_session=True, cwd=tmp_path
    ) as process:
        assert process.stdout is not None
        json.loads(process.stdout.readline())
        sleep(1)
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert (said, process.returncode) == ("", 0)
