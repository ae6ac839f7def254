"""Which steps commute, and scripts with their shifts in a canonical place [Devos, 3.6.3 and 3.6.4].

Nothing is derived from the kinds of steps: two sequences are the same if the programs that they lead to are, which is
decided by comparing these. Some steps commute as they are; others with other operands, as a skew with a shift of the
loop by which it skews; others not at all, as a strip-mine with a shift of fewer iterations than a strip has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce

import islpy as isl

from loadstone.poly.dimensions import padded
from loadstone.transform.loop_names import StepError
from loadstone.transform.program import Program
from loadstone.transform.step_syntax import Step, step_text
from loadstone.transform.steps import Shift, Skew


def same_result(first: Program, second: Program) -> bool:
    """Whether two programs have the same statements, and execute the same instances in the same order."""
    ours, theirs = _dates(first), _dates(second)
    if not ours.domain().is_equal(theirs.domain()):
        return False
    return ours.lex_lt_union_map(ours).is_equal(theirs.lex_lt_union_map(theirs))


def _dates(program: Program) -> isl.UnionMap:
    """The instances of all statements to their dates."""
    length = max((2 * len(part.places) - 1 for part in program.parts), default=1)
    context = program.base.context
    maps = (padded(part.schedule, length).intersect_params(context).to_union_map() for part in program.parts)
    return reduce(isl.UnionMap.union, maps)


def _are_same(program: Program, first: Iterable[Step], second: Iterable[Step]) -> bool:
    """Whether two sequences of steps lead to the same program; not if one of them makes no sense."""
    try:
        return same_result(_applied(program, first), _applied(program, second))
    except StepError:
        return False


def _applied(program: Program, steps: Iterable[Step]) -> Program:
    return reduce(lambda changed, step: step.applied(changed), steps, program)


def canonical(program: Program, steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps with each shift as early as it can be for the same result, and shifts side by side in a fixed order.

    The other steps keep their order: scripts that differ in the places of shifts alone become equal.
    """
    found: list[Step] = []
    for step in steps:
        found = _with_shift(program, found, step) if isinstance(step, Shift) else [*found, step]
    return tuple(found)


def _with_shift(program: Program, steps: list[Step], shift: Shift) -> list[Step]:
    """The steps with a shift behind them, moved over the steps that commute with it."""
    if not steps:
        return [shift]
    *before, last = steps
    if isinstance(last, Shift) and step_text(last) < step_text(shift):
        return [*steps, shift]
    for ahead in _ahead(last, shift):
        if _are_same(program, (*before, *ahead, last), (*steps, shift)):
            moved = reduce(lambda done, each: _with_shift(program, done, each), ahead, before)
            return [*moved, last]
    return [*steps, shift]


def _ahead(step: Step, shift: Shift) -> Iterator[tuple[Shift, ...]]:
    """Shifts before a step that may do what a shift does behind it: itself, or one that makes up for a skew as well."""
    yield (shift,)
    if isinstance(step, Skew):
        factor = 1 if step.factor is None else step.factor
        yield shift, Shift(step.loop, f"{-factor} * ({shift.amount})")
