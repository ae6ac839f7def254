"""Hashes of everything that Loadstone generates from the examples, so that a move that changes a text is seen.

`python tests/snapshot.py [EXAMPLE ...]` writes the hashes anew; a commit that does so says which changed, and why.
"""

from __future__ import annotations

import hashlib
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from importlib.metadata import version
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import loadstone as ls
from loadstone.cli.main import main
from loadstone.poly import fixed

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted(path for kind in ("*.c", "*.cpp", "*.yaml") for path in (ROOT / "examples").rglob(kind))
HASHES = Path(__file__).parent / "snapshot.json"
VALUES = (6, 7, 4, 9)
OUT = "OUT"
PROGRAMS = ("--target", "c", "--target", "hls")
CIRCUITS = ("--target", "verilog", "--target", "vhdl")
WITH_CLOSED_FORMS = ("plan", "plan text", "c, hls", "hls for Intel", "report")
COMMANDS_OF_NETWORKS = ("network", "network as c, hls", "network as hls for Intel")
COMMANDS: dict[str, tuple[str, ...]] = {
    "info": ("info", "--json"),
    "plan": ("plan", "--json"),
    "plan text": ("plan", "--per-tile"),
    "network": ("network", "--json"),
    "transform": ("transform", "--style", "separated"),
    "reuse": ("reuse", "--json"),
    "c, hls": ("build", *PROGRAMS, "-o", OUT),
    "hls for Intel": ("build", "--target", "hls", "--flavour", "intel", "-o", OUT),
    "network as c, hls": ("build", "--network", *PROGRAMS, "-o", OUT),
    "network as hls for Intel": ("build", "--network", "--target", "hls", "--flavour", "intel", "-o", OUT),
    "on chip": ("build", *CIRCUITS, "-o", OUT),
    "axi": ("build", "--bus", "axi", *CIRCUITS, "-o", OUT),
    "avalon, lanes": ("build", "--bus", "avalon", "--unroll", "2", *CIRCUITS, "-o", OUT),
    "predicted": ("run", "--target", "verilog", "--memory", "paper", "--simulator", "transactions", "--json"),
    "report": ("report", "--plan-only", "-o", f"{OUT}/page.html"),
}
WITHOUT_PARAMETERS = ("info", "transform")
NOT_OF_ACCUMULATORS = ("transform", "reuse", "on chip", "axi", "avalon, lanes", "predicted", "report")
LEFT_OUT = {
    "arrayol/lpsf.yaml": tuple(title for title in COMMANDS if title != "info"),
    "arrayol/pyramid.yaml": COMMANDS_OF_NETWORKS,
    "polybench/heat-3d.c": ("axi", "avalon, lanes", "predicted", "report", *COMMANDS_OF_NETWORKS),
    "polybench/fdtd-2d.c": WITH_CLOSED_FORMS,
    "polybench/ludcmp.c": WITH_CLOSED_FORMS,
}
"""What takes minutes, and closed forms whose text depends on what was counted before them."""


def example_name(path: Path) -> str:
    """An example as the hashes call it."""
    return str(path.relative_to(ROOT / "examples"))


def made_with() -> str:
    """The library whose texts are part of what is generated."""
    return f"islpy-barvinok {version('islpy-barvinok')}"


def hashes_of(path: Path) -> dict[str, str]:
    """The hash of what each command makes of an example."""
    chosen = _small_parameters(path)
    is_short = path.parent.name in ("accumulators", "arrayol", "sparse", "styles")
    left_out = {*(NOT_OF_ACCUMULATORS if is_short else ()), *LEFT_OUT.get(example_name(path), ())}
    return {title: _hash(path, words, chosen) for title, words in COMMANDS.items() if title not in left_out}


def _small_parameters(path: Path) -> list[str]:
    """Options for small parameters, of those that the context of a kernel allows."""
    kernel = ls.parse(path)
    for start in range(len(VALUES)):
        values = {name: VALUES[(start + k) % len(VALUES)] for k, name in enumerate(kernel.parameters)}
        if not fixed(kernel.context, values).is_empty():
            return [word for name, value in values.items() for word in ("-p", f"{name}={value}")]
    raise AssertionError(f"no small parameters for {path}")


def _hash(path: Path, words: tuple[str, ...], parameters: list[str]) -> str:
    """The hash of the exit status, of what a command prints, and of the files that it writes."""
    with TemporaryDirectory() as folder:
        command, *options = (word.replace(OUT, folder) for word in words)
        given = [] if command in WITHOUT_PARAMETERS else parameters
        shown, complaints = StringIO(), StringIO()
        with redirect_stdout(shown), redirect_stderr(complaints):
            status = main([command, str(path), *options, *given])
        digest = hashlib.sha256(f"{status}\n".encode())
        for text in (shown.getvalue(), complaints.getvalue(), *_files(Path(folder))):
            digest.update(_anywhere(text, folder).encode())
    return digest.hexdigest()[:16]


def _files(folder: Path) -> list[str]:
    """Names and texts of all files in a folder."""
    found = sorted(each for each in folder.rglob("*") if each.is_file())
    return [f"{each.relative_to(folder)}\n{each.read_text()}" for each in found]


def _anywhere(text: str, folder: str) -> str:
    """A text without the places where things lie on this machine."""
    return text.replace(folder, OUT).replace(str(ROOT), "")


def write(paths: list[Path]) -> None:
    """Hash some examples anew."""
    known: dict[str, Any] = json.loads(HASHES.read_text()) if HASHES.exists() else {}
    known |= {"made with": made_with()} | {example_name(path): hashes_of(path) for path in paths}
    HASHES.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n")


if __name__ == "__main__":
    write([Path(name).resolve() for name in sys.argv[1:]] or EXAMPLES)
