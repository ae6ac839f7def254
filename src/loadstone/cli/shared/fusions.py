"""`loadstone explore --fusions`: the fusions of an Array-OL application, and the programs of one of them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from loadstone.cli.shared.console import console, shown, table
from loadstone.cli.shared.parser import refuse
from loadstone.errors import refused
from loadstone.files import write_whole
from loadstone.frontend.arrayol.flat import Application
from loadstone.frontend.arrayol.kernel import c_file, read_application
from loadstone.frontend.c.preprocess import read_source
from loadstone.fronts.passes import Exact, exact_figures, legal_tiling
from loadstone.mapping.fusions import Exploration, Solution, explored
from loadstone.mapping.passes import passes
from loadstone.mapping.times import ExternalMemory
from loadstone.transform.tiling import Tiling

BLOCK = 120
"""The least data in a block of written passes: enough to mask a burst of 30 cycles, as in the document."""
_OWN = frozenset({"fusions", "data_per_word", "latency", "exact", "apply", "file", "json"})


def show_fusions(arguments: argparse.Namespace) -> int:
    """Print all fusions with what they cost, or write the programs of one."""
    refuse(arguments, arguments.given - _OWN, "with --fusions")
    if Path(arguments.kernel).suffix not in {".yaml", ".yml"}:
        raise refused(f"'{arguments.kernel}' has no tasks to fuse", None, "--fusions takes Array-OL, a .yaml file")
    application = read_application(read_source(Path(arguments.kernel)))
    if arguments.apply is not None:
        refuse(arguments, ("data_per_word", "latency", "exact"), "with --apply")
        return _write_passes(application, arguments)
    refuse(arguments, ("file",), "with --fusions without --apply", "--apply 2,2 -o FOLDER writes passes")
    memory = ExternalMemory(arguments.data_per_word, arguments.latency)
    found = explored(application, memory)
    exact = exact_figures(application, found, memory) if arguments.exact else None
    info = partial(_as_json, application, memory, found, exact)
    return shown(arguments, info, lambda: _print(application, found, exact))


def _tasks(application: Application, solution: Solution) -> list[list[str]]:
    """The names of the tasks in each macrotask."""
    return [[task.name for task in part.tasks] for part in passes(application, solution.fusion)]


def _as_json(
    application: Application, memory: ExternalMemory, found: Exploration, exact: Sequence[Exact | None] | None
) -> dict[str, Any]:
    figures: list[dict[str, Any]] = [{} for _ in found.solutions]
    if exact is not None:
        figures = [{"exact": None if part is None else asdict(part)} for part in exact]
    return {
        "application": application.name,
        "data_per_word": memory.data_per_word,
        "latency": memory.latency,
        "fusions": [
            {
                "fusion": list(each.fusion),
                "tasks": _tasks(application, each),
                "units": list(each.units),
                "block": each.block,
                "internal_memory": each.internal_memory,
                "architecture_latency": each.latency,
                "front": each in found.front,
                **figure,
            }
            for each, figure in zip(found.solutions, figures, strict=True)
        ],
        "comparisons": found.comparisons,
        "comparisons_without_subspaces": found.comparisons_without_subspaces,
    }


def _print(application: Application, found: Exploration, exact: Sequence[Exact | None] | None) -> None:
    rows = [
        (
            "*" if each in found.front else "",
            " | ".join("+".join(tasks) for tasks in _tasks(application, each)),
            ",".join(map(str, each.units)),
            "not masked" if each.block is None else str(each.block),
            str(each.internal_memory),
            str(each.latency),
        )
        for each in found.solutions
    ]
    columns = ("", "fusion", ">units", ">block", ">internal memory", ">latency")
    if exact is None:
        console().print(table(columns, rows))
    else:
        wide = [(*row, *_texts(part)) for row, part in zip(rows, exact, strict=True)]
        console().print(table((*columns, ">buffers", ">words in", ">words out", ">cycles"), wide))
    count, pairs = len(found.solutions), found.comparisons_without_subspaces
    print(f"\n{count} fusions, {found.comparisons} comparisons instead of {pairs}; * no other is better in both")


def _texts(part: Exact | None) -> tuple[str, str, str, str]:
    """What a fusion takes exactly, one unit each."""
    if part is None:
        return ("no blocks", "", "", "")
    return str(part.cells), str(part.loaded), str(part.stored), str(part.cycles)


def _write_passes(application: Application, arguments: argparse.Namespace) -> int:
    """Write each macrotask of a fusion as a C kernel, and its order in blocks; print the commands that execute it."""
    fusion: tuple[int, ...] = arguments.apply
    if sum(fusion) != len(application.tasks):
        hint = f"give sizes that add up to {len(application.tasks)}"
        raise refused(f"{application.name} has {len(application.tasks)} tasks", None, hint)
    if arguments.file is None:
        raise refused("--apply writes files", None, "-o FOLDER says where")
    Path(arguments.file).mkdir(parents=True, exist_ok=True)
    parts = list(passes(application, fusion))
    files = {f"{part.name}.c": c_file(part) for part in parts}
    orders = [(f"{arguments.file}/{part.name}", legal_tiling(part, BLOCK)) for part in parts]
    files |= {f"{Path(path).name}.isl": f"{each.schedule}\n" for path, each in orders if each is not None}
    for name, text in files.items():
        write_whole(Path(arguments.file) / name, text)
    commands = [_command(path, each) for path, each in orders]
    written = f"wrote {', '.join(files)} to {arguments.file}"
    info = {"files": list(files), "commands": commands}
    return shown(arguments, lambda: info, lambda: print(written, *commands, sep="\n"))


def _command(path: str, tiling: Tiling | None) -> str:
    """The command that executes a pass: in blocks as accelerator or, with --network --blocks 2, as network."""
    if tiling is None:
        return f"loadstone run {path}.c"
    assert not isinstance(tiling.sizes, int)
    sizes = ",".join(map(str, tiling.sizes))
    return f'loadstone run {path}.c --schedule "$(cat {path}.isl)" --tile {sizes} --strip {tiling.strip}'
