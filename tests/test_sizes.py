"""What fits on a page is read: bounds on functions, files and folders of the package."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "loadstone"
MODULES = sorted(PACKAGE.rglob("*.py"))
FUNCTION_LINES, FILE_LINES, FOLDER_MODULES = 45, 500, 20


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_folders_hold_few_modules() -> None:
    held = Counter(path.parent.relative_to(PACKAGE).as_posix() for path in MODULES)
    assert {folder: count for folder, count in held.items() if count > FOLDER_MODULES} == {}


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_files_and_functions_are_short(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= FILE_LINES
    long = [f.name for f in functions(path) if (f.end_lineno or f.lineno) - f.lineno + 1 > FUNCTION_LINES]
    assert long == []
