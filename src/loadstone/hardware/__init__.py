"""Hardware of kernels, described with `loadstone.rtl`: the controllers that run loops."""

from loadstone.hardware.controller import Options, Registers, make_controller
from loadstone.hardware.flat import make_flat_controller
from loadstone.hardware.independence import independent
from loadstone.hardware.paths import Path, blocks, loops_at, with_counters

__all__ = [
    "Options",
    "Path",
    "Registers",
    "blocks",
    "independent",
    "loops_at",
    "make_controller",
    "make_flat_controller",
    "with_counters",
]
