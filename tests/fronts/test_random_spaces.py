"""Fronts of random spaces of random kernels against brute force, and each of their bounds against what it bounds."""

from __future__ import annotations

import random
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

import loadstone as ls
from loadstone.errors import LoadstoneError
from loadstone.fronts.archive import Archive
from loadstone.fronts.bounds import TilingBounds, least_computing, least_cycles
from loadstone.fronts.measures import measured, vector
from loadstone.fronts.question import Answer, Question
from loadstone.fronts.search import explore, processes
from loadstone.fronts.space import Axes, Design, Measure, Space
from loadstone.fronts.stages import Stages, Subject
from loadstone.fronts.store import Store
from loadstone.options import Choices, HardwareOptions

VALUES: dict[str, tuple[Any, ...]] = {
    "sizes": (1, 2, 3, 5, 8),
    "strip": (1, 2),
    "depth": (1, 2, 3),
    "strips": ("overlap", "drain"),
    "power_of_two": (False, True),
    "keep_dead_stores": (False, True),
    "free_reductions": (False, True),
    "unroll": (1, 2, 4, (2, 2)),
    "read_ports": (1, 2),
    "memory_latency": (1, 2),
    "bus": ("axi", "avalon"),
    "bus_width": (32, 64, 128),
    "burst": (2, 8, 64),
    "outstanding": (1, 4),
    "address_width": (32, 64),
    "flush_subnormals": (False, True),
    "memory": ("paper", "ddr3-1600", "ddr4-2400", "hbm"),
}
OBJECTIVES: tuple[tuple[Measure, ...], ...] = (
    ("cycles", "cells"),
    ("cycles",),
    ("words", "cells"),
    ("cells", "cycles", "words"),
    ("energy", "cells"),
)
MOST_DESIGNS, SEEDS = 24, 100


def random_axes(draw: random.Random, rank: int) -> Axes:
    """Some values of sizes and of a few other options, so that there are not too many designs."""
    while True:
        names = draw.sample(sorted(set(VALUES) - {"sizes"}), 3)
        axes = {name: tuple(draw.sample(VALUES[name], draw.randint(1, len(VALUES[name])))) for name in names}
        axes["sizes"] = tuple(draw.sample(VALUES["sizes"], 2 if rank <= 2 else 1))
        if len(Space(Design(Choices(), HardwareOptions(), "paper"), rank, axes)) <= MOST_DESIGNS:
            return axes


def random_source(draw: random.Random) -> str:
    """A small kernel: one or two statements in one or two loops, with shifts, reductions, triangles, any type."""
    kind, shift = draw.choice(("int", "short", "float")), draw.randint(0, 2)
    first = draw.choice(("0", "1", "i"))
    bodies = (
        f"c[i] = a[i + {shift}] * b[i];",
        f"c[i] = a[i + {shift}] + a[i]; d[i] = c[i] - b[{draw.choice(('i', 'n + 1 - i', '0'))}];",
        f"for (int j = {first}; j < m; j++) c[i] += a[j + {shift}] * b[i];",
        f"for (int j = {first}; j < m; j++) e[i][j] = a[i + j] + b[j];",
        f"for (int j = {first}; j < m; j++) {{ e[i][j] = a[j + {shift}]; d[j] += e[i][j]; }}",
        f"if (i > {shift}) c[i] = c[i - 1] + a[i];",
    )
    arguments = f"int n, int m, {kind} a[n + m + 4], {kind} b[n + m + 4], {kind} c[n], {kind} d[n + m], {kind} e[n][m]"
    return f"""void kernel({arguments}) {{
#pragma scop
  for (int i = 0; i < n; i++) {{ {draw.choice(bodies)} }}
#pragma endscop
}}
"""


def random_question(seed: int) -> Question:
    """A question about random kernel number `seed`."""
    draw = random.Random(seed)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.c"
        path.write_text(random_source(draw))
        kernel = ls.parse(path)
    values = {"n": draw.randint(1, 14), "m": draw.randint(1, 9)}
    subject = Subject(kernel, {name: values[name] for name in kernel.parameters})
    first = Design(Choices(), HardwareOptions(), draw.choice(VALUES["memory"]))
    rank = len(subject.compilation(first).tiles.sizes)
    return Question(subject, Space(first, rank, random_axes(draw, rank)), draw.choice(OBJECTIVES))


def brute_force(question: Question) -> dict[Design, dict[Measure, int]]:
    """All designs that can be built, with their measures; no bound is above what it bounds."""
    found: dict[Design, dict[Measure, int]] = {}
    bounds = TilingBounds(Stages(question.subject))
    for tiling in question.space.tilings():
        for design in question.space.designs(tiling):
            compilation = question.subject.compilation(design)
            try:
                _ = compilation.design
            except LoadstoneError:
                continue
            measures = found[design] = measured(compilation, design.memory)
            least = bounds.least(compilation.tiles, tiling).of(design, prod(compilation.lanes))
            assert all(least[name] <= measures[name] for name in measures), (design, least, measures)
            cycles = least_cycles(compilation, design.memory), least_computing(compilation)
            assert max(cycles) <= measures["cycles"], (design, cycles, measures)
    return found


def found(question: Question, jobs: int = 1) -> Answer:
    with Store(None, "test") as store:
        return explore(question, store, hire=processes(jobs))


def check(question: Question, every: dict[Design, dict[Measure, int]], jobs: int) -> None:
    """The front of the question is that of all designs, whose measures are as they are shown."""
    archive: Archive[Design] = Archive()
    for design, measures in every.items():
        if question.is_allowed(measures):
            archive.add(vector(measures, question.objectives), design)
    answer = found(question, jobs)
    assert answer.is_exhaustive, answer
    assert {vector(point.measures, question.objectives) for point in answer.front} == set(archive.vectors)
    for point in answer.front:
        assert every[point.design].items() <= point.measures.items()


def check_space(seed: int) -> None:
    question = random_question(seed)
    every = brute_force(question)
    check(question, every, jobs=1 + seed % 2)
    if every:
        draw = random.Random(-seed)
        limited = draw.choice(("cycles", "words", "cells"))
        most = draw.choice(sorted(measures[limited] for measures in every.values()))
        check(Question(question.subject, question.space, question.objectives, {limited: most}), every, jobs=1)


@pytest.mark.parametrize("seed", [102, 103, 140])
def test_the_front_of_a_random_space_is_that_of_brute_force(seed: int) -> None:
    check_space(seed)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(104, 104 + SEEDS))
def test_the_fronts_of_many_random_spaces_are_those_of_brute_force(seed: int) -> None:
    check_space(seed)
