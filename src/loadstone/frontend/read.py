"""Reading a kernel from a file, whatever its language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from loadstone.errors import Diagnostic, InputError
from loadstone.frontend.build import build_kernel
from loadstone.frontend.c.program import read_c
from loadstone.frontend.python import read_python
from loadstone.model.kernel import Kernel


def parse(
    path: str | Path,
    *,
    function: str | None = None,
    defines: Mapping[str, str] | None = None,
    include: Sequence[str | Path] = (),
) -> Kernel:
    """The kernel in a C file (or a Python file); raises `InputError` with every problem of the file.

    `function` chooses among several kernels, `defines` and `include` are for the C preprocessor.
    """
    path = Path(path)
    match path.suffix:
        case ".yaml" | ".yml":
            hint = "this version reads .c and .py files"
            raise InputError(Diagnostic(f"cannot read '{path}': Array-OL is not supported yet", None, hint))
        case ".py":
            return read_python(path, function)
        case _:
            return build_kernel(read_c(path, defines or {}, tuple(map(Path, include)), function))
