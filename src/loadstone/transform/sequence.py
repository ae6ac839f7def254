"""Applying a sequence of steps: the program after each of them, and whether it is legal."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from loadstone.analysis import Dependences, dependences
from loadstone.errors import Diagnostic, IllegalTransformation, InputError
from loadstone.model.kernel import Kernel
from loadstone.transform.legality import Missing, Violation, program_violation
from loadstone.transform.loop_names import StepError
from loadstone.transform.program import Program, program_of
from loadstone.transform.reductions.updates import with_free_reductions
from loadstone.transform.script import ScriptStep
from loadstone.transform.step_syntax import Step, step_text


@dataclass(frozen=True, slots=True)
class StepResult:
    """A step that was applied: its text, its place in the script if it has one, and what it breaks, if anything."""

    text: str
    source: ScriptStep | None
    violation: Violation | Missing | None

    @property
    def legal(self) -> bool:
        """Whether the program is right after the step."""
        return self.violation is None

    def diagnostic(self, hint: str = "") -> Diagnostic:
        """The illegality, at the step in the script."""
        assert self.violation is not None
        span = self.source.words[0].span if self.source else None
        calls = self.source.calls if self.source else ()
        called = (f"called from {call.source.name}:{call.line}" for call in calls)
        shown = "; ".join(part for part in (hint, *called) if part)
        return Diagnostic(f"'{self.text}' is illegal: {self.violation.text()}", span, shown)


@dataclass(frozen=True, slots=True, eq=False)
class Transformed:
    """The program after a sequence of steps, and what each of them did."""

    program: Program
    steps: tuple[StepResult, ...]

    @property
    def kernel(self) -> Kernel:
        """The kernel in its new order."""
        return self.program.kernel

    @property
    def legal(self) -> bool:
        """Whether the result is right, whatever happened on the way."""
        return not self.steps or self.steps[-1].legal


def apply_steps(
    kernel: Kernel, steps: Iterable[Step | ScriptStep], *, allow_illegal: bool = False, free_reductions: bool = False
) -> Transformed:
    """The kernel after a sequence of steps, up to the first one that breaks a dependence.

    With `allow_illegal` the sequence goes on, so that later steps can mend what earlier ones break. With
    `free_reductions` associative and commutative updates may be reordered.
    """
    program = program_of(kernel)
    known, legal = _known(kernel, free_reductions), program
    outcomes: list[StepResult] = []
    for item in steps:
        step, source = (item.step, item) if isinstance(item, ScriptStep) else (item, None)
        program = _applied(step, source, program)
        if program.base is not legal.base:
            known, legal = _known(program.base, free_reductions), program_of(program.base)
        outcome = StepResult(step_text(step), source, program_violation(program, known, legal))
        legal = program if outcome.legal else legal
        outcomes.append(outcome)
        if not outcome.legal and not allow_illegal:
            break
    return Transformed(program, tuple(outcomes))


def check_result(result: Transformed, hint: str = "") -> None:
    """Raise `IllegalTransformation` if the last step that was applied leaves a dependence broken."""
    if not result.legal:
        raise IllegalTransformation(result.steps[-1].diagnostic(hint))


def _known(kernel: Kernel, free_reductions: bool) -> Dependences:
    found = dependences(kernel)
    return with_free_reductions(kernel, found) if free_reductions else found


def _applied(step: Step, source: ScriptStep | None, program: Program) -> Program:
    try:
        return step.applied(program)
    except StepError as error:
        plain = Diagnostic(f"{step_text(step)}: {error.message}", None, error.hint)
        raise InputError(source.problem(error) if source else plain) from None
