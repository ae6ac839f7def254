"""How the server of the explorer works."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from os import cpu_count
from pathlib import Path

SECONDS, MEMORY = 60, 4 << 30
MOST_BYTES = 1 << 20
"""The largest request."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Address and limits; a `port` of 0 is any that is free.

    A request may take some `seconds`, and each process `memory` bytes. Headers come from the folders of `include`
    alone. C is compiled and run only where `allow_run` is set. `source` is the text that a new page begins with.
    """

    host: str = "127.0.0.1"
    port: int = 0
    include: tuple[Path, ...] = ()
    allow_run: bool = False
    seconds: float = SECONDS
    memory: int = MEMORY
    workers: int = max(2, cpu_count() or 1)
    source: str | None = None

    @property
    def is_local(self) -> bool:
        """Whether only this machine reaches the server."""
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Whether a name or an address, in brackets or not, is that of this machine.

    >>> [is_loopback(name) for name in ("localhost", "127.0.0.1", "[::1]", "0.0.0.0", "example.org")]
    [True, True, True, False, False]
    """
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
