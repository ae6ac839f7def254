"""Folders of generated programs: whole or not at all, and programs in them that compile, run and agree."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import loadstone as ls
from kernels import EXAMPLES, ROOT
from loadstone.cli.main import main
from loadstone.emit.project import MANIFEST, Project
from loadstone.errors import InputError, UnsupportedError

MATMUL = str(ROOT / "examples" / "matmul.c")
SMALL = Project({"a.txt": "one\n", "deep/b.txt": "two\n"})


def contents(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def failing(*arguments: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What a command that fails says."""
    assert main(list(arguments)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    return err


def test_files_are_written_with_a_manifest(tmp_path: Path) -> None:
    SMALL.write(tmp_path / "new" / "out")
    assert contents(tmp_path / "new" / "out") == {**SMALL.files, MANIFEST: "a.txt\ndeep/b.txt\n"}
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["out"]


def test_a_folder_of_ours_is_replaced(tmp_path: Path) -> None:
    SMALL.write(tmp_path / "out")
    Project({"c.txt": "three\n"}).write(tmp_path / "out")
    assert contents(tmp_path / "out") == {"c.txt": "three\n", MANIFEST: "c.txt\n"}


def test_foreign_files_are_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    SMALL.write(tmp_path / "out")
    (tmp_path / "out" / "notes.txt").write_text("mine")
    before = contents(tmp_path / "out")
    message = failing("build", MATMUL, "-o", str(tmp_path / "out"), capsys=capsys)
    assert "notes.txt" in message
    assert "hint:" in message
    assert contents(tmp_path / "out") == before


def test_a_file_in_place_of_the_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "out").write_text("mine")
    assert "out" in failing("build", MATMUL, "-o", str(tmp_path / "out"), capsys=capsys)
    assert (tmp_path / "out").read_text() == "mine"


def test_a_folder_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    message = failing("build", MATMUL, "-o", str(tmp_path / "file" / "out"), capsys=capsys)
    assert "cannot write" in message
    assert "Traceback" not in message


def test_the_current_folder_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="current folder"):
        SMALL.write(".")


@pytest.mark.parametrize("existing", [False, True])
def test_nothing_is_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, existing: bool) -> None:
    if existing:
        SMALL.write(tmp_path / "out")
    write = Path.write_text

    def full_disk(path: Path, data: str, encoding: str | None = None) -> int:
        if path.name == "c.txt":
            raise OSError(28, "No space left on device")
        return write(path, data, encoding)

    monkeypatch.setattr(Path, "write_text", full_disk)
    with pytest.raises(InputError, match="No space left"):
        Project({"a.txt": "other\n", "c.txt": "three\n"}).write(tmp_path / "out")
    kept = {**SMALL.files, MANIFEST: "a.txt\ndeep/b.txt\n"} if existing else {}
    assert contents(tmp_path) == {f"out/{path}": text for path, text in kept.items()}


@pytest.mark.parametrize("target", ["c", "hls"])
def test_a_missing_compiler_is_said(
    target: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.delenv("CXX", raising=False)
    assert "compiler found" in failing("run", MATMUL, "--target", target, capsys=capsys)


needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None or shutil.which("g++") is None, reason="needs gcc and g++")
needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="needs make")


