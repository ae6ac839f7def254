"""Loops where isl fails: "total dimensionality changed unexpectedly", seen in one of forty random kernels."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl
import pytest

from loadstone.errors import UnsupportedError
from loadstone.loops import generation
from loadstone.loops.model import Node
from loadstone.loops.verification import visits_all
from loadstone.poly.limits import LimitReached, operation_limit

SCHEDULE = isl.UnionMap("[n] -> { S[i, j] -> [j, i] : 0 <= i < n and 0 <= j <= i and (i + j) mod 2 = 0 }")
CONTEXT = isl.Set("[n] -> { : n >= 0 }")


def fail_unless(option: str | None, monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """Lets isl fail for all options but one; answers the list of those that are tried."""
    made, tried = generation._made, list[str | None]()  # pyright: ignore[reportPrivateUsage]

    def failing(known: isl.UnionMap, context: isl.Set, names: Sequence[str], asked: str | None) -> Node:
        tried.append(asked)
        if asked != option:
            raise isl.Error("total dimensionality changed unexpectedly")
        return made(known, context, names, "atomic")

    monkeypatch.setattr(generation, "_made", failing)
    return tried


def test_atomic_loops_stand_in_where_isl_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = fail_unless("atomic", monkeypatch)
    assert visits_all(generation.generate(SCHEDULE, CONTEXT), SCHEDULE, CONTEXT)
    assert tried == [None, None, "atomic"]


def test_loops_that_isl_never_finds_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    fail_unless("none of them", monkeypatch)
    with pytest.raises(UnsupportedError):
        generation.generate(SCHEDULE, CONTEXT)


def test_a_limit_is_not_taken_for_a_failure() -> None:
    with pytest.raises(LimitReached), operation_limit(200):
        generation.generate(SCHEDULE, CONTEXT)
