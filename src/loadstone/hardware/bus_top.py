"""The top module of hardware on a bus while it is made: its ports, what it counts, and when it is ready and done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

from loadstone.bus.masters import master_ports, reading_side, writing_side
from loadstone.bus.ports import Bus, attach, declare_ports
from loadstone.bus.reading import make_read_master
from loadstone.bus.writing import make_write_master
from loadstone.hardware.design import BusDesign, widths_moved
from loadstone.hardware.host_ports import HostPorts, port_names
from loadstone.hardware.layout import ArrayLayouts
from loadstone.hardware.names import ModuleNames, Names
from loadstone.hardware.supervisor import RESERVED, STOP, make_supervised
from loadstone.loops.ranges import Limits
from loadstone.model.kernel import Kernel
from loadstone.rtl.expressions import Signal, Value
from loadstone.rtl.module import Instance, Module
from loadstone.rtl.types import Bits, bit, unsigned

ELEMENTS = unsigned(32)
LOADED, STORED = "loaded_elements", "stored_elements"
"""The outputs that count moved elements."""
NO_SLICES: Mapping[str, Value] = MappingProxyType({})

AnyDesign = TypeVar("AnyDesign", bound=BusDesign)


class BusTop:
    """A module with host ports for the arrays that are `moved`; a supervisor is put around it in the end."""

    def __init__(
        self,
        kernel: Kernel,
        name: str,
        modules: ModuleNames,
        comment: str,
        bus: Bus,
        moved: ArrayLayouts,
        parameters: Mapping[str, Bits],
        scalars: Mapping[str, Bits],
        reserved: tuple[str, ...] = (),
    ) -> None:
        self.kernel, self.name, self.modules, self.bus = kernel, name, modules, bus
        self.element_bytes = {each: layout.element_bytes for each, layout in moved.items()}
        self.widths = widths_moved(self.element_bytes)
        self.module = Module(modules.fresh(f"{name}_core"), comment)
        taken = (*RESERVED, LOADED, STORED, *reserved, *(port.name for port in master_ports(bus)))
        self.names = Names(self.module, taken)
        variables = {each: layout.variable or each for each, layout in moved.items()}
        self.host = HostPorts(self.names, parameters, scalars, dict.fromkeys(variables.values(), bus.address))
        self.bases = {each: self.host.bases[variable] for each, variable in variables.items()}

    def open_bus(self) -> None:
        """Adds the ports of the bus, the input that stops its masters, and the state of a run."""
        self.signals = declare_ports(self.module, master_ports(self.bus), "master")
        self.stop = self.module.input(STOP, bit, "no further requests")
        self.running = self.names.state("running", comment="since the cycle after the start")
        self.starts = self.host.start & ~self.running

    def wire(self, wish: str, type: Bits = bit) -> Signal:
        """A new wire, to be driven later."""
        return self.module.wire(self.names.fresh(wish), type)

    @property
    def request_ports(self) -> tuple[str, ...]:
        """The ports of a master for requests."""
        ports = ("request_valid", "request_address", "request_count")
        return ports if self.widths.are_equal else (*ports, "request_size")

    def add_reader(
        self, request: Mapping[str, Value], ready: Value, slices: Mapping[str, Value] = NO_SLICES
    ) -> Instance:
        """Adds the read master; an element, or a slice, is taken from it when `ready`."""
        ports = {**request, **slices, "element_ready": ready, "stop": self.stop}
        master, side = make_read_master(self.bus, self.widths, bool(slices)), reading_side(self.bus, self.signals)
        return attach(self.module, self.names.fresh("reader"), master, side, ports)

    def add_writer(
        self, request: Mapping[str, Value], valid: Value, data: Value, slices: Mapping[str, Value] = NO_SLICES
    ) -> Instance:
        """Adds the write master; an element, or a slice, is given to it when `valid`."""
        ports = {**request, **slices, "element_valid": valid, "element_data": data, "stop": self.stop}
        master, side = make_write_master(self.bus, self.widths, bool(slices)), writing_side(self.bus, self.signals)
        return attach(self.module, self.names.fresh("writer"), master, side, ports)

    def count_elements(self, begin: Signal, arrives: Value, leaves: Value) -> None:
        """Adds outputs that count the elements of a run."""
        for name, moved in ((LOADED, arrives), (STORED, leaves)):
            count = self.names.register(f"{name}_count", ELEMENTS)
            with self.module.clocked():
                self.module.assign(count, (count + moved).wrapped(ELEMENTS))
                with self.module.when(begin):
                    self.module.assign(count, 0)
            self.module.output(name, count, "elements since the start")

    def end_run(self, begin: Signal, ends: Value) -> None:
        """Adds the outputs `ready` and `done`; the run is over when it `ends`."""
        m, running, was_done = self.module, self.running, self.names.state("was_done")
        with m.clocked():
            m.assign(running, (running | begin) & ~ends)
            m.assign(was_done, (was_done | ends) & ~begin)
        m.output("ready", ~running, "may be started")
        m.output("done", was_done, "has run since the last start")

    def finished(
        self, kind: Callable[..., AnyDesign], limits: Mapping[str, Limits], external: ArrayLayouts, **own: Any
    ) -> AnyDesign:
        """The design of a kind, with the module under supervision; `own` are further fields of it."""
        named = self.host.named()
        return kind(
            module=make_supervised(self.kernel, self.name, self.module, self.bus, named["parameters"], limits),
            kernel=self.kernel,
            limits=limits,
            bus=self.bus,
            external=external,
            element_bytes=self.element_bytes,
            bases=port_names(self.host.bases),
            **named,
            **own,
        )
