"""Compilations that the command line describes, into programs, networks and hardware."""

from __future__ import annotations

import argparse
from typing import TypeVar

from loadstone.cli.shared.kernels import read_kernel
from loadstone.cli.shared.parser import refuse
from loadstone.options import Choices, HardwareOptions
from loadstone.pipeline import Compilation

Made = TypeVar("Made", bound=Compilation)


def compilation_of(arguments: argparse.Namespace) -> Compilation:
    """The compilation of a kernel into a program or a network."""
    return compiled_as(Compilation, arguments)


def compiled_as(kind: type[Made], arguments: argparse.Namespace) -> Made:
    """The compilation of some kind; what only an automatic choice of sizes takes into account needs one."""
    choices, hardware = Choices.of(vars(arguments)), HardwareOptions.of(vars(arguments))
    if choices.sizes != "auto":
        refuse(arguments, ("local", "objective"), "without --tile auto")
    return kind(read_kernel(arguments), choices, dict(arguments.parameters), limit=arguments.limit, hardware=hardware)
