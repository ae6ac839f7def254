"""The server as an application: the page, a socket for requests and answers, and projects to download."""

from __future__ import annotations

import asyncio
import json
from base64 import b64decode
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from importlib.metadata import version
from importlib.resources import files
from typing import Any, cast

from starlette.applications import Starlette
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp
from starlette.websockets import WebSocket, WebSocketDisconnect

from loadstone.errors import InputError, refused
from loadstone.serve.guard import Guard
from loadstone.serve.jobs import Workers
from loadstone.serve.panes import NAMES, RUNNING
from loadstone.serve.request import PRESETS, Request, read_request
from loadstone.serve.settings import MOST_BYTES, Settings

MOST_SLOTS = 4
_TYPES = {"html": "text/html", "js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
_PAGES = {"/": "index.html", "/explorer.js": "explorer.js", "/explorer.css": "explorer.css", "/icon.svg": "icon.svg"}


def application(settings: Settings) -> ASGIApp:
    """The application, behind its guard."""
    explorer = _Explorer(settings)
    routes = [
        *(Route(path, _page(name)) for path, name in _PAGES.items()),
        Route("/settings.json", explorer.settings_page),
        Route("/project.zip", explorer.project, methods=["POST"]),
        Route("/waveform.vcd", explorer.waveform, methods=["POST"]),
        WebSocketRoute("/socket", explorer.socket),
    ]
    return Guard(Starlette(routes=routes, lifespan=explorer.lifespan), settings)


def _page(name: str) -> Any:
    """An answer with a file of the package."""
    text = (files("loadstone.serve") / "static" / name).read_bytes()
    kind = f"{_TYPES[name.rpartition('.')[2]]}; charset=utf-8"

    async def page(_: HttpRequest) -> Response:
        return Response(text, media_type=kind)

    return page


class _Explorer:
    """What the routes share."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._workers: Workers | None = None
        self._names = tuple(name for name in NAMES if settings.allow_run or name not in RUNNING)

    @asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncGenerator[None]:
        """Workers while the server runs."""
        self._workers = Workers(self._settings)
        warming = asyncio.create_task(self._workers.warm())
        try:
            yield
        finally:
            warming.cancel()
            await asyncio.gather(warming, return_exceptions=True)
            self._workers.close()

    @property
    def workers(self) -> Workers:
        """The workers of the server that runs."""
        assert self._workers is not None
        return self._workers

    async def settings_page(self, _: HttpRequest) -> Response:
        """What the page must know of the server."""
        told = {"version": version("loadstone"), "allow_run": self._settings.allow_run, "memories": PRESETS}
        return JSONResponse({**told, "panes": self._names, "source": self._settings.source})

    async def project(self, request: HttpRequest) -> Response:
        """A zip file with all that is generated."""
        made = await self._made(request, "project")
        return made if isinstance(made, Response) else _file(b64decode(made["zip"]), f"{made['name']}.zip")

    async def waveform(self, request: HttpRequest) -> Response:
        """What the signals of the hardware do, as VCD."""
        made = await self._made(request, "waveform")
        return made if isinstance(made, Response) else _file(made["vcd"].encode(), f"{made['name']}.vcd")

    async def _made(self, request: HttpRequest, pane: str) -> dict[str, Any] | Response:
        """What a pane holds, or why it could not be made."""
        try:
            asked = self._read(await _body(request), panes=[pane])
        except InputError as error:
            return JSONResponse(error.as_json(), 413 if isinstance(error, _TooLarge) else 400)
        found: list[dict[str, Any]] = []

        async def keep(text: str) -> None:
            found.append(json.loads(text))

        await self.workers.answer(asked, keep)
        made = next((each["data"] for each in found if "data" in each), None)
        if made is None:
            problems = [problem for each in found for problem in each.get("problems", ())]
            return JSONResponse({"error": problems[0] if problems else None, "errors": problems}, 422)
        return cast("dict[str, Any]", made)

    def _read(self, text: str | bytes, **fixed: Any) -> Request:
        """A request from text; raises `InputError`."""
        try:
            data: object = json.loads(text)
        except (ValueError, RecursionError):
            raise refused("a request is JSON") from None
        asked = {**cast(dict[str, Any], data), **fixed} if isinstance(data, dict) else data
        return read_request(asked, self._names)

    async def socket(self, socket: WebSocket) -> None:
        """Answer the requests of a page; a new one stops the one in the same slot."""
        await socket.accept()
        running: dict[str, asyncio.Task[None]] = {}
        try:
            while True:
                await self._next(socket, running)
        except (WebSocketDisconnect, RuntimeError):
            pass
        finally:
            await _stop(*running.values())

    async def _next(self, socket: WebSocket, running: dict[str, asyncio.Task[None]]) -> None:
        """Take a request from a socket, and start to answer it."""
        message = await socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1000))
        try:
            request = self._read(message.get("text") or message.get("bytes") or "")
            if request.slot not in running and len(running) >= MOST_SLOTS:
                raise refused("a page has few slots")
        except InputError as error:
            await socket.send_text(json.dumps({"pane": "refused", **error.as_json()}))
            return
        if request.slot in running:
            await _stop(running[request.slot])
        running[request.slot] = asyncio.create_task(self._answer(socket, request))

    async def _answer(self, socket: WebSocket, request: Request) -> None:
        with suppress(WebSocketDisconnect, RuntimeError):
            await self.workers.answer(request, socket.send_text)


def _file(content: bytes, name: str) -> Response:
    """An answer with a file to keep."""
    kind = "application/zip" if name.endswith(".zip") else "text/plain"
    return Response(content, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


async def _stop(*tasks: asyncio.Task[None]) -> None:
    """End tasks that nobody waits for."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


class _TooLarge(InputError):
    """A body that is not read to its end."""


async def _body(request: HttpRequest) -> bytes:
    """The body of a request; raises an error for one that is too large."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_BYTES:
            raise _TooLarge(*refused(f"more than {MOST_BYTES} bytes").diagnostics)
    return body
