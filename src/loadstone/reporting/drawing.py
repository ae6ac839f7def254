"""The pictures and the timeline of a report as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loadstone.markup import Markup, amount, element, joined, number
from loadstone.poly.enumeration import Point
from loadstone.reporting.data import Timeline
from loadstone.reporting.pictures import Picture, Rectangle
from loadstone.reporting.timeline import PROCESSES, Bar, Process

FIRST_HUE = 255.0
HUES = 300.0
WIDEST_HUE_STEP = 44.0
PLANE = 260.0
ROW = 860.0
LARGEST_CELL = 16.0
SMALLEST_SIDE = 18.0
SMALLEST_GRID = 4.0
MARGIN_LEFT = 34.0
MARGIN_TOP = 18.0

CHART = 960.0
CHART_LEFT = 104.0
CHART_TOP = 40.0
LANE = 46.0
BAR = 34.0
CHARACTER = 7.5
TICKS = 8


def colour(position: int, count: int) -> dict[str, str]:
    """The attributes that colour a tile by its position among `count` tiles: hues from blue to violet, none twice."""
    step = min(WIDEST_HUE_STEP, HUES / max(1, count - 1))
    hue = (FIRST_HUE - position * step) % 360
    return {"class_": "odd" if position % 2 else "even", "style": f"--hue:{hue:.0f}"}


def picture_svg(picture: Picture, labels: Sequence[str], count: int) -> Markup:
    """An array with the elements that move coloured by their tile, among `count`; `labels` are the tiles' names."""
    frame = picture.frame
    cell = _cell(picture)
    width, height = max(SMALLEST_SIDE, frame.width * cell), max(SMALLEST_SIDE, frame.height * cell)
    tiles = (
        element("g", element("title", labels[tile]), _path(rectangles), **colour(tile, count))
        for tile, rectangles in picture.tiles.items()
    )
    plane = element(
        "svg",
        element("rect", x=frame.column, y=frame.row, width=frame.width, height=frame.height, class_="plane"),
        *tiles,
        _grid(frame, cell),
        x=MARGIN_LEFT,
        y=MARGIN_TOP,
        width=width,
        height=height,
        viewBox=f"{frame.column} {frame.row} {frame.width} {frame.height}",
        preserveAspectRatio="none",
    )
    return element(
        "svg",
        element("title", f"{picture.side}s of {picture.array}"),
        element("desc", _described(picture, labels)),
        *_corners(picture, width, height),
        plane,
        role="img",
        class_="picture",
        width=width + MARGIN_LEFT + 12,
        viewBox=f"0 0 {width + MARGIN_LEFT + 12:.0f} {height + MARGIN_TOP + 2:.0f}",
    )


def _cell(picture: Picture) -> float:
    """The size of an element: all fit into the plane, or into the row."""
    room = ROW if picture.rank == 1 else PLANE
    return min(LARGEST_CELL, room / max(picture.frame.width, picture.frame.height))


def _path(rectangles: Sequence[Rectangle]) -> Markup:
    return element("path", d="".join(f"M{r.column} {r.row}h{r.width}v{r.height}h-{r.width}z" for r in rectangles))


def _grid(frame: Rectangle, cell: float) -> Markup:
    """Lines between the elements, where they are large enough."""
    if cell < SMALLEST_GRID:
        return Markup()
    across = (f"M{frame.column} {frame.row + k}h{frame.width}" for k in range(1, frame.height))
    down = (f"M{frame.column + k} {frame.row}v{frame.height}" for k in range(1, frame.width))
    return element("path", d="".join((*across, *down)), class_="grid")


def _corners(picture: Picture, width: float, height: float) -> Iterator[Markup]:
    """The first and last subscripts of rows and columns."""
    frame = picture.frame
    middle, bottom = MARGIN_TOP + 9, MARGIN_TOP + height
    if picture.rank > 0:
        yield _text(str(frame.column), MARGIN_LEFT, MARGIN_TOP - 6, "start")
        if frame.width > 1:
            yield _text(str(frame.column + frame.width - 1), MARGIN_LEFT + width, MARGIN_TOP - 6, "end")
    if picture.rank > 1:
        yield _text(str(frame.row), MARGIN_LEFT - 6, middle, "end")
        if height > 2 * SMALLEST_SIDE:
            yield _text(str(frame.row + frame.height - 1), MARGIN_LEFT - 6, bottom - 2, "end")


