"""Spaces with too many tilings for all of them are sampled, and the answer says so."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

import loadstone as ls
from loadstone.fronts.question import Question
from loadstone.fronts.sampling import Samples
from loadstone.fronts.search import explore
from loadstone.fronts.space import Design, Space
from loadstone.fronts.stages import Subject
from loadstone.fronts.store import Store
from loadstone.options import Choices, HardwareOptions

KERNEL = Path(__file__).parents[2] / "examples" / "vector_sum.c"
FIRST = Design(Choices(), HardwareOptions(), "paper")


def with_few(monkeypatch: pytest.MonkeyPatch, tilings: int, samples: int) -> None:
    monkeypatch.setattr("loadstone.fronts.search.MOST_TILINGS", tilings)
    monkeypatch.setattr("loadstone.fronts.sampling.MOST_SAMPLES", samples)


@pytest.mark.parametrize("who", ["chance", "Optuna"])
def test_large_spaces_are_sampled(who: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if who == "Optuna" and find_spec("optuna") is None:
        pytest.skip("Optuna is not installed: loadstone[sampling]")
    monkeypatch.setattr("loadstone.fronts.sampling.sampler_name", lambda: who)
    with_few(monkeypatch, 4, 5)
    space = Space(FIRST, 1, {"sizes": tuple(range(1, 60))})
    with Store(None, "") as store:
        answer = explore(Question(Subject(ls.parse(KERNEL), {"n": 60}), space), store)
    assert answer.evaluated + answer.excluded == 5
    assert answer.left == 54
    assert answer.sampled is not None
    assert answer.gap is not None
    assert 0 < answer.gap < 1


def test_samples_are_tilings_of_the_space_each_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("loadstone.fronts.sampling.sampler_name", lambda: "chance")
    space = Space(FIRST, 2, {"sizes": (1, 2, 3), "strip": (1, 2), "unroll": (1, 2)})
    assert space.tiling_count == len(list(space.tilings())) == 18
    samples = list(Samples(space, 2))
    assert len(set(samples)) == len(samples) == 18
    assert set(samples) == set(space.tilings())


def test_an_exhaustive_answer_is_not_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    with_few(monkeypatch, 2, 5)
    with Store(None, "") as store:
        question = Question(Subject(ls.parse(KERNEL), {"n": 20}), Space(FIRST, 1, {"sizes": (4, 8)}))
        answer = explore(question, store)
    assert (answer.is_exhaustive, answer.sampled) == (True, None)
