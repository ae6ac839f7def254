"""All that a report shows, gathered from a plan for given parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import islpy as isl

from loadstone.errors import Source
from loadstone.model.kernel import Kernel
from loadstone.outcome import Outcome
from loadstone.poly import fixed
from loadstone.poly.enumeration import Point
from loadstone.reporting.advice import machine_advice, plan_advice
from loadstone.reporting.extras import Extras
from loadstone.reporting.pictures import MOST_RECTANGLES, Picture, picture
from loadstone.reporting.strips import ShownStrip, TileWork, shown_strips, strip_values, strips_of
from loadstone.reporting.timeline import Bar, Job, timeline, total_time
from loadstone.reporting.words import array_sentence, isl_body, schedule_lines, tiling_sentence
from loadstone.simulate.memory import extents_of
from loadstone.storage.buffers import Buffer
from loadstone.storage.handover import Handover, Mode
from loadstone.storage.local_plan import LocalPlan
from loadstone.transfer import ArrayPlan, Plan
from loadstone.transfer.description import comparison
from loadstone.transfer.volumes import count

ALL_RECTANGLES = 12_000
NO_EXTRAS = Extras()


@dataclass(frozen=True, slots=True)
class BufferSummary:
    """A local buffer: the mapping of elements to cells, its shape, and how many elements live at the same time.

    Shape, cells and live elements are those of one copy, `local_bytes` those of all copies.
    """

    mapping: str
    shape: tuple[int | str, ...]
    cells: int
    local_bytes: int
    max_live: int | None = None
    copies: int = 1


@dataclass(frozen=True, slots=True)
class ArrayReport:
    """What is moved of one array: in words for the shown strip, as relations, in numbers and in closed form.

    An element takes `width` bytes in external memory.
    """

    name: str
    extents: tuple[int, ...]
    sentence: str
    load: str
    store: str
    loaded: int
    stored: int
    load_volume: str | None
    store_volume: str | None
    width: int

    @property
    def moved(self) -> int:
        """The bytes that all tiles load and store."""
        return self.width * (self.loaded + self.stored)


@dataclass(frozen=True, slots=True)
class Way:
    """A way of moving the data, with the words that it loads and stores."""

    name: str
    loaded: int
    stored: int


@dataclass(frozen=True, slots=True)
class Timeline:
    """The pipeline of the shown strips with `depth` tiles in flight; `sequential` is its time with one.

    `early` names the arrays whose words may be loaded while the strip before is still being stored, if strips drain.
    """

    depth: int
    mode: Mode
    early: frozenset[str]
    bars: tuple[Bar, ...]
    total: int
    sequential: int


@dataclass(frozen=True, slots=True)
class Report:
    """A kernel with a tiling, for given parameters.

    The first of `strips` is the one in the middle, or a chosen one; there is none when no statement is executed.
    """

    kernel: str
    source: Source | None
    parameters: Mapping[str, int]
    tiling: str
    schedule: tuple[str, ...]
    outer: tuple[str, ...]
    inner: tuple[str, ...]
    exact: bool
    reason: str
    arrays: tuple[ArrayReport, ...]
    ways: tuple[Way, ...]
    strip_count: int
    strips: tuple[ShownStrip, ...]
    pictures: tuple[Picture, ...]
    timeline: Timeline
    buffers: Mapping[str, BufferSummary]
    notes: tuple[str, ...]
    advice: tuple[str, ...]
    assumptions: tuple[str, ...]
    verification: Outcome | None
    extras: Extras

    @property
    def moved(self) -> int:
        """The bytes that all tiles load and store."""
        return sum(array.moved for array in self.arrays)

    @property
    def cells(self) -> int:
        """The cells of all copies of all buffers."""
        return sum(buffer.copies * buffer.cells for buffer in self.buffers.values())

    @property
    def local(self) -> int:
        """The bytes of all copies of all buffers."""
        return sum(buffer.local_bytes for buffer in self.buffers.values())


def gather_report(
    plan: LocalPlan,
    parameters: Mapping[str, int],
    *,
    verification: Outcome | None = None,
    strip: Point | None = None,
    extras: Extras = NO_EXTRAS,
) -> Report:
    """The report of a plan for given parameters; `verification` is the outcome of a run.

    A `strip` is shown in place of the one in the middle.
    """
    tiles, kernel = plan.tiles, plan.tiles.kernel
    strips = shown_strips(plan, parameters, strip)
    return Report(
        kernel=kernel.name,
        source=_source(kernel),
        parameters=dict(parameters),
        tiling=tiling_sentence(tiles),
        schedule=schedule_lines(tiles),
        outer=tiles.outer,
        inner=tiles.inner,
        exact=plan.exact,
        reason=plan.reason,
        arrays=tuple(_array(plan, part, parameters, strips) for part in plan.arrays.values()),
        ways=tuple(Way(row["way"], row["load"], row["store"]) for row in comparison(plan, parameters)),
        strip_count=count(strips_of(tiles, parameters), parameters),
        strips=strips,
        pictures=_pictures(plan, parameters, strips[0]) if strips else (),
        timeline=_timeline(strips, plan.depth, plan.handover),
        buffers={name: _buffer(part.buffer, _width(kernel, name), parameters) for name, part in plan.arrays.items()},
        notes=_notes(plan.handover),
        advice=_advice(plan, parameters, strips, extras),
        assumptions=_assumptions(kernel),
        verification=verification,
        extras=extras,
    )


def _advice(
    plan: LocalPlan, parameters: Mapping[str, int], strips: Sequence[ShownStrip], extras: Extras
) -> tuple[str, ...]:
    found = tuple(plan_advice(plan, parameters, strips))
    return found if extras.machine is None else (*found, *machine_advice(extras.machine))


def _assumptions(kernel: Kernel) -> tuple[str, ...]:
    """What holds only under conditions, and what is known of parameters."""
    context = str(kernel.context)
    assumed = (f"{isl_body(each.condition)}: {each.reason}" for each in kernel.assumptions)
    return (f"Known of the parameters: {context}", *assumed) if kernel.parameters else tuple(assumed)


def _notes(follow: Handover) -> tuple[str, ...]:
    """How strips follow each other, in sentences."""
    return (f"Strips {follow.mode}: {follow.why}.", *(f"{name}: {reason}." for name, reason in follow.reasons.items()))


def _buffer(buffer: Buffer, width: int, parameters: Mapping[str, int]) -> BufferSummary:
    shape, cells, copies = buffer.shape(parameters), buffer.cells(parameters), buffer.copies
    return BufferSummary(buffer.shown(), shape, cells, width * cells * copies, buffer.most_live(parameters), copies)


def _width(kernel: Kernel, array: str) -> int:
    """The bytes of an element."""
    return -(-kernel.arrays[array].type.storage.bits // 8)


def _source(kernel: Kernel) -> Source | None:
    """The text that the statements come from."""
    return next((s.span.source for s in kernel.statements if s.span is not None), None)


def _array(plan: Plan, part: ArrayPlan, parameters: Mapping[str, int], strips: Sequence[ShownStrip]) -> ArrayReport:
    kernel = plan.tiles.kernel
    loaded, stored = count(part.strip_to_loaded, parameters), count(part.strip_to_stored, parameters)
    written = any(statement.write.array == part.name for statement in kernel.statements)
    return ArrayReport(
        part.name,
        extents_of(kernel.arrays[part.name], parameters),
        array_sentence(part.name, strips[0], loaded, stored, written) if strips else "nothing is loaded or stored",
        str(part.load),
        str(part.store),
        loaded,
        stored,
        _closed_form(part.load_volume),
        _closed_form(part.store_volume),
        _width(kernel, part.name),
    )


def _closed_form(volume: isl.PwQPolynomial | None) -> str | None:
    if volume is None:
        return None
    return isl_body(volume) or "0"


def _pictures(plan: Plan, parameters: Mapping[str, int], strip: ShownStrip) -> tuple[Picture, ...]:
    """The loads, then the stores, of each array of which the strip moves elements."""
    values = strip_values(plan.tiles, parameters, strip.coordinates)
    relations = [
        (name, side, fixed(relation, values))
        for name, part in plan.arrays.items()
        for side, relation in (("load", part.load), ("store", part.store))
    ]
    moving = [(name, side, relation) for name, side, relation in relations if not relation.is_empty()]
    tiles = [tile.coordinates for tile in strip.tiles]
    most = min(MOST_RECTANGLES, ALL_RECTANGLES // max(1, len(moving)))
    return tuple(
        picture(side, relation, tiles, extents_of(plan.tiles.kernel.arrays[name], parameters), values, most)
        for name, side, relation in moving
    )


def _timeline(strips: Sequence[ShownStrip], depth: int, follow: Handover) -> Timeline:
    early = frozenset(follow.early)
    jobs = [[_job(tile, early) for tile in strip.tiles] for strip in strips]
    bars = timeline(jobs, depth, follow.mode)
    return Timeline(depth, follow.mode, early, bars, total_time(bars), total_time(timeline(jobs, 1, "drain")))


def _job(tile: TileWork, early: frozenset[str]) -> Job:
    soon = sum(words for name, words in tile.loaded.items() if name in early)
    return Job(sum(tile.loaded.values()), tile.instances, sum(tile.stored.values()), soon)
