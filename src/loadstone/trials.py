"""Programs run against the original on the same data: C, HLS C++, process networks, and the interpreted kernel."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from loadstone.analysis.bounds import out_of_bounds
from loadstone.errors import refused
from loadstone.loops.accelerator import predicted_words
from loadstone.loops.model import Node
from loadstone.model.definitions import check_executable
from loadstone.model.kernel import Kernel
from loadstone.model.types import Number
from loadstone.networks.instances import network_words
from loadstone.options import RunOptions
from loadstone.outcome import Outcome, Rounding, Traffic, Verdict
from loadstone.parallel.beats import NO_BEATS, Beats
from loadstone.parallel.lanes import NO_LANES, Lanes
from loadstone.pipeline import Compilation
from loadstone.simulate.interpreter import execute
from loadstone.simulate.memory import Element, Memory, copied, initial_memory, live_out_arrays, mismatches, same
from loadstone.simulate.programs.compiled import CompiledKernel, compile_original, compile_printed, compile_reference
from loadstone.simulate.programs.generated import compile_c, compile_hls, compile_network
from loadstone.simulate.rounding import Errors, reached, rounding_errors
from loadstone.transfer.volumes import count
from loadstone.transform.tiling import TiledKernel, tiling_info

MOST_BOUNDED = 200_000
"""The largest number of instances whose rounding errors are bounded."""


def run_program(compilation: Compilation, options: RunOptions) -> Outcome:
    """The outcome of running what is generated as C or HLS C++ against the original program."""
    check_executable(compilation.kernel)
    values = compilation.values
    is_hls = options.mode() == "hls"
    lanes, beats = compilation.widened(options.flavour, values) if is_hls else (NO_LANES, NO_BEATS)
    program, planned = _program(compilation, options, lanes, beats)
    tiles = compilation.network_tiles if options.network else compilation.tiles
    kernel = tiles.kernel if tiles.rounded else compilation.kernel
    expected, start = trial(kernel, values, options.seed)
    actual = memory_of(tiles.kernel, values, options.seed, start)
    words = program.run(values, actual)
    return Outcome(
        target=options.target,
        kernel=kernel.name,
        parameters=values,
        verdict=verdict(kernel, expected, actual),
        rounding=rounding(compilation.kernel, tiles, values, actual, options.seed),
        traffic=Traffic(words.loaded, words.stored, planned),
        tiling=tiling_info(tiles),
        lanes=lanes if lanes.asked > 1 else None,
        order=lanes.order,
        beats=beats if is_hls else None,
        suggestion=compilation.suggestion,
    )


def _program(
    compilation: Compilation, options: RunOptions, lanes: Lanes, beats: Beats
) -> tuple[CompiledKernel, tuple[int, int]]:
    """The compiled program, and the words that it should load and store."""
    values = compilation.values
    match options.mode():
        case "c":
            made = compile_c(compilation.accelerator, checked=options.checked, sequential=options.sequential)
            return made, predicted_words(compilation.accelerator, values)
        case "hls":
            made = compile_hls(compilation.accelerator, options.flavour, values, lanes, beats)
            return made, predicted_words(compilation.accelerator, values)
        case "network-c" | "network-hls" as mode:
            flavour = options.flavour if mode == "network-hls" else None
            made = compile_network(compilation.network, compilation.channel_sizes, values, flavour)
            return made, network_words(compilation.network, values)
        case "model" | "on-chip" | "accelerator" | "prediction" | "network-hardware" as other:
            raise AssertionError(f"{other} is not a program")


def compare_executions(
    kernel: Kernel, parameters: Mapping[str, int], seed: int = 0, loops: Node | None = None
) -> Outcome:
    """The outcome of running a kernel as its own C (if it is C), interpreted, and as C printed from the model.

    `loops` are those to print, by default in the kernel's own order.
    """
    start = initial_memory(kernel, parameters, seed)
    outputs = live_out_arrays(kernel)
    interpreted = copied(start)
    try:
        trace = execute(kernel, parameters, interpreted)
    except IndexError as error:
        raise refused(f"the kernel leaves an array: {error}", None, "see the warnings of info") from None
    ways: dict[str, int] = {}
    for way, program in _compiled_ways(kernel, loops):
        memory = copied(start)
        program.run(parameters, memory)
        ways[way] = len(mismatches(interpreted, memory, outputs))
    return Outcome(
        target="model",
        kernel=kernel.name,
        parameters=parameters,
        instances=len({event.time for event in trace}),
        verdict=Verdict(sum(ways.values()), {name: len(start[name].cells) for name in outputs}),
        ways=ways,
    )


def _compiled_ways(kernel: Kernel, loops: Node | None) -> Iterator[tuple[str, CompiledKernel]]:
    if kernel.original is not None:
        yield "original C", compile_original(kernel)
    yield "printed C", compile_printed(kernel, loops)


def trial(kernel: Kernel, parameters: Mapping[str, int], seed: int = 0, functions: str = "") -> tuple[Memory, Memory]:
    """What the original program leaves of generated data, and the same data before a run.

    `functions` are definitions in C of library functions, which it calls instead of the library's.
    """
    start = initial_memory(kernel, parameters, seed)
    check_in_bounds(kernel, parameters)
    expected = copied(start)
    compile_reference(kernel, functions).run(parameters, expected)
    return expected, start


def memory_of(kernel: Kernel, parameters: Mapping[str, int], seed: int, start: Memory) -> Memory:
    """The memory of a kernel before a run: what another one starts with, and arrays that only this one has."""
    own = initial_memory(kernel, parameters, seed)
    shared = {name for name, buffer in own.items() if name in start and start[name].extents == buffer.extents}
    return {name: start[name] if name in shared else buffer for name, buffer in own.items()}


def rounding(
    original: Kernel,
    tiles: TiledKernel,
    parameters: Mapping[str, int],
    actual: Memory,
    seed: int = 0,
    functions: str = "",
) -> Rounding | None:
    """How memory after a run compares with the original order, if floating-point reductions ran in another one."""
    if not tiles.rounded:
        return None
    expected, start = trial(original, parameters, seed, functions)
    few = instance_count(original, parameters) <= MOST_BOUNDED
    both = (original, copied(start)), (tiles.kernel, memory_of(tiles.kernel, parameters, seed, copied(start)))
    bounds = [rounding_errors(each, parameters, memory) for each, memory in both] if few else None
    free = reached(original, tiles.rounded)
    cells = [
        _Cell(before, after, 0.0 if name not in free else math.inf if bounds is None else _bound(bounds, name, element))
        for name in live_out_arrays(original)
        for element, before, after in zip(
            expected[name].elements(), expected[name].cells, actual[name].cells, strict=True
        )
    ]
    differing = [cell for cell in cells if cell.differs]
    return Rounding(
        tuple(sorted(tiles.rounded)),
        len(differing),
        max((cell.difference for cell in differing), default=0.0),
        max((cell.bound for cell in cells), default=0.0),
        sum(cell.is_beyond for cell in cells),
    )


class _Cell(NamedTuple):
    """A cell after the original program and after a run, and how far these may be apart."""

    before: Number
    after: Number
    bound: float

    @property
    def differs(self) -> bool:
        """Whether some bit differs."""
        return not same(self.before, self.after)

    @property
    def difference(self) -> float:
        """How far the values are apart."""
        return abs(self.before - self.after)

    @property
    def is_beyond(self) -> bool:
        """Whether the values are too far apart; without a bound, no bit may differ."""
        return self.differs and not (self.bound and self.difference <= self.bound)


def _bound(bounds: Sequence[Errors], name: str, element: Element) -> float:
    return sum(each[name].get(element, 0.0) for each in bounds)


def instance_count(kernel: Kernel, parameters: Mapping[str, int]) -> int:
    """How many instances a kernel executes."""
    return sum(count(statement.domain, parameters) for statement in kernel.statements)


def check_in_bounds(kernel: Kernel, parameters: Mapping[str, int]) -> None:
    """Raise `InputError` where an access surely leaves its array for these parameters."""
    finding = next(out_of_bounds(kernel, parameters), None)
    if finding is not None:
        raise refused(f"the kernel leaves an array: {finding.text()}", finding.span)


def verdict(kernel: Kernel, expected: Memory, actual: Memory) -> Verdict:
    """How memory after a run compares with what the original program leaves."""
    outputs = live_out_arrays(kernel)
    return Verdict(len(mismatches(expected, actual, outputs)), {name: len(expected[name].cells) for name in outputs})
