"""Timelines of what load, compute and store did in a run: as text for a terminal, and as SVG.

They show activities, wherever these come from: a prediction, or signals of a simulation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loadstone.markup import Markup, amount, element, joined, number
from loadstone.simulate.hardware.activity import PROCESSES, Activity, Process, busy_cycles

SHADES = "█▓"
"""The blocks of even and odd tiles."""
PARTLY, IDLE = "░", "·"
_TITLE = max(map(len, PROCESSES))
_SHARE = len(" 100 %")

CHART = 960.0
LEFT, TOP = 104.0, 12.0
LANE, BAR = 46.0, 34.0
STYLE = (
    "text{font:12px sans-serif}.load{fill:#3b6ea5}.compute{fill:#4a8f4a}.store{fill:#b5651d}"
    ".odd{opacity:.6}.lane{fill:#eee}"
)


def activity_lines(activities: Sequence[Activity], width: int = 80) -> list[str]:
    """A row of blocks for each process, then the scale; blocks of neighbouring tiles have different shades.

    A column shows the tile that takes most of its cycles; it is light where the process is idle for more than half of
    them, and a dot where it is idle for all.

    >>> parts = [Activity("load", 0, 0, 10), Activity("compute", 0, 10, 30), Activity("load", 1, 10, 20)]
    >>> print("\\n".join(activity_lines([*parts, Activity("store", 0, 30, 40)], 30)))
    load    ████▓▓▓▓········  50 %
    compute ····████████····  50 %
    store   ············████  25 %
            0             40
    """
    end = _end(activities)
    columns = max(8, width - _TITLE - 1 - _SHARE)
    rows = [
        f"{process:{_TITLE}} {_row(activities, process, columns, end)} {_share(activities, process, end):3.0f} %"
        for process in PROCESSES
    ]
    return [*rows, f"{'':{_TITLE}} 0{number(end):>{columns - 1}}"]


def _end(activities: Sequence[Activity]) -> int:
    """The cycle in which all has ended."""
    return max((activity.end for activity in activities), default=0)


def _share(activities: Sequence[Activity], process: Process, end: int) -> float:
    return 100 * busy_cycles(activities, process) / max(1, end)


def _row(activities: Sequence[Activity], process: Process, columns: int, end: int) -> str:
    """The blocks of a process."""
    shown: list[dict[int, float]] = [{} for _ in range(columns)]
    for activity in _in_turn(activities, process):
        for column, part in _parts(activity, columns / max(1, end), columns):
            shown[column][activity.tile] = shown[column].get(activity.tile, 0.0) + part
    return "".join(_block(parts) for parts in shown)


def _parts(activity: Activity, scale: float, columns: int) -> Iterator[tuple[int, float]]:
    """The columns that an activity touches, and the part of each that it takes."""
    first, last = activity.begin * scale, activity.end * scale
    for column in range(int(first), min(columns, int(last) + 1)):
        part = min(last, column + 1) - max(first, column)
        if part > 0:
            yield column, part


def _block(parts: dict[int, float]) -> str:
    """The block of a column in which tiles take parts."""
    if sum(parts.values()) < 0.5:
        return PARTLY if parts else IDLE
    return SHADES[max(parts, key=lambda tile: parts[tile]) % 2]


def _in_turn(activities: Sequence[Activity], process: Process) -> Iterator[Activity]:
    """The activities of a process in order, each from the end of those before it."""
    reached = 0
    for activity in sorted((each for each in activities if each.process == process), key=lambda each: each.tile):
        begin = max(reached, activity.begin)
        if activity.end > begin:
            yield Activity(process, activity.tile, begin, activity.end)
            reached = activity.end


def activities_svg(activities: Sequence[Activity]) -> Markup:
    """The activities as bars, one lane for each process; a bar tells its tile and cycles when it is pointed at."""
    end = _end(activities)
    height = TOP + LANE * len(PROCESSES) + 16
    return element(
        "svg",
        element("title", "load, compute and store"),
        element("desc", f"{amount(len({each.tile for each in activities}), 'tile')} in {amount(end, 'cycle')}"),
        element("style", Markup(STYLE)),
        *(_lane(activities, process, end) for process in PROCESSES),
        element("text", "0", x=LEFT, y=height - 4),
        element("text", number(end), x=CHART, y=height - 4, text_anchor="end"),
        role="img",
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {CHART:.0f} {height:.0f}",
    )


def _lane(activities: Sequence[Activity], process: Process, end: int) -> Markup:
    top = TOP + LANE * PROCESSES.index(process)
    scale = (CHART - LEFT) / max(1, end)
    return joined(
        (
            element("text", process, x=0, y=top + BAR / 2),
            element("text", f"busy {_share(activities, process, end):.0f} %", x=0, y=top + BAR / 2 + 15),
            element("rect", x=LEFT, y=top, width=CHART - LEFT, height=BAR, class_="lane"),
            *(_bar(activity, top, scale) for activity in _in_turn(activities, process)),
        )
    )


def _bar(activity: Activity, top: float, scale: float) -> Markup:
    told = f"{activity.process} of tile {activity.tile}: from {number(activity.begin)} to {number(activity.end)}"
    return element(
        "rect",
        element("title", told),
        x=LEFT + activity.begin * scale,
        y=top,
        width=(activity.end - activity.begin) * scale,
        height=BAR,
        class_=f"{activity.process} odd" if activity.tile % 2 else activity.process,
    )
