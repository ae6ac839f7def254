"""Timelines of activities, drawn."""

from __future__ import annotations

from xml.etree import ElementTree

from loadstone.simulate.hardware.activity import Activity, busy_cycles
from loadstone.simulate.hardware.timeline import activities_svg, activity_lines

PIPELINE = (
    Activity("load", 0, 0, 100),
    Activity("load", 1, 90, 200),
    Activity("compute", 0, 100, 300),
    Activity("load", 2, 300, 400),
    Activity("compute", 1, 300, 500),
    Activity("store", 0, 300, 310),
    Activity("compute", 2, 500, 700),
    Activity("store", 1, 700, 800),
)
SVG = "{http://www.w3.org/2000/svg}"


def test_rows_show_tiles_and_idle_parts() -> None:
    assert activity_lines(PIPELINE, 30) == [
        "load    ██▓▓··██········  38 %",
        "compute ··████▓▓▓▓████··  75 %",
        "store   ······░·······▓▓  14 %",
        "        0            800",
    ]


def test_narrow_pictures_have_all_processes() -> None:
    lines = activity_lines(PIPELINE, 1)
    assert [line.split()[0] for line in lines[:3]] == ["load", "compute", "store"]
    assert {len(line) for line in lines[:3]} == {8 + 8 + 6}


def test_nothing_is_drawn_of_nothing() -> None:
    assert activity_lines((), 30)[0] == "load    ················   0 %"
    assert ElementTree.fromstring(activities_svg(())).tag == f"{SVG}svg"


def test_overlapping_activities_count_once() -> None:
    assert busy_cycles(PIPELINE, "load") == 300
    assert busy_cycles(PIPELINE, "store") == 110


def test_bars_are_where_activities_are() -> None:
    root = ElementTree.fromstring(activities_svg(PIPELINE))
    bars = [rect for rect in root.iter(f"{SVG}rect") if rect.get("class") != "lane"]
    assert len(bars) == len(PIPELINE)
    scale = (960 - 104) / 800
    first, second = bars[0], bars[1]
    assert float(first.get("width", "")) == round(100 * scale, 2)
    assert float(second.get("x", "")) == 104 + 100 * scale
    assert [rect.get("class") for rect in bars[:3]] == ["load", "load odd", "load"]
    titles = [title.text for title in root.iter(f"{SVG}title")]
    assert "compute of tile 2: from 500 to 700" in titles
    assert "load, compute and store" in titles


def test_shares_are_told() -> None:
    texts = [text.text for text in ElementTree.fromstring(activities_svg(PIPELINE)).iter(f"{SVG}text")]
    assert [text for text in texts if text and text.startswith("busy")] == ["busy 38 %", "busy 75 %", "busy 14 %"]
