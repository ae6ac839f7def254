"""The first and the last tile of elements are the same, whether the elements are chosen before or afterwards."""

from __future__ import annotations

import pytest

import loadstone as ls
from kernels import ROOT
from loadstone.transfer import make_plan, plan

KERNELS = ("polymul", "matmul", "polybench/jacobi-1d", "polybench/seidel-2d")


@pytest.mark.parametrize("name", KERNELS)
def test_elements_of_many_pieces_are_chosen_afterwards(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    tiles = ls.Compilation(ls.parse(ROOT / "examples" / f"{name}.c")).tiles
    before = make_plan(tiles)
    monkeypatch.setattr(plan, "MOST_PIECES", 0)
    after = make_plan(tiles)
    for array, part in before.arrays.items():
        assert after[array].load.is_equal(part.load)
        assert after[array].store.is_equal(part.store)
