"""The kernel's own C++ text as a program, with types and streams of HLS from headers of our own.

`texts/ap_types.h` is written from the published semantics [UG1399, arbitrary precision data types library]: operators
are exact, conversions round and bring into range. A number is held as its units by the smallest integer of C++, so
that arrays of these types lie in memory as those of generated programs do. Types have 1 to 64 bits; results of
operators have up to 128.
"""

from __future__ import annotations

from collections.abc import Iterator

from loadstone.emit.c.comparison.entry import entry_head
from loadstone.emit.c.printer import emit_expression, helpers_used
from loadstone.model.expression import Constant
from loadstone.model.kernel import Array, Kernel, Original
from loadstone.texts import text_of

_HEADERS = """\
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

typedef bool _Bool;
"""


def emit_cpp_original(kernel: Kernel, original: Original, entry: str) -> str:
    """The kernel's own text in a function that takes its memory and parameters."""
    arrays = list(enumerate(kernel.arrays.values()))
    outside = [(k, a) for k, a in arrays if not a.local]
    outputs = {statement.write.array for statement in kernel.statements}
    headers = (text_of(__name__, name) for name in ("ap_types.h", "sequential_stream.h"))
    lines = [_HEADERS, *headers, original.preamble]
    lines += helpers_used(extent for _, array in outside for extent in array.extents)
    lines += [f'extern "C" {entry_head(entry, "loadstone_")}', "{", "  (void)loadstone_words;"]
    lines += _parameter_lines(kernel, original)
    for position, array in outside:
        lines += _given(array, position, original, array.name in outputs)
    lines += [f"  {original.elements.get(name, str(kind))} {name};" for kind, name in original.scalars]
    lines.append(original.text)
    for position, array in arrays:
        lines += _taken(array, position, original, array.name in outputs)
    return "\n".join([*lines, "}", ""])


def _parameter_lines(kernel: Kernel, original: Original) -> Iterator[str]:
    """Lines that give the parameters their values."""
    for position, (name, kind) in enumerate(kernel.parameter_types.items()):
        declared = "" if name in original.globals else f"const {original.elements.get(name, str(kind))} "
        yield f"  {declared}{name} = loadstone_parameters[{position}];"


def _given(array: Array, position: int, original: Original, is_output: bool) -> Iterator[str]:
    """The lines that give an array its memory, a variable of the file its contents, a stream what is read from it."""
    if array.name in original.globals:
        yield f"  std::memcpy((void *)&{array.name}, loadstone_memory[{position}], sizeof({array.name}));"
    elif array.name in original.streams:
        yield from _stream(array, position, original, is_output)
    else:
        yield f"  {_opened(array, position, original)};"


def _taken(array: Array, position: int, original: Original, is_output: bool) -> Iterator[str]:
    """The lines that put what was computed into memory, where it is not there."""
    if array.name in original.globals:
        yield f"  std::memcpy(loadstone_memory[{position}], (void *)&{array.name}, sizeof({array.name}));"
    elif array.name in original.streams and is_output:
        yield from _drained(array, position, original)
    elif array.rank == 0 and (array.live_out or not array.local):
        yield f"  *({_element(array, original)} *)loadstone_memory[{position}] = {array.name};"


def _element(array: Array, original: Original) -> str:
    return original.elements.get(array.name, str(array.type))


def _opened(array: Array, position: int, original: Original) -> str:
    """The declaration that gives an array its memory."""
    kind = _element(array, original)
    if array.rank == 0:
        return f"{kind} {array.name} = *({kind} *)loadstone_memory[{position}]"
    if all(isinstance(extent, Constant) for extent in array.extents):
        whole = "".join(f"[{emit_expression(extent)}]" for extent in array.extents)
        return f"{kind} (&{array.name}){whole} = *({kind} (*){whole})loadstone_memory[{position}]"
    rows = "".join(f"[{emit_expression(extent)}]" for extent in array.extents[1:])
    return f"{kind} (*{array.name}){rows} = ({kind} (*){rows})loadstone_memory[{position}]"


def _stream(array: Array, position: int, original: Original, is_output: bool) -> Iterator[str]:
    """The lines that declare a stream, and fill it unless the kernel does."""
    kind = _element(array, original)
    yield f"  hls::stream<{kind}> {array.name};"
    if not is_output:
        yield f"  for (long loadstone_k = 0; loadstone_k < {_size(array)}; loadstone_k++)"
        yield f"    {array.name}.write((({kind} *)loadstone_memory[{position}])[loadstone_k]);"


def _drained(array: Array, position: int, original: Original) -> Iterator[str]:
    """The lines that take all that was written out of a stream."""
    yield f"  for (long loadstone_k = 0; loadstone_k < {_size(array)}; loadstone_k++)"
    yield f"    (({_element(array, original)} *)loadstone_memory[{position}])[loadstone_k] = {array.name}.read();"


def _size(array: Array) -> str:
    return " * ".join(f"(long)({emit_expression(extent)})" for extent in array.extents)