def _text(text: str, x: float, y: float, anchor: str, class_: str = "label") -> Markup:
    return element("text", text, x=x, y=y, text_anchor=anchor, class_=class_)


def _described(picture: Picture, labels: Sequence[str]) -> str:
    parts = (
        f"{labels[tile]}: {amount(sum(r.height * r.width for r in rectangles), 'element')}"
        for tile, rectangles in picture.tiles.items()
    )
    return "; ".join(parts)


Strips = Sequence[tuple[str, Sequence[Point]]]


def timeline_svg(timeline: Timeline, strips: Strips) -> Markup:
    """The bars of the pipeline in one lane per process; `strips` are the names of strips and their tiles."""
    scale = (CHART - CHART_LEFT - 12) / max(1, timeline.total)
    height = CHART_TOP + LANE * len(PROCESSES) + 34
    places = [place for _, tiles in strips for place in enumerate(tiles)]
    most = max((len(tiles) for _, tiles in strips), default=0)
    told = f"{amount(len(places), 'tile')} in {amount(timeline.total, 'unit')} of time"
    return element(
        "svg",
        element("title", "timeline of the pipeline"),
        element("desc", told),
        *_axis(timeline.total, scale, height),
        *_strip_marks(timeline.bars, strips, scale),
        *(_lane(process, timeline) for process in PROCESSES),
        *(_bar(bar, scale, *places[bar.tile], most) for bar in timeline.bars if bar.end > bar.start),
        role="img",
        class_="timeline",
        viewBox=f"0 0 {CHART:.0f} {height:.0f}",
    )


def _lane(process: Process, timeline: Timeline) -> Markup:
    """The name of a process and how busy it is."""
    busy = sum(bar.end - bar.start for bar in timeline.bars if bar.process == process)
    middle = CHART_TOP + LANE * PROCESSES.index(process) + BAR / 2
    share = f"busy {100 * busy / max(1, timeline.total):.0f} %"
    return joined((_text(process, 0, middle, "start", "lane"), _text(share, 0, middle + 15, "start")))


def _bar(bar: Bar, scale: float, position: int, tile: Point, count: int) -> Markup:
    """A bar in the colour of its tile, with the coordinates of the tile where there is room for them."""
    top = CHART_TOP + LANE * PROCESSES.index(bar.process)
    left, width = CHART_LEFT + bar.start * scale, (bar.end - bar.start) * scale
    name = ",".join(map(str, tile))
    told = f"{bar.process} of tile {name}: from {number(bar.start)} to {number(bar.end)}"
    gap = min(1.0, width / 4)
    shape = element("rect", x=left, y=top, width=width - gap, height=BAR, rx=min(3.0, width / 4))
    fits = width > CHARACTER * (len(name) + 1)
    label = _text(name, left + width / 2, top + BAR / 2 + 4, "middle", "inside") if fits else Markup()
    return element("g", element("title", told), shape, label, **colour(position, count))


def _axis(total: int, scale: float, height: float) -> Iterator[Markup]:
    """Vertical lines at round times."""
    step = _round_step(total)
    for time in range(0, total + 1, step):
        x = CHART_LEFT + time * scale
        yield element("path", d=f"M{x:.2f} {CHART_TOP - 4:.0f}V{height - 26:.0f}", class_="tick")
        yield _text(number(time), x, height - 10, "middle" if time else "start")


def _round_step(total: int) -> int:
    """A step of 1, 2 or 5 times a power of ten that divides the time into a few parts.

    >>> _round_step(100), _round_step(12345), _round_step(3)
    (20, 2000, 1)
    """
    power = 1
    while True:
        for factor in (1, 2, 5):
            if total <= TICKS * factor * power:
                return factor * power
        power *= 10


def _strip_marks(bars: Sequence[Bar], strips: Strips, scale: float) -> Iterator[Markup]:
    """For each strip its name above the chart, and a line from its first load to its last store."""
    first = 0
    for order, (name, tiles) in enumerate(strips):
        own = [bar for bar in bars if first <= bar.tile < first + len(tiles)]
        left = CHART_LEFT + min(bar.start for bar in own) * scale
        right = CHART_LEFT + max(bar.end for bar in own) * scale
        yield element("path", d=f"M{left:.2f} {26 + 3 * order}v-5H{right - 1:.2f}v5", class_="bracket")
        yield _text(name, (left + right) / 2, 14, "middle", "lane")
        first += len(tiles)
