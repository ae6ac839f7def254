"""Array-OL specifications against a direct evaluation of their tilers."""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml

import loadstone as ls
from loadstone.cli.main import main
from loadstone.errors import InputError
from loadstone.model.kernel import Kernel
from loadstone.simulate.interpreter import execute
from loadstone.simulate.memory import Memory, initial_memory
from random_specifications import Cells, Wrong, box, evaluated, random_specification

EXAMPLES = Path(__file__).parents[2] / "examples" / "arrayol"
ERRORS = Path(__file__).parent / "array_ol_errors"
UPDATE = bool(os.environ.get("LOADSTONE_UPDATE_GOLDENS"))


def parsed(specification: Any, folder: Path) -> Kernel:
    path = folder / "spec.yaml"
    path.write_text(yaml.safe_dump(specification, sort_keys=False))
    return ls.parse(path)


def cells(memory: Memory, name: str) -> Cells:
    buffer = memory[name]
    return {place: int(buffer[place]) for place in box(list(buffer.extents))}


def filtered(line: list[int]) -> list[int]:
    found: list[int] = []
    last = 0
    for pixel in line:
        last = (3 * last + pixel) // 4
        found.append(last)
    return found


def test_the_low_pass_filter_is_four_filters_in_a_row() -> None:
    kernel = ls.parse(EXAMPLES / "lpsf_small.yaml")
    memory = initial_memory(kernel, {"frames": 2})
    image = cells(memory, "p0")
    execute(kernel, {"frames": 2}, memory)
    for frame, y in product(range(2), range(16)):
        row = filtered([image[frame, x, y] for x in range(24)])
        image.update({(frame, x, y): value for x, value in enumerate(row)})
    for frame, x in product(range(2), range(24)):
        column = filtered([image[frame, x, y] for y in range(16)])
        image.update({(frame, x, y): value for y, value in enumerate(column)})
    for frame, y in product(range(2), range(16)):
        row = filtered([image[frame, x, y] for x in reversed(range(24))])
        image.update({(frame, 23 - x, y): value for x, value in enumerate(row)})
    for frame, x in product(range(2), range(24)):
        column = filtered([image[frame, x, y] for y in reversed(range(16))])
        image.update({(frame, x, 15 - y): value for y, value in enumerate(column)})
    assert cells(memory, "p4") == image


def test_a_statement_of_a_body_is_one_of_the_kernel() -> None:
    """What a filter reads before its first repetition is a selection, and no second copy of its body."""
    kernel = ls.parse(EXAMPLES / "lpsf_small.yaml")
    assert len(kernel.statements) == 8
    assert all(each.exact for each in kernel.statements)


def check_random(seed: int, folder: Path) -> bool:
    """Whether a random specification is right; verdict and results are those of its definition."""
    specification = random_specification(seed)
    start = {at: 7 * number % 23 for number, at in enumerate(box(specification["arrays"]["a"]["shape"]))}
    try:
        expected = evaluated(specification, start)["c"]
    except Wrong:
        with pytest.raises(InputError):
            parsed(specification, folder)
        return False
    kernel = parsed(specification, folder)
    memory = initial_memory(kernel, {}, seed)
    for at, value in start.items():
        memory["a"][at] = value
    execute(kernel, {}, memory)
    assert {at: memory["c"][at] for at in expected} == expected
    return True


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_random_specifications(first: int, tmp_path: Path) -> None:
    assert 0 < sum(check_random(seed, tmp_path) for seed in range(first, first + 10)) < 10


@pytest.mark.sweep
@pytest.mark.parametrize("first", range(40, 540, 50))
def test_many_random_specifications(first: int, tmp_path: Path) -> None:
    assert 10 < sum(check_random(seed, tmp_path) for seed in range(first, first + 50)) < 40


@pytest.mark.parametrize("path", sorted(ERRORS.glob("*.yaml")), ids=lambda path: path.stem)
def test_what_is_wrong_is_said_with_its_place(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ERRORS)
    assert main(["info", path.name]) == 2
    out, err = capsys.readouterr()
    golden = path.with_suffix(".expect")
    if UPDATE:
        golden.write_text(err)
    assert (out, err) == ("", golden.read_text())


