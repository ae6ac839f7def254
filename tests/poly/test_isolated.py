"""Computations in a process of their own end with their answer, or behind one of their limits."""

from __future__ import annotations

import pytest

from loadstone.poly.isolated import isolated
from loadstone.poly.limits import LimitReached


def _much() -> str:
    return str(len(bytearray(100 * 1024 * 1024)))


def test_memory_beside_what_is_in_use_is_limited() -> None:
    assert isolated(_much, 1_000, megabytes=300) == str(100 * 1024 * 1024)
    with pytest.raises(LimitReached):
        isolated(_much, 1_000, megabytes=20)
