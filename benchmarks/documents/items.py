"""Items of documents: tables, figures with numbers, theorems, algorithms and examples, and how ours are found."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).parent.parent.parent
Status = Literal["absent", "partly", "reproduced"]
RANK: dict[str, int] = {"absent": 0, "partly": 1, "reproduced": 2}
CLAIM = re.compile(r"^\s*(?P<claim>.*): (\d+) of (\d+) published, (\d+) of (\d+) ours\.$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Finding:
    """What is published and what is ours, and how far they agree."""

    published: str
    ours: str
    status: Status


@dataclass(frozen=True, slots=True)
class Item:
    """An item, the command that shows it, and how ours is found: by a function, or by tests that hold its numbers.

    `reason` says why ours differs, or why there is none. `slow` items are found only if they are named.
    """

    name: str
    document: str
    title: str
    command: str
    find: Callable[[], Finding] | None = None
    tests: tuple[str, ...] = ()
    published: str = ""
    reason: str = ""
    status: Status = "reproduced"
    quick: bool = False
    slow: bool = False


def tested(name: str, document: str, title: str, published: str, *tests: str, **more: str | Status) -> Item:
    """An item whose numbers or statements are in tests; `status` is what passing tests amount to."""
    status: Status = "partly" if more.get("status") == "partly" else "reproduced"
    command = f"pytest {tests[0]}" + (" ..." if len(tests) > 1 else "")
    reason = more.get("reason", "")
    return Item(name, document, title, command, None, tests, published, reason=reason, status=status, quick=True)


def printed_by(*command: str) -> str:
    """What a benchmark prints."""
    found = subprocess.run(
        [sys.executable, *command], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False
    )
    return found.stdout


def claims(*command: str, only: Sequence[str] = ()) -> Finding:
    """The claims that a benchmark counts: published and here, each in how many of its cases.

    Reproduced if each claim holds in most cases here where it does in the document, and the other way round.
    """
    found = [match.groups() for match in CLAIM.finditer(printed_by(*command))]
    chosen = [row for row in found if not only or any(word in row[0] for word in only)]
    numbers = [(claim, *map(int, rest)) for claim, *rest in chosen]
    agree = [(2 * there > of_there) == (2 * here > of_here) for _, there, of_there, here, of_here in numbers]
    published = "; ".join(f"{claim}: {there}/{of_there}" for claim, there, of_there, _, _ in numbers)
    ours = "; ".join(f"{here}/{of_here}" for _, _, _, here, of_here in numbers)
    status: Status = "absent" if not numbers else "reproduced" if all(agree) else "partly"
    return Finding(published, ours, status)
