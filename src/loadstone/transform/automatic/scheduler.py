"""Asking isl for a schedule, in a process that can be ended: isl counts few of the steps that scheduling takes."""

from __future__ import annotations

from collections.abc import Iterator

import islpy as isl

from loadstone.analysis import Dependences
from loadstone.model.kernel import Kernel
from loadstone.poly.isolated import isolated
from loadstone.poly.limits import DEFAULT_LIMIT, LimitReached

SCHEDULER_SECONDS, SCHEDULER_MEGABYTES = 2, 200
"""The processor time and the memory that isl's scheduler may take."""

_NONE_FOUND = ""


def isl_schedule(
    kernel: Kernel,
    dependences: Dependences,
    near: isl.UnionMap,
    *,
    fused: bool,
    outer_parallel: bool = False,
) -> isl.Schedule | None:
    """A schedule that respects all dependences and brings the pairs `near` together; None where isl finds none.

    `fused` keeps statements that depend on each other in common loops; `outer_parallel` wants outer loops that carry no
    dependence. Raises `LimitReached` where isl needs too many operations, or too much time.
    """
    text = isolated(
        lambda: _schedule_text(kernel, dependences, near, fused, outer_parallel),
        DEFAULT_LIMIT,
        SCHEDULER_SECONDS,
        SCHEDULER_MEGABYTES,
    )
    return None if text == _NONE_FOUND else isl.Schedule.read_from_str(isl.DEFAULT_CONTEXT, text)


def schedules_for_locality(kernel: Kernel, dependences: Dependences) -> Iterator[tuple[bool, isl.Schedule]]:
    """Schedules with much fusion and with less, each with whether it is the fused one; none behind a limit."""
    for fused in (True, False):
        try:
            found = isl_schedule(kernel, dependences, dependences.flow, fused=fused)
        except LimitReached:
            return
        if found is not None:
            yield fused, found


def _schedule_text(
    kernel: Kernel, dependences: Dependences, near: isl.UnionMap, fused: bool, outer_parallel: bool
) -> str:
    """The schedule as text; empty where isl finds none. Options of isl's context hold on there: each call sets them."""
    context = kernel.context.get_ctx()
    context.set_schedule_whole_component(int(fused))
    context.set_schedule_outer_coincidence(int(outer_parallel))
    constraints = isl.ScheduleConstraints.on_domain(kernel.domain).set_context(kernel.context)
    constraints = constraints.set_validity(dependences.all).set_proximity(near)
    if outer_parallel:
        constraints = constraints.set_coincidence(dependences.all)
    try:
        return str(constraints.compute_schedule())
    except isl.Error as error:
        if "unable to carry dependences" in str(error):
            return _NONE_FOUND
        raise
