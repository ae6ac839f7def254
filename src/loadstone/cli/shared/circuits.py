"""Hardware that the command line describes."""

from __future__ import annotations

import argparse

from loadstone.circuits import CircuitCompilation
from loadstone.cli.shared.compilations import choices_of
from loadstone.cli.shared.kernels import read_kernel
from loadstone.options import HardwareOptions


def circuit_of(arguments: argparse.Namespace) -> CircuitCompilation:
    """The compilation of a kernel into hardware."""
    known = vars(arguments)
    return CircuitCompilation(
        read_kernel(arguments),
        choices_of(arguments),
        dict(arguments.parameters),
        limit=arguments.limit,
        hardware=HardwareOptions.of(known),
    )
