"""Transformations of Array-OL specifications: results stay, what is printed is read again, wrong steps are refused."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

import loadstone as ls
from loadstone.arrayol import CollapseTask, FuseTasks, PaveTask, TileTask
from loadstone.arrayol.change import Change
from loadstone.arrayol.equality import check_equal
from loadstone.arrayol.steps import TASK_STEPS
from loadstone.cli.main import main
from loadstone.errors import IllegalTransformation, InputError
from loadstone.frontend.arrayol.specification import Specification
from loadstone.model.kernel import Kernel
from loadstone.simulate.interpreter import execute
from loadstone.simulate.memory import Memory, initial_memory
from random_specifications import Wrong, box, elementary_names, evaluated, random_specification

EXAMPLES = Path(__file__).parents[2] / "examples" / "arrayol"


def results(kernel: Kernel, parameters: dict[str, int], start: Memory) -> dict[str, list[Any]]:
    """The outputs of a kernel on some inputs."""
    memory = initial_memory(kernel, parameters, 3)
    memory.update({name: deepcopy(start[name]) for name in memory if name in start})
    execute(kernel, parameters, memory)
    return {name: memory[name].cells for name, array in kernel.arrays.items() if array.live_out}


def check_steps(specification: Specification, steps: str, parameters: dict[str, int]) -> Specification:
    """The specification after steps: what is printed is read again, and computes the same."""
    found = ls.arrayol.transformed(specification, steps)
    again = ls.arrayol.read(ls.arrayol.yaml_text(found))
    assert ls.arrayol.yaml_text(again) == ls.arrayol.yaml_text(found)
    old, new = ls.arrayol.kernel(specification), ls.arrayol.kernel(again)
    start = initial_memory(old, parameters, 3)
    assert results(new, parameters, start) == results(old, parameters, start)
    return found


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        ("smooth", "tile-task mean by 2"),
        ("smooth", "pave-task mean by 4"),
        ("smooth", "tile-task mean by 4\ncollapse-task mean"),
        ("downscaler", "fuse-tasks horizontal with vertical as both"),
        ("downscaler", "pave-task vertical by 3 1\ntile-task horizontal by 1 9"),
    ],
)
def test_examples_keep_their_results(name: str, steps: str) -> None:
    specification = ls.arrayol.read(EXAMPLES / f"{name}.yaml")
    parameters = {"frames": 2} if name == "downscaler" else {}
    check_steps(specification, steps, parameters)


@pytest.mark.sweep
@pytest.mark.parametrize(
    "steps",
    [
        "pave-task hflr by 1 2 2\npave-task vfbu by 1 3 2",
        "fuse-tasks hflr with vftd\nfuse-tasks hfrl with vfbu",
        "tile-task hfrl by 1 6 4",
    ],
)
def test_filters_with_memory_keep_their_results(steps: str) -> None:
    check_steps(ls.arrayol.read(EXAMPLES / "lpsf_small.yaml"), steps, {"frames": 2})


def test_collapsing_undoes_tiling() -> None:
    specification = ls.arrayol.read(EXAMPLES / "smooth.yaml")
    again = ls.arrayol.transformed(specification, [TileTask("mean", (2,)), CollapseTask("mean")])
    assert ls.arrayol.yaml_text(again) == ls.arrayol.yaml_text(specification)


def test_fused_tasks_hand_on_a_block_alone() -> None:
    fused = ls.arrayol.transformed(
        ls.arrayol.read(EXAMPLES / "downscaler.yaml"), [FuseTasks("horizontal", "vertical", "both")]
    )
    both = fused.tasks[0].tasks[0]
    assert (both.name, both.repetition, both.arrays["middle"].sizes) == ("both", (3,), (3, 18))


def test_a_step_that_changes_results_is_refused() -> None:
    """Wrong steps do not exist, so that right ones are spoilt: another origin, another body."""
    specification = ls.arrayol.read(EXAMPLES / "smooth.yaml")
    change = TileTask("mean", (2,)).applied(specification)
    check_equal(specification, change)
    whole = change.specification.tasks[0]
    block = whole.tasks[0]
    port = block.inputs[0]
    assert block.body is not None
    tokens = [replace(t, text="3") if t.text == "4" else t for t in block.body.tokens]
    spoilt = {
        "another element of an input": replace(
            block, inputs=(replace(port, tiler=replace(port.tiler, paving=((3,),))),)
        ),
        "computes something else": replace(
            block, body=replace(block.body, tokens=(*block.body.tokens[:-8], *tokens[-8:]))
        ),
    }
    for message, task in spoilt.items():
        wrong = replace(change.specification, tasks=(replace(whole, tasks=(task,)),))
        with pytest.raises(IllegalTransformation, match=message):
            check_equal(specification, Change(wrong, change.moves))


def random_step(draw: random.Random, specification: Any) -> str:
    """A step on a task of a specification, which may make no sense."""
    tasks = dict(elementary_names(specification["tasks"]))
    name = draw.choice(list(tasks))
    sizes = tasks[name].get("repetition", [])
    match draw.choice(("tile-task", "pave-task", "collapse-task", "fuse-tasks")):
        case "fuse-tasks":
            return f"fuse-tasks {name} with {draw.choice(list(tasks))}"
        case "collapse-task":
            return f"collapse-task {name}"
        case word:
            return f"{word} {name} by {' '.join(str(draw.choice([1, n, n])) for n in sizes)}"


def check_random_steps(seed: int) -> int:
    """How many random steps a random specification takes; all keep its results."""
    document = random_specification(seed)
    try:
        evaluated(document, dict.fromkeys(box(document["arrays"]["a"]["shape"]), 1))
    except Wrong:
        return 0
    draw, done = random.Random(seed), 0
    specification = ls.arrayol.read(yaml.safe_dump(document, sort_keys=False))
    for _ in range(4):
        step = random_step(draw, yaml.safe_load(ls.arrayol.yaml_text(specification)))
        with suppress(InputError):
            specification = check_steps(specification, step, {})
            done += 1
    return done


def test_random_steps() -> None:
    assert sum(map(check_random_steps, range(5))) > 1


@pytest.mark.sweep
@pytest.mark.parametrize("first", range(5, 525, 40))
def test_many_random_steps(first: int) -> None:
    assert sum(map(check_random_steps, range(first, first + 40))) > 10


def yaml_of(docstring: str) -> tuple[str, str, str]:
    """What stands before a step, the step, and what it leads to."""
    before, step, after = (part.strip("\n") for part in _parts(docstring))
    return before, step.strip(), after


def _parts(docstring: str) -> list[str]:
    lines = docstring.splitlines()
    at = next(k for k, line in enumerate(lines) if line.strip().split(" ")[0].endswith(("-task", "-tasks")))
    return ["\n".join(lines[1:at]), lines[at], "\n".join(lines[at + 1 :])]


@pytest.mark.parametrize("kind", TASK_STEPS, ids=lambda kind: kind.__name__)
def test_steps_do_what_their_docstrings_show(kind: type) -> None:
    before, step, after = yaml_of(kind.__doc__ or "")
    documents = [yaml.safe_load(part) for part in (before, after)]
    arrays = {name: {"shape": [size], "type": "int"} for name, size in (("a", 36), ("b", 32), ("m", 24), ("c", 24))}
    shown = [
        {"application": "shown", "arrays": arrays, "tasks": {name: _filled(task) for name, task in document.items()}}
        for document in documents
    ]
    done = [ls.arrayol.read(yaml.safe_dump(document, sort_keys=False)) for document in shown]
    found = ls.arrayol.transformed(done[0], step)
    tasks = yaml.safe_load(ls.arrayol.yaml_text(found))["tasks"]
    assert tasks == yaml.safe_load(ls.arrayol.yaml_text(done[1]))["tasks"]


def _filled(task: Any) -> Any:
    """A task of a docstring with the bodies that it leaves out."""
    if "tasks" in task:
        return task | {"tasks": {name: _filled(each) for name, each in task["tasks"].items()}}
    read, written = next(iter(task["inputs"])), next(iter(task["outputs"]))
    size = task["outputs"][written]["pattern"]
    copies = [f"{written}[{k}] = {read}[{k}];" for k in range(size[0])] if size else [f"{written} = {read};"]
    return task if "body" in task else task | {"body": " ".join(copies)}


def test_the_command_prints_yaml_and_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = str(EXAMPLES / "smooth.yaml")
    assert main(["transform", small, "--step", "tile-task mean by 2", "--json"]) == 0
    assert ls.arrayol.read(json.loads(capsys.readouterr().out)["yaml"]).tasks[0].repetition == (4,)
    script = tmp_path / "both.steps"
    script.write_text("pave-task mean by 2  # then loops\nreverse S0.q0\n")
    assert main(["transform", small, "--script", str(script)]) == 0
    assert "for (int q0" in capsys.readouterr().out
    assert main(["run", small, "--script", str(script), "--target", "model"]) == 0
    capsys.readouterr()
    wrong = {
        ("--step", "tile-task mena by 2"): "no task is called 'mena'",
        ("--step", "tile-task mean by 3"): "blocks of 3 do not divide the repetition of mean",
        ("--step", "pave-task mean by 2 2"): "mean has 1 dimensions",
        ("--step", "collapse-task mean"): "mean does not hold one task alone",
        ("--step", "fuse-tasks mean with mean"): "the tasks do not stand side by side",
        ("--step", "tile-task mean"): "'by' is missing",
        ("--step", "reverse S0.k", "--step", "tile-task mean by 2"): "stands behind one on loops",
        ("--step", "tile-task mean by 2", "--verify"): "--verify has no effect on a specification",
    }
    for options, message in wrong.items():
        assert main(["transform", small, *options]) == 2
        assert message in capsys.readouterr().err


def test_what_goes_along_a_dimension_is_not_taken_apart() -> None:
    specification = ls.arrayol.read(EXAMPLES / "lpsf_small.yaml")
    with pytest.raises(InputError, match="'before' of hflr reads another block"):
        ls.arrayol.transformed(specification, [TileTask("hflr", (1, 2, 1))])
    with pytest.raises(InputError, match="reads nothing that"):
        ls.arrayol.transformed(specification, [FuseTasks("hflr", "hfrl")])
    with pytest.raises(InputError, match="5 does not divide"):
        ls.arrayol.transformed(specification, [PaveTask("hflr", (1, 5, 1))])
