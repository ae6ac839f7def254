"""The program that generated ones are compared with: the kernel's own C text, or C printed from the model.

Entries are those of `emit.c.comparison.entry`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from loadstone.emit.c.comparison.cpp_original import emit_cpp_original
from loadstone.emit.c.comparison.entry import entry_head, parameter_lines
from loadstone.emit.c.external.structures import Packing, apart, type_of
from loadstone.emit.c.printer import (
    cast_to_rows,
    declaration,
    emit_expression,
    emit_kernel,
    scalars_by_pointer,
    undefined_macros,
)
from loadstone.errors import Diagnostic, ToolError
from loadstone.loops import Node, generate
from loadstone.loops.transformed import Style, program_loops
from loadstone.model.definitions import check_executable
from loadstone.model.kernel import Array, Kernel, Original
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
_INTEGER_HELPERS = {
    **{name: f"{name}(x, y) ((x) < (y) ? (x) : (y))" for name in ("imin", "umin")},
    **{name: f"{name}(x, y) ((x) > (y) ? (x) : (y))" for name in ("imax", "umax")},
    "intFloor": "intFloor(n, d) floord(n, d)",
    "intCeil": "intCeil(n, d) ceild(n, d)",
    "intMod": "intMod(n, d) ((n) - (d) * floord(n, d))",
    "__pencil_assume": "__pencil_assume(x)",
    "__builtin_assume": "__builtin_assume(x)",
    "__pencil_kill": "__pencil_kill(...)",
}
_HEADERS = "#include <math.h>\n#include <stdbool.h>\n#include <stdint.h>\n#include <stdlib.h>\n#include <stddef.h>\n"


def reference_suffix(kernel: Kernel) -> str:
    """How the name of the file of the reference ends."""
    return "cpp" if kernel.original is not None and kernel.original.language == "c++" else "c"


def emit_reference(kernel: Kernel, entry: str) -> str:
    """The kernel's own text if it has one, else C printed from the model."""
    check_executable(kernel)
    return emit_printed(kernel, entry) if kernel.original is None else emit_original(kernel, entry)


def emit_original(kernel: Kernel, entry: str) -> str:
    """The kernel's own text in a function that takes its memory and parameters."""
    original = kernel.original
    if original is None:
        raise ToolError(Diagnostic(f"the kernel '{kernel.name}' has no C text to compile"))
    if original.language == "c++":
        return emit_cpp_original(kernel, original, entry)
    headers = _HEADERS + "".join(f"{line}\n" for line in undefined_macros(kernel))
    lines = [
        headers,
        original.preamble,
        _HELPERS,
        *_integer_helpers(original),
        entry_head(entry, "loadstone_"),
        "{",
        "  (void)loadstone_words;",
    ]
    lines += parameter_lines(kernel)
    packings = _packings(kernel)
    packed = {array.name for packing in packings.values() for array in packing.arrays}
    whole = [(k, a) for k, a in enumerate(kernel.arrays.values()) if a.name not in packed]
    lines += [f"  {_opened(array, position)};" for position, array in whole if not array.local]
    lines += [line for name, packing in packings.items() for line in (*packing.opened(), _structures(name, packing))]
    lines += [f"  {kind} {name};" for kind, name in original.scalars]
    lines.append(original.text)
    scalars = [(k, a) for k, a in whole if a.rank == 0 and (a.live_out or not a.local)]
    lines += [f"  *({a.type} *)loadstone_memory[{k}] = {a.name};" for k, a in scalars]
    lines += [line for name, packing in packings.items() for line in _taken_apart(name, packing)]
    return "\n".join([*lines, "}", ""])


def _integer_helpers(original: Original) -> Iterator[str]:
    """The macros that a text uses, and does not define itself."""
    for name, macro in _INTEGER_HELPERS.items():
        used = re.compile(rf"\b{name}\b")
        if used.search(original.text) and not used.search(original.preamble):
            yield f"#define {macro}"


def _packings(kernel: Kernel) -> dict[str, Packing]:
    """The structures whose members are arrays of the kernel, by variable."""
    places = {name: f"loadstone_memory[{k}]" for k, name in enumerate(kernel.arrays)}
    return {
        variable: Packing(f"loadstone_{variable}", type_of(arrays), arrays, places, _counts(arrays))
        for variable, arrays in apart(kernel.arrays.values()).items()
    }


def _counts(arrays: Iterable[Array]) -> dict[str, str]:
    """The numbers of elements of arrays."""
    return {
        array.name: " * ".join(f"(long)({emit_expression(extent)})" for extent in array.extents) or "1"
        for array in arrays
    }


def _structures(variable: str, packing: Packing) -> str:
    """The declaration of a variable with structures, as the text sees it."""
    if packing.arrays[0].outer_rank == 0:
        return f"  {packing.type} {variable} = *{packing.name};"
    return f"  {cast_to_rows(packing.arrays[0])} = (void *){packing.name};"


def _taken_apart(variable: str, packing: Packing) -> Iterator[str]:
    """Lines that take the members out of structures after the run."""
    if packing.arrays[0].outer_rank == 0:
        yield f"  *{packing.name} = {variable};"
    yield from packing.unpacked()
    yield packing.closed()


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
