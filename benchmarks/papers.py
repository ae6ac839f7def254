"""Every table, figure with numbers, theorem, algorithm and example of the five documents, published and ours.

    python benchmarks/papers.py [--only NAME ...] [--quick] [--numbers] [--list]

`documents/` lists the items; each is found by calling another benchmark, or by tests that hold its numbers. What was
found is kept in `papers.json`, from which `docs/papers.md` is written; items that are not chosen keep what was found
before. `--only 4.6` takes the items whose name begins so, `--quick` those that take seconds, `--numbers` those that
benchmarks compute: CI runs the tests anyway. Table 4.10c with its 5,600 schedules is found only if it is named, which
takes two and a half hours of processor time.

The others take about an hour on two cores, `--quick` a few minutes. Exits with 1 where an item is worse than before
(reproduced, partly, absent), or than its document's list says.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from xml.etree import ElementTree

from documents import corvino, devos_3, devos_4, devos_5, rr7648, rr7697, rr9131
from documents.items import RANK, ROOT, Finding, Item

ITEMS: tuple[Item, ...] = tuple(
    item for module in (rr7697, rr7648, rr9131, devos_3, devos_4, devos_5, corvino) for item in module.ITEMS
)
KEPT, PAGE = Path(__file__).parent / "papers.json", ROOT / "docs" / "papers.md"
Found = dict[str, Finding]


def chosen(only: Sequence[str], quick: bool, numbers: bool = False) -> list[Item]:
    """The items whose names begin with one of some texts (5.2 is no beginning of 5.20), all but slow ones without.

    Perhaps only quick ones, or only those that benchmarks compute.
    """
    begin = [re.compile(re.escape(text) + r"(?!\d)") for text in only]
    named = [item for item in ITEMS if any(each.match(item.name) for each in begin) or not (only or item.slow)]
    return [item for item in named if (item.quick or not quick) and not (numbers and item.tests)]


def found_by_tests(items: Iterable[Item]) -> Found:
    """Items whose numbers are in tests, which all run at once."""
    wanted = [item for item in items if item.tests]
    nodes = list(dict.fromkeys(test for item in wanted for test in item.tests))
    if not nodes:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-m",
            "not sweep",
            f"--junitxml={report}",
            *nodes,
        ]
        subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=False)
        outcomes = outcomes_of(report)
    return {item.name: judged(item, outcomes) for item in wanted}


def outcomes_of(report: Path) -> dict[str, list[bool]]:
    """Whether the cases of each test have passed, by file::name."""
    found: dict[str, list[bool]] = {}
    for case in ElementTree.parse(report).iter("testcase"):
        name = f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name', '').partition('[')[0]}"
        found.setdefault(name, []).append(len(case) == 0)
    return found


def judged(item: Item, outcomes: Mapping[str, Sequence[bool]]) -> Finding:
    """What the tests of an item say."""
    cases = [
        passed
        for name, each in outcomes.items()
        if any(name.startswith(test) for test in item.tests)
        for passed in each
    ]
    ran = all(any(name.startswith(test) for name in outcomes) for test in item.tests)
    good = ran and all(cases)
    ours = f"{sum(cases)} of {len(cases)} tests pass" if cases else "no tests"
    return Finding(item.published, ours, item.status if good else "absent")


def found_by_benchmarks(items: Sequence[Item]) -> Found:
    """Items that other benchmarks compute, one by one."""
    found: Found = {}
    wanted = [item for item in items if item.find is not None]
    for position, item in enumerate(wanted, 1):
        start = time.perf_counter()
        print(f"[{position}/{len(wanted)}] {item.name}: {item.title}", file=sys.stderr, flush=True)
        if item.find is not None:
            found[item.name] = item.find()
        print(f"    {found[item.name].status}, {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    return found


def kept() -> Found:
    """What was found before."""
    return {name: Finding(**each) for name, each in json.loads(KEPT.read_text()).items()} if KEPT.exists() else {}


def worse(found: Found, before: Found) -> list[str]:
    """The items that are worse than before, or than their list says."""
    known = {item.name: item.status for item in ITEMS if item.command != "-"}
    least = {
        name: max(RANK[known.get(name, "absent")], RANK[before[name].status] if name in before else 0) for name in found
    }
    return [name for name, finding in found.items() if RANK[finding.status] < least[name]]


def page(found: Found) -> str:
    """The page of all items."""
    count = Counter(found[item.name].status if item.name in found else "not run" for item in ITEMS)
    total = ", ".join(
        f"{count[status]} {status}" for status in ("reproduced", "partly", "absent", "not run") if count[status]
    )
    lines = [
        "# The documents, item by item",
        "",
        f"{len(ITEMS)} items of five documents: {total}. Written by `python benchmarks/papers.py`, which computes",
        "what is ours with the command of each row. Theorems and statements are held by tests, which stand in place of",
        "numbers there. `rmse` of Tables 4.6 to 4.13: Add Var, Mod Classes, Split Periods 10 and 100, Poly Approx,",
        "Drop Frac; ours with domains halved once.",
        "",
        "| item | | published | ours | | command | why ours differs |",
        "|---|---|---|---|---|---|---|",
    ]
    for item in ITEMS:
        finding = found.get(item.name, Finding(item.published, "not run", "absent"))
        status = finding.status if item.name in found else "-"
        cells = (
            f"{item.document} {item.name.partition('/')[2] or item.name}",
            item.title,
            finding.published,
            finding.ours,
            status,
            f"`{item.command}`" if item.command != "-" else "",
            item.reason,
        )
        lines.append(f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |")
    return "\n".join(lines) + "\n"


def shown(item: Item, finding: Finding) -> str:
    """An item as a line."""
    return f"{item.name:20}{finding.status:12}{finding.published}  //  {finding.ours}"


def main() -> int:
    """Find what was chosen, write the page, and judge."""
    parser = argparse.ArgumentParser(description="The documents, item by item.")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="items whose name begins so")
    parser.add_argument("--quick", action="store_true", help="items that take seconds")
    parser.add_argument("--numbers", action="store_true", help="items that benchmarks compute, and not tests")
    parser.add_argument("--list", action="store_true", help="names and titles, nothing else")
    options = parser.parse_args()
    items = chosen(options.only, options.quick, options.numbers)
    if options.list:
        print("\n".join(f"{item.name:20}{item.document:10}{item.title}" for item in items))
        return 0
    before = kept()
    found = {**found_by_tests(items), **found_by_benchmarks(items)}
    for item in items:
        print(shown(item, found[item.name]))
    both = {**kept(), **found}
    KEPT.write_text(json.dumps({name: asdict(each) for name, each in sorted(both.items())}, indent=1) + "\n")
    PAGE.write_text(page(both))
    lost = worse(found, before)
    print(f"{len(found)} items; worse than before or than listed: {', '.join(lost) or 'none'}")
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
