"""What tests look for in pages that a browser shows."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from kernels import ROOT


def brightness(page: Any, where: str) -> tuple[float, float]:
    """How bright background and text of an element are, from 0 to 255."""
    style = "getComputedStyle(document.querySelector(where))"
    colours = page.evaluate(f"(where) => [{style}.backgroundColor, {style}.color]", where)
    back, ink = ([int(part) for part in re.findall(r"\d+", colour)[:3]] for colour in colours)
    return sum(back) / 3, sum(ink) / 3


def kept(page: Any, folder: Path, name: str) -> None:
    """Keep a picture of the page beside the test, or in the documentation where goldens are updated."""
    update = os.environ.get("LOADSTONE_UPDATE_GOLDENS")
    page.screenshot(path=(ROOT / "docs" / "img" if update else folder) / name)
