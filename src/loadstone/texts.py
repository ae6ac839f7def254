"""Texts in other languages that a package generates: files in its folder `texts`, with places to be filled in."""

from __future__ import annotations

from importlib.resources import files


def text_of(module: str, name: str) -> str:
    """A text of the package to which a module belongs."""
    return files(module.rpartition(".")[0]).joinpath("texts", name).read_text("utf-8")
