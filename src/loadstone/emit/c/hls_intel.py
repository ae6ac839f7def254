"""The accelerator as C++ for the Intel HLS Compiler, Pro Edition (which Intel has discontinued).

The component launches the three processes as tasks. Tasks may be given values, and references to explicit Avalon
memory-mapped hosts, but no other pointers [Pro Edition Reference Manual, task functions]. So external arrays, counters
and also the local buffers that two processes share are hosts with an address space each: the buffers are on-chip
memories beside the component. Queues are internal streams at file scope. Loops are pipelined by default; there is no
`ii` pragma, which would refuse what cannot start each cycle.

Verified: the program runs as threads with the header from `hls_shim` and gives the same memory as the kernel. Not
verified, for want of the tool: that the compiler accepts it; that `ihc_fence` orders accesses of tasks to a memory with
streams; options of hosts, which have to fit the memories of the system.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from loadstone.emit.c.functions import Function, Parameter
from loadstone.emit.c.hls_design import Design
from loadstone.emit.c.printer import INDENT
from loadstone.emit.c.processes import Dialect
from loadstone.model.types import ScalarType

INTEL = Dialect(
    tokens="ihc::stream<bool, ihc::buffer<DEPTH>> &@",
    send="@.write(true);",
    receive="@.read();",
    bursts=True,
    words="ihc::stream<$, ihc::buffer<WORDS>> &@",
)

INTEL_INCLUDES = """\
#include <math.h>
#include <stdlib.h>

#include "@.hpp"

#ifdef __INTELFPGA_COMPILER__
#define LOCAL
#else
#define LOCAL static /* as large as need be */
#endif"""
OUTSIDE = "ihc::latency<0>, ihc::maxburst<16>, ihc::waitrequest<true>"
ON_CHIP = "ihc::latency<1>"

Host = tuple[ScalarType | None, str]
"""What is outside of a component: the type of its words (None for counters), and options of the host."""


def emit_intel_header(design: Design) -> str:
    """The interface of the component, and of a function that calls it with arrays."""
    name = design.accelerator.kernel.name
    guard = f"{name.upper()}_HPP"
    lines = [
        *(f"#ifndef {guard}", f"#define {guard}", "", "#include <HLS/hls.h>", ""),
        *(
            "/* External arrays, on-chip buffers and counters as the component sees them. */",
            *host_types(_hosts(design)),
            "",
        ),
        *("/* The component. */", f"{_component(design).head()};", ""),
        *(design.promise(), f"{design.signature()};", "", "#endif", ""),
    ]
    return "\n".join(lines)


def emit_intel_source(design: Design) -> str:
    """The component, and a function that calls it with arrays."""
    includes = INTEL_INCLUDES.replace("@", design.accelerator.kernel.name).split("\n")
    component = _component(design)
    lines = [
        *design.beginning(includes),
        *(
            f"static {replace(queue, declaration=queue.declaration.replace('&', '')).declared()};"
            for queue, _ in design.queues
        ),
        "",
        *(line for function in (*_tasks(design), component) for line in function.lines()),
        *_top(design, component),
    ]
    return "\n".join(lines) + "\n"


def _hosts(design: Design) -> dict[str, Host]:
    """What is outside of the component."""
    accelerator, names = design.accelerator, design.processes.names
    shared = {p.name for p in design.shared}
    arrays = {names[array.name]: (array.type, OUTSIDE) for array in accelerator.transferred}
    buffers = {f"{names[name]}_local": (buffer.array.type, ON_CHIP) for name, buffer in accelerator.buffers.items()}
    counters = {p.name: (None, OUTSIDE) for p in design.processes.counters}
    return {**arrays, **{name: host for name, host in buffers.items() if name in shared}, **counters}


def host_types(hosts: Mapping[str, Host]) -> Iterator[str]:
    """The types of hosts, each with an address space of its own."""
    for number, (name, (kind, options)) in enumerate(hosts.items(), start=1):
        word, bits = ("long", 64) if kind is None else (str(kind), kind.bits)
        word = "bool" if word == "_Bool" else word
        yield f"typedef ihc::mm_host<{word}, ihc::aspace<{number}>, ihc::dwidth<{bits}>, {options}> {name}_host;"


def by_host(parameters: Sequence[Parameter], hosts: Mapping[str, object]) -> tuple[Parameter, ...]:
    """The parameters, with references to hosts in place of pointers."""
    return tuple(
        replace(p, declaration=f"{p.name}_host &@") if p.name in hosts and p.declaration.endswith("*@") else p
        for p in parameters
    )


def _tasks(design: Design) -> list[Function]:
    """The tasks after the functions that they call; queues, which are at file scope, are no arguments of tasks."""
    hosts = _hosts(design)
    *called, load, compute, store = design.functions(lambda _: "ihc_fence();")
    queues = {queue for queue, _ in design.queues}
    tasks = (replace(task, offer=tuple(p for p in task.offer if p not in queues)) for task in (load, compute, store))
    return [replace(function, offer=by_host(function.offer, hosts)) for function in (*called, *tasks)]


def _component(design: Design) -> Function:
    """The component: it launches the tasks and waits for their end."""
    tasks = _tasks(design)[-3:]
    processes = design.processes
    offer = (*processes.parameters, *processes.scalars, *processes.memories, *design.shared, *processes.counters)
    name = f"{design.accelerator.kernel.name}_component"
    comment = "Runs load, compute and store at once."
    return Function(comment, "component void", name, by_host(offer, _hosts(design)), tuple(launched(tasks)))


def launched(tasks: Sequence[Function]) -> Iterator[str]:
    """The lines that run tasks at once."""
    for task in tasks:
        yield f"ihc::launch<{task.name}>{task.call().removeprefix(task.name)};"
    for task in tasks:
        yield f"ihc::collect<{task.name}>();"


def _top(design: Design, component: Function) -> Iterator[str]:
    """A function that calls the component with arrays, as a testbench does."""
    used = component.parameters
    ports = {p.name: f"{p.name}_port" for p in used if p.name in _hosts(design)}
    body = [
        *design.unused(used),
        *design.guard(),
        *(f"static {design.local_declaration(local)}" for local in design.shared),
        *_ports(design, ports),
        f"{component.call(ports)};",
    ]
    yield from (design.promise(), design.signature(), "{")
    yield from (INDENT + line for line in body)
    yield "}"


def _ports(design: Design, ports: Mapping[str, str]) -> Iterator[str]:
    """Hosts that lead to the arrays, the local buffers and the counters."""
    arrays = {design.processes.names[array.name]: array for array in design.accelerator.transferred}
    for name, port in ports.items():
        if name in arrays:
            kind = arrays[name].type
            size = f"sizeof({kind}) * {design.elements(arrays[name])}"
            yield f"{name}_host {port}(const_cast<{kind} *>({name}), {size});"
        else:
            yield f"{name}_host {port}({name}, sizeof {'*' if name not in design.cells() else ''}{name});"
