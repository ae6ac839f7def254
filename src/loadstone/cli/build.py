"""`loadstone build`: write the accelerator into a folder."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module

from loadstone.cli.shared.compilations import compilation_of, compiled_as
from loadstone.cli.shared.parser import check_modes
from loadstone.emit.project import Project
from loadstone.errors import refused
from loadstone.exercise import exercising_values
from loadstone.flows.requirements import Made, check_flows
from loadstone.options import CIRCUITS, PROGRAMS, FlowOptions, IntegrationOptions, Mode, Target, modes_of
from loadstone.pipeline import Compilation
from loadstone.projects import build_network, build_programs
from loadstone.transform.tiling import TiledKernel


@dataclass(frozen=True, slots=True)
class Built:
    """The files of some targets, and values of parameters that were chosen for them."""

    targets: list[Target]
    project: Project
    chosen: dict[str, int]


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
    built = _built(arguments, targets)
    project = Project({path: text for each in built for path, text in each.project.files.items()})
    folder = project.write(arguments.folder)
    if arguments.json:
        print(json.dumps({"folder": str(folder), "files": sorted(project.files), "chosen": built[0].chosen}))
        return 0
    print(f"wrote {len(project.files)} files to {folder}")
    for each in built:
        for target in each.targets:
            print(f"  make -C {folder / target} run{_with_chosen(each.chosen)}")
    return 0


def _with_chosen(chosen: Mapping[str, int]) -> str:
    """What a testbench was given because nobody said otherwise."""
    values = ", ".join(f"{name}={value}" for name, value in chosen.items())
    return f"   # with {values}; -p gives others" if chosen else ""


def _check(arguments: argparse.Namespace, targets: list[Target]) -> None:
    """Refuse what cannot be written, and options without effect."""
    if arguments.folder is None:
        raise refused("no folder to write", None, "name one with -o DIR")
    for target in targets:
        if arguments.network and target in CIRCUITS:
            hint = "leave --network out, or use --target c or hls"
            raise refused(f"process networks are not written as {target}", None, hint)
    modes = modes_of(targets, network=arguments.network, on_bus=arguments.bus is not None)
    made = (arguments.flavour, arguments.bus, arguments.address_width, arguments.reset)
    check_flows(Made(tuple(arguments.flows), modes, tuple(targets), *made), arguments.vitis)
    check_modes(arguments, modes, MODES)


def _built(arguments: argparse.Namespace, targets: list[Target]) -> list[Built]:
    programs: list[Target] = [target for target in targets if target in PROGRAMS]
    circuits: list[Target] = [target for target in targets if target in CIRCUITS]
    made = [_programs(arguments, programs)] if programs else []
    return [*made, _hardware(arguments, circuits)] if circuits else made


def _programs(arguments: argparse.Namespace, targets: list[Target]) -> Built:
    compilation = compilation_of(arguments)
    build = build_network if arguments.network else build_programs
    tiles = compilation.network_tiles if arguments.network else compilation.tiles
    project = build(compilation, targets, arguments.flavour, FlowOptions.of(vars(arguments)))
    return Built(targets, project, _chosen(compilation, tiles))


def _hardware(arguments: argparse.Namespace, targets: list[Target]) -> Built:
    compilation = compiled_as(import_module("loadstone.circuits").CircuitCompilation, arguments)
    builders = import_module("loadstone.circuit_projects")
    chosen = (compilation, targets, IntegrationOptions.of(vars(arguments)), _command(arguments.words))
    project: Project = (
        builders.build_on_chip(*chosen)
        if arguments.bus is None
        else builders.build_accelerator(*chosen, FlowOptions.of(vars(arguments)).flows)
    )
    return Built(targets, project, _chosen(compilation, None if arguments.bus is None else compilation.tiles))


def _command(words: Sequence[str]) -> str:
    """The command for a shell, without the folder that it writes."""
    kept = [word for before, word in zip(("", *words), words, strict=False) if "-o" not in (before, word)]
    return shlex.join(["loadstone", *(word for word in kept if not word.startswith("-o"))])


def _chosen(compilation: Compilation, tiles: TiledKernel | None) -> dict[str, int]:
    """The values of parameters that neither the command line nor the source has."""
    values = exercising_values(compilation.kernel, compilation.given, tiles)
    return {n: v for n, v in values.items() if n not in compilation.given and n not in compilation.kernel.defaults}
