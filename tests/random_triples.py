"""Random kernels after random legal scripts, tiled at random, in every back end against the original program."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import islpy as isl

from kernels import parsed_random, random_kernel
from loadstone.emit.c.compute.interleaving import interleaved
from loadstone.emit.c.external.beats import program_beats
from loadstone.loops.accelerator import Accelerator, predicted_words
from loadstone.loops.ranges import parameter_limits
from loadstone.model.kernel import Kernel
from loadstone.networks.sizes import sized
from loadstone.options import Flavour
from loadstone.parallel.beats import NO_BEATS
from loadstone.parallel.lanes import find_lanes
from loadstone.pipeline import plan_tiles, split_network, whole_network
from loadstone.poly import fixed
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.simulate.memory import Memory, initial_memory, live_out_arrays, mismatches
from loadstone.simulate.networks.execution import run_network
from loadstone.simulate.programs.compiled import CompiledKernel, compile_original
from loadstone.simulate.programs.generated import compile_c, compile_hls
from loadstone.storage.local_plan import LocalPlan, with_buffers
from loadstone.transfer.check import check_plan
from loadstone.transform.choice import choose_tiling, is_legal, tiled_as
from loadstone.transform.selections import with_selections
from loadstone.transform.tiling import TiledKernel, Tiling, tiled
from random_scripts import random_legal_script
from random_temporaries import kernel_with_temporaries
from ready import PAPER, run_network_system, run_system
from strip_oracle import Cell, Coordinates, Moves, moves, replayed, strips_of
from tilings import MOST_STATEMENTS_FOR_ISL, random_tilings

MOST_PARTS = 6
MOST_PARTS_WITH_TEMPORARIES = 12
PLAN_LIMIT = 2_000_000
Parameters = Mapping[str, int]


@dataclass(frozen=True, eq=False)
class Triple:
    """A kernel, steps that are legal one after the other, and a legal tiling of what they lead to."""

    seed: int
    original: Kernel
    script: tuple[str, ...]
    tiles: TiledKernel
    rows: tuple[dict[str, int], ...]

    @property
    def kernel(self) -> Kernel:
        """The kernel after the script, as the tiling has it."""
        return self.tiles.kernel

    @cached_property
    def program(self) -> CompiledKernel:
        """The text of the original, compiled."""
        return compile_original(self.original)

    @cached_property
    def plan(self) -> LocalPlan:
        """The plan, with one, two or three tiles in flight."""
        return with_buffers(plan_tiles(self.tiles, limit=PLAN_LIMIT), 1 + self.seed % 3)

    @cached_property
    def accelerator(self) -> Accelerator:
        """The loops of the plan."""
        return Accelerator(self.plan)

    def start(self, parameters: Parameters) -> Memory:
        """The memory before a run, as the original needs it: a script may drop what subscripts by data.

        Expanded temporaries have other extents than in the original.
        """
        given = initial_memory(self.original, parameters, self.seed)
        own = initial_memory(self.kernel, parameters, self.seed)
        same = {name for name, memory in own.items() if name in given and given[name].extents == memory.extents}
        return {name: given[name] if name in same else memory for name, memory in own.items()}

    def check_memory(self, actual: Memory, parameters: Parameters, way: str) -> None:
        """Fails unless a memory is what the original program leaves, bit by bit."""
        expected = {**initial_memory(self.original, parameters, self.seed), **self.start(parameters)}
        self.program.run(parameters, expected)
        wrong = mismatches(expected, actual, live_out_arrays(self.original))
        assert not wrong, f"{way} of {self.text()} with {dict(parameters)}: {len(wrong)} cells differ"

    def text(self) -> str:
        """The triple in words, to find it again."""
        tiles = self.tiles
        return (
            f"seed {self.seed}, {'; '.join(self.script) or 'no step'}, {tiles.schedule} by {tiles.sizes}/{tiles.strip}"
        )


def random_triple(seed: int) -> Triple | None:
    """Triple number `seed`; None without a legal step or tiling within the limits, and for too many parts."""
    source = random.Random(seed)
    with_temporaries = seed % 10 == 7
    original, rows = (
        parsed_random(kernel_with_temporaries(seed), seed)
        if with_temporaries
        else random_kernel(seed, may=seed % 5 == 4)
    )
    program, script = random_legal_script(original, source, 1 + seed % 4)
    small = len(program.parts) <= (MOST_PARTS_WITH_TEMPORARIES if with_temporaries else MOST_PARTS)
    tiles = _random_tiling(program.kernel, seed, source) if script and small else None
    known = tuple(row for row in rows if not fixed(original.context, row).is_empty())
    return Triple(seed, original, script, tiles, known) if tiles and known else None


def triple_with_temporaries(seed: int) -> Triple | None:
    """Kernel number `seed` with accumulators and other temporaries, in tiles of random sizes; None without any."""
    source = random.Random(seed)
    original, rows = parsed_random(kernel_with_temporaries(seed), seed)
    kernel = with_selections(original)
    loops = [size for size in tiled(kernel, Tiling(2)).sizes if size > 1]
    sizes = tuple(source.choice((1, 2, 3, 5)) for _ in loops)
    tiles = choose_tiling(kernel, sizes, None, source.randint(1, len(sizes)))
    if not is_legal(tiles) and len(kernel.statements) <= MOST_STATEMENTS_FOR_ISL:
        tiles = tiled_as(kernel, Tiling(sizes[0], "auto"))
    return Triple(seed, original, (), tiles, rows) if is_legal(tiles) else None


def _random_tiling(kernel: Kernel, seed: int, source: random.Random) -> TiledKernel | None:
    """A legal tiling: the one that the tool chooses for a random size, or one with random sizes."""
    try:
        with operation_limit(PLAN_LIMIT):
            chosen = choose_tiling(kernel, (source.choice((1, 2, 3, 5)),)) if seed % 3 == 0 else None
            if chosen is not None and is_legal(chosen):
                return chosen
            return next(random_tilings(kernel, seed, (1 + seed % 2,)), None)
    except LimitReached:
        return None


def check_replayed_plan(triple: Triple) -> None:
    """The plan is valid, exact where it says so, and moves what a replay of the tiles needs."""
    load, store = (
        {name: getattr(part, side) for name, part in triple.plan.arrays.items()} for side in ("load", "store")
    )
    verdict = check_plan(triple.tiles, load, store)
    assert verdict.valid, f"{triple.text()}: {verdict.text()}"
    assert verdict.exact or not triple.plan.exact, f"{triple.text()}: {verdict.text()}"
    for row in triple.rows:
        moved = (moved_cells(triple.tiles, side, row) for side in (load, store))
        strips = strips_of(triple.tiles, row)
        triple.check_memory(replayed(triple.tiles, strips, row, triple.start(row), *moved), row, "plan")


def moved_cells(tiles: TiledKernel, side: Mapping[str, isl.Map], row: Parameters) -> Moves:
    """Tiles to the cells of all arrays that they move."""
    found: dict[Coordinates, frozenset[Cell]] = {}
    for relation in side.values():
        for tile, cells in moves(relation, tiles, row).items():
            found[tile] = found.get(tile, frozenset()) | cells
    return found


def check_program(triple: Triple, way: str, program: CompiledKernel) -> None:
    """A generated program leaves the memory of the original, and moves the words of the plan."""
    for row in triple.rows:
        actual = triple.start(row)
        words = program.run(row, actual)
        triple.check_memory(actual, row, way)
        assert words == predicted_words(triple.accelerator, row), f"words of {way} of {triple.text()} with {row}"


def check_c(triple: Triple) -> None:
    check_program(triple, "c", compile_c(triple.accelerator, checked=True))


def check_threads(triple: Triple) -> None:
    check_program(triple, "threads", compile_c(triple.accelerator))


def check_hls(triple: Triple, flavour: Flavour = "vitis") -> None:
    largest = {name: max(row[name] for row in triple.rows) for name in triple.kernel.parameters}
    asked = (1, 2, 3, (2, 2))[triple.seed % 4] if flavour == "vitis" else 1
    limits, beats = parameter_limits(triple.kernel, largest), NO_BEATS
    lanes = find_lanes(triple.accelerator, limits, asked)
    if flavour == "vitis" and triple.seed % 3:
        beats, lanes = program_beats(triple.accelerator, limits, lanes, (64, 512)[triple.seed % 2])
        lanes = interleaved(triple.accelerator, limits, lanes)
    check_program(triple, flavour, compile_hls(triple.accelerator, flavour, largest, lanes, beats))


def check_intel(triple: Triple) -> None:
    check_hls(triple, "intel")


def check_network(triple: Triple) -> None:
    """The network runs to its end and leaves the memory of the original, channels whole or split, with reuse or not."""
    split = ("none", "depth", "complete")[triple.seed % 3]
    network = split_network(whole_network(triple.tiles, limit=PLAN_LIMIT), split, reuse=triple.seed % 2 == 1)
    for row in triple.rows:
        actual = triple.start(row)
        run = run_network(network, row, actual, sized(network, row))
        assert run.finished, f"network of {triple.text()} with {row}: {run.blocked}"
        triple.check_memory(actual, row, "network")


def check_hardware(triple: Triple) -> None:
    """The accelerator in Verilog, with external memory; its run is held against the text of the original."""
    assert triple.kernel.original is not None
    outcome = run_system(triple.accelerator, triple.rows[-1], PAPER, seed=triple.seed)
    assert outcome.is_right, f"hardware of {triple.text()}: {outcome}"


def check_network_hardware(triple: Triple) -> None:
    """The process network in Verilog, with external memory."""
    assert triple.kernel.original is not None
    network = split_network(whole_network(triple.tiles, limit=PLAN_LIMIT), "complete")
    outcome = run_network_system(network, triple.rows[-1], PAPER, seed=triple.seed)
    assert outcome.is_right, f"hardware of the network of {triple.text()}: {outcome}"


CHECKS: Mapping[str, Callable[[Triple], None]] = {
    "plan": check_replayed_plan,
    "c": check_c,
    "threads": check_threads,
    "vitis": check_hls,
    "intel": check_intel,
    "network": check_network,
    "hardware": check_hardware,
    "network hardware": check_network_hardware,
}
