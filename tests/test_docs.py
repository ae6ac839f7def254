"""The documentation is true: commands print what the pages say, Python sessions give what they show."""

from __future__ import annotations

import doctest
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from command_reference import page as command_page
from kernels import ROOT
from loadstone.cli.main import main

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(console|pycon)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(kind: str) -> Iterator[tuple[Path, int, str]]:
    for page in PAGES:
        text = page.read_text()
        for block in BLOCK.finditer(text):
            if block[1] == kind:
                yield page, text.count("\n", 0, block.start()) + 1, block[2]


def sessions(text: str) -> Iterator[tuple[str, str]]:
    """The commands of a block with what they print."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def trimmed(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().splitlines()]


def name(value: object) -> str:
    return value.name if isinstance(value, Path) else str(value) if isinstance(value, int) else ""


@pytest.mark.parametrize(("page", "line", "text"), list(blocks("console")), ids=name)
def test_commands_print_what_the_page_says(
    page: Path, line: int, text: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    for command, output in sessions(text):
        program, *arguments = shlex.split(command)
        assert program == "loadstone", f"{page.name}:{line}"
        main(arguments)
        printed = trimmed("".join(capsys.readouterr()))
        if os.environ.get("LOADSTONE_UPDATE_GOLDENS"):
            replace_output(page, command, output, printed)
        else:
            assert printed == trimmed(output), f"{page.name}:{line}: {command}"


def replace_output(page: Path, command: str, output: str, printed: list[str]) -> None:
    old, new = f"$ {command}\n{output.strip()}\n", f"$ {command}\n" + "\n".join(printed) + "\n"
    page.write_text(page.read_text().replace(old, new))


@pytest.mark.parametrize(("page", "line", "text"), list(blocks("pycon")), ids=name)
def test_python_sessions(page: Path, line: int, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    session = doctest.DocTestParser().get_doctest(text, {}, f"{page.name}:{line}", str(page), line)
    assert doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(session).failed == 0


def test_all_commands_and_options_are_listed() -> None:
    page, text = ROOT / "docs" / "commands.md", command_page()
    if os.environ.get("LOADSTONE_UPDATE_GOLDENS"):
        page.write_text(text)
    assert page.read_text() == text


def test_the_site_has_all_pages() -> None:
    listed = re.findall(r"\w+\.md", (ROOT / "mkdocs.yml").read_text())
    assert sorted(listed) == sorted(page.name for page in (ROOT / "docs").glob("*.md"))


def test_pages_have_examples() -> None:
    assert {page.name for page, _, _ in blocks("console")} >= {"README.md", "frontend.md", "plan.md"}
