"""Mappings of Array-OL: the document's example, and each method against brute force."""

from __future__ import annotations

import json
import random
from copy import deepcopy
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

import loadstone as ls
from loadstone.cli.main import main
from loadstone.frontend.arrayol.flat import Application
from loadstone.frontend.arrayol.kernel import c_file, read_application
from loadstone.frontend.c.preprocess import read_source
from loadstone.mapping.criteria import (
    READINGS,
    Reading,
    fetches_are_masked,
    largest_units,
    paces_are_kept,
    relative_sizes,
    smallest_block,
    words_suffice,
)
from loadstone.mapping.fusions import contiguous_fusions, explored
from loadstone.mapping.passes import passes
from loadstone.mapping.processors import Architecture, Block, Matrix, Processor, architecture
from loadstone.mapping.times import ExternalMemory, compute_time, fetch_time, fetch_time_of_all, is_masked
from loadstone.simulate.interpreter import execute
from loadstone.simulate.memory import initial_memory

EXAMPLES = Path(__file__).parents[2] / "examples" / "arrayol"
MEMORY = ExternalMemory(data_per_word=4, latency=30)
PIXELS = 1920 * 1080


@pytest.fixture(scope="module")
def lpsf() -> Application:
    return read_application(read_source(EXAMPLES / "lpsf.yaml"))


def ones(matrix: Matrix) -> set[tuple[int, int]]:
    assert {entry for row in matrix for entry in row} <= {0, 1}
    return {(i, j) for i, row in enumerate(matrix) for j, entry in enumerate(row) if entry}


def test_the_matrices_of_two_passes_are_those_of_example_2(lpsf: Application) -> None:
    mapped = architecture(lpsf, (2, 2))
    assert ones(mapped.to_memory) == {(2, 2), (5, 5)}
    assert ones(mapped.between) == {(1, 1), (4, 4)}
    assert ones(mapped.inputs) == {(0, 1), (1, 2), (3, 4), (4, 5)}
    assert ones(mapped.inputs_from_memory) == {(0, 1), (3, 4)}, "without the third one, which contradicts I_Com"
    assert [processor.interval for processor in mapped.processors] == [1, 1, 1, 1]
    assert len(mapped.exchanged(0)) == len(mapped.exchanged(1)) == 2


def test_units_memory_and_latency_are_those_of_example_2(lpsf: Application) -> None:
    found = {each.fusion: each for each in explored(lpsf, MEMORY).solutions}
    chosen = found[2, 2]
    assert chosen.units == (4, 4, 4, 4)
    assert chosen.block == 480
    assert chosen.internal_memory == 4 * 2 * 4 * 480 == 15360
    assert chosen.latency == 2 * PIXELS == 4147200
    for fusion, each in found.items():
        joined = any(first <= 1 < first + size - 1 for first, size in _spans(fusion))
        assert (each.internal_memory > PIXELS) == joined, "a whole image where VFTD and HFRL are fused"


def _spans(fusion: tuple[int, ...]) -> list[tuple[int, int]]:
    return [(sum(fusion[:k]), size) for k, size in enumerate(fusion)]


def test_the_exploration_has_8_fusions_and_32_comparisons(lpsf: Application) -> None:
    found = explored(lpsf, MEMORY)
    assert len(found.solutions) == 8
    assert (found.comparisons, found.comparisons_without_subspaces) == (32, 56)
    assert [each.fusion for each in found.front] == [(4,), (2, 2)]


def test_480_follows_from_one_reading_and_60_from_none(lpsf: Application) -> None:
    mapped = architecture(lpsf, (2, 2))
    units = largest_units(mapped, MEMORY)
    found = {reading: smallest_block(mapped, MEMORY, units, reading) for reading in READINGS}
    assert all(found[reading] is None for reading in READINGS if reading.by_units)
    assert found[Reading(False, True, True)] is None
    assert found[Reading(False, True, False)] == 480
    assert found[Reading(False, False, True)] == 120
    assert 60 not in found.values()


def test_example_1() -> None:
    """Fetching 6 x from memory is masked for more than one datum a word; 9 x from a processor never is."""
    size = Fraction(1000)
    for word, masked in ((1, False), (2, True)):
        fetch = fetch_time(ExternalMemory(word, 30), 6 * size, ())
        assert is_masked([fetch], compute_time(Fraction(6), size)) == masked
    assert not is_masked([compute_time(Fraction(3), 3 * size)], compute_time(Fraction(6), size))


