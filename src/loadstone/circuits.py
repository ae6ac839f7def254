"""Hardware of a kernel, top to bottom: on chip, as an accelerator on a bus, as a process network, and the baseline.

Apart from `pipeline`, so that programs are made without loading any hardware.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from loadstone.bus.ports import PAGE_BYTES, Bus
from loadstone.errors import refused
from loadstone.hardware.accelerator.outline import AcceleratorOutline, make_outline
from loadstone.hardware.accelerator.registers import make_controlled
from loadstone.hardware.accelerator.top import make_design
from loadstone.hardware.datapath.operations import Operations
from loadstone.hardware.datapath.timing import REGISTERED_OUTPUT, UNREGISTERED, MemoryTiming
from loadstone.hardware.design import AcceleratorDesign, ComputeDesign, bus_for, element_bytes
from loadstone.hardware.direct.top import make_direct_design
from loadstone.hardware.network.top import NetworkDesign, make_network_design
from loadstone.hardware.on_chip import OnChipDesign, make_on_chip
from loadstone.loops.ranges import Limits, parameter_limits
from loadstone.loops.tile_loops import has_move_loops
from loadstone.loops.transformed import program_loops
from loadstone.model.definitions import check_executable
from loadstone.model.kernel import Kernel
from loadstone.networks.model import Network
from loadstone.options import ADDRESS_WIDTHS, OUTSTANDING, HardwareOptions
from loadstone.parallel.fed_lanes import fed_lanes
from loadstone.pipeline import Compilation, plan_tiles
from loadstone.rtl.module import Module
from loadstone.transfer.boxed import boxed_arrays
from loadstone.transfer.plan import Plan
from loadstone.transform.program import program_of
from loadstone.transform.temporaries import without_temporaries


@dataclass(frozen=True, eq=False, repr=False)
class CircuitCompilation(Compilation):
    """A kernel on its way to hardware.

    Scalars that are set and used in one iteration are forward-substituted, unless a schedule names all statements. The
    moduli of buffers are powers of two where that takes no more memory. A `wired` bus replaces that of the options.
    """

    wired: Bus | None = None

    @property
    def tileable(self) -> Kernel:
        """The kernel without temporaries, where its statements may change."""
        schedule = self.choices.schedule if self.tiling is None else self.tiling.schedule
        return self.substituted if schedule in (None, "auto") else self.selecting

    @cached_property
    def substituted(self) -> Kernel:
        """The kernel without temporaries."""
        return without_temporaries(self.selecting)

    @property
    def moduli(self) -> bool | None:
        """Powers of two, all of them if chosen, else where that takes no more memory."""
        return self.choices.power_of_two or None

    @property
    def splits(self) -> bool:
        """No: addresses of local memories in hardware know no coordinates of tiles."""
        return False

    def memories(self, usual: MemoryTiming) -> MemoryTiming:
        """The timing of on-chip memories, where it is not the usual one."""
        return MemoryTiming(self.hardware.memory_latency or usual.latency, self.hardware.read_ports)

    @property
    def operations(self) -> Operations:
        """The arithmetic."""
        return Operations(subnormals=not self.hardware.flush_subnormals)

    @cached_property
    def limits(self) -> dict[str, Limits]:
        """The ranges of parameters that the hardware is made for; functions need definitions, and loops ends."""
        check_executable(self.kernel)
        return parameter_limits(self.kernel, self.values)

    @cached_property
    def transfers(self) -> Plan:
        """What each tile loads and stores: exactly what it must, or boxes where that is too complicated for loops."""
        exact = plan_tiles(self.tiles, keep_dead_stores=self.choices.keep_dead_stores, limit=self.limit)
        if has_move_loops(exact):
            return exact
        return Plan(self.tiles, boxed_arrays(self.tiles), False, "tiles move boxes, what they need is too complicated")

    @cached_property
    def on_chip(self) -> OnChipDesign:
        """The kernel with its arrays in on-chip memories."""
        loops = program_loops(program_of(self.substituted))
        return make_on_chip(self.substituted, loops, self.limits, self.memories(UNREGISTERED), self.operations)

    @cached_property
    def bus(self) -> Bus:
        """The bus of the accelerator."""
        return self.wired or bus_of(self.hardware, element_bytes(self.accelerator))

    @property
    def fed_lanes(self) -> tuple[int, ...]:
        """The numbers of lanes that the bus feeds."""
        return self._fed_lanes

    @cached_property
    def _fed_lanes(self) -> tuple[int, ...]:
        sizes = element_bytes(self.accelerator)
        return fed_lanes(self.accelerator, self.limits, self.values, sizes, self.bus.bytes)

    @cached_property
    def outline(self) -> AcceleratorOutline:
        """The accelerator before its top module, which suffices for predictions."""
        return make_outline(
            self.accelerator, self.limits, self.bus, self.memories(REGISTERED_OUTPUT), self.operations, self.lanes
        )

    @cached_property
    def design(self) -> AcceleratorDesign:
        """The accelerator on its bus."""
        return make_design(self.outline)

    @cached_property
    def controlled(self) -> Module:
        """The accelerator behind its registers: what is measured by synthesis."""
        return make_controlled(self.design, self.bus.protocol)

    @cached_property
    def direct(self) -> ComputeDesign:
        """The direct baseline: the kernel on external memory without local memories, on the same bus."""
        kernel = self.tiles.kernel
        return make_direct_design(kernel, parameter_limits(kernel, self.values), self.bus, self.operations)

    @cached_property
    def network(self) -> Network:
        """The process network of the kernel as it stands, channels split completely."""
        return Compilation(self.kernel, self.choices, self.given, self.tiling, self.limit).network

    @cached_property
    def network_design(self) -> NetworkDesign:
        """The process network on its bus, for the given values of parameters."""
        kernel = self.network.tiles.kernel
        sizes = {array.name: array.type.storage.bits // 8 for array in kernel.arrays.values() if array.rank}
        limits = {name: (value, value) for name, value in self.values.items()}
        bus = self.wired or bus_of(self.hardware, sizes)
        return make_network_design(self.network, self.channel_sizes, limits, bus, self.operations)


def bus_of(chosen: HardwareOptions, sizes: Mapping[str, int]) -> Bus:
    """The bus of the options; by default as wide as the widest elements, whose bytes are given."""
    least = bus_for(sizes)
    width, burst = chosen.bus_width or least.data_width, chosen.burst or least.burst
    if burst * width // 8 > PAGE_BYTES:
        raise refused(f"a burst of {burst} beats of {width} bits is longer than {PAGE_BYTES} bytes")
    wide, most = chosen.address_width or least.address_width, chosen.outstanding
    _check_between("address bits", wide, ADDRESS_WIDTHS)
    _check_between("outstanding bursts", most or 1, OUTSTANDING)
    bus = replace(least, protocol=chosen.bus or "axi", data_width=width, burst=burst)
    return bus_for(sizes, replace(bus, address_width=wide, outstanding=most))


def _check_between(what: str, number: int, bounds: tuple[int, int]) -> None:
    """Raises `InputError` for a number out of bounds."""
    if not bounds[0] <= number <= bounds[1]:
        raise refused(f"{number} {what}: there are {bounds[0]} to {bounds[1]}")
