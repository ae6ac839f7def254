"""Functions that are only declared, hints of statements, several kernels in a file, ends of loops that are open."""

from __future__ import annotations

import json
from pathlib import Path

import islpy as isl
import pytest

import loadstone as ls
from loadstone.cli.main import main
from loadstone.frontend.c.externals import attributed
from loadstone.model.kernel import Kernel

DECLARED = """
int value(int, const int *);
int next(int) __attribute__((const));
void turn(int, int *, int *);
void show(int);
"""
DEFINED = """
int value(int i, const int *p) { int s = 0; for (int k = 0; k < 5; k++) s += p[k]; return s + i; }
int next(int x) { return x + 1; }
void turn(int i, int *x, int *t) { *t = *x; *x = i; }
void show(int x) { }
"""


def kernel_of(body: str, declared: str = DECLARED, **options: object) -> Kernel:
    head = "void f(int n, int m, int a[9][5], int y[9], int z[9])"
    return ls.parse(f"{declared}\n{head} {{\n{body}\n}}\n", **options)  # pyright: ignore[reportArgumentType]


def relation(text: str) -> isl.Map:
    return isl.Map(f"[n] -> {{ {text} }}")


def test_a_function_declared_const_needs_no_option() -> None:
    kernel = kernel_of("for (int i = 0; i < n; i++) y[i] = next(z[i]);")
    (read,) = kernel.statements[0].reads
    assert read.relation.is_equal(relation("S0[i] -> z[i] : 0 <= i < n"))


@pytest.mark.parametrize(
    "text",
    [
        "int f(int) __attribute__((const));",
        "__attribute__((pure)) int f(int);",
        "int __attribute__((__const__)) f(int a);",
        "extern int f(int, int *)\n  __attribute__((__pure__));",
    ],
)
def test_attributes(text: str) -> None:
    assert attributed(f"int g(int);\n{text}\nint h(int);\n") == {"f"}


def test_a_row_that_a_function_gets_is_read_and_may_be_written() -> None:
    kernel = kernel_of("for (int i = 0; i < 9; i++) y[i] = value(i, a[i]);", pure=["value"])
    (read,) = kernel.statements[0].reads
    assert read.relation.is_equal(isl.Map("{ S0[i] -> a[i, k] : 0 <= i < 9 and 0 <= k < 5 }"))
    assert not read.exact
    kernel = kernel_of("for (int i = 0; i < 9; i++) fill(a[i]);", "void fill(int *);", pure=["fill"])
    assert kernel.statements[0].write.relation.is_equal(read.relation)
    assert kernel.statements[0].may


def test_all_that_a_call_changes_comes_from_the_values_before_it() -> None:
    kernel = kernel_of("for (int i = 0; i < n; i++) turn(i, &y[i], &z[i]);", pure=["*"])
    writes = [statement.write.array for statement in kernel.statements]
    assert writes == ["turn_1", "turn_2", "y", "z"]
    reads = [{read.array for read in statement.reads} for statement in kernel.statements]
    assert reads == [{"y", "z"}, {"y", "z"}, {"turn_1"}, {"turn_2"}]


def test_calls_without_result_stay_in_order() -> None:
    kernel = kernel_of("for (int i = 0; i < n; i++) show(y[i]);", pure=["*"])
    (statement,) = kernel.statements
    assert statement.write.array == "show_calls"
    assert "show_calls" in {read.array for read in statement.reads}


def test_without_option_a_call_is_refused_with_what_to_do() -> None:
    with pytest.raises(ls.InputError, match=r"'show' has unknown effects(.|\n)*--pure"):
        kernel_of("for (int i = 0; i < n; i++) show(y[i]);")


def test_running_needs_a_definition(tmp_path: Path) -> None:
    body = "for (int i = 0; i < n; i++) { y[i] = value(i, a[i]) + next(z[i]); turn(i, &y[i], &z[i]); show(n); }"
    kernel = kernel_of(body, pure=["*"])
    for target in ("model", "c", "hls", "verilog"):
        with pytest.raises(ls.InputError, match=r"known only by its declaration(.|\n)*--link"):
            ls.run(kernel, parameters={"n": 3}, target=target)
    path = tmp_path / "defined.c"
    path.write_text(DEFINED)
    linked = kernel_of(body, link=[path])
    for size in (0, 1, 7):
        assert ls.run(linked, parameters={"n": size}, target="model").is_right
    assert ls.run(linked, parameters={"n": 7}, target="c", checked=True).is_right


def test_a_file_to_link_must_exist() -> None:
    with pytest.raises(ls.InputError, match="there is no file"):
        kernel_of("y[0] = 1;", link=["missing.c"])


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < imin(n, 9); i++) y[i] = imax(z[i], 3);",
        "for (int i = intCeil(n, 3); i < intFloor(n, 2); i++) y[intMod(i - 4, 5)] = i;",
        "for (unsigned i = 0; i < umin(n, 9u); i++) y[i] = umax(i, 2u);",
    ],
)
def test_small_functions_are_built_in(body: str) -> None:
    kernel = kernel_of(body)
    for size in (0, 1, 7, 13):
        assert ls.run(kernel, parameters={"n": size}, target="model").is_right


