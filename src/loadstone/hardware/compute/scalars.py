"""Scalars that a kernel writes: registers, set at the start and by datapaths."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from loadstone.hardware.compute.unit import ComputeUnit
from loadstone.hardware.names import Names
from loadstone.rtl.expressions import Signal
from loadstone.rtl.module import Instance


def scalar_registers(names: Names, compute: ComputeUnit) -> dict[str, Signal]:
    """New registers for the scalars that are written."""
    return {
        name: names.register(f"{name}_value", store.type)
        for name, store in compute.stores.items()
        if not store.depth and name not in compute.stable
    }


def write_scalar(
    names: Names, name: str, value: Signal, begin: Signal, given: Mapping[str, Signal], writers: Iterable[Instance]
) -> None:
    """Writes the register of a scalar: with what is given at the start, and with the results of datapaths."""
    m = names.module
    with m.clocked(f"Scalar {name}."):
        if name in given:
            with m.when(begin):
                m.assign(value, given[name])
        for writer in writers:
            with m.when(writer["write_enable"]):
                m.assign(value, writer["write_data"])
