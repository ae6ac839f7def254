"""What a request is about: a kernel on its way to a program and to hardware, each stage made when it is first used."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from loadstone.circuits import CircuitCompilation
from loadstone.exercise import exercising_values, smaller_values
from loadstone.frontend.read import parse
from loadstone.hardware.accelerator.shell import make_top
from loadstone.model.kernel import Kernel
from loadstone.pipeline import Compilation
from loadstone.rtl.module import Module
from loadstone.serve.request import Request

USUAL = 40
"""What parameters are where nobody says so: more than one tile of the size that is taken then."""
MOST_ACCESSES = 16_000
"""The largest number of accesses that are gone through one by one."""
Json = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Subject:
    """The kernel of a request with its choices; `allow_run`: C may be compiled and run."""

    request: Request
    include: tuple[Path, ...] = ()
    allow_run: bool = False

    @cached_property
    def kernel(self) -> Kernel:
        """The kernel; raises `InputError` with every problem of the text."""
        return parse(self.request.source + "\n", include=self.include)

    @cached_property
    def given(self) -> dict[str, int]:
        """Values for all parameters: of the request, of the source, or such that they exercise the kernel."""
        known = {name: value for name, value in self.request.parameters.items() if name in self.kernel.parameters}
        return exercising_values(self.kernel, known, least=USUAL)

    @cached_property
    def program(self) -> Compilation:
        """The compilation into a program."""
        return Compilation(self.kernel, self.request.choices, self.given, hardware=self.request.hardware)

    @cached_property
    def circuit(self) -> CircuitCompilation:
        """The compilation into hardware."""
        return CircuitCompilation(self.kernel, self.request.choices, self.given, hardware=self.request.hardware)

    @cached_property
    def top(self) -> Module:
        """The accelerator behind its registers."""
        return make_top(self.circuit.design, self.circuit.design.bus.protocol)

    @property
    def values(self) -> dict[str, int]:
        """Values for all parameters, for which the kernel is defined."""
        return self.program.values

    @cached_property
    def small_values(self) -> dict[str, int]:
        """Values with which the accesses can be gone through one by one: all made smaller until they are few."""
        return smaller_values(self.kernel, self.values, MOST_ACCESSES)
