"""Modules that are imported, and methods that are compiled, when they are first used: a command loads what it needs.

Where a module is needed rarely, its name is bound under `TYPE_CHECKING` by an import, and otherwise by `Later`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, cast


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


def compile_methods_later(package: str) -> None:
    """Let the methods that Python writes for dataclasses of a package be compiled when they are first called.

    A command calls few of them, and compiling all takes as long as a small kernel. Up to Python 3.12 one function of
    the standard library compiles each; where there is none, nothing is done.
    """
    compiled = cast("Callable[..., Any] | None", vars(dataclasses).get("_create_fn"))
    if compiled is None:
        return

    def create(name: str, *text: Any, **names: Any) -> Any:
        home: dict[str, Any] = names.get("globals") or {}
        if home.get("__name__", "").partition(".")[0] != package:
            return compiled(name, *text, **names)
        return _method(name, lambda: compiled(name, *text, **names))

    dataclasses.__dict__["_create_fn"] = create


def _method(name: str, compiled: Callable[[], Any]) -> Callable[..., Any]:
    """A method that puts the compiled one in its place when it is first called."""

    @cache
    def real() -> Any:
        found = compiled()
        found.__qualname__ = method.__qualname__
        return found

    def method(*words: Any, **named: Any) -> Any:
        for owner in type(words[0]).__mro__:
            if vars(owner).get(name) is method:
                setattr(owner, name, real())
        return real()(*words, **named)

    method.__name__ = name
    return method
