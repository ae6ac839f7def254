"""Imports go one way, from later stages to earlier ones, and stand at the top of their module."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "loadstone"
LAYERS = (
    ("errors",),
    ("rtl",),
    ("operators", "bus"),
    ("dram",),
    ("poly",),
    ("model",),
    ("frontend", "analysis"),
    ("counting",),
    ("transform",),
    ("transfer",),
    ("storage",),
    ("networks",),
    ("loops",),
    ("hardware",),
    ("emit",),
    ("simulate",),
    ("locality",),
    ("pipeline",),
    ("systems",),
    ("targets",),
    ("report",),
    ("cli",),
)
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
MODULES = sorted(PACKAGE.rglob("*.py"))


def stage_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def own_imports(tree: ast.AST) -> Iterator[tuple[ast.stmt, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide the layer"
            if (node.module or "").split(".")[0] == "loadstone":
                yield node, node.module or ""
        elif isinstance(node, ast.Import):
            for name in node.names:
                if name.name.split(".")[0] == "loadstone":
                    yield node, name.name


def stages() -> set[str]:
    return {stage_of(path) for path in MODULES} - {"__init__", "__main__"}


def test_every_stage_has_a_layer() -> None:
    assert stages() == set(LEVEL)


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_to_earlier_stages(path: Path) -> None:
    stage = stage_of(path)
    if stage in ("__init__", "__main__"):
        return
    for _, module in own_imports(ast.parse(path.read_text())):
        parts = module.split(".")
        imported = parts[1] if len(parts) > 1 else "__init__"
        assert imported == stage or LEVEL[imported] < LEVEL[stage], f"{path.name} imports {module}"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_no_import_of_own_modules_inside_functions(path: Path) -> None:
    for function in ast.walk(ast.parse(path.read_text())):
        if isinstance(function, ast.FunctionDef):
            assert not list(own_imports(function)), f"{path.name}: {function.name} imports inside its body"
