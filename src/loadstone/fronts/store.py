"""Results that outlive a run: SQLite, one writer, keyed by what they depend on."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from pathlib import Path
from types import TracebackType
from typing import Any

from loadstone.errors import Diagnostic, ToolError

_TABLE = "create table if not exists results (key text primary key, result text not null)"


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

    def _hash(self, key: str) -> str:
        return hashlib.sha256(f"{self._subject}\0{key}".encode()).hexdigest()
