"""Loadstone: from an affine loop kernel and a tiling to an accelerator.

Public names are loaded when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loadstone.analysis import dependences
    from loadstone.errors import IllegalTransformation, InputError, LoadstoneError, ToolError, UnsupportedError
    from loadstone.frontend.read import parse
    from loadstone.kernel.model import Kernel

__version__ = "0.1.0"

_HOMES = {
    "IllegalTransformation": "loadstone.errors",
    "InputError": "loadstone.errors",
    "Kernel": "loadstone.kernel.model",
    "LoadstoneError": "loadstone.errors",
    "ToolError": "loadstone.errors",
    "UnsupportedError": "loadstone.errors",
    "dependences": "loadstone.analysis",
    "parse": "loadstone.frontend.read",
}

__all__ = [
    "IllegalTransformation",
    "InputError",
    "Kernel",
    "LoadstoneError",
    "ToolError",
    "UnsupportedError",
    "dependences",
    "parse",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'loadstone' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)
