"""Streams: words with a handshake of valid and ready, and queues of words inside of a module."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from loadstone.rtl.expressions import Signal, Value, cat
from loadstone.rtl.module import Module
from loadstone.rtl.types import Bits, bit


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """A stream of words: one moves in each cycle in which `valid` and `ready` are both set.

    A word has fields; a plain one has the field `data` alone. Valid does not wait for ready.
    """

    valid: Signal
    ready: Signal
    fields: Mapping[str, Signal]

    @property
    def transfer(self) -> Value:
        """Whether a word moves in this cycle."""
        return self.valid & self.ready

    @property
    def data(self) -> Signal:
        """The word of a plain stream."""
        return self.fields["data"]

    @property
    def payload(self) -> Value:
        """All fields side by side, the first at the top."""
        return cat(*self.fields.values())


def input_stream(m: Module, prefix: str, type: Bits) -> Stream:
    """New ports of a module for words that it takes."""
    valid, ready = m.input(f"{prefix}_valid", bit), m.output(f"{prefix}_ready", bit)
    return Stream(valid, ready, {"data": m.input(f"{prefix}_data", type)})


def output_stream(m: Module, prefix: str, type: Bits) -> Stream:
    """New ports of a module for words that it gives."""
    valid, ready = m.output(f"{prefix}_valid", bit), m.input(f"{prefix}_ready", bit)
    return Stream(valid, ready, {"data": m.output(f"{prefix}_data", type)})