def test_a_hierarchy_is_its_tasks(tmp_path: Path) -> None:
    """The filters of the down-scaler by their formulas; subscripts wrap around."""
    kernel = ls.parse(EXAMPLES / "downscaler.yaml")
    memory = initial_memory(kernel, {"frames": 2})
    wide = cells(memory, "hd")
    execute(kernel, {"frames": 2}, memory)
    middle: Cells = {}
    for frame, block, y, k in product(range(2), range(3), range(18), range(3)):
        row = [wide[frame, (8 * block + i) % 24, y] for i in range(11)]
        middle[frame, 3 * block + k, y] = sum(row[2 * k : 2 * k + 7 : 2]) // 4
    for frame, x, block, k in product(range(2), range(9), range(2), range(4)):
        column = [middle[frame, x, (9 * block + i) % 18] for i in range(12)]
        expected = (column[2 * k] + 2 * column[2 * k + 3] + column[2 * k + 5]) // 4
        assert memory["sd"][frame, x, 4 * block + k] == expected


def test_a_body_may_be_a_function_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "body.c").write_text(
        "#define GAIN 3\nstatic int twice(int v) { return 2 * v; }\n"
        "void filter(const int x[2], int y[2]) {\n  y[0] = GAIN * x[1];\n  y[1] = twice(x[0]);\n}\n"
    )
    port = {"pattern": [2], "paving": [[2]], "fitting": [[1]]}
    task = {
        "repetition": [3],
        "inputs": {"x": {"array": "a", **port}},
        "outputs": {"y": {"array": "b", **port}},
        "body": {"file": "body.c", "function": "filter"},
    }
    arrays = {name: {"shape": [6], "type": "int"} for name in "ab"}
    kernel = parsed({"application": "pairs", "arrays": arrays, "tasks": {"swap": task}}, tmp_path)
    memory = initial_memory(kernel, {})
    start = memory["a"].cells[:]
    execute(kernel, {}, memory)
    assert memory["b"].cells == [
        value for x, y in zip(start[::2], start[1::2], strict=True) for value in (3 * y, 2 * x)
    ]


@pytest.mark.parametrize("option", [("-D", "N=3"), ("-I", "."), ("--function", "smooth"), ("--type", "int=int(9)")])
def test_options_of_c_have_no_effect_here(option: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(EXAMPLES / "smooth.yaml"), *option]) == 2
    assert f"{option[0]} has no effect" in capsys.readouterr().err


def test_a_specification_may_be_a_text() -> None:
    text = (EXAMPLES / "smooth.yaml").read_text()
    assert ls.array_ol(text).parameters == ls.array_ol(EXAMPLES / "smooth.yaml").parameters
    assert "smooth" in repr(ls.array_ol(text))


def chain(kind: str, initial: str, body: str, paving: int = 1) -> dict[str, Any]:
    """A task that goes along an array, or around a ring for frames without end."""
    task = {
        "repetition": [6],
        "inputs": {
            "x": {"array": "a", "pattern": [], "paving": [[paving]]},
            "before": {"output": "y", "distance": [1], "initial": initial},
        },
        "outputs": {"y": {"array": "b", "pattern": [], "paving": [[1]]}},
        "body": body,
    }
    arrays = {name: {"shape": [6], "type": kind} for name in "ab"}
    return {"application": "chain", "arrays": arrays, "tasks": {"t": task}}


def test_initial_values_have_the_type_of_their_array(tmp_path: Path) -> None:
    kernel = parsed(chain("float", "-1", "y = x-before/2;"), tmp_path)
    memory = initial_memory(kernel, {})
    first = memory["a"][(0,)]
    execute(kernel, {}, memory)
    assert memory["b"][(0,)] == first + 0.5


def test_bodies_see_their_own_variables_and_no_arrays(tmp_path: Path) -> None:
    kernel = parsed(chain("int", "5", "int a = x + before;\nint r0 = a;\ny = r0;"), tmp_path)
    memory = initial_memory(kernel, {})
    values = memory["a"].cells[:]
    execute(kernel, {}, memory)
    assert memory["b"].cells == [5 + sum(values[: k + 1]) for k in range(6)]


def test_unbounded_repetitions_wrap_backwards(tmp_path: Path) -> None:
    specification = chain("int", "0", "y = x;")
    task = specification["tasks"]["t"]
    task["repetition"] = specification["arrays"]["b"]["shape"] = ["inf"]
    task["inputs"] = {"x": {"array": "a", "pattern": [], "origin": [2], "paving": [[-1]], "wrap": True}}
    kernel = parsed(specification, tmp_path)
    memory = initial_memory(kernel, {"frames": 15})
    execute(kernel, {"frames": 15}, memory)
    assert memory["b"].cells == [memory["a"].cells[(2 - frame) % 6] for frame in range(15)]


def test_a_compound_task_repeats_its_tasks_together() -> None:
    kernel = ls.parse(EXAMPLES / "downscaler.yaml")
    assert kernel.original is not None
    loops = [line.strip() for line in kernel.original.text.splitlines() if "for (int r0" in line]
    assert len(loops) == 1, "one loop over frames around both filters"
