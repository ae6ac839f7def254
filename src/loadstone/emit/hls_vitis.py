"""The accelerator as C++ for AMD Vitis HLS.

Three processes in a dataflow region. What the rules of Vitis are, and how the program keeps them:

- A local buffer that processes share without ping-pong copies is `type=unsync` [UG1399, pragma HLS stream]: the design
  keeps reads and writes in order, here by tokens. Such a buffer has two ports, one for each of two processes, and one
  process that writes. So arrays that are loaded and also written by tiles come through a queue of words, and the
  compute process puts them into their buffers; others are written by the load process.
- The region has only declarations and calls [UG1399, dataflow coding style]; tests of the arguments are outside of it.
- Tokens `stored` and `strip_computed` flow backwards. Documentation calls data that flows backwards not canonical; it
  excludes it for ping-pong buffers and shows it for FIFO-like channels [UG1399, modeling feedback in dataflow regions].
- `hls::fence` [UG1399, HLS fence library] keeps tokens behind the accesses that they speak of.
- External arrays are read by the load process and written by the store process, each through a bundle of its own.

Verified: the program runs as threads with the header from `hls_shim` and gives the same memory as the kernel. Not
verified, for want of the tool: that Vitis accepts the region, reaches one word or instance per cycle, and finishes
writing to external memory before it passes a fence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from loadstone.emit.c import INDENT
from loadstone.emit.functions import Function, Parameter
from loadstone.emit.hls_design import Design
from loadstone.emit.processes import Dialect

VITIS = Dialect(
    tokens="hls::stream<bool> &@",
    send="@.write(true);",
    receive="@.read();",
    pipelined=("#pragma HLS pipeline II=1",),
    bursts=True,
    words="hls::stream<$> &@",
)

_INCLUDES = """\
#include <math.h>
#include <stdlib.h>

#include <hls_stream.h>

#include "@.hpp"

#ifdef __SYNTHESIS__
#include <hls_fence.h>
#define ORDERED(...) hls::fence(__VA_ARGS__)
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


def emit_vitis_header(design: Design) -> str:
    """The interface of the accelerator."""
    guard = f"{design.accelerator.kernel.name.upper()}_HPP"
    lines = [f"#ifndef {guard}", f"#define {guard}", "", design.promise(), f"{design.signature()};", "", "#endif", ""]
    return "\n".join(lines)


def emit_vitis_source(design: Design) -> str:
    """The accelerator."""
    functions = [_adapted(design, function) for function in design.functions(_fence)]
    region = _region(design, functions[-3:])
    lines = [
        *design.beginning(_INCLUDES.replace("@", design.accelerator.kernel.name).split("\n")),
        *(line for function in (*functions, region) for line in function.lines()),
        *_top(design, region),
    ]
    return "\n".join(lines) + "\n"


def _fence(names: Sequence[str]) -> str:
    return f"ORDERED({', '.join(names)});"


def _adapted(design: Design, function: Function) -> Function:
    """The function with arrays of known sizes; small ones are inlined."""
    inlined = ("#pragma HLS inline",) if function.result.startswith("static inline") else ()
    return replace(function, offer=_sized(design, function.offer), body=(*inlined, *function.body))


def _sized(design: Design, parameters: Sequence[Parameter]) -> tuple[Parameter, ...]:
    cells = design.cells()
    return tuple(
        replace(p, declaration=f"{p.declaration.removesuffix('*@')}@[{cells[p.name]}]") if p.name in cells else p
        for p in parameters
    )


def _region(design: Design, processes: Sequence[Function]) -> Function:
    """The function that runs the processes at once."""
    load, compute, store = (f"{process.call()};" for process in processes)
    body = [
        "#pragma HLS dataflow",
        *(line for local in design.shared for line in _shared_buffer(design, local)),
        *(line for queue, depth in design.queues for line in _queue(queue, depth)),
        "#ifdef __SYNTHESIS__",
        *(load, compute, store),
        "#else",
        f"std::thread loading([&] {{ {load} }});",
        f"std::thread computing([&] {{ {compute} }});",
        *(store, "loading.join();", "computing.join();"),
        "#endif",
    ]
    return Function("Runs load, compute and store at once.", "static void", "accelerate", design.top, tuple(body))


def _shared_buffer(design: Design, local: Parameter) -> Iterator[str]:
    yield f"LOCAL {design.local_declaration(local)}"
    yield f"#pragma HLS stream variable={local.name} type=unsync"


def _queue(queue: Parameter, depth: int) -> Iterator[str]:
    kind = queue.declaration.removeprefix("hls::stream<").removesuffix("> &@")
    yield f"queue<{kind}, {depth}> {queue.name};"
    yield f"#pragma HLS stream variable={queue.name} depth={max(2, depth)}"


def _top(design: Design, region: Function) -> Iterator[str]:
    """The top function, with its interfaces."""
    body = [*_interfaces(design), *design.unused(region.parameters), *design.guard(), f"{region.call()};"]
    yield from (design.promise(), design.signature(), "{")
    yield from (INDENT + line for line in body)
    yield "}"


def _interfaces(design: Design) -> Iterator[str]:
    """Pragmas: arrays by AXI in bundles of their own, all else in registers."""
    accelerator, names = design.accelerator, design.processes.names
    loaded = {scan.array for scan in accelerator.loads}
    for array in accelerator.transferred:
        depth = design.depth(array)
        parts = [
            f"m_axi port={names[array.name]} bundle=gmem_{names[array.name]} offset=slave",
            *([] if depth is None else [f"depth={depth}"]),
            *(["max_read_burst_length=256"] if array.name in loaded else []),
            *(["max_write_burst_length=256"] if array.name in accelerator.stored else []),
        ]
        yield f"#pragma HLS interface {' '.join(parts)}"
    for parameter in design.top:
        yield f"#pragma HLS interface s_axilite port={parameter.name}"
    yield "#pragma HLS interface s_axilite port=return"
