"""The explorer in a real browser: typing, errors, sliders, downloads, keyboard, both themes, a narrow window."""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from pathlib import Path
from time import monotonic
from typing import Any
from zipfile import ZipFile

import pytest

from browser_pages import brightness, kept
from explorer_client import SCALE
from kernels import ROOT

TABS = (
    "kernel",
    "dependences",
    "tiling",
    "tiles",
    "traffic",
    "buffers",
    "timeline",
    "network",
    "reuse",
    "code",
    "resources",
)
WAIT = 30_000
Tab = Any
"""A page of Playwright, which need not be installed."""


@pytest.fixture
def tab(browser: Any, server: str) -> Generator[Tab]:
    """A new page, which must print nothing on the console and ask nobody else."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    yield from _opened(context, server)


def _opened(context: Any, server: str) -> Generator[Tab]:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    context.set_default_timeout(WAIT)
    page, said, asked = context.new_page(), list[str](), list[str]()

    def hear(message: Any) -> None:
        said.append(getattr(message, "text", str(message)))

    def note(request: Any) -> None:
        asked.append(request.url)

    page.on("console", hear)
    page.on("pageerror", hear)
    page.on("request", note)
    page.goto(server)
    page.wait_for_selector("[role=tab]")
    yield page
    context.close()
    assert said == []
    assert [url for url in asked if not url.startswith((server, "blob:", "data:"))] == []


def settled(page: Tab) -> None:
    """Wait until all panes are those of the latest request."""
    page.wait_for_timeout(60)
    page.wait_for_selector("main[data-busy=false]")


def example(page: Tab, name: str) -> None:
    """Choose an example, and wait until it was understood."""
    page.select_option("[aria-label=Example]", name)
    page.wait_for_selector("main[data-busy=true]")
    page.wait_for_selector(f"main[data-kernel={name}]")


def shown(page: Tab, name: str) -> None:
    """Choose a pane, and wait until it is that of the latest request."""
    page.click(f"#tab-{name}")
    page.wait_for_timeout(60)
    page.wait_for_selector("#pane[data-fresh=true]")


def until(page: Tab, condition: str) -> None:
    """Wait until something holds."""
    start = monotonic()
    while not page.evaluate(f"() => {condition}"):
        assert monotonic() - start < WAIT / 1000, condition
        page.wait_for_timeout(50)


def typed(page: Tab, text: str) -> None:
    """Replace the kernel by a text, typed at once."""
    page.click(".editor .cm-content")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)


def figure(page: Tab, name: str) -> str:
    return page.locator(".figures div", has=page.locator(f"dt:text-is('{name}')")).locator("dd").inner_text()


def test_a_first_look(tab: Tab, tmp_path: Path) -> None:
    example(tab, "matmul")
    settled(tab)
    assert figure(tab, "words moved") == "9 600"
    assert figure(tab, "over what is needed") == "× 1.50"
    for name in TABS:
        tab.click(f"#tab-{name}")
        assert tab.get_attribute(f"#tab-{name}", "aria-selected") == "true"
        assert tab.locator("#pane .found").count() == 0
        assert len(tab.inner_text("#pane")) > 40
    tab.click("#tab-code")
    tab.screenshot(path=tmp_path / "code.png")


def test_panes_follow_typing(tab: Tab) -> None:
    typed(tab, SCALE.replace("scale", "triple"))
    tab.click("#tab-kernel")
    tab.wait_for_selector("#pane h3:has-text('triple')")
    tab.click(".editor .cm-content")
    tab.keyboard.press("Control+Home")
    tab.keyboard.insert_text("#pragma loadstone default(n = 77)\n")
    until(tab, "document.querySelector('.parameter input')?.value === '77'")


def test_pragmas_are_completed(tab: Tab) -> None:
    tab.click(".editor .cm-content")
    tab.keyboard.press("Control+Home")
    tab.keyboard.type("#pragma loadstone a")
    tab.wait_for_selector(".cm-tooltip-autocomplete li:has-text('assume')")
    tab.keyboard.press("Escape")


def test_errors_are_underlined_with_hints(tab: Tab) -> None:
    typed(tab, "void f(int n, int a[n]) {\n  for (int i = 0; i < n; i++)\n    a[i] = missing;\n}\n")
    tab.wait_for_selector(".cm-lintRange-error")
    assert tab.inner_text(".cm-lintRange-error") == "missing"
    assert "missing" in tab.inner_text(".left .found .message")
    assert tab.inner_text(".left .found .hint")
    tab.hover(".cm-lintRange-error")
    tab.wait_for_selector(".cm-diagnostic-error:has-text('Hint:')")
    tab.click(".left .found button")
    tab.keyboard.insert_text("1; //")
    tab.wait_for_selector(".cm-lintRange-error", state="detached")


def test_tiles_change_and_can_be_written_into_the_source(tab: Tab) -> None:
    example(tab, "matmul")
    for loop in "ijk":
        tab.fill(f"[aria-label='Tile size of {loop} as a number']", "8")
    until(tab, "document.querySelector('.figures dd').textContent.replace(/\\s/g, '') === '19200'")
    tab.focus("[aria-label='Tile size of i']")
    tab.keyboard.press("ArrowLeft")
    assert tab.input_value("[aria-label='Tile size of i as a number']") == "7"
    tab.click("text=Write into source")
    until(tab, "document.querySelector('.editor').innerText.includes('#pragma loadstone tile size(7, 8, 8)')")
    tab.wait_for_selector("text=Write into source", state="detached")


def test_the_slider_goes_through_time(tab: Tab, tmp_path: Path) -> None:
    example(tab, "matmul")
    for loop in "ijk":
        tab.fill(f"[aria-label='Tile size of {loop} as a number']", "8")
    shown(tab, "tiles")
    tab.wait_for_selector(".time :text('1 of 5')")
    groups = "[...each.shadowRoot.querySelectorAll('g')].map(group => group.dataset.now)"
    lit = f"() => [...document.querySelectorAll('.drawing')].map(each => {groups})"
    first = [["true"], ["false"], ["true"] + 4 * ["false"], ["true"] + 4 * ["false"]]
    last = [["false"], ["true"], 4 * ["false"] + ["true"], 4 * ["false"] + ["true"]]
    until(tab, f"JSON.stringify(({lit})()) === {json.dumps(json.dumps(first, separators=(',', ':')))}")
    tab.focus("[aria-label='Tile in time']")
    for _ in range(4):
        tab.keyboard.press("ArrowRight")
    tab.wait_for_selector(".time output:text-is('T2 = 4')")
    until(tab, f"JSON.stringify(({lit})()) === {json.dumps(json.dumps(last, separators=(',', ':')))}")
    tab.check("text=all tiles")
    until(tab, f"({lit})().flat().every(now => now === 'true')")
    tab.focus("[aria-label='Strip in time']")
    tab.keyboard.press("ArrowRight")
    tab.wait_for_selector(".strip output:text-is('T0 = 2, T1 = 3')")
    settled(tab)
    tab.evaluate("document.activeElement.blur()")
    kept(tab, tmp_path, "explorer.png")


def test_lines_are_tied_to_the_source(tab: Tab) -> None:
    example(tab, "matmul")
    shown(tab, "code")
    for language in ("HLS C++", "SystemVerilog", "VHDL", "C"):
        tab.click(f".segments span:text-is('{language}')")
        tab.wait_for_selector(".viewer [data-statement=S0]")
    tab.locator(".viewer [data-statement=S0]").first.hover()
    tab.wait_for_selector(".editor .cm-lit")
    assert "c[i][j]" in tab.inner_text(".editor .cm-lit")
    tab.hover(".editor [data-statement=S0]")
    tab.wait_for_selector(".viewer .cm-lit")


def test_a_link_holds_the_whole_state(tab: Tab) -> None:
    example(tab, "fir")
    shown(tab, "buffers")
    tab.click("text=Copy link")
    tab.wait_for_selector(".status:has-text('Link copied')")
    link, source = tab.evaluate("navigator.clipboard.readText()"), tab.inner_text(".editor .cm-content")
    other = tab.context.new_page()
    other.goto(link)
    other.wait_for_selector("#tab-buffers[aria-selected=true]")
    assert other.inner_text(".editor .cm-content") == source
    assert other.input_value("[aria-label=Example]") == "fir"


def test_downloads(tab: Tab, tmp_path: Path) -> None:
    example(tab, "matmul")
    settled(tab)
    found: dict[str, Path] = {}
    for name, button in (("zip", "Project"), ("vcd", "Waveform"), ("json", "Results"), ("svg", "Pictures")):
        tab.click("[aria-label=Download]")
        with tab.expect_download() as download:
            tab.click(f".menu-items button:has-text('{button}')")
        found[name] = tmp_path / f"{name}-{download.value.suggested_filename}"
        download.value.save_as(found[name])
    with ZipFile(found["zip"]) as archive:
        assert {"kernel.c", "c/matmul.c", "hls/matmul.cpp"} <= set(archive.namelist())
    assert "$scope module accelerator" in found["vcd"].read_text()
    assert found["vcd"].name.endswith("matmul.vcd")
    results = json.loads(found["json"].read_text())
    assert results["panes"]["traffic"]["ways"][0]["load"] == 8000
    assert found["svg"].read_text().startswith("<svg ")
    assert "var(" not in found["svg"].read_text()


def test_the_curve_fills_live(tab: Tab) -> None:
    tab.click("#tab-curve")
    until(tab, "document.querySelectorAll('#pane tbody tr').length >= 3")
    tab.click("#pane button:text-is('Use') >> nth=0")
    until(tab, "document.querySelector('.editor').innerText.includes('#pragma loadstone tile size(')")


def test_the_front_fills_live(tab: Tab) -> None:
    typed(tab, SCALE)
    tab.click("#tab-front")
    tab.wait_for_selector("#pane progress")
    tab.wait_for_selector("#pane h3:has-text('Front')")
    tab.wait_for_selector("#pane tbody tr")
    row = [cell.strip() for cell in tab.inner_text("#pane tbody tr >> nth=0").split("\t")]
    tab.click("#pane button:text-is('Use') >> nth=0")
    until(tab, f"document.querySelector('.size input[type=number]').value === '{row[0]}'")
    until(tab, f"{CYCLES} === '{row[2]}'")


CYCLES = "[...document.querySelectorAll('.figures dd')][3].textContent"


def test_the_keyboard_reaches_everything(tab: Tab) -> None:
    tab.wait_for_selector("[aria-label='Tile size of i']")
    tab.evaluate("document.activeElement.blur()")
    reached: list[str] = []
    for _ in range(40):
        tab.keyboard.press("Tab")
        reached.append(tab.evaluate(FOCUSED))
        if reached[-1] == "tab-tiles":
            break
    expected = (
        "Example",
        "Copy link",
        "Download",
        "Theme",
        "Kernel in C",
        "Width of the editor",
        "Tile size of i",
        "Auto",
        "Parameter n",
    )
    assert [name for name in expected if name not in reached] == []
    tab.keyboard.press("ArrowRight")
    assert tab.get_attribute("#tab-traffic", "aria-selected") == "true"
    tab.keyboard.press("End")
    tab.keyboard.press("Home")
    assert tab.get_attribute("#tab-kernel", "aria-selected") == "true"
    tab.focus("[aria-label='Width of the editor']")
    tab.keyboard.press("ArrowRight")
    assert tab.get_attribute("[role=separator]", "aria-valuenow") == "42"


FOCUSED = """() => {
  const at = document.activeElement;
  return at.id || at.getAttribute('aria-label') || at.textContent.slice(0, 20);
}"""
NAMELESS = """() => {
  const wanted = 'button, input, select, summary, [role=tab], [role=separator], [tabindex="0"], img, figure svg';
  const text = (e) => e.getAttribute('aria-label') || e.textContent.trim();
  const named = (e) => text(e) || e.labels?.length || e.hasAttribute('alt');
  const all = [...document.querySelectorAll(wanted)].filter((e) => e.checkVisibility() && !e.closest('.cm-editor'));
  return all.filter((e) => !named(e)).map((e) => e.outerHTML.slice(0, 120));
}"""


def test_controls_have_names(tab: Tab) -> None:
    settled(tab)
    tab.click("text=More choices")
    for name in TABS:
        tab.click(f"#tab-{name}")
        assert tab.evaluate(NAMELESS) == [], name
    assert tab.evaluate("document.documentElement.lang") == "en"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark(browser: Any, server: str, scheme: str, tmp_path: Path) -> None:
    context = browser.new_context(color_scheme=scheme)
    for page in _opened(context, server):
        page.wait_for_selector(".card")
        for where in ("body", "header", ".card"):
            back, ink = brightness(page, where)
            assert abs(back - ink) > 120
            assert (back > 128) == (scheme == "light")
        page.screenshot(path=tmp_path / f"{scheme}.png")
        other = "dark" if scheme == "light" else "light"
        page.select_option("[aria-label=Theme]", other)
        page.wait_for_selector(f"html[data-theme={other}]")
        assert (brightness(page, "body")[0] > 128) == (scheme == "dark")


def test_a_narrow_window(browser: Any, server: str, tmp_path: Path) -> None:
    context = browser.new_context(viewport={"width": 380, "height": 700})
    for page in _opened(context, server):
        settled(page)
        for name in TABS:
            page.click(f"#tab-{name}")
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= 380, name
        page.screenshot(path=tmp_path / "narrow.png", full_page=True)


@pytest.mark.sweep
@pytest.mark.parametrize(
    "name", ["matmul", "polymul", "fir", "conv2d", "alignment", "suffix_sums", "jacobi1d_sa", "gemm", "atax", "trisolv"]
)
def test_ten_examples(tab: Tab, name: str) -> None:
    tab.select_option("[aria-label=Example]", name)
    tab.wait_for_timeout(60)
    tab.wait_for_selector("main[data-busy=false]", timeout=70_000)
    for each in TABS:
        tab.click(f"#tab-{each}")
        assert "internal error" not in tab.inner_text("#pane")
    assert figure(tab, "words moved") != "–"


@pytest.mark.sweep
def test_ten_tilings(tab: Tab) -> None:
    example(tab, "matmul")
    for size in (1, 2, 3, 5, 8, 13, 16, 24, 32, 40):
        tab.fill("[aria-label='Tile size of i as a number']", str(size))
        words = 1600 + 1600 * 2 + 1600 * -(-40 // size) + 1600
        until(tab, f"document.querySelector('.figures dd').textContent.replace(/\\s/g, '') === '{words}'")


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("a[i] = b;", "b"),
        ("a[i] = 1", ""),
        ("#pragma loadstone tilt size(8)", "unknown pragma"),
        ('#include "/etc/hostname"', "header"),
        ("a[i * i] = 1; a[i] =", ""),
    ],
)
def test_five_errors(tab: Tab, line: str, said: str) -> None:
    typed(tab, f"void f(int n, int a[n]) {{\n  for (int i = 0; i < n; i++) {{\n{line}\n  }}\n}}\n")
    tab.wait_for_selector(".cm-lintRange-error")
    assert said in tab.inner_text(".left .found .message >> nth=0")
    typed(tab, SCALE)
    tab.wait_for_selector(".cm-lintRange-error", state="detached")


def test_examples_of_the_page_are_those_of_the_repository() -> None:
    listed = re.findall(r'from "\.\./\.\./(examples/[^"]+)"', (ROOT / "web" / "src" / "examples.js").read_text())
    assert len(listed) > 10
    assert all((ROOT / path).exists() for path in listed)
