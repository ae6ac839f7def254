"""Programs as C++ for the Intel HLS Compiler, Pro Edition (which Intel has discontinued): processes as tasks.

Tasks take values, and references to explicit Avalon memory-mapped hosts, but no other pointers [Pro Edition Reference
Manual, task functions]. So external arrays, counters and the memories shared by processes are hosts with an address
space each; shared memories are on-chip memories beside the component. Streams are internal, at file scope. Private
memories are arrays inside of the task. Loops are pipelined by default; there is no `ii` pragma, which would refuse
loops that cannot start each cycle.

Verified: the program runs as threads with the header from `shim` and gives the same memory as the kernel. Not verified,
for want of the tool: that the compiler accepts it; that `ihc_fence` orders accesses of tasks to a memory with streams;
options of hosts, which have to fit the memories of the system.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import reduce
from itertools import chain

from loadstone.emit.c import hls
from loadstone.emit.c.code import (
    Cells,
    Counter,
    External,
    Function,
    Parameter,
    Stream,
    Syntax,
    Text,
    c_declaration,
    code,
    listed,
    word_type,
)
from loadstone.emit.c.printer import emit_expression
from loadstone.emit.c.program import Program
from loadstone.model.expression import Expression
from loadstone.model.types import LONG

_INCLUDES = """\
#include <math.h>
#include <stdlib.h>

#include "@.hpp"

#ifdef __INTELFPGA_COMPILER__
#define LOCAL
#else
#define LOCAL static /* as large as need be */
#endif"""
_OUTSIDE = "ihc::latency<0>, ihc::maxburst<16>, ihc::waitrequest<true>"
_ON_CHIP = "ihc::latency<1>"

Host = External | Cells | Counter
"""A memory or counter behind a memory-mapped host."""


def _declared(parameter: Parameter) -> str:
    if isinstance(parameter, External | Counter) or (isinstance(parameter, Cells) and parameter.owner is None):
        return f"{parameter.name}_host &{parameter.name}"
    return f"{_stream_type(parameter)} &{parameter.name}" if isinstance(parameter, Stream) else c_declaration(parameter)


def _stream_type(stream: Stream) -> str:
    return f"ihc::stream<{word_type(stream.type)}, ihc::buffer<{stream.capacity}>>"


INTEL = Syntax(get="@.read()", put="@.write(%);", fence="ihc_fence();", declared=_declared)


def emit_intel(program: Program) -> tuple[str, str]:
    """The interface of the component and of a function that calls it with arrays, and the program."""
    tasks = tuple(map(_task, program.processes))
    component = _component(program, tasks)
    sizes = (each for array in program.arrays for each in _sizes(program, array))
    lines = [
        *hls.emit_beginning(program, _INCLUDES, chain.from_iterable(sizes)),
        *(f"static {_stream_type(stream)} {stream.name};" for stream in program.streams),
        "",
        *(line for function in (*program.functions, *tasks, component) for line in function.lines(INTEL)),
        *hls.top_function(program, _top(program, component)),
    ]
    parts = [
        *("#include <HLS/hls.h>", ""),
        "/* Memory-mapped hosts: external arrays, on-chip memories and counters. */",
        *_host_types(program),
        *("", "/* The component. */", f"{component.head(INTEL)};", ""),
    ]
    return hls.header(program, parts), "\n".join(lines)


def _hosts(program: Program) -> tuple[Host, ...]:
    return (*program.arrays, *program.shared, *program.counters)


def _host_types(program: Program) -> Iterator[str]:
    """The types of hosts, each with an address space of its own."""
    for number, host in enumerate(_hosts(program), start=1):
        kind, bits = _word(host)
        options = f"ihc::aspace<{number}>, ihc::dwidth<{bits}>, {_ON_CHIP if isinstance(host, Cells) else _OUTSIDE}"
        yield f"typedef ihc::mm_host<{kind}, {options}> {host.name}_host;"


def _word(host: Host) -> tuple[str, int]:
    """The type of what lies behind a host, and the width of its data."""
    match host:
        case External(type=kind, bits=bits):
            return kind, bits
        case Cells(type=kind):
            return word_type(kind), kind.bits
        case Counter():
            return word_type(LONG), LONG.bits


def _task(process: Function) -> Function:
    """The process as a task; streams, which are at file scope, are no arguments of it."""
    task = hls.with_own_memory(process)
    return replace(task, offer=tuple(p for p in task.offer if not isinstance(p, Stream)))


def _component(program: Program, tasks: tuple[Function, ...]) -> Function:
    """The component: it launches the tasks and waits for their end."""
    launched = (
        code(f"ihc::launch<{task.name}>(@);", listed(code("@", parameter) for parameter in task.parameters))
        for task in tasks
    )
    collected = (Text(f"ihc::collect<{task.name}>();") for task in tasks)
    offer = (*program.given, *program.shared, *program.counters)
    name = f"{program.name}_component"
    return Function("Runs all processes at once.", "void", name, offer, (*launched, *collected), "component")


def _top(program: Program, component: Function) -> Iterator[str]:
    """The body of a function that calls the component with arrays, as a testbench does."""
    yield from program.unused(component.parameters)
    yield from hls.guard(program)
    yield from (f"static {hls.array_declaration(cells)};" for cells in program.shared)
    ports = {host.name: f"{host.name}_port" for host in _hosts(program) if host in component.parameters}
    yield from hls.counted(program, [*_ports(program, ports), f"{component.call(ports).text};"])


def _ports(program: Program, ports: Mapping[str, str]) -> Iterator[str]:
    """Hosts that lead to the arrays, the shared memories and the counters."""
    for host in _hosts(program):
        if host.name in ports:
            yield f"{host.name}_host {ports[host.name]}({_place(program, host)});"


def _place(program: Program, host: Host) -> str:
    """Where the words of a host are, and how many bytes they take."""
    name = host.name
    match host:
        case External(type=kind, written=written):
            counts = ("".join(f" * ({emit_expression(size)})" for size in sizes) for sizes in _sizes(program, host))
            most = reduce(_larger, counts)
            start = name if written else f"const_cast<{kind} *>({name})"
            return f"{start}, sizeof({kind}){most or ' * 1'}"
        case Cells():
            return f"{name}, sizeof {name}"
        case Counter():
            return f"&{name}, sizeof {name}"


def _larger(one: str, other: str) -> str:
    """The larger one of two numbers, as factors."""
    return f" * (1{one} > 1{other} ? 1{one} : 1{other})"


def _sizes(program: Program, external: External) -> list[list[Expression]]:
    """The extents of each array that lies in a memory, in signed integers."""
    return [[program.names.counted(extent) for extent in extents] for extents in external.extents]
