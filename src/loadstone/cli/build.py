"""`loadstone build`: write the accelerator into a folder."""

from __future__ import annotations

import argparse
import json
from importlib import import_module

from loadstone.cli.compilations import compilation_of
from loadstone.cli.parser import check_modes
from loadstone.emit.project import Project
from loadstone.errors import Diagnostic, InputError
from loadstone.options import CIRCUITS, PROGRAMS, Mode, Target, modes_of
from loadstone.projects import build_network, build_programs

MODES: dict[Mode, str] = {
    "c": "--target c",
    "hls": "--target hls",
    "on-chip": "--target verilog or vhdl without --bus",
    "accelerator": "--target verilog or vhdl with --bus",
    "network-c": "--network --target c",
    "network-hls": "--network --target hls",
}


def run(arguments: argparse.Namespace) -> int:
    """Write sources, testbench, Makefile and plan, network or description for the targets."""
    targets: list[Target] = list(dict.fromkeys(arguments.target or ["c"]))
    _check(arguments, targets)
    project = _project(arguments, targets)
    folder = project.write(arguments.folder)
    if arguments.json:
        print(json.dumps({"folder": str(folder), "files": sorted(project.files)}))
    else:
        print(f"wrote {len(project.files)} files to {folder}")
        for target in targets:
            print(f"  make -C {folder / target} run")
    return 0


def _check(arguments: argparse.Namespace, targets: list[Target]) -> None:
    """Refuse what cannot be written, and options without effect."""
    if arguments.folder is None:
        raise InputError(Diagnostic("no folder to write", None, "name one with -o DIR"))
    for target in targets:
        if arguments.network and target in CIRCUITS:
            hint = "leave --network out, or use --target c or hls"
            raise InputError(Diagnostic(f"process networks are not written as {target}", None, hint))
    check_modes(arguments, modes_of(targets, network=arguments.network, on_bus=arguments.bus is not None), MODES)


def _project(arguments: argparse.Namespace, targets: list[Target]) -> Project:
    programs: list[Target] = [target for target in targets if target in PROGRAMS]
    circuits: list[Target] = [target for target in targets if target in CIRCUITS]
    files: dict[str, str] = {}
    if programs:
        build = build_network if arguments.network else build_programs
        files.update(build(compilation_of(arguments), programs, arguments.flavour).files)
    if circuits:
        files.update(_hardware(arguments, circuits).files)
    return Project(files)


def _hardware(arguments: argparse.Namespace, targets: list[Target]) -> Project:
    compilation = import_module("loadstone.cli.circuits").circuit_of(arguments)
    builders = import_module("loadstone.circuit_projects")
    build = builders.build_on_chip if arguments.bus is None else builders.build_accelerator
    project: Project = build(compilation, targets)
    return project
