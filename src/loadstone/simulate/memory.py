"""The contents of a kernel's arrays: generated inputs, and comparison bit by bit."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from loadstone.errors import Diagnostic, InputError
from loadstone.model.definitions import check_executable
from loadstone.model.evaluate import evaluate
from loadstone.model.kernel import Array, Kernel
from loadstone.model.selectors import value_ranges
from loadstone.model.types import Number, ScalarType
from loadstone.poly import fixed

Element = tuple[int, ...]


@dataclass(slots=True)
class Buffer:
    """The cells of one array, row by row."""

    name: str
    type: ScalarType
    extents: tuple[int, ...]
    cells: list[Number]

    def address(self, element: Element) -> int:
        """The position of an element among the cells; raises `IndexError` outside of the extents."""
        address = 0
        for index, extent in zip(element, self.extents, strict=True):
            if not 0 <= index < extent:
                raise IndexError(f"{self.name}{list(element)} is outside of its extents {list(self.extents)}")
            address = address * extent + index
        return address

    def elements(self) -> Iterator[Element]:
        """All elements, row by row."""
        return product(*map(range, self.extents))

    def __getitem__(self, element: Element) -> Number:
        return self.cells[self.address(element)]

    def __setitem__(self, element: Element, value: Number) -> None:
        self.cells[self.address(element)] = value


Memory = dict[str, Buffer]


def copied(memory: Memory) -> Memory:
    """The same contents in cells of their own."""
    return {name: Buffer(b.name, b.type, b.extents, list(b.cells)) for name, b in memory.items()}


def initial_memory(kernel: Kernel, parameters: Mapping[str, int], seed: int = 0) -> Memory:
    """Arrays of the right extents with reproducible contents.

    Floating-point and fixed-point values are moderate and positive and matrices have a heavy diagonal, so that
    factorisations and square roots stay finite. Arrays that select elements of others hold valid subscripts.
    Temporaries hold garbage.
    """
    check_executable(kernel)
    check_parameters(kernel, parameters)
    extents = {name: extents_of(array, parameters) for name, array in kernel.arrays.items()}
    selecting = _selecting(kernel, parameters)
    return {name: _buffer(array, extents[name], selecting.get(name), seed) for name, array in kernel.arrays.items()}


def check_parameters(kernel: Kernel, parameters: Mapping[str, int]) -> None:
    """Raise `InputError` unless every parameter has a value that the context allows."""
    missing = [name for name in kernel.parameters if name not in parameters]
    unknown = [name for name in parameters if name not in kernel.parameters]
    known = ", ".join(kernel.parameters) or "none"
    if missing:
        hint = f"give it with {kernel.options_for(missing[:1])}"
        raise InputError(Diagnostic(f"no value for parameter {missing[0]}", None, hint))
    if unknown:
        raise InputError(Diagnostic(f"'{unknown[0]}' is not a parameter", None, f"parameters are: {known}"))
    if fixed(kernel.context, parameters).is_empty():
        values = ", ".join(f"{name} = {value}" for name, value in parameters.items())
        hint = f"known of the parameters: {kernel.context}"
        raise InputError(Diagnostic(f"the kernel is not defined for {values}", None, hint))


def extents_of(array: Array, parameters: Mapping[str, int]) -> tuple[int, ...]:
    """The extents of an array for given parameters."""
    return tuple(max(0, int(evaluate(extent, parameters, ()))) for extent in array.extents)


def _selecting(kernel: Kernel, parameters: Mapping[str, int]) -> dict[str, range]:
    """The values of arrays whose values select elements of others."""
    return {
        name: range(max(0, *(each.least for each in ranges)), min(each.end(parameters) for each in ranges))
        for name, ranges in value_ranges(kernel).items()
    }


def _buffer(array: Array, extents: tuple[int, ...], allowed: range | None, seed: int) -> Buffer:
    size = math.prod(extents)
    if array.values is not None:
        return Buffer(array.name, array.type, extents, list(array.values[:size]))
    source = random.Random(f"{array.name}:{seed}")
    cells = [_value(array.type, allowed, source) for _ in range(size)]
    if allowed is None and not array.type.is_integer and len(extents) == 2:
        for k in range(min(extents)):
            cells[k * extents[1] + k] = _heavier(cells[k * extents[1] + k], max(extents), array.type)
    return Buffer(array.name, array.type, extents, cells)


def _heavier(value: Number, weight: int, kind: ScalarType) -> Number:
    """A value with a weight added; fixed point stays as it is where that is too much."""
    if not kind.is_fixed:
        return kind.wrap(value + weight)
    units = int(value) + (weight << kind.fraction)
    return units if units <= kind.greatest else value


def _value(kind: ScalarType, allowed: range | None, source: random.Random) -> Number:
    if allowed is not None:
        return _selection(kind, allowed, source)
    if kind.is_integer:
        return kind.wrap(source.randint(-50, 100) if kind.signed else source.randint(0, 100))
    return source.randint(*kind.moderate) if kind.is_fixed else kind.wrap(source.uniform(0.125, 1.0))


def _selection(kind: ScalarType, allowed: range, source: random.Random) -> Number:
    """One of the allowed values, if the type has any, else the least of them or what it wraps to."""
    greatest = kind.greatest >> kind.fraction if kind.is_fixed else kind.greatest
    number = allowed.start + source.randrange(max(1, min(allowed.stop, greatest + 1) - allowed.start))
    return kind.wrap(number)


def same(left: Number, right: Number) -> bool:
    """Whether two values are the same bit by bit; all not-a-numbers count as one."""
    if isinstance(left, float) and isinstance(right, float):
        if math.isnan(left) or math.isnan(right):
            return math.isnan(left) and math.isnan(right)
        return left == right and math.copysign(1, left) == math.copysign(1, right)
    return left == right


def mismatches(expected: Memory, actual: Memory, arrays: tuple[str, ...]) -> list[tuple[str, int]]:
    """The cells (array and address) of some arrays in which two memories differ."""
    return [
        (name, address)
        for name in arrays
        for address, (left, right) in enumerate(zip(expected[name].cells, actual[name].cells, strict=True))
        if not same(left, right)
    ]


def live_out_arrays(kernel: Kernel) -> tuple[str, ...]:
    """The arrays that somebody may look at after the kernel."""
    return tuple(name for name, array in kernel.arrays.items() if array.live_out)
