"""What is built and kept for the next time: simulators, netlists' figures, generated cores.

Kept programs are executed, so they lie in a folder that only the user can enter. The name of a kept file carries the
checksum of its contents: what was damaged is built again.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from loadstone.errors import Diagnostic, ToolError

_PRIVATE = 0o700


def kept(name: str, key: Iterable[str], build: Callable[[Path], Path]) -> Path:
    """The file for a key, its name beginning with the given one; built unless it is there and whole.

    `build` gets an empty folder and returns the path of the file that it made. The key holds everything that the file
    depends on, the versions of the tools included.
    """
    digest = hashlib.sha256("\0".join(key).encode()).hexdigest()[:32]
    entry = _cache_folder() / digest
    entry.mkdir(mode=_PRIVATE, exist_ok=True)
    for path in sorted(entry.glob(f"{name}-*")):
        if _is_whole(name, path):
            return path
        path.unlink(missing_ok=True)
    return _built(name, entry, build)


def _built(name: str, entry: Path, build: Callable[[Path], Path]) -> Path:
    """A file that is built now, in its place when it is complete."""
    with tempfile.TemporaryDirectory(dir=entry.parent) as folder:
        made = build(Path(folder))
        place = entry / _sealed(name, made)
        os.replace(made, place)
    return place


def _is_whole(name: str, path: Path) -> bool:
    try:
        return path.name == _sealed(name, path)
    except OSError:
        return False


def _sealed(name: str, path: Path) -> str:
    """The name of a file with the checksum of its contents."""
    return f"{name}-{hashlib.sha256(path.read_bytes()).hexdigest()[:32]}"


def _cache_folder() -> Path:
    """The folder for kept files, made if need be; raises `ToolError` where others could have written into it."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    folder = Path(base) / "loadstone" / "built"
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=_PRIVATE, exist_ok=True)
        found = folder.lstat()
    except OSError as error:
        raise _unusable(folder, (error.strerror or str(error)).lower()) from None
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise _unusable(folder, "it is not a folder of this user")
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise _unusable(folder, "others can write into it")
    folder.chmod(_PRIVATE)
    return folder


def _unusable(folder: Path, reason: str) -> ToolError:
    hint = "remove it, or name another cache folder in XDG_CACHE_HOME"
    return ToolError(Diagnostic(f"programs cannot be kept in {folder}: {reason}", None, hint))