def test_equation_3_is_definition_1_with_equation_2() -> None:
    sizes = [Fraction(size) for size in (7, 20, 33)]
    for size in sizes:
        others = [each for each in sizes if each is not size]
        assert fetch_time(MEMORY, size, others) == fetch_time_of_all(MEMORY, sizes)


def random_chain(draw: random.Random) -> Architecture:
    """Processors one after the other in macrotasks of random sizes, with random ratios."""
    groups = [0]
    while len(groups) < draw.randint(1, 4):
        groups.append(groups[-1] + draw.randint(0, 1))
    ratios = [draw.choice([Fraction(1, 2), Fraction(1), Fraction(2), Fraction(3)]) for _ in groups]
    processors = tuple(Processor(f"t{k}", max(ratios[k], Fraction(1)), groups[k], False) for k in range(len(groups)))
    blocks: list[Block] = []
    for k, ratio in enumerate(ratios):
        near = k > 0 and groups[k - 1] == groups[k]
        blocks.append(Block(f"a{k}", k - 1 if near else None, k, ratio, 100))
        if k == len(groups) - 1 or groups[k + 1] != groups[k]:
            blocks.append(Block(f"a{k + 1}", k, None, Fraction(0), 100))
    return Architecture(processors, tuple(blocks))


@pytest.mark.parametrize("seed", range(40))
def test_units_and_blocks_are_those_of_brute_force(seed: int) -> None:
    draw = random.Random(seed)
    mapped, memory = random_chain(draw), ExternalMemory(draw.choice([2, 3, 8]), draw.randint(1, 20))
    allowed = [
        units
        for units in product(range(1, 9), repeat=len(mapped.processors))
        if words_suffice(mapped, memory, units) and paces_are_kept(mapped, units)
    ]
    found = largest_units(mapped, memory)
    if allowed and max(found) < 9:
        assert found == tuple(max(units[k] for units in allowed) for k in range(len(found)))
    ones = (1,) * len(mapped.processors)
    least = smallest_block(mapped, memory, ones)
    masked = [size for size in range(1, 600) if fetches_are_masked(mapped, memory, ones, Fraction(size))]
    assert masked[:1] == ([] if least is None or least >= 600 else [least])
    assert len(relative_sizes(mapped)) == len(mapped.blocks)


@pytest.mark.parametrize("name", ["lpsf_small", "downscaler"])
def test_passes_one_after_the_other_are_the_application(name: str) -> None:
    path = EXAMPLES / f"{name}.yaml"
    application, parameters = read_application(read_source(path)), {"frames": 2}
    whole = ls.parse(path)
    expected = initial_memory(whole, parameters, 3)
    start = deepcopy(expected)
    execute(whole, parameters, expected)
    results = [array for array in application.arrays if not application.readers(array)]
    for fusion in contiguous_fusions(len(application.tasks)):
        memory = deepcopy(start)
        for part in passes(application, fusion):
            kernel = ls.parse(c_file(part))
            own = {**initial_memory(kernel, parameters, 3), **{a: memory[a] for a in part.arrays if a in memory}}
            execute(kernel, parameters, own)
            memory.update({array: own[array] for array in part.arrays if array in own})
        for array in results:
            assert memory[array].cells == expected[array].cells, (fusion, array)


def test_the_command_writes_passes_and_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = str(EXAMPLES / "lpsf_small.yaml")
    assert main(["explore", small, "--fusions", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["comparisons"], len(found["fusions"])) == (32, 8)
    assert main(["explore", small, "--fusions", "--apply", "2,2", "-o", str(tmp_path)]) == 0
    written = ["lpsf_pass1.c", "lpsf_pass1.isl", "lpsf_pass2.c", "lpsf_pass2.isl"]
    assert sorted(path.name for path in tmp_path.iterdir()) == written
    capsys.readouterr()
    wrong = {
        ("--fusions", "--apply", "3,2", "-o", str(tmp_path)): "lpsf has 4 tasks",
        ("--fusions", "--apply", "2,2"): "--apply writes files",
        ("--fusions", "--tile", "4"): "--tile has no effect with --fusions",
        ("--latency", "4", "--curve"): "--latency has no effect without --fusions",
        ("--fusions", "-o", "x"): "-o has no effect with --fusions without --apply",
    }
    for options, message in wrong.items():
        assert main(["explore", small, *options]) == 2
        assert message in capsys.readouterr().err
