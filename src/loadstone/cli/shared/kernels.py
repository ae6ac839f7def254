"""Reading the kernel that the command line names."""

from __future__ import annotations

import argparse
from collections.abc import Collection
from pathlib import Path

from loadstone.arrayol import kernel as kernel_of
from loadstone.arrayol import read
from loadstone.arrayol.scripts import applied, task_lines
from loadstone.arrayol.steps import TASK_STEP_BY_WORD
from loadstone.cli.shared.parser import refuse
from loadstone.errors import Source
from loadstone.frontend.arrayol.specification import Specification
from loadstone.frontend.read import parse
from loadstone.model.kernel import Kernel
from loadstone.transform.reductions.orderless import has_rounded_reductions
from loadstone.transform.script import ScriptStep, parse_script, read_script, script_source
from loadstone.transform.scripted import transform_kernel
from loadstone.transform.sequence import check_result


def read_kernel(arguments: argparse.Namespace) -> Kernel:
    """The kernel of the options that `options.kernel` defines, transformed by the script if there is one."""
    if arguments.script is None:
        refuse(arguments, ("allow_illegal",), "without --script")
    kernel = parse_kernel(arguments)
    _check_reductions(arguments, kernel)
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
    return read_script(Path(arguments.script), _words_of_tasks(arguments)) if arguments.script else ()


def written_steps(arguments: argparse.Namespace) -> tuple[ScriptStep, ...]:
    """The steps on loops that stand in the command itself."""
    return parse_script("\n".join(arguments.steps), "--step", _words_of_tasks(arguments))


def _words_of_tasks(arguments: argparse.Namespace) -> Collection[str]:
    """The first words of steps that are for tasks, where the kernel has such."""
    return TASK_STEP_BY_WORD if is_array_ol(arguments) else ()


def is_array_ol(arguments: argparse.Namespace) -> bool:
    """Whether the kernel is a specification of tasks."""
    return Path(arguments.kernel).suffix in {".yaml", ".yml"}


def transformed_specification(arguments: argparse.Namespace) -> Specification | None:
    """The specification after the steps on tasks; None where there are none."""
    if not is_array_ol(arguments):
        return None
    scripts = [script_source(Path(arguments.script))] if arguments.script else []
    scripts += [Source("--step", "\n".join(arguments.steps))] if "steps" in arguments else []
    lines = [line for script in scripts for line in task_lines(script)]
    return applied(read(Path(arguments.kernel)), lines) if lines else None


def parse_kernel(arguments: argparse.Namespace) -> Kernel:
    """The kernel as its file has it; steps on tasks are done."""
    specification = transformed_specification(arguments)
    if specification is not None:
        return kernel_of(specification)
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
