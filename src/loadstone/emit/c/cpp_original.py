"""The kernel's own C++ text as a program, with types and streams of HLS from headers of our own."""

from __future__ import annotations

from collections.abc import Iterator

from loadstone.emit.c.ap_types import AP_TYPES_H, STREAM_H
from loadstone.emit.c.entry import entry_head
from loadstone.emit.c.printer import emit_expression, helpers_used
from loadstone.model.expression import Constant
from loadstone.model.kernel import Array, Kernel, Original

_HEADERS = """\
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

typedef bool _Bool;
"""


def emit_cpp_original(kernel: Kernel, original: Original, entry: str) -> str:
    """The kernel's own text in a function that takes its memory and parameters."""
    outside = [(k, a) for k, a in enumerate(kernel.arrays.values()) if not a.local]
    streams = [(k, a) for k, a in outside if a.name in original.streams]
    written = {statement.write.array for statement in kernel.statements}
    head = f'extern "C" {entry_head(entry, "loadstone_")}'
    lines = [_HEADERS, AP_TYPES_H, STREAM_H, original.preamble]
    lines += helpers_used(extent for _, array in outside for extent in array.extents)
    lines += [head, "{", "  (void)loadstone_words;", *_parameter_lines(kernel, original)]
    lines += [
        f"  {_opened(array, position, original)};" for position, array in outside if (position, array) not in streams
    ]
    lines += [f"  {original.elements.get(name, str(kind))} {name};" for kind, name in original.scalars]
    for position, array in streams:
        lines += _stream(array, position, original, array.name in written)
    lines.append(original.text)
    for position, array in streams:
        if array.name in written:
            lines += _drained(array, position, original)
    scalars = [(k, a) for k, a in enumerate(kernel.arrays.values()) if a.rank == 0 and (a.live_out or not a.local)]
    lines += [f"  *({_element(a, original)} *)loadstone_memory[{k}] = {a.name};" for k, a in scalars]
    return "\n".join([*lines, "}", ""])


def _parameter_lines(kernel: Kernel, original: Original) -> Iterator[str]:
    """Declarations that give the parameters their values."""
    for position, (name, kind) in enumerate(kernel.parameter_types.items()):
        yield f"  const {original.elements.get(name, str(kind))} {name} = loadstone_parameters[{position}];"


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
