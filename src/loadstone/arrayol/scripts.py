"""Steps on specifications in scripts: lines such as `fuse-tasks make with take`, before all steps on loops."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from loadstone.arrayol.change import Change
from loadstone.arrayol.equality import check_equal
from loadstone.arrayol.steps import TASK_STEP_BY_WORD, TaskStep
from loadstone.errors import Diagnostic, IllegalTransformation, InputError, Source, refused
from loadstone.frontend.arrayol.specification import Specification
from loadstone.transform.loop_names import StepError
from loadstone.transform.script import Word, problem_of, words_of
from loadstone.transform.step_syntax import read_step, step_text


@dataclass(frozen=True, slots=True)
class TaskLine:
    """A step of a script and its words."""

    step: TaskStep
    words: tuple[Word, ...] = ()


def task_lines(source: Source) -> tuple[TaskLine, ...]:
    """The steps on tasks of a script; they stand before all others."""
    found: list[TaskLine] = []
    others = False
    for number, text in enumerate(source.text.splitlines(), 1):
        words = tuple(words_of(source, number, text))
        kind = TASK_STEP_BY_WORD.get(words[0].text) if words else None
        others = others or (bool(words) and kind is None)
        if kind is None:
            continue
        if others:
            raise refused("a step on tasks stands behind one on loops", words[0].span, "put steps on tasks first")
        try:
            found.append(TaskLine(read_step(kind, [word.text for word in words]), words))
        except StepError as error:
            raise InputError(problem_of(error, words, ())) from None
    return tuple(found)


def applied(specification: Specification, lines: Iterable[TaskLine]) -> Specification:
    """The specification after steps, each of them proved to keep all results."""
    for line in lines:
        change = _change(specification, line)
        try:
            check_equal(specification, change)
        except IllegalTransformation as error:
            place = line.words[0].span if line.words else None
            message = f"'{step_text(line.step)}': {error.diagnostics[0].message}"
            raise IllegalTransformation(Diagnostic(message, place)) from None
        specification = change.specification
    return specification


def _change(specification: Specification, line: TaskLine) -> Change:
    try:
        return line.step.applied(specification)
    except StepError as error:
        found = problem_of(error, line.words, ()) if line.words else Diagnostic(error.message, None, error.hint)
        raise InputError(found) from None
