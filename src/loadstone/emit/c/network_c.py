"""A process network as C: a thread for each process, and bounded streams that wait."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from loadstone.emit.c.functions import Function, Parameter
from loadstone.emit.c.network_calls import call_arguments, copies, emit_network_entry
from loadstone.emit.c.network_links import StreamDialect
from loadstone.emit.c.network_names import type_name, word_type
from loadstone.emit.c.network_processes import NetworkProcesses
from loadstone.emit.c.network_summary import promise, summary
from loadstone.emit.c.printer import INDENT, braced
from loadstone.emit.c.testbench import Call
from loadstone.emit.c.threads import GATE, declared_threads, emit_thread, threads_ran
from loadstone.model.types import ScalarType
from loadstone.networks.model import Network
from loadstone.networks.sizes import ChannelSize

C_STREAMS = StreamDialect(stream="struct ~_stream *@", get="~_get(@)", put="~_put(@, %);")

_STREAMS_HEAD = """\
/* Bounded streams between threads: getting waits while a stream is empty, putting while it is full. */
#ifndef STREAMS_H
#define STREAMS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

@GATE@""".replace("@GATE@", GATE)
_STREAM = """\
struct ~_stream {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int first, count, capacity;
  $ *words;
};

/* False where memory is missing. */
static inline bool ~_open(struct ~_stream *stream, int capacity)
{
  pthread_mutex_init(&stream->mutex, NULL);
  pthread_cond_init(&stream->changed, NULL);
  stream->first = stream->count = 0;
  stream->capacity = capacity;
  stream->words = calloc((size_t)capacity, sizeof *stream->words);
  return stream->words != NULL;
}

static inline void ~_close(struct ~_stream *stream)
{
  free(stream->words);
  pthread_cond_destroy(&stream->changed);
  pthread_mutex_destroy(&stream->mutex);
}

static inline $ ~_get(struct ~_stream *stream)
{
  pthread_mutex_lock(&stream->mutex);
  while (stream->count == 0)
    pthread_cond_wait(&stream->changed, &stream->mutex);
  const $ word = stream->words[stream->first];
  stream->first = stream->first + 1 == stream->capacity ? 0 : stream->first + 1;
  stream->count--;
  pthread_cond_signal(&stream->changed);
  pthread_mutex_unlock(&stream->mutex);
  return word;
}

