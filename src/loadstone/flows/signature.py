"""The signature of a kernel as software sees its accelerator: numbers in registers, variables in memory, results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from loadstone.hardware.accelerator.registers import Register, RegisterMap
from loadstone.hardware.design import AcceleratorDesign
from loadstone.model.expression import Expression
from loadstone.model.kernel import Array
from loadstone.model.types import ScalarType


@dataclass(frozen=True, slots=True)
class InRegister:
    """A parameter or a scalar, by value."""

    name: str
    type: ScalarType
    register: Register


@dataclass(frozen=True, slots=True)
class InMemory:
    """An array in memory, or structures of the user, each item of some bytes; structures have no `type`.

    `is_given`: it has contents before a run. `is_result`: somebody may look at it afterwards. Else it is scratch.
    """

    name: str
    type: ScalarType | None
    structure: str
    item_bytes: int
    extents: tuple[Expression, ...]
    register: Register
    is_given: bool
    is_result: bool

    @property
    def is_argument(self) -> bool:
        """Whether callers know of it."""
        return self.is_given or self.is_result


@dataclass(frozen=True, eq=False)
class Signature:
    """What an accelerator is called with, in the order of the source, and what it returns."""

    design: AcceleratorDesign
    registers: RegisterMap

    @cached_property
    def numbers(self) -> tuple[InRegister, ...]:
        """Parameters, then scalars."""
        return tuple(self._numbers())

    def _numbers(self) -> Iterator[InRegister]:
        kernel = self.design.kernel
        for name in self.design.parameters:
            yield InRegister(name, kernel.parameter_types[name], self.registers.of("parameter", name))
        for name in self.design.scalars_in:
            yield InRegister(name, kernel.arrays[name].type, self.registers.of("scalar in", name))

    @cached_property
    def variables(self) -> tuple[InMemory, ...]:
        """All variables in memory, scratch memory among them."""
        return tuple(map(self._variable, self.design.bases))

    @property
    def arguments(self) -> tuple[InRegister | InMemory, ...]:
        """What callers give, in the order of the source; what it does not declare comes first."""
        given = (*self.numbers, *(each for each in self.variables if each.is_argument))
        order = {name: k for k, name in enumerate(self.design.kernel.declared)}
        return tuple(sorted(given, key=lambda each: order.get(each.name, -1)))

    @property
    def scratch(self) -> tuple[InMemory, ...]:
        """The memory that only the accelerator uses."""
        return tuple(each for each in self.variables if not each.is_argument)

    @property
    def results(self) -> tuple[InRegister, ...]:
        """The scalars that registers hold after a run."""
        arrays = self.design.kernel.arrays
        return tuple(
            InRegister(name, arrays[name].type, self.registers.of("scalar out", name))
            for name in self.design.scalars_out
        )

    def _variable(self, name: str) -> InMemory:
        held = self._held(name)
        first, register = held[0], self.registers.of("base", name)
        record = first.record
        return InMemory(
            name,
            None if record else first.type,
            record.type if record else "",
            record.size if record else self.design.element_bytes[first.name],
            first.extents[: first.outer_rank],
            register,
            any(array.initialised for array in held),
            any(array.live_out for array in held),
        )

    def _held(self, variable: str) -> tuple[Array, ...]:
        """The arrays whose elements lie in a variable."""
        arrays = self.design.kernel.arrays
        return tuple(arrays[name] for name in self.design.element_bytes if self.design.variable(name) == variable)
