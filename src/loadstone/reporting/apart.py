"""A part of a page that is made in a process of its own: where it fails or takes too long, the page does without it."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from loadstone.errors import LoadstoneError
from loadstone.poly.isolated import isolated
from loadstone.poly.limits import DEFAULT_LIMIT, LimitReached

SECONDS = 30
"""Processor time that a part may take."""
_OPERATIONS = 20 * DEFAULT_LIMIT
_ENCODING = "latin-1"
Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class Made(Generic[Part]):
    """A part, or the reason why there is none."""

    part: Part | None
    reason: str = ""


def made_apart(make: Callable[[], Part], seconds: int = SECONDS) -> Made[Part]:
    """What `make` returns; the reason where it raises an error, or takes more seconds of processor time."""
    try:
        text = isolated(lambda: pickle.dumps(_made(make)).decode(_ENCODING), _OPERATIONS, seconds)
    except LimitReached as reached:
        return Made(None, f"it takes {reached}")
    return pickle.loads(text.encode(_ENCODING))


def _made(make: Callable[[], Part]) -> Made[Part]:
    try:
        return Made(make())
    except LoadstoneError as error:
        return Made(None, error.diagnostics[0].message)
    except LimitReached:
        raise
    except Exception as error:
        return Made(None, f"internal error: {type(error).__name__}: {error}")
