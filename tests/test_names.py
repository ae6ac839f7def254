"""A public name has one meaning in a sub-package: one of its modules defines it."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "loadstone"
ROOMS = sorted({path.parent.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py")})
ALIKE = {
    "cli": {"run", "MODES"},
    "rtl": {"expression"},
    "rtl/programs": {"run", "trace", "lint", "version"},
}
"""What modules of one kind all have, with one meaning: commands, languages, external programs."""


def public_names(path: Path) -> Iterator[str]:
    """The names that a module defines for others; type variables of one letter are its own."""
    for node in ast.parse(path.read_text()).body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
                names = [name]
            case ast.Assign(targets=targets):
                names = [target.id for target in targets if isinstance(target, ast.Name)]
            case _:
                names = []
        yield from (name for name in names if not name.startswith("_") and len(name) > 1)


@pytest.mark.parametrize("room", ROOMS)
def test_one_module_defines_a_public_name(room: str) -> None:
    homes: defaultdict[str, set[str]] = defaultdict(set)
    for path in (PACKAGE / room).glob("*.py"):
        for name in public_names(path):
            homes[name].add(path.name)
    shared = {name for name, modules in homes.items() if len(modules) > 1}
    assert shared - ALIKE.get(room, set()) == set()
