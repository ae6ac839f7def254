"""What a report shows beside the plan: the accelerator, the process network, a front, and how it was made."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar, cast

from loadstone.circuits import CircuitCompilation
from loadstone.errors import Diagnostic, InputError, LoadstoneError
from loadstone.fronts.page import Dot, Plot
from loadstone.fronts.space import MEASURES
from loadstone.pipeline import Compilation
from loadstone.reporting.machine import Machine, machine_of
from loadstone.reporting.network_picture import network_svg

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class Extras:
    """Parts of a page that not every page has; `missing` says why one is not there.

    `channels` are the number of channels of the network, and how many of them are FIFOs.
    """

    machine: Machine | None = None
    network: str | None = None
    channels: tuple[int, int] = (0, 0)
    front: Plot | None = None
    missing: Mapping[str, str] = field(default_factory=dict[str, str])
    command: str = ""
    versions: str = ""


def extras_of(program: Compilation, circuit: CircuitCompilation, device: str | None = None) -> Extras:
    """The accelerator and the process network of a kernel, as far as they can be made."""
    missing: dict[str, str] = {}
    machine = _unless(missing, "machine", lambda: machine_of(circuit, device))
    network = _unless(missing, "network", lambda: program.network)
    found = Extras(machine, missing=missing)
    if network is None:
        return found
    fifos = sum(channel.pattern == "fifo" for channel in network.channels)
    return replace(found, network=network_svg(network), channels=(len(network.channels), fifos))


def _unless(missing: dict[str, str], name: str, make: Callable[[], Part]) -> Part | None:
    """What is made, or None and a note why not."""
    try:
        return make()
    except LoadstoneError as error:
        missing[name] = error.diagnostics[0].message
        return None


def front_in(path: str | Path) -> Plot:
    """The front in a JSON file of `loadstone explore -o`."""
    try:
        return _plot(json.loads(Path(path).read_text("utf-8")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        hint = "loadstone explore KERNEL -o FRONT.json writes one"
        raise InputError(Diagnostic(f"no front can be read from '{path}': {error}", None, hint)) from None


def _plot(found: Mapping[str, Any]) -> Plot:
    across, up = list(dict.fromkeys((*found["objectives"], "cells", "cycles")))[:2]
    dots = tuple(_dot(each, str(across), str(up)) for each in cast("list[dict[str, Any]]", found["front"]))
    return Plot(str(across), str(up), dots)


def _dot(point: Mapping[str, Any], across: str, up: str) -> Dot:
    measures = {name: int(point["measures"][name]) for name in MEASURES}
    return Dot(measures[across], measures[up], measures, str(point["command"]))
