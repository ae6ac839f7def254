"""The version, which generated files name, and that of islpy.

islpy looks its version up in the metadata of all packages, for as long as it loads isl; it is told here.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any, cast

VERSION = "0.1.0"
NAME = "islpy.version"


class _Told:
    """Finder and loader of `islpy.version`."""

    def __init__(self, text: str) -> None:
        self._text = text

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        return ModuleSpec(name, cast("Any", self)) if name == NAME else None

    def create_module(self, spec: ModuleSpec) -> None:
        """Leave it to Python."""

    def exec_module(self, module: ModuleType) -> None:
        numbers = re.match(r"[0-9]+(\.[0-9]+)*", self._text)
        assert numbers is not None
        module.__dict__["VERSION_TEXT"] = self._text
        module.__dict__["VERSION"] = tuple(map(int, numbers[0].split(".")))
        module.__dict__["VERSION_STATUS"] = self._text[numbers.end() :]


def tell_version() -> None:
    """Let `islpy.version` be what it would be, by the name of the folder with the metadata of islpy.

    Nothing is done where it is loaded already, or where there is no such folder: islpy finds its version itself then.
    """
    text = None if NAME in sys.modules else _installed_version()
    if text is not None:
        sys.meta_path.insert(0, _Told(text))


def _installed_version() -> str | None:
    spec = PathFinder.find_spec("islpy")
    places: Sequence[str] = () if spec is None else spec.submodule_search_locations or ()
    names = (name for place in places for name in sorted(os.listdir(os.path.dirname(place))))
    found = (re.fullmatch(r"islpy(?:_barvinok)?-([0-9][^-]*?)(?:\.post\d+)?\.dist-info", name) for name in names)
    return next((match[1] for match in found if match), None)
