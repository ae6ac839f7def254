"""The sections of a page beside the plan: the accelerator, the process network, a front, and how the page was made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil

from loadstone.fronts.page import Plot, emit_plot
from loadstone.markup import Markup, amount, element, number
from loadstone.reporting.extras import DrawnNetwork, Extras, Locality
from loadstone.reporting.machine import AREA, CLOCK_MHZ, Machine, Speed
from loadstone.reporting.parts import drawing, numbers, percent, row, section, table
from loadstone.reporting.roofline import roofline_svg
from loadstone.reporting.words import assignments

_NAMES = {"locality": "Reuse", "machine": "The accelerator", "network": "Process network"}
MOST_DISTANCE = 160
"""Longer distances of dependences are cut."""


def extra_sections(extras: Extras) -> Iterator[Markup]:
    """The sections of what is there, and why something is not."""
    if extras.dependences:
        yield _dependences(extras.dependences)
    if extras.locality is not None:
        yield _locality(extras.locality)
    if extras.machine is not None:
        yield _machine(extras.machine)
    if extras.network is not None:
        yield _network(extras.network)
    if extras.front is not None:
        yield _front(extras.front)
    for name, why in extras.missing.items():
        yield section(_NAMES[name], element("p", f"Not on this page: {why}."))


def made_by(extras: Extras) -> Iterator[Markup]:
    """The command and the versions that made a page."""
    if extras.command:
        yield element("p", "Made by ", element("code", extras.command))
    if extras.versions:
        yield element("p", f"{extras.versions}.")


def _dependences(rows: Sequence[Mapping[str, str | None]]) -> Markup:
    return section("Dependences", table("", ("kind", "from", "to", "distance"), list(map(_dependence, rows))))


def _dependence(found: Mapping[str, str | None]) -> Markup:
    distance = (found["distance"] or "").partition("->")[2].strip() or found["distance"] or ""
    shown = f"{distance[:MOST_DISTANCE]} …" if len(distance) > MOST_DISTANCE else distance
    names = (element("td", element("code", found[end] or "")) for end in ("source", "target"))
    return element("tr", element("th", found["kind"] or ""), *names, element("td", element("code", shown)))


def _locality(locality: Locality) -> Markup:
    missed = f">misses with a cache of {amount(locality.cache, 'word')}"
    columns = ("order of", ">accesses", ">first uses", ">largest distance", missed)
    rows = [
        row(each.order, *map(number, (each.accesses, each.cold, each.largest, each.misses))) for each in locality.orders
    ]
    values = assignments(tuple(locality.parameters), tuple(locality.parameters.values()))
    said = "How many other elements are used between two uses of an element, and the misses of an LRU cache"
    least = "" if locality.bound is None else f"At least {number(ceil(locality.bound))} words move"
    return section(
        _NAMES["locality"],
        element("p", f"{least} with this local memory, whatever the tiling.") if least else Markup(),
        table(f"{said}{f', for {values}' if values else ''}.", columns, rows),
    )


def _machine(machine: Machine) -> Markup:
    columns = ("memory", ">cycles", f">ms at {CLOCK_MHZ} MHz", ">bytes in a cycle", ">at most", ">used")
    rows = [_speed_row(machine, speed) for speed in machine.speeds]
    said = f"Cycles of {amount(machine.instances, 'instance')}, predicted at the level of bursts"
    part = "; some tiles stand for all of them" if machine.sampled else ""
    roof = roofline_svg(machine)
    return section(
        _NAMES["machine"],
        element("p", _machine_sentence(machine)),
        table(f"{said}{part}. Memories have the timing of a bus at {CLOCK_MHZ} MHz.", columns, rows),
        *(() if roof is None else (element("h3", "Roofline"), _roof_sentence(machine), drawing(roof, "roofline"))),
        element("h3", f"Timeline with the memory {machine.speeds[0].memory}"),
        drawing(machine.timeline, "load, compute and store over time"),
        element("h3", "Area and clock"),
        _area(machine),
    )


def _machine_sentence(machine: Machine) -> str:
    lanes = amount(machine.lanes, "lane")
    bus = {"axi": "AXI4", "avalon": "Avalon-MM"}.get(machine.protocol, machine.protocol)
    return f"{bus} of {machine.width} bits, {lanes}; {amount(machine.moved, 'byte')} move in a run."


def _speed_row(machine: Machine, speed: Speed) -> Markup:
    used = machine.moved / max(1, speed.cycles)
    cells = number(speed.cycles), f"{machine.milliseconds[speed.memory]:.3g}", f"{used:.2f}", f"{speed.peak:g}"
    return row(speed.memory, *cells, percent(used / speed.peak))


def _roof_sentence(machine: Machine) -> Markup:
    intensity = machine.instances / machine.moved
    ridges = {speed.memory: machine.lanes / speed.peak for speed in machine.speeds}
    short = [name for name, ridge in ridges.items() if intensity < ridge]
    told = f"{intensity:.3g} instances are computed for each byte that moves. "
    limit = f"With {', '.join(short)} the memory is the limit" if short else "Computing is the limit"
    rest = ", with others computing" if short and len(short) < len(ridges) else ""
    return element("p", f"{told}{limit}{rest}.", class_="soft")


def _area(machine: Machine) -> Markup:
    found = machine.synthesised
    columns = [f">{title}" for title in AREA.values()]
    cells = numbers(*(machine.area[name] for name in AREA))
    if found is None:
        said = "Estimated for ECP5, with the registers; loadstone synth measures it."
        return table(said, columns, [element("tr", *cells)])
    clock = element("td", "not known" if found.fmax_mhz is None else f"{found.fmax_mhz:.1f}", class_="number")
    return table(f"By open tools, on {found.device}.", [*columns, ">MHz"], [element("tr", *cells, clock)])


def _network(network: DrawnNetwork) -> Markup:
    told = f"{amount(network.channels, 'channel')}, {number(network.fifos)} of them FIFOs. Dashed: not read in order."
    return section(_NAMES["network"], element("p", told), drawing(network.svg, "processes and channels"))


def _front(front: Plot) -> Markup:
    rows = [row(str(place), *map(number, dot.measures.values())) for place, dot in enumerate(front.dots, 1)]
    commands = [element("li", element("code", dot.command)) for dot in front.dots]
    columns = ["design", *(f">{name}" for name in (front.dots[0].measures if front.dots else ()))]
    return section(
        "Other designs",
        element("p", f"Designs that no other one beats, by {front.across} and {front.up}.", class_="soft"),
        drawing(emit_plot(front), "the front"),
        table("", columns, rows),
        element("details", element("summary", "Their commands"), element("ol", *commands)),
    )
