"""Arrays that the source addresses linearly are read as rows where that is proved, else under an assumption."""

from __future__ import annotations

import shutil
from pathlib import Path

import islpy as isl
import pytest

import loadstone as ls
from kernels import STYLED, random_kernel
from loadstone.cli.main import main
from loadstone.loops.accelerator import Accelerator
from loadstone.model.evaluate import evaluate
from loadstone.model.kernel import Array, Kernel
from loadstone.poly import fixed
from loadstone.simulate.memory import initial_memory
from loadstone.simulate.programs.generated import compile_c, compile_hls

LOOPS = "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) for (int k = 0; k < p; k++)"
HEAD = "void f(int n, int m, int p, int ld, float *a, float *b)"


def parsed(tmp_path: Path, body: str, head: str = HEAD) -> Kernel:
    path = tmp_path / "f.c"
    path.write_text(f"{head}\n{{\n{body}\n}}\n")
    return ls.parse(path)


@pytest.mark.parametrize(
    ("target", "element"),
    [
        ("a[i * m + j]", "[i, j]"),
        ("*(a + i * m + j)", "[i, j]"),
        ("(a + i * m)[j]", "[i, j]"),
        ("*(j + a + m * i)", "[i, j]"),
        ("a[(i * m + j) * p + k]", "[i, j, k]"),
        ("a[i * m * p + j * p + k]", "[i, j, k]"),
        ("a[k * n * m + j * n + i]", "[k, j, i]"),
        ("a[i * m + m - 1 - j]", "[i, m - 1 - j]"),
        ("a[(i + 1) * m - 1]", "[i, m - 1]"),
        ("a[i * (m + 2) + j + 1]", "[i, j + 1]"),
        ("a[i * n + i]", "[i, i]"),
        ("a[(i / 2) * m + j]", "[floor(i/2), j]"),
        ("a[3 * (i * m + j) + 2]", "[i, 3j + 2]"),
        ("a[2 * i * m + j]", "[2i, j]"),
        ("a[(i << 1) * m + j]", "[2i, j]"),
        ("a[i * m * p + j]", "[i, 0, j]"),
    ],
)
def test_rows_are_proved(tmp_path: Path, target: str, element: str) -> None:
    kernel = parsed(tmp_path, f"{LOOPS} {target} = b[k];")
    written = kernel.statements[0].write
    domain = "0 <= i < n and 0 <= j < m and 0 <= k < p"
    expected = isl.Map(f"[n, m, p] -> {{ S0[i, j, k] -> a{element} : {domain} }}")
    assert written.exact
    assert written.relation.align_params(expected.get_space()).is_equal(expected)
    assert not kernel.assumptions
    assert not kernel.remarks
    assert kernel.arrays["a"].flat == kernel.arrays["a"].rank


def test_local_names_of_rows_are_followed(tmp_path: Path) -> None:
    body = "for (int i = 0; i < n; i++) { const int row = i * m; for (int j = 0; j < m; j++) a[row + j] = b[j]; }"
    kernel = parsed(tmp_path, body)
    assert [s.name for s in kernel.statements] == ["S0"]
    assert kernel.exact


@pytest.mark.parametrize(
    ("element", "condition"),
    [
        ("a[i * ld + j]", "ld >= m"),
        ("a[(i + j) * ld + 2 * k]", "ld >= 2p - 1"),
        ("a[i * ld + j + k]", "ld >= m + p - 1"),
    ],
)
def test_assumption_is_shown(tmp_path: Path, element: str, condition: str, capsys: pytest.CaptureFixture[str]) -> None:
    kernel = parsed(tmp_path, f"{LOOPS} {element} = b[k];")
    (assumption,) = kernel.assumptions
    expected = isl.Set(f"[n, m, p, ld] -> {{ : {condition} }}")
    assert assumption.condition.align_params(expected.get_space()).is_equal(expected)
    assert kernel.context.is_subset(assumption.condition)
    assert main(["info", str(tmp_path / "f.c")]) == 0
    assert "so that 'a' can be read as a[][ld] (checked at run time)" in capsys.readouterr().out
    assert main(["info", "--json", str(tmp_path / "f.c")]) == 0
    assert '"assumptions": [{"condition": ' in capsys.readouterr().out


@pytest.mark.parametrize(
    "element",
    [
        "a[i * m + j] + a[i * p + j]",
        "a[i * m + 2 * j + m * p]",
        "a[i * i + j]",
        "a[i * m + 9 * j - 3]",
    ],
)
def test_others_are_approximated_with_a_hint(tmp_path: Path, element: str) -> None:
    kernel = parsed(tmp_path, f"{LOOPS} b[i] = {element};")
    assert not kernel.exact
    assert not kernel.assumptions
    (remark,) = kernel.remarks
    assert "declare it as float a[][" in remark


def test_declared_extent_gives_the_number_of_rows(tmp_path: Path) -> None:
    head = "void f(int n, int m, int r, float a[r * m], int row[n], float b[n])"
    body = "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) b[i] += a[row[i] * m + j];"
    kernel = parsed(tmp_path, body, head)
    gathered = next(read for read in kernel.statements[0].reads if read.array == "a")
    expected = isl.Map("[n, m, r] -> { S0[i, j] -> a[x, j] : 0 <= i < n and 0 <= j < m and 0 <= x < r }")
    assert gathered.relation.align_params(expected.get_space()).is_equal(expected)
    assert not gathered.exact


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_generated_programs_refuse_what_violates_the_assumption(tmp_path: Path) -> None:
    kernel = parsed(tmp_path, "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i * ld + j] += b[j];")
    accelerator = Accelerator(ls.plan(kernel, ls.Tiling(sizes=(2, 2))))
    good, bad = ({"n": 3, "m": 4, "ld": ld} for ld in (5, 3))
    for program in (compile_c(accelerator), compile_hls(accelerator, "vitis", good)):
        memory = initial_memory(kernel, good)
        assert program.run(good, memory)[0] >= 0
        assert program.run(bad, memory)[0] == -1


def address(relation: isl.Map, array: Array, row: dict[str, int]) -> isl.Map:
    """The map to addresses, for given parameters."""
    names = [f"x{k}" for k in range(array.rank)]
    text = "0"
    for name, extent in zip(names, array.extents, strict=True):
        text = f"({text}) * {int(evaluate(extent, row, ()))} + {name}"
    places = isl.Map(f"{{ {array.name}[{', '.join(names)}] -> [{text}] }}")
    return fixed(relation, row).project_out_all_params().apply_range(places)


@pytest.mark.parametrize("seed", range(0, 32, 6))
def test_random_kernels_keep_their_addresses(seed: int) -> None:
    (plain, rows), (styled, _) = random_kernel(seed), random_kernel(STYLED + seed)
    for first, second in zip(plain.statements, styled.statements, strict=True):
        pairs = zip((*first.reads, first.write), (*second.reads, second.write), strict=True)
        for one, other in pairs:
            assert other.exact == one.exact
            for row in rows[:4]:
                expected = address(one.relation, plain.arrays[one.array], row)
                assert address(other.relation, styled.arrays[other.array], row).is_equal(expected)
