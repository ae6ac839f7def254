"""What users see when their input is wrong: golden messages, positions, exit status.

`tests/errors/NAME.c` is the input, `NAME.expect` the standard error of `loadstone info NAME.c`. After a change of
messages, `LOADSTONE_UPDATE_GOLDENS=1 pytest tests/test_errors.py` writes the goldens anew; read them.
"""

from __future__ import annotations

import os
import re
import stat
import time
from pathlib import Path

import pytest

from loadstone.cli.main import main

ERRORS = Path(__file__).parent / "errors"
CASES = sorted(ERRORS.glob("*.c"))
UPDATE = bool(os.environ.get("LOADSTONE_UPDATE_GOLDENS"))
WITHOUT_PLACE = {"only_comments"}
PLACE = re.compile(r"(?P<file>[\w./-]+\.[ch]):(?P<line>\d+):(?P<column>\d+): error: (?P<message>.+)")
GOOD = "void kernel(int n, double a[n])\n{\n    for (int i = 0; i < n; i++)\n        a[i] = 0.0;\n}\n"


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The standard error of a command that must end with status 2 and print nothing else."""
    try:
        status = main(list(arguments))
    except SystemExit as stopped:
        status = stopped.code
    out, err = capsys.readouterr()
    assert status == 2
    assert out == ""
    assert "Traceback" not in err
    assert "internal error" not in err
    return err


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_golden_message(path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ERRORS)
    err = refused(capsys, "info", path.name)
    golden = path.with_suffix(".expect")
    if UPDATE:
        golden.write_text(err)
    assert err == golden.read_text()


def test_every_golden_has_an_input() -> None:
    assert {path.stem for path in ERRORS.glob("*.expect")} == {path.stem for path in CASES}
    assert len(CASES) >= 28


@pytest.mark.parametrize("path", [p for p in CASES if p.stem not in WITHOUT_PLACE], ids=lambda p: p.stem)
def test_golden_has_place_line_caret_and_hint(path: Path) -> None:
    lines = path.with_suffix(".expect").read_text().splitlines()
    source = path.read_text().splitlines()
    assert len(lines) % 4 == 0
    places: list[tuple[int, int]] = []
    for head, shown, caret, hint in zip(*(lines[k::4] for k in range(4)), strict=True):
        found = PLACE.fullmatch(head)
        assert found, head
        line, column = int(found["line"]), int(found["column"])
        assert found["file"] == path.name
        assert shown == source[line - 1]
        assert caret.strip() == "^"
        assert len(caret) == column <= len(shown)
        assert not shown[column - 1].isspace()
        assert hint.startswith("hint: ")
        places.append((line, column))
    assert places == sorted(places)


@pytest.mark.parametrize("path", [p for p in CASES if p.stem.startswith("deep_")], ids=lambda p: p.stem)
def test_deep_nesting_is_refused_fast(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    start = time.perf_counter()
    assert "nested too deeply" in refused(capsys, "info", str(path))
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize("command", ["info", "run"])
def test_missing_file(command: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "missing.c"
    err = refused(capsys, command, str(path))
    assert err.startswith(f"error: cannot read '{path}': no such file or directory\nhint: ")


def test_directory_instead_of_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert refused(capsys, "info", str(tmp_path)).startswith(f"error: cannot read '{tmp_path}': is a directory\n")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_unreadable_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "secret.c"
    path.write_text(GOOD)
    path.chmod(stat.S_IWUSR)
    assert "permission denied" in refused(capsys, "info", str(path))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x7fELF\x02\x01\x01\x00\x00\x00", "is a binary file, not source text"),
        (b"void f(void) {}\x1b[0m\n", "holds control characters; it is not C source"),
        (b"", "there is no code in"),
        (b" \n\t\n", "there is no code in"),
        (b"\xff\xfe\xfa", "error: "),
    ],
)
def test_file_that_is_no_source(
    content: bytes, message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "bad.c"
    path.write_bytes(content)
    assert message in refused(capsys, "info", str(path))


@pytest.fixture
def good(tmp_path: Path) -> str:
    path = tmp_path / "good.c"
    path.write_text(GOOD)
    return str(path)


def test_unknown_parameter(good: str, capsys: pytest.CaptureFixture[str]) -> None:
    err = refused(capsys, "run", good, "-p", "m=4")
    assert err == "error: 'm' is not a parameter of the kernel\nhint: parameters are: n\n"


def test_missing_parameter(good: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, "run", good) == "error: no value for n\nhint: give it with -p n=8\n"


def test_parameter_outside_of_the_context(good: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "n = -3" in refused(capsys, "run", good, "-p", "n=-3")


def test_unknown_function(good: str, capsys: pytest.CaptureFixture[str]) -> None:
    err = refused(capsys, "info", good, "--function", "other")
    assert err == "error: there is no function 'other'\nhint: functions in the file: kernel\n"


@pytest.mark.parametrize(
    "options",
    [("-p", "n=many"), ("-p", "n"), ("--seed", "x"), ("-D", "1=2"), ("--no-such-option",)],
    ids=" ".join,
)
def test_wrong_option(options: tuple[str, ...], good: str, capsys: pytest.CaptureFixture[str]) -> None:
    err = refused(capsys, "run", good, *options)
    assert "error: " in err
    assert err.startswith("error: ")
    assert "hint: " in err


def test_unknown_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert "invalid choice" in refused(capsys, "improve")


def test_problem_in_a_header_is_shown_there(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "include"
    folder.mkdir()
    header = folder / "body.h"
    header.write_text("#define ONE 1.0\n  a[i] = missing + ONE;\n")
    path = tmp_path / "main.c"
    path.write_text(GOOD.replace("        a[i] = 0.0;\n", '#include "body.h"\n'))
    err = refused(capsys, "info", str(path), "-I", str(folder))
    assert err.splitlines()[:3] == [
        f"{header}:2:10: error: 'missing' is not declared",
        "  a[i] = missing + ONE;",
        " " * 9 + "^",
    ]


def test_missing_header_inside_a_header(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "outer.h").write_text('\n#include "inner.h"\n')
    path = tmp_path / "main.c"
    path.write_text('#include "outer.h"\n' + GOOD)
    err = refused(capsys, "info", str(path))
    assert err.startswith(f"{tmp_path / 'outer.h'}:2:1: error: cannot find the header 'inner.h'\n")


def test_header_that_includes_itself(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "loop.h").write_text('int x;\n#include "loop.h"\n')
    path = tmp_path / "main.c"
    path.write_text('#include "loop.h"\n' + GOOD)
    assert "headers include each other without end" in refused(capsys, "info", str(path))


@pytest.mark.parametrize(
    "text",
    [GOOD.replace("0.0", "zero").replace("\n", "\r\n"), "\ufeff" + GOOD.replace("0.0", "zero")],
    ids=["line ends of Windows", "byte order mark"],
)
def test_place_is_right_in_unusual_text(text: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "unusual.c"
    path.write_bytes(text.encode())
    assert refused(capsys, "info", str(path)).startswith(f"{path}:4:16: error: 'zero' is not declared\n")


def test_place_is_right_behind_trailing_space_and_comments(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "spaces.c"
    text = "/* two\n   lines */   \n// one   \n\f\n" + GOOD.replace("0.0", "/* here */ zero").replace("{", "{   ")
    path.write_text(text)
    assert refused(capsys, "info", str(path)).startswith(f"{path}:8:27: error: 'zero' is not declared\n")


def test_place_of_a_macro_is_its_call_and_of_an_argument_its_own(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "macros.c"
    path.write_text("#define ADD(x) (first + (x))   \n" + GOOD.replace("0.0", "1.0 + ADD(a[i] * second)"))
    err = refused(capsys, "info", str(path))
    assert f"{path}:5:22: error: 'first' is not declared" in err
    assert f"{path}:5:33: error: 'second' is not declared" in err


def test_place_in_a_pragma_of_several_lines(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "pragma.c"
    pragma = "#pragma loadstone tile schedule(S0: \\\n    i) \\\n  size(4, )\n"
    path.write_text(pragma + GOOD)
    err = refused(capsys, "info", str(path))
    assert err.startswith(f"{path}:3:11: error: expected a positive number\n  size(4, )\n          ^\n")


@pytest.mark.parametrize("directive", ["define", "undef", "ifdef", "ifndef", "include"])
def test_incomplete_directive(directive: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "directive.c"
    path.write_text(f"#{directive}\n{GOOD}")
    assert refused(capsys, "info", str(path)).startswith(f"{path}:1:1: error: '#{directive}' is not complete\n")
