"""Loadstone: from an affine loop kernel and a tiling to an accelerator.

    import loadstone as ls

    kernel = ls.parse("matmul.c")
    tiling = ls.Tiling(sizes=(32, 32, 32))
    ls.plan(kernel, tiling)["a"].load_volume
    ls.run(kernel, tiling, parameters={"n": 64}).verdict
    ls.predict(kernel, tiling, parameters={"n": 256}, memory="ddr4-2400", unroll=8).cycles
    ls.build(kernel, tiling, target="hls").write("out")

Public names are loaded when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from loadstone.version import VERSION, tell_version

if TYPE_CHECKING:
    from loadstone import arrayol
    from loadstone.analysis import dependences
    from loadstone.api import accelerator, build, explore, network, plan, predict, report, reuse, run, synth
    from loadstone.emit.project import Project
    from loadstone.errors import IllegalTransformation, InputError, LoadstoneError, ToolError, UnsupportedError
    from loadstone.frontend.python import kernel
    from loadstone.frontend.read import array_ol, parse
    from loadstone.fronts.front import Front
    from loadstone.model.kernel import Kernel
    from loadstone.networks.model import Network
    from loadstone.options import Choices, HardwareOptions, IntegrationOptions, RunOptions
    from loadstone.outcome import Outcome
    from loadstone.pipeline import Compilation
    from loadstone.storage.local_plan import LocalPlan
    from loadstone.transform.scripted import transformed
    from loadstone.transform.tiling import Tiling

tell_version()
__version__ = VERSION

_HOMES = {
    "loadstone.analysis": ("dependences",),
    "loadstone.api": (
        *("accelerator", "build", "explore", "network", "plan", "predict", "report", "reuse", "run", "synth"),
    ),
    "loadstone.fronts.front": ("Front",),
    "loadstone.emit.project": ("Project",),
    "loadstone.errors": (
        "IllegalTransformation",
        "InputError",
        "LoadstoneError",
        "ToolError",
        "UnsupportedError",
    ),
    "loadstone.frontend.python": ("kernel",),
    "loadstone.frontend.read": ("array_ol", "parse"),
    "loadstone.model.kernel": ("Kernel",),
    "loadstone.networks.model": ("Network",),
    "loadstone.options": ("Choices", "HardwareOptions", "IntegrationOptions", "RunOptions"),
    "loadstone.outcome": ("Outcome",),
    "loadstone.pipeline": ("Compilation",),
    "loadstone.storage.local_plan": ("LocalPlan",),
    "loadstone.transform.scripted": ("transformed",),
    "loadstone.transform.tiling": ("Tiling",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Choices",
    "Compilation",
    "Front",
    "HardwareOptions",
    "IllegalTransformation",
    "InputError",
    "IntegrationOptions",
    "Kernel",
    "LoadstoneError",
    "LocalPlan",
    "Network",
    "Outcome",
    "Project",
    "RunOptions",
    "Tiling",
    "ToolError",
    "UnsupportedError",
    "accelerator",
    "array_ol",
    "arrayol",
    "build",
    "dependences",
    "explore",
    "kernel",
    "network",
    "parse",
    "plan",
    "predict",
    "report",
    "reuse",
    "run",
    "synth",
    "transformed",
]


def __getattr__(name: str) -> object:
    if name == "arrayol":
        return import_module("loadstone.arrayol")
    if name not in _HOME:
        raise AttributeError(f"module 'loadstone' has no attribute '{name}'")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
