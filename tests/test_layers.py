"""Imports go one way, from later stages to earlier ones, and stand at the top of their module."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "loadstone"
LAYERS = (
    ("errors", "later", "version"),
    ("files", "markup", "options", "processes", "progress", "texts"),
    ("rtl",),
    ("rtl.programs",),
    ("operators", "bus"),
    ("dram",),
    ("poly",),
    ("model",),
    ("frontend", "analysis"),
    ("counting",),
    ("transform",),
    ("transfer",),
    ("storage",),
    ("tiling_search", "mapping"),
    ("networks",),
    ("loops",),
    ("parallel",),
    ("hardware.names", "hardware.words"),
    ("hardware.layout",),
    ("hardware.control", "hardware.datapath"),
    ("hardware.compute",),
    ("hardware.host_ports",),
    ("hardware.design", "hardware.supervisor"),
    ("hardware.bus_top", "hardware.on_chip"),
    ("hardware.accelerator", "hardware.direct", "hardware.network"),
    ("hardware.harness",),
    ("emit.project",),
    ("emit.c",),
    ("emit.arrayol",),
    ("arrayol",),
    ("emit.hdl",),
    ("flows",),
    ("simulate.memory",),
    ("simulate.interpreter",),
    ("simulate.rounding",),
    ("simulate.programs", "simulate.networks", "simulate.hardware"),
    ("simulate.prediction",),
    ("locality",),
    ("outcome", "pipeline"),
    ("circuits",),
    ("exercise",),
    ("trials", "projects"),
    ("circuit_trials", "circuit_projects"),
    ("fronts",),
    ("reporting",),
    ("api",),
    ("serve",),
    ("cli",),
)
"""Packages and modules that stand beside each other do not import each other."""

LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
MODULES = sorted(PACKAGE.rglob("*.py"))


def stage_of(module: str) -> str | None:
    """The part of a module's name that has a layer; None for what only names its parts."""
    parts = module.split(".")
    return next((name for k in range(len(parts), 0, -1) if (name := ".".join(parts[:k])) in LEVEL), None)


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix("__init__").removesuffix(".")


def own_imports(tree: ast.AST) -> Iterator[str]:
    """The modules of the package that a tree imports, without the package's name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide the layer"
            if (node.module or "").split(".")[0] == "loadstone":
                yield from _imported((node.module or "").removeprefix("loadstone").removeprefix("."), node)
        elif isinstance(node, ast.Import):
            yield from (name.name.partition(".")[2] for name in node.names if name.name.split(".")[0] == "loadstone")


def _imported(module: str, node: ast.ImportFrom) -> Iterator[str]:
    """The module that names come from, or the modules that are imported by name."""
    for name in node.names:
        inner = f"{module}.{name.name}".removeprefix(".")
        path = PACKAGE / inner.replace(".", "/")
        yield inner if path.is_dir() or path.with_suffix(".py").exists() else module


def test_every_module_has_a_layer() -> None:
    parts = {"", "__main__", "hardware", "emit", "simulate"}
    assert [name for path in MODULES if stage_of(name := name_of(path)) is None and name not in parts] == []


def test_every_layer_exists() -> None:
    for name in LEVEL:
        path = PACKAGE / name.replace(".", "/")
        assert path.is_dir() or path.with_suffix(".py").exists(), name


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_to_earlier_stages(path: Path) -> None:
    stage = stage_of(name_of(path))
    if stage is None:
        return
    for module in own_imports(ast.parse(path.read_text())):
        imported = stage_of(module)
        assert imported is not None, f"{path.name} imports all of {module}"
        assert imported == stage or LEVEL[imported] < LEVEL[stage], f"{path.name} imports {module}"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_no_import_of_own_modules_inside_functions(path: Path) -> None:
    for function in ast.walk(ast.parse(path.read_text())):
        if isinstance(function, ast.FunctionDef):
            assert not list(own_imports(function)), f"{path.name}: {function.name} imports inside its body"
