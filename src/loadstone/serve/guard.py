"""Who may talk to the server: pages that it sent itself, under a name of this machine.

A page of another origin could otherwise reach the server through the browser of its user, by its address or by a name
that is made to lead here.
"""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from loadstone.serve.settings import Settings, is_loopback

_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


class Guard:
    """An application behind checks of `Host` and `Origin`, which adds headers for safety to its answers."""

    def __init__(self, application: ASGIApp, settings: Settings) -> None:
        self._application = application
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self._application(scope, receive, send)
        elif not is_welcome(Headers(scope=scope), self._settings):
            refusal = WebSocketClose(1008) if scope["type"] == "websocket" else PlainTextResponse("refused\n", 403)
            await refusal(scope, receive, send)
        else:
            await self._application(scope, receive, _with_headers(send))


def is_welcome(headers: Headers, settings: Settings) -> bool:
    """Whether a request names this server, and comes from a page of it or from no page at all."""
    host, origin = headers.get("host", ""), headers.get("origin")
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
    known = is_loopback(name) if settings.is_local else bool(name)
    return known and (origin is None or origin == f"http://{host}")


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(HEADERS)
        await send(message)

    return sending
