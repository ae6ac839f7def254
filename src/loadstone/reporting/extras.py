"""What a report shows beside the plan: the accelerator, the process network, a front, and how it was made."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from loadstone.analysis.info import dependence_rows
from loadstone.circuits import CircuitCompilation
from loadstone.errors import refused
from loadstone.exercise import smaller_values
from loadstone.fronts.page import Dot, Plot
from loadstone.fronts.space import MEASURES
from loadstone.locality import measure, misses
from loadstone.locality.order import order_of
from loadstone.pipeline import Compilation
from loadstone.reporting.apart import made_apart
from loadstone.reporting.machine import Machine, machine_of
from loadstone.reporting.network_picture import network_svg
from loadstone.tiling_search.bounds import io_bound

MOST_ACCESSES = 100_000
"""Accesses that are gone through one by one for reuse distances."""


@dataclass(frozen=True, slots=True)
class DrawnNetwork:
    """A process network as SVG, with the number of its channels, and how many of them are FIFOs."""

    svg: str
    channels: int
    fifos: int


@dataclass(frozen=True, slots=True)
class Reuse:
    """The accesses in some order: first uses, the largest reuse distance, and misses of an LRU cache of some words."""

    order: str
    accesses: int
    cold: int
    largest: int
    misses: int


@dataclass(frozen=True, slots=True)
class Locality:
    """How far apart uses of an element are, for parameters that are small enough, with a cache of some words.

    `bound`: the least words that move with the local memory of the plan, whatever the tiling; None where none is known.
    """

    bound: float | None
    parameters: Mapping[str, int]
    cache: int
    orders: tuple[Reuse, ...]


@dataclass(frozen=True, slots=True)
class Extras:
    """Parts of a page that not every page has; `missing` says why one is not there."""

    dependences: tuple[Mapping[str, str | None], ...] = ()
    locality: Locality | None = None
    machine: Machine | None = None
    network: DrawnNetwork | None = None
    front: Plot | None = None
    missing: Mapping[str, str] = field(default_factory=dict[str, str])
    command: str = ""
    versions: str = ""


def extras_of(program: Compilation, circuit: CircuitCompilation, device: str | None = None) -> Extras:
    """Dependences, locality, accelerator and process network of a kernel, as far as they can be made."""
    rows = tuple(dependence_rows(program.selecting))
    locality = made_apart(lambda: _locality(program))
    machine = made_apart(lambda: machine_of(circuit, device))
    network = made_apart(lambda: _drawn(program))
    reasons = {"locality": locality.reason, "machine": machine.reason, "network": network.reason}
    missing = {name: why for name, why in reasons.items() if why}
    return Extras(rows, locality.part, machine.part, network.part, missing=missing)


def _locality(program: Compilation) -> Locality:
    kernel, values = program.kernel, program.values
    cells = sum(part.buffer.all_cells(values) for part in program.plan.arrays.values())
    small = smaller_values(kernel, values, MOST_ACCESSES)
    cache = sum(part.buffer.all_cells(small) for part in program.plan.arrays.values())
    orders = {"the source": order_of(kernel), "the tiles": order_of(program.legal_tiles)}
    profiles = {name: measure(order, small, compiled=False) for name, order in orders.items()}
    found = tuple(
        Reuse(name, each.accesses, each.cold, each.largest if each.distances else 0, misses(each, cache))
        for name, each in profiles.items()
    )
    return Locality(io_bound(program.plan.tiles.kernel, values, cells), small, cache, found)


def _drawn(program: Compilation) -> DrawnNetwork:
    channels = program.network.channels
    fifos = sum(channel.pattern == "fifo" for channel in channels)
    return DrawnNetwork(network_svg(program.network), len(channels), fifos)


def front_in(path: str | Path) -> Plot:
    """The front in a JSON file of `loadstone explore -o`."""
    try:
        return _plot(json.loads(Path(path).read_text("utf-8")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        hint = "loadstone explore KERNEL -o FRONT.json writes one"
        reason = f"it has no {error}" if isinstance(error, KeyError) else error
        raise refused(f"no front can be read from '{path}': {reason}", None, hint) from None


def _plot(found: Mapping[str, Any]) -> Plot:
    across, up = list(dict.fromkeys((*found["objectives"], "cells", "cycles")))[:2]
    dots = tuple(_dot(each, str(across), str(up)) for each in cast("list[dict[str, Any]]", found["front"]))
    return Plot(str(across), str(up), dots)


def _dot(point: Mapping[str, Any], across: str, up: str) -> Dot:
    measures = {name: int(point["measures"][name]) for name in MEASURES}
    return Dot(measures[across], measures[up], measures, str(point["command"]))
