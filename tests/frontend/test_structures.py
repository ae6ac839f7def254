"""Arrays of structures in external memory keep their layout."""

from __future__ import annotations

import shutil
from pathlib import Path

import islpy as isl
import pytest

import loadstone as ls
from kernels import ROOT
from loadstone.emit.c.comparison.reference import emit_reference
from loadstone.loops.accelerator import Accelerator
from loadstone.model.evaluate import evaluate
from loadstone.model.kernel import Kernel
from loadstone.simulate.memory import copied, initial_memory, live_out_arrays, mismatches
from loadstone.simulate.programs.compiled import compile_reference
from loadstone.simulate.programs.generated import compile_c, compile_hls

TYPES = """typedef struct { unsigned char r, g, b; } pixel;
struct filter { short w[3][2], bias; };
struct mixed { int count; float weight; };
"""


def parsed(tmp_path: Path, head: str, body: str) -> Kernel:
    path = tmp_path / "f.c"
    path.write_text(f"{TYPES}void f({head})\n{{\n{body}\n}}\n")
    return ls.parse(path)


@pytest.mark.parametrize(
    ("head", "target", "element", "size"),
    [
        ("pixel x[n]", "x[i].g", "[i, 1]", 3),
        ("pixel *x", "x[i].b", "[i, 2]", 3),
        ("pixel x[n][n]", "x[i][2].r", "[i, 2, 0]", 3),
        ("pixel *x", "x[i * n + 1].g", "[i, 1, 1]", 3),
        ("struct filter *x", "x[i].w[2][1]", "[i, 5]", 7),
        ("struct filter *x", "x[3].w[i][1]", "[3, 2i + 1]", 7),
        ("struct filter *x", "x[i].bias", "[i, 6]", 7),
    ],
)
def test_members_are_words_of_their_structure(tmp_path: Path, head: str, target: str, element: str, size: int) -> None:
    kernel = parsed(tmp_path, f"int n, {head}", f"for (int i = 0; i < n; i++) {target} = 1;")
    written = kernel.statements[0].write
    expected = isl.Map(f"[n] -> {{ S0[i] -> x{element} : 0 <= i < n }}").intersect_params(kernel.context)
    known = kernel.context if "* n" not in target else kernel.context.intersect(isl.Set("[n] -> { : n > 1 }"))
    assert written.relation.intersect_params(known).is_equal(expected.intersect_params(known))
    assert evaluate(kernel.arrays["x"].extents[-1], {}, ()) == size


def test_original_has_the_types_of_the_user(tmp_path: Path) -> None:
    kernel = parsed(tmp_path, "int n, pixel *x", "for (int i = 0; i < n; i++) { pixel p = x[i]; x[i].g = p.r; }")
    text = emit_reference(kernel, "reference")
    assert "pixel (*x) = loadstone_memory[0];" in text
    assert "x[i].g = p.r;" in text
    assert "} pixel;" in text


def test_members_of_several_types_are_arrays_of_their_own(tmp_path: Path) -> None:
    kernel = parsed(tmp_path, "int n, struct mixed *x", "for (int i = 0; i < n; i++) x[i].weight = x[i].count;")
    assert list(kernel.arrays) == ["x_count", "x_weight"]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize(("rows", "cols"), [(0, 0), (1, 17), (7, 15)])
def test_programs_agree_with_the_user(rows: int, cols: int) -> None:
    kernel = ls.parse(ROOT / "examples" / "gray.c")
    accelerator = Accelerator(ls.plan(kernel))
    parameters = {"rows": rows, "cols": cols}
    start = initial_memory(kernel, parameters, seed=3)
    expected = copied(start)
    compile_reference(kernel).run(parameters, expected)
    for program in (compile_c(accelerator, checked=True), compile_hls(accelerator, "vitis", parameters)):
        actual = copied(start)
        program.run(parameters, actual)
        assert not mismatches(expected, actual, live_out_arrays(kernel))
