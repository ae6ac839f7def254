"""The JSON of `loadstone transform`."""

from __future__ import annotations

from typing import Any

from loadstone.transform.legality import Missing, Violation
from loadstone.transform.sequence import StepResult, Transformed


def transformation_info(result: Transformed) -> dict[str, Any]:
    """The steps with their legality, and the schedule that they lead to."""
    kernel = result.kernel
    return {
        "kernel": kernel.name,
        "legal": result.legal,
        "steps": [_step_info(outcome) for outcome in result.steps],
        "schedule": str(kernel.schedule),
        "statements": {part.name: part.base for part in result.program.parts},
    }


def _step_info(outcome: StepResult) -> dict[str, Any]:
    line = outcome.source.words[0].span.line if outcome.source else None
    found = outcome.violation
    return {
        "text": outcome.text,
        "line": line,
        "legal": outcome.legal,
        "violation": None if found is None else _violation_info(found),
    }


def _violation_info(found: Violation | Missing) -> dict[str, Any]:
    common = {"text": found.text(), "parameters": dict(found.parameters), "element": found.element}
    source = _instance(found.source)
    if isinstance(found, Missing):
        target = None if found.target is None else _instance(found.target)
        return {**common, "kind": "missing", "source": source, "target": target, "dimension": None}
    return {
        **common,
        "kind": found.kind,
        "source": source,
        "target": _instance(found.target),
        "dimension": found.dimension,
    }


def _instance(instance: tuple[str, tuple[int, ...]]) -> dict[str, Any]:
    name, point = instance
    return {"statement": name, "iterators": list(point)}
