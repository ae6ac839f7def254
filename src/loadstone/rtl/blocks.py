"""Building blocks of accelerators: queues and pipeline registers with valid/ready handshakes.

All have the ports `in_valid`, `in_ready`, `in_data` and `out_valid`, `out_ready`, `out_data`. A word moves in a cycle
in which valid and ready are both set; valid does not wait for ready.
"""

from __future__ import annotations

from dataclasses import dataclass

from loadstone.rtl.conditions import mux
from loadstone.rtl.expressions import Operand, Signal, Value
from loadstone.rtl.module import Module
from loadstone.rtl.stream import input_stream, output_stream
from loadstone.rtl.types import Bits, RtlError, address_width, bit, unsigned

BLOCK = 48
"""The words from which on the memory of a queue is taken to be a block memory, whose words come late in a cycle."""


@dataclass(frozen=True, slots=True, eq=False)
class Queue:
    """A queue in a module: whether it has room for a word, and its oldest word, if `valid`."""

    room: Signal
    valid: Signal
    data: Signal


def add_queue(
    m: Module, name: str, depth: int, valid: Operand, data: Value, ready: Operand, fifo: str | None = None
) -> Queue:
    """A queue in a module; the word that comes is `data` if `valid`, the oldest one leaves if `ready`."""
    module = make_fifo(fifo or f"{m.name}_{name}", data.bits, depth)
    queue = m.instance(name, module, {"in_valid": valid, "in_data": data, "out_ready": ready})
    return Queue(queue["in_ready"], queue["out_valid"], queue["out_data"])


@dataclass(frozen=True, slots=True, eq=False)
class Ring:
    """A queue: the number of words in it, and the oldest."""

    count: Signal
    oldest: Signal


def add_ring(m: Module, name: str, word: Value, depth: int, push: Value, pop: Value) -> Ring:
    """A queue for `depth` words, a power of two, in a module; the user checks its count before push and pop."""
    place = unsigned(address_width(depth))
    count = m.register(f"{name}_count", unsigned(place.width + 1), reset=0)
    head, tail = (m.register(f"{name}_{end}", place, reset=0) for end in ("head", "tail"))
    memory = m.memory(f"{name}_ring", word.bits, depth, latency=0)
    memory.write(tail, word, push)
    with m.clocked():
        m.assign(count, (count + push - pop).wrapped(count.bits))
        m.assign(tail, (tail + push).wrapped(place))
        m.assign(head, (head + pop).wrapped(place))
    return Ring(count, memory.read(head))


def make_fifo(name: str, type: Bits, depth: int) -> Module:
    """A queue for `depth` words; no path leads through it without a register, except with depth 1 for ready.

    Depth 1 is one register that refills as it empties. Depth 2 is a skid buffer: both handshakes are registered. Deeper
    ones keep their words in a memory, with an output register that counts as one of the words. From `BLOCK` words on,
    that is a register behind the one of the memory.
    """
    if depth < 1:
        raise RtlError(f"{name}: a queue holds one word at least")
    if depth == 1:
        return make_pipeline_register(name, type)
    if depth == 2:
        return make_skid_buffer(name, type)
    return _make_memory_fifo(name, type, depth)


def make_pipeline_register(name: str, type: Bits) -> Module:
    """A register for one word; ready passes through it."""
    m = Module(name, f"Pipeline register for words of {type.width} bits.")
    taken, given = input_stream(m, "in", type), output_stream(m, "out", type)
    full = m.register("full", bit, reset=0)
    data = m.register("data", type)
    m.assign(taken.ready, ~full | given.ready)
    m.assign(given.valid, full)
    m.assign(given.data, data)
    with m.clocked(), m.when(taken.ready):
        m.assign(full, taken.valid)
        m.assign(data, taken.data)
    return m


