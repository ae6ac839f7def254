"""Reading a kernel from a file, whatever its language."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from loadstone.errors import Diagnostic, InputError, Source
from loadstone.frontend.build import build_kernel
from loadstone.frontend.c.preprocess import read_source
from loadstone.frontend.c.program import Unknowns, read_c
from loadstone.frontend.formats import c_type_formats, read_type
from loadstone.later import Later
from loadstone.model.kernel import Kernel

if TYPE_CHECKING:
    from loadstone.frontend import arrayol, python
    from loadstone.frontend.cpp import program as cpp
else:
    arrayol, python = Later("loadstone.frontend.arrayol"), Later("loadstone.frontend.python")
    cpp = Later("loadstone.frontend.cpp.program")

CPP_SUFFIXES = (".cpp", ".cc", ".cxx", ".hpp")


def parse(
    source: str | Path,
    *,
    function: str | None = None,
    defines: Mapping[str, str] | None = None,
    include: Sequence[str | Path] = (),
    types: Mapping[str, str] | None = None,
    scop: int | None = None,
    pure: Collection[str] = (),
    link: Sequence[str | Path] = (),
    open_ends: bool = False,
) -> Kernel:
    """The kernel in a file (C, C++, Python or Array-OL) or a text in C; raises `InputError` with every problem of it.

    A `source` of several lines is C itself, any other the path of a file.
    `function` and `scop` choose among several kernels, `defines` and `include` are for the C preprocessor. `types`
    gives typedefs of the file and types of C another type: `{"double": "fixed(32,16,nearest,saturate)"}`. Functions
    that the file only declares are defined in the files `link`, or have no effects and are `pure` (`"*"`: all of them).
    With `open_ends`, a parameter bounds each loop whose end depends on data: for analysis alone.
    """
    chosen = {name: read_type(text) for name, text in (types or {}).items()}
    unknowns = Unknowns(frozenset(pure), tuple(map(Path, link)), open_ends)
    if isinstance(source, str) and "\n" in source:
        text = Source("kernel.c", source)
        return build_kernel(read_c(text, defines or {}, _folders(include), function, chosen, unknowns, scop))
    path = Path(source)
    if path.suffix in (".yaml", ".yml", ".py", *CPP_SUFFIXES):
        _check_unused(path, {"--scop": scop, "--pure": pure, "--link": link, "--open-ends": open_ends})
    match path.suffix:
        case ".yaml" | ".yml":
            _check_unused(path, {"-D": defines, "-I": include, "--function": function, "--type": types})
            return array_ol(path)
        case ".py":
            _check_unused(path, {"-D": defines, "-I": include})
            return python.read_python(path, function, c_type_formats(chosen, {}))
        case suffix if suffix in CPP_SUFFIXES:
            return build_kernel(cpp.read_cpp(read_source(path), defines or {}, _folders(include), function, chosen))
        case _:
            text = read_source(path)
            return build_kernel(read_c(text, defines or {}, _folders(include), function, chosen, unknowns, scop))


def array_ol(source: str | Path) -> Kernel:
    """The kernel of an Array-OL specification: a file, or a text in YAML of several lines."""
    if isinstance(source, str) and "\n" in source:
        return build_kernel(arrayol.read_array_ol(Source("specification.yaml", source)))
    return build_kernel(arrayol.read_array_ol(read_source(Path(source))))


def _check_unused(path: Path, given: Mapping[str, object]) -> None:
    """Raise an error for an option that means nothing to this kind of file."""
    for option, value in given.items():
        if value:
            raise InputError(Diagnostic(f"{option} has no effect on '{path}'", None, "leave it out: it is for C"))


def _folders(include: Sequence[str | Path]) -> tuple[Path, ...]:
    return tuple(map(Path, include))
