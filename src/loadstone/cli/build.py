"""`loadstone build`: write the accelerator into a folder."""

from __future__ import annotations

import argparse
import json

from loadstone.cli.kernels import accelerator_of, given_values, network_tiles, parameter_values, read_kernel
from loadstone.emit.network_targets import build_network_project
from loadstone.emit.project import Project
from loadstone.emit.targets import build_project
from loadstone.model.kernel import Kernel
from loadstone.networks.sizes import sized
from loadstone.pipeline import check_tiling, split_network, whole_network


def run(arguments: argparse.Namespace) -> int:
    """Write sources, testbench, Makefile and plan or network for the targets."""
    kernel = read_kernel(arguments)
    project = (_network if arguments.network else _accelerator)(arguments, kernel, arguments.target or ["c"])
    folder = project.write(arguments.folder)
    if arguments.json:
        print(json.dumps({"folder": str(folder), "files": sorted(project.files)}))
    else:
        print(f"wrote {len(project.files)} files to {folder}")
        for target in arguments.target or ["c"]:
            print(f"  make -C {folder / target} run")
    return 0


def _accelerator(arguments: argparse.Namespace, kernel: Kernel, targets: list[str]) -> Project:
    accelerator = accelerator_of(arguments, kernel, given_values(arguments, kernel))
    known = {**kernel.defaults, **dict(arguments.parameters)}
    return build_project(accelerator, targets, known, flavour=arguments.flavour)


def _network(arguments: argparse.Namespace, kernel: Kernel, targets: list[str]) -> Project:
    values = parameter_values(arguments, kernel)
    tiles = network_tiles(arguments, kernel)
    check_tiling(tiles, arguments.limit)
    network = split_network(whole_network(tiles, limit=arguments.limit), "complete")
    return build_network_project(network, sized(network, values), targets, values, flavour=arguments.flavour)
