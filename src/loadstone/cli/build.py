"""`loadstone build`: write the accelerator into a folder."""

from __future__ import annotations

import argparse
import json

from loadstone.cli.circuits import check_external, external_design, hardware_choices
from loadstone.cli.kernels import (
    accelerator_of,
    complete_network,
    given_values,
    parameter_values,
    read_kernel,
)
from loadstone.emit.c.network_targets import build_network_project
from loadstone.emit.c.targets import build_project
from loadstone.emit.hdl.on_chip import HARDWARE_TARGETS
from loadstone.emit.project import Project
from loadstone.errors import Diagnostic, InputError
from loadstone.model.kernel import Kernel
from loadstone.networks.sizes import sized
from loadstone.targets import build_accelerator, build_hardware


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
    values = parameter_values(arguments, kernel)
    if arguments.bus is None:
        check_external(arguments)
        return build_hardware(kernel, targets, values, *hardware_choices(arguments))
    accelerator = accelerator_of(arguments, kernel, values, for_hardware=True)
    return build_accelerator(accelerator, external_design(arguments, accelerator, values), targets, values)


def _accelerator(arguments: argparse.Namespace, kernel: Kernel, targets: list[str]) -> Project:
    accelerator = accelerator_of(arguments, kernel, given_values(arguments, kernel))
    known = {**kernel.defaults, **dict(arguments.parameters)}
    return build_project(accelerator, targets, known, flavour=arguments.flavour)


def _network(arguments: argparse.Namespace, kernel: Kernel, targets: list[str]) -> Project:
    _check_programs(targets)
    values = parameter_values(arguments, kernel)
    network = complete_network(arguments, kernel)
    return build_network_project(network, sized(network, values), targets, values, flavour=arguments.flavour)


def _check_programs(targets: list[str]) -> None:
    for target in targets:
        if target in HARDWARE_TARGETS:
            hint = "leave --network out, or ask for c or hls"
            raise InputError(Diagnostic(f"process networks are not written as {target}", None, hint))