def make_skid_buffer(name: str, type: Bits) -> Module:
    """Registers for two words; neither valid nor ready passes through it."""
    m = Module(name, f"Skid buffer for words of {type.width} bits.")
    taken, given = input_stream(m, "in", type), output_stream(m, "out", type)
    full = m.register("full", bit, reset=0, comment="the output register holds a word")
    spare_full = m.register("spare_full", bit, reset=0, comment="the spare register holds the word after it")
    data, spare = m.register("data", type), m.register("spare", type)
    m.assign(taken.ready, ~spare_full)
    m.assign(given.valid, full)
    m.assign(given.data, data)
    with m.clocked():
        with m.when(given.ready | ~full):
            m.assign(full, taken.valid | spare_full)
            m.assign(data, mux(spare_full, spare, taken.data))
            m.assign(spare_full, 0)
        with m.elsewhen(taken.valid & ~spare_full):
            m.assign(spare_full, 1)
        with m.when(~spare_full):
            m.assign(spare, taken.data)
    return m


def _make_memory_fifo(name: str, type: Bits, depth: int) -> Module:
    """A queue whose words wait in a memory of which one is fetched ahead."""
    m = Module(name, f"Queue for {depth} words of {type.width} bits.")
    taken, given = input_stream(m, "in", type), output_stream(m, "out", type)
    words = depth - 1
    waiting = m.register("waiting", unsigned(words.bit_length()), reset=0, comment="words in the memory")
    full = m.register("full", bit, reset=0, comment="the output register holds a word")
    some = m.register("some", bit, reset=0, comment="the memory holds words")
    no_room = m.register("no_room", bit, reset=0, comment="the memory is full")
    push = m.wire("push", taken.transfer)
    fetch = m.wire("fetch", some & (given.ready | ~full))
    head, tail = _pointer(m, "head", words, fetch), _pointer(m, "tail", words, push)
    read = _read_at_once if words < BLOCK else _read_ahead
    m.assign(taken.ready, ~no_room)
    m.assign(given.valid, full)
    m.assign(given.data, read(m, _Store(words, taken.data, push, tail, fetch, head)))
    with m.clocked():
        with m.when(fetch):
            m.assign(full, 1)
        with m.elsewhen(given.ready):
            m.assign(full, 0)
        with m.when(push & ~fetch):
            m.assign(waiting, (waiting + 1).wrapped(waiting.bits))
            m.assign(some, 1)
            m.assign(no_room, waiting == words - 1)
        with m.elsewhen(fetch & ~push):
            m.assign(waiting, (waiting - 1).wrapped(waiting.bits))
            m.assign(some, waiting != 1)
            m.assign(no_room, 0)
    return m


@dataclass(frozen=True, slots=True, eq=False)
class _Store:
    """The memory of a queue: so many words, the one pushed to the tail, and the fetch of the one at the head."""

    words: int
    word: Value
    push: Value
    tail: Signal
    fetch: Value
    head: Signal


def _read_at_once(m: Module, store: _Store) -> Value:
    """The oldest word, in the register behind a small memory."""
    memory = m.memory("store", store.word.bits, store.words, collision="any")
    memory.write(store.tail, store.word, store.push)
    return memory.read(store.head, store.fetch)


def _read_ahead(m: Module, store: _Store) -> Value:
    """The oldest word, in a register: the word at the head is read in the cycle before it is fetched.

    One that was pushed in that cycle comes from a register beside the memory.
    """
    memory = m.memory("store", store.word.bits, store.words, collision="any")
    memory.write(store.tail, store.word, store.push)
    coming = m.wire("coming", mux(store.fetch, _advanced(store.head, store.words), store.head))
    found = memory.read(coming)
    with m.clocked():
        is_new = m.stored("is_new", store.push & (store.tail == coming))
        newest = m.stored("newest", store.word)
    oldest = m.register("oldest", store.word.bits)
    with m.clocked(), m.when(store.fetch):
        m.assign(oldest, mux(is_new, newest, found))
    return oldest


def _pointer(m: Module, name: str, count: int, moves: Value) -> Signal:
    """A place in a ring, which moves on."""
    pointer = m.register(name, unsigned(address_width(count)), reset=0)
    with m.clocked(), m.when(moves):
        m.assign(pointer, _advanced(pointer, count))
    return pointer


def _advanced(pointer: Signal, count: int) -> Value:
    """The next place in a ring of some places."""
    following = (pointer + 1).wrapped(pointer.bits)
    return following if count == 1 << pointer.width else mux(pointer == count - 1, 0, following)
