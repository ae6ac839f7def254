"""Building blocks of accelerators: queues and pipeline registers with valid/ready handshakes.

All have the ports `in_valid`, `in_ready`, `in_data` and `out_valid`, `out_ready`, `out_data`. A word moves in a cycle
in which valid and ready are both set; valid does not wait for ready.
"""

from __future__ import annotations

from dataclasses import dataclass

from loadstone.rtl.conditions import mux
from loadstone.rtl.expressions import Signal, Value
from loadstone.rtl.module import Module
from loadstone.rtl.types import Bits, RtlError, address_width, bit, unsigned


@dataclass(frozen=True, slots=True, eq=False)
class _Handshake:
    """The ports of a block."""

    in_valid: Signal
    in_ready: Signal
    in_data: Signal
    out_valid: Signal
    out_ready: Signal
    out_data: Signal


def make_fifo(name: str, type: Bits, depth: int) -> Module:
    """A queue for `depth` words; no path leads through it without a register, except with depth 1 for ready.

    Depth 1 is one register that refills as it empties. Depth 2 is a skid buffer: both handshakes are registered. Deeper
    ones keep their words in a memory, with an output register that counts as one of the words.
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
    ports = _handshake(m, type)
    full = m.register("full", bit, reset=0)
    data = m.register("data", type)
    m.assign(ports.in_ready, ~full | ports.out_ready)
    m.assign(ports.out_valid, full)
    m.assign(ports.out_data, data)
    with m.clocked(), m.when(ports.in_ready):
        m.assign(full, ports.in_valid)
        m.assign(data, ports.in_data)
    return m


def make_skid_buffer(name: str, type: Bits) -> Module:
    """Registers for two words; neither valid nor ready passes through it."""
    m = Module(name, f"Skid buffer for words of {type.width} bits.")
    ports = _handshake(m, type)
    full = m.register("full", bit, reset=0, comment="the output register holds a word")
    spare_full = m.register("spare_full", bit, reset=0, comment="the spare register holds the word after it")
    data, spare = m.register("data", type), m.register("spare", type)
    m.assign(ports.in_ready, ~spare_full)
    m.assign(ports.out_valid, full)
    m.assign(ports.out_data, data)
    with m.clocked():
        with m.when(ports.out_ready | ~full):
            m.assign(full, ports.in_valid | spare_full)
            m.assign(data, mux(spare_full, spare, ports.in_data))
            m.assign(spare_full, 0)
        with m.elsewhen(ports.in_valid & ~spare_full):
            m.assign(spare_full, 1)
        with m.when(~spare_full):
            m.assign(spare, ports.in_data)
    return m


def _make_memory_fifo(name: str, type: Bits, depth: int) -> Module:
    """A queue whose words wait in a memory of which one is fetched ahead."""
    m = Module(name, f"Queue for {depth} words of {type.width} bits.")
    ports = _handshake(m, type)
    words = depth - 1
    waiting = m.register("waiting", unsigned(words.bit_length()), reset=0, comment="words in the memory")
    full = m.register("full", bit, reset=0, comment="the output register holds a word")
    head, tail = _pointer(m, "head", words), _pointer(m, "tail", words)
    memory = m.memory("store", type, words, collision="any")
    push = m.wire("push", ports.in_valid & ports.in_ready)
    fetch = m.wire("fetch", (waiting != 0) & (ports.out_ready | ~full))
    memory.write(tail, ports.in_data, push)
    m.assign(ports.in_ready, waiting != words)
    m.assign(ports.out_valid, full)
    m.assign(ports.out_data, memory.read(head, fetch))
    with m.clocked():
        with m.when(push):
            m.assign(tail, _advanced(tail, words))
        with m.when(fetch):
            m.assign(head, _advanced(head, words))
            m.assign(full, 1)
        with m.elsewhen(ports.out_ready):
            m.assign(full, 0)
        with m.when(push & ~fetch):
            m.assign(waiting, (waiting + 1).wrapped(waiting.bits))
        with m.elsewhen(fetch & ~push):
            m.assign(waiting, (waiting - 1).wrapped(waiting.bits))
    return m


def _handshake(m: Module, type: Bits) -> _Handshake:
    return _Handshake(
        in_valid=m.input("in_valid", bit),
        in_ready=m.output("in_ready", bit),
        in_data=m.input("in_data", type),
        out_valid=m.output("out_valid", bit),
        out_ready=m.input("out_ready", bit),
        out_data=m.output("out_data", type),
    )


def _pointer(m: Module, name: str, count: int) -> Signal:
    return m.register(name, unsigned(address_width(count)), reset=0)


def _advanced(pointer: Signal, count: int) -> Value:
    """The next place in a ring of some places."""
    following = (pointer + 1).wrapped(pointer.bits)
    return following if count == 1 << pointer.width else mux(pointer == count - 1, 0, following)
