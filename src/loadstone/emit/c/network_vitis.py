"""A process network as C++ for AMD Vitis HLS: processes in a dataflow region, streams between them.

Cells that a producer and a consumer share are `type=unsync` memories with one process that writes and one that reads,
as in the accelerator (see `hls_vitis`); streams of cells order the accesses, with fences around them. Streams and cells
may also lead back to processes that stand earlier in the region. What a process sends to itself stays in arrays inside
of it. Loops of processes that wait for cells are not pipelined by a pragma, since an inner loop waits there.

Verified: the program runs as threads with the header from `hls_shim` and gives the same memory as the kernel. Not
verified, for want of the tool: that Vitis accepts the region, and at which rate processes run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from loadstone.emit.c.functions import Function
from loadstone.emit.c.hls_vitis import (
    VITIS_INCLUDES,
    axi_port,
    axi_registers,
    inlined,
    shared_memory,
    sized_arrays,
    stream_lines,
)
from loadstone.emit.c.network_design import NetworkDesign, declaration
from loadstone.emit.c.network_links import StreamDialect
from loadstone.emit.c.network_names import word_type
from loadstone.emit.c.network_summary import promise, summary
from loadstone.emit.c.printer import INDENT

VITIS_STREAMS = StreamDialect(
    stream="hls::stream<$> &@",
    get="@.read()",
    put="@.write(%);",
    fence="ORDERED(%);",
    pipelined=("#pragma HLS pipeline II=1",),
)


def emit_vitis_network_header(design: NetworkDesign) -> str:
    """The interface of the network."""
    guard = f"{design.name.upper()}_HPP"
    lines = [
        *(f"/* {summary(design.program)} */", f"#ifndef {guard}", f"#define {guard}", ""),
        *(*promise(design.program, "sets loaded_words to -1"), f"{design.signature()};", "", "#endif", ""),
    ]
    return "\n".join(lines)


def emit_vitis_network_source(design: NetworkDesign) -> str:
    """The network."""
    cells = {memory.name: memory.count for memory in design.shared}
    processes = [replace(p, offer=sized_arrays(p.offer, cells)) for p in design.processes]
    region = _region(design, processes)
    functions = (*map(inlined, design.small_functions), *processes, region)
    lines = [
        f"/* {summary(design.program)} */",
        *design.beginning(VITIS_INCLUDES),
        *(line for function in functions for line in function.lines()),
        *_top(design, region),
    ]
    return "\n".join(lines) + "\n"


def _region(design: NetworkDesign, processes: list[Function]) -> Function:
    """The function that runs the processes at once."""
    program = design.program
    calls = [f"{process.call()};" for process in processes]
    body = [
        "#pragma HLS dataflow",
        *(line for cells in design.shared for line in shared_memory(cells.name, declaration(cells))),
        *(line for s in program.streams for line in stream_lines(s.name, word_type(s.type), s.capacity)),
        "#ifdef __SYNTHESIS__",
        *calls,
        "#else",
        "std::thread threads[] = {",
        *(f"{INDENT}std::thread([&] {{ {call} }})," for call in calls),
        "};",
        *("for (std::thread &each : threads)", f"{INDENT}each.join();", "#endif"),
    ]
    offer = (*program.given, *program.counters)
    return Function("Runs all processes at once.", "static void", "run_network", offer, tuple(body))


def _top(design: NetworkDesign, region: Function) -> Iterator[str]:
    """The top function, with its interfaces."""
    counters = {counter.name: f"&{counter.name}" for counter in design.program.counters}
    body = [
        *_interfaces(design),
        *design.unused(region.parameters),
        *design.guard(),
        *design.counted(f"{region.call(counters)};"),
    ]
    yield from (design.signature(), "{")
    yield from (INDENT + line for line in body)
    yield "}"


def _interfaces(design: NetworkDesign) -> Iterator[str]:
    """Pragmas: arrays by AXI in bundles of their own, all else in registers."""
    program = design.program
    for array in program.loaded:
        yield axi_port(program.names.source[array.name], program.extent(array), ["read"])
    for array in program.stored:
        yield axi_port(f"{program.names.source[array.name]}_out", program.extent(array), ["write"])
    yield from axi_registers(design.top)
