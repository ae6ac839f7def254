"""A process network as HLS C++, for Vitis or Intel compilers, and how programs call it."""

from __future__ import annotations

from collections.abc import Mapping

from loadstone.emit.c.hls_shim import HLS_H, HLS_STREAM_H
from loadstone.emit.c.network_calls import call_arguments, copies, emit_network_entry
from loadstone.emit.c.network_design import NetworkDesign
from loadstone.emit.c.network_intel import INTEL_STREAMS, emit_intel_network_header, emit_intel_network_source
from loadstone.emit.c.network_processes import NetworkProcesses
from loadstone.emit.c.network_vitis import VITIS_STREAMS, emit_vitis_network_header, emit_vitis_network_source
from loadstone.emit.c.testbench import Call
from loadstone.networks.model import Network
from loadstone.networks.sizes import ChannelSize
from loadstone.options import Flavour

_LINKAGE = 'extern "C" '


def emit_network_hls(
    network: Network, sizes: Mapping[str, ChannelSize], flavour: Flavour, parameters: Mapping[str, int]
) -> dict[str, str]:
    """The files of a network by their paths: interface, program, and a header for simulation in `sim`."""
    name = network.tiles.kernel.name
    if flavour == "vitis":
        design = NetworkDesign(NetworkProcesses(network, sizes, parameters, VITIS_STREAMS))
        header, source = emit_vitis_network_header(design), emit_vitis_network_source(design)
        shim = {"sim/hls_stream.h": HLS_STREAM_H}
    else:
        design = NetworkDesign(NetworkProcesses(network, sizes, parameters, INTEL_STREAMS))
        header, source = emit_intel_network_header(design), emit_intel_network_source(design)
        shim = {"sim/HLS/hls.h": HLS_H}
    return {f"{name}.hpp": header, f"{name}.cpp": source, **shim}


def network_hls_call(network: Network, sizes: Mapping[str, ChannelSize], parameters: Mapping[str, int]) -> Call:
    """How a testbench calls the top function, with its arrays in `memory`."""
    program = NetworkProcesses(network, sizes, parameters, VITIS_STREAMS)
    made, freed = copies(program)
    lines = [_call(program, "&loaded_words", "&stored_words"), *freed]
    declared = ("long loaded_words = 0, stored_words = 0;", *made)
    words = ("loaded_words", "stored_words")
    return Call(f"{program.kernel.name}.hpp", (("network", "\n".join(lines)),), words, declared, _LINKAGE)


def emit_network_hls_entry(network: Network, sizes: Mapping[str, ChannelSize], parameters: Mapping[str, int]) -> str:
    """An entry that calls the top function with its arrays in `memory`."""
    program = NetworkProcesses(network, sizes, parameters, VITIS_STREAMS)
    call = _call(program, "&words[0]", "&words[1]")
    return emit_network_entry(program, f"{program.kernel.name}.hpp", [call], _LINKAGE)


def _call(program: NetworkProcesses, *words: str) -> str:
    return f"{program.kernel.name}_top({', '.join(call_arguments(program, *words))});"
