"""A plan with its local memories and scans described for programs: the JSON of `loadstone plan`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import islpy as isl

from loadstone.loops.accelerator import Accelerator
from loadstone.loops.scan import Scan, burst_lengths
from loadstone.model.affine import affine_text
from loadstone.model.kernel import Privatised
from loadstone.storage.buffers import Buffer
from loadstone.transfer.description import plan_info


def accelerator_info(
    accelerator: Accelerator, parameters: Mapping[str, int] | None = None, *, per_tile: bool = False, scans: bool = True
) -> dict[str, Any]:
    """The plan as JSON, with buffers, scans if they are wanted, and how strips follow each other."""
    info = plan_info(accelerator.plan, parameters, per_tile=per_tile)
    for name, buffer in accelerator.buffers.items():
        info["arrays"][name]["buffer"] = buffer_info(buffer, parameters, buffer.most_live(parameters))
    for title, scan in accelerator_scans(accelerator) if scans else ():
        info["arrays"][scan.array][title] = _scan_info(accelerator, scan, title)
    follow = accelerator.handover
    info["depth"] = accelerator.depth
    info["strips"] = {"mode": follow.mode, "early": list(follow.early), "reason": follow.reason()}
    changes = privatised_info(accelerator, parameters)
    return {**info, **({"privatised": changes} if changes else {})}


def accelerator_scans(accelerator: Accelerator) -> Iterator[tuple[str, Scan]]:
    """The scans of all arrays, and what each is called in JSON."""
    yield from (("load_scan", scan) for scan in accelerator.loads)
    yield from (("store_scan", scan) for scan in accelerator.stores)


def privatised_info(accelerator: Accelerator, parameters: Mapping[str, int] | None) -> list[dict[str, Any]]:
    """What became of temporaries, and what it costs in cells and in external memory, as JSON."""
    return [_privatised(accelerator, change, parameters) for change in accelerator.kernel.privatised]


def _privatised(accelerator: Accelerator, change: Privatised, parameters: Mapping[str, int] | None) -> dict[str, Any]:
    if change.element:
        return {"temporary": change.temporary, "kept_in": change.element, "text": change.text()}
    cells = buffer_info(accelerator.buffers[change.array], parameters, None)["cells"]
    is_external = change.array in accelerator.stored
    array = accelerator.kernel.arrays[change.array]
    size = " x ".join(affine_text(extent, accelerator.kernel.parameters) for extent in array.extents)
    scratch = f", and an external scratch array '{array.name}' of {size} elements between strips" if is_external else ""
    return {
        "temporary": change.temporary,
        "array": change.array,
        "along": list(change.loops),
        "cells": cells,
        "external": is_external,
        "text": f"{change.text()}: {cells} cells{scratch}",
    }


def buffer_info(buffer: Buffer, parameters: Mapping[str, int] | None, live: int | None) -> dict[str, Any]:
    """A buffer, whose most live elements are given, as JSON; sizes that depend on unknown parameters are texts."""
    known: Mapping[str, int] | None = {} if buffer.folds_all else parameters
    if known is None:
        shape: Sequence[int | str] = [affine_text(size, buffer.parameters) for size in buffer.extents]
        cells: int | str = " * ".join(f"({size})" for size in shape)
    else:
        shape, cells = list(buffer.shape(known)), buffer.cells(known)
    return {
        "mapping": buffer.mapping_text(),
        "shape": [int(size) if str(size).isdigit() else size for size in shape],
        "cells": cells,
        "copies": buffer.copies,
        "max_live": live if isinstance(cells, int) else None,
        "ratio": round(cells / live, 4) if isinstance(cells, int) and live else None,
    }


def _scan_info(accelerator: Accelerator, scan: Scan, title: str) -> dict[str, Any]:
    shortest, longest = bursts(accelerator, scan, title)
    return {
        "decisions": scan.decisions,
        "tested": scan.member is not None,
        "bursts": {"shortest": shortest, "longest": longest},
    }


def bursts(accelerator: Accelerator, scan: Scan, title: str) -> tuple[int, int | None]:
    """The shortest and the longest run of consecutive words that a tile moves; None where it grows with parameters."""
    part = accelerator.plan[scan.array]
    relation: isl.Map = part.load if title == "load_scan" else part.store
    if not scan.steps:
        return 1, 1
    return burst_lengths(relation, [step.variable for step in scan.steps]) or (0, 0)
