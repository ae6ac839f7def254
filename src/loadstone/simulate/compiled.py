"""The original C and generated C, compiled by gcc and called on the same memories as the interpreter."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from loadstone.emit.c import cast_to_rows, declaration, scalars_by_pointer
from loadstone.errors import ToolError
from loadstone.model.kernel import Array, Kernel
from loadstone.model.types import ctypes_type
from loadstone.simulate.memory import Memory

_FLAGS = ("-std=gnu11", "-O1", "-fwrapv", "-ffp-contract=off", "-w", "-fPIC", "-shared")
_HELPERS = """
#ifndef min
#define min(x, y) ((x) < (y) ? (x) : (y))
#endif
#ifndef max
#define max(x, y) ((x) > (y) ? (x) : (y))
#endif
#define floord(n, d) ((n) / (d) - ((n) % (d) != 0 && ((n) < 0) != ((d) < 0)))
#define ceild(n, d) (-floord(-(n), d))
"""
_HEADERS = "#include <math.h>\n#include <stdbool.h>\n#include <stdint.h>\n#include <stdlib.h>\n#include <stddef.h>\n"


def compiler() -> str:
    """The C compiler: $CC, or gcc, or cc."""
    for candidate in (os.environ.get("CC"), "gcc", "cc"):
        if candidate and shutil.which(candidate):
            return candidate
    raise ToolError("error: no C compiler found\nhint: install gcc, or name a compiler in CC")


class CompiledKernel:
    """A shared library whose entry takes the arrays and the parameters of a kernel."""

    def __init__(self, kernel: Kernel, source: str, entry: str) -> None:
        self._kernel = kernel
        with tempfile.TemporaryDirectory(prefix="loadstone-") as folder:
            library = Path(folder) / "kernel.so"
            _compile(source, library)
            self._entry = getattr(ctypes.CDLL(str(library)), entry)

    def run(self, parameters: Mapping[str, int], memory: Memory) -> None:
        """Execute the kernel on a memory, which it changes."""
        names = list(self._kernel.arrays)
        cells = [(ctypes_type(memory[n].type) * max(1, len(memory[n].cells)))(*memory[n].cells) for n in names]
        pointers = (ctypes.c_void_p * max(1, len(names)))(*(ctypes.addressof(c) for c in cells))
        values = (ctypes.c_longlong * max(1, len(parameters)))(*(parameters[p] for p in self._kernel.parameters))
        self._entry(pointers, values)
        for name, array in zip(names, cells, strict=True):
            memory[name].cells[:] = array[: len(memory[name].cells)]


def _compile(source: str, library: Path) -> None:
    path = library.with_suffix(".c")
    path.write_text(source, encoding="utf-8")
    command = [compiler(), *_FLAGS, str(path), "-o", str(library), "-lm"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise ToolError(f"error: the C compiler refused the program\n{result.stderr.strip()}")


def compile_original(kernel: Kernel) -> CompiledKernel:
    """The kernel's own C text, compiled."""
    return CompiledKernel(kernel, original_source(kernel), "original")


def original_source(kernel: Kernel) -> str:
    """The kernel's own text in a function that takes its memory and parameters."""
    original = kernel.original
    if original is None:
        raise ToolError(f"error: the kernel '{kernel.name}' has no C text to compile")
    lines = [_HEADERS, original.preamble, _HELPERS, "void original(void **memory, const long long *parameters)", "{"]
    lines += _parameter_lines(kernel)
    outside = [(k, a) for k, a in enumerate(kernel.arrays.values()) if not a.local]
    lines += [f"  {_opened(array, position)};" for position, array in outside]
    lines += [f"  {kind} {name};" for kind, name in original.scalars]
    lines.append(original.text)
    scalars = [(k, a) for k, a in enumerate(kernel.arrays.values()) if a.rank == 0 and (a.live_out or not a.local)]
    lines += [f"  *({a.type} *)memory[{k}] = {a.name};" for k, a in scalars]
    return "\n".join([*lines, "}", ""])


def _parameter_lines(kernel: Kernel) -> list[str]:
    return [
        f"  const {kind} {name} = parameters[{k}];" for k, (name, kind) in enumerate(kernel.parameter_types.items())
    ]


def _opened(array: Array, position: int) -> str:
    """The declaration that gives an array its memory."""
    if array.rank == 0:
        return f"{declaration(array)} = *({array.type} *)memory[{position}]"
    return f"{cast_to_rows(array, array.type)} = memory[{position}]"


def compile_emitted(kernel: Kernel, text: str, name: str) -> CompiledKernel:
    """A function that `emit_kernel` printed, compiled."""
    pointers = scalars_by_pointer(kernel)
    lines = [text, f"void entry_{name}(void **memory, const long long *parameters)", "{", *_parameter_lines(kernel)]
    arguments = list(kernel.parameters)
    for position, array in enumerate(kernel.arrays.values()):
        if not array.initialised and not array.live_out:
            continue
        value = f"({array.type} *)memory[{position}]"
        by_value = array.rank == 0 and array.name not in pointers
        arguments.append(f"*{value}" if by_value else "(void *)" + value if array.rank else value)
    lines += [f"  {name}({', '.join(arguments)});", "}", ""]
    return CompiledKernel(kernel, "\n".join(lines), f"entry_{name}")
