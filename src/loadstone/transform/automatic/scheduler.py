"""Asking isl for a schedule."""

from __future__ import annotations

import islpy as isl

from loadstone.analysis import Dependences
from loadstone.model.kernel import Kernel


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
    dependence. Both are options of isl's context and hold on there, so that each call sets them.
    """
    context = kernel.context.get_ctx()
    context.set_schedule_whole_component(int(fused))
    context.set_schedule_outer_coincidence(int(outer_parallel))
    constraints = isl.ScheduleConstraints.on_domain(kernel.domain).set_context(kernel.context)
    constraints = constraints.set_validity(dependences.all).set_proximity(near)
    if outer_parallel:
        constraints = constraints.set_coincidence(dependences.all)
    try:
        return constraints.compute_schedule()
    except isl.Error as error:
        if "unable to carry dependences" in str(error):
            return None
        raise
