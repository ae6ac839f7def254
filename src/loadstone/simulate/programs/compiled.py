"""Programs compiled by gcc and called on the same memories as the interpreter."""

from __future__ import annotations

import ctypes
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from loadstone.emit.c.comparison.reference import emit_original, emit_printed, emit_reference, reference_suffix
from loadstone.errors import Diagnostic, ToolError
from loadstone.loops import Node
from loadstone.model.kernel import Kernel
from loadstone.model.types import ctypes_type
from loadstone.processes import run_command
from loadstone.progress import working
from loadstone.simulate.memory import Memory
from loadstone.simulate.programs.apart import call_apart, shared_array

EXACT = ("-fwrapv", "-ffp-contract=off")
"""Flags that make integers wrap around and floating-point operations round one by one."""

_LENIENT = ("-O1", "-w")
_FUNCTIONS = "functions.c"
_AS_CALLED = ("-O0", "-fno-builtin", "-frounding-math")
"""Flags that leave every call of a library function a call."""


class Words(NamedTuple):
    """Words that a program says it has loaded and stored."""

    loaded: int
    stored: int


class Sources(NamedTuple):
    """Files of a program: their texts by path, those to compile, and the flags to do so."""

    files: Mapping[str, str]
    sources: Sequence[str]
    flags: Sequence[str]


def compiler(source: str = ".c") -> str:
    """The compiler for a file: $CC, gcc or cc for C; $CXX, g++ or c++ for C++."""
    is_c = source.endswith(".c")
    names = (os.environ.get("CC" if is_c else "CXX"), *(("gcc", "cc") if is_c else ("g++", "c++")))
    for candidate in names:
        if candidate and shutil.which(candidate):
            return candidate
    language, package, variable = ("C", "gcc", "CC") if is_c else ("C++", "g++", "CXX")
    hint = f"install {package}, or name a compiler in {variable}"
    raise ToolError(Diagnostic(f"no {language} compiler found", None, hint))


class CompiledKernel:
    """A shared library whose entry takes the arrays and the parameters of a kernel; `what` names it in messages."""

    def __init__(self, kernel: Kernel, program: Sources, entry: str, what: str = "generated program") -> None:
        self._kernel = kernel
        self._what = what
        with tempfile.TemporaryDirectory(prefix="loadstone-") as folder:
            self._entry = getattr(ctypes.CDLL(str(_compile(program, Path(folder)))), entry)

    def run(self, parameters: Mapping[str, int], memory: Memory) -> Words:
        """Execute the kernel on a memory, which it changes; a crash is an error that names the parameters."""
        buffers = [memory[name] for name in self._kernel.arrays]
        arrays = [shared_array(ctypes_type(buffer.type), len(buffer.cells)) for buffer in buffers]
        for buffer, array in zip(buffers, arrays, strict=True):
            array[: len(buffer.cells)] = buffer.cells
        pointers = (ctypes.c_void_p * max(1, len(arrays)))(*map(ctypes.addressof, arrays))
        values = (ctypes.c_longlong * max(1, len(parameters)))(*(parameters[p] for p in self._kernel.parameters))
        words = shared_array(ctypes.c_long, 2)
        with working(f"running {(what := self._described(parameters))}"):
            call_apart(lambda: self._entry(pointers, values, words), what)
        for buffer, array in zip(buffers, arrays, strict=True):
            buffer.cells[:] = array[: len(buffer.cells)]
        return Words(words[0], words[1])

    def _described(self, parameters: Mapping[str, int]) -> str:
        values = ", ".join(f"{name}={parameters[name]}" for name in self._kernel.parameters)
        return f"the {self._what} of '{self._kernel.name}' with {values or 'no parameters'}"


def _compile(program: Sources, folder: Path) -> Path:
    for path, text in program.files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    library = folder / "kernel.so"
    command = [compiler(program.sources[0]), *program.flags, *EXACT, "-fPIC", "-shared"]
    command += [*(str(folder / source) for source in program.sources), "-o", str(library), "-lm", "-lpthread"]
    with working("compiling a program"):
        result = run_command(command, folder)
    if result.status != 0:
        raise ToolError(Diagnostic(f"the compiler refused the program\n{result.errors.strip()}"))
    return library


def compile_original(kernel: Kernel) -> CompiledKernel:
    """The kernel's own C text, compiled."""
    return _compile_text(kernel, emit_original(kernel, "original"), "original", "original program")


def compile_reference(kernel: Kernel, functions: str = "") -> CompiledKernel:
    """The kernel's own C text if it has one, else C printed from the model, compiled.

    `functions` are definitions in C of library functions, which it calls instead of the library's.
    """
    return _compile_text(kernel, emit_reference(kernel, "reference"), "reference", "original program", functions)


def compile_printed(kernel: Kernel, loops: Node | None = None) -> CompiledKernel:
    """C printed from the model, compiled: by the given loops, else in the kernel's own order."""
    return _compile_text(kernel, emit_printed(kernel, "printed", loops), "printed")


def _compile_text(
    kernel: Kernel, text: str, entry: str, what: str = "printed program", functions: str = ""
) -> CompiledKernel:
    suffix = "c" if entry == "printed" else reference_suffix(kernel)
    name = f"kernel.{suffix}"
    files = {name: text, _FUNCTIONS: functions} if functions else {name: text}
    flags = ("-std=gnu++17" if suffix == "cpp" else "-std=gnu11", *_LENIENT, *(_AS_CALLED if functions else ()))
    return CompiledKernel(kernel, Sources(files, list(files), flags), entry, what)
