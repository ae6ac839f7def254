"""Panes on what was understood: the kernel, its dependences, and the tiling."""

from __future__ import annotations

from loadstone.analysis.info import dependence_rows, kernel_info
from loadstone.reporting.words import schedule_lines, tiling_sentence
from loadstone.serve.subject import Json, Subject
from loadstone.tiling_search.pragma import tiling_pragma
from loadstone.transform.privatise.description import private_places
from loadstone.transform.tiling import TiledKernel, tiling_info


def kernel_pane(subject: Subject) -> Json:
    """Statements, arrays, parameters and warnings."""
    kernel = subject.program.selecting
    info = kernel_info(kernel)
    info.pop("dependences")
    return {**info, "temporaries": list(private_places(kernel))}


def dependences_pane(subject: Subject) -> Json:
    """The dependences from statement to statement."""
    return {"rows": list(dependence_rows(subject.program.selecting))}


def tiling_pane(subject: Subject) -> Json:
    """The tiling with its schedule, and the pragma that asks for it."""
    program = subject.program
    tiles = program.tiles
    decision = {} if program.decision is None else {"auto": program.decision.as_json()}
    return {
        **tiling_info(tiles),
        **decision,
        "coordinates": list(tiles.coordinates),
        "labels": _labels(tiles),
        "sentence": tiling_sentence(tiles),
        "schedules": list(schedule_lines(tiles)),
        "pragma": tiling_pragma(tiles, program.kernel),
        "parameters": list(program.kernel.parameters),
        "values": subject.values,
    }


def _labels(tiles: TiledKernel) -> list[str]:
    """What each dimension of the schedule is, where all statements agree; otherwise nothing."""
    targets = {line.rpartition("->")[2].partition(":")[0].strip(" []") for line in schedule_lines(tiles)}
    parts = targets.pop().split(", ") if len(targets) == 1 else []
    return parts if len(parts) == len(tiles.sizes) else [""] * len(tiles.sizes)
