"""Panes on what moves: volumes, pictures of tiles, local buffers, reuse distances, words against local memory."""

from __future__ import annotations

from collections.abc import Iterator

from loadstone.locality.advice import Action
from loadstone.locality.description import reuse_info
from loadstone.locality.measurement import measure
from loadstone.locality.order import order_of
from loadstone.loops.description import buffer_info
from loadstone.poly import points
from loadstone.poly.enumeration import Point
from loadstone.reporting.data import Report, gather_report
from loadstone.reporting.drawing import picture_svg
from loadstone.reporting.strips import strips_of
from loadstone.reporting.words import assignments
from loadstone.serve.subject import Json, Subject
from loadstone.tiling_search.bounds import compulsory_words, io_bound
from loadstone.tiling_search.curve import Curve, CurvePoint, curve_points, memory_sizes
from loadstone.tiling_search.curve_drawing import curve_svg
from loadstone.tiling_search.pragma import tiling_pragma
from loadstone.transfer.description import comparison
from loadstone.transfer.plan import ArrayPlan
from loadstone.transfer.volumes import count

MOST_STRIPS = 4096
"""The largest number of strips that one can choose from."""


def traffic_pane(subject: Subject) -> Json:
    """Words moved by the plan and by other ways, against what is needed."""
    plan, values = subject.program.plan, subject.values
    cells = sum(part.buffer.cells(values) * part.buffer.copies for part in plan.arrays.values())
    return {
        "exact": plan.exact,
        "reason": plan.reason,
        "ways": comparison(plan, values),
        "cells": cells,
        "compulsory": compulsory_words(plan.tiles.kernel, values).words,
        "bound": io_bound(plan.tiles.kernel, values, cells),
        "arrays": [_volumes(subject, part) for part in plan.arrays.values()],
    }


def _volumes(subject: Subject, part: ArrayPlan) -> Json:
    closed = {"load_volume": part.load_volume, "store_volume": part.store_volume}
    return {
        "name": part.name,
        "loaded": count(part.strip_to_loaded, subject.values),
        "stored": count(part.strip_to_stored, subject.values),
        "load": str(part.load),
        "store": str(part.store),
        **{name: None if form is None else str(form) for name, form in closed.items()},
    }


def tiles_pane(subject: Subject) -> Json:
    """What the tiles of a strip load and store, drawn over the arrays."""
    strips = _strips(subject)
    asked = subject.request.position
    at = None if asked is None or not strips else strips[max(0, min(asked, len(strips) - 1))]
    report = gather_report(subject.program.plan, subject.values, strip=at)
    if not report.strips:
        return {"strip": None, "tiles": [], "pictures": [], "sentences": [], "notes": []}
    strip = report.strips[0]
    return {
        "strip": assignments(report.outer, strip.coordinates),
        "strips": report.strip_count,
        "position": strips.index(strip.coordinates) if strips else None,
        "tile_count": strip.tile_count,
        "tiles": [
            {
                "name": assignments(report.inner, tile.coordinates),
                "loaded": dict(tile.loaded),
                "stored": dict(tile.stored),
                "instances": tile.instances,
            }
            for tile in strip.tiles
        ],
        "pictures": list(_pictures(report)),
        "sentences": [{"array": array.name, "text": array.sentence} for array in report.arrays],
        "notes": list(report.notes),
    }


def _strips(subject: Subject) -> list[Point]:
    """All strips in their order; none where they are too many to choose from."""
    found = strips_of(subject.program.plan.tiles, subject.values)
    return points(found) if count(found, subject.values) <= MOST_STRIPS else []


def _pictures(report: Report) -> Iterator[Json]:
    strip = report.strips[0]
    labels = tuple(assignments(report.inner, tile.coordinates) for tile in strip.tiles)
    extents = {array.name: array.extents for array in report.arrays}
    for each in report.pictures:
        yield {
            "array": each.array,
            "side": each.side,
            "extents": list(extents[each.array]),
            "slice": list(each.slice_at),
            "block": list(each.block),
            "tiles": list(each.tiles),
            "svg": picture_svg(each, labels, len(strip.tiles)),
        }


def buffers_pane(subject: Subject) -> Json:
    """Local buffers: mappings, shapes, cells."""
    plan, values = subject.program.plan, subject.values
    arrays = plan.tiles.kernel.arrays
    rows = [
        {
            **buffer_info(part.buffer, values, part.buffer.most_live(values)),
            "array": name,
            "type": arrays[name].type.described,
            "bits": arrays[name].type.storage.bits,
        }
        for name, part in plan.arrays.items()
    ]
    follow = plan.handover
    return {"rows": rows, "depth": plan.depth, "mode": follow.mode, "why": follow.why, "reasons": dict(follow.reasons)}


def reuse_pane(subject: Subject) -> Json:
    """Reuse distances in the order of the source and in that of the tiles, for parameters that are small enough."""
    values = subject.values if subject.allow_run else subject.small_values
    orders = {"source": order_of(subject.kernel), "tiles": order_of(subject.program.legal_tiles)}
    kept = ("accesses", "cold", "reuses", "largest", "size", "misses", "histogram", "curve")
    found: Json = {"parameters": values, "smaller": values != subject.values}
    for name, order in orders.items():
        profile = measure(order, values, compiled=subject.allow_run)
        info = reuse_info(order, values, 1, profile)
        found[name] = {key: info[key] for key in kept}
        found[name]["suggestions"] = [s["text"] for s in info["suggestions"] if s["suggestion"] != Action.NONE]
    return found


def curve_pane(subject: Subject) -> Iterator[Json]:
    """The curve of words against local memory, as its points are found."""
    goal = subject.program.goal
    compulsory = compulsory_words(goal.kernel, goal.parameters).words
    sizes = memory_sizes(goal)
    points: list[CurvePoint] = []
    for point in curve_points(goal, sizes):
        points.append(point)
        curve = Curve(tuple(points), compulsory)
        yield {
            **curve.as_json(),
            "pragmas": [_pragma(each) for each in points],
            "total": len(sizes),
            "svg": curve_svg(curve, f"words moved by {goal.kernel.name}"),
        }


def _pragma(point: CurvePoint) -> str | None:
    return None if point.decision is None else tiling_pragma(point.decision.tiles, point.decision.goal.kernel)
