"""A process network as C++ for the Intel HLS Compiler, Pro Edition: processes as tasks of a component.

As in the accelerator (see `hls_intel`), streams are at file scope, and what tasks share beside them are hosts: external
arrays, counters, and the cells of channels that are not in order, which are on-chip memories beside the component. What
a process sends to itself stays in arrays inside of it.

Verified: the program runs as threads with the header from `hls_shim` and gives the same memory as the kernel. Not
verified, for want of the tool: that the compiler accepts it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from loadstone.emit.c.functions import Function
from loadstone.emit.c.hls_intel import INTEL_INCLUDES, ON_CHIP, OUTSIDE, Host, by_host, host_types, launched
from loadstone.emit.c.network_design import NetworkDesign, declaration
from loadstone.emit.c.network_links import StreamDialect
from loadstone.emit.c.network_names import word_type
from loadstone.emit.c.network_summary import promise, summary
from loadstone.emit.c.printer import INDENT

INTEL_STREAMS = StreamDialect(
    stream="ihc::stream<$, ihc::buffer<#>> &@", get="@.read()", put="@.write(%);", fence="ihc_fence();"
)


def emit_intel_network_header(design: NetworkDesign) -> str:
    """The interface of the component, and of a function that calls it with arrays."""
    guard = f"{design.name.upper()}_HPP"
    lines = [
        *(f"/* {summary(design.program)} */", f"#ifndef {guard}", f"#define {guard}", "", "#include <HLS/hls.h>", ""),
        *("/* External arrays, on-chip memories and counters as the component sees them. */",),
        *(*host_types(_hosts(design)), "", "/* The component. */", f"{_component(design).head()};", ""),
        *(*promise(design.program, "sets loaded_words to -1"), f"{design.signature()};", "", "#endif", ""),
    ]
    return "\n".join(lines)


def emit_intel_network_source(design: NetworkDesign) -> str:
    """The component, and a function that calls it with arrays."""
    component = _component(design)
    streams = design.program.stream_parameters
    lines = [
        f"/* {summary(design.program)} */",
        *design.beginning(INTEL_INCLUDES),
        *(f"static {stream.declaration.replace('&@', stream.name)};" for stream in streams),
        "",
        *(line for function in (*design.small_functions, *_tasks(design), component) for line in function.lines()),
        *_top(design, component),
    ]
    return "\n".join(lines) + "\n"


def _hosts(design: NetworkDesign) -> dict[str, Host]:
    """What is outside of the component."""
    program = design.program
    loaded: dict[str, Host] = {program.names.source[a.name]: (a.type, OUTSIDE) for a in program.loaded}
    stored: dict[str, Host] = {f"{program.names.source[a.name]}_out": (a.type, OUTSIDE) for a in program.stored}
    cells: dict[str, Host] = {cells.name: (cells.type, ON_CHIP) for cells in design.shared}
    counters: dict[str, Host] = {counter.name: (None, OUTSIDE) for counter in program.counters}
    return {**loaded, **stored, **cells, **counters}


def _tasks(design: NetworkDesign) -> list[Function]:
    """The tasks; streams, which are at file scope, are no arguments of them."""
    streams = design.program.stream_parameters
    return [
        replace(task, offer=by_host([p for p in task.offer if p not in streams], _hosts(design)))
        for task in design.processes
    ]


def _component(design: NetworkDesign) -> Function:
    """The component: it launches the tasks and waits for their end."""
    program = design.program
    shared = {cells.name for cells in design.shared}
    offer = (*program.given, *(p for p in program.cell_parameters if p.name in shared), *program.counters)
    body = tuple(launched(_tasks(design)))
    name = f"{design.name}_component"
    return Function("Runs all processes at once.", "component void", name, by_host(offer, _hosts(design)), body)


def _top(design: NetworkDesign, component: Function) -> Iterator[str]:
    """A function that calls the component with arrays, as a testbench does."""
    ports = {p.name: f"{p.name}_port" for p in component.parameters if p.name in _hosts(design)}
    *counters, call, loaded, stored = design.counted(f"{component.call(ports)};")
    body = [
        *design.unused(component.parameters),
        *design.guard(),
        *(f"static {declaration(cells)}" for cells in design.shared),
        *counters,
        *_ports(design, ports),
        *(call, loaded, stored),
    ]
    yield from (design.signature(), "{")
    yield from (INDENT + line for line in body)
    yield "}"


def _ports(design: NetworkDesign, ports: Mapping[str, str]) -> Iterator[str]:
    """Hosts that lead to the arrays, the shared memories and the counters."""
    program = design.program
    loaded = ((program.names.source[array.name], array, True) for array in program.loaded)
    stored = ((f"{program.names.source[array.name]}_out", array, False) for array in program.stored)
    for name, array, is_constant in (*loaded, *stored):
        if name in ports:
            kind = word_type(array.type)
            place = f"const_cast<{kind} *>({name})" if is_constant else name
            yield f"{name}_host {ports[name]}({place}, sizeof({kind}) * {program.extent(array)});"
    for cells in design.shared:
        yield f"{cells.name}_host {ports[cells.name]}({cells.name}, sizeof {cells.name});"
    for counter in program.counters:
        yield f"{counter.name}_host {ports[counter.name]}(&{counter.name}, sizeof {counter.name});"
