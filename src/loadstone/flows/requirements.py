"""What flows need: a target, a bus, a width of addresses. A flow that cannot take what is made is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from loadstone.errors import refused
from loadstone.options import Flavour, Flow, Mode, Protocol, Reset, Target, VitisVersion

XRT_ADDRESS_WIDTH = 64
"""Kernels of XRT address memory with so many bits [UG1700, Packaging the RTL Code as a Vitis XO]."""


@dataclass(frozen=True, slots=True)
class Made:
    """What is made, for which flows: modes, targets, the dialect of HLS, the bus and its addresses, the reset."""

    flows: tuple[Flow, ...]
    modes: frozenset[Mode]
    targets: tuple[Target, ...]
    flavour: Flavour = "vitis"
    bus: Protocol | None = None
    address_width: int | None = None
    reset: Reset | None = None

    @property
    def is_hls(self) -> bool:
        """Whether there is HLS C++ for Vitis."""
        return bool(self.modes & {"hls", "network-hls"}) and self.flavour == "vitis"

    @property
    def is_accelerator(self) -> bool:
        """Whether there is hardware on a bus."""
        return "accelerator" in self.modes


@dataclass(frozen=True, slots=True)
class _Need:
    """A condition of a flow, why it is one, and how it is met."""

    holds: Callable[[Made], bool]
    reason: str
    hint: str


def _on_bus(flow: str, bus: str = "axi or avalon") -> _Need:
    return _Need(
        lambda made: made.is_accelerator,
        f"{flow} takes hardware with registers and a bus to memory",
        f"use --target verilog --bus {bus}",
    )


def _on_axi(flow: str) -> tuple[_Need, ...]:
    axi = _Need(lambda made: made.bus == "axi", f"{flow} has no Avalon interfaces", "use --bus axi")
    return _on_bus(flow, "axi"), axi


def _of_hardware(need: _Need) -> _Need:
    """A condition on hardware, where there is some."""
    return _Need(lambda made: not made.is_accelerator or need.holds(made), need.reason, need.hint)


_NEEDS: Mapping[Flow, tuple[_Need, ...]] = {
    "vitis": (_Need(lambda made: made.is_hls, "Vitis takes HLS C++ of its own dialect", "use --target hls"),),
    "vivado": _on_axi("Vivado"),
    "quartus": (_on_bus("Platform Designer"),),
    "pynq": _on_axi("PYNQ"),
    "xrt": (
        _Need(
            lambda made: made.is_accelerator or (made.is_hls and "vitis" in made.flows),
            "XRT takes hardware with registers and a bus to memory, or kernels of Vitis HLS",
            "use --target verilog --bus axi, or --target hls --flow vitis,xrt",
        ),
        _of_hardware(_on_axi("XRT")[1]),
        _of_hardware(
            _Need(
                lambda made: made.address_width == XRT_ADDRESS_WIDTH,
                f"kernels of XRT have addresses of {XRT_ADDRESS_WIDTH} bits",
                f"use --address-width {XRT_ADDRESS_WIDTH}",
            )
        ),
        _of_hardware(
            _Need(
                lambda made: made.reset != "high",
                "kernels of XRT have a reset that is active when low",
                "leave --reset high out",
            )
        ),
    ),
    "litex": (
        *_on_axi("LiteX"),
        _Need(lambda made: "verilog" in made.targets, "LiteX builds Verilog", "use --target verilog"),
    ),
    "fusesoc": (_on_bus("FuseSoC"),),
}


def check_flows(made: Made, version: VitisVersion | None) -> None:
    """Raise `InputError` for a flow that cannot take what is made, and for a version of a flow that is not chosen."""
    for flow in made.flows:
        for need in _NEEDS[flow]:
            if not need.holds(made):
                raise refused(f"--flow {flow} does not fit: {need.reason}", None, need.hint)
    if version is not None and "vitis" not in made.flows:
        hint = "it takes effect with --target hls --flow vitis"
        raise refused("--vitis has no effect without --flow vitis", None, hint)
