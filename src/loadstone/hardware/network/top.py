"""A process network in hardware: a module for each process and each channel, and masters that load and store share.

Loads see external memory as it was before the run. So results of an array that is also loaded go to a place of their
own: nothing makes the store of an element wait for its load, and programs of networks in C and HLS do the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from loadstone.bus.ports import Bus
from loadstone.hardware.bus_top import BusTop
from loadstone.hardware.control.interface import OWN
from loadstone.hardware.control.ranged import type_between
from loadstone.hardware.datapath.operations import Operations
from loadstone.hardware.design import BusDesign, bus_for
from loadstone.hardware.layout import ArrayLayout, ExternalLayout, external_layouts
from loadstone.hardware.names import ModuleNames
from loadstone.hardware.network.channels import make_channel
from loadstone.hardware.network.links import Link, Planner, links_of, network_within
from loadstone.hardware.network.masters import LOAD_ANSWERS, STORE_ANSWERS, Client, Masters, answer_wires
from loadstone.hardware.network.process import ProcessDesign, Setting, make_compute_process
from loadstone.hardware.network.transfers import (
    make_load_process,
    make_scalar_load,
    make_scalar_store,
    make_store_process,
)
from loadstone.hardware.supervisor import tell_failures
from loadstone.hardware.words import bits_of
from loadstone.loops.ranges import Limits, Ranges
from loadstone.model.kernel import Array
from loadstone.networks.model import Kind, Network, Process
from loadstone.networks.sizes import ChannelSize
from loadstone.rtl.conditions import all_of
from loadstone.rtl.expressions import Signal, Value
from loadstone.rtl.module import Instance
from loadstone.rtl.names import fresh
from loadstone.rtl.types import Bits, bit


@dataclass(frozen=True, slots=True, eq=False)
class NetworkDesign(BusDesign):
    """The hardware of a network.

    What is stored of array `a` lies under the name `results["a"]`: that of the array, or another one if it is loaded,
    too.
    """

    results: Mapping[str, str]


def make_network_design(
    network: Network,
    sizes: Mapping[str, ChannelSize],
    limits: Mapping[str, Limits],
    bus: Bus | None = None,
    operations: Operations | None = None,
) -> NetworkDesign:
    """The hardware of a network, for parameters in ranges, for all of which channels of these sizes must be enough.

    Ports: `start`, parameters, scalars, the base address of each array and of results, a bus, `ready` and `done`, and
    those of `supervisor`.
    """
    top = _Top(network, sizes, limits, bus, operations or Operations())
    top.fill()
    return top.finished(NetworkDesign, limits, top.external, results=top.results)


def layout_under(layout: ArrayLayout, is_result: bool) -> ArrayLayout:
    """The layout of an array; results of members of structures lie in structures of their own."""
    if not is_result or not isinstance(layout, ExternalLayout) or layout.record is None:
        return layout
    return replace(layout, record=replace(layout.record, variable=f"{layout.record.variable} out"))


class _Top(BusTop):
    """The top module while it is made."""

    def __init__(
        self,
        network: Network,
        sizes: Mapping[str, ChannelSize],
        limits: Mapping[str, Limits],
        bus: Bus | None,
        operations: Operations,
    ) -> None:
        self.kernel = kernel = network.tiles.kernel
        ranges = Ranges(kernel, limits)
        self.network = network_within(network, ranges.known)
        self.links = links_of(self.network, sizes)
        self.setting = Setting(ranges, operations)
        values = {name: low for name, (low, high) in limits.items() if low == high}
        self.planner = Planner(kernel, self.links, ranges.known, values)
        loaded, stored = self._arrays("load"), self._arrays("store")
        self.results = {name: f"{name} out" if name in loaded else name for name in stored}
        titles = {**{name: name for name in loaded}, **{title: name for name, title in self.results.items()}}
        stores = external_layouts(ranges)
        self.external = {title: layout_under(stores[name], title != name) for title, name in titles.items()}
        sizes_moved = {title: kernel.arrays[name].type.storage.bits // 8 for title, name in titles.items()}
        name, types = fresh(f"{kernel.name}_network", OWN), {each: type_between(*limits[each]) for each in limits}
        modules, title = ModuleNames((name,)), f"{kernel.name} as a process network."
        chosen, scalars = bus_for(sizes_moved, bus), self._scalar_types()
        super().__init__(kernel, name, modules, title, chosen, self.external, types, scalars)

    def _arrays(self, kind: Kind) -> list[str]:
        """The arrays of which elements are loaded or stored over the bus."""
        moved = [self._moved(process) for process in self.network.processes.values() if process.kind == kind]
        return [array.name for array in moved if array is not None]

    def _scalar_types(self) -> dict[str, Bits]:
        """The types of the scalars that a host gives."""
        moved = {p.array for p in self.network.processes.values() if p.kind != "compute"}
        used, arrays = moved.union(self.setting.scalars), self.kernel.arrays.values()
        return {array.name: bits_of(array.type) for array in arrays if array.rank == 0 and array.name in used}

    def fill(self) -> None:
        """Adds all parts and connects them."""
        m, names = self.module, self.names
        self.open_bus()
        self.begin = names.wire("begin_run", self.starts)
        self.states = {name: wire for link in self.links for name, wire in self._link_wires(link)}
        self.answers = {name: self._answers(process) for name, process in self.network.processes.items()}
        m.section("Processes")
        designs = {name: self._process(process) for name, process in self.network.processes.items()}
        self.instances = {name: self._instance(name, design) for name, design in designs.items()}
        m.section("Channels")
        for link in self.links:
            late = link.name in designs[link.channel.consumer].late
            self._channel(link, designs[link.channel.producer].latency, late)
        m.section("Masters")
        masters = Masters(self)
        reader, arrives = masters.add_reader(self._clients("load"))
        writer, leaves = masters.add_writer(self._clients("store"))
        self.count_elements(self.begin, arrives, leaves)
        tell_failures(m, reader, writer)
        self._keep_scalars()
        self._finish(writer["idle"])

    def _link_wires(self, link: Link) -> Iterator[tuple[str, Signal]]:
        """New wires for what a channel tells its processes."""
        kinds = {"there": bit, "word": bits_of(link.element)} | ({} if link.is_private else {"room": bit})
        for what, kind in kinds.items():
            yield link.port(what), self.wire(link.port(what), kind)

    def _answers(self, process: Process) -> dict[str, Signal]:
        """New wires for what a process gets from its master, if it has one."""
        array = self._moved(process)
        if array is None:
            return {}
        what = LOAD_ANSWERS if process.kind == "load" else STORE_ANSWERS
        return answer_wires(self.names, process.name, what, bits_of(array.type))

    def _moved(self, process: Process) -> Array | None:
        """The array of which a process moves elements over the bus, if it does."""
        if process.kind == "compute":
            return None
        array = self.kernel.arrays[process.array]
        return array if array.rank else None

    def _process(self, process: Process) -> ProcessDesign:
        title = self._title(process)
        walk = self.planner.walk(process, self.external[title] if title else None)
        name = self.modules.fresh(f"{self.module.name}_{process.name}")
        if process.kind == "compute":
            return make_compute_process(name, self.setting, walk, self.links)
        array, loads = self.kernel.arrays[process.array], process.kind == "load"
        if not array.rank:
            return (make_scalar_load if loads else make_scalar_store)(name, self.setting, walk, self.links, array)
        return (make_load_process if loads else make_store_process)(
            name, self.setting, walk, self.links, self.bus, array
        )

    def _title(self, process: Process) -> str:
        """The name under which what a process moves lies in external memory."""
        array = self._moved(process)
        if array is None:
            return ""
        return array.name if process.kind == "load" else self.results[array.name]

    def _instance(self, name: str, design: ProcessDesign) -> Instance:
        """The hardware of a process in its place."""
        process = self.network.processes[name]
        offer: dict[str, Value] = {"start": self.begin, **self.states, **self.answers[name]}
        offer |= {port: self.host.parameters[each] for each, port in design.parameters.items()}
        offer |= {port: self.host.scalars_in[each] for each, port in design.scalars.items()}
        if self._title(process):
            offer["base"] = self.bases[self._title(process)]
        elif process.kind == "load":
            offer["given"] = self.host.scalars_in[process.array]
        inputs = {port.name: offer[port.name] for port in design.module.of_kind("input")}
        return self.module.instance(self.names.fresh(f"run_{name}"), design.module, inputs)

    def _channel(self, link: Link, latency: int, late: bool) -> None:
        module = make_channel(self.modules.fresh(f"{self.module.name}_{link.name}"), link, latency, late=late)
        ends = (self.instances[link.channel.producer], self.instances[link.channel.consumer])
        outputs = {name: signal for end in ends for name, signal in end.outputs}
        inputs = {port.name: outputs[link.port(port.name)] for port in module.of_kind("input")}
        channel = self.module.instance(self.names.fresh(f"channel_{link.name}"), module, inputs)
        for port in module.of_kind("output"):
            self.module.assign(self.states[link.port(port.name)], channel[port.name])

    def _clients(self, kind: Kind) -> list[Client]:
        """The processes that load or store over the bus."""
        moving = [p for p in self.network.processes.values() if p.kind == kind and self._title(p)]
        return [
            Client(self.instances[p.name], self.answers[p.name], 8 * self.element_bytes[self._title(p)]) for p in moving
        ]

    def _keep_scalars(self) -> None:
        """Registers for scalars that are stored, which keep what was given if nothing is."""
        m = self.module
        for name, process in self.network.processes.items():
            if process.kind == "store" and not self._title(process):
                array, unit = self.kernel.arrays[process.array], self.instances[name]
                value = self.names.register(f"{array.name}_value", bits_of(array.type))
                with m.clocked(f"Scalar {array.name}."):
                    with m.when(self.begin):
                        m.assign(value, self.host.scalars_in[array.name])
                    with m.when(unit["enable"]):
                        m.assign(value, unit["result"])
                self.host.show(array.name, value)

    def _finish(self, written: Signal) -> None:
        m = self.module
        m.section("The whole run")
        idle = [unit["idle"] for unit in self.instances.values()]
        ends = self.names.wire("ends", all_of(self.running, written, *idle))
        self.end_run(self.begin, ends)
