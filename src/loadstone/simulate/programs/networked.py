"""Generated programs of process networks, compiled and called on the same memories as the original program."""

from __future__ import annotations

from collections.abc import Mapping

from loadstone.emit.c.of_network import network_program
from loadstone.networks.model import Network
from loadstone.networks.sizes import ChannelSize
from loadstone.options import Flavour
from loadstone.simulate.programs.accelerated import compile_program
from loadstone.simulate.programs.compiled import CompiledKernel


def compile_network_c(
    network: Network, sizes: Mapping[str, ChannelSize], parameters: Mapping[str, int]
) -> CompiledKernel:
    """The network in C, a thread for each process; runs with these parameters only."""
    return compile_program(network_program(network, sizes, parameters), "network")


def compile_network_hls(
    network: Network, sizes: Mapping[str, ChannelSize], flavour: Flavour, parameters: Mapping[str, int]
) -> CompiledKernel:
    """The network in HLS C++, its processes as threads; runs with these parameters only."""
    return compile_program(network_program(network, sizes, parameters), "network", flavour)
