"""Reading a kernel from a file, whatever its language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from loadstone.errors import Diagnostic, InputError
from loadstone.frontend.build import build_kernel
from loadstone.frontend.c.program import read_c
from loadstone.frontend.formats import c_type_formats, read_type
from loadstone.frontend.python import read_python
from loadstone.model.kernel import Kernel


def parse(
    path: str | Path,
    *,
    function: str | None = None,
    defines: Mapping[str, str] | None = None,
    include: Sequence[str | Path] = (),
    types: Mapping[str, str] | None = None,
) -> Kernel:
    """The kernel in a C file (or a Python file); raises `InputError` with every problem of the file.

    `function` chooses among several kernels, `defines` and `include` are for the C preprocessor. `types`
    gives typedefs of the file and types of C another type: `{"double": "fixed(32,16,nearest,saturate)"}`.
    """
    path = Path(path)
    chosen = {name: read_type(text) for name, text in (types or {}).items()}
    match path.suffix:
        case ".yaml" | ".yml":
            hint = "this version reads .c and .py files"
            raise InputError(Diagnostic(f"cannot read '{path}': Array-OL is not supported yet", None, hint))
        case ".py":
            return read_python(path, function, c_type_formats(chosen, {}))
        case _:
            return build_kernel(read_c(path, defines or {}, tuple(map(Path, include)), function, chosen))
