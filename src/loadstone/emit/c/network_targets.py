"""What is generated of a process network for each target: sources, testbench, Makefile, and the network itself."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from loadstone.emit.c.network_c import emit_network_c, network_c_call
from loadstone.emit.c.network_hls import emit_network_hls, network_hls_call
from loadstone.emit.c.network_names import network_names
from loadstone.emit.c.network_program import network_words
from loadstone.emit.c.reference import emit_reference
from loadstone.emit.c.targets import c_makefile, hls_makefile
from loadstone.emit.c.testbench import Call, emit_testbench
from loadstone.emit.project import Project
from loadstone.networks.description import network_info
from loadstone.networks.model import Network
from loadstone.networks.sizes import ChannelSize
from loadstone.options import Flavour

Sizes = Mapping[str, ChannelSize]


def build_network_project(
    network: Network,
    sizes: Sizes,
    targets: Sequence[str],
    parameters: Mapping[str, int],
    *,
    flavour: Flavour = "vitis",
) -> Project:
    """The files for some targets, each in a folder of its own, and the network.

    `sizes` are those of all channels for the parameters, which must be complete.
    """
    values = {name: size.values for name, size in sizes.items()}
    files = {"network.json": json.dumps(network_info(network, values), indent=2) + "\n"}
    for target in targets:
        made = (
            _hls_files(network, sizes, parameters, flavour) if target == "hls" else _c_files(network, sizes, parameters)
        )
        files.update({f"{target}/{path}": text for path, text in made.items()})
    return Project(files)


def _c_files(network: Network, sizes: Sizes, parameters: Mapping[str, int]) -> dict[str, str]:
    kernel = network.tiles.kernel
    return {
        **emit_network_c(network, sizes, parameters),
        "testbench.c": _testbench(network, network_c_call(network, sizes, parameters), parameters),
        "reference.c": emit_reference(kernel, "reference"),
        "Makefile": c_makefile(kernel, "streams.h"),
    }


def _hls_files(network: Network, sizes: Sizes, parameters: Mapping[str, int], flavour: Flavour) -> dict[str, str]:
    kernel = network.tiles.kernel
    return {
        **emit_network_hls(network, sizes, flavour, parameters),
        "testbench.cpp": _testbench(network, network_hls_call(network, sizes, parameters), parameters),
        "reference.c": emit_reference(kernel, "reference"),
        "Makefile": hls_makefile(kernel),
    }


def _testbench(network: Network, call: Call, parameters: Mapping[str, int]) -> str:
    names = network_names(network, parameters).source
    predicted = network_words(network, parameters)
    return emit_testbench(network.tiles.kernel, names, call, parameters, predicted)
