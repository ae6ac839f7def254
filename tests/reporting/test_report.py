"""The report: pictures against the plan's points, the timeline against a simulation, and HTML that holds together."""

from __future__ import annotations

import math
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from html.parser import HTMLParser
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

import islpy as isl
import pytest

import loadstone as ls
from kernels import ROOT
from loadstone.outcome import Outcome, Traffic, Verdict
from loadstone.poly import fixed, pairs, points
from loadstone.poly.enumeration import Point
from loadstone.reporting import BufferSummary, Report, emit_report, gather_report
from loadstone.reporting.pictures import Picture, Rectangle, picture
from loadstone.reporting.strips import MOST_TILES, ShownStrip, TileWork, middle_point, points_from, strip_values
from loadstone.reporting.timeline import Bar, Job, Process, timeline, total_time
from loadstone.reporting.words import array_sentence, assignments
from loadstone.storage.handover import Mode
from loadstone.storage.local_plan import LocalPlan

MODES: tuple[Mode, ...] = ("overlap", "drain")
TEXTS = {
    "smooth": """
void smooth(int n, int a[n][n][n], int b[n][n][n])
{
#pragma scop
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++)
      for (int k = 1; k < n - 1; k++)
        b[i][j][k] = a[i][j][k] + a[i-1][j][k] + a[i][j+1][k] + a[i][j][k-1] + a[i][j][k+1];
#pragma endscop
}
""",
    "total": """
void total(int n, int x[n], int *s)
{
#pragma scop
  for (int i = 0; i < n; i++)
    *s += x[i];
#pragma endscop
}
""",
    "spread": """
void spread(int n, int a[2 * n][2 * n], int b[n][n])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[2 * i][2 * j] = b[i][j];
#pragma endscop
}
""",
}
CASES: Mapping[str, tuple[tuple[int, ...], Mapping[str, int]]] = {
    "matmul": ((32, 32, 32), {"n": 70}),
    "fir": ((32, 8), {"L": 21, "N": 100}),
    "smooth": ((4, 4, 4), {"n": 14}),
    "total": ((8,), {"n": 30}),
    "spread": ((8, 8), {"n": 20}),
    "lu": ((8, 8, 8), {"n": 30}),
}
PAGE_LIMIT = 300_000
VOID = {"meta"}
TAGS = set(
    re.findall(
        r"\w+",
        """
html head meta title style body header main footer section h1 h2 h3 p ul li dl dt dd div details summary pre code
table caption thead tbody tfoot tr th td span strong i figure figcaption svg desc g path rect text
""",
    )
)


@cache
def plan_of(name: str, sizes: tuple[int, ...]) -> LocalPlan:
    if name not in TEXTS:
        kernel = ls.parse(next((ROOT / "examples").rglob(f"{name}.c")))
        return ls.plan(kernel) if kernel.tiling and kernel.tiling.schedule else ls.plan(kernel, ls.Tiling(sizes))
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.c"
        path.write_text(TEXTS[name])
        return ls.plan(ls.parse(path), ls.Tiling(sizes))


@cache
def report_of(name: str) -> Report:
    sizes, parameters = CASES[name]
    return gather_report(plan_of(name, sizes), parameters)


