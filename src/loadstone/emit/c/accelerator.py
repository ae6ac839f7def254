"""The accelerator as C: three threads that exchange tokens, or one after the other for debugging."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from loadstone.emit.c.functions import Function, Parameter, variables_in
from loadstone.emit.c.printer import INDENT, emit_expression, expressions_of, helper, helpers_used, warnings_of_source
from loadstone.emit.c.processes import Dialect, Processes, point_rank
from loadstone.emit.c.reference import entry_head
from loadstone.emit.c.testbench import Call
from loadstone.emit.c.threads import GATE, declared_threads, emit_thread, threads_ran
from loadstone.loops.accelerator import Accelerator
from loadstone.loops.model import expressions
from loadstone.model.expression import Constant, Expression, integer
from loadstone.model.types import INT
from loadstone.storage.buffers import Buffer

C = Dialect(tokens="struct tokens *@", send="tokens_send(@);", receive="tokens_receive(@);")
PROCESSES = ("load", "compute", "store")
CHECKED_C = Dialect(tokens=C.tokens, send=C.send, receive=C.receive, checked=True)

TOKENS_H = """\
/* Bounded queues of tokens between threads: a token says that a tile has been dealt with. */
#ifndef TOKENS_H
#define TOKENS_H

#include <pthread.h>
#include <stdbool.h>

struct tokens {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int count, capacity;
};

static inline void tokens_open(struct tokens *queue, int capacity)
{
  pthread_mutex_init(&queue->mutex, NULL);
  pthread_cond_init(&queue->changed, NULL);
  queue->count = 0;
  queue->capacity = capacity;
}

static inline void tokens_close(struct tokens *queue)
{
  pthread_cond_destroy(&queue->changed);
  pthread_mutex_destroy(&queue->mutex);
}

/* Waits while the queue is full. */
static inline void tokens_send(struct tokens *queue)
{
  pthread_mutex_lock(&queue->mutex);
  while (queue->count == queue->capacity)
    pthread_cond_wait(&queue->changed, &queue->mutex);
  queue->count++;
  pthread_cond_signal(&queue->changed);
  pthread_mutex_unlock(&queue->mutex);
}

/* Waits while the queue is empty. */
static inline void tokens_receive(struct tokens *queue)
{
  pthread_mutex_lock(&queue->mutex);
  while (queue->count == 0)
    pthread_cond_wait(&queue->changed, &queue->mutex);
  queue->count--;
  pthread_cond_signal(&queue->changed);
  pthread_mutex_unlock(&queue->mutex);
}

