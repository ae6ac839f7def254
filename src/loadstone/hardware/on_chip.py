"""A kernel as hardware: arrays in memories on the chip, and scalars in registers [Devos, Figure 5.13]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from loadstone.hardware.compute.engine import Engine, Surroundings, Write, written
from loadstone.hardware.compute.memories import make_memory, words
from loadstone.hardware.compute.unit import ComputeUnit, make_compute_unit
from loadstone.hardware.datapath.operations import Operations
from loadstone.hardware.datapath.pipeline import address_type
from loadstone.hardware.datapath.timing import MemoryTiming
from loadstone.hardware.design import Design
from loadstone.hardware.host_ports import HostPorts, are_allowed, parameter_type, scalar_types
from loadstone.hardware.layout import ArrayLayout, layouts_of
from loadstone.hardware.names import ModuleNames, Names
from loadstone.hardware.words import encoded
from loadstone.loops.model import Node
from loadstone.loops.ranges import Limits, Ranges
from loadstone.model.kernel import Array, Kernel
from loadstone.options import Reset
from loadstone.rtl.conditions import any_of, one_hot_mux
from loadstone.rtl.expressions import Signal, Value
from loadstone.rtl.module import Module, hierarchy
from loadstone.rtl.names import fresh
from loadstone.rtl.shell import Clocking, Shell
from loadstone.rtl.types import bit


@dataclass(frozen=True, slots=True)
class HostPort:
    """The host ports of an array: they write and read its words while the hardware is ready."""

    write: str
    address: str
    data: str
    word: str


@dataclass(frozen=True, slots=True, eq=False)
class OnChipDesign(Design):
    """Hardware with on-chip memories: `words` are the copies of an array's words as paths."""

    compute: ComputeUnit
    arrays: Mapping[str, HostPort]
    words: Mapping[str, tuple[str, ...]]


def make_on_chip(
    kernel: Kernel,
    tree: Node,
    limits: Mapping[str, Limits],
    memories: MemoryTiming | None = None,
    operations: Operations | None = None,
) -> OnChipDesign:
    """The hardware of a kernel that runs by a loop tree, for parameters in ranges.

    Ports: `start`, parameters, scalars, `ready` and `done`; for each array of the interface a port that writes and
    reads its words while the hardware is ready. A start with parameters out of range does nothing but set `error`
    and `done`.
    """
    ranges = Ranges(kernel, limits)
    timing, stores = memories or MemoryTiming(), layouts_of(ranges)
    compute = make_compute_unit(ranges, tree, stores, timing, operations or Operations())
    top = _Top(compute, limits)
    top.fill()
    return OnChipDesign(
        module=top.module,
        kernel=kernel,
        limits=limits,
        compute=compute,
        arrays=top.hosts,
        words=top.words,
        **top.host.named(),
    )


def on_chip_top(design: OnChipDesign, reset: Reset | None = None) -> Shell:
    """A shell around hardware with on-chip memories; its reset is `rst`, or `rst_n` if it is active when low."""
    inner, low = design.module, reset == "low"
    taken = {module.name.lower() for module in hierarchy(inner)}
    ports = {port.name.lower() for port in inner.of_kind("input", "output")}
    clocking = Clocking(reset=fresh("rst_n", ports) if low else "rst", low=low)
    return Shell(fresh(f"{inner.name}_top", taken), inner, clocking, {}, {}, {})


@dataclass(frozen=True, slots=True, eq=False)
class _Host:
    """The inputs of a host port."""

    write: Signal
    address: Signal
    data: Signal


