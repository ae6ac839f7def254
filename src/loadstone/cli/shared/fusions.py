"""`loadstone explore --fusions`: the fusions of an Array-OL application, and the programs of one of them."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from loadstone.cli.shared.console import console, table
from loadstone.cli.shared.parser import refuse
from loadstone.errors import Diagnostic, InputError
from loadstone.files import write_whole
from loadstone.frontend.arrayol.flat import Application
from loadstone.frontend.arrayol.kernel import c_file, read_application
from loadstone.frontend.c.preprocess import read_source
from loadstone.mapping.fusions import Exploration, Solution, explored
from loadstone.mapping.passes import passes
from loadstone.mapping.times import ExternalMemory

_OWN = frozenset({"fusions", "data_per_word", "latency", "apply", "file", "json"})


def show_fusions(arguments: argparse.Namespace) -> int:
    """Print all fusions with what they cost, or write the programs of one."""
    refuse(arguments, arguments.given - _OWN, "with --fusions")
    if Path(arguments.kernel).suffix not in {".yaml", ".yml"}:
        message = f"'{arguments.kernel}' has no tasks to fuse"
        raise InputError(Diagnostic(message, None, "--fusions takes Array-OL, a .yaml file"))
    application = read_application(read_source(Path(arguments.kernel)))
    if arguments.apply is not None:
        refuse(arguments, ("data_per_word", "latency"), "with --apply")
        return _write_passes(application, arguments)
    refuse(arguments, ("file",), "with --fusions without --apply", "--apply 2,2 -o FOLDER writes passes")
    memory = ExternalMemory(arguments.data_per_word, arguments.latency)
    found = explored(application, memory)
    if arguments.json:
        print(json.dumps(_as_json(application, memory, found)))
    else:
        _print(application, found)
    return 0


def _tasks(application: Application, solution: Solution) -> list[list[str]]:
    """The names of the tasks in each macrotask."""
    return [[task.name for task in part.tasks] for part in passes(application, solution.fusion)]


def _as_json(application: Application, memory: ExternalMemory, found: Exploration) -> dict[str, Any]:
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
            }
            for each in found.solutions
        ],
        "comparisons": found.comparisons,
        "comparisons_without_subspaces": found.comparisons_without_subspaces,
    }


def _print(application: Application, found: Exploration) -> None:
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
    console().print(table(columns, rows))
    count, pairs = len(found.solutions), found.comparisons_without_subspaces
    print(f"\n{count} fusions, {found.comparisons} comparisons instead of {pairs}; * no other is better in both")


def _write_passes(application: Application, arguments: argparse.Namespace) -> int:
    """Write each macrotask of a fusion as a C kernel."""
    fusion: tuple[int, ...] = arguments.apply
    if sum(fusion) != len(application.tasks):
        hint = f"give sizes that add up to {len(application.tasks)}"
        raise InputError(Diagnostic(f"{application.name} has {len(application.tasks)} tasks", None, hint))
    if arguments.file is None:
        raise InputError(Diagnostic("--apply writes files", None, "-o FOLDER says where"))
    Path(arguments.file).mkdir(parents=True, exist_ok=True)
    files = {f"{part.name}.c": c_file(part) for part in passes(application, fusion)}
    for name, text in files.items():
        write_whole(Path(arguments.file) / name, text)
    print(json.dumps({"files": list(files)}) if arguments.json else f"wrote {', '.join(files)} to {arguments.file}")
    return 0
