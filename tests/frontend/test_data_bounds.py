"""Loops whose bounds come from data run as often as the data ask for, in every back end."""

from __future__ import annotations

from pathlib import Path

import pytest

import loadstone as ls
from loadstone.cli.main import main
from loadstone.model.kernel import Kernel
from loadstone.simulate.interpreter import execute
from loadstone.simulate.memory import initial_memory

TEXT = """
void sums(int n, int m, const int row[n + 1], const int v[m], int y[n]) {
PRAGMA
  for (int i = 0; i < n; i++) {
    y[i] = 0;
    BOUNDS
      y[i] += v[k];
  }
}
"""
EXTENTS = ("", "for (int k = row[i]; k < row[i + 1]; k++)")
GIVEN = ("#pragma loadstone assume(k >= 0 && m > k)", "for (int k = row[i]; k <= row[i + 1] - 1; k++)")
SCALARS = ("", "int from = row[i], to = row[i + 1];\n    for (int k = from; k < to; k++)")
EXAMPLE = Path(__file__).parents[2] / "examples" / "sparse" / "sparse_product.c"


def kernel_of(pragma: str, bounds: str) -> Kernel:
    return ls.parse(TEXT.replace("PRAGMA", pragma).replace("BOUNDS", bounds))


@pytest.mark.parametrize("form", [EXTENTS, GIVEN, SCALARS])
@pytest.mark.parametrize("seed", range(3))
def test_sums_are_those_of_the_rows(form: tuple[str, str], seed: int) -> None:
    kernel = kernel_of(*form)
    values = {"n": 5, "m": 7}
    memory = initial_memory(kernel, values, seed)
    row, v = ([int(cell) for cell in memory[name].cells] for name in ("row", "v"))
    assert all(0 <= each <= values["m"] for each in row)
    execute(kernel, values, memory)
    assert memory["y"].cells == [sum(v[row[i] : row[i + 1]]) for i in range(values["n"])]


def test_data_are_such_that_loops_run() -> None:
    rows = [initial_memory(kernel_of(*EXTENTS), {"n": 5, "m": 7}, seed)["row"].cells for seed in range(3)]
    assert any(row[i] < row[i + 1] for row in rows for i in range(5))


@pytest.mark.parametrize("sizes", [(0, 0), (1, 1), (5, 13)])
@pytest.mark.parametrize("options", [(), ("--tile", "4")])
def test_a_sparse_product_is_that_of_the_source(sizes: tuple[int, int], options: tuple[str, ...]) -> None:
    values = ["-p", f"n={sizes[0]}", "-p", f"nonzeros={sizes[1]}"]
    assert main(["run", str(EXAMPLE), *values, *options, "--target", "c", "--checked"]) == 0


def test_the_range_of_a_counter_is_no_condition_on_parameters() -> None:
    assert kernel_of(*GIVEN).context.is_equal(kernel_of(*EXTENTS).context)


@pytest.mark.parametrize(
    "bounds", ["for (int k = row[i]; k < row[i + 1]; k += 2)", "for (int k = row[i + 1] - 1; k >= row[i]; k--)"]
)
def test_other_loops_are_refused_with_what_to_do(bounds: str) -> None:
    with pytest.raises(ls.InputError, match=r"depends on the contents of 'row'(.|\n)*counts up by 1"):
        kernel_of("", bounds)


@pytest.mark.parametrize("condition", ["v[k] > 3", "k < m && v[k] > 3", "k < row[k]", "k != row[i]"])
def test_a_condition_that_may_hold_again_is_no_bound(condition: str) -> None:
    with pytest.raises(ls.InputError, match="the loop bound is not affine: it depends on the contents of"):
        kernel_of("", f"for (int k = row[i]; {condition}; k++)")


NESTED = """
#pragma loadstone assume(0 <= s && s < b && 0 <= k && k < m)
void nested(int n, int b, int m, const int row[n + 1], const int start[b + 1], const int v[m], int y[n], int c[n]) {
  for (int i = 0; i < n; i++)
    for (int s = row[i]; s < row[i + 1]; s++)
      for (int k = start[s]; k <= start[s + 1] - 1; k++) {
        y[i] += v[k];
        c[i]++;
      }
}
"""
UNSIGNED = """
void rows(int n, int b, int m, const unsigned row[n + 1], const short at[m], const int v[m], const int x[n][b],
          int y[n][b]) {
  for (int i = 0; i < n; i++)
    for (unsigned k = row[i]; k < row[i + 1]; k++)
      for (int j = 0; j < b; j++)
        y[i][j] += v[k] * x[at[k]][j];
}
"""
LARGEST = """
void largest(int n, int m, const long row[n + 1], const short v[m], int y[n]) {
  for (int i = 0; i < n; i++) {
    int most = 0;
    for (int k = row[i]; k < row[i + 1]; k++)
      if (v[k] > most)
        most = v[k];
    y[i] = most;
  }
}
"""
FIRST = LARGEST.replace("most = v[k];", "{ most = v[k]; y[i] = k; }").replace("    y[i] = most;\n", "")
BOUNDED = {"nested": (NESTED, 2), "unsigned": (UNSIGNED, 1), "largest": (LARGEST, 1), "first": (FIRST, 1)}


@pytest.mark.parametrize("name", BOUNDED)
@pytest.mark.parametrize("target", ["c", "hls"])
@pytest.mark.parametrize("size", [2, 4])
def test_programs_run_the_iterations_that_data_ask_for(name: str, target: str, size: int, tmp_path: Path) -> None:
    """A bound for each loop, and no condition on the counter left; the results are those of the source."""
    text, loops = BOUNDED[name]
    path = tmp_path / "kernel.c"
    path.write_text(text)
    options = [str(path), "--tile", str(size), "--target", target]
    assert main(["build", *options, *given(text, (3, 4, 11)), "-o", str(tmp_path / "out")]) == 0
    sources = (tmp_path / "out" / target).glob(f"{ls.parse(path).name}.c*")
    lines = [line for source in sources for line in source.read_text().splitlines()]
    heads = [line for line in lines if "_end" in line and "for (" in line]
    assert len({head.split()[2] for head in heads}) == loops
    assert not any(" >= row_local" in line or " >= start_local" in line for line in lines)
    for values in ((0, 0, 0), (1, 2, 1), (5, 7, 13)):
        assert main(["run", *options, *given(text, values)]) == 0


def given(text: str, values: tuple[int, ...]) -> list[str]:
    """The parameters of a kernel as options."""
    pairs = [f"{name}={value}" for name, value in zip("nbm", values, strict=True) if f"int {name}," in text]
    return [word for pair in pairs for word in ("-p", pair)]
