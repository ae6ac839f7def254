"""Reading the kernel that the command line names."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from loadstone.errors import Diagnostic, InputError
from loadstone.frontend.read import parse
from loadstone.loops.accelerator import Accelerator, make_accelerator
from loadstone.model.kernel import Kernel
from loadstone.networks.model import Network
from loadstone.pipeline import (
    check_tiling,
    choose_tiling,
    plan_tiles,
    split_network,
    transform_kernel,
    whole_network,
)
from loadstone.storage.local_plan import with_buffers
from loadstone.transform.script import ScriptStep, read_script
from loadstone.transform.sequence import check_result
from loadstone.transform.temporaries import without_temporaries
from loadstone.transform.tiling import TiledKernel, untiled


def read_kernel(arguments: argparse.Namespace) -> Kernel:
    """The kernel of the options that `options.kernel` defines, transformed by the script if there is one."""
    kernel = parse_kernel(arguments)
    steps = script_steps(arguments)
    if not steps:
        return kernel
    result = transform_kernel(
        kernel,
        steps,
        allow_illegal=arguments.allow_illegal,
        free_reductions=arguments.free_reductions,
        limit=arguments.limit,
    )
    check_result(result, "" if arguments.allow_illegal else "with --allow-illegal later steps may mend this")
    return result.kernel


def script_steps(arguments: argparse.Namespace) -> tuple[ScriptStep, ...]:
    """The steps of the script that the options name."""
    return read_script(Path(arguments.script)) if arguments.script else ()


def parse_kernel(arguments: argparse.Namespace) -> Kernel:
    """The kernel as its file has it."""
    return parse(
        arguments.kernel,
        function=arguments.function,
        defines=dict(arguments.defines),
        include=arguments.include,
        types=dict(arguments.types),
    )


def tiled_kernel(arguments: argparse.Namespace, kernel: Kernel) -> TiledKernel:
    """The kernel with the tiling of the options that `options.tiling` defines, else the one its source asks for."""
    return choose_tiling(kernel, arguments.tile, arguments.schedule, arguments.strip)


def network_tiles(arguments: argparse.Namespace, kernel: Kernel) -> TiledKernel:
    """The tiling of the options or the source; without any, the original order."""
    asked = (arguments.tile, arguments.schedule, arguments.strip, kernel.tiling)
    return untiled(kernel) if all(part is None for part in asked) else tiled_kernel(arguments, kernel)


def complete_network(arguments: argparse.Namespace, kernel: Kernel) -> Network:
    """The process network of the options that `options.tiling` defines, with channels split completely."""
    tiles = network_tiles(arguments, kernel)
    check_tiling(tiles, arguments.limit)
    return split_network(whole_network(tiles, limit=arguments.limit), "complete")


def accelerator_of(
    arguments: argparse.Namespace,
    kernel: Kernel,
    parameters: Mapping[str, int] | None = None,
    *,
    for_hardware: bool = False,
) -> Accelerator:
    """The accelerator of the options that `options.accelerator` defines.

    For hardware, values take the place of scalars that are set and used in one iteration, unless a schedule names all
    statements, and buffers have moduli that are powers of two where that costs no memory.
    """
    may_change = for_hardware and arguments.schedule in (None, "auto")
    tiles = tiled_kernel(arguments, without_temporaries(kernel) if may_change else kernel)
    plan = plan_tiles(tiles, keep_dead_stores=arguments.keep_dead_stores, limit=arguments.limit)
    local = with_buffers(
        plan,
        arguments.depth,
        power_of_two=arguments.power_of_two or (None if for_hardware else False),
        parameters=parameters,
        strips=arguments.strips,
    )
    return make_accelerator(local)


def given_values(arguments: argparse.Namespace, kernel: Kernel) -> dict[str, int] | None:
    """Values for all parameters if -p gives some, or there are none; otherwise None."""
    return parameter_values(arguments, kernel) if arguments.parameters or not kernel.parameters else None


def known_values(arguments: argparse.Namespace, kernel: Kernel) -> dict[str, int] | None:
    """Values for all parameters from -p and the source; None where some are missing."""
    complete = set(kernel.parameters) <= {*kernel.defaults, *dict(arguments.parameters)}
    return parameter_values(arguments, kernel) if complete else None


def parameter_values(arguments: argparse.Namespace, kernel: Kernel) -> dict[str, int]:
    """Values for all parameters: from -p, else the defaults that the source states."""
    given = dict(arguments.parameters)
    for name in given:
        if name not in kernel.parameters:
            known = ", ".join(kernel.parameters) or "none"
            raise InputError(Diagnostic(f"'{name}' is not a parameter of the kernel", None, f"parameters are: {known}"))
    values = {**kernel.defaults, **given}
    missing = [name for name in kernel.parameters if name not in values]
    if missing:
        options = " ".join(f"-p {name}=8" for name in missing)
        raise InputError(Diagnostic(f"no value for {', '.join(missing)}", None, f"give it with {options}"))
    return {name: values[name] for name in kernel.parameters}
