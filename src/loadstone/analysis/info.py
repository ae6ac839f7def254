"""A kernel described for programs: the JSON of `loadstone info`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import islpy as isl

from loadstone.analysis.bounds import OutOfBounds, out_of_bounds
from loadstone.analysis.dataflow import dependences
from loadstone.analysis.hls_pragmas import pragma_outcomes
from loadstone.analysis.liveness import live_in
from loadstone.model.affine import affine_text
from loadstone.model.kernel import Array, Kernel, Statement
from loadstone.poly.spaces import maps_of


def kernel_info(kernel: Kernel) -> dict[str, Any]:
    """Statements, arrays and dependences; sets and maps as text that isl reads back."""
    found = dependences(kernel)
    needed = live_in(kernel)
    return {
        "kernel": kernel.name,
        "parameters": list(kernel.parameters),
        "context": str(kernel.context),
        "exact": kernel.exact,
        "statements": [_statement(statement) for statement in kernel.statements],
        "arrays": {name: _array(array, name in needed, kernel) for name, array in kernel.arrays.items()},
        "dependences": {"flow": str(found.flow), "anti": str(found.anti), "output": str(found.output)},
        "defaults": dict(kernel.defaults),
        **_assumptions(kernel),
        "warnings": [*kernel.remarks, *_warnings(kernel)],
        "hls_pragmas": [outcome.as_json() for outcome in pragma_outcomes(kernel)],
    }


def _assumptions(kernel: Kernel) -> dict[str, Any]:
    """The assumptions, where there are some."""
    found = [{"condition": str(each.condition), "reason": each.reason} for each in kernel.assumptions]
    return {"assumptions": found} if found else {}


def _warnings(kernel: Kernel) -> list[str]:
    """One access out of bounds for each array that has such."""
    first: dict[str, OutOfBounds] = {}
    for finding in out_of_bounds(kernel):
        first.setdefault(finding.array, finding)
    return [finding.text() for finding in first.values()]


def _statement(statement: Statement) -> dict[str, Any]:
    return {
        "name": statement.name,
        "domain": str(statement.domain),
        "schedule": str(statement.schedule),
        "reads": [str(read.relation) for read in statement.reads],
        "writes": [str(statement.write.relation)],
        "may": not statement.exact,
        "may_reads": [not read.exact for read in statement.reads],
        "may_writes": [not statement.write.exact],
        "line": statement.span.line if statement.span else None,
    }


def _array(array: Array, needed: bool, kernel: Kernel) -> dict[str, Any]:
    return {
        "type": array.type.described,
        "extents": [affine_text(extent, kernel.parameters) for extent in array.extents],
        "live_in": needed,
        "live_out": array.live_out,
        **({"flat": array.flat} if array.flat else {}),
    }


def dependence_rows(kernel: Kernel) -> Iterator[dict[str, str | None]]:
    """The dependences from statement to statement: kind, source, target, relation, and the distances in a statement."""
    found = dependences(kernel)
    for kind, relation in (("flow", found.flow), ("anti", found.anti), ("output", found.output)):
        yield from (_dependence(kind, part) for part in sorted(maps_of(relation), key=str))


def _dependence(kind: str, part: isl.Map) -> dict[str, str | None]:
    source, target = part.domain().get_tuple_name(), part.range().get_tuple_name()
    distance = str(part.deltas()) if source == target else None
    return {"kind": kind, "source": source, "target": target, "relation": str(part), "distance": distance}
