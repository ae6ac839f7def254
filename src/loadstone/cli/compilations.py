"""Compilations that the command line describes."""

from __future__ import annotations

import argparse

from loadstone.cli.kernels import read_kernel
from loadstone.options import Choices
from loadstone.pipeline import Compilation


def compilation_of(arguments: argparse.Namespace) -> Compilation:
    """The compilation of a kernel into a program or a network."""
    choices = Choices.of(vars(arguments))
    return Compilation(read_kernel(arguments), choices, dict(arguments.parameters), limit=arguments.limit)
