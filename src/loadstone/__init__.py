"""Loadstone: from an affine loop kernel and a tiling to an accelerator.

    import loadstone as ls

    kernel = ls.parse("matmul.c")
    plan = ls.plan(kernel, ls.Tiling(sizes=(32, 32, 32)))
    plan["a"].load, plan["a"].buffer.mapping
    ls.build(kernel, ls.Tiling(sizes=(32, 32, 32)), target="hls").write("out")

Public names are loaded when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loadstone.analysis import dependences
    from loadstone.emit.project import Project
    from loadstone.errors import IllegalTransformation, InputError, LoadstoneError, ToolError, UnsupportedError
    from loadstone.frontend.python import kernel
    from loadstone.frontend.read import parse
    from loadstone.model.kernel import Kernel
    from loadstone.networks.model import Network
    from loadstone.pipeline import network, plan, transformed
    from loadstone.storage.local_plan import LocalPlan
    from loadstone.targets import build
    from loadstone.transform import Tiling

__version__ = "0.1.0"

_HOMES = {
    "IllegalTransformation": "loadstone.errors",
    "InputError": "loadstone.errors",
    "Kernel": "loadstone.model.kernel",
    "LoadstoneError": "loadstone.errors",
    "LocalPlan": "loadstone.storage.local_plan",
    "Network": "loadstone.networks.model",
    "Project": "loadstone.emit.project",
    "Tiling": "loadstone.transform",
    "ToolError": "loadstone.errors",
    "UnsupportedError": "loadstone.errors",
    "build": "loadstone.targets",
    "dependences": "loadstone.analysis",
    "kernel": "loadstone.frontend.python",
    "network": "loadstone.pipeline",
    "parse": "loadstone.frontend.read",
    "plan": "loadstone.pipeline",
    "transformed": "loadstone.pipeline",
}

__all__ = [
    "IllegalTransformation",
    "InputError",
    "Kernel",
    "LoadstoneError",
    "LocalPlan",
    "Network",
    "Project",
    "Tiling",
    "ToolError",
    "UnsupportedError",
    "build",
    "dependences",
    "kernel",
    "network",
    "parse",
    "plan",
    "transformed",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'loadstone' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)
