"""`loadstone build`: write the accelerator into a folder."""

from __future__ import annotations

import argparse
import json

from loadstone.cli.kernels import accelerator_of, given_values, read_kernel
from loadstone.emit.targets import build_project


def run(arguments: argparse.Namespace) -> int:
    """Write sources, testbench, Makefile and plan for the targets."""
    kernel = read_kernel(arguments)
    accelerator = accelerator_of(arguments, kernel, given_values(arguments, kernel))
    known = {**kernel.defaults, **dict(arguments.parameters)}
    project = build_project(accelerator, arguments.target or ["c"], known, flavour=arguments.flavour)
    folder = project.write(arguments.folder)
    if arguments.json:
        print(json.dumps({"folder": str(folder), "files": sorted(project.files)}))
    else:
        print(f"wrote {len(project.files)} files to {folder}")
        for target in arguments.target or ["c"]:
            print(f"  make -C {folder / target} run")
    return 0
