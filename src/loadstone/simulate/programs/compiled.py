"""Programs compiled by gcc and called on the same memories as the interpreter."""

from __future__ import annotations

import ctypes
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from loadstone.emit.c.reference import emit_original, emit_printed, emit_reference
from loadstone.errors import Diagnostic, ToolError
from loadstone.loops import Node
from loadstone.model.kernel import Kernel
from loadstone.model.types import ctypes_type
from loadstone.processes import run_command
from loadstone.simulate.memory import Memory

EXACT = ("-fwrapv", "-ffp-contract=off")
"""Flags that make integers wrap around and floating-point operations round one by one."""

_LENIENT = ("-std=gnu11", "-O1", "-w")


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
    """A shared library whose entry takes the arrays and the parameters of a kernel."""

    def __init__(self, kernel: Kernel, program: Sources, entry: str) -> None:
        self._kernel = kernel
        with tempfile.TemporaryDirectory(prefix="loadstone-") as folder:
            self._entry = getattr(ctypes.CDLL(str(_compile(program, Path(folder)))), entry)

    def run(self, parameters: Mapping[str, int], memory: Memory) -> Words:
        """Execute the kernel on a memory, which it changes."""
        names = list(self._kernel.arrays)
        cells = [(ctypes_type(memory[n].type) * max(1, len(memory[n].cells)))(*memory[n].cells) for n in names]
        pointers = (ctypes.c_void_p * max(1, len(names)))(*(ctypes.addressof(c) for c in cells))
        values = (ctypes.c_longlong * max(1, len(parameters)))(*(parameters[p] for p in self._kernel.parameters))
        words = (ctypes.c_long * 2)()
        self._entry(pointers, values, words)
        for name, array in zip(names, cells, strict=True):
            memory[name].cells[:] = array[: len(memory[name].cells)]
        return Words(words[0], words[1])


def _compile(program: Sources, folder: Path) -> Path:
    for path, text in program.files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    library = folder / "kernel.so"
    command = [compiler(program.sources[0]), *program.flags, *EXACT, "-fPIC", "-shared"]
    command += [*(str(folder / source) for source in program.sources), "-o", str(library), "-lm", "-lpthread"]
    result = run_command(command, folder)
    if result.status != 0:
        raise ToolError(Diagnostic(f"the compiler refused the program\n{result.errors.strip()}"))
    return library


def compile_original(kernel: Kernel) -> CompiledKernel:
    """The kernel's own C text, compiled."""
    return _compile_text(kernel, emit_original(kernel, "original"), "original")


def compile_reference(kernel: Kernel) -> CompiledKernel:
    """The kernel's own C text if it has one, else C printed from the model, compiled."""
    return _compile_text(kernel, emit_reference(kernel, "reference"), "reference")


def compile_printed(kernel: Kernel, loops: Node | None = None) -> CompiledKernel:
    """C printed from the model, compiled: by the given loops, else in the kernel's own order."""
    return _compile_text(kernel, emit_printed(kernel, "printed", loops), "printed")


def _compile_text(kernel: Kernel, text: str, entry: str) -> CompiledKernel:
    return CompiledKernel(kernel, Sources({"kernel.c": text}, ["kernel.c"], _LENIENT), entry)
