"""The server, from its first to its last request."""

from __future__ import annotations

import socket
from collections.abc import Callable

import uvicorn

from loadstone.errors import refused
from loadstone.serve.application import application
from loadstone.serve.settings import MOST_BYTES, Settings

MOST_CONNECTIONS, BACKLOG = 512, 256


def serve(settings: Settings, ready: Callable[[str], None]) -> None:
    """Serve until the process is told to stop; `ready` is called with the address of the page."""
    listening = bound(settings)
    config = uvicorn.Config(
        application(settings),
        log_level="error",
        access_log=False,
        ws_max_size=MOST_BYTES,
        ws_max_queue=4,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=10,
        timeout_graceful_shutdown=2,
        server_header=False,
    )
    with listening:
        ready(address(settings.host, listening.getsockname()[1]))
        uvicorn.Server(config).run([listening])


def bound(settings: Settings) -> socket.socket:
    """A socket that listens at the address of the settings; raises `InputError` where it cannot be had."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((settings.host, settings.port))
        made.listen(BACKLOG)
    except OSError as error:
        made.close()
        message = f"cannot listen at {settings.host}, port {settings.port}: {error.strerror or error}"
        raise refused(message, None, "give another with --port, or none: a free one is taken") from None
    return made


def address(host: str, port: int) -> str:
    """The address of the page.

    >>> address("::1", 8000)
    'http://[::1]:8000/'
    """
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"