@pytest.mark.parametrize(
    ("hint", "context"),
    [
        ("__pencil_assume(n > m);", "n > m"),
        ("__builtin_assume(n >= 2 && m < 4);", "n >= 2 and m < 4"),
        ("if (n < 3) __builtin_unreachable();", "n >= 3"),
        ("for (int k = 0; k < 3; k++) { __pencil_assume(n > m); }", "true"),
        ("if (m) __pencil_assume(n > m);", "true"),
        ("__pencil_assume(y[0] > m);", "true"),
        ("__builtin_assume(n * m < 100);", "true"),
    ],
)
def test_assumptions_of_statements(hint: str, context: str) -> None:
    kernel = kernel_of(f"{hint} for (int i = m; i < n; i++) y[i] = 0;")
    expected = isl.Set(f"[n, m] -> {{ : {context} }}").align_params(kernel.context.get_space())
    assert kernel.context.is_equal(expected)
    values = {"n": 5, "m": 3}
    assert ls.run(kernel, parameters=values, target="model").is_right


def test_an_assumption_on_a_variable_that_changes_says_nothing() -> None:
    kernel = kernel_of("__pencil_assume(n > 100); n = 3; y[0] = n;")
    assert kernel.context.is_equal(isl.Set.universe(kernel.context.get_space()))


@pytest.mark.parametrize("kill", ["\n#pragma loadstone kill(z)\n", "__pencil_kill(z);"])
def test_what_is_killed_is_not_live_behind_the_kernel(kill: str) -> None:
    kernel = kernel_of(f"for (int i = 0; i < n; i++) {{ z[i] = i; y[i] = z[i]; }} {kill}")
    assert [name for name, array in kernel.arrays.items() if array.live_out] == ["y"]


def test_what_is_killed_early_is_live_if_it_is_set_again() -> None:
    kernel = kernel_of("__pencil_kill(z); for (int i = 0; i < n; i++) z[i] = i;")
    assert kernel.arrays["z"].live_out


TWO = """
void f(int n, int y[9]) {
#pragma scop
  for (int i = 0; i < n; i++) y[i] = 1;
#pragma endscop
  y[0] = 3;
#pragma scop
  for (int i = 1; i < n; i++) y[i] = y[i - 1];
#pragma endscop
}
void g(int n, int y[9]) {
#pragma scop
  y[n] = 2;
#pragma endscop
}
"""


def test_info_describes_all_kernels_of_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "two.c"
    path.write_text(TWO)
    assert main(["info", str(path), "--json"]) == 0
    kernels = json.loads(capsys.readouterr().out)["kernels"]
    assert [kernel["kernel"] for kernel in kernels] == ["f", "f", "g"]
    assert main(["info", str(path), "--scop", "2", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == kernels[1]


def test_other_commands_want_one_kernel(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "two.c"
    path.write_text(TWO)
    assert main(["plan", str(path)]) == 2
    assert "--scop N, from 1 to 3, or with --function NAME: f, g" in capsys.readouterr().err
    assert main(["run", str(path), "--scop", "2", "-p", "n=5", "--target", "model"]) == 0
    assert main(["info", str(path), "--scop", "4"]) == 2
    assert "there is no kernel number 4" in capsys.readouterr().err


def test_a_scalar_that_nothing_reads_is_kept_as_the_result() -> None:
    kernel = ls.parse(
        "void f(int n) {\n  int a;\n#pragma scop\n  for (int i = 0; i < n; i++) a = i;\n#pragma endscop\n}\n"
    )
    assert kernel.arrays["a"].live_out
    assert "which nothing reads" in kernel.remarks[0]
    assert ls.run(kernel, parameters={"n": 4}, target="model").is_right


ADDRESSES = """
void set(int k, int *p) { for (int i = 0; i < k; i++) p[i] = i; }
void f(int n, int a[9][9]) {
#pragma scop
  for (int i = 0; i < n; i++) { set(3, &a[i][2]); set(2, a[i]); set(1, (int *) &a[i][8]); }
#pragma endscop
}
"""


def test_addresses_inside_of_rows_are_passed() -> None:
    kernel = ls.parse(ADDRESSES)
    assert kernel.exact
    for size in (0, 1, 7):
        assert ls.run(kernel, parameters={"n": size}, target="model").is_right


@pytest.mark.parametrize(
    ("loop", "message"),
    [
        ("for (int k = 0; y[k] > 3; k++) z[k] = 1;", "the loop bound is not affine"),
        ("while (y[0] > 3) y[0] -= z[0];", "the loop bound is not affine"),
        ("for (int k = 0;; k++) { if (y[k] > 3) break; z[k] = 1; }", "the loop does not end"),
        ("for (int k = 1; k < 9; k += k) z[k] = 1;", "does not change 'k' by a nonzero constant"),
    ],
)
def test_open_ends_are_analysed_and_not_executed(loop: str, message: str) -> None:
    with pytest.raises(ls.InputError, match=message):
        kernel_of(loop)
    kernel = kernel_of(loop, open_ends=True)
    assert [name for name in kernel.parameters if name.startswith("iterations_")]
    assert "a parameter bounds the loop" in kernel.remarks[-1]
    assert {statement.write.array for statement in kernel.statements} & {"y", "z"}
    with pytest.raises(ls.InputError, match="bound the loop, and leave it with 'break'"):
        ls.run(kernel, parameters=dict.fromkeys(kernel.parameters, 3), target="model")