static inline void ~_put(struct ~_stream *stream, $ word)
{
  pthread_mutex_lock(&stream->mutex);
  while (stream->count == stream->capacity)
    pthread_cond_wait(&stream->changed, &stream->mutex);
  const long place = (long)stream->first + stream->count;
  stream->words[place < stream->capacity ? place : place - stream->capacity] = word;
  stream->count++;
  pthread_cond_signal(&stream->changed);
  pthread_mutex_unlock(&stream->mutex);
}
"""


def emit_network_c(network: Network, sizes: Mapping[str, ChannelSize], parameters: Mapping[str, int]) -> dict[str, str]:
    """The files of a network in C, by their paths."""
    program = NetworkProcesses(network, sizes, parameters, C_STREAMS)
    name = program.kernel.name
    return {f"{name}.h": _header(program), f"{name}.c": _source(program), "streams.h": _streams(program)}


def network_c_call(network: Network, sizes: Mapping[str, ChannelSize], parameters: Mapping[str, int]) -> Call:
    """How a testbench calls the network, with its arrays in `memory`."""
    program = NetworkProcesses(network, sizes, parameters, C_STREAMS)
    refused = [f'fprintf(stderr, "the network is made for {program.made_for() or "others"}\\n");', "return 2;"]
    called = f"{program.kernel.name}_network({', '.join(call_arguments(program, '&loaded_words', '&stored_words'))})"
    made, freed = copies(program)
    lines = [*braced(f"if ({called} != 0)", refused), *freed]
    declared = ("long loaded_words = 0, stored_words = 0;", *made)
    words = ("loaded_words", "stored_words")
    return Call(f"{program.kernel.name}.h", (("network", "\n".join(lines)),), words, declared)


def emit_network_c_entry(network: Network, sizes: Mapping[str, ChannelSize], parameters: Mapping[str, int]) -> str:
    """An entry that calls the network with its arrays in `memory`."""
    program = NetworkProcesses(network, sizes, parameters, C_STREAMS)
    called = f"{program.kernel.name}_network({', '.join(call_arguments(program, '&words[0]', '&words[1]'))})"
    refused = [f"if ({called} != 0)", f"{INDENT}words[0] = words[1] = -1;"]
    return emit_network_entry(program, f"{program.kernel.name}.h", refused)


def _header(program: NetworkProcesses) -> str:
    name = program.kernel.name
    guard = f"{name.upper()}_NETWORK_H"
    lines = [
        f"/* {summary(program)} */",
        *(f"#ifndef {guard}", f"#define {guard}", "", "#include <stdbool.h>", ""),
        *promise(program, "returns -1"),
        "/* Returns 0, or -1 where memory or threads are missing. */",
        f"{_signature(program)};",
        *("", "#endif", ""),
    ]
    return "\n".join(lines)


def _signature(program: NetworkProcesses) -> str:
    arguments = ", ".join(p.declared() for p in (*program.given, *program.totals))
    return f"int {program.kernel.name}_network({arguments})"


def _streams(program: NetworkProcesses) -> str:
    kinds: dict[str, ScalarType] = {type_name(stream.type): stream.type for stream in program.streams}
    made = [_STREAM.replace("$", word_type(kind)).replace("~", name) for name, kind in kinds.items()]
    return "\n".join([_STREAMS_HEAD, *made, "#endif", ""])


def _source(program: NetworkProcesses) -> str:
    lines = [
        f"/* {summary(program)} */",
        *("#include <math.h>", "#include <stdbool.h>", "#include <stdlib.h>", ""),
        *(f'#include "{program.kernel.name}.h"', '#include "streams.h"', ""),
        *program.helpers(),
        *(line for function in program.functions() for line in function.lines()),
        *_state(program),
        *_runs(program),
        *_memory(program),
        *_top(program),
    ]
    return "\n".join(lines) + "\n"


def _state(program: NetworkProcesses) -> Iterator[str]:
    """The structure that the threads share."""
    yield "/* What the processes share. */"
    yield "struct state {"
    for member in (*program.given, *program.cell_parameters):
        yield f"{INDENT}{member.declared()};"
    for link in program.links:
        for stream in link.streams:
            about = f"{link.channel.array}: {link.channel.producer} to {link.channel.consumer}"
            yield f"{INDENT}struct {type_name(stream.type)}_stream {stream.name}; /* {about} */"
    for counter in program.counters:
        yield f"{INDENT}long {counter.name};"
    yield f"{INDENT}struct gate gate;"
    yield from ("};", "")


def _runs(program: NetworkProcesses) -> Iterator[str]:
    """One entry for each thread."""
    members = {p.name: f"state->{p.name}" for p in (*program.given, *program.cell_parameters)}
    addresses = {p.name: f"&state->{p.name}" for p in (*program.stream_parameters, *program.counters)}
    for process in program.processes:
        yield from emit_thread(process.name, process.call({**members, **addresses}))


def _memory(program: NetworkProcesses) -> list[str]:
    """Functions that open and close the state."""
    opened = ["bool done = true;", "gate_open(&state->gate);"]
    for cells in program.cells:
        opened.append(f"state->{cells.name} = calloc({cells.count}, sizeof *state->{cells.name});")
        opened.append(f"done = state->{cells.name} && done;")
    for stream in program.streams:
        opened.append(f"done = {type_name(stream.type)}_open(&state->{stream.name}, {stream.capacity}) && done;")
    closed = [f"free(state->{cells.name});" for cells in program.cells]
    closed += [f"{type_name(stream.type)}_close(&state->{stream.name});" for stream in program.streams]
    closed += ["gate_close(&state->gate);", "free(state);"]
    comment = "Allocates memory and opens the streams; false where memory is missing."
    return [
        *_on_state(comment, "static bool", "open_state", [*opened, "return done;"]).lines(),
        *_on_state("Frees what open_state has allocated, and the state.", "static void", "close_state", closed).lines(),
    ]


def _on_state(comment: str, result: str, name: str, body: Sequence[str]) -> Function:
    return Function(comment, result, name, (Parameter("state", "struct state *@"),), tuple(body))


def _top(program: NetworkProcesses) -> list[str]:
    """The top function."""
    refused = program.refused()
    processes = [process.name for process in program.processes]
    body = [
        *([f"if ({refused})", f"{INDENT}return -1;"] if refused else []),
        *declared_threads(processes),
        "struct state *state = calloc(1, sizeof *state);",
        *("if (!state)", f"{INDENT}return -1;"),
        *(f"state->{member.name} = {member.name};" for member in program.given),
        f"const bool done = open_state(state) && {threads_ran(processes)};",
        f"*loaded_words = {program.counted('load', 'state->')};",
        f"*stored_words = {program.counted('store', 'state->')};",
        *("close_state(state);", "return done ? 0 : -1;"),
    ]
    return [_signature(program), "{", *(INDENT + line for line in body), "}"]
