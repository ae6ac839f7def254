"""`loadstone build`: write the accelerator into a folder."""

from __future__ import annotations

import argparse
import json

from loadstone.cli.circuits import hardware_choices
from loadstone.cli.kernels import (
    accelerator_of,
    given_values,
    network_tiles,
    parameter_values,
    read_kernel,
)
from loadstone.emit.hdl import HARDWARE_TARGETS
from loadstone.emit.network_targets import build_network_project
from loadstone.emit.project import Project
from loadstone.emit.targets import build_project
from loadstone.errors import Diagnostic, InputError
from loadstone.model.kernel import Kernel
from loadstone.networks.sizes import sized
from loadstone.pipeline import check_tiling, split_network, whole_network
from loadstone.targets import build_hardware


def run(arguments: argparse.Namespace) -> int:
    """Write sources, testbench, Makefile and plan, network or description for the targets."""
    kernel = read_kernel(arguments)
    targets = arguments.target or ["c"]
    project = (_network if arguments.network else _projects)(arguments, kernel, targets)
    folder = project.write(arguments.folder)
    if arguments.json:
        print(json.dumps({"folder": str(folder), "files": sorted(project.files)}))
    else:
        print(f"wrote {len(project.files)} files to {folder}")
        for target in targets:
            print(f"  make -C {folder / target} run")
    return 0


def _projects(arguments: argparse.Namespace, kernel: Kernel, targets: list[str]) -> Project:
    programs = [target for target in targets if target not in HARDWARE_TARGETS]
    circuits = [target for target in targets if target in HARDWARE_TARGETS]
    files: dict[str, str] = {}
    if programs:
        files.update(_accelerator(arguments, kernel, programs).files)
    if circuits:
        files.update(_hardware(arguments, kernel, circuits).files)
    return Project(files)


def _hardware(arguments: argparse.Namespace, kernel: Kernel, targets: list[str]) -> Project:
    return build_hardware(kernel, targets, parameter_values(arguments, kernel), *hardware_choices(arguments))


def _accelerator(arguments: argparse.Namespace, kernel: Kernel, targets: list[str]) -> Project:
    accelerator = accelerator_of(arguments, kernel, given_values(arguments, kernel))
    known = {**kernel.defaults, **dict(arguments.parameters)}
    return build_project(accelerator, targets, known, flavour=arguments.flavour)


def _network(arguments: argparse.Namespace, kernel: Kernel, targets: list[str]) -> Project:
    _check_programs(targets)
    values = parameter_values(arguments, kernel)
    tiles = network_tiles(arguments, kernel)
    check_tiling(tiles, arguments.limit)
    network = split_network(whole_network(tiles, limit=arguments.limit), "complete")
    return build_network_project(network, sized(network, values), targets, values, flavour=arguments.flavour)


def _check_programs(targets: list[str]) -> None:
    for target in targets:
        if target in HARDWARE_TARGETS:
            hint = "leave --network out, or ask for c or hls"
            raise InputError(Diagnostic(f"process networks are not written as {target}", None, hint))
