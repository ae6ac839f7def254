"""Files that the user names: read if they are regular and of a sensible size, written through links and whole."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path

from loadstone.errors import InputError, Span, refused

MOST_BYTES = 16 << 20
"""The largest file that is read."""


class UnreadableFile(Exception):
    """A file that is not read; its text says why."""


def file_bytes(path: Path) -> bytes:
    """The contents of a regular file; raises `UnreadableFile` for devices, pipes, folders and very large files.

    The file is opened without waiting, so that a named pipe without a writer does not hang.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            _check_kind(os.fstat(file.fileno()))
            return file.read()
    except OSError as error:
        raise UnreadableFile((error.strerror or "it cannot be opened").lower()) from None
    except ValueError:
        raise UnreadableFile("the name holds a null character") from None


def file_text(path: Path) -> str:
    """The text of a regular file in UTF-8; raises `UnreadableFile` where there is none."""
    try:
        return file_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadableFile("not a text in UTF-8") from None


def _check_kind(found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise UnreadableFile("is a directory")
    if not stat.S_ISREG(found.st_mode):
        raise UnreadableFile("not a regular file but a device, a pipe or a socket")
    if found.st_size > MOST_BYTES:
        raise UnreadableFile(f"too large: {found.st_size} bytes, of which at most {MOST_BYTES} are read")


def is_inside(path: Path, folders: Iterable[Path]) -> bool:
    """Whether a file lies in one of the folders or below; symbolic links are followed."""
    place = Path(os.path.realpath(path))
    return any(place.is_relative_to(os.path.realpath(folder)) for folder in folders)


def unreadable(what: str, reason: UnreadableFile, span: Span | None = None, hint: str = "") -> InputError:
    """The error that says why a file is not read."""
    return refused(f"cannot read {what}: {reason}", span, hint)


def write_whole(path: str | Path, text: str) -> Path:
    """Write a file, whole or not at all; a link stays, and the file that it points to is written. Returns the path.

    What is there and no regular file (`/dev/stdout`) is written as it is.
    """
    target = Path(path)
    try:
        if target.exists() and not target.is_file():
            target.write_text(text, encoding="utf-8")
        else:
            _replace(link_target(target), text)
    except OSError as error:
        raise unwritable(target, error, "give another file with -o") from None
    return target


def _replace(place: Path, text: str) -> None:
    with tempfile.TemporaryDirectory(prefix=".loadstone-", dir=place.parent) as folder:
        made = Path(folder) / "new"
        made.write_text(text, encoding="utf-8")
        os.replace(made, place)


def link_target(path: Path) -> Path:
    """Where a symbolic link leads, or the path itself; raises `OSError` where links go in circles."""
    place = Path(os.path.realpath(path)) if path.is_symlink() else path
    if place.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    return place


def unwritable(target: Path, error: OSError, hint: str) -> InputError:
    """The error that says why a file or a folder is not written."""
    return refused(f"cannot write {target}: {error.strerror or error}", None, hint)
