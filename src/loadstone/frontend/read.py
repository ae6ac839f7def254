"""Reading a kernel from a file, whatever its language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from loadstone.errors import Diagnostic, InputError, Source
from loadstone.frontend.build import build_kernel
from loadstone.frontend.c.preprocess import read_source
from loadstone.frontend.c.program import read_c
from loadstone.frontend.formats import c_type_formats, read_type
from loadstone.frontend.python import read_python
from loadstone.model.kernel import Kernel


def parse(
    source: str | Path,
    *,
    function: str | None = None,
    defines: Mapping[str, str] | None = None,
    include: Sequence[str | Path] = (),
    types: Mapping[str, str] | None = None,
) -> Kernel:
    """The kernel in a C file, a Python file or a text in C; raises `InputError` with every problem of it.

    A `source` of several lines is C itself, any other the path of a file.
    `function` chooses among several kernels, `defines` and `include` are for the C preprocessor. `types`
    gives typedefs of the file and types of C another type: `{"double": "fixed(32,16,nearest,saturate)"}`.
    """
    chosen = {name: read_type(text) for name, text in (types or {}).items()}
    if isinstance(source, str) and "\n" in source:
        return build_kernel(read_c(Source("kernel.c", source), defines or {}, _folders(include), function, chosen))
    path = Path(source)
    match path.suffix:
        case ".yaml" | ".yml":
            hint = "this version reads .c and .py files"
            raise InputError(Diagnostic(f"cannot read '{path}': Array-OL is not supported yet", None, hint))
        case ".py":
            return read_python(path, function, c_type_formats(chosen, {}))
        case _:
            return build_kernel(read_c(read_source(path), defines or {}, _folders(include), function, chosen))


def _folders(include: Sequence[str | Path]) -> tuple[Path, ...]:
    return tuple(map(Path, include))
