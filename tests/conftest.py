"""Paths for the test modules that help others, and which cases of costly tests are left to the sweep."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Generator
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

sys.path.insert(0, str(Path(__file__).parent))
BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
sys.path += [str(BENCHMARKS), str(BENCHMARKS / "thesis")]

COSTLY = frozenset(
    {
        *("analysis", "bus", "counting", "emit", "flows", "fronts", "hardware", "locality", "loops", "mapping"),
        *("model", "networks", "operators", "parallel", "rtl", "simulate", "storage", "tiling_search", "transfer"),
        *(
            "transform",
            "test_accumulators",
            "test_cpp",
            "test_data_bounds",
            "test_jumps",
            "test_reductions",
            "test_structures",
        ),
        "test_styles",
    }
)
"""Folders and files in which `make test` runs a sample of tests with many cases."""
MANY, ONE_OF = 4, 16


@pytest.fixture(scope="session")
def browser() -> Generator[Any]:
    """Chromium; what needs it is skipped where it is missing."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is missing: pip install playwright")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("Chromium is missing: apt-get install chromium")
    flags = "--no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync"
    with api.sync_playwright() as driver:
        made = driver.chromium.launch(executable_path=chromium, args=[*flags.split(), "--no-first-run"])
        yield made
        made.close()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of costly tests with many cases, each sixteenth one stays, at least one; the others belong to the sweep.

    Where the sample begins depends on the name of the test alone, so that it is the same in each run.
    """
    names = [_function(item) for item in items]
    cases, seen = Counter(names), Counter[str]()
    for item, name in zip(items, names, strict=True):
        position, seen[name] = seen[name], seen[name] + 1
        period = min(ONE_OF, cases[name])
        is_costly = not COSTLY.isdisjoint((item.path.parent.name, item.path.stem))
        if is_costly and cases[name] >= MANY and (position + crc32(name.encode())) % period:
            item.add_marker(pytest.mark.sweep)


def _function(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0].rpartition("tests/")[2]
