"""Programs that crash, run on or take all memory end as errors of theirs; generated data keep subscripts in range."""

from __future__ import annotations

import ctypes
import re
import time
from pathlib import Path

import pytest

from loadstone.cli.main import main
from loadstone.emit.project import Project
from loadstone.errors import RunFailed, ToolError
from loadstone.frontend.read import parse
from loadstone.options import Choices
from loadstone.pipeline import Compilation
from loadstone.processes import VARIABLE, run_command
from loadstone.projects import build_programs
from loadstone.simulate.interpreter import execute
from loadstone.simulate.memory import initial_memory
from loadstone.simulate.programs import apart
from loadstone.simulate.programs.apart import call_apart, shared_array
from loadstone.simulate.programs.compiled import compile_original


def kernel_text(body: str, declared: str) -> str:
    return f"void k(int n, {declared}) {{\n  int t;\n#pragma scop\n  {body}\n#pragma endscop\n}}\n"


PRODUCT = kernel_text("for (int i = 0; i < n; i++) a[3 * i * i] = i;", "int m, int a[m]")
"""A subscript that is not affine, in an array whose size says nothing about it."""


def test_a_crash_is_one_of_the_users_program_with_its_parameters(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "k.c").write_text(PRODUCT)
    assert main(["run", str(tmp_path / "k.c"), "-p", "n=600", "-p", "m=4", "--tile", "4"]) == 1
    assert "the original program of 'k' with n=600, m=4 crashed" in capfd.readouterr().err


def test_a_step_beyond_an_array_is_found_at_once() -> None:
    kernel = parse(PRODUCT)
    memory = initial_memory(kernel, {"n": 2, "m": 3})
    with pytest.raises(RunFailed, match=r"with n=2, m=3 crashed: segmentation fault\nhint: subscripts may leave"):
        compile_original(kernel).run({"n": 2, "m": 3}, memory)
    compile_original(kernel).run({"n": 2, "m": 4}, initial_memory(kernel, {"n": 2, "m": 4}))


def test_a_division_by_zero_is_a_crash_of_the_users_program() -> None:
    kernel = parse(kernel_text("for (int i = 0; i < n; i++) a[i] = a[i] / b[i];", "int a[n], int b[n]"))
    memory = initial_memory(kernel, {"n": 1})
    memory["b"].cells[0] = 0
    with pytest.raises(RunFailed, match="with n=1 crashed: floating point exception"):
        compile_original(kernel).run({"n": 1}, memory)


def test_what_does_not_end_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "0.2")
    with pytest.raises(ToolError, match=r"the sleeper did not end within 0.2 s"):
        call_apart(lambda: time.sleep(20), "the sleeper")


def test_memory_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "_MEMORY_SHARE", 1 << 10)
    found = shared_array(ctypes.c_void_p, 1)
    allocate = ctypes.CDLL(None).malloc
    allocate.restype = ctypes.c_void_p

    def call() -> None:
        found[0] = allocate(ctypes.c_size_t(1 << 30))

    found[0] = 1
    call_apart(call, "the allocation")
    assert found[0] is None


SELECTIONS = {
    "direct": "a[b[i]] += 1",
    "scaled": "a[2 * b[i] + 1] += 1",
    "from one": "a[b[i] - 1] += 1",
    "temporary": "t = b[i] + 3; a[t] += 1",
    "remainder": "a[b[i] % 4] += 1",
    "clamped": "a[b[i] > 9 ? 9 : b[i]] += 1",
    "with a counter": "a[b[i] * b[i] + i / n] += 1",
}


@pytest.mark.parametrize("name", SELECTIONS)
def test_generated_data_keep_subscripts_in_range(name: str) -> None:
    """The interpreter raises an error for an element outside of its array."""
    for kind in ("int", "unsigned char", "float"):
        body = SELECTIONS[name] if kind != "float" else re.sub(r"b\[i\]", "(int)b[i]", SELECTIONS[name])
        kernel = parse(kernel_text(f"for (int i = 0; i < n; i++) {{ {body}; }}", f"int a[10], {kind} b[n]"))
        for seed in range(3):
            memory = initial_memory(kernel, {"n": 40}, seed)
            assert len(set(memory["b"].cells)) > 1 or name == "with a counter"
            execute(kernel, {"n": 40}, memory)


@pytest.mark.parametrize("name", ["scaled", "temporary"])
def test_data_of_testbenches_keep_subscripts_in_range(name: str, tmp_path: Path) -> None:
    body = f"for (int i = 0; i < n; i++) {{ {SELECTIONS[name]}; }}"
    compilation = Compilation(parse(kernel_text(body, "int a[10], int b[n]")), Choices(sizes=(4,)), {"n": 40})
    project = build_programs(compilation, ["c"])
    source = project.files["c/testbench.c"].replace("(size_t)count + 1", "(size_t)count")
    folder = Project({**project.files, "c/testbench.c": source}).write(tmp_path / "out") / "c"
    result = run_command(["make", "run", "CFLAGS=-g -fsanitize=address", "LDLIBS=-fsanitize=address"], folder)
    assert result.status == 0, result.output + result.errors
