"""`loadstone explore`: the front of designs, words against local memory, and fusions of tasks."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from shutil import get_terminal_size

from loadstone.cli.shared.compilations import compilation_of
from loadstone.cli.shared.front import OF_FRONT, show_front
from loadstone.cli.shared.fusions import show_fusions
from loadstone.cli.shared.parser import refuse
from loadstone.errors import refused
from loadstone.files import write_whole
from loadstone.options import HardwareOptions, options_of
from loadstone.tiling_search.bounds import compulsory_words
from loadstone.tiling_search.curve import Curve, curve_points, memory_sizes, text_plot
from loadstone.tiling_search.curve_drawing import curve_svg


def run(arguments: argparse.Namespace) -> int:
    """Show the front of designs, draw the curve of words against local memory, or show the fusions of tasks."""
    if arguments.fusions:
        return show_fusions(arguments)
    refuse(arguments, ("data_per_word", "latency", "exact"), "without --fusions")
    if not arguments.curve:
        return show_front(arguments)
    refuse(arguments, ("apply",), "with --curve")
    refuse(arguments, ("sizes", "local"), "with --curve", "sizes are chosen for each local memory")
    refuse(arguments, ("blocks", "split_buffers"), "with --curve")
    refuse(arguments, (*OF_FRONT, *(option.dest for option in options_of(HardwareOptions))), "with --curve")
    if arguments.file and Path(arguments.file).suffix != ".svg":
        raise refused(f"cannot draw '{arguments.file}'", None, "-o FILE.svg")
    goal = compilation_of(arguments).goal
    points = tuple(curve_points(goal, memory_sizes(goal)))
    curve = Curve(points, compulsory_words(goal.kernel, goal.parameters).words)
    if arguments.file:
        write_whole(arguments.file, curve_svg(curve, f"words moved by {goal.kernel.name}"))
    if arguments.json:
        print(json.dumps(curve.as_json()))
    else:
        print("\n".join(text_plot(curve, goal.parameters, get_terminal_size().columns)))
        print(f"wrote {arguments.file}" if arguments.file else "", end="\n" if arguments.file else "")
    return 0
