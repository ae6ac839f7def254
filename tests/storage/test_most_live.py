"""The most live elements: from the lives of all elements, and with few strips looked at where these are large."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

import loadstone as ls
from kernels import ROOT
from loadstone.options import Choices
from loadstone.pipeline import Compilation
from loadstone.poly.enumeration import outputs_by_input
from loadstone.storage import max_live as module
from loadstone.storage.lifetimes import Lifetimes
from loadstone.storage.max_live import Life


def alive(lives: Counter[Life], oldest: int, current: int, newest: int) -> int:
    """What is alive by the definition."""
    return sum(
        count
        for life, count in lives.items()
        if life.first <= (newest if life.loaded else current) and (life.last >= current or life.stored >= oldest)
    )


def some_lives(random: Random) -> Counter[Life]:
    found = Counter[Life]()
    for _ in range(random.randint(0, 6)):
        first = random.randint(0, 6)
        stored = random.choice([-1, -1, random.randint(first, 8)])
        found[Life(first, random.randint(first, 7), random.random() < 0.5, stored)] += random.randint(1, 5)
    return found


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_the_most_of_lives_is_that_of_the_definition(depth: int) -> None:
    random = Random(depth)
    for _ in range(500):
        lives = some_lives(random)
        tiles = max((life.last for life in lives), default=-1) + 1
        every = (alive(lives, *state) for state in module._states(tiles, depth))  # pyright: ignore[reportPrivateUsage]
        assert module._most(lives, depth) == max(every, default=0)  # pyright: ignore[reportPrivateUsage]


STRIPS = {
    "2mm": (
        "{ S0[i, j] -> [i, j, 0, 0]; S1[i, j, k] -> [i, j, 0, k]; S2[i, j] -> [i, 0, 1, j];"
        "  S3[i, j, k] -> [i, k, 1, j] }",
        (12, 38, 1, 1),
        2,
    ),
    "gemver": (
        "{ S0[i, j] -> [0, i, j]; S1[i, j] -> [0, j, i]; S2[i] -> [1, i, 0]; S3[i, j] -> [2, i, j] }",
        (1, 1, 200),
        3,
    ),
}


@pytest.mark.parametrize("name", STRIPS)
def test_few_elements_are_listed_where_nests_use_parts_of_an_array(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    listed, most = list[int](), module._most_in  # pyright: ignore[reportPrivateUsage]

    def noted(life: Lifetimes) -> int:
        listed.append(sum(map(len, outputs_by_input(life.held).values())))
        return most(life)

    monkeypatch.setattr(module, "_most_in", noted)
    schedule, sizes, strip = STRIPS[name]
    choices = Choices.of({"sizes": sizes, "strip": strip, "schedule": schedule})
    plan = Compilation(ls.parse(ROOT / "examples" / "polybench" / f"{name}.c"), choices).plan
    assert sum(listed) <= len(plan.arrays) * 40_000
