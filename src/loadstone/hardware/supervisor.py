"""The supervisor of hardware on a bus: it refuses parameters out of range, and ends a run after an error or an abort.

A run that goes wrong ends in bounded time. The masters ask for no further burst, and those in flight are carried out:
every address gets all its data, and every requested beat is taken. When the bus is quiet, the hardware inside
is reset, and the run is done.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

from loadstone.bus.masters import master_ports
from loadstone.bus.ports import Bus, attach
from loadstone.hardware.host_ports import are_allowed, parameter_type
from loadstone.hardware.names import Names
from loadstone.loops.ranges import Limits
from loadstone.model.kernel import Kernel
from loadstone.rtl.conditions import mux
from loadstone.rtl.expressions import Signal, Value, cat, const
from loadstone.rtl.module import Instance, Module
from loadstone.rtl.types import bit, unsigned

KIND = unsigned(3)
ERROR, ERROR_ADDRESS, ABORTED = "error", "error_address", "aborted"
"""The outputs that tell how a run ended."""
ABORT, CLEAR, CLEAR_ERROR = "abort_run", "soft_reset", "clear_error"
"""The inputs that end a run, reset the hardware, and forget the last error."""
STOP, QUIET, FAILED, FAILURE, FAILED_ADDRESS = "stop", "bus_quiet", "failed", "failure", "failed_address"
"""The ports of the hardware inside: the one that stops its masters, and what it tells of them."""
OUTPUTS = ("ready", "done", ERROR, ERROR_ADDRESS, ABORTED)
INSIDE = (STOP, QUIET, FAILED, FAILURE, FAILED_ADDRESS)
RESERVED = (*OUTPUTS, ABORT, CLEAR, CLEAR_ERROR, *INSIDE)
"""The names that no other port may have."""


class ErrorKind(IntEnum):
    """How a run can fail."""

    NONE = 0
    PARAMETER = 1
    READ_SLAVE = 2
    READ_DECODE = 3
    WRITE_SLAVE = 4
    WRITE_DECODE = 5

    @property
    def described(self) -> str:
        """What went wrong, in words."""
        return _WORDS[self]


_WORDS = {
    ErrorKind.NONE: "no error",
    ErrorKind.PARAMETER: "a parameter is out of range",
    ErrorKind.READ_SLAVE: "slave error in a read",
    ErrorKind.READ_DECODE: "decode error in a read",
    ErrorKind.WRITE_SLAVE: "slave error in a write",
    ErrorKind.WRITE_DECODE: "decode error in a write",
}


def tell_failures(m: Module, reader: Instance, writer: Instance) -> None:
    """Outputs for a supervisor, from the masters of the hardware inside; reads come first."""
    m.section("Errors on the bus")
    reads = reader["error"]
    m.output(QUIET, reader["quiet"] & writer["quiet"], "no burst is in flight")
    m.output(FAILED, reads | writer["error"], "a response was an error")
    m.output(FAILURE, cat(~reads, reads, mux(reads, reader["decode_error"], writer["decode_error"])), "its kind")
    m.output(FAILED_ADDRESS, mux(reads, reader["error_address"], writer["error_address"]), "where, in bytes")


def make_supervised(
    kernel: Kernel, name: str, core: Module, bus: Bus, parameters: Mapping[str, str], limits: Mapping[str, Limits]
) -> Module:
    """The hardware `core` of a kernel under supervision, with its own ports but for those of the supervisor.

    `parameters` names the ports of parameters, which become those of whole words. `error` is an `ErrorKind`.
    """
    return _Supervisor(kernel, name, core, bus, parameters, limits).filled()


class _Supervisor:
    """The module while it is made."""

    def __init__(
        self,
        kernel: Kernel,
        name: str,
        core: Module,
        bus: Bus,
        parameters: Mapping[str, str],
        limits: Mapping[str, Limits],
    ) -> None:
        self.core, self.bus = core, bus
        self.module = m = Module(name, core.comment)
        ports = [port for port in core.of_kind("input", "output") if port.name not in (*INSIDE, *OUTPUTS)]
        self.names = Names(m, (*RESERVED, *(port.name for port in ports)))
        wide = {port: parameter_type(limits[each]) for each, port in parameters.items()}
        self.inputs = {p.name: m.input(p.name, wide.get(p.name, p.bits), p.comment) for p in ports if p.kind == "input"}
        self.outputs = {p.name: m.output(p.name, p.bits, p.comment) for p in ports if p.kind == "output"}
        self.abort = m.input(ABORT, bit, "ends a run; the bus is quiet when it is done")
        self.clear = m.input(CLEAR, bit, "ends a run, and resets all but the bus")
        self.clear_error = m.input(CLEAR_ERROR, bit, "forgets the last error")
        inputs = {each: self.inputs[port] for each, port in parameters.items()}
        self.in_range = self.names.wire("in_range", are_allowed(self.names, kernel, inputs, limits))
        self.stopping = self.names.state("stopping", comment="no further requests")
        self.wipes = self.names.state("wipes", comment="the hardware inside is reset")
        self.cleared = self.names.state("was_cleared", comment="nothing will be left of the run")

    def filled(self) -> Module:
        """Adds the hardware inside, and what a run ends with."""
        m, names = self.module, self.names
        ready = m.wire(names.fresh("may_start"), bit)
        accepts = names.wire("accepts", self.inputs["start"] & ready)
        core = self._add_core(accepts)
        m.assign(ready, core["ready"] & ~self.stopping & ~self.wipes)
        refuses = names.wire("refuses", accepts & ~self.in_range)
        aborts = names.wire("aborts", self.abort & ~ready & ~self.wipes)
        stops = names.wire("stops", refuses | aborts | self.clear | core[FAILED])
        with m.clocked("A run that goes wrong is over when the bus is quiet."):
            m.assign(self.wipes, self.stopping & core[QUIET] & ~self.wipes)
            m.assign(self.stopping, (self.stopping | stops) & ~self.wipes)
        early = self._add_end(accepts, aborts)
        self._add_error(core, accepts, refuses)
        m.output("ready", ready, "may be started")
        m.output("done", (core["done"] & ~self.stopping & ~self.wipes) | early, "has run since the last start")
        return m

    def _add_core(self, accepts: Signal) -> Instance:
        """The hardware inside, which is started with parameters in range, and reset after a run that went wrong."""
        given: dict[str, Value] = {
            name: port.wrapped(self.core[name].bits) for name, port in self.inputs.items() if not self._is_of_bus(name)
        }
        given |= {"start": accepts & self.in_range, STOP: self.stopping}
        wires = {name: port for name, port in {**self.inputs, **self.outputs}.items() if self._is_of_bus(name)}
        core = attach(self.module, self.names.fresh("core"), self.core, wires, given, clear=self.wipes)
        for name, port in self.outputs.items():
            if name not in wires:
                self.module.assign(port, core[name])
        return core

    def _is_of_bus(self, name: str) -> bool:
        return name in {port.name for port in master_ports(self.bus)}

    def _add_end(self, accepts: Signal, aborts: Signal) -> Signal:
        """Whether a run that went wrong is over; it was aborted, unless it failed alone."""
        m, names = self.module, self.names
        early, aborted = names.state("ended_early"), names.state("was_aborted")
        with m.clocked("How it ended."):
            m.assign(self.cleared, (self.cleared | self.clear) & ~self.wipes)
            m.assign(early, (early | (self.wipes & ~self.cleared)) & ~accepts & ~self.clear)
            m.assign(aborted, (aborted | aborts) & ~accepts & ~self.clear & ~self.cleared)
        m.output(ABORTED, aborted, "the last run was aborted")
        return early

    def _add_error(self, core: Instance, accepts: Signal, refuses: Signal) -> None:
        """The first error since the last start."""
        m, names = self.module, self.names
        kind, address = names.state("error_kind", KIND), names.state("first_address", self.bus.address)
        with m.clocked("The first error."):
            with m.when(accepts | self.clear_error | self.clear):
                m.assign(kind, mux(refuses, const(ErrorKind.PARAMETER, KIND), const(0, KIND)))
                m.assign(address, 0)
            with m.elsewhen(core[FAILED] & (kind == 0) & ~self.cleared):
                m.assign(kind, core[FAILURE])
                m.assign(address, core[FAILED_ADDRESS])
        m.output(ERROR, kind, "how the last run failed, or 0")
        m.output(ERROR_ADDRESS, address, "where the bus failed first, in bytes")