class Page(HTMLParser):
    """A page taken apart: its elements, its text, and for each picture the path of each tile, by the tile's name."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.text = ""
        self.open: list[str] = []
        self.title = ""
        self.pictures: list[dict[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        assert not {"href", "onload", "onclick"} & given.keys()
        assert given.get("src", "data:image/svg+xml").startswith("data:image/svg+xml")
        self.tags.add(tag)
        if tag not in VOID:
            self.open.append(tag)
        if "svg" in self.open:
            check_numbers(given)
        if tag == "svg" and given.get("class") == "picture":
            self.pictures.append({})
        if self.open[-2:] == ["g", "path"]:
            self.pictures[-1][self.title] = given["d"]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.open[-2:] == ["g", "title"]:
            self.title = data


def check_numbers(attributes: Mapping[str, str]) -> None:
    for name in ("x", "y", "width", "height", "rx"):
        assert math.isfinite(float(attributes.get(name, "0")))
    assert all(float(size) >= 0 for size in (attributes.get("width", "0"), attributes.get("height", "0")))
    for name in ("d", "viewbox"):
        assert re.fullmatch(r"([MHVhvz]|-?\d+(\.\d+)?| )*", attributes.get(name, ""))


def parsed(html: str) -> Page:
    page = Page()
    page.feed(html)
    page.close()
    assert not page.open
    assert page.tags <= TAGS
    return page


def rectangles_of(path: str) -> list[Rectangle]:
    shapes = re.findall(r"M(-?\d+) (-?\d+)h(\d+)v(\d+)h-(\d+)z", path)
    assert "".join(f"M{x} {y}h{w}v{h}h-{w}z" for x, y, w, h, _ in shapes) == path
    return [Rectangle(int(y), int(x), int(h), int(w)) for x, y, w, h, _ in shapes]


def cells_of(rectangles: Sequence[Rectangle]) -> set[Point]:
    """The cells of rectangles that must not overlap."""
    cells = [
        (row, column)
        for r in rectangles
        for row in range(r.row, r.row + r.height)
        for column in range(r.column, r.column + r.width)
    ]
    assert len(cells) == len(set(cells))
    return set(cells)


def plane_of(element: Point) -> Point:
    return (0, 0, *element)[-2:]


def moved_cells(report: Report, plan: ls.LocalPlan, drawn: Picture) -> dict[str, set[Point]]:
    """The cells of a picture by the plan: names of tiles to cells."""
    part = plan[drawn.array]
    values = strip_values(plan.tiles, report.parameters, report.strips[0].coordinates)
    found: defaultdict[str, set[Point]] = defaultdict(set)
    for tile, element in pairs(fixed(part.load if drawn.side == "load" else part.store, values)):
        if element[: len(drawn.slice_at)] == drawn.slice_at:
            found[assignments(report.inner, tile)].add(plane_of(element))
    return dict(found)


@pytest.mark.parametrize("name", CASES)
def test_the_pictures_show_what_the_plan_moves(name: str) -> None:
    report, plan = report_of(name), plan_of(name, CASES[name][0])
    paths = parsed(emit_report(report)).pictures
    assert len(paths) == len(report.pictures) > 0
    for drawn, by_tile in zip(report.pictures, paths, strict=True):
        shown = {tile: cells_of(rectangles_of(path)) for tile, path in by_tile.items()}
        assert drawn.block == (1, 1)
        assert shown == moved_cells(report, plan, drawn)


@pytest.mark.parametrize("name", CASES)
def test_the_numbers_of_tiles_are_those_of_the_plan(name: str) -> None:
    report, plan = report_of(name), plan_of(name, CASES[name][0])
    assert 1 <= len(report.strips) <= 2
    for strip in report.strips:
        values = strip_values(plan.tiles, report.parameters, strip.coordinates)
        instances: defaultdict[Point, int] = defaultdict(int)
        for statement in plan.tiles.kernel.statements:
            for _, tile in pairs(fixed(plan.tiles.instance_to_strip_tile(statement.name), values)):
                instances[tile] += 1
        assert {tile.coordinates: tile.instances for tile in strip.tiles} == instances
        assert [tile.coordinates for tile in strip.tiles] == sorted(instances)
        for array, part in plan.arrays.items():
            for counts, relation in (("loaded", part.load), ("stored", part.store)):
                moved = sorted(tile for tile, _ in pairs(fixed(relation, values)))
                told = {tile.coordinates: getattr(tile, counts)[array] for tile in strip.tiles}
                assert {tile: len(list(group)) for tile, group in groupby(moved)} == {
                    t: n for t, n in told.items() if n
                }


@pytest.mark.parametrize("name", CASES)
def test_the_page_is_small_and_needs_nothing_else(name: str) -> None:
    html = emit_report(report_of(name))
    assert len(html.encode()) < PAGE_LIMIT
    assert not re.search(r"https?:|url\(|@import|<script", html)
    for array in report_of(name).arrays:
        assert f"{array.sentence}." in parsed(html).text


def test_sentences_of_matmul() -> None:
    said = {array.name: array.sentence for array in report_of("matmul").arrays}
    assert said == {
        "a": "each tile loads up to 1\u202f024 elements; nothing is stored",
        "b": "each tile loads up to 1\u202f024 elements; nothing is stored",
        "c": "stays local over a strip: loaded in its first tile (1\u202f024 elements), stored in its last",
    }
    assert report_of("matmul").tiling == "tiles of 32 × 32 × 32 over i, j, k; a strip runs over T2"


def test_sentences_of_reuse_between_tiles() -> None:
    said = {array.name: array.sentence for array in report_of("fir").arrays}
    assert said["A"] == "the first tile loads 39 elements, each later one up to 8; nothing is stored"
    assert said["C"].startswith("stays local over a strip")


def test_the_middle_strip_is_shown_and_the_next_one() -> None:
    report = report_of("matmul")
    assert [strip.coordinates for strip in report.strips] == [(1, 1), (1, 2)]
    assert report.strip_count == 9
    assert (
        "There are 9 strips. What follows is said of the strip T0 = 1, T1 = 1 in the middle"
        in parsed(emit_report(report)).text
    )


def test_nothing_to_do() -> None:
    report = gather_report(plan_of("matmul", (32, 32, 32)), {"n": 0})
    assert (report.strips, report.pictures, report.timeline.total) == ((), (), 0)
    assert "There is nothing to do for n = 0: no statement is executed." in parsed(emit_report(report)).text


def test_volumes_and_comparison() -> None:
    report = report_of("matmul")
    assert [(array.name, array.loaded, array.stored) for array in report.arrays] == [
        ("c", 4900, 4900),
        ("a", 14700, 0),
        ("b", 14700, 0),
    ]
    assert (report.ways[0].loaded, report.ways[0].stored) == (34300, 4900)
    assert "n^2 * floor((31 + n)/32) : n > 0" in parsed(emit_report(report)).text


def test_names_are_escaped() -> None:
    odd = "<b>&\"'</b>"
    array = replace(report_of("matmul").arrays[0], name=odd, sentence=odd, load=odd, load_volume=odd)
    report = replace(
        report_of("matmul"),
        kernel=odd,
        parameters={odd: 70},
        reason=odd,
        exact=False,
        arrays=(array, *report_of("matmul").arrays),
        pictures=tuple(replace(drawn, array=odd) for drawn in report_of("matmul").pictures),
        inner=(odd,),
        outer=(odd, odd),
        notes=(odd,),
        buffers={odd: BufferSummary(odd, (odd, 2), 4, 16)},
        verification=outcome(odd, mismatches=3),
    )
    page = parsed(emit_report(report))
    assert "b" not in page.tags
    assert page.text.count(odd) > 20


def outcome(kernel: str, mismatches: int) -> Outcome:
    traffic = Traffic(34300, 4900, (34300, 4900))
    return Outcome(target="c", kernel=kernel, parameters={}, verdict=Verdict(mismatches, {}), traffic=traffic)


def test_buffers_and_verification() -> None:
    report = replace(
        report_of("matmul"),
        buffers={"a": BufferSummary("a[i, k] -> [i mod 32, k mod 64]", (32, 64), 2048, 8192, 1024)},
        notes=("Strips follow each other.",),
        verification=outcome("matmul", mismatches=0),
    )
    text = parsed(emit_report(report)).text
    for part in ("a[i, k] -> [i mod 32, k mod 64]", "32 × 64", "2.00", "✓ verified", "Strips follow each other."):
        assert part in text
    assert "loaded 34\u202f300, stored 4\u202f900 words; results and words are as expected" in text


def test_large_arrays_stay_small_pictures() -> None:
    report = gather_report(plan_of("matmul", (32, 32, 32)), {"n": 1000})
    assert sum(len(part) for drawn in report.pictures for part in drawn.tiles.values()) == 1 + 1 + 32 + 32
    assert len(emit_report(report)) < 100_000


def test_scattered_elements_are_drawn_in_blocks() -> None:
    report = gather_report(plan_of("spread", (400, 400)), {"n": 1000})
    stores = next(drawn for drawn in report.pictures if drawn.side == "store")
    assert stores.frame == Rectangle(0, 0, 2000, 2000)
    assert stores.block == (40, 40)
    html = emit_report(report)
    assert len(html) < PAGE_LIMIT
    assert "in blocks of 40 × 40" in parsed(html).text


@pytest.mark.parametrize("most", [1, 5, 40, 130, 10_000])
def test_blocks_are_shown_at_the_first_tile_that_moves_a_part(most: int) -> None:
    moved = isl.Map("{ [t] -> a[i, j] : t = floor(j / 5) and 0 <= i < 13 and 0 <= j < 23 and (i + j) mod 3 = 0 }")
    tiles = [(t,) for t in range(5)]
    drawn = picture("load", moved, tiles, (13, 24), {}, most)
    expected: dict[Point, int] = {}
    for (tile,), (i, j) in sorted(pairs(moved)):
        expected.setdefault((i // drawn.block[0], j // drawn.block[1]), tile)
    shown = {cell: tile for tile, rectangles in drawn.tiles.items() for cell in cells_of(rectangles)}
    plane = [(i, j) for i in range(13) for j in range(24)]
    assert shown == {
        (i, j): expected[i // drawn.block[0], j // drawn.block[1]]
        for i, j in plane
        if (i // drawn.block[0], j // drawn.block[1]) in expected
    }
    assert sum(map(len, drawn.tiles.values())) <= most
    assert (drawn.block == (1, 1)) == (most > 104)


def test_elements_outside_of_an_array_enlarge_its_frame() -> None:
    drawn = picture("load", isl.Map("{ [0] -> a[i, j] : -2 <= i <= 1 and 3 <= j <= 6 }"), [(0,)], (2, 5), {})
    assert drawn.frame == Rectangle(-2, 0, 4, 7)
    assert drawn.tiles == {0: (Rectangle(-2, 3, 4, 4),)}


def test_a_strip_that_is_cut_stands_alone() -> None:
    report = gather_report(plan_of("fir", (32, 1)), {"L": 60, "N": 200})
    assert report.strip_count > 2
    assert [len(strip.tiles) for strip in report.strips] == [MOST_TILES]


def test_long_strips_are_cut() -> None:
    report = gather_report(plan_of("total", (1,)), {"n": 60})
    (strip,) = report.strips
    assert (len(strip.tiles), strip.tile_count, strip.complete) == (MOST_TILES, 60, False)
    text = parsed(emit_report(report)).text
    assert "The whole kernel is one strip of 60 tiles." in text
    assert "The numbers are those of its first 48 tiles." in text
    assert "Only 48 of the 60 tiles of a strip are shown." in text
    assert {array.name: array.sentence for array in report.arrays} == {
        "x": "each tile loads 1 element; nothing is stored",
        "s": "stays local over a strip: loaded in its first tile (1 element), stored in its last",
    }


def strip_with(loaded: Sequence[int], stored: Sequence[int], *, more: int = 0) -> ShownStrip:
    tiles = [
        TileWork((t,), {"a": load}, 1, {"a": store}) for t, (load, store) in enumerate(zip(loaded, stored, strict=True))
    ]
    first = frozenset("a") if any(loaded) and not any(loaded[1:]) else frozenset[str]()
    last = frozenset("a") if any(stored) and not any(stored[:-1]) and not more else frozenset[str]()
    return ShownStrip((), tuple(tiles), len(tiles) + more, first, last)


@pytest.mark.parametrize(
    ("strip", "said"),
    [
        (
            strip_with((4, 0, 0), (0, 0, 4)),
            "stays local over a strip: loaded in its first tile (4 elements), stored in its last",
        ),
        (strip_with((4,), (2,)), "each tile loads 4 elements; each tile stores 2 elements"),
        (strip_with((4, 0), (3, 3)), "only the first tile of a strip loads (4 elements); each tile stores 3 elements"),
        (
            strip_with((2, 3), (0, 1)),
            "each tile loads up to 3 elements; only the last tile of a strip stores (1 element)",
        ),
        (
            strip_with((5, 2, 1), (1, 2, 5)),
            "the first tile loads 5 elements, each later one up to 2; "
            "the last tile stores 5 elements, each earlier one up to 2",
        ),
        (strip_with((0, 2, 1), (0, 0, 0)), "2 of 3 tiles load, up to 2 elements each; this strip stores nothing of it"),
        (
            strip_with((0, 2), (0, 0), more=9),
            "1 of the first 2 tiles load, up to 2 elements each; the first 2 tiles store nothing of it",
        ),
        (
            strip_with((0, 0), (7, 1), more=9),
            "the first 2 tiles load nothing of it; the first tile stores 7 elements, each later one up to 1",
        ),
    ],
)
def test_sentences(strip: ShownStrip, said: str) -> None:
    assert array_sentence("a", strip, 100, 100, True) == said


def test_sentences_of_arrays_that_do_not_move() -> None:
    strip = strip_with((0, 0), (0, 0))
    assert array_sentence("a", strip, 0, 0, False) == "nothing is loaded; nothing is stored"
    assert array_sentence("a", strip, 0, 0, True) == "nothing is loaded; nothing needs to be stored"


@pytest.mark.parametrize(
    "text",
    ["{ [i, j] : 0 <= i < 7 and i <= j < 9 }", "{ [i, j] : (i = 0 or i = 5) and 0 <= j < 3 }", "{ [3] }", "{ [] }"],
)
def test_points_in_order_from_the_middle(text: str) -> None:
    value = isl.Set(text)
    every = points(value)
    middle = middle_point(value)
    assert list(points_from(value, middle)) == every[every.index(middle) :]


def random_strips(seed: int) -> list[list[Job]]:
    source = random.Random(seed)
    longest = source.choice((2, 9))

    def job() -> Job:
        load = source.randint(0, longest)
        return Job(load, source.randint(0, longest), source.randint(0, longest), source.randint(0, load))

    return [[job() for _ in range(source.randint(1, 4))] for _ in range(source.randint(1, 5))]


@dataclass(frozen=True)
class Part:
    """A piece of work in the queue of a process.

    `stored` and `computed` are how many tiles must have been stored and computed before.
    """

    tile: int
    units: int
    stored: int = 0
    computed: int = 0


class Machine:
    """The pipeline step by step: each process starts the next thing in its queue as soon as it may."""

    def __init__(self, strips: list[list[Job]], depth: int, mode: Mode) -> None:
        every = [job for strip in strips for job in strip]
        self.depth = depth
        self.queues: dict[Process, list[Part]] = {
            "load": list(overlapped(strips) if mode == "overlap" else drained(strips)),
            "compute": [Part(tile, job.compute) for tile, job in enumerate(every)],
            "store": [Part(tile, job.store) for tile, job in enumerate(every)],
        }
        self.ended: dict[Process, int] = {"load": 0, "compute": 0, "store": 0}
        self.running: dict[Process, Bar] = {}
        self.bars: list[Bar] = []

    def run(self) -> list[Bar]:
        now = 0
        while any(self.queues.values()) or self.running:
            while any(self.end(process, now) or self.start(process, now) for process in self.queues):
                pass
            now += 1
        return self.bars

    def end(self, process: Process, now: int) -> bool:
        """Whether a process ends what it does now; a tile is done when nothing of it waits any more."""
        if process not in self.running or self.running[process].end > now:
            return False
        bar = self.running.pop(process)
        self.bars.append(bar)
        self.ended[process] += all(part.tile != bar.tile for part in self.queues[process][:1])
        return True

    def start(self, process: Process, now: int) -> bool:
        """Whether a process starts the next thing now."""
        queue = self.queues[process]
        if process in self.running or not queue or not self.may_start(process, queue[0]):
            return False
        part = queue.pop(0)
        self.running[process] = Bar(part.tile, process, now, now + part.units)
        return True

    def may_start(self, process: Process, part: Part) -> bool:
        if process == "compute":
            return self.ended["load"] > part.tile
        if process == "store":
            return self.ended["compute"] > part.tile
        in_flight = part.tile - self.ended["store"]
        ready = self.ended["store"] >= part.stored and self.ended["compute"] >= part.computed
        return in_flight < self.depth and ready


def drained(strips: list[list[Job]]) -> Iterator[Part]:
    """The loads: at the head of a strip, words that come early and words that wait until all before is stored."""
    tile = 0
    for strip in strips:
        if strip[0].early:
            yield Part(tile, strip[0].early, computed=tile)
        yield Part(tile, strip[0].load - strip[0].early, stored=tile)
        yield from (Part(tile + k, job.load) for k, job in enumerate(strip) if k > 0)
        tile += len(strip)


def overlapped(strips: list[list[Job]]) -> Iterator[Part]:
    """The loads: all of a strip wait until the strip two before is stored."""
    for number, strip in enumerate(strips):
        stored = sum(map(len, strips[: max(0, number - 1)]))
        first = sum(map(len, strips[:number]))
        yield from (Part(first + k, job.load, stored) for k, job in enumerate(strip))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("depth", [1, 2, 3, 5])
@pytest.mark.parametrize("seed", range(60))
def test_the_timeline_is_what_the_pipeline_does(seed: int, depth: int, mode: Mode) -> None:
    strips = random_strips(seed)
    order = {"load": 0, "compute": 1, "store": 2}

    def key(bar: Bar) -> tuple[int, int, int, int]:
        return bar.tile, order[bar.process], bar.start, bar.end

    assert sorted(timeline(strips, depth, mode), key=key) == sorted(Machine(strips, depth, mode).run(), key=key)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", range(20))
def test_one_tile_in_flight_overlaps_nothing(seed: int, mode: Mode) -> None:
    strips = random_strips(seed)
    every = [job for strip in strips for job in strip]
    assert total_time(timeline(strips, 1, mode)) == sum(job.load + job.compute + job.store for job in every)


def test_a_timeline_by_hand() -> None:
    strips = [[Job(2, 3, 1), Job(2, 3, 1)], [Job(4, 1, 1, early=3)]]
    assert timeline(strips, 2, "drain") == (
        Bar(0, "load", 0, 2),
        Bar(0, "compute", 2, 5),
        Bar(0, "store", 5, 6),
        Bar(1, "load", 2, 4),
        Bar(1, "compute", 5, 8),
        Bar(1, "store", 8, 9),
        Bar(2, "load", 8, 11),
        Bar(2, "load", 11, 12),
        Bar(2, "compute", 12, 13),
        Bar(2, "store", 13, 14),
    )


def test_a_timeline_of_strips_that_overlap_by_hand() -> None:
    """The strips have one tile each: the third waits until the first is stored, though three tiles may be in flight."""
    assert timeline([[Job(1, 1, 4)], [Job(1, 1, 1)], [Job(1, 1, 1)]], 3, "overlap") == (
        Bar(0, "load", 0, 1),
        Bar(0, "compute", 1, 2),
        Bar(0, "store", 2, 6),
        Bar(1, "load", 1, 2),
        Bar(1, "compute", 2, 3),
        Bar(1, "store", 6, 7),
        Bar(2, "load", 6, 7),
        Bar(2, "compute", 7, 8),
        Bar(2, "store", 8, 9),
    )


def test_overlap_of_matmul() -> None:
    report = report_of("matmul")
    assert 0 < report.timeline.total < report.timeline.sequential
    assert report.timeline.bars[-1].end == report.timeline.total
    text = parsed(emit_report(report)).text
    assert "Strips overlap: no strip loads what the one before it stored." in text
    assert "A strip is loaded while the one before is still computed and stored" in text
    assert "overlap saves" in text


def test_strips_of_matmul_may_drain() -> None:
    kernel = ls.parse(ROOT / "examples" / "matmul.c")
    overlap, drain = (gather_report(ls.plan(kernel, strips=mode), {"n": 96}) for mode in MODES)
    assert overlap.timeline.total < drain.timeline.total < drain.timeline.sequential
    text = parsed(emit_report(drain)).text
    assert "words of a, b may come as soon as these have been computed" in text
    assert "c: its buffer holds results, waits until all is stored." in text
    assert "local cells5\u202f12020\u202f480 bytes in all copies of buffers" in text
    assert "local cells10\u202f24040\u202f960 bytes in all" in parsed(emit_report(overlap)).text
