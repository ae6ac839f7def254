"""How far numbers reach: ranges of parameters and of loop counters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import islpy as isl

from loadstone.errors import Diagnostic, InputError
from loadstone.loops.facts import attempted, first_and_last
from loadstone.model.affine import NotAffine, affine_value
from loadstone.model.evaluate import evaluate
from loadstone.model.expression import Expression
from loadstone.model.kernel import Array, Kernel
from loadstone.poly.dimensions import only_parameters
from loadstone.poly.spaces import set_space, variable

Limits = tuple[int, int]


def within(ranges: Mapping[str, Limits], context: isl.Set | None = None) -> isl.Set:
    """The values of parameters inside of ranges, inclusively, that a context allows."""
    space = set_space(tuple(ranges), "", ()).params()
    found = isl.Set.universe(space)
    for name, (low, high) in ranges.items():
        bounds = isl.Set(f"[{name}] -> {{ : {low} <= {name} <= {high} }}")
        found = found.intersect(bounds)
    return found if context is None else found.intersect(context)


def limits_of(facts: isl.Set, name: str) -> Limits | None:
    """The least and the greatest value of a variable of a set; None where there is none or it is hard to find."""
    return attempted(lambda: _limits(facts, name))


def _limits(facts: isl.Set, name: str) -> Limits | None:
    values = only_parameters(facts, (name,))
    if values.is_empty() or variable(values.get_space(), name) is None:
        return None
    first, last = first_and_last(values, name)
    return first.min_val().to_python(), last.max_val().to_python()


def parameter_limits(kernel: Kernel, values: Mapping[str, int]) -> dict[str, Limits]:
    """The ranges of parameters for which hardware is made: up to given values, from the least that is allowed.

    A parameter that is in an extent which is not affine has the given value.
    """
    rigid = {name for array in kernel.arrays.values() for name in _rigid_parameters(array, kernel)}
    return {
        name: (value, value) if name in rigid else (_least(kernel, name, value), value)
        for name, value in values.items()
    }


def _least(kernel: Kernel, name: str, value: int) -> int:
    """The least value of a parameter that the context allows, at most 0 unless it says more."""
    up_to = within({name: (min(0, value), value)}, kernel.context)
    found = limits_of(up_to, name)
    return value if found is None else found[0]


def _rigid_parameters(array: Array, kernel: Kernel) -> frozenset[str]:
    space = set_space(kernel.parameters, "", ())
    try:
        for extent in array.extents:
            affine_value(extent, space)
    except NotAffine:
        return frozenset(kernel.parameters)
    return frozenset()


@dataclass(frozen=True, eq=False)
class Ranges:
    """The ranges of the parameters of a kernel for which hardware is made."""

    kernel: Kernel
    limits: Mapping[str, Limits]

    @cached_property
    def known(self) -> isl.Set:
        """The parameters in the ranges for which the kernel is defined; raises `InputError` if there are none."""
        facts = within(self.limits, self.kernel.context)
        if facts.is_empty():
            hint = f"known of the parameters: {self.kernel.context}"
            raise InputError(Diagnostic("the kernel is not defined for any parameters in these ranges", None, hint))
        return facts

    def greatest(self, size: Expression) -> int:
        """The greatest value of a size, at least 1; that of the greatest parameters if it is not affine."""
        try:
            value = affine_value(size, set_space(tuple(self.limits), "", ()))
        except NotAffine:
            return max(1, int(evaluate(size, {name: high for name, (_, high) in self.limits.items()}, ())))
        return max(1, value.intersect_params(self.known).max_val().to_python())
