"""How far the channels of a network can shrink, and what larger ones would gain, measured by running it.

More room never makes a run slower: every time is a maximum of times that come no later. So the least sizes are found by
bisection. Channels that are not in order are taken to find any free cell here: what counts is the number of values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from loadstone.networks.model import Network
from loadstone.networks.sizes import ChannelSize
from loadstone.simulate.networks.execution import execute_program
from loadstone.simulate.networks.program import Program, make_program


@dataclass(frozen=True, slots=True)
class ChannelTuning:
    """What a channel needs while all others have their derived size.

    `live` is the least size with which the network does not deadlock, `fast` the least that takes no more cycles than
    the derived size; `unbounded_cycles` are the cycles if the channel has no bound.
    """

    size: int
    live: int
    fast: int
    unbounded_cycles: int


@dataclass(frozen=True, slots=True)
class Tuning:
    """The cycles of a run with derived sizes and with unbounded channels, and what each channel needs."""

    cycles: int
    unbounded_cycles: int
    channels: Mapping[str, ChannelTuning]


def tune(network: Network, parameters: Mapping[str, int], sizes: Mapping[str, ChannelSize]) -> Tuning:
    """What the sizes of a network's channels do to liveness and throughput, for given parameters.

    Takes about 2 log2(size) + 1 runs for each channel; runs compute no values, and take about 5 microseconds for each
    instance.
    """
    program = make_program(network, parameters)
    cycles = execute_program(program, sizes).cycles
    channels = {name: _tuned(program, sizes, name, cycles) for name in sizes}
    return Tuning(cycles, execute_program(program, {}).cycles, channels)


def _tuned(program: Program, sizes: Mapping[str, ChannelSize], name: str, cycles: int) -> ChannelTuning:
    size = sizes[name].cells

    def lives(cells: int) -> bool:
        return execute_program(program, _with_cells(sizes, name, cells)).finished

    def keeps_pace(cells: int) -> bool:
        run = execute_program(program, _with_cells(sizes, name, cells))
        return run.finished and run.cycles <= cycles

    live = _least(1, size, lives)
    others = {other: given for other, given in sizes.items() if other != name}
    return ChannelTuning(size, live, _least(live, size, keeps_pace), execute_program(program, others).cycles)


def _with_cells(sizes: Mapping[str, ChannelSize], name: str, cells: int) -> Mapping[str, ChannelSize]:
    return {**sizes, name: ChannelSize(cells, cells)}


def _least(low: int, high: int, enough: Callable[[int], bool]) -> int:
    """The least number from `low` to `high` that is enough; `high` is, and what is above one that is, too."""
    while low < high:
        middle = (low + high) // 2
        if enough(middle):
            high = middle
        else:
            low = middle + 1
    return low
