"""Programs as C++ for AMD Vitis HLS: processes in a dataflow region, streams between them.

The rules of Vitis, and how programs keep them:

- A memory shared by processes without ping-pong copies is `type=unsync` [UG1399, pragma HLS stream]: the design orders
  reads and writes, here by tokens or by streams of cells. Such a memory has two ports, one for each of two processes,
  and one writer. So arrays that are loaded and also written by tiles of an accelerator come through a stream of words,
  and the compute process fills their buffers; others are written by the load process. The two copies of a buffer, where
  strips overlap, are the halves of one such memory.
- The region has only declarations and calls [UG1399, dataflow coding style]; the test of the limit is outside of it.
- Tokens `stored` and `strip_computed`, freed cells, and channels to earlier processes flow backwards. The documentation
  calls such data not canonical; it excludes it for ping-pong buffers and shows it for FIFO-like channels [UG1399,
  modeling feedback in dataflow regions].
- `hls::fence` [UG1399, HLS fence library] keeps tokens and cells behind the accesses that they announce.
- Lanes are unrolled loops in the pipelined one. A local memory that they share has a dimension for its banks, each of
  which is a memory of its own; banks are proved to have no conflict, and told by the low bits of a subscript.
- External arrays are read by load processes and written by store processes, each through a bundle of its own.
- With beats, a port has the width of several elements, which `hls::vector` names; arrays begin at whole beats, and are
  padded to them.
- Compute loops have the interval that recurrences allow, and say of which local memories no iteration reads what an
  earlier one wrote (`recurrences`). That is known of one execution of a loop, so such loops are not flattened.
- Loops of processes that wait for cells have no `pipeline` pragma, since an inner loop waits there.

Verified: the program runs as threads with the header from `shim` and gives the same memory as the kernel. Not verified,
for want of the tool: that Vitis accepts the region, reaches one word or instance per cycle, and finishes writing to
external memory before it passes a fence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from loadstone.emit.c.code import Body, Cells, Function, Parameter, Stream, Syntax, Text, c_declaration, code, verbatim
from loadstone.emit.c.hls import (
    array_declaration,
    counted,
    emit_beginning,
    guard,
    header,
    top_function,
    with_own_memory,
)
from loadstone.emit.c.kept_pragmas import kept_for_cells, port_pragma
from loadstone.emit.c.program import TOTALS, Program

_INCLUDES = """\
#include <math.h>
#include <stdlib.h>

#if !defined(__SYNTHESIS__) && !defined(HLS_STREAM_THREAD_SAFE)
#define HLS_STREAM_THREAD_SAFE /* each process is a thread */
#endif
#include <hls_stream.h>

#include "@.hpp"

#ifdef __SYNTHESIS__
@FENCE@
#define LOCAL
#else
#include <thread>
#define ORDERED(...) /* queues order the accesses of threads */
#define LOCAL static /* as large as need be */
#endif

#ifdef BOUNDED_STREAMS
template <typename T, int LENGTH> using queue = hls::stream<T, LENGTH>;
#else
template <typename T, int LENGTH> using queue = hls::stream<T>;
#endif"""


LIBRARY_FENCE = """\
#include <hls_fence.h>
#define ORDERED(...) hls::fence(__VA_ARGS__)"""
"""Keeps the order of accesses by a library."""


@dataclass(frozen=True, slots=True)
class VitisStyle:
    """What differs between versions and plans: how accesses are kept in order, and options of ports, by array."""

    fence: str = LIBRARY_FENCE
    ports: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])


DEFAULT_STYLE = VitisStyle()


def _declared(parameter: Parameter) -> str:
    match parameter:
        case Stream(name=name, word=word):
            return f"hls::stream<{word}> &{name}"
        case Cells():
            return array_declaration(parameter)
        case _:
            return c_declaration(parameter)


VITIS = Syntax(
    get="@.read()",
    put="@.write(%);",
    fence="ORDERED(%);",
    pipelined="#pragma HLS pipeline II=@",
    alone="#pragma HLS loop_flatten off",
    unrolled="#pragma HLS unroll",
    independent="#pragma HLS dependence variable=@ type=inter direction=RAW dependent=false",
    counted="#pragma HLS loop_tripcount min={} max={}",
    declared=_declared,
)


def emit_vitis(program: Program, style: VitisStyle) -> tuple[str, str]:
    """The interface of a program, and the program."""
    processes = tuple(with_own_memory(each, partial(_of_cells, program)) for each in program.processes)
    region = _region(program, processes)
    functions = (*map(_inlined, program.functions), *processes, region)
    lines = [
        *emit_beginning(program, _INCLUDES.replace("@FENCE@", style.fence)),
        *(line for function in functions for line in function.lines(VITIS)),
        *top_function(program, _top(program, region, style)),
    ]
    return header(program, ["#include <hls_vector.h>", ""] if has_beats(program) else []), "\n".join(lines)


def has_beats(program: Program) -> bool:
    """Whether some port moves several elements at once."""
    return any(array.beat > 1 for array in program.arrays)


def _inlined(function: Function) -> Function:
    """The function, with a pragma if it is inline."""
    pragmas = verbatim("#pragma HLS inline") if function.kind == "static inline" else ()
    return replace(function, body=(*pragmas, *function.body))


def _region(program: Program, processes: tuple[Function, ...]) -> Function:
    """The function that runs the processes at once."""
    calls = [code("@;", process.call()) for process in processes]
    body = (
        Text("#pragma HLS dataflow"),
        *(line for cells in program.shared for line in _shared_memory(program, cells)),
        *(line for stream in program.streams for line in _stream(stream)),
        *(Text("#ifdef __SYNTHESIS__"), *calls, Text("#else"), Text("std::thread threads[] = {")),
        *(code("  std::thread([&] { @ }),", call) for call in calls),
        *verbatim("};", "for (std::thread &each : threads)", "  each.join();", "#endif"),
    )
    return Function("Runs all processes at once.", "void", "run_processes", (*program.given, *program.counters), body)


def _shared_memory(program: Program, cells: Cells) -> Body:
    """A memory that two processes share, and to which they order their accesses themselves."""
    return verbatim(
        f"LOCAL {array_declaration(cells)};",
        f"#pragma HLS stream variable={cells.name} type=unsync",
        *_of_cells(program, cells),
    )


def _of_cells(program: Program, cells: Cells) -> Iterator[str]:
    """Pragmas of a local memory: its banks, and those of the source."""
    if cells.banks > 1:
        yield f"#pragma HLS array_partition variable={cells.name} complete dim=2"
    yield from kept_for_cells(program, cells)


def _stream(stream: Stream) -> Body:
    return verbatim(
        f"queue<{stream.word}, {stream.capacity}> {stream.name};",
        f"#pragma HLS stream variable={stream.name} depth={max(2, stream.capacity)}",
    )


def _top(program: Program, region: Function, style: VitisStyle) -> Iterator[str]:
    """The body of the top function, with its interfaces."""
    yield from _interfaces(program, style)
    yield from program.unused(region.parameters)
    yield from guard(program)
    addresses = {counter.name: f"&{counter.name}" for counter in program.counters}
    yield from counted(program, [f"{region.call(addresses).text};"])


def _interfaces(program: Program, style: VitisStyle) -> Iterator[str]:
    """Pragmas: arrays by AXI, all else in registers."""
    yield from (port_pragma(program, array, style.ports.get(array.name, {})) for array in program.arrays)
    for parameter in (*program.given, *TOTALS):
        yield f"#pragma HLS interface s_axilite port={parameter.name}"
    yield "#pragma HLS interface s_axilite port=return"
