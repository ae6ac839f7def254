"""One size for all dimensions of a schedule that stands in the source."""

from __future__ import annotations

import pytest

import loadstone as ls
from kernels import ROOT
from loadstone.transform.choice import choose_tiling, is_legal


@pytest.mark.parametrize(
    ("name", "sizes"), [("gemver", (1, 5, 5)), ("atax", (1, 5, 1, 5)), ("durbin", (1, 1, 5)), ("lu", (5, 5, 5))]
)
def test_dimensions_of_size_1_keep_it_where_they_must(name: str, sizes: tuple[int, ...]) -> None:
    kernel = ls.parse(str(ROOT / f"examples/polybench/{name}.c"))
    for given in (5, (5,)):
        found = choose_tiling(kernel, given)
        assert is_legal(found)
        assert found.sizes == sizes
