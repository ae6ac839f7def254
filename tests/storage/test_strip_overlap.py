"""Strips that overlap: the order of token operations of generated programs, replayed on cells for any schedule."""

from __future__ import annotations

import random
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import pytest

import loadstone as ls
from kernels import EXAMPLES, ROWS_LATER, random_kernel
from loadstone.emit.c.of_accelerator import allocated_program
from loadstone.emit.c.targets import emit_library
from loadstone.loops.accelerator import Accelerator
from loadstone.pipeline import plan_tiles
from loadstone.simulate.memory import initial_memory
from loadstone.simulate.programs.compiled import CompiledKernel, Sources
from loadstone.storage.handover import Mode
from loadstone.storage.local_plan import LocalPlan, with_buffers
from loadstone.transform.tiling import TiledKernel, Tiling, tiled
from strip_oracle import Cell, Coordinates, Tile, moves, strips_of
from tilings import example_tilings, random_tilings

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")

LOGGED_STREAMS_H = """
#include <stdbool.h>
#include <stdio.h>

typedef int pthread_t;
struct bool_stream { int unused; };
struct gate { int unused; };
static FILE *logged;
#define bool_open(queue, capacity) ((void)(queue), true)
#define bool_close(queue) ((void)(queue))
#define bool_put(queue, word) fprintf(logged, "send " #queue "\\n")
#define bool_get(queue) fprintf(logged, "receive " #queue "\\n")
#define gate_open(gate) ((void)(gate))
#define gate_close(gate) ((void)(gate))
#define gate_passed(gate) ((void)(gate), true)
#define threads_ran(count, threads, runs, gate, state) ((void)(threads), one_by_one(count, runs, state))

static bool one_by_one(int count, void *(*const *runs)(void *), void *state)
{
  logged = fopen(LOG, "w");
  for (int k = 0; k < count; k++) {
    runs[k](state);
    fprintf(logged, "end process\\n");
  }
  fclose(logged);
  return true;
}
"""
"""Queues that do not wait but write down what happens to them; processes run one after the other."""

EVERY_OTHER_ROW = """
void every_other_row(int n, int m, int a[n][m]) {
  for (int i = 2; i < n; i += 2)
    for (int j = 0; j < m; j++)
      a[i][j] = a[i - 2][j] + 1;
}
"""
COPY_ROWS = """
void copy_rows(int n, int m, int a[n][m], int b[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      b[i][j] = a[i][j];
}
"""
THROUGH_LOCAL_ROWS = """
void through_local_rows(int n, int m, int a[n][m], int b[n][m]) {
  int t[m];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      t[j] = a[i][j] + 1;
      b[i][j] = t[j] * t[j];
    }
}
"""
TEXTS = {
    "rows_later": ROWS_LATER,
    "every_other_row": EVERY_OTHER_ROW,
    "copy_rows": COPY_ROWS,
    "through_local_rows": THROUGH_LOCAL_ROWS,
}
PROCESSES = ("load", "compute", "store")
MADE = {"loaded": "load", "computed": "compute", "stored": "store"}
Event = tuple[str, int]
Operation = tuple[str, str]
Choice = Callable[[Sequence[str]], str]


def kernel_of(name: str, folder: Path) -> ls.Kernel:
    if name not in TEXTS:
        return ls.parse(next(path for path in EXAMPLES if path.stem == name))
    path = folder / f"{name}.c"
    path.write_text(TEXTS[name])
    return ls.parse(path)


def rows_of_tiles(name: str, folder: Path) -> TiledKernel:
    """Tiles of 1 x 3: a strip is a row."""
    return tiled(kernel_of(name, folder), Tiling((1, 3)))


