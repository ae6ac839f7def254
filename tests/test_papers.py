"""The list of what the documents show: complete, shown on its page, and found by commands and tests that exist."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from kernels import ROOT

BENCHMARKS = ROOT / "benchmarks"


@pytest.fixture(scope="module")
def papers() -> ModuleType:
    sys.path.insert(0, str(BENCHMARKS))
    try:
        return import_module("papers")
    finally:
        sys.path.remove(str(BENCHMARKS))


def test_items_have_names_of_their_own(papers: ModuleType) -> None:
    names = [item.name for item in papers.ITEMS]
    assert len(names) >= 64
    assert len(set(names)) == len(names)
    assert {item.document for item in papers.ITEMS} == {"RR-7697", "RR-7648", "RR-9131", "Devos", "Corvino"}


def test_the_page_is_what_was_found(papers: ModuleType) -> None:
    """Nothing is typed in by hand."""
    assert papers.PAGE.read_text() == papers.page(papers.kept())


def test_nothing_that_was_found_is_below_its_list(papers: ModuleType) -> None:
    assert papers.worse(papers.kept(), {}) == []


def test_items_that_are_not_reproduced_have_a_reason(papers: ModuleType) -> None:
    found = papers.kept()
    assert [
        item.name
        for item in papers.ITEMS
        if item.name in found and found[item.name].status != "reproduced" and not item.reason
    ] == []


def test_tests_and_scripts_of_items_exist(papers: ModuleType) -> None:
    for item in papers.ITEMS:
        for test in item.tests:
            path, _, name = test.partition("::")
            assert f"def {name}" in (ROOT / path).read_text(), test
        words = item.command.split()
        assert item.command == "-" or words[0] == "pytest" or (ROOT / words[1]).exists(), item.command


def test_a_quick_item_is_found(papers: ModuleType) -> None:
    (item,) = papers.chosen(["9131/table 1 small"], quick=True)
    finding = papers.rr9131.table_1(("gemm",))
    assert item.quick
    assert finding.status == "reproduced"
    assert finding.published == "2 of 2 channels"


def test_what_got_worse_is_named(papers: ModuleType) -> None:
    name = papers.ITEMS[0].name
    good, bad = (papers.Finding("1", "1", status) for status in ("reproduced", "partly"))
    assert papers.worse({name: bad}, {name: good}) == [name]
    assert papers.worse({name: good}, {name: good}) == []


def test_claims_are_read_from_what_benchmarks_print(papers: ModuleType, tmp_path: Path) -> None:
    script = tmp_path / "claims.py"
    script.write_text("print('  a is b: 3 of 4 published, 2 of 2 ours.')\nprint('  c: 4 of 4 published, 0 of 1 ours.')")
    items = import_module("documents.items")
    assert items.claims(str(script)) == papers.Finding("a is b: 3/4; c: 4/4", "2/2; 0/1", "partly")
    assert items.claims(str(script), only=("a",)).status == "reproduced"


def test_a_number_is_no_beginning_of_a_longer_one(papers: ModuleType) -> None:
    assert [item.name for item in papers.chosen(["5.2"], False)] == ["5.2"]
    assert {item.name for item in papers.chosen(["4.6"], False)} == {"4.6.2", "4.6a", "4.6b"}
