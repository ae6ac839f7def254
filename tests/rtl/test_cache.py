"""What is kept of builds: only for its user, whole, for the versions of the tools; programs end within their time."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Barrier

import pytest

from loadstone.errors import InputError, ToolError
from loadstone.processes import VARIABLE, side_by_side
from loadstone.rtl import Module, const
from loadstone.rtl.programs import verilated, verilator
from loadstone.rtl.programs.cache import kept
from loadstone.rtl.programs.command import run_program


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for kept files, which does not exist yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "loadstone" / "built"


def builder(built: list[str], text: str = "built") -> Callable[[Path], Path]:
    """What makes a file with a text, and takes note of it."""

    def build(folder: Path) -> Path:
        built.append(text)
        (folder / "made").write_text(text)
        return folder / "made"

    return build


def test_a_file_is_built_once_for_each_key(cache: Path) -> None:
    built: list[str] = []
    for key in (["tool 1", "text"], ["tool 1", "text"], ["tool 2", "text"]):
        assert kept("program", key, builder(built)).read_text() == "built"
    assert len(built) == 2


def test_others_cannot_enter_the_folder(cache: Path) -> None:
    before = os.umask(0)
    try:
        kept("program", ["text"], builder([]))
    finally:
        os.umask(before)
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700


def test_a_folder_that_others_can_read_is_closed(cache: Path) -> None:
    cache.mkdir(parents=True)
    cache.chmod(0o755)
    kept("program", ["text"], builder([]))
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700


def test_a_folder_that_others_can_write_is_refused(cache: Path) -> None:
    cache.mkdir(parents=True)
    cache.chmod(0o777)
    with pytest.raises(ToolError, match=r"others can write into it\nhint: .*XDG_CACHE_HOME"):
        kept("program", ["text"], builder([]))


def test_a_folder_of_somebody_else_is_refused(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: other)
    with pytest.raises(ToolError, match="not a folder of this user"):
        kept("program", ["text"], builder([]))


def test_a_link_is_no_folder_of_the_user(cache: Path, tmp_path: Path) -> None:
    cache.parent.mkdir(parents=True)
    cache.symlink_to(tmp_path)
    with pytest.raises(ToolError, match="not a folder of this user"):
        kept("program", ["text"], builder([]))


@pytest.mark.parametrize("damage", ["", "something else"])
def test_what_was_damaged_is_built_again(cache: Path, damage: str) -> None:
    built: list[str] = []
    path = kept("program", ["text"], builder(built))
    path.write_text(damage)
    assert kept("program", ["text"], builder(built)).read_text() == "built"
    assert len(built) == 2


SIMULATOR = """#!/bin/sh
[ "$1" -lt 50 ] && echo "0
$1 0" > outputs.txt || echo "1
50 1" > outputs.txt
: > events.txt
"""
"""A program that behaves as the simulator of a module that is done after 50 cycles."""


@pytest.fixture
def commands(cache: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands of Verilator and of the compiler, which are not executed; simulators are scripts."""
    found: list[list[str]] = []

    def run(command: list[str], folder: Path, settings: Mapping[str, str] | None = None) -> str:
        if "--cc" not in command and "-o" not in command:
            return run_program(command, folder, settings)
        found.append(command)
        if "-o" in command:
            made = folder / command[command.index("-o") + 1]
            made.write_text(SIMULATOR)
            made.chmod(0o700)
        return ""

    monkeypatch.setattr(verilator, "run_program", run)
    monkeypatch.setattr(verilated, "run_program", run)
    return found


def one_output(name: str) -> Module:
    m = Module(name)
    m.output("result", const(1))
    return m


def test_simulators_are_kept_for_the_versions_of_their_tools(
    commands: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    m = one_output("one")
    for version in ("1", "1", "2"):
        for module in (verilator, verilated):
            monkeypatch.setattr(module, "versions", lambda version=version: (version, "g++"))
        assert verilator.trace(m, []) == []
    assert sum("--cc" in command for command in commands) == 2


def test_the_runtime_of_simulators_is_compiled_once(commands: list[list[str]]) -> None:
    for name in ("one", "two"):
        verilator.trace(one_output(name), [])
    compiled = [command[command.index("-c") + 1] for command in commands if "-c" in command]
    assert sorted(compiled) == ["runtime.cpp", "unit.cpp", "unit.cpp"]


@pytest.mark.parametrize(("short", "levels"), [(60, ["-O0"]), (40, ["-O0", "-O2"])])
def test_long_runs_are_begun_again_by_a_simulator_that_runs_fast(
    commands: list[list[str]], monkeypatch: pytest.MonkeyPatch, short: int, levels: list[str]
) -> None:
    monkeypatch.setattr(verilator, "SHORT", short)
    run = verilator.run(one_output("one"), [], done="result", limit=1000)
    assert (run.cycles, run.finished) == (50, True)
    assert [command[1] for command in commands if "unit.cpp" in command] == levels


def test_a_run_within_its_limit_is_not_begun_again(commands: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verilator, "SHORT", 40)
    assert not verilator.run(one_output("one"), [], done="result", limit=30).finished
    assert [command[1] for command in commands if "unit.cpp" in command] == ["-O0"]


def test_calls_side_by_side_end_together_when_one_fails(tmp_path: Path) -> None:
    started = time.monotonic()
    program = [sys.executable, "-c", "import time; time.sleep(20)"]
    with pytest.raises(ToolError, match="failed"):
        side_by_side(
            [lambda: run_program([sys.executable, "-c", "1 / 0"], tmp_path), lambda: run_program(program, tmp_path)]
        )
    assert time.monotonic() - started < 15


def test_calls_side_by_side_give_their_results_in_order() -> None:
    both = Barrier(2, timeout=10)
    assert [pair[0] for pair in side_by_side([lambda: ("first", both.wait()), lambda: ("second", both.wait())])] == [
        "first",
        "second",
    ]


def test_a_program_that_does_not_end_is_stopped_with_its_children(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "0.2")
    child = f"import time; time.sleep(0.7); open({str(tmp_path / 'alive')!r}, 'w')"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    with pytest.raises(ToolError, match=rf"did not end within 0.2 s\nhint: .*{VARIABLE}=SECONDS"):
        run_program([sys.executable, "-c", parent], tmp_path)
    time.sleep(0.8)
    assert not (tmp_path / "alive").exists()


@pytest.mark.parametrize("text", ["never", "-1", "0", "inf"])
def test_a_wrong_limit_of_time_is_said(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, text)
    with pytest.raises(InputError, match=rf"{VARIABLE} is '{text}'"):
        run_program(["true"], tmp_path)
