"""The network: processes that run by themselves, and channels that carry values from one to another [RR-9131, 2.3]."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import islpy as isl

from loadstone.markup import table
from loadstone.transform.tiling import TiledKernel

Kind = Literal["load", "compute", "store"]
Pattern = Literal["fifo", "fifo-register", "reorder", "reorder-register"]


@dataclass(frozen=True, slots=True, eq=False)
class Process:
    """A process: its instances, and their dates in the sequential order of the program.

    A compute process executes a statement. A load process `load_a` brings elements of an array, each once, its
    instances are elements; a store process `store_a` takes final values back. Dates of all processes are in one space;
    the process runs its own instances in the order of their dates.
    """

    name: str
    kind: Kind
    domain: isl.Set
    dates: isl.Map

    @property
    def array(self) -> str:
        """The array whose elements a load or store process moves."""
        return self.name.removeprefix(f"{self.kind}_")


@dataclass(frozen=True, slots=True, eq=False)
class Channel:
    """A channel: which instance of the producer makes the value that an instance of the consumer reads.

    `read` is the position of the read in the consumer's statement, 0 for store processes. `split_from` names the
    channel of which this is a part; `depth` is the tile dimension that the values cross, counted from 1, or the number
    of dimensions plus 1 inside of a tile. `note` says why a decision was not exact, if it was not. With `forwards`, the
    producer sends on the value that it has itself read at this position, instead of the one that it computes.
    """

    id: str
    producer: str
    consumer: str
    array: str
    read: int
    relation: isl.Map
    pattern: Pattern
    split_from: str | None = None
    depth: int | None = None
    note: str = ""
    forwards: bool = False


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Network:
    """The processes and channels of a tiled kernel.

    With `blocks`, loads and stores move whole tiles, in the order of addresses, and channels between processes hold
    the values of that many tiles.
    """

    tiles: TiledKernel
    processes: Mapping[str, Process]
    channels: tuple[Channel, ...]
    blocks: int | None = None

    def __repr__(self) -> str:
        name = self.tiles.kernel.name
        return f"<network of {name}: {len(self.processes)} processes, {len(self.channels)} channels>"

    def _repr_html_(self) -> str:
        rows = [(c.id, c.producer, c.consumer, c.array, c.pattern) for c in self.channels]
        return table(repr(self), ("channel", "from", "to", "array", "pattern"), rows)

    def without_transfers(self) -> Network:
        """The processes that execute statements, and the channels between them."""
        kept = {name: process for name, process in self.processes.items() if process.kind == "compute"}
        channels = tuple(c for c in self.channels if c.producer in kept and c.consumer in kept)
        return replace(self, processes=kept, channels=channels)

    def producer(self, channel: Channel) -> Process:
        """The process that writes to a channel."""
        return self.processes[channel.producer]

    def consumer(self, channel: Channel) -> Process:
        """The process that reads from a channel."""
        return self.processes[channel.consumer]