def operations(plan: LocalPlan, parameters: Mapping[str, int], folder: Path) -> dict[str, list[Operation]]:
    """What the processes of the generated program do with queues, in order: this does not depend on time."""
    accelerator = Accelerator(plan)
    kernel, log = accelerator.kernel, folder / "log"
    files = {**emit_library(allocated_program(accelerator), None), "streams.h": LOGGED_STREAMS_H}
    flags = ("-std=c11", "-O1", f'-DLOG="{log}"')
    program = CompiledKernel(kernel, Sources(files, [f"{kernel.name}.c", "entry.c"], flags), "accelerator")
    program.run(parameters, initial_memory(kernel, parameters))
    *parts, rest = log.read_text().split("end process\n")
    assert rest == ""
    lines = ([line.split() for line in part.splitlines()] for part in parts)
    return {name: [(verb, queue) for verb, queue in part] for name, part in zip(PROCESSES, lines, strict=True)}


@dataclass
class Pipeline:
    """Processes that send and receive tokens, and what they have done to which tile."""

    programs: Mapping[str, Sequence[Operation]]
    capacity: int
    at: Counter[str] = field(default_factory=Counter[str])
    queues: Counter[str] = field(default_factory=Counter[str])
    tiles: Counter[str] = field(default_factory=Counter[str])
    events: list[Event] = field(default_factory=list[Event])

    def run(self, choose: Choice) -> list[Event]:
        """All events, where a choice among the processes that need not wait says which goes on."""
        while ready := [process for process in PROCESSES if self.is_ready(process)]:
            self.step(choose(ready))
        assert all(self.at[process] == len(self.programs[process]) for process in PROCESSES), "all wait"
        assert not any(self.queues.values())
        return self.events

    def is_ready(self, process: str) -> bool:
        if self.at[process] == len(self.programs[process]):
            return False
        verb, queue = self.programs[process][self.at[process]]
        assert verb == "receive" or self.queues[queue] < self.capacity, "sending a token never waits"
        return verb == "send" or self.queues[queue] > 0

    def step(self, process: str) -> None:
        verb, queue = self.programs[process][self.at[process]]
        self.at[process] += 1
        self.queues[queue] += 1 if verb == "send" else -1
        if verb == "send" and queue in MADE:
            self.events.append((MADE[queue], self.tiles[queue]))
            self.tiles[queue] += 1


def greedy(*order: str) -> Choice:
    """Schedules in which the first of the processes that can goes on."""
    return lambda ready: min(ready, key=order.index)


LOAD_FIRST = greedy("load", "compute", "store")


def schedules(seed: int) -> Iterable[Choice]:
    yield LOAD_FIRST
    yield greedy("store", "compute", "load")
    yield greedy("load", "store", "compute")
    yield from (random.Random(10 * seed + k).choice for k in range(3))


class Work:
    """The tiles of a plan with the numbers of their strips, and what they load and store."""

    def __init__(self, plan: LocalPlan, parameters: Mapping[str, int]) -> None:
        self.plan, self.parameters = plan, parameters
        strips = strips_of(plan.tiles, parameters)
        self.tiles = [(number, tile) for number, strip in enumerate(strips) for tile in strip]
        self.load, self.store = self.moved("load"), self.moved("store")

    def moved(self, side: str) -> dict[Coordinates, set[Cell]]:
        found: defaultdict[Coordinates, set[Cell]] = defaultdict(set)
        for part in self.plan.arrays.values():
            for tile, cells in moves(getattr(part, side), self.plan.tiles, self.parameters).items():
                found[tile] |= cells
        return dict(found)


