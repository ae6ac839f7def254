"""Words against local memory, from one word per array up to all data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from loadstone.errors import UnsupportedError
from loadstone.tiling_search.bounds import io_bound
from loadstone.tiling_search.decision import Decision, Goal, Ordered, decide, search_space
from loadstone.transfer.strips import memory_arrays
from loadstone.transfer.volumes import array_words


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The fewest words found for a local memory, and the tiling; None where no tiling was found that fits."""

    local: int
    bound: float | None
    decision: Decision | None

    def as_json(self) -> dict[str, Any]:
        """The point as JSON."""
        found = self.decision
        return {
            "local": self.local,
            "words": None if found is None else found.words,
            "cells": None if found is None else found.cells,
            "bound": self.bound,
            "sizes": None if found is None else list(found.tiles.sizes),
        }


@dataclass(frozen=True, slots=True)
class Curve:
    """Points by rising local memory, and the words that none avoids."""

    points: tuple[CurvePoint, ...]
    compulsory: int

    def as_json(self) -> dict[str, Any]:
        """The curve as JSON."""
        return {"curve": [point.as_json() for point in self.points], "compulsory": self.compulsory}


def memory_sizes(goal: Goal) -> list[int]:
    """Local memories to look at: powers of two, from one word per array to all data in two copies."""
    arrays = memory_arrays(goal.kernel)
    everything = sum(array_words(array, goal.parameters) or 1 for array in arrays)
    sizes = [1 << k for k in range(64) if len(arrays) < 1 << k < 2 * everything]
    return [len(arrays), *sizes, 2 * everything]


def curve_points(goal: Goal, sizes: Sequence[int]) -> Iterator[CurvePoint]:
    """The points of the curve by rising memory; a tiling that fits into less memory is kept where it moves less."""
    best: Decision | None = None
    space = search_space(goal)
    for local in sizes:
        if best is None or best.words > best.compulsory:
            found = _decided(replace(goal, local=local), space)
            best = found if best is None or (found is not None and found.words < best.words) else best
        yield CurvePoint(local, io_bound(goal.kernel, goal.parameters, local), best)


def _decided(goal: Goal, space: Sequence[Ordered]) -> Decision | None:
    try:
        return decide(goal, space)
    except UnsupportedError:
        return None


def text_plot(curve: Curve, parameters: Mapping[str, int], width: int) -> list[str]:
    """The curve as lines of text: a bar for each memory, in proportion to the logarithm of the words."""
    values = ", ".join(f"{name} = {value}" for name, value in parameters.items())
    rows = [f"words against local memory{f' for {values}' if values else ''}; compulsory {curve.compulsory}"]
    rows.append(f"{'local':>8} {'words':>10} {'bound':>10} {'ratio':>6}")
    found = [point.decision.words for point in curve.points if point.decision is not None]
    most, least = max(found, default=1), max(1, curve.compulsory)
    for point in curve.points:
        rows.append(_row(point, curve.compulsory, most / least, max(10, width - 40)))
    return rows


def _row(point: CurvePoint, compulsory: int, span: float, width: int) -> str:
    bound = "" if point.bound is None else f"{point.bound:.0f}"
    if point.decision is None:
        return f"{point.local:>8} {'-':>10} {bound:>10}"
    words, needed = point.decision.words, max(point.bound or 0, compulsory, 1)
    bar, mark = (round(width * _height(value, compulsory, span)) for value in (words, needed))
    drawn = "".join("|" if k == mark else "#" if k < bar else " " for k in range(max(bar, mark) + 1)).rstrip()
    return f"{point.local:>8} {words:>10} {bound:>10} {words / needed:>6.2f} {drawn}"


def _height(words: float, compulsory: int, span: float) -> float:
    """From 0 for the compulsory words to 1 for the most words."""
    return max(0.0, (words / max(1, compulsory) - 1) / max(span - 1, 1e-9))
