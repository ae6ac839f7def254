"""Random steps for a program: sensible names and numbers, legal or not; and programs after those that are legal."""

from __future__ import annotations

import random

from loadstone.analysis import dependences
from loadstone.model.kernel import Kernel
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.transform.legality import program_violation
from loadstone.transform.loop_names import StepError
from loadstone.transform.program import Part, Program, program_of
from loadstone.transform.step_syntax import Step, step_text
from loadstone.transform.steps import (
    Constrain,
    Distribute,
    Duplicate,
    Expand,
    Fuse,
    Interchange,
    Peel,
    Reverse,
    Shift,
    Skew,
    Split,
    Stretch,
    StripMine,
    Tile,
    Unroll,
)

LIMIT = 1_000_000


def random_step(program: Program, source: random.Random) -> Step:
    """A step about some statement and loops of a program; it may make no sense."""
    part = source.choice(program.parts)
    alone = source.random() < 0.4
    loop = _loop(part, source, alone)
    number = source.choice((1, 2, 3))
    choices: tuple[Step, ...] = (
        Interchange(loop, _loop(part, source, alone)),
        Skew(loop, _loop(part, source, alone), source.choice((None, -1, 2))),
        Reverse(loop),
        Shift(loop, _amount(program, source)),
        Stretch(loop, number),
        Fuse(loop, _loop(source.choice(program.parts), source, False)),
        Distribute(loop, source.choice(program.parts).name),
        StripMine(loop, number + 1),
        Tile(
            tuple(f"{part.name}.{name.name}" for name in part.loops[:2]) or ("none",), (2, 3)[: len(part.loops)] or (2,)
        ),
        Peel(source.choice(("first", "last")), number, loop),
        Split(part.name, _condition(part, program, source)),
        Duplicate(part.name, _condition(part, program, source)),
        Constrain(part.name, _condition(part, program, source)),
        Unroll(loop, source.choice((2, 3, None))),
        Expand(source.choice(list(program.base.arrays))),
    )
    return source.choice(choices)


def legal_or_same(step: Step, program: Program) -> Program:
    """The program after a step if that is known to be legal, else as it was."""
    try:
        with operation_limit(LIMIT):
            changed = step.applied(program)
            return program if program_violation(changed, dependences(changed.base)) else changed
    except (StepError, LimitReached):
        return program


def random_legal_script(kernel: Kernel, source: random.Random, length: int) -> tuple[Program, tuple[str, ...]]:
    """The kernel after so many random steps that are legal, and these steps as text; fewer where none is found."""
    program, texts = program_of(kernel), list[str]()
    for _ in range(8 * length):
        step = random_step(program, source) if program.parts and len(texts) < length else None
        changed = program if step is None else legal_or_same(step, program)
        if step is not None and changed is not program:
            program = changed
            texts.append(step_text(step))
    return program, tuple(texts)


def _loop(part: Part, source: random.Random, alone: bool) -> str:
    name = source.choice(part.loops).name if part.loops else "none"
    return f"[{part.name}].{name}" if alone else f"{part.name}.{name}"


def _amount(program: Program, source: random.Random) -> str:
    numbers = ["1", "-1", "2"]
    return source.choice([*numbers, *(f"{name} - 1" for name in program.base.parameters)])


def _condition(part: Part, program: Program, source: random.Random) -> str:
    names = [loop.name for loop in part.loops] or ["0"]
    right = source.choice(["0", "1", "2", *program.base.parameters])
    simple = f"{source.choice(names)} {source.choice(('<', '>=', '==', '!='))} {right}"
    return source.choice((simple, f"{source.choice(names)} % 2 == 1", f"{simple} || {source.choice(names)} == 1"))