class Replay:
    """The tiles of a plan, done in the order of events on local cells that know what they hold."""

    def __init__(self, work: Work, copies: int | None = None) -> None:
        self.work, self.copies = work, copies
        self.held: dict[object, tuple[int, Cell]] = {}
        self.waiting: defaultdict[Cell, Counter[int]] = defaultdict(Counter[int])
        for strip, tile in work.tiles:
            for cell in work.store.get(tile.coordinates, ()):
                self.waiting[cell][strip] += 1

    def run(self, events: Iterable[Event]) -> None:
        for process, number in events:
            strip, tile = self.work.tiles[number]
            {"load": self.loaded, "compute": self.computed, "store": self.stored}[process](strip, tile)

    def loaded(self, strip: int, tile: Tile) -> None:
        for cell in self.work.load.get(tile.coordinates, ()):
            late = [earlier for earlier, count in self.waiting[cell].items() if earlier < strip and count > 0]
            assert not late, f"strip {strip} loads {cell} before strip {late} has stored it"
            self.held[self.place(strip, cell)] = strip, cell

    def computed(self, strip: int, tile: Tile) -> None:
        self.check(strip, tile.reads)
        for cell in tile.over:
            self.held[self.place(strip, cell)] = strip, cell

    def stored(self, strip: int, tile: Tile) -> None:
        cells = self.work.store.get(tile.coordinates, set[Cell]())
        self.check(strip, cells)
        for cell in cells:
            self.waiting[cell][strip] -= 1

    def check(self, strip: int, cells: Iterable[Cell]) -> None:
        for cell in cells:
            found = self.held.get(self.place(strip, cell))
            assert found == (strip, cell), f"strip {strip}: the cell of {cell} holds {found}"

    def place(self, strip: int, cell: Cell) -> object:
        name, element = cell
        buffer = self.work.plan[name].buffer
        address = tuple(
            sum(a * b for a, b in zip(part.row, element, strict=True)) % (part.modulus or 10**9)
            for part in buffer.components
        )
        return name, strip % (self.copies or buffer.copies), address


def check_all_schedules(plan: LocalPlan, parameters: Mapping[str, int], folder: Path, seed: int = 0) -> None:
    programs, work = operations(plan, parameters, folder), Work(plan, parameters)
    for choose in schedules(seed):
        Replay(work).run(Pipeline(programs, plan.depth).run(choose))


def strip_ends(plan: LocalPlan, parameters: Mapping[str, int]) -> list[tuple[int, int]]:
    """The first and the last tile of each strip, counted over all strips."""
    lengths = [len(strip) for strip in strips_of(plan.tiles, parameters)]
    return [(sum(lengths[:k]), sum(lengths[: k + 1]) - 1) for k in range(len(lengths))]


def overlaps(plan: LocalPlan, parameters: Mapping[str, int], folder: Path) -> list[bool]:
    """For each strip but the first, whether load can have done its first tile before the strip before is stored."""
    events = Pipeline(operations(plan, parameters, folder), plan.depth).run(LOAD_FIRST)
    date = {event: k for k, event in enumerate(events)}
    ends = strip_ends(plan, parameters)
    return [date["load", first] < date["store", last] for (_, last), (first, _) in pairwise(ends)]


@needs_gcc
@pytest.mark.parametrize("depth", [2, 3])
def test_the_next_strip_is_loaded_before_a_strip_is_stored(depth: int, tmp_path: Path) -> None:
    kernel = kernel_of("matmul", tmp_path)
    found = overlaps(ls.plan(kernel, ls.Tiling(2), depth=depth), {"n": 5}, tmp_path)
    assert found == [True] * 8
    assert not any(overlaps(ls.plan(kernel, ls.Tiling(2), depth=depth, strips="drain"), {"n": 5}, tmp_path))
    assert not any(overlaps(ls.plan(kernel, ls.Tiling(2), depth=1), {"n": 5}, tmp_path))


@needs_gcc
@pytest.mark.parametrize("depth", [2, 3, 5])
@pytest.mark.parametrize("m", [2, 7])
def test_a_strip_is_loaded_when_the_one_two_before_is_stored(depth: int, m: int, tmp_path: Path) -> None:
    """At that moment at the earliest, and then if tiles in flight allow it: strips have one tile, or three."""
    plan = with_buffers(plan_tiles(rows_of_tiles("rows_later", tmp_path)), depth)
    parameters = {"n": 9, "m": m}
    events = Pipeline(operations(plan, parameters, tmp_path), depth).run(LOAD_FIRST)
    ends = strip_ends(plan, parameters)
    stored = 0
    for process, tile in events:
        stored += process == "store"
        strip = next((k for k, (first, _) in enumerate(ends) if first == tile), None)
        if process == "load" and strip is not None:
            before = ends[strip - 2][1] + 1 if strip >= 2 else 0
            assert stored == max(before, tile - depth + 1, 0)


