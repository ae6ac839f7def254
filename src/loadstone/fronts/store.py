"""Results that outlive a run: SQLite, one writer, keyed by what they depend on."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, cast

from loadstone.errors import Diagnostic, Span, ToolError
from loadstone.fronts.stages import Subject
from loadstone.version import VERSION

_TABLE = "create table if not exists results (key text primary key, result text not null)"
_SAID = frozenset({"original", "remarks", "assumptions"})
"""What a kernel holds for people and for printing only."""


def content_of(subject: Subject) -> str:
    """All that results depend on beside the design, as text: the kernel as it was read, values, the version."""
    return repr([VERSION, sorted(subject.values.items()), subject.limit, _content(subject.kernel)])


def _content(value: object) -> object:
    """A value as nested lists of texts; places in the source are left out."""
    if isinstance(value, Span):
        return None
    if is_dataclass(value):
        own = [each.name for each in fields(value) if each.name not in _SAID]
        return [type(value).__name__, *(_content(getattr(value, name)) for name in own)]
    if isinstance(value, Mapping):
        return [[str(key), _content(part)] for key, part in cast("Mapping[object, object]", value).items()]
    if isinstance(value, tuple | list):
        return [_content(part) for part in cast("tuple[object, ...]", value)]
    if isinstance(value, set | frozenset):
        return sorted(str(part) for part in cast("set[object]", value))
    return str(value)


class Store:
    """Results by key; a context that closes the file. Without a path nothing outlives it."""

    def __init__(self, path: Path | None, subject: str) -> None:
        """`subject` is all that results depend on beside their own key: the kernel, its parameters, the version."""
        self._subject = subject
        try:
            self._base = sqlite3.connect(":memory:" if path is None else path, isolation_level=None)
            self._base.execute("pragma journal_mode = wal")
            self._base.execute(_TABLE)
        except sqlite3.Error as error:
            hint = "give another file with --store"
            raise ToolError(Diagnostic(f"cannot keep results in '{path}': {error}", None, hint)) from None

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._base.close()

    def get(self, key: str) -> Any:
        """The result of a key; None where there is none yet."""
        row = self._base.execute("select result from results where key = ?", (self._hash(key),)).fetchone()
        return None if row is None else json.loads(row[0])

    def put(self, key: str, result: Any) -> None:
        """Keep a result."""
        self._base.execute("insert or replace into results values (?, ?)", (self._hash(key), json.dumps(result)))

    def count(self) -> int:
        """How many results are kept, of all subjects."""
        return self._base.execute("select count(*) from results").fetchone()[0]

    def _hash(self, key: str) -> str:
        return hashlib.sha256(f"{self._subject}\0{key}".encode()).hexdigest()
