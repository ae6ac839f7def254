"""`loadstone network`: the process network of a kernel, its channels and their sizes."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from loadstone.cli.shared.compilations import compilation_of
from loadstone.cli.shared.console import console, table
from loadstone.cli.shared.parser import refuse
from loadstone.errors import refused
from loadstone.files import write_whole
from loadstone.networks.description import Closed, Size, network_info, size_text, summary
from loadstone.networks.drawing import dot, text_lines
from loadstone.networks.model import Network
from loadstone.networks.sizes import sized
from loadstone.pipeline import channel_sizes, split_network
from loadstone.poly import fixed
from loadstone.poly.enumeration import box_volume
from loadstone.reporting.network_picture import network_svg
from loadstone.simulate.networks.tune import Tuning, tune

MOST_INSTANCES = 4_000_000
"""So many instances are enumerated where no parameters are given; else closed forms tell the sizes of channels."""


def run(arguments: argparse.Namespace) -> int:
    """Print the network, or draw it into a file."""
    if arguments.compute_only:
        refuse(arguments, ("blocks",), "with --compute-only", "load and store processes move blocks")
    compilation = compilation_of(arguments)
    whole = compilation.whole_network.without_transfers() if arguments.compute_only else compilation.whole_network
    network = split_network(whole, arguments.split, reuse=arguments.reuse)
    values = compilation.given_values if arguments.json else compilation.known_values
    if not arguments.json and not compilation.given and not _is_small(network, values):
        values = None
    if values is None:
        refuse(arguments, ("power_of_two",), "without values of all parameters", "give them with -p")
    before = channel_sizes(whole, values, round_up=arguments.power_of_two)
    sizes = channel_sizes(network, values, round_up=arguments.power_of_two, known=before)
    if arguments.file:
        _write(Path(arguments.file), network, sizes)
    tuning = _tuning(network, values) if arguments.tune else None
    if arguments.json:
        info = network_info(network, sizes, summary(whole, before))
        print(json.dumps(info if tuning is None else {**info, "tune": asdict(tuning)}))
    else:
        _show(whole, before, network, sizes, values, console())
        if tuning is not None:
            _show_tuning(tuning, console())
    return 0


def _is_small(network: Network, values: Mapping[str, int] | None) -> bool:
    """Whether values of the source make few enough instances for sizes by enumeration."""
    if values is None:
        return False
    domains = (fixed(process.domain, values) for process in network.processes.values())
    return sum(map(box_volume, domains)) <= MOST_INSTANCES


def _write(path: Path, network: Network, sizes: Mapping[str, Size]) -> None:
    """Draw the network into a file, in the language of its suffix."""
    if path.suffix not in (".dot", ".svg"):
        raise refused(f"cannot draw into {path}", None, "give a name that ends in .dot or .svg")
    write_whole(path, dot(network, sizes) if path.suffix == ".dot" else network_svg(network))


def _show(
    whole: Network,
    before: Mapping[str, Size],
    network: Network,
    sizes: Mapping[str, Size],
    values: Mapping[str, int] | None,
    screen: Console,
) -> None:
    for line in text_lines(network):
        screen.print(line, markup=False)
    screen.print()
    rows = [
        (c.id, c.producer, c.consumer, c.array, str(c.depth or ""), c.pattern, _size_shown(sizes[c.id]), c.note)
        for c in network.channels
    ]
    screen.print(table(("channel", "from", "to", "array", ">depth", "pattern", ">size", ""), rows))
    screen.print()
    if values:
        screen.print("sizes for " + ", ".join(f"{name} = {value}" for name, value in values.items()))
    columns = ("", ">channels", ">fifo", ">fifo size", ">total size")
    numbers = (("whole", summary(whole, before)), ("split", summary(network, sizes)))
    screen.print(table(columns, [(title, *map(str, row.values())) for title, row in numbers]))


def _size_shown(size: Size) -> str:
    """A size as text, with a sign where it is only an upper bound."""
    prefix = "" if not isinstance(size, Closed) or size.exact else "<= "
    return f"{prefix}{'unknown' if size is None else size_text(size)}"


def _tuning(network: Network, values: Mapping[str, int] | None) -> Tuning:
    if values is None:
        raise refused("tuning executes the network and needs all parameters", None, "give them with -p")
    return tune(network, values, sized(network, values))


def _show_tuning(found: Tuning, screen: Console) -> None:
    rows = [
        (name, str(row.size), str(row.live), str(row.fast), str(row.unbounded_cycles))
        for name, row in found.channels.items()
    ]
    screen.print()
    screen.print(table(("channel", ">cells", ">needs", ">as fast with", ">cycles without bound"), rows))
    screen.print(f"{found.cycles} cycles with these cells, {found.unbounded_cycles} if no channel has a bound")
