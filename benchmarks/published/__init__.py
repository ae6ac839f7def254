"""Figures of the documents as they were printed: one YAML file for each document, or chapter."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml

Row = dict[str, Any]
"""Values of a row by column; None where nothing is printed."""


@cache
def _tables(document: str) -> dict[str, dict[str, list[Any]]]:
    return yaml.safe_load((Path(__file__).parent / f"{document}.yaml").read_text())


def table(document: str, name: str) -> dict[Any, Row]:
    """A table of a document: its rows by the value of the first column."""
    found = _tables(document)[name]
    columns = found["columns"]
    return {row[0]: dict(zip(columns, row, strict=True)) for row in found["rows"]}
