"""How testbenches and other programs call a network, whose loads and stores are in different memories."""

from __future__ import annotations

from collections.abc import Sequence

from loadstone.emit.c.network_names import word_type
from loadstone.emit.c.network_program import NetworkProgram
from loadstone.emit.c.printer import INDENT, helpers_used
from loadstone.emit.c.reference import entry_head
from loadstone.emit.c.testbench import element_count
from loadstone.model.kernel import Array


def call_arguments(program: NetworkProgram, *words: str) -> list[str]:
    """The arguments of a top function where arrays are in `memory`, and in `initial` where they were copied."""
    place = {name: k for k, name in enumerate(program.kernel.arrays)}
    copied = _copied(program)
    scalars = [f"*({word_type(a.type)} *)memory[{place[a.name]}]" for a in program.by_value]
    before = [
        f"({word_type(a.type)} *){'initial' if a in copied else 'memory'}[{place[a.name]}]" for a in program.loaded
    ]
    behind = [f"({word_type(a.type)} *)memory[{place[a.name]}]" for a in program.stored]
    return [*(p.name for p in program.parameters), *scalars, *before, *behind, *words]


def _copied(program: NetworkProgram) -> tuple[Array, ...]:
    """The arrays that are loaded and stored."""
    return tuple(array for array in program.loaded if array in program.stored)


def copies(program: NetworkProgram) -> tuple[list[str], list[str]]:
    """The lines of a testbench that copy the arrays that are loaded and stored, and those that free the copies."""
    places = [list(program.kernel.arrays).index(array.name) for array in _copied(program)]
    if not places:
        return [], []
    made = [f"void *initial[{len(program.kernel.arrays)}] = {{0}};"]
    for k in places:
        made.append(f"initial[{k}] = allocate(counts[{k}], sizes[{k}]);")
        made.append(f"memcpy(initial[{k}], memory[{k}], (size_t)counts[{k}] * sizes[{k}]);")
    return made, [f"free(initial[{k}]);" for k in places]


def emit_network_entry(program: NetworkProgram, header: str, call: Sequence[str], linkage: str = "") -> str:
    """An entry that calls the network by these lines, with its arrays in `memory`."""
    kinds = program.kernel.parameter_types.items()
    names = program.names.source
    made: list[str] = []
    freed: list[str] = []
    for array in _copied(program):
        k = list(program.kernel.arrays).index(array.name)
        size = f"(size_t)({element_count(array, names)}) * sizeof({word_type(array.type)})"
        made.append(f"initial[{k}] = malloc({size} + 1);")
        made += [f"if (!initial[{k}])", f"{INDENT}abort();"]
        made.append(f"memcpy(initial[{k}], memory[{k}], {size});")
        freed.append(f"free(initial[{k}]);")
    body = [
        *("(void)parameters;", "(void)memory;"),
        *(f"const {kind} {names[name]} = ({kind})parameters[{k}];" for k, (name, kind) in enumerate(kinds)),
        *(f"(void){parameter.name};" for parameter in program.parameters),
        *([f"void *initial[{len(program.kernel.arrays)}] = {{0}};"] if made else []),
        *made,
        *call,
        *freed,
    ]
    head = f"{linkage}{entry_head('network')}"
    lines = [
        *("#include <stdlib.h>", "#include <string.h>", "", f'#include "{header}"', ""),
        *helpers_used(extent for array in _copied(program) for extent in array.extents),
        *(f"{head};", "", head, "{", *(INDENT + line for line in body), "}", ""),
    ]
    return "\n".join(lines)