class _Top:
    """The top module while it is made."""

    def __init__(self, compute: ComputeUnit, limits: Mapping[str, Limits]) -> None:
        self.compute, self.limits = compute, limits
        self.module = m = Module(compute.name, f"{compute.kernel.name}, with its arrays in memories on the chip.")
        self.names = Names(m, ("ready", "done", "error"))
        types = {name: parameter_type(limits[name]) for name in compute.control.parameters}
        self.host = HostPorts(self.names, types, scalar_types(compute))
        arrays = compute.kernel.arrays.values()
        self.host_inputs = {array.name: self._host(array) for array in arrays if _is_seen(array)}
        self.hosts: dict[str, HostPort] = {}
        self.words: dict[str, tuple[str, ...]] = {}
        self.modules = ModuleNames(compute.modules)

    def _host(self, array: Array) -> _Host:
        store, m = self.compute.stores[array.name], self.module
        return _Host(
            m.input(self.names.fresh(f"{array.name}_write"), bit, f"writes a word of {array.name}, while ready"),
            m.input(self.names.fresh(f"{array.name}_address"), address_type(store)),
            m.input(self.names.fresh(f"{array.name}_data"), store.type),
        )

    def fill(self) -> None:
        """Adds all parts and connects them."""
        self.running = self.names.state("running", comment="since the cycle after the start")
        self.accepts = self.names.wire("accepts_start", self.host.start & ~self.running)
        allowed = are_allowed(self.names, self.compute.kernel, self.host.parameters, self.limits)
        self.in_range = self.names.wire("in_range", allowed)
        begin = self.names.wire("begin_run", self.accepts & self.in_range)
        given = Surroundings(self._narrow(), self.host.scalars_in, begin)
        self.engine = Engine(self.names, self.compute, given)
        self.module.section("Memories")
        for name, store in self.compute.stores.items():
            if store.depth:
                self._memory(name, store)
        self._finish(begin)
        self.host.show_results(self.compute, self.engine.values)

    def _narrow(self) -> dict[str, Signal]:
        """Parameters in the bits that values in range need."""
        types = self.compute.control.parameter_types
        ports = self.host.parameters.items()
        return {name: self.names.wire(f"{name}_value", port.wrapped(types[name])) for name, port in ports}

    def _memory(self, name: str, store: ArrayLayout) -> None:
        """The memory of an array between datapaths and host."""
        compute, m, reads = self.compute, self.module, self.engine.ports(name)
        module = make_memory(
            self.modules.fresh(f"{compute.name}_{name}"),
            store.type,
            store.depth,
            latency=compute.memories.latency,
            reads=reads,
            initial=[encoded(value, store.element) for value in compute.kernel.arrays[name].values or ()],
        )
        inputs = {**written(self._writes(name)), **self._reading(name, reads)}
        instance = m.instance(self.names.fresh(f"{name}_memory"), module, inputs)
        for port in range(reads):
            m.assign(self.engine.words[name, port], instance[f"read_{port}_data"])
        self.words[name] = tuple(f"{instance.name}.{words(port)}" for port in range(reads))
        if name in self.host_inputs:
            host = self.host_inputs[name]
            found = self.engine.words[name, 0]
            word = m.output(self.names.fresh(f"{name}_word"), found, "at the address, while ready")
            self.hosts[name] = HostPort(host.write.name, host.address.name, host.data.name, word.name)

    def _writes(self, name: str) -> list[Write]:
        """What is written to an array: by datapaths, and by the host while nothing runs."""
        found, host = self.engine.writes(name), self.host_inputs.get(name)
        if host is not None:
            enable = self.names.wire(f"{name}_host_writes", host.write & ~self.running)
            found.append(Write(enable, host.address, host.data))
        return found

    def _reading(self, name: str, reads: int) -> dict[str, Value]:
        """The inputs of the read ports; the host has the first one while nothing runs."""
        inputs: dict[str, Value] = {}
        for port in range(reads):
            asks = self.engine.asks(name, port)
            if name in self.host_inputs and port == 0:
                asks.append((~self.running, self.host_inputs[name].address))
            inputs[f"read_{port}_enable"] = any_of(*(enable for enable, _ in asks))
            inputs[f"read_{port}_address"] = one_hot_mux(asks)
        return inputs

    def _finish(self, begin: Signal) -> None:
        m = self.module
        m.section("The whole run")
        issued = self.names.state("issued", comment="all instances have started")
        ends = self.names.wire("ends", issued & ~self.engine.busy)
        was_done, refused = self.names.state("was_done"), self.names.state("refused")
        with m.clocked():
            m.assign(issued, (issued | self.engine.last) & ~ends)
            m.assign(self.running, (self.running | begin) & ~ends)
            m.assign(was_done, ((was_done | ends) & ~begin) | (self.accepts & ~self.in_range))
            with m.when(self.accepts):
                m.assign(refused, ~self.in_range)
        m.output("ready", ~self.running, "may be started")
        m.output("done", was_done, "has run since the last start")
        m.output("error", refused, "the last start was refused: a parameter is out of range")


def _is_seen(array: Array) -> bool:
    """Whether an array is an input or an output of the kernel."""
    return array.rank > 0 and (array.initialised or array.live_out)
