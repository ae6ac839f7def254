"""Accesses outside of their arrays: errors of the program, found for all parameters at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import islpy as isl

from loadstone.errors import Span
from loadstone.model.affine import NotAffine, affine_value
from loadstone.model.kernel import Access, Array, Kernel
from loadstone.poly import fixed
from loadstone.poly.enumeration import sample_pair
from loadstone.poly.spaces import dimension


@dataclass(frozen=True, slots=True)
class OutOfBounds:
    """An instance that touches an element which its array does not have."""

    statement: str
    instance: tuple[int, ...]
    array: str
    element: tuple[int, ...]
    parameters: dict[str, int]
    span: Span | None

    def text(self) -> str:
        """The finding in words."""
        element = self.array + "".join(f"[{index}]" for index in self.element)
        values = ", ".join(f"{name} = {value}" for name, value in self.parameters.items())
        instance = f"{self.statement}({', '.join(map(str, self.instance))})"
        return f"{instance} accesses {element}, which is outside of the array{f', with {values}' if values else ''}"


def within_extents(array: Array, space: isl.Space) -> isl.Set:
    """The elements with subscripts in range; a bound that is not affine is left out."""
    result = isl.Set.universe(space)
    for position, extent in enumerate(array.extents):
        index = dimension(space, position)
        result = result.intersect(index.nonneg_set())
        try:
            result = result.intersect(index.lt_set(affine_value(extent, space)))
        except NotAffine:
            continue
    return result


def out_of_bounds(kernel: Kernel, parameters: Mapping[str, int] | None = None) -> Iterator[OutOfBounds]:
    """For each exact access that leaves its array, for given parameters or for some, one instance that does."""
    for statement in kernel.statements:
        for access in (*statement.reads, statement.write):
            beyond = _beyond(access, kernel) if parameters is None else fixed(_beyond(access, kernel), parameters)
            if access.exact and not beyond.is_empty():
                parameters, instance, element = sample_pair(beyond)
                yield OutOfBounds(statement.name, instance, access.array, element, parameters, access.span)


def beyond_arrays(kernel: Kernel) -> Iterator[isl.Map]:
    """For each exact access, the instances that leave its array, and the elements that they touch there."""
    for statement in kernel.statements:
        yield from (_beyond(access, kernel) for access in (*statement.reads, statement.write) if access.exact)


def _beyond(access: Access, kernel: Kernel) -> isl.Map:
    inside = within_extents(kernel.arrays[access.array], access.relation.get_space().range())
    return access.relation.intersect_params(kernel.context).subtract_range(inside)
