"""Compilations that the command line describes."""

from __future__ import annotations

import argparse

from loadstone.cli.shared.kernels import read_kernel
from loadstone.cli.shared.parser import refuse
from loadstone.options import Choices, HardwareOptions
from loadstone.pipeline import Compilation


def compilation_of(arguments: argparse.Namespace) -> Compilation:
    """The compilation of a kernel into a program or a network."""
    choices = choices_of(arguments)
    hardware = HardwareOptions.of(vars(arguments))
    return Compilation(
        read_kernel(arguments), choices, dict(arguments.parameters), limit=arguments.limit, hardware=hardware
    )


def choices_of(arguments: argparse.Namespace) -> Choices:
    """The choices that were given; what only an automatic choice takes into account needs one."""
    choices = Choices.of(vars(arguments))
    if choices.sizes != "auto":
        refuse(arguments, ("local", "objective"), "without --tile auto")
    return choices
