"""The program that generated ones are compared with: the kernel's own C text, or C printed from the model.

Entries are those of `emit.c.comparison.entry`.
"""

from __future__ import annotations

from loadstone.emit.c.comparison.cpp_original import emit_cpp_original
from loadstone.emit.c.comparison.entry import entry_head, parameter_lines
from loadstone.emit.c.printer import cast_to_rows, declaration, emit_kernel, scalars_by_pointer, undefined_macros
from loadstone.errors import Diagnostic, ToolError
from loadstone.loops import Node, generate
from loadstone.loops.transformed import Style, program_loops
from loadstone.model.kernel import Array, Kernel
from loadstone.transform.program import Program

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


def reference_suffix(kernel: Kernel) -> str:
    """How the name of the file of the reference ends."""
    return "cpp" if kernel.original is not None and kernel.original.language == "c++" else "c"


def emit_reference(kernel: Kernel, entry: str) -> str:
    """The kernel's own text if it has one, else C printed from the model."""
    return emit_printed(kernel, entry) if kernel.original is None else emit_original(kernel, entry)


def emit_original(kernel: Kernel, entry: str) -> str:
    """The kernel's own text in a function that takes its memory and parameters."""
    original = kernel.original
    if original is None:
        raise ToolError(Diagnostic(f"the kernel '{kernel.name}' has no C text to compile"))
    if original.language == "c++":
        return emit_cpp_original(kernel, original, entry)
    headers = _HEADERS + "".join(f"{line}\n" for line in undefined_macros(kernel))
    lines = [headers, original.preamble, _HELPERS, entry_head(entry, "loadstone_"), "{", "  (void)loadstone_words;"]
    lines += parameter_lines(kernel)
    outside = [(k, a) for k, a in enumerate(kernel.arrays.values()) if not a.local]
    lines += [f"  {_opened(array, position)};" for position, array in outside]
    lines += [f"  {kind} {name};" for kind, name in original.scalars]
    lines.append(original.text)
    scalars = [(k, a) for k, a in enumerate(kernel.arrays.values()) if a.rank == 0 and (a.live_out or not a.local)]
    lines += [f"  *({a.type} *)loadstone_memory[{k}] = {a.name};" for k, a in scalars]
    return "\n".join([*lines, "}", ""])


def _opened(array: Array, position: int) -> str:
    """The declaration that gives an array its memory."""
    if array.rank == 0:
        return f"{declaration(array)} = *({array.type} *)loadstone_memory[{position}]"
    return f"{cast_to_rows(array)} = loadstone_memory[{position}]"


def emit_printed(kernel: Kernel, entry: str, loops: Node | None = None) -> str:
    """The kernel as C made from the model: by the given loops, else in its own order."""
    printed = f"{entry}_printed"
    text = emit_kernel(kernel, loops or generate(kernel.schedule, kernel.context), printed)
    pointers = scalars_by_pointer(kernel)
    lines = [text, entry_head(entry, "loadstone_"), "{", "  (void)loadstone_words;", *parameter_lines(kernel)]
    arguments = list(kernel.parameters)
    for position, array in enumerate(kernel.arrays.values()):
        if not array.initialised and not array.live_out:
            continue
        value = f"({array.type} *)loadstone_memory[{position}]"
        by_value = array.rank == 0 and array.name not in pointers
        arguments.append(f"*{value}" if by_value else "(void *)" + value if array.rank else value)
    return "\n".join([*lines, f"  {printed}({', '.join(arguments)});", "}", ""])


def emit_transformed(program: Program, style: Style = "compact") -> str:
    """A C function that executes a transformed program: compact with conditions, or separated without."""
    return emit_kernel(program.kernel, program_loops(program, style), program.base.name)
