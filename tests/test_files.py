"""Files that the user names: only regular ones are read, includes stay in their folders, links are written through."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from loadstone import files
from loadstone.cli.main import main
from loadstone.emit.project import Project
from loadstone.errors import InputError
from loadstone.frontend.read import parse
from loadstone.transform.script import read_script

KERNEL = "void k(int n, int a[n]) {\n#pragma scop\n  for (int i = 0; i < n; i++) a[i] = 0;\n#pragma endscop\n}\n"
NO_FILE = "not a regular file but a device, a pipe or a socket"


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    folder = tmp_path / "kernels"
    folder.mkdir()
    (folder / "k.c").write_text(KERNEL)
    return folder / "k.c"


def message(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    """What a command line that is refused prints."""
    assert main([str(word) for word in arguments]) == 2
    return capsys.readouterr().err


@pytest.fixture(params=["device", "pipe"])
def special(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file that never ends, or never begins."""
    if request.param == "device":
        return Path("/dev/zero")
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


def test_kernels_scripts_plans_and_sets_are_regular_files(
    special: Path, kernel: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments in (
        ["info", special],
        ["plan", kernel, "--script", special],
        ["plan", kernel, "--tile", "4", "--check", special],
        ["count", f"@{special}"],
    ):
        assert NO_FILE in message(capsys, *arguments)


def test_a_python_kernel_is_a_regular_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "k.py")
    assert NO_FILE in message(capsys, "info", tmp_path / "k.py")


def test_a_header_is_a_regular_file(kernel: Path) -> None:
    os.mkfifo(kernel.parent / "sizes.h")
    kernel.write_text('#include "sizes.h"\n' + KERNEL)
    with pytest.raises(InputError, match=rf"k.c:1:1: error: cannot read the header 'sizes.h': {NO_FILE}"):
        parse(kernel)


def test_very_large_files_are_refused(
    kernel: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MOST_BYTES", 10)
    assert "too large: " in message(capsys, "info", kernel)


@pytest.mark.parametrize("named", ["../secret.h", "absolute", "link.h"])
def test_headers_come_from_the_kernels_folder_and_from_given_ones(kernel: Path, named: str) -> None:
    secret = kernel.parent.parent / "secret.h"
    secret.write_text("the password is mellon\n")
    (kernel.parent / "link.h").symlink_to(secret)
    kernel.write_text(f'#include "{secret if named == "absolute" else named}"\n' + KERNEL)
    with pytest.raises(InputError) as caught:
        parse(kernel)
    assert "is outside of the kernel's folder" in str(caught.value)
    assert f"-I {secret.parent}" in str(caught.value)
    assert "mellon" not in str(caught.value)
    secret.write_text("#define N 4\n")
    assert parse(kernel, include=[secret.parent]).name == "k"


def test_headers_may_lie_below_the_kernels_folder(kernel: Path) -> None:
    (kernel.parent / "sizes").mkdir()
    (kernel.parent / "sizes" / "all.h").write_text('#include "../more.h"\n')
    (kernel.parent / "more.h").write_text("#define N 4\n")
    kernel.write_text('#include "sizes/all.h"\n' + KERNEL.replace("a[n]", "a[N]"))
    assert "N" not in parse(kernel).parameters


def test_scripts_include_from_their_own_folder(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("the password is mellon\n")
    (tmp_path / "scripts" / "parts").mkdir(parents=True)
    (tmp_path / "scripts" / "one.steps").write_text("reverse S0.i\n")
    (tmp_path / "scripts" / "parts" / "all.steps").write_text('#include "../one.steps"\n')
    main_script = tmp_path / "scripts" / "main.steps"
    main_script.write_text('#include "parts/all.steps"\n')
    assert len(read_script(main_script)) == 1
    main_script.write_text('#include "../secret"\n')
    with pytest.raises(InputError, match="is outside of the script's folder"):
        read_script(main_script)


def test_deeply_nested_json_is_no_plan(kernel: Path, capsys: pytest.CaptureFixture[str]) -> None:
    deep = kernel.parent / "deep.json"
    deep.write_text("[" * 100_000)
    assert "is nested too deeply to be a plan" in message(capsys, "plan", kernel, "--tile", "4", "--check", deep)


def test_a_folder_behind_a_link_is_written_and_the_link_stays(tmp_path: Path) -> None:
    link = tmp_path / "latest"
    link.symlink_to(tmp_path / "builds" / "one")
    assert Project({"c/k.c": "int x;\n"}).write(link) == link
    Project({"c/k.c": "int y;\n"}).write(link)
    assert link.is_symlink()
    assert (tmp_path / "builds" / "one" / "c" / "k.c").read_text() == "int y;\n"


def test_files_of_others_behind_a_link_stay(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "mine")
    with pytest.raises(InputError, match=r"holds files that Loadstone did not write: thesis.tex"):
        Project({"k.c": ""}).write(tmp_path / "link")


def test_a_page_and_a_program_are_written_through_links(kernel: Path, tmp_path: Path) -> None:
    for name, command in (("r.html", ["report", "-p", "n=8", "--tile", "4"]), ("t.c", ["transform"])):
        (tmp_path / f"real_{name}").write_text("before")
        (tmp_path / name).symlink_to(f"real_{name}")
        assert main([*command, str(kernel), "-o", str(tmp_path / name)]) == 0
        assert (tmp_path / name).is_symlink()
        assert len((tmp_path / f"real_{name}").read_text()) > len("before")


def test_links_in_circles_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(InputError, match="cannot write"):
        files.write_whole(tmp_path / "a", "text")
    with pytest.raises(InputError, match="cannot write"):
        Project({"k.c": ""}).write(tmp_path / "a")
