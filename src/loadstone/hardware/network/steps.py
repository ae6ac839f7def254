"""The controller of a process, and the queue of steps behind it: instances that wait until they can happen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from loadstone.hardware.control.controller import Options, make_controller
from loadstone.hardware.control.interface import standing
from loadstone.hardware.names import Names
from loadstone.hardware.network.links import Walk
from loadstone.loops.ranges import Ranges
from loadstone.rtl.expressions import Signal, Value, const
from loadstone.rtl.record import Record
from loadstone.rtl.types import bit, unsigned


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What every process is given: the pulse that starts it, and parameters in ranges."""

    begin: Signal
    parameters: Mapping[str, Signal]
    ranges: Ranges


class Steps:
    """The steps of a process in a module.

    `at` says that the controller stands at an instance with the fields `asked`; the instance goes into the queue when
    the wire `enters` is set. `valid` says that a step is at the front of the queue; it leaves when `leaves` is set. The
    module drives `enters` (only when there is `room`) and `leaves`.
    """

    def __init__(self, names: Names, walk: Walk, given: Given, depth: int, unkept: tuple[str, ...] = ()) -> None:
        self.names, self._walk = names, walk
        m = names.module
        self.enters, self.leaves = (m.wire(names.fresh(what), bit) for what in ("enters", "leaves"))
        self.ended = names.state("ended", comment="all instances are in the queue, or have left it")
        self.at, self.asked = self._controlled(given)
        kept = {field: value for field, value in self.asked.items() if field not in unkept}
        record = Record({field: value.bits for field, value in kept.items()})
        queue = names.queue("steps", depth, self.enters, record.made(**kept), self.leaves)
        self.room, self.valid = queue.room, queue.valid
        self.count = names.state("waiting", unsigned(depth.bit_length()), "steps in the queue")
        with m.clocked():
            m.assign(self.count, (self.count + self.enters - self.leaves).wrapped(self.count.bits))
        self.over = names.wire("over", self.ended & (self.count == 0))
        fields = record.unpacked(queue.data)
        self._fields = {field: names.wire(f"step_{field}", value) for field, value in fields.items()}

    def _controlled(self, given: Given) -> tuple[Signal, dict[str, Value]]:
        """Adds the controller: whether it stands at an instance, and the fields of that."""
        names, m, name = self.names, self.names.module, self._walk.process.name
        arguments = {name: self._walk.fields}
        options, ranges = Options(arguments=arguments), given.ranges
        controller = make_controller(f"{m.name}_control", self._walk.tree, ranges.limits, options, ranges.known)
        control = controller.added(names, "control", given.begin, given.parameters, {name: self.enters})
        with m.clocked():
            m.assign(self.ended, control["last"] | (self.ended & ~given.begin))
        fields: dict[str, Value] = {field: control[controller.port(name, field)] for field in self._walk.fields}
        return standing(names, "instance", control[controller.port(name, "start")], self.enters), fields

    def field(self, name: str) -> Value:
        """A field of the step at the front; what no step says always holds."""
        return self._fields.get(name, const(1))
