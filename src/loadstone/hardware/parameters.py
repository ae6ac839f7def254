"""Parameters as hosts give them: whole words, of which hardware takes those values that it is made for."""

from __future__ import annotations

from collections.abc import Mapping

from loadstone.loops.ranges import Limits
from loadstone.rtl.conditions import all_of
from loadstone.rtl.expressions import Signal, Value
from loadstone.rtl.types import Bits, signed

_WORD, _LONG = signed(32), signed(64)


def parameter_type(limits: Limits) -> Bits:
    """The type of the port of a parameter: so wide that a value out of range is seen to be one."""
    return _WORD if all(_WORD.holds(limit) for limit in limits) else _LONG


def are_in_range(ports: Mapping[str, Signal], limits: Mapping[str, Limits]) -> Value:
    """Whether all parameters have values for which the hardware is made."""
    return all_of(*(all_of(port >= limits[name][0], port <= limits[name][1]) for name, port in ports.items()))
