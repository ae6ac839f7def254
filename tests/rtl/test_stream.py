"""Streams and queues inside of modules."""

from __future__ import annotations

from collections import deque
from random import Random

from loadstone.rtl import Module, Simulation, Stream, add_queue, bit, unsigned
from loadstone.rtl.blocks import BLOCK
from loadstone.rtl.expressions import Concat
from loadstone.rtl.stream import input_stream, output_stream


def queued(depth: int) -> Module:
    """A module that passes words through a queue."""
    m = Module(f"queued_{depth}")
    taken, given = input_stream(m, "in", unsigned(8)), output_stream(m, "out", unsigned(8))
    queue = add_queue(m, "words", depth, taken.valid, taken.data, given.ready)
    m.assign(taken.ready, queue.room)
    m.assign(given.valid, queue.valid)
    m.assign(given.data, queue.data)
    return m


def test_words_leave_a_queue_in_order_and_none_is_lost() -> None:
    for depth in (1, 2, 5, BLOCK + 1, 90):
        simulation, source, waiting, moved = Simulation(queued(depth)), Random(depth), deque[int](), 0
        for cycle in range(400):
            offers, accepts = source.random() < 0.6, source.random() < 0.5
            for name, value in (("in_valid", offers), ("in_data", cycle % 256), ("out_ready", accepts)):
                simulation.set(name, int(value))
            if accepts and simulation.get("out_valid"):
                assert simulation.get("out_data") == waiting.popleft()
                moved += 1
            if offers and simulation.get("in_ready"):
                waiting.append(cycle % 256)
            assert len(waiting) <= depth
            simulation.step()
        assert moved > 100


def test_the_payload_of_a_stream_has_its_first_field_at_the_top() -> None:
    m = Module("stream")
    signals = {name: m.input(name, type) for name, type in (("address", unsigned(8)), ("last", bit))}
    stream = Stream(m.input("valid", bit), m.output("ready", bit), signals)
    assert isinstance(stream.payload, Concat)
    assert stream.payload.parts == tuple(signals.values())
    assert (stream.payload.width, stream.transfer.width) == (9, 1)
