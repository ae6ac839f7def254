"""Fronts of small spaces against brute force: every design predicted, none excluded."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import loadstone as ls
from loadstone.cli.main import main
from loadstone.fronts.archive import Archive, Vector, is_covered
from loadstone.fronts.bounds import least_computing, least_cycles
from loadstone.fronts.measures import measured, vector
from loadstone.fronts.question import Answer, Question
from loadstone.fronts.search import explore
from loadstone.fronts.space import Axes, Design, Measure, Space, read_axis, read_limit, read_objectives
from loadstone.fronts.stages import Subject
from loadstone.fronts.store import Store
from loadstone.options import Choices, HardwareOptions

EXAMPLES = Path(__file__).parents[2] / "examples"
FIRST = Design(Choices(), HardwareOptions(), "paper")
SPACES: dict[str, tuple[str, dict[str, int], int, Axes]] = {
    "lanes": ("vector_sum.c", {"n": 100}, 1, {"sizes": (4, 16, 64), "unroll": (1, 4)}),
    "depths": ("vector_sum.c", {"n": 61}, 1, {"sizes": (8, 32), "depth": (1, 2, 3), "strips": ("overlap", "drain")}),
    "buses": ("dma.c", {"n": 200}, 1, {"sizes": (16, 64), "bus_width": (32, 64), "burst": (4, 64)}),
    "memories": ("polymul.c", {"N": 9}, 2, {"sizes": (3, 8), "memory": ("paper", "ddr4-2400")}),
}


def asked(name: str, objectives: tuple[Measure, ...] = ("cycles", "cells")) -> Question:
    file, values, rank, axes = SPACES[name]
    return Question(Subject(ls.parse(EXAMPLES / file), values), Space(FIRST, rank, axes), objectives)


def found(question: Question, store: Path | None = None) -> Answer:
    with Store(store, "test") as kept:
        return explore(question, kept)


def vectors_of(answer: Answer, question: Question) -> set[Vector]:
    return {vector(point.measures, question.objectives) for point in answer.front}


@pytest.mark.parametrize("objectives", [("cycles", "cells"), ("words", "cells", "cycles"), ("cycles",)])
@pytest.mark.parametrize("name", SPACES)
def test_the_front_is_that_of_brute_force(name: str, objectives: tuple[Measure, ...]) -> None:
    question = asked(name, objectives)
    archive: Archive[Design] = Archive()
    for choices in question.space.tilings():
        for design in question.space.designs(choices):
            compilation = question.subject.compilation(design)
            measures = measured(compilation, design.memory)
            assert least_cycles(compilation, design.memory) <= measures["cycles"]
            assert least_computing(compilation) <= measures["cycles"]
            archive.add(vector(measures, objectives), design)
    answer = found(question)
    assert answer.is_exhaustive
    assert answer.gap is None
    assert vectors_of(answer, question) == set(archive.vectors)
    assert answer.evaluated + answer.excluded == len(question.space) == answer.space


def test_bounds_exclude_designs() -> None:
    assert found(asked("lanes", ("words",))).excluded > 0


def test_an_archive_is_the_minima_of_all_vectors() -> None:
    draw = random.Random(1)
    for _ in range(50):
        vectors = [tuple(draw.randrange(6) for _ in range(3)) for _ in range(30)]
        archive: Archive[None] = Archive()
        for each in vectors:
            archive.add(each, None)
        others = {each: [other for other in vectors if other != each] for each in vectors}
        assert set(archive.vectors) == {each for each in vectors if not is_covered(each, others[each])}
        assert len(archive.vectors) == len(set(archive.vectors))


def test_what_is_kept_is_not_judged_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    question, store = asked("lanes"), tmp_path / "kept.db"
    first = found(question, store)
    monkeypatch.setattr("loadstone.fronts.workers.judged", None)
    assert vectors_of(found(question, store), question) == vectors_of(first, question)


def test_other_spaces_do_not_take_exclusions_over(tmp_path: Path) -> None:
    """A design may be excluded by one that is no part of another space."""
    store, large = tmp_path / "kept.db", asked("lanes", ("words",))
    found(large, store)
    small = Question(large.subject, Space(FIRST, 1, {"sizes": (4,), "unroll": (4,)}), ("words",))
    assert vectors_of(found(small, store), small) == vectors_of(found(small), small) != set()


def test_limits_hold_and_time_may_be_over() -> None:
    whole = asked("lanes")
    limited = Question(whole.subject, whole.space, whole.objectives, {"cells": 40})
    front = found(limited).front
    assert front
    assert all(point.measures["cells"] <= 40 for point in front)
    with Store(None, "") as store:
        answer = explore(whole, store, seconds=-1)
    assert (answer.left, answer.is_exhaustive) == (len(whole.space), False)


def test_impossible_designs_are_counted_with_their_reason() -> None:
    question = asked("lanes")
    wrong = Question(question.subject, Space(FIRST, 1, {"strip": (1, 2), "sizes": (16,)}))
    answer = found(wrong)
    assert (answer.impossible, answer.evaluated) == (1, 1)
    assert "strip" in next(iter(answer.reasons))


@pytest.mark.parametrize(
    "text", ["tile", "tiles=4", "tile=0", "tile=64..8", "unroll=x", "strips=often", "memory=litedram", "blocks=1,2"]
)
def test_wrong_axes(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_axis(text)
    with pytest.raises(ValueError, match="no measure"):
        read_objectives("cycles,heat")
    assert read_limit("words=7") == ("words", 7)


def test_the_command_prints_commands_that_run(capsys: pytest.CaptureFixture[str]) -> None:
    kernel = str(EXAMPLES / "vector_sum.c")
    own = ["-p", "n=70", "--over", "tile=16,32", "--depth", "3"]
    assert main(["explore", kernel, *own, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["exhaustive"]
    for point in answer["front"]:
        _, *words = point["command"].split()
        assert main([*words, "--simulator", "transactions", "--json"]) == 0
        outcome = json.loads(capsys.readouterr().out)
        assert outcome["cycles"] == point["measures"]["cycles"]
        assert outcome["loaded"] + outcome["stored"] == point["measures"]["words"]
        choices = {name: value for name, value in point["choices"].items() if name != "memory"}
        built = ls.accelerator(ls.parse(kernel), parameters={"n": 70}, **choices).outline.inside.values()
        cells = sum(store.depth for store in built)
        assert cells == point["measures"]["cells"]
    assert main(["explore", kernel, *own]) == 0
    assert "exhaustive: 2 designs" in capsys.readouterr().out


def test_options_without_effect_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    kernel = str(EXAMPLES / "vector_sum.c")
    wrong = {
        ("--tile", "8", "--over", "tile=4"): "--tile has no effect beside --over",
        ("--curve", "--unroll", "2"): "--unroll has no effect with --curve",
        ("--curve", "--over", "unroll=1,2"): "--over has no effect with --curve",
        ("--local", "64"): "--local has no effect without --curve",
        ("--tile", "auto"): "--tile auto is one design",
    }
    for options, message in wrong.items():
        assert main(["explore", kernel, *options]) == 2
        assert message in capsys.readouterr().err
