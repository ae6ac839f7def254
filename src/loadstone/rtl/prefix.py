"""Modules under names that begin alike, so that several designs can live in one project."""

from __future__ import annotations

from typing import TypeVar

from loadstone.rtl.module import Module, hierarchy

AnyModule = TypeVar("AnyModule", bound=Module)


def joined(prefix: str, name: str) -> str:
    """A name behind a prefix, if there is one.

    >>> joined("small", "matmul"), joined("", "matmul")
    ('small_matmul', 'matmul')
    """
    return f"{prefix}_{name}" if prefix else name


def with_prefix(top: AnyModule, prefix: str) -> AnyModule:
    """A module whose name, and those of all modules inside, begin with a prefix; the module itself without one."""
    if not prefix:
        return top
    made: dict[Module, Module] = {}
    for module in hierarchy(top):
        made[module] = module.twin(joined(prefix, module.name), made)
    found = made[top]
    assert isinstance(found, type(top))
    return found