@GATE@
#endif
""".replace("@GATE@", GATE)

_OVERRUN = """\
/* A local cell does not hold the element that is read from it. */
static void overrun(const char *array, long expected, long found)
{
  fprintf(stderr, "overrun: the cell of word %ld of %s holds word %ld\\n", expected, array, found);
  abort();
}
"""


def emit_c_header(processes: Processes) -> str:
    """The interface of the accelerator."""
    name = processes.accelerator.kernel.name
    guard = f"{name.upper()}_ACCELERATOR_H"
    lines = [
        f"/* {summary(processes.accelerator)} */",
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        "/* The words that were moved between external and local memory. */",
        f"struct {name}_words {{",
        f"{INDENT}long loaded, stored;",
        "};",
        "",
        "/* Load, compute and store as threads. Returns 0, or -1 where memory or threads are missing. */",
        f"{signature(processes, 'accelerator')};",
        "",
        "/* The same tile by tile in one thread, for debugging. */",
        f"{signature(processes, 'sequential')};",
        "",
        "#endif",
        "",
    ]
    return "\n".join(lines)


def summary(accelerator: Accelerator) -> str:
    """What the accelerator is, in one line."""
    tiles = accelerator.plan.tiles
    sizes = " x ".join(map(str, tiles.sizes))
    return (
        f"{accelerator.kernel.name}: tiles of {sizes}, strips over {', '.join(tiles.inner)}, "
        f"{accelerator.depth} in flight. Written by Loadstone."
    )


def signature(processes: Processes, way: str) -> str:
    """The declaration of a top function."""
    name = processes.accelerator.kernel.name
    arguments = [p.declared() for p in top_parameters(processes)]
    return f"int {name}_{way}({', '.join([*arguments, f'struct {name}_words *words'])})"


def top_parameters(processes: Processes) -> tuple[Parameter, ...]:
    """What the accelerator is given: parameters, scalars, and arrays in external memory."""
    return (*processes.parameters, *processes.scalars, *processes.memories)


def emit_c_source(processes: Processes) -> str:
    """The accelerator."""
    accelerator = processes.accelerator
    name = accelerator.kernel.name
    functions = [*processes.functions(), processes.sequential]
    parts = [
        f"/* {summary(accelerator)} */",
        "#include <math.h>",
        "#include <stdbool.h>",
        "#include <stdio.h>",
        "#include <stdlib.h>",
        "",
        f'#include "{name}.h"',
        '#include "tokens.h"',
        "",
        f"enum {{ DEPTH = {accelerator.depth} }}; /* tiles in flight */",
        "",
        *warnings_of_source(accelerator.kernel),
        *helpers(accelerator),
        *point_type(accelerator, "struct "),
        *([_OVERRUN] if any("overrun" in variables_in(f.body) for f in functions) else []),
        *(line for function in functions for line in function.lines()),
        *_state(processes),
        *_threads(processes),
        *_memory(processes),
        *_top(processes),
    ]
    return "\n".join(parts) + "\n"


def helpers(accelerator: Accelerator) -> list[str]:
    """The definitions of the functions that stand for operators in the program."""
    found = helpers_used(all_expressions(accelerator))
    rows = [part.row for buffer in accelerator.buffers.values() for part in buffer.components if part.modulus]
    modulo = helper("mod", INT)
    missing = modulo[0] not in found and any(factor < 0 for row in rows for factor in row)
    return [*found, *modulo] if missing else found


def all_expressions(accelerator: Accelerator) -> Iterator[Expression]:
    """Every expression that the program prints."""
    for tree in (accelerator.strips, accelerator.tiles, accelerator.compute):
        yield from expressions(tree)
    for scan in (*accelerator.loads, *accelerator.stores):
        yield scan.some
        for step in scan.steps:
            yield from (step.first, step.more, step.next)
        yield from (e for e in (scan.run_end, scan.member) if e is not None)
    yield from expressions_of(accelerator.kernel)
    for array in accelerator.kernel.arrays.values():
        yield from array.extents


def point_type(accelerator: Accelerator, keyword: str) -> list[str]:
    """The type of a position in a scan."""
    members = ", ".join(f"x{k}" for k in range(point_rank(accelerator)))
    return ["/* The subscripts of an element. */", f"{keyword}point {{", f"{INDENT}int {members};", "};", ""]


def _state(processes: Processes) -> list[str]:
    """The structure that the threads share."""
    members = [*top_parameters(processes), *processes.locals]
    return [
        "/* What the processes share. */",
        "struct state {",
        *(f"{INDENT}{member.declared()};" for member in members),
        f"{INDENT}struct tokens {', '.join(queue.name for queue in processes.tokens)};",
        f"{INDENT}struct gate gate;",
        f"{INDENT}long loaded_words, stored_words;",
        "};",
        "",
    ]


def _threads(processes: Processes) -> Iterator[str]:
    """One entry for each thread."""
    for process in (processes.load, processes.compute, processes.store):
        yield from emit_thread(process.name, _with_state(processes, process))


def _with_state(processes: Processes, function: Function) -> str:
    """The call of a function with the members of the state."""
    values = {p.name: f"state->{p.name}" for p in (*top_parameters(processes), *processes.locals)}
    shared = (*processes.tokens, *processes.counters)
    return function.call({**values, **{p.name: f"&state->{p.name}" for p in shared}})


def _memory(processes: Processes) -> list[str]:
    """Functions that open and close the state."""
    opened: list[str] = []
    for name, buffer in processes.accelerator.buffers.items():
        cells = _cells(processes, buffer)
        local = f"{processes.names[name]}_local"
        opened.append(f"state->{local} = calloc({cells}, sizeof *state->{local});")
        if processes.dialect.checked:
            tag = f"{processes.names[name]}_tag"
            opened.append(f"state->{tag} = calloc({cells}, sizeof *state->{tag});")
    opened += [f"tokens_open(&state->{queue.name}, DEPTH);" for queue in processes.tokens]
    opened.append("gate_open(&state->gate);")
    missing = " && ".join(f"state->{p.name}" for p in processes.locals) or "true"
    closed = [f"free(state->{p.name});" for p in processes.locals]
    closed += [f"tokens_close(&state->{queue.name});" for queue in processes.tokens]
    closed.append("gate_close(&state->gate);")
    open_ = Function(
        "Allocates local memory and opens the queues; false where memory is missing.",
        "static bool",
        "open_state",
        (Parameter("state", "struct state *@"),),
        (*opened, f"return {missing};"),
    )
    close = Function(
        "Frees what open_state has allocated.",
        "static void",
        "close_state",
        (Parameter("state", "struct state *@"),),
        tuple(closed),
    )
    return [*open_.lines(), *close.lines()]


def _cells(processes: Processes, buffer: Buffer) -> str:
    """The number of cells to allocate, at least one."""
    sizes = [part.size for part in buffer.components] or [integer(1)]
    members = {name: f"state->{processes.names[name]}" for name in processes.accelerator.kernel.parameters}
    counted = replace(processes.names, names=members).counted
    texts = [*(["2"] if buffer.copies > 1 else []), *(emit_expression(counted(size)) for size in sizes)]
    if all(isinstance(size, Constant) for size in sizes):
        return " * ".join(texts)
    product = " * ".join(f"(size_t)({text})" for text in texts)
    return f"{product} + 1"


def _top(processes: Processes) -> list[str]:
    """The top functions."""
    members = top_parameters(processes)
    fields = ", ".join(f".{p.name} = {p.name}" for p in members)
    start = [f"struct state shared = {{{fields or '0'}}};", "struct state *const state = &shared;"]
    report = ["words->loaded = state->loaded_words;", "words->stored = state->stored_words;"]
    threaded = [
        *start,
        *declared_threads(PROCESSES),
        f"const bool done = open_state(state) && {threads_ran(PROCESSES)};",
        *report,
        "close_state(state);",
        "return done ? 0 : -1;",
    ]
    stepwise = [
        *start,
        "const bool done = open_state(state);",
        "if (done)",
        f"{INDENT}{_with_state(processes, processes.sequential)};",
        *report,
        "close_state(state);",
        "return done ? 0 : -1;",
    ]
    return [*_definition(processes, "accelerator", threaded), *_definition(processes, "sequential", stepwise)]


def _definition(processes: Processes, way: str, body: Sequence[str]) -> list[str]:
    return [signature(processes, way), "{", *(INDENT + line for line in body), "}", ""]


def emit_c(accelerator: Accelerator, *, checked: bool = False) -> dict[str, str]:
    """The files of the accelerator in C; `checked` programs stop where a local cell holds another element."""
    processes = Processes(accelerator, CHECKED_C if checked else C)
    name = accelerator.kernel.name
    return {f"{name}.h": emit_c_header(processes), f"{name}.c": emit_c_source(processes), "tokens.h": TOKENS_H}


def c_call(accelerator: Accelerator) -> Call:
    """How a program calls the accelerator, with its arrays in `memory`."""
    processes = Processes(accelerator, C)
    name = accelerator.kernel.name
    arguments = ", ".join([*top_arguments(processes), "&words"])
    ways = tuple(
        (way, f"if ({name}_{way}({arguments}) != 0)\n{INDENT}return 2;") for way in ("accelerator", "sequential")
    )
    declared = (f"struct {name}_words words = {{0, 0}};",)
    return Call(f"{name}.h", ways, ("words.loaded", "words.stored"), declared)


def emit_c_entry(accelerator: Accelerator) -> str:
    """An entry that calls the accelerator with its arrays in `memory`; way 1 is sequential."""
    processes = Processes(accelerator, C)
    name = accelerator.kernel.name
    lines = [f'#include "{name}.h"', ""]
    for way in ("accelerator", "sequential"):
        call = f"{name}_{way}({', '.join([*top_arguments(processes), '&moved'])})"
        body = [
            *entry_parameters(processes),
            f"struct {name}_words moved = {{0, 0}};",
            f"const int status = {call};",
            "words[0] = status ? -1 : moved.loaded;",
            "words[1] = status ? -1 : moved.stored;",
        ]
        lines += [f"{entry_head(way)};", entry_head(way), "{", *(INDENT + line for line in body), "}", ""]
    return "\n".join(lines)


def entry_parameters(processes: Processes) -> list[str]:
    """Declarations of the parameters in an entry."""
    kinds = processes.accelerator.kernel.parameter_types.items()
    declared = [f"const {kind} {processes.names[n]} = ({kind})parameters[{k}];" for k, (n, kind) in enumerate(kinds)]
    return ["(void)parameters;", "(void)memory;", *declared, *(f"(void){p.name};" for p in processes.parameters)]


def top_arguments(processes: Processes) -> list[str]:
    """The arguments of a top function where arrays and scalars are in `memory`, in the order of the kernel."""
    place = {processes.names[name]: k for k, name in enumerate(processes.accelerator.kernel.arrays)}
    kinds = {processes.names[a.name]: a.type for a in processes.accelerator.kernel.arrays.values()}
    scalars = [f"*({kinds[p.name]} *)memory[{place[p.name]}]" for p in processes.scalars]
    memories = [f"({kinds[p.name]} *)memory[{place[p.name]}]" for p in processes.memories]
    return [*(p.name for p in processes.parameters), *scalars, *memories]
