"""Long work on a terminal: shown while it lasts, its time told afterwards; nothing anywhere else."""

from __future__ import annotations

import io
import re
import sys
import time

import pytest

from loadstone import progress
from loadstone.frontend.read import parse
from loadstone.progress import working
from loadstone.simulate.memory import initial_memory
from loadstone.simulate.programs.compiled import compile_printed


class Terminal(io.StringIO):
    """A terminal that remembers what was written to it."""

    def isatty(self) -> bool:
        return True


def terminal_of(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal as standard error of this test, where little time is much."""
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(progress, "DELAY", 0.02)
    monkeypatch.setattr(progress, "_WORTH_TELLING", 0.05)
    return screen


def test_long_work_is_shown_and_its_time_told(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_of(monkeypatch)
    with working("building"), working("a part of it"):
        time.sleep(0.12)
    shown = terminal.getvalue()
    assert "\r\x1b[Kbuilding: 0 s" in shown
    assert re.search(r"\r\x1b\[Kbuilding: 0\.\d s\n$", shown)
    assert "a part of it" not in shown


def test_short_work_leaves_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_of(monkeypatch)
    with working("a moment"):
        pass
    assert terminal.getvalue() == ""


def test_work_that_fails_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_of(monkeypatch)
    with pytest.raises(ValueError, match="no"), working("failing"):
        raise ValueError("no")
    with working("the next"):
        time.sleep(0.06)
    assert "\r\x1b[Kthe next: 0." in terminal.getvalue()


def test_programs_are_shown_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = terminal_of(monkeypatch)
    kernel = parse("void k(int a[4]) {\n#pragma scop\n  a[0] = 1;\n#pragma endscop\n}\n")
    compile_printed(kernel).run({}, initial_memory(kernel, {}))
    assert "compiling a program: " in terminal.getvalue()


def test_nothing_is_shown_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "DELAY", 0.01)
    monkeypatch.setattr(progress, "_WORTH_TELLING", 0.0)
    monkeypatch.setattr(sys, "stderr", file := io.StringIO())
    with working("building"):
        time.sleep(0.05)
    assert file.getvalue() == ""
