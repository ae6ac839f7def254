"""Scripts of loop transformations on kernels, under an operation limit."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from loadstone.analysis import dependences
from loadstone.model.kernel import Kernel
from loadstone.poly.limits import within_limit
from loadstone.transform.automatic.steps import Goal, found_steps
from loadstone.transform.commutation import canonical
from loadstone.transform.parallel import parallel_loops
from loadstone.transform.program import program_of
from loadstone.transform.script import ScriptStep, parse_script, read_script
from loadstone.transform.selections import with_selections
from loadstone.transform.sequence import Transformed, apply_steps, check_result
from loadstone.transform.step_syntax import Step


def transformed(
    kernel: Kernel,
    steps: str | Path | Iterable[Step],
    *,
    allow_illegal: bool = False,
    free_reductions: bool = False,
) -> Transformed:
    """The kernel after loop transformations: the text of a script, a file with one, or steps.

    Raises `IllegalTransformation` for a step that breaks a dependence, with `allow_illegal` only if the result does.
    """
    match steps:
        case str():
            script: Iterable[Step | ScriptStep] = parse_script(steps)
        case Path():
            script = read_script(steps)
        case _:
            script = steps
    result = transform_kernel(kernel, script, allow_illegal=allow_illegal, free_reductions=free_reductions)
    check_result(result)
    return result


def transform_kernel(
    kernel: Kernel,
    steps: Iterable[Step | ScriptStep],
    *,
    allow_illegal: bool = False,
    free_reductions: bool = False,
    limit: int | None = None,
) -> Transformed:
    """The kernel after steps, legal or not; without `allow_illegal` up to the first step that is not.

    Conditional updates of temporaries are selections first.
    """
    selecting = with_selections(kernel)
    return within_limit(
        "the legality of the steps",
        limit,
        lambda: apply_steps(selecting, steps, allow_illegal=allow_illegal, free_reductions=free_reductions),
    )


def parallel_loops_of(result: Transformed, limit: int | None = None) -> tuple[str, ...]:
    """The loops of a legal result whose iterations may run at the same time."""
    base = result.program.base
    return within_limit("which loops are parallel", limit, lambda: parallel_loops(result.program, dependences(base)))


def automatic_steps(kernel: Kernel, goal: Goal, limit: int | None = None) -> tuple[Step, ...]:
    """Steps that bring a kernel towards a goal, found by isl's scheduler."""
    known = within_limit("the dependences", limit, lambda: dependences(kernel))
    return found_steps(kernel, known, goal)


def canonical_steps(kernel: Kernel, steps: Iterable[ScriptStep], limit: int | None = None) -> tuple[Step, ...]:
    """The steps of a script with its shifts as early as they can be [Devos, 3.6.4]."""
    plain, program = [each.step for each in steps], program_of(with_selections(kernel))
    return within_limit("the order of the steps", limit, lambda: canonical(program, plain))
