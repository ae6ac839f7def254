"""Folders of generated files: written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from loadstone.errors import Diagnostic, InputError
from loadstone.files import link_target, unwritable

MANIFEST = ".loadstone"
_HINT = "give another folder with -o"


@dataclass(frozen=True, slots=True)
class Project:
    """Files by their paths, with `/` between folders."""

    files: Mapping[str, str]

    def write(self, folder: str | Path) -> Path:
        """Write the files into a folder that is new, empty, or was written this way before; returns the folder.

        A symbolic link stays, and the folder that it points to is written.
        Raises `InputError` where the folder holds other files or cannot be written; then nothing has changed.
        """
        target = Path(folder)
        try:
            place = link_target(target)
            _check_free(place)
            place.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix=f".{place.name}-", dir=place.parent) as scratch:
                _fill(Path(scratch) / "new", self.files)
                _replace(place, Path(scratch) / "new", Path(scratch) / "old")
        except OSError as error:
            raise unwritable(target, error, _HINT) from None
        return target


def _fill(folder: Path, files: Mapping[str, str]) -> None:
    listed = "".join(f"{path}\n" for path in sorted(files))
    for path, text in (*files.items(), (MANIFEST, listed)):
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


def _replace(target: Path, new: Path, old: Path) -> None:
    """Put the new folder in the place of the target, which keeps what it held where that fails."""
    existed = target.exists()
    if existed:
        os.rename(target, old)
    try:
        os.rename(new, target)
    except OSError:
        if existed:
            os.rename(old, target)
        raise


def _check_free(target: Path) -> None:
    """Raise unless the folder may be replaced: it does not exist, or holds only what a manifest lists."""
    if not target.exists():
        return
    present = {p.relative_to(target).as_posix() for p in target.rglob("*") if not p.is_dir()}
    manifest = target / MANIFEST
    known = {*manifest.read_text(encoding="utf-8").split("\n"), MANIFEST} if manifest.is_file() else set[str]()
    if target.resolve() == Path.cwd():
        raise InputError(Diagnostic("cannot replace the current folder", None, _HINT))
    foreign = sorted(present - known)
    if foreign or not target.is_dir():
        message = f"{target} holds files that Loadstone did not write: {', '.join(foreign[:3]) or target.name}"
        raise InputError(Diagnostic(message, None, _HINT))
