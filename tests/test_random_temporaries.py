"""Random kernels with accumulators, conditional updates, shift registers and local arrays, tiled, in every back end."""

from __future__ import annotations

import pytest

from loadstone.errors import UnsupportedError
from random_temporaries import kernel_with_temporaries
from random_triples import CHECKS, triple_with_temporaries

QUICK = (("plan", 4), ("c", 11), ("vitis", 18), ("threads", 8), ("network", 35))
SWEEP = range(1000, 2000)


def test_seed_determines_kernel() -> None:
    first, again = ([kernel_with_temporaries(seed) for seed in range(20)] for _ in range(2))
    assert first == again


@pytest.mark.parametrize(("way", "seed"), QUICK)
def test_random_temporaries(way: str, seed: int) -> None:
    triple = triple_with_temporaries(seed)
    assert triple is not None
    assert triple.kernel.privatised
    CHECKS[way](triple)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", SWEEP)
def test_many_random_temporaries(seed: int) -> None:
    """Every kernel as a plan and as C; other back ends in turn, hardware now and then."""
    triple = triple_with_temporaries(seed)
    if triple is None:
        pytest.skip("flow of values forbids the tiling")
    turn = ("vitis", "network", "intel", "threads")[seed % 4]
    hardware = {0: ("hardware",), 25: ("network hardware",)}.get(seed % 50, ())
    for way in ("plan", "c", turn, *hardware):
        try:
            CHECKS[way](triple)
        except UnsupportedError:
            assert way.startswith("network")
            assert not triple.kernel.exact
