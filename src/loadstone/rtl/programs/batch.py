"""Simulations in one go: a testbench reads the inputs of all cycles from a file, and writes the outputs to others."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from loadstone.rtl.module import Module
from loadstone.rtl.vectors import Cycle, Ending, Session, ending, unpacked_lines


@dataclass(frozen=True, slots=True)
class Batch:
    """A simulator that takes all cycles at once.

    `simulate` does it in a folder, for a session to its end, and with a waveform where one is wanted.
    """

    simulate: Callable[[Module, Sequence[Cycle], Session | None, bool, Path], None]

    def trace(self, module: Module, cycles: Sequence[Cycle]) -> list[dict[str, int]]:
        """The outputs before each edge of the clock."""
        with tempfile.TemporaryDirectory() as name:
            self.simulate(module, cycles, None, False, Path(name))
            return unpacked_lines(module, (Path(name) / "outputs.hex").read_text())

    def run(self, module: Module, session: Session, vcd: Path | None = None) -> Ending:
        """How a session ends; a waveform is written to `vcd`."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            self.simulate(module, session.cycles, session, vcd is not None, folder)
            if vcd is not None:
                shutil.copy(folder / "trace.vcd", vcd)
            rows, waited = ((folder / file).read_text() for file in ("outputs.hex", "waited.txt"))
            return ending(module, session, waited, rows)
