"""Kernels as Array-OL: what is printed computes the same; what is no Array-OL is refused with the reason."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

import loadstone as ls
from loadstone.cli.main import main
from loadstone.errors import UnsupportedError
from loadstone.model.kernel import Kernel
from loadstone.simulate.interpreter import execute
from loadstone.simulate.memory import Memory, initial_memory
from random_specifications import Wrong, box, evaluated, random_specification

EXAMPLES = Path(__file__).parents[2] / "examples"


def results(kernel: Kernel, parameters: dict[str, int], start: Memory, names: set[str]) -> dict[str, list[Any]]:
    memory = initial_memory(kernel, parameters, 3)
    memory.update({name: deepcopy(start[name]) for name in memory if name in start})
    execute(kernel, parameters, memory)
    return {name: memory[name].cells for name in sorted(names)}


def check_way_back(kernel: Kernel, parameters: dict[str, int], fixed: dict[str, int]) -> None:
    """The kernel of what is printed has the same results."""
    text = ls.arrayol.yaml_text(ls.arrayol.specification(kernel, fixed))
    again = ls.arrayol.kernel(ls.arrayol.read(text))
    start = initial_memory(kernel, parameters, 3)
    kept = {name: value for name, value in parameters.items() if name in again.parameters}
    names = {name for name, array in kernel.arrays.items() if array.live_out and _is_written(kernel, name)}
    assert results(again, kept, start, names) == results(kernel, parameters, start, names), text


def _is_written(kernel: Kernel, name: str) -> bool:
    return any(each.write.array == name for each in kernel.statements)


@pytest.mark.parametrize("name", ["smooth", "matmul", "downscaler"])
def test_array_ol_comes_back(name: str) -> None:
    kernel = ls.parse(EXAMPLES / "arrayol" / f"{name}.yaml")
    check_way_back(kernel, {"frames": 2} if kernel.parameters else {}, {})


@pytest.mark.sweep
@pytest.mark.parametrize("name", ["lpsf_small", "pyramid", "radar"])
def test_larger_array_ol_comes_back(name: str) -> None:
    check_way_back(ls.parse(EXAMPLES / "arrayol" / f"{name}.yaml"), {"frames": 2}, {})


C_KERNELS = {
    "scalars in a repetition": """
      for (int i = 0; i < n; i++) {
        int s = 0;
        for (int k = 0; k < n; k++)
          s += a[i][k];
        c[i] = s;
      }""",
    "loops that start late and go down": """
      for (int i = n - 1; i >= 2; i--)
        c[i - 2] = a[i][1] - a[i - 1][0];""",
    "an initial value at the border": """
      for (int i = 0; i < n; i++) {
        if (i >= 1)
          c[i] = c[i - 1] + a[i][0];
        if (i < 1)
          c[i] = 7 + a[i][0];
      }""",
    "an initial value chosen at the border": """
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
          d[i][j] = (i >= 1 ? d[i - 1][j] : 0) + 3 * (j < n - 1 ? a[i][0] : a[i][0]);""",
    "loops side by side": """
      for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
          t[i][j] = 2 * a[i][j];
        for (int j = 0; j < n; j++)
          d[i][j] = t[i][(j + 1) % n];
      }""",
    "a triangle inside of a repetition": """
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
          d[i][j] = 0;
          for (int k = 0; k < 4; k++)
            for (int l = k; l < 4; l++)
              d[i][j] += a[i][k] * a[l][j];
        }""",
}
REFUSED = {
    "for (int i = 0; i < n; i++) c[i] += a[i][0];": "c is written, and read before that",
    "for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) d[i][j] = a[i][j];": "the loops do not run through a box",
    "for (int i = 0; i < n; i += 2) c[i] = a[i][0];": "the loops do not run through a box",
    "for (int i = 0; i < n; i++) c[i] = i + a[i][0];": "S0 computes with the counter of a repetition",
    "for (int i = 0; i < n; i++) c[i] = a[i / 2][0];": "a subscript is no linear form of loops",
    "for (int i = 0; i < n; i++) c[i] = a[i][0]; for (int i = 0; i < n; i++) d[i][0] = c[i];": "c is a result",
    "for (int i = 1; i < n; i++) c[0] = a[i][0];": "written twice",
    "c[0] = a[0][0];": "a statement stands in no loop",
    "for (int i = 0; i < n; i++) if (i < 3) c[i] = a[i][0]; else d[i][0] = a[i][0];": "is not done in every repetition",
}


def parsed(body: str) -> Kernel:
    return ls.parse(
        "void f(int n, const int a[n][n], int c[n], int d[n][n]) {\n  int t[n][n];\n#pragma scop\n"
        + body
        + "\n#pragma endscop\n}\n"
    )


@pytest.mark.parametrize("title", C_KERNELS)
def test_c_becomes_array_ol(title: str) -> None:
    check_way_back(parsed(C_KERNELS[title]), {"n": 6}, {"n": 6})


@pytest.mark.parametrize("body", REFUSED)
def test_what_is_no_array_ol_is_refused_with_the_reason(body: str) -> None:
    with pytest.raises(UnsupportedError, match=REFUSED[body].replace("(", r"\(")):
        ls.arrayol.specification(parsed(body), {"n": 6})


def test_the_command_prints_a_kernel_as_array_ol(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "copy.c"
    source.write_text(
        "void copy(int n, const int a[n], int c[n]) {\n  for (int i = 0; i < n; i++)\n    c[i] = a[i];\n}\n"
    )
    assert main(["transform", str(source), "--arrayol", "-p", "n=8", "--json"]) == 0
    assert ls.arrayol.read(json.loads(capsys.readouterr().out)["yaml"]).tasks[0].repetition == (8,)
    assert main(["transform", str(source), "--arrayol"]) == 2
    assert "n has no value" in capsys.readouterr().err


def comes_back(kernel: Kernel, parameters: dict[str, int], fixed: dict[str, int]) -> bool:
    """Whether a kernel is Array-OL; if so, it is the same."""
    try:
        ls.arrayol.specification(kernel, fixed)
    except UnsupportedError:
        return False
    check_way_back(kernel, parameters, fixed)
    return True


def specification_comes_back(seed: int) -> bool:
    document = random_specification(seed)
    try:
        evaluated(document, dict.fromkeys(box(document["arrays"]["a"]["shape"]), 1))
    except Wrong:
        return False
    return comes_back(ls.array_ol(yaml.safe_dump(document, sort_keys=False)), {}, {})


def test_random_specifications_come_back() -> None:
    assert sum(map(specification_comes_back, range(6))) >= 1


@pytest.mark.sweep
@pytest.mark.parametrize("first", range(6, 406, 50))
def test_many_random_specifications_come_back(first: int) -> None:
    assert sum(map(specification_comes_back, range(first, first + 50))) >= 5


def test_no_distance_lies_along_a_loop_of_one_iteration() -> None:
    """c[r0 + k0] of the repetition before is not that of an earlier k0, of which there is none."""
    tiler = "pattern: [1, 1], paving: [[1, 0], [0, 1]], fitting: [[1, 0], [0, 1]]"
    ports = f"inputs: {{x: {{array: a, {tiler}}}, old: {{output: y, distance: [1, 0], initial: 2}}}}"
    body = "for (int i = 0; i < 1; i++) for (int j = 0; j < 1; j++) y[i][j] = 3 * x[i][j] + old[i][j];"
    task = f"{{repetition: [2, 3], {ports}, outputs: {{y: {{array: c, {tiler}}}}}, body: '{body}'}}"
    arrays = "{a: {shape: [2, 3], type: int}, c: {shape: [2, 3], type: int}}"
    text = f"application: one\narrays: {arrays}\ntasks: {{t: {task}}}\n"
    check_way_back(ls.arrayol.kernel(ls.arrayol.read(text)), {}, {})
