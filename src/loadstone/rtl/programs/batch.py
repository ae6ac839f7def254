"""Simulations in one go: a testbench reads the inputs of all cycles from a file, and writes the outputs to others."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from loadstone.rtl.module import Module
from loadstone.rtl.vectors import Cycle, Ending, Session, ending, unpacked_lines

Simulate = Callable[[Module, Sequence[Cycle], Session | None, bool, Path], None]
"""Simulates cycles in a folder, with a session's end and with a waveform if asked for."""


def batch_trace(simulate: Simulate, module: Module, cycles: Sequence[Cycle]) -> list[dict[str, int]]:
    """The outputs before each edge of the clock."""
    with tempfile.TemporaryDirectory() as name:
        simulate(module, cycles, None, False, Path(name))
        return unpacked_lines(module, (Path(name) / "outputs.hex").read_text())


def batch_run(simulate: Simulate, module: Module, session: Session, vcd: Path | None) -> Ending:
    """How a session ends; a waveform is written to `vcd`."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        simulate(module, session.cycles, session, vcd is not None, folder)
        if vcd is not None:
            shutil.copy(folder / "trace.vcd", vcd)
        rows, waited = ((folder / file).read_text() for file in ("outputs.hex", "waited.txt"))
        return ending(module, session, waited, rows)
