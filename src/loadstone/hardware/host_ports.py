"""The ports by which a host drives hardware: start, parameters, scalars, and the base addresses of arrays."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from loadstone.hardware.compute.unit import ComputeUnit
from loadstone.hardware.control.expressions import Arithmetic
from loadstone.hardware.control.ranged import Ranged
from loadstone.hardware.names import Names
from loadstone.loops.ranges import Limits
from loadstone.model.from_isl import condition_of
from loadstone.model.kernel import Kernel
from loadstone.rtl.conditions import all_of
from loadstone.rtl.expressions import Signal, Value
from loadstone.rtl.types import Bits, bit, signed

_WORD, _LONG = signed(32), signed(64)
Types = Mapping[str, Bits]
_NONE: Types = MappingProxyType({})


class HostPorts:
    """The host ports of a top module, by parameter, scalar and array."""

    def __init__(self, names: Names, parameters: Types, scalars: Types, bases: Types = _NONE) -> None:
        m = names.module
        self.start = m.input(names.fresh("start"), bit, "starts it, when it is ready")
        self.parameters = {name: m.input(names.fresh(name), type) for name, type in parameters.items()}
        self.scalars_in = {name: m.input(names.fresh(f"{name}_in"), type) for name, type in scalars.items()}
        self.bases = {
            name: m.input(names.fresh(f"{name}_base"), type, "where it is, in bytes") for name, type in bases.items()
        }
        self.scalars_out: dict[str, Signal] = {}
        self._names = names

    def show(self, scalar: str, value: Signal) -> None:
        """Adds the output for a scalar after a run."""
        self.scalars_out[scalar] = self._names.module.output(self._names.fresh(f"{scalar}_out"), value)

    def show_results(self, compute: ComputeUnit, values: Mapping[str, Signal]) -> None:
        """Adds outputs for the scalars that are live after a run."""
        for name, value in values.items():
            if compute.kernel.arrays[name].live_out:
                self.show(name, value)

    def named(self) -> dict[str, Mapping[str, str]]:
        """The names of the ports of parameters and scalars, as a design has them."""
        ports = {"parameters": self.parameters, "scalars_in": self.scalars_in, "scalars_out": self.scalars_out}
        return {kind: port_names(found) for kind, found in ports.items()}


def port_names(ports: Mapping[str, Signal]) -> dict[str, str]:
    """The names of ports."""
    return {name: port.name for name, port in ports.items()}


def scalar_types(compute: ComputeUnit) -> dict[str, Bits]:
    """The types of the scalars that a host gives."""
    return {
        array.name: compute.stores[array.name].type
        for array in compute.kernel.arrays.values()
        if array.rank == 0 and (array.initialised or array.name in compute.stable)
    }


def parameter_type(limits: Limits) -> Bits:
    """The type of a parameter port: a whole word, wide enough to recognise a value out of range."""
    return _WORD if all(_WORD.holds(limit) for limit in limits) else _LONG


def are_allowed(names: Names, kernel: Kernel, ports: Mapping[str, Signal], limits: Mapping[str, Limits]) -> Value:
    """Whether all parameters have values for which the hardware is made, and the assumptions of its kernel hold."""
    in_range = (all_of(port >= limits[name][0], port <= limits[name][1]) for name, port in ports.items())
    arithmetic = Arithmetic(names, {(name, 1): Ranged(port, *limits[name]) for name, port in ports.items()}, "assumed")
    assumed = (arithmetic.condition(condition_of(each.condition)) for each in kernel.assumptions)
    return all_of(*in_range, *assumed)
