"""Modules that are imported when they are first used: a command loads what it needs.

Where a module is needed rarely, its name is bound under `TYPE_CHECKING` by an import, and otherwise by `Later`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Later:
    """A module by its name, imported when an attribute of it is first read.

    >>> Later("json").dumps([1])
    '[1]'
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        found = getattr(import_module(self._name), name)
        setattr(self, name, found)
        return found
