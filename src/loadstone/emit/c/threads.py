"""Programs as C: a thread per process, bounded blocking streams between them.

Threads start together or not at all: the system may refuse one after others were created. Each thread blocks at a gate
until all exist. If creation fails, the threads at the gate exit without work.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod

from loadstone.emit.c import code
from loadstone.emit.c.external.structures import own_structure
from loadstone.emit.c.printer import emit_expression
from loadstone.emit.c.program import Program
from loadstone.model.expression import Constant
from loadstone.texts import text_of

_ALONE = "/* The same in one thread, tile by tile, for debugging. */"
C = code.Syntax(get="~_get(@)", put="~_put(@, %);")

_GATE = text_of(__name__, "gate.h")


_STREAMS_HEAD = """\
/* Bounded FIFOs between threads: get blocks while empty, put blocks while full. */
#ifndef STREAMS_H
#define STREAMS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

@GATE@""".replace("@GATE@", _GATE)
_STREAM = text_of(__name__, "stream.h")


def emit_c(program: Program) -> dict[str, str]:
    """The files of a program in C, by their paths."""
    name = program.name
    return {f"{name}.h": _header(program), f"{name}.c": _source(program), "streams.h": _streams(program)}


def _header(program: Program) -> str:
    guard = f"{program.name}_{program.way}_H".upper()
    lines = [
        f"/* {program.summary} */",
        *(f"#ifndef {guard}", f"#define {guard}", "", "#include <stdbool.h>", "", *program.definitions),
        *program.promise("returns -1", "Returns 0, or -1 if memory or threads run out."),
        f"{program.signature('int', program.way)};",
        *(["", _ALONE, f"{program.signature('int', 'sequential')};"] if program.sequential else []),
        *("", "#endif", ""),
    ]
    return "\n".join(lines)


def _streams(program: Program) -> str:
    kinds = {code.type_name(stream.type): stream.type for stream in program.streams}
    made = [_STREAM.replace("$", code.word_type(kind)).replace("~", name) for name, kind in kinds.items()]
    return "\n".join([_STREAMS_HEAD, *made, "#endif", ""])


def _source(program: Program) -> str:
    sequential = [program.sequential] if program.sequential else []
    lines = [
        f"/* {program.summary} */",
        *("#include <math.h>", "#include <stdbool.h>", "#include <stdio.h>", "#include <stdlib.h>", ""),
        *(f'#include "{program.name}.h"', '#include "streams.h"', ""),
        *program.beginning(size for cells in program.cells for size in cells.sizes),
        *(line for f in (*program.functions, *program.processes, *sequential) for line in f.lines(C)),
        *_state(program),
        *(line for process in program.processes for line in _thread(process, _state_type(program))),
        *_memory(program),
        *_definition(program, program.way, _threaded(program)),
        *(line for function in sequential for line in _definition(program, "sequential", _alone(function))),
    ]
    return "\n".join(lines)


def _state(program: Program) -> Iterator[str]:
    """The state shared by the threads."""
    yield from ("/* Shared state of the processes. */", f"{_state_type(program)} {{")
    for member in (*program.given, *program.cells):
        yield f"{code.INDENT}{code.c_declaration(member)};"
    for stream in program.streams:
        yield f"{code.INDENT}struct {code.type_name(stream.type)}_stream {stream.name}; /* {stream.about} */"
    for counter in program.counters:
        yield f"{code.INDENT}long {counter.name};"
    yield from (f"{code.INDENT}struct gate gate;", "};", "")


def _with_state(function: code.Function) -> str:
    """The call of a function with the members of the state."""
    parameters = ((p.name, "&" if isinstance(p, code.Stream | code.Counter) else "") for p in function.parameters)
    return function.call({name: f"{address}state->{name}" for name, address in parameters}).text


def _state_type(program: Program) -> str:
    return own_structure(program.kernel, "state")


def _thread(process: code.Function, state: str) -> list[str]:
    """The entry of a thread: the call of a process with members of the state."""
    call = _with_state(process)
    body = [f"{state} *state = argument;", "if (gate_passed(&state->gate))", f"{code.INDENT}{call};", "return NULL;"]
    return [f"static void *run_{process.name}(void *argument)", "{", *(code.INDENT + line for line in body), "}", ""]


def _memory(program: Program) -> list[str]:
    """Functions that open and close the state."""
    opened = ["bool done = true;", "gate_open(&state->gate);"]
    for cells in program.cells:
        opened.append(f"state->{cells.name} = calloc({_count(program, cells)}, sizeof *state->{cells.name});")
        opened.append(f"done = state->{cells.name} && done;")
    for stream in program.streams:
        opened.append(f"done = {code.type_name(stream.type)}_open(&state->{stream.name}, {stream.capacity}) && done;")
    closed = [f"free(state->{cells.name});" for cells in program.cells]
    closed += [f"{code.type_name(stream.type)}_close(&state->{stream.name});" for stream in program.streams]
    closed.append("gate_close(&state->gate);")
    opening = "Allocates memory and opens the streams; false if out of memory."
    return [
        *_on_state(program, opening, "bool", "open_state", [*opened, "return done;"]).lines(C),
        *_on_state(program, "Frees the memory of open_state.", "void", "close_state", closed).lines(C),
    ]


def _on_state(program: Program, comment: str, result: str, name: str, lines: Sequence[str]) -> code.Function:
    state = code.Pointer("state", _state_type(program))
    return code.Function(
        comment, result, name, (state,), tuple(code.Text(line, frozenset({state.name})) for line in lines)
    )


def _count(program: Program, cells: code.Cells) -> str:
    """The number of cells to allocate, at least one."""
    members = {name: f"state->{program.names[name]}" for name in program.kernel.parameters}
    counted = replace(program.names, names=members).counted
    texts = [emit_expression(counted(size)) for size in cells.sizes] or ["1"]
    if all(isinstance(size, Constant) for size in cells.sizes):
        return ("" if _fits_int(cells) else "(size_t)") + " * ".join(texts)
    product = " * ".join(f"(size_t)({text})" for text in texts)
    return f"{product} + 1"


def _fits_int(cells: code.Cells) -> bool:
    """Whether the number of cells, all sizes of which are constants, is an `int`."""
    return prod(int(size.value) for size in cells.sizes if isinstance(size, Constant)) < 1 << 31


def _threaded(program: Program) -> list[str]:
    """The body of the top function that runs all processes as threads."""
    count = len(program.processes)
    entries = ", ".join(f"run_{process.name}" for process in program.processes)
    return [
        f"static void *(*const runs[])(void *) = {{{entries}}};",
        f"pthread_t threads[{count}];",
        f"const bool done = open_state(state) && threads_ran({count}, threads, runs, &state->gate, state);",
    ]


def _alone(sequential: code.Function) -> list[str]:
    """The body of the top function that does all work in one thread."""
    return ["const bool done = open_state(state);", "if (done)", f"{code.INDENT}{_with_state(sequential)};"]


def _definition(program: Program, way: str, work: Sequence[str]) -> list[str]:
    """A top function around its work."""
    members = ", ".join(f".{p.name} = {p.name}" for p in program.given)
    body = [
        *([f"if ({program.limit.refused.text})", f"{code.INDENT}return -1;"] if program.limit else []),
        f"{_state_type(program)} shared = {{{members or '0'}}};",
        f"{_state_type(program)} *const state = &shared;",
        *work,
        f"*loaded_words = {program.counted('load', 'state->')};",
        f"*stored_words = {program.counted('store', 'state->')};",
        *("close_state(state);", "return done ? 0 : -1;"),
    ]
    return [program.signature("int", way), "{", *(code.INDENT + line for line in body), "}", ""]
