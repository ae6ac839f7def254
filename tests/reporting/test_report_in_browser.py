"""The report in a real browser: both themes, a narrow window, paper; it prints nothing and asks nobody."""

from __future__ import annotations

import re
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

import loadstone as ls
from browser_pages import brightness, kept
from kernels import ROOT

KERNEL = ROOT / "examples" / "accumulators" / "conv2d.c"


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "conv2d.html"
    return ls.report(ls.parse(str(KERNEL)), parameters={"h": 40, "w": 48}, verify=True).write(path)


@pytest.fixture
def opened(browser: Any, page_file: Path) -> Generator[Any]:
    """A function that opens the report in a context with given settings."""
    contexts: list[Any] = []
    said: list[str] = []
    asked: list[str] = []

    def hear(message: Any) -> None:
        said.append(getattr(message, "text", str(message)))

    def note(request: Any) -> None:
        asked.append(request.url)

    def open_with(**settings: Any) -> Any:
        contexts.append(browser.new_context(**settings))
        page = contexts[-1].new_page()
        page.on("console", hear)
        page.on("pageerror", hear)
        page.on("request", note)
        page.goto(page_file.as_uri())
        return page

    yield open_with
    for context in contexts:
        context.close()
    assert said == []
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_themes(opened: Any, scheme: str, tmp_path: Path) -> None:
    page = opened(color_scheme=scheme, viewport={"width": 1280, "height": 960})
    for where in ("body", "section"):
        back, ink = brightness(page, where)
        assert abs(back - ink) > 120
        assert (back > 128) == (scheme == "light")
    drawn = page.evaluate("[...document.querySelectorAll('img')].map(each => each.naturalWidth * each.naturalHeight)")
    assert len(drawn) == 3
    assert all(drawn)
    page.evaluate("document.querySelectorAll('h2')[4].closest('section').scrollIntoView()")
    if scheme == "light":
        kept(page, tmp_path, "report.png")
    page.screenshot(path=tmp_path / f"{scheme}.png", full_page=True)


def test_a_narrow_window(opened: Any, tmp_path: Path) -> None:
    page = opened(viewport={"width": 380, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") <= 380
    page.screenshot(path=tmp_path / "narrow.png", full_page=True)


def test_paper(opened: Any, tmp_path: Path) -> None:
    page = opened(color_scheme="dark")
    (tmp_path / "report.pdf").write_bytes(page.pdf(format="A4", print_background=True))
    assert 3 <= len(re.findall(rb"/Type\s*/Page\b", (tmp_path / "report.pdf").read_bytes())) <= 12
    page.emulate_media(media="print")
    back, ink = brightness(page, "body")
    assert back > 240
    assert ink < 60
    page.screenshot(path=tmp_path / "paper.png", full_page=True)
