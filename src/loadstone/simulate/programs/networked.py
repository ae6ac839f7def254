"""Generated programs of process networks, compiled and called on the same memories as the original program."""

from __future__ import annotations

from collections.abc import Mapping

from loadstone.emit.c.network_c import emit_network_c, emit_network_c_entry
from loadstone.emit.c.network_hls import emit_network_hls, emit_network_hls_entry
from loadstone.networks.model import Network
from loadstone.networks.sizes import ChannelSize
from loadstone.options import Flavour
from loadstone.simulate.programs.accelerated import STRICT, STRICT_CPP
from loadstone.simulate.programs.compiled import CompiledKernel, Program


def compile_network_c(
    network: Network, sizes: Mapping[str, ChannelSize], parameters: Mapping[str, int]
) -> CompiledKernel:
    """The network in C, a thread for each process; runs with these parameters only."""
    kernel = network.tiles.kernel
    entry = emit_network_c_entry(network, sizes, parameters)
    program = Program(
        {**emit_network_c(network, sizes, parameters), "entry.c": entry}, [f"{kernel.name}.c", "entry.c"], STRICT
    )
    return CompiledKernel(kernel, program, "network")


def compile_network_hls(
    network: Network, sizes: Mapping[str, ChannelSize], flavour: Flavour, parameters: Mapping[str, int]
) -> CompiledKernel:
    """The network in HLS C++, its processes as threads; runs with these parameters only."""
    kernel = network.tiles.kernel
    files = emit_network_hls(network, sizes, flavour, parameters)
    entry = emit_network_hls_entry(network, sizes, parameters)
    program = Program({**files, "entry.cpp": entry}, [f"{kernel.name}.cpp", "entry.cpp"], STRICT_CPP)
    return CompiledKernel(kernel, program, "network")
