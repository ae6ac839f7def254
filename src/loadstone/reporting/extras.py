"""What a report shows beside the plan: the accelerator, the process network, a front, and how it was made."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from loadstone.circuits import CircuitCompilation
from loadstone.errors import Diagnostic, InputError
from loadstone.fronts.page import Dot, Plot
from loadstone.fronts.space import MEASURES
from loadstone.pipeline import Compilation
from loadstone.reporting.apart import made_apart
from loadstone.reporting.machine import Machine, machine_of
from loadstone.reporting.network_picture import network_svg


@dataclass(frozen=True, slots=True)
class DrawnNetwork:
    """A process network as SVG, with the number of its channels, and how many of them are FIFOs."""

    svg: str
    channels: int
    fifos: int


@dataclass(frozen=True, slots=True)
class Extras:
    """Parts of a page that not every page has; `missing` says why one is not there."""

    machine: Machine | None = None
    network: DrawnNetwork | None = None
    front: Plot | None = None
    missing: Mapping[str, str] = field(default_factory=dict[str, str])
    command: str = ""
    versions: str = ""


def extras_of(program: Compilation, circuit: CircuitCompilation, device: str | None = None) -> Extras:
    """The accelerator and the process network of a kernel, as far as they can be made."""
    machine = made_apart(lambda: machine_of(circuit, device))
    network = made_apart(lambda: _drawn(program))
    reasons = {"machine": machine.reason, "network": network.reason}
    return Extras(machine.part, network.part, missing={name: why for name, why in reasons.items() if why})


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
        raise InputError(Diagnostic(f"no front can be read from '{path}': {reason}", None, hint)) from None


def _plot(found: Mapping[str, Any]) -> Plot:
    across, up = list(dict.fromkeys((*found["objectives"], "cells", "cycles")))[:2]
    dots = tuple(_dot(each, str(across), str(up)) for each in cast("list[dict[str, Any]]", found["front"]))
    return Plot(str(across), str(up), dots)


def _dot(point: Mapping[str, Any], across: str, up: str) -> Dot:
    measures = {name: int(point["measures"][name]) for name in MEASURES}
    return Dot(measures[across], measures[up], measures, str(point["command"]))
