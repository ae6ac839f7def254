"""Hardware of kernels, described with `loadstone.rtl`: controllers that run loops, and datapaths of statements."""

from loadstone.hardware.controller import Options, Registers, make_controller
from loadstone.hardware.flat import make_flat_controller
from loadstone.hardware.independence import independent
from loadstone.hardware.intervals import Interval, interval
from loadstone.hardware.limits import within
from loadstone.hardware.on_chip import Design, make_on_chip
from loadstone.hardware.paths import Path, blocks, loops_at, with_counters
from loadstone.hardware.stores import parameter_limits
from loadstone.hardware.timing import Memories

__all__ = [
    "Design",
    "Interval",
    "Memories",
    "Options",
    "Path",
    "Registers",
    "blocks",
    "independent",
    "interval",
    "loops_at",
    "make_controller",
    "make_flat_controller",
    "make_on_chip",
    "parameter_limits",
    "with_counters",
    "within",
]
