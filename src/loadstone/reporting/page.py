"""A report as one HTML page that needs nothing but itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from loadstone.files import write_whole
from loadstone.markup import Markup, amount, element, joined, number
from loadstone.outcome import Outcome
from loadstone.reporting.data import ArrayReport, BufferSummary, Report, Way
from loadstone.reporting.drawing import colour, picture_svg, timeline_svg
from loadstone.reporting.extras_page import extra_sections, made_by
from loadstone.reporting.parts import NOTHING, numbers, percent, section, style, table
from loadstone.reporting.pictures import Picture
from loadstone.reporting.strips import ShownStrip
from loadstone.reporting.words import assignments

MOST_TEXT = 20_000
SHORT_TEXT = 90
MOST_IN_LEGEND = 16


@dataclass(frozen=True, slots=True, repr=False)
class Page:
    """A report as a page, which shows itself in notebooks."""

    report: Report

    def __repr__(self) -> str:
        return f"<report of {self.report.kernel}>"

    def _repr_html_(self) -> str:
        return emit_report(self.report)

    def write(self, path: str | Path) -> Path:
        """Write the page, whole or not at all; returns its path."""
        return write_whole(path, emit_report(self.report))


def emit_report(report: Report) -> str:
    """The report as HTML, with its style and its pictures inside."""
    sections = _sections(report) if report.strips else _nothing_to_do(report)
    said = element("p", "A word is one element of an array.")
    assumed = (element("p", f"{each}.") for each in report.assumptions)
    footer = element("footer", said, *assumed, *made_by(report.extras))
    return whole_page(
        f"{report.kernel}: what its tiles load and store", _header(report), element("main", *sections), footer
    )


def whole_page(title: str, *parts: str) -> str:
    """A page with the style of reports."""
    head = element(
        "head",
        Markup('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'),
        element("title", title),
        style("report.css"),
    )
    return f"<!DOCTYPE html>\n{element('html', head, element('body', *parts), lang='en')}\n"


def _sections(report: Report) -> Iterator[Markup]:
    yield _kernel(report)
    yield _plan(report)
    yield _volumes(report)
    if report.buffers:
        yield _buffers(report.buffers)
    if report.advice:
        yield section("What could be better", element("ul", *(element("li", each) for each in report.advice)))
    yield _pictures(report)
    yield _timeline(report)
    yield from extra_sections(report.extras)


def _nothing_to_do(report: Report) -> Iterator[Markup]:
    told = f"There is nothing to do{_for_values(report)}: no statement is executed."
    yield section("Nothing to do", element("p", told))
    yield _kernel(report)


def _for_values(report: Report) -> str:
    """The parameters that numbers hold for, where there are any."""
    values = assignments(tuple(report.parameters), tuple(report.parameters.values()))
    return f" for {values}" if values else ""


def _header(report: Report) -> Markup:
    chips = [element("li", element("code", f"{name} = {value}")) for name, value in report.parameters.items()]
    chips.append(element("li", "exact plan" if report.exact else f"approximated plan: {report.reason}"))
    if report.verification is not None:
        chips.append(_verdict(report.verification))
    return element(
        "header",
        element("p", "Loadstone report", class_="kind"),
        element("h1", report.kernel),
        element("p", f"{report.tiling}.", class_="lead"),
        element("ul", *chips, class_="chips"),
        element("dl", *_figures(report), class_="figures") if report.strips else Markup(),
    )


def _verdict(verification: Outcome) -> Markup:
    good = verification.is_right
    return element("li", "✓ verified" if good else "✗ results differ", class_="good" if good else "bad")


def _figures(report: Report) -> Iterator[Markup]:
    """The few numbers that matter most."""
    own, *others = report.ways
    yield _figure("words loaded", number(own.loaded), "by all tiles together")
    yield _figure("words stored", number(own.stored), "by all tiles together")
    yield _figure("bytes moved", number(report.moved), "in both directions")
    worst = max(others, key=_moved, default=own)
    if _moved(worst) > _moved(own):
        yield _figure("traffic saved", percent(1 - _moved(own) / _moved(worst)), f"against: {worst.name}")
    if report.buffers:
        yield _figure("local cells", number(report.cells), f"{amount(report.local, 'byte')} in all copies of buffers")
    yield _figure("overlap saves", percent(_saved(report)), "of the time, in the strips shown")


def _figure(title: str, value: str, aside: str) -> Markup:
    return element("div", element("dt", title), element("dd", value), element("dd", aside, class_="aside"))


def _moved(way: Way) -> int:
    return way.loaded + way.stored


def _saved(report: Report) -> float:
    """The part of the time that the overlap of load, compute and store saves."""
    return 1 - report.timeline.total / max(1, report.timeline.sequential)


def _kernel(report: Report) -> Markup:
    schedule = element("pre", "\n".join(report.schedule))
    parts = [
        element("h3", "Schedule"),
        element("p", "Tiles cut these coordinates; isl syntax.", class_="soft"),
        schedule,
    ]
    if report.source is not None:
        text = element("pre", element("code", report.source.text.rstrip()))
        parts = [element("details", element("summary", report.source.name), text, open=""), *parts]
    return section("Kernel", *parts)


def _plan(report: Report) -> Markup:
    words = (
        joined((element("dt", element("code", array.name)), element("dd", f"{array.sentence}.")))
        for array in report.arrays
    )
    return section(
        "What the tiles load and store",
        element("p", _strip_sentence(report)),
        element("dl", *words, class_="words"),
        element("details", element("summary", "As isl relations, from tiles to elements"), *_relations(report.arrays)),
    )


def _strip_sentence(report: Report) -> str:
    strip = report.strips[0]
    tiles = amount(strip.tile_count, "tile")
    cut = "" if strip.complete else f" The numbers are those of its first {len(strip.tiles)} tiles."
    if not report.outer:
        return f"The whole kernel is one strip of {tiles}.{cut}"
    name = _strip_name(report, strip)
    if report.strip_count == 1:
        return f"There is one strip, {name}, which has {tiles}.{cut}"
    every = f"There are {number(report.strip_count)} strips."
    return f"{every} What follows is said of the strip {name} in the middle, which has {tiles}.{cut}"


def _strip_name(report: Report, strip: ShownStrip) -> str:
    return assignments(report.outer, strip.coordinates) or "of the whole kernel"


def _relations(arrays: Sequence[ArrayReport]) -> Iterator[Markup]:
    for array in arrays:
        yield element("h3", element("code", array.name))
        for side, relation in (("load", array.load), ("store", array.store)):
            yield element("p", side, class_="soft")
            yield element("pre", _cut(relation))


def _cut(text: str) -> str:
    """The text with a line per piece, cut where it is too long to be read."""
    lines = text.replace("; ", ";\n  ")
    if len(lines) <= MOST_TEXT:
        return lines
    return f"{lines[:MOST_TEXT]} …\n({number(len(text))} characters in all; loadstone plan prints them)"


def _volumes(report: Report) -> Markup:
    rows = [_volume_row(array) for array in report.arrays]
    own = report.ways[0]
    sums = numbers(own.loaded, own.stored, report.moved)
    total = element("tr", element("th", "total"), *sums, element("td"), element("td"))
    columns = ("array", ">loaded", ">stored", ">bytes", "loads in closed form", "stores in closed form")
    return section(
        "Volumes",
        table(f"Elements moved by all tiles{_for_values(report)}", columns, rows, total),
        element("h3", "Against other ways of moving the data"),
        _comparison(report.ways),
        _verification(report.verification) if report.verification is not None else Markup(),
    )


def _volume_row(array: ArrayReport) -> Markup:
    closed = (element("td", _closed_form(text), class_="closed") for text in (array.load_volume, array.store_volume))
    moved = numbers(array.loaded, array.stored, array.moved)
    return element("tr", element("th", element("code", array.name)), *moved, *closed)


def _closed_form(text: str | None) -> Markup:
    if text is None:
        return element("span", "no small closed form", class_="soft")
    if len(text) <= SHORT_TEXT:
        return element("code", text)
    return element("details", element("summary", f"{amount(len(text), 'character')}"), element("code", _cut(text)))


def _comparison(ways: Sequence[Way]) -> Markup:
    most = max((_moved(way) for way in ways), default=0)
    rows = [_way_row(way, most, own=position == 0) for position, way in enumerate(ways)]
    columns = ("way", "", ">loaded", ">stored", ">total")
    sides = (("load", "words loaded"), ("store", "words stored"))
    legend = (element("li", element("i", class_=side), text) for side, text in sides)
    return joined((element("ul", *legend, class_="legend"), table("", columns, rows)))


def _way_row(way: Way, most: int, *, own: bool) -> Markup:
    parts = (
        element("i", class_=side, style=f"width:{100 * words / max(1, most):.2f}%")
        for side, words in (("load", way.loaded), ("store", way.stored))
        if words
    )
    bar = element("td", element("div", *parts, class_="bar", aria_hidden="true"), class_="wide")
    moved = numbers(way.loaded, way.stored, _moved(way))
    return element("tr", element("th", way.name), bar, *moved, class_="own" if own else "")


def _verification(verification: Outcome) -> Markup:
    good = verification.is_right
    traffic = verification.traffic
    moved = "" if traffic is None else f" loaded {number(traffic.loaded)}, stored {number(traffic.stored)} words;"
    outcome = "results and words are as expected" if good else "the results differ from those of the original"
    return element("p", f"Executed as C threads:{moved} {outcome}.", class_="good" if good else "bad")


def _buffers(buffers: Mapping[str, BufferSummary]) -> Markup:
    counts = (">cells", ">copies", ">bytes", ">most live at once", ">cells per live element")
    columns = ("array", "element to cell", "shape", *counts)
    rows = [_buffer_row(name, buffer) for name, buffer in buffers.items()]
    why = "No mapping can use fewer cells than the elements that live at the same time."
    return section("Local buffers", element("p", why, class_="soft"), table("", columns, rows))


def _buffer_row(name: str, buffer: BufferSummary) -> Markup:
    live = NOTHING if buffer.max_live is None else number(buffer.max_live)
    ratio = f"{buffer.cells / buffer.max_live:.2f}" if buffer.max_live else NOTHING
    return element(
        "tr",
        element("th", element("code", name)),
        element("td", element("code", buffer.mapping)),
        element("td", " × ".join(map(str, buffer.shape)), class_="shape"),
        *numbers(buffer.cells, buffer.copies, buffer.local_bytes),
        element("td", live, class_="number"),
        element("td", ratio, class_="number"),
    )


def _pictures(report: Report) -> Markup:
    strip = report.strips[0]
    labels = tuple(assignments(report.inner, tile.coordinates) for tile in strip.tiles)
    count = max(len(strip.tiles) for strip in report.strips)
    figures = (_picture(picture, report, labels, count) for picture in report.pictures)
    return section(
        "Pictures of a strip",
        element("p", _picture_sentence(report, strip)),
        _legend(labels, count),
        element("div", *figures, class_="pictures"),
    )


def _picture(picture: Picture, report: Report, labels: Sequence[str], count: int) -> Markup:
    caption = element("figcaption", *_caption(picture, report))
    drawn = picture_svg(picture, labels, count)
    return element("figure", caption, drawn, class_="row" if picture.rank == 1 else "plane")


def _picture_sentence(report: Report, strip: ShownStrip) -> str:
    shown = (
        "" if strip.complete else f" Only its first {len(strip.tiles)} of {number(strip.tile_count)} tiles are drawn."
    )
    return (
        f"Each element has the colour of the tile of the strip {_strip_name(report, strip)} that moves it; "
        f"grey elements are not moved by this strip.{shown}"
    )


def _legend(labels: Sequence[str], count: int) -> Markup:
    """The colours of all tiles, or of some where there are many."""
    step = -(-len(labels) // MOST_IN_LEGEND)
    items = (
        element("li", element("i", **colour(position, count)), labels[position])
        for position in range(0, len(labels), step)
    )
    return element("ul", *items, class_="legend")


def _caption(picture: Picture, report: Report) -> Iterator[str]:
    extents = next(array.extents for array in report.arrays if array.name == picture.array)
    yield element("strong", f"{picture.side}s of {picture.array}")
    yield f" – array of {' × '.join(map(str, extents))}" if extents else " – a scalar"
    if picture.slice_at:
        fixed = "".join(f"[{value}]" for value in picture.slice_at)
        yield f", slice {picture.array}{fixed}[·][·]"
    if picture.block != (1, 1):
        yield f", in blocks of {' × '.join(map(str, picture.block))}, each at the first tile that moves a part of it"


def _timeline(report: Report) -> Markup:
    strips = [
        (f"strip {_strip_name(report, strip)}", [tile.coordinates for tile in strip.tiles]) for strip in report.strips
    ]
    return section(
        "Timeline of the pipeline",
        element("p", _timeline_sentence(report)),
        *(element("p", note) for note in report.notes),
        element("figure", timeline_svg(report.timeline, strips), class_="timeline"),
        element("p", *_rules(report), class_="soft"),
    )


def _timeline_sentence(report: Report) -> str:
    times = report.timeline
    flight = f"With {amount(times.depth, 'tile')} in flight"
    shown = "the tiles shown take" if len(report.strips) == 1 else "the two strips take"
    total = amount(times.total, "unit")
    if times.depth == 1 or times.total == times.sequential:
        return f"{flight}, {shown} {total} of time: nothing overlaps."
    return (
        f"{flight}, {shown} {total} of time. One tile at a time, they would take {number(times.sequential)}: "
        f"overlap saves {percent(_saved(report))}."
    )


def _boundary(report: Report) -> str:
    """What the first tile of a strip waits for."""
    if report.timeline.mode == "overlap":
        return (
            "A strip is loaded while the one before is still computed and stored, into a second copy of the buffers. "
        )
    rule = "The first tile of a strip loads only when all tiles of the strip before have been stored"
    early = ", ".join(sorted(report.timeline.early))
    return f"{rule}; words of {early} may come as soon as these have been computed. " if early else f"{rule}. "


def _rules(report: Report) -> Iterator[str]:
    """What one must know to read the chart."""
    yield "A word loaded, a statement instance and a word stored take one unit of time each. "
    yield f"The numbers are the coordinates {', '.join(report.inner)} of the tiles. "
    if len(report.strips) > 1:
        yield _boundary(report)
    cut = [strip for strip in report.strips if not strip.complete]
    if cut:
        yield f"Only {len(cut[0].tiles)} of the {number(cut[0].tile_count)} tiles of a strip are shown. "
