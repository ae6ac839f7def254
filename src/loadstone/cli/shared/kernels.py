"""Reading the kernel that the command line names."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from loadstone.cli.shared.parser import refuse
from loadstone.errors import Source
from loadstone.frontend.c.externals import ALL
from loadstone.frontend.read import parse
from loadstone.later import Later
from loadstone.model.definitions import undefined_calls
from loadstone.model.kernel import Kernel
from loadstone.transform.reductions.orderless import has_rounded_reductions

if TYPE_CHECKING:
    from loadstone import arrayol
    from loadstone.arrayol import scripts as task_scripts
    from loadstone.arrayol import steps as task_steps
    from loadstone.frontend.arrayol.specification import Specification
    from loadstone.transform import script, scripted, sequence
    from loadstone.transform.script import ScriptStep
else:
    arrayol, task_scripts = Later("loadstone.arrayol"), Later("loadstone.arrayol.scripts")
    task_steps, script = Later("loadstone.arrayol.steps"), Later("loadstone.transform.script")
    scripted, sequence = Later("loadstone.transform.scripted"), Later("loadstone.transform.sequence")

TOLD = frozenset({"open_ends", "pure"})
"""The options that tell what a file leaves open."""


def read_kernel(arguments: argparse.Namespace) -> Kernel:
    """The kernel of the options that `options.kernel` defines, transformed by the script if there is one."""
    if arguments.script is None:
        refuse(arguments, ("allow_illegal",), "without --script")
    kernel = parse_kernel(arguments)
    check_unknowns(arguments, (kernel,))
    _check_reductions(arguments, kernel)
    steps = script_steps(arguments)
    if not steps:
        return kernel
    result = scripted.transform_kernel(
        kernel,
        steps,
        allow_illegal=arguments.allow_illegal,
        free_reductions=arguments.free_reductions,
        limit=arguments.limit,
    )
    sequence.check_result(result, "" if arguments.allow_illegal else "with --allow-illegal later steps may mend this")
    return result.kernel


def check_unknowns(arguments: argparse.Namespace, kernels: Iterable[Kernel]) -> None:
    """Raise `InputError` where the kernels of a file leave nothing open that an option tells."""
    found = tuple(kernels)
    if not any(kernel.open_ends for kernel in found):
        refuse(arguments, ("open_ends",), "on loops that all have a bound")
    called = {call.function for kernel in found for call in undefined_calls(kernel)}
    unused = next((name for name in arguments.pure if name not in called and not (name == ALL and called)), None)
    if unused is not None:
        refuse(arguments, ("pure",), f"for '{unused}'", "the kernel calls no function of this name without definition")


def _check_reductions(arguments: argparse.Namespace, kernel: Kernel) -> None:
    """Raise `InputError` where there is no reduction to reorder: a command that tiles does so itself."""
    if arguments.script is not None:
        return
    if "sizes" not in arguments:
        refuse(arguments, ("free_reductions",), "without --script")
    elif not has_rounded_reductions(kernel):
        refuse(arguments, ("free_reductions",), "on a kernel without floating-point sums and products")


def script_steps(arguments: argparse.Namespace) -> tuple[ScriptStep, ...]:
    """The steps of the script that the options name."""
    return script.read_script(Path(arguments.script), _words_of_tasks(arguments)) if arguments.script else ()


def written_steps(arguments: argparse.Namespace) -> tuple[ScriptStep, ...]:
    """The steps on loops that stand in the command itself."""
    return script.parse_script("\n".join(arguments.steps), "--step", _words_of_tasks(arguments))


def _words_of_tasks(arguments: argparse.Namespace) -> Collection[str]:
    """The first words of steps that are for tasks, where the kernel has such."""
    return task_steps.TASK_STEP_BY_WORD if is_array_ol(arguments) else ()


def is_array_ol(arguments: argparse.Namespace) -> bool:
    """Whether the kernel is a specification of tasks."""
    return Path(arguments.kernel).suffix in {".yaml", ".yml"}


def transformed_specification(arguments: argparse.Namespace) -> Specification | None:
    """The specification after the steps on tasks; None where there are none."""
    if not is_array_ol(arguments):
        return None
    scripts = [script.script_source(Path(arguments.script))] if arguments.script else []
    scripts += [Source("--step", "\n".join(arguments.steps))] if "steps" in arguments else []
    lines = [line for text in scripts for line in task_scripts.task_lines(text)]
    return task_scripts.applied(arrayol.read(Path(arguments.kernel)), lines) if lines else None


def parse_kernel(arguments: argparse.Namespace) -> Kernel:
    """The kernel as its file has it; steps on tasks are done."""
    specification = transformed_specification(arguments)
    if specification is not None:
        return arrayol.kernel(specification)
    return parse(
        arguments.kernel,
        function=arguments.function,
        defines=dict(arguments.defines),
        include=arguments.include,
        types=dict(arguments.types),
        scop=arguments.scop,
        pure=arguments.pure,
        link=arguments.link,
        open_ends=arguments.open_ends,
    )
