"""Networks executed by the rules of Kahn, with bounded channels.

Every process runs its instances in their order, one per cycle at most. An instance first reads, then writes. It waits
until all values that it reads are there, and until there is room for all values that it writes:

    a value can be read in the cycle after the one in which it was written;
    a place can be written in the cycle after the one in which its value was read last, or by the very instance that
    reads this value.

Results do not depend on the order in which processes are looked at. Neither do the times: each is the least that these
rules allow, so that they are found without stepping through the cycles.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from loadstone.networks.model import Network
from loadstone.networks.sizes import ChannelSize
from loadstone.simulate.memory import Memory
from loadstone.simulate.networks.channel_data import ChannelData
from loadstone.simulate.networks.program import Actor, Program, make_program

Why = Literal["empty", "full", "cell in use"]


class Blocked(NamedTuple):
    """What a process waits for: a value of an empty channel, or room in a full one, or a cell of one that reorders."""

    channel: str
    why: Why


@dataclass(frozen=True, slots=True)
class NetworkRun:
    """The outcome of a run.

    `blocked` names the processes that have not ended, and what each waits for: there are some exactly if the network
    has deadlocked. `fills` are the largest numbers of values in each channel, `stalls` the cycles in which each process
    waited before its last instance.
    """

    cycles: int
    instances: int
    blocked: Mapping[str, Blocked]
    fills: Mapping[str, int]
    stalls: Mapping[str, int]

    @property
    def finished(self) -> bool:
        """Whether all instances ran."""
        return not self.blocked


def run_network(
    network: Network, parameters: Mapping[str, int], memory: Memory, sizes: Mapping[str, ChannelSize]
) -> NetworkRun:
    """Run a network on a memory, which it changes; channels without a size are unbounded.

    About 10 microseconds for each instance, and 10 more to make the network ready.
    """
    return execute_program(make_program(network, parameters), sizes, memory)


def execute_program(program: Program, sizes: Mapping[str, ChannelSize], memory: Memory | None = None) -> NetworkRun:
    """Run a network that is ready; without a memory no values are computed, but times and blocking are the same."""
    return _Machine(program, sizes, None if memory is None else ChannelData(program, memory)).run()


class _Machine:
    """A network at work: the times of what has happened so far, and the processes that may go on."""

    def __init__(self, program: Program, sizes: Mapping[str, ChannelSize], data: ChannelData | None) -> None:
        self._actors, self._links = program.actors, program.links
        self._data = data
        self._sizes = sizes
        self._rooms = [link.makes_room(sizes.get(link.channel.id)) for link in self._links]
        self._written: list[list[int]] = [[] for _ in self._links]
        self._gone: list[list[int]] = [[] for _ in self._links]
        self._done = [0] * len(self._actors)
        self._time = [-1] * len(self._actors)
        self._reader_waits = [False] * len(self._links)
        self._writer_waits = [False] * len(self._links)
        self._ready = deque(range(len(self._actors)))

    def run(self) -> NetworkRun:
        """Let processes run, each as far as it gets, until none can go on."""
        while self._ready:
            self._advance(self._ready.popleft())
        return NetworkRun(
            cycles=max(self._time, default=-1) + 1,
            instances=sum(self._done),
            blocked=dict(self._blocked()),
            fills={link.channel.id: self._fill(number) for number, link in enumerate(self._links)},
            stalls=dict(self._stalls()),
        )

    def _advance(self, number: int) -> None:
        """Run instances of a process until one must wait."""
        actor = self._actors[number]
        for place in range(self._done[number], len(actor.instances)):
            time = self._start(actor, place, self._time[number] + 1)
            if time is None:
                return
            self._happen(actor, place, time)
            self._time[number] = time
            self._done[number] = place + 1

    def _start(self, actor: Actor, place: int, time: int) -> int | None:
        """The first cycle from `time` on in which an instance can run; None if it must wait for another process."""
        for channel, _, value, _ in actor.reads[place]:
            written = self._written[channel]
            if value >= len(written):
                self._reader_waits[channel] = True
                return None
            if written[value] >= time:
                time = written[value] + 1
        for channel, frees, _ in actor.writes[place]:
            gone = self._gone[channel]
            needed = self._rooms[channel][len(self._written[channel])]
            if needed >= len(gone) + frees:
                self._writer_waits[channel] = True
                return None
            if 0 <= needed < len(gone) and gone[needed] >= time:
                time = gone[needed] + 1
        return time

    def _happen(self, actor: Actor, place: int, time: int) -> None:
        """Run an instance in a cycle, and let the processes go on that have waited for what it reads or writes."""
        if self._data is not None:
            self._data.move(actor, place)
        for channel, _, _, is_last in actor.reads[place]:
            if is_last:
                self._gone[channel].append(time)
                if self._writer_waits[channel]:
                    self._writer_waits[channel] = False
                    self._ready.append(self._links[channel].producer)
        for channel, _, _ in actor.writes[place]:
            self._written[channel].append(time)
            if self._reader_waits[channel]:
                self._reader_waits[channel] = False
                self._ready.append(self._links[channel].consumer)

    def _blocked(self) -> Iterator[tuple[str, Blocked]]:
        """The processes that wait: for a value, or for room."""
        for number, link in enumerate(self._links):
            if self._reader_waits[number]:
                yield link.channel.consumer, Blocked(link.channel.id, "empty")
            if self._writer_waits[number]:
                in_cells = self._sizes[link.channel.id].mapping is not None
                yield link.channel.producer, Blocked(link.channel.id, "cell in use" if in_cells else "full")

    def _fill(self, number: int) -> int:
        """The largest number of values that a channel has held: a place is taken until it can be written again."""
        link, gone = self._links[number], self._gone[number]
        own = link.producer == link.consumer
        most = left = 0
        for written, time in enumerate(self._written[number], 1):
            while left < len(gone) and gone[left] < time + own:
                left += 1
            most = max(most, written - left)
        return most

    def _stalls(self) -> Iterator[tuple[str, int]]:
        for actor, time, done in zip(self._actors, self._time, self._done, strict=True):
            yield actor.process.name, time + 1 - done
