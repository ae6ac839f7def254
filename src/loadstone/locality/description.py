"""Reuse distances as a JSON object; `docs/reuse.md` explains the keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import islpy as isl

from loadstone.locality.advice import Suggestion, action_for, origin_of, suggestions
from loadstone.locality.nesting import Loop, Nesting
from loadstone.locality.order import Order
from loadstone.locality.profile import PairCount, Profile, histogram, miss_curve, misses
from loadstone.locality.references import Reference
from loadstone.locality.symbolic import SymbolicReuse
from loadstone.locality.trace import TraceRow


def reuse_info(order: Order, parameters: Mapping[str, int], line: int, profile: Profile) -> dict[str, Any]:
    """The description of a measured run."""
    nesting = Nesting(order)
    return {
        "kernel": order.kernel.name,
        "parameters": dict(parameters),
        "line": line,
        "size": profile.size,
        "accesses": profile.accesses,
        "cold": profile.cold,
        "reuses": profile.reuses,
        "largest": profile.largest if profile.distances else None,
        "misses": misses(profile, profile.size),
        "distances": [list(pair) for pair in profile.distances],
        "histogram": histogram_rows(profile),
        "curve": [list(point) for point in miss_curve(profile)],
        "pairs": [_pair(nesting, pair) for pair in profile.pairs],
        "suggestions": [_suggestion(suggestion) for suggestion in suggestions(nesting, profile)],
    }


def histogram_rows(profile: Profile) -> list[dict[str, int]]:
    """The reuses in bins of powers of two, and the misses of the smallest LRU cache in which all of a bin hit."""
    ends = [(*bin_ends(number), count) for number, count in enumerate(histogram(profile))]
    return [
        {"from": low, "to": high, "reuses": count, "size": high + 1, "misses": misses(profile, high + 1)}
        for low, high, count in ends
    ]


def bin_ends(number: int) -> tuple[int, int]:
    """The smallest and the largest distance of a bin.

    >>> [bin_ends(number) for number in range(4)]
    [(0, 0), (1, 1), (2, 3), (4, 7)]
    """
    return (0, 0) if number == 0 else (1 << (number - 1), (1 << number) - 1)


def _pair(nesting: Nesting, pair: PairCount) -> dict[str, Any]:
    origin = origin_of(nesting, pair)
    return {
        "use": reference_info(pair.use),
        "reuse": reference_info(pair.reuse),
        "kind": origin.kind,
        "loops": [_loop(loop) for loop in origin.loops],
        "reuses": pair.count,
        "long": pair.long,
        "mean": pair.mean,
        "largest": pair.largest,
        "histogram": list(pair.bins),
        "suggestion": action_for(origin, pair.long),
    }


def reference_info(reference: Reference) -> dict[str, Any]:
    """A reference: statement, operand position (-1 for the write), text and line."""
    return {
        "statement": reference.statement,
        "position": reference.position,
        "text": reference.text,
        "line": reference.span.line if reference.span else None,
    }


def _loop(loop: Loop) -> dict[str, Any]:
    return {"name": loop.name, "statements": list(loop.statements), "lines": list(loop.lines) if loop.lines else None}


def _suggestion(suggestion: Suggestion) -> dict[str, Any]:
    return {
        "suggestion": suggestion.action,
        "kind": suggestion.origin.kind,
        "loops": [_loop(loop) for loop in suggestion.origin.loops],
        "reuses": suggestion.reuses,
        "long": suggestion.long,
        "largest": suggestion.largest,
        "text": suggestion.text,
    }


def trace_info(rows: Iterable[TraceRow]) -> list[dict[str, Any]]:
    """The accesses of a run, with distance and cache contents."""
    return [
        {
            "statement": row.statement,
            "instance": list(row.instance),
            "element": row.element,
            "write": row.is_write,
            "distance": row.distance,
            "contents": list(row.contents),
        }
        for row in rows
    ]


def symbolic_info(order: Order, size: int | None, found: Iterable[SymbolicReuse]) -> dict[str, Any]:
    """Distances in closed form."""
    return {
        "kernel": order.kernel.name,
        "parameters": list(order.kernel.parameters),
        "size": size,
        "pairs": [
            {
                "use": None if reuse.use is None else reference_info(reuse.use),
                "reuse": reference_info(reuse.reuse),
                "instances": str(reuse.instances),
                "distance": _text(reuse.distance),
                "reuses": _text(reuse.count),
                "long": _text(reuse.long),
                "reason": reuse.reason or None,
            }
            for reuse in found
        ],
    }


def _text(polynomial: isl.PwQPolynomial | None) -> str | None:
    return None if polynomial is None else str(polynomial)