@needs_gcc
@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("name", ["matmul", "fir", "syrk", "polymul", "jacobi-1d"])
def test_examples_in_any_schedule(name: str, depth: int, tmp_path: Path) -> None:
    kernel = kernel_of(name, tmp_path)
    parameters = dict.fromkeys(kernel.parameters, 5)
    for tiles in example_tilings(kernel):
        check_all_schedules(with_buffers(plan_tiles(tiles), depth), parameters, tmp_path)


@needs_gcc
@pytest.mark.parametrize("mode", ["overlap", "drain"])
@pytest.mark.parametrize("name", list(TEXTS))
def test_rows_in_any_schedule(name: str, mode: Mode, tmp_path: Path) -> None:
    for depth in (2, 3):
        plan = with_buffers(plan_tiles(rows_of_tiles(name, tmp_path)), depth, strips=mode)
        check_all_schedules(plan, {"n": 9, "m": 7}, tmp_path, depth)


@needs_gcc
@pytest.mark.parametrize("seed", [1, 2, 4, 8, 11])
def test_random_kernels_in_any_schedule(seed: int, tmp_path: Path) -> None:
    kernel, rows = random_kernel(seed)
    for tiles in random_tilings(kernel, seed, (1 + seed % 2,)):
        check_all_schedules(with_buffers(plan_tiles(tiles), 2 + seed % 2), rows[-1], tmp_path, seed)


@needs_gcc
def test_one_copy_would_not_do(tmp_path: Path) -> None:
    plan = ls.plan(kernel_of("matmul", tmp_path), ls.Tiling(2))
    events = Pipeline(operations(plan, {"n": 5}, tmp_path), 2).run(LOAD_FIRST)
    with pytest.raises(AssertionError, match="the cell of"):
        Replay(Work(plan, {"n": 5}), copies=1).run(events)


@needs_gcc
def test_strips_that_read_back_the_next_one_may_not_overlap(tmp_path: Path) -> None:
    """The events of a kernel that overlaps, for one that must not."""
    copied, shifted = (plan_tiles(rows_of_tiles(name, tmp_path)) for name in ("copy_rows", "every_other_row"))
    events = Pipeline(operations(with_buffers(copied, 2), {"n": 3, "m": 2}, tmp_path), 2).run(LOAD_FIRST)
    with pytest.raises(AssertionError, match="strip 1 loads"):
        Replay(Work(with_buffers(shifted, 2), {"n": 7, "m": 2}), copies=2).run(events)


def test_decisions(tmp_path: Path) -> None:
    def decided(name: str, depth: int = 2, mode: Mode = "overlap") -> tuple[str, str, list[int]]:
        plan = with_buffers(plan_tiles(rows_of_tiles(name, tmp_path)), depth, strips=mode)
        return plan.handover.mode, plan.handover.why, [part.buffer.copies for part in plan.arrays.values()]

    no_wait = "no strip loads what the one before it stored"
    assert decided("copy_rows") == ("overlap", no_wait, [2, 2])
    assert decided("through_local_rows") == ("overlap", no_wait, [2, 1, 2])
    assert decided("rows_later") == ("overlap", no_wait, [2])
    assert decided("every_other_row") == ("drain", "a strip loads what the one before it stored", [1])
    assert decided("copy_rows", mode="drain") == ("drain", "requested", [1, 1])
    assert decided("copy_rows", depth=1) == ("drain", "one tile is in flight", [1, 1])
