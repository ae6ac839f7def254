"""What is kept of builds: only for its user, whole, for the versions of the tools; programs end within their time."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from loadstone.errors import InputError, ToolError
from loadstone.processes import VARIABLE
from loadstone.rtl import Module, const
from loadstone.rtl.programs import verilator
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


def test_simulators_are_kept_for_the_versions_of_their_tools(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The build is replaced by that of a script; all else is as ever."""
    builds: list[Path] = []

    def run(command: list[str], folder: Path, settings: Mapping[str, str] | None = None) -> str:
        if "--build" not in command:
            return run_program(command, folder, settings)
        builds.append(folder / "obj" / "program")
        builds[-1].parent.mkdir()
        builds[-1].write_text("#!/bin/sh\nprintf '1 \\n0 0\\n' > outputs.txt\n: > events.txt\n")
        builds[-1].chmod(0o700)
        return ""

    m = Module("one")
    m.output("result", const(1))
    monkeypatch.setattr(verilator, "run_program", run)
    for version in ("1", "1", "2"):
        monkeypatch.setattr(verilator, "versions", lambda version=version: (version, "g++"))
        assert verilator.trace(m, []) == []
    assert len(builds) == 2


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
