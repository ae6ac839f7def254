"""The accelerator as C++ for AMD Vitis HLS.

Three processes in a dataflow region. What the rules of Vitis are, and how the program keeps them:

- A local buffer that processes share without ping-pong copies is `type=unsync` [UG1399, pragma HLS stream]: the design
  keeps reads and writes in order, here by tokens. Such a buffer has two ports, one for each of two processes, and one
  process that writes. So arrays that are loaded and also written by tiles come through a queue of words, and the
  compute process puts them into their buffers; others are written by the load process. The two copies of a buffer,
  where strips overlap, are the halves of one such memory.
- The region has only declarations and calls [UG1399, dataflow coding style]; tests of the arguments are outside of it.
- Tokens `stored` and, where strips drain, `strip_computed` flow backwards. Documentation calls data that flows
  backwards not canonical; it excludes it for ping-pong buffers and shows it for FIFO-like channels [UG1399, modeling
  feedback in dataflow regions].
- `hls::fence` [UG1399, HLS fence library] keeps tokens behind the accesses that they speak of.
- External arrays are read by the load process and written by the store process, each through a bundle of its own.

Verified: the program runs as threads with the header from `hls_shim` and gives the same memory as the kernel. Not
verified, for want of the tool: that Vitis accepts the region, reaches one word or instance per cycle, and finishes
writing to external memory before it passes a fence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from loadstone.emit.c.functions import Function, Parameter
from loadstone.emit.c.hls_design import Design
from loadstone.emit.c.printer import INDENT
from loadstone.emit.c.processes import Dialect

VITIS = Dialect(
    tokens="hls::stream<bool> &@",
    send="@.write(true);",
    receive="@.read();",
    pipelined=("#pragma HLS pipeline II=1",),
    bursts=True,
    words="hls::stream<$> &@",
)

VITIS_INCLUDES = """\
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
        *design.beginning(VITIS_INCLUDES.replace("@", design.accelerator.kernel.name).split("\n")),
        *(line for function in (*functions, region) for line in function.lines()),
        *_top(design, region),
    ]
    return "\n".join(lines) + "\n"


def _fence(names: Sequence[str]) -> str:
    return f"ORDERED({', '.join(names)});"


def _adapted(design: Design, function: Function) -> Function:
    """The function with arrays of known sizes; small ones are inlined."""
    return inlined(replace(function, offer=sized_arrays(function.offer, design.cells())))


def inlined(function: Function) -> Function:
    """The function, with a pragma if it is inline."""
    pragmas = ("#pragma HLS inline",) if function.result.startswith("static inline") else ()
    return replace(function, body=(*pragmas, *function.body))


def sized_arrays(parameters: Sequence[Parameter], cells: Mapping[str, int]) -> tuple[Parameter, ...]:
    """The parameters, with arrays in place of pointers to memories whose numbers of cells are given."""
    return tuple(
        replace(p, declaration=f"{p.declaration.removesuffix('*@')}@[{cells[p.name]}]") if p.name in cells else p
        for p in parameters
    )


def _region(design: Design, processes: Sequence[Function]) -> Function:
    """The function that runs the processes at once."""
    load, compute, store = (f"{process.call()};" for process in processes)
    body = [
        "#pragma HLS dataflow",
        *(line for local in design.shared for line in shared_memory(local.name, design.local_declaration(local))),
        *(line for queue, depth in design.queues for line in stream_lines(queue.name, _word(queue), depth)),
        "#ifdef __SYNTHESIS__",
        *(load, compute, store),
        "#else",
        f"std::thread loading([&] {{ {load} }});",
        f"std::thread computing([&] {{ {compute} }});",
        *(store, "loading.join();", "computing.join();"),
        "#endif",
    ]
    return Function("Runs load, compute and store at once.", "static void", "accelerate", design.top, tuple(body))


def shared_memory(name: str, declaration: str) -> Iterator[str]:
    """The lines that declare a memory which two processes share, and order accesses themselves."""
    yield f"LOCAL {declaration}"
    yield f"#pragma HLS stream variable={name} type=unsync"


def _word(queue: Parameter) -> str:
    return queue.declaration.removeprefix("hls::stream<").removesuffix("> &@")


def stream_lines(name: str, kind: str, depth: int) -> Iterator[str]:
    """The lines that declare a stream of words of a type."""
    yield f"queue<{kind}, {depth}> {name};"
    yield f"#pragma HLS stream variable={name} depth={max(2, depth)}"


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
        ways = (("read", array.name in loaded), ("write", array.name in accelerator.stored))
        yield axi_port(names[array.name], design.depth(array), [way for way, used in ways if used])
    yield from axi_registers(design.top)


def axi_port(name: str, depth: int | None, ways: Sequence[str]) -> str:
    """The pragma for an array in external memory: its number of words, and whether it is read or written."""
    parts = [
        f"m_axi port={name} bundle=gmem_{name} offset=slave",
        *([] if depth is None else [f"depth={depth}"]),
        *(f"max_{way}_burst_length=256" for way in ways),
    ]
    return f"#pragma HLS interface {' '.join(parts)}"


def axi_registers(parameters: Sequence[Parameter]) -> Iterator[str]:
    """Pragmas for what a top function is given."""
    for parameter in parameters:
        yield f"#pragma HLS interface s_axilite port={parameter.name}"
    yield "#pragma HLS interface s_axilite port=return"