def ran(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["run", *arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)


@needs_gcc
@pytest.mark.parametrize("target", ["c", "hls"])
@pytest.mark.parametrize(("n", "loaded", "stored"), [(0, 0, 0), (1, 3, 1), (31, 2883, 961), (33, 5445, 1089)])
def test_run_as_json(target: str, n: int, loaded: int, stored: int, capsys: pytest.CaptureFixture[str]) -> None:
    """For 33 and tiles of 32, a and b are loaded twice: 33 * 33 * (1 + 2 + 2)."""
    outcome = ran(capsys, MATMUL, "--target", target, "-p", f"n={n}")
    assert outcome.pop("tiling")["sizes"] == [32, 32, 32]
    assert outcome == {
        "target": target,
        "kernel": "matmul",
        "parameters": {"n": n},
        "match": True,
        "mismatches": 0,
        "outputs": {"c": n * n},
        "loaded": loaded,
        "stored": stored,
        "predicted": {"loaded": loaded, "stored": stored},
    }


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project") / "out"
    made = ls.build(ls.parse(MATMUL), ls.Tiling(8), target=("c", "hls"), parameters={"n": 19})
    return made.write(folder)


def make(folder: Path, *arguments: str) -> str:
    result = subprocess.run(["make", "-C", str(folder), *arguments], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_what_build_writes(project: Path) -> None:
    around = {"Makefile", "reference.c"}
    in_c = {f"c/{name}" for name in {*around, "matmul.c", "matmul.h", "streams.h", "testbench.c"}}
    in_hls = {f"hls/{name}" for name in {*around, "matmul.cpp", "matmul.hpp", "sim/hls_stream.h", "testbench.cpp"}}
    assert set(contents(project)) == {*in_c, *in_hls, "plan.json", MANIFEST}
    plan = json.loads((project / "plan.json").read_text())
    buffer = plan["arrays"]["a"]["buffer"]
    assert (buffer["shape"], buffer["cells"], buffer["max_live"], buffer["copies"]) == ([8, 16], 128, 128, 2)
    assert plan["strips"]["mode"] == "overlap"
    assert plan["strips"]["reason"].startswith("no strip loads what the one before it stored; c: ")


@needs_gcc
@needs_make
@pytest.mark.parametrize(
    ("folder", "goal"), [("c", "run"), ("c", "sequential"), ("c", "tsan"), ("c", "asan"), ("hls", "run")]
)
def test_what_build_writes_runs(project: Path, folder: str, goal: str) -> None:
    """At the parameters it was built for, where words are checked, and at others."""
    assert "0 words differ; loaded 2527, stored 361" in make(project / folder, goal)
    for n in (1, 7, 9):
        assert "0 words differ" in make(project / folder, goal, f"PARAMETERS={n}")


@needs_gcc
@needs_make
@pytest.mark.parametrize(
    ("stem", "options", "mode"),
    [
        ("fir", ("--depth", "3"), "overlap"),
        ("trmm", ("--tile", "4"), "overlap"),
        ("trmm", ("--tile", "4", "--strips", "drain"), "drain"),
        ("jacobi-1d", (), "drain"),
        ("polymul", ("--tile", "4"), "drain"),
    ],
)
def test_threads_do_not_race(stem: str, options: tuple[str, ...], mode: str, tmp_path: Path) -> None:
    """Kernels whose strips overlap, also in place, and kernels whose strips drain, under the thread sanitizer."""
    path = next(path for path in EXAMPLES if path.stem == stem)
    sizes = [part for name in ls.parse(path).parameters for part in ("-p", f"{name}=13")]
    assert main(["build", str(path), *sizes, *options, "-o", str(tmp_path / "out")]) == 0
    assert json.loads((tmp_path / "out" / "plan.json").read_text())["strips"]["mode"] == mode
    assert "0 words differ" in make(tmp_path / "out" / "c", "tsan")


@needs_gcc
def test_a_testbench_sees_a_wrong_accelerator(project: Path, tmp_path: Path) -> None:
    shutil.copytree(project / "c", tmp_path / "c")
    source = tmp_path / "c" / "matmul.c"
    text = source.read_text()
    assert "a_local[a_cell(copy, i, k)] *" in text
    source.write_text(text.replace("a_local[a_cell(copy, i, k)] *", "a_local[a_cell(copy, i, k)] +"))
    result = subprocess.run(["make", "-C", str(tmp_path / "c"), "run"], capture_output=True, text=True, check=False)
    assert result.returncode != 0
    assert "0 words differ" not in result.stdout


@needs_gcc
@pytest.mark.skipif(find_spec("hls4ml") is None, reason="needs the ap_types headers: pip install --no-deps hls4ml")
def test_vitis_headers_are_enough(project: Path, tmp_path: Path) -> None:
    """The program compiles with the headers of the vendor, without ours."""
    found = find_spec("hls4ml")
    assert found is not None
    assert found.submodule_search_locations is not None
    headers = Path(found.submodule_search_locations[0]) / "templates" / "vivado" / "ap_types"
    command = ["g++", "-std=c++17", "-Wall", "-Wno-unknown-pragmas", f"-I{headers}", "-c", "matmul.cpp"]
    subprocess.run([*command, "-o", str(tmp_path / "matmul.o")], cwd=project / "hls", check=True)


def test_hls_needs_sizes_where_they_depend_on_parameters() -> None:
    kernel = ls.parse(next(path for path in EXAMPLES if path.stem == "cholesky"))
    with pytest.raises(UnsupportedError, match="-p n=64"):
        ls.build(replace(kernel, defaults={}), target="hls")


@needs_gcc
def test_hls_beyond_its_sizes_does_nothing(tmp_path: Path) -> None:
    kernel = ls.parse(next(path for path in EXAMPLES if path.stem == "cholesky"))
    folder = ls.build(kernel, target="hls", parameters={"n": 6}).write(tmp_path / "out") / "hls"
    assert "0 words differ" in make(folder, "run")
    result = subprocess.run(
        ["make", "-C", str(folder), "run", "PARAMETERS=9"], capture_output=True, text=True, check=False
    )
    assert result.returncode != 0
    assert "loaded -1, stored 0" in result.stdout


NAMES = """
void load(int DEPTH, int p0, int words, int done, int gate, int threads_ran, int tokens[DEPTH][p0], int new[p0],
          int x0[DEPTH], int at_local[p0], int at[p0]) {
  for (int p = 0; p < DEPTH; p++)
    for (int state = 0; state < p0; state++) {
      at[state] = at[state] + at_local[state];
      tokens[p][state] = tokens[p][state] + words * new[state] * x0[p] + at[state] + done + gate * threads_ran;
    }
}
"""
OVERLAPPED_NAMES = """
void store(int tiles, int p0, int shared, int copy[tiles][p0], int loaded[p0]) {
  for (int in_flight = 0; in_flight < tiles; in_flight++)
    for (int cell = 0; cell < p0; cell++)
      copy[in_flight][cell] = copy[in_flight][cell] + shared * loaded[cell];
}
"""


@needs_gcc
@pytest.mark.parametrize(
    "way", [("c", "--checked"), ("c", "--sequential"), ("hls", "--flavour=vitis"), ("hls", "--flavour=intel")]
)
def test_names_of_the_source_may_be_those_of_the_program(
    way: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "names.c"
    path.write_text(NAMES)
    target, option = way
    values = ("-p", "DEPTH=5", "-p", "p0=7", "--tile", "2")
    assert ran(capsys, str(path), "--target", target, option, *values)["match"]
    path.write_text(OVERLAPPED_NAMES)
    values = ("-p", "tiles=5", "-p", "p0=7", "--tile", "2")
    assert ran(capsys, str(path), "--target", target, option, *values)["match"]


UNSIGNED = """
void wrap(unsigned n, unsigned char k, unsigned a[n + 1]) {
  for (unsigned i = 0; i < n; i++)
    a[n - i] = a[n - i] * 3u + k + i;
}
"""


@needs_gcc
@pytest.mark.parametrize("target", ["c", "hls"])
def test_unsigned_parameters(target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "wrap.c"
    path.write_text(UNSIGNED)
    for n in (0, 1, 5):
        assert ran(capsys, str(path), "--target", target, "-p", f"n={n}", "--tile", "2")["match"]
