"""What C writes shortly is written out: lists of values, `switch`, steps in expressions, pointers to rows."""

from __future__ import annotations

from pathlib import Path

import islpy as isl
import pytest

import loadstone as ls
from loadstone.errors import InputError
from loadstone.model.kernel import Kernel


def read(tmp_path: Path, text: str) -> Kernel:
    path = tmp_path / "kernel.c"
    path.write_text(text)
    return ls.parse(path)


def loop(body: str, parameters: str = "int n, int a[n], int b[n]", top: str = "") -> str:
    return f"{top}\nvoid f({parameters}) {{ for (int i = 0; i < n; i++) {{ {body} }} }}\n"


LISTS = (
    "int t[4] = {a[i]}; t[2] += 5; b[i] = t[0] + 7 * t[1] + 3 * t[2] + t[3];",
    "int t[3] = {0}; t[1] += a[i]; b[i] = t[0] + t[1] + t[2];",
    "int w[2][3] = {{1, 2, 3}, {4, 5}}; w[1][2] += a[i]; b[i] = w[0][0] + 10 * w[1][1] + 3 * w[1][2];",
    "int w[2][2] = {1, 2, a[i]}; b[i] = w[0][1] + 10 * w[1][0] + 3 * w[1][1];",
    "int t[4] = {[2] = a[i], 6, [0] = i}; b[i] = t[0] + 7 * t[1] + 3 * t[2] + 5 * t[3];",
    "int w[2][2] = {[1] = {3, 4}, [0][1] = a[i]}; b[i] = w[0][0] + 10 * w[0][1] + 3 * w[1][0] + w[1][1];",
    "int t[] = {a[i], 4}; t[1] += t[0]; b[i] = t[1];",
)
SWITCHES = (
    "switch (a[i] & 3) { case 0: b[i] = 1; break; case 1: case 2: { b[i] = a[i]; break; } default: b[i] = 7; }",
    "switch (a[i] & 3) { case 2: b[i] = 1; break; default: b[i] = 4; break; case 1: b[i] += 7; }",
    "switch (i % 4) { case 0: continue; case 3: for (int k = 0; k < 4; k++) { if (k > 1) break; b[i]++; } } a[i] = 1;",
    "int s = a[i] & 1; switch (s) { case 0: s = 1; break; case 1: s = 0; break; } b[i] = s;",
)
STEPS = (
    "int k = 0; k += i; b[k++] = a[i]; a[i] = k;",
    "int k = i - 1; b[++k] += a[i]; a[i] = k;",
    "int k = i; int v = a[k--]; b[i] = v + k;",
    "for (int u = 0, v = 3; u < 4; u++, v--) { if (u == 2) continue; b[i] += u * v; }",
    "int v; int u; for (u = 0, v = 3; u < 4; u++, v -= 2) { if (u == 2) break; b[i] += v; } a[i] = v;",
)
FACTORS = (
    "for (int s = 1; s < 8; s *= 2) b[i] += a[i] * s;",
    "int s; for (s = 12; s; s >>= 1) b[i] += a[i] ^ s; a[i] = s;",
    "for (int s = 2, t = 0; s <= 16; s <<= 1, t++) for (int k = 0; k < 16; k += s) b[i] += k * t;",
)
POINTERS = (
    "const int *p = a + i; int *q = &b[i]; *q = p[0] * 2; q[0] += *p;",
    "int *p; p = &b[i]; *p = a[i]; p = &a[n - 1]; p[-i] += 3;",
    "int *p = &a[i]; int t[3]; int *q = t; for (int k = 0; k < 3; k++) *q++ = *p + k; q = t; b[i] = q[0] + *(q + 2);",
    "int *p = b; p += i; S1: *p = a[i];",
    "const int *p = a; p = p + i; b[i] = *p; p = p - i; b[i] += p[0];",
    "for (int a = 0; a < 2; a++) b[i] += a;",
)
FUNCTIONS = (
    (
        "typedef enum { RED = 2, GREEN } color; typedef struct q { color of; } q_t;",
        "struct q v = {GREEN}; b[i] = v.of + RED;",
    ),
    (
        "static int op(int k, int x) { switch (k) { case 0: return x; case 1: return x + 1; default: return -x; } }",
        "b[i] = op(a[i] & 3, i);",
    ),
    ("static int sum(const int *v) { return v[0] + v[1]; }", "int t[3] = {a[i], i, 5}; b[i] = sum(t) * sum(t + 1);"),
    (
        "static void add(int *p, int m) { while (m--) { *p += 1; p++; } }",
        "int t[3] = {a[i], 1, 2}; add(t, 2); add(&t[1], 2); b[i] = t[0] + 10 * t[1] + 100 * t[2];",
    ),
    (
        "typedef struct { int re, im; } c; static c turned(c x) { return (c){-x.im, x.re}; }",
        "c v = {a[i], i}; c w = turned(turned(v)); b[i] = 3 * w.re + w.im;",
    ),
    (
        "typedef struct { int re, im; } c; static c sum(c x, c y) { c r; r.re = x.re + y.re; r.im = x.im; return r; }",
        "c v = {a[i]}; v = sum(v, sum(v, v)); b[i] = 3 * v.re + v.im;",
    ),
)


LEFT_AS_THEY_ARE = (
    ("switch (i) { case 0: a[i] = 1; case 1: b[i] = 2; }", "goes on with the next one"),
    ("switch (i) { case 0: if (n > 3) break; b[i] = 2; break; }", "does not stand at the end of its case"),
    ("switch (i) { b[i] = 2; case 0: break; }", "before the first case"),
    ("int w[2][2] = {1, {2, 3}}; b[i] = w[0][0];", "has no place in the array"),
    ("int *p = n > 3 ? a : b; b[i] = p[0];", "what 'p' points to is not known"),
    ("int *p = a; if (i > 3) p = b; b[i] = p[0];", "the pointer 'p' is set where others of its uses follow"),
    ("int *p = a; { int p = 3; b[i] = p; } b[i] += p[0];", "'p' hides a pointer of that name"),
    ("for (int s = 1; s < n; s *= 2) b[i] += s;", "does not change 's' by a nonzero constant"),
    ("for (int s = 1; s < 8; s *= 2) { if (a[i] > 3) break; b[i] += s; }", "does not change 's'"),
    ("int s = 3; int *p = &s; p++; b[i] = *p;", "taking an address"),
    ("int k = i; b[k++] = a[k];", "'\\+\\+' inside an expression is not supported"),
)


def check_as_original(kernel: Kernel) -> None:
    outcome = ls.run(kernel, parameters={"n": 7}, sizes=3, target="c", checked=True)
    assert outcome.is_right, outcome


@pytest.mark.parametrize("body", [*LISTS, *SWITCHES, *STEPS, *FACTORS, *POINTERS])
def test_statements_do_what_the_original_does(body: str, tmp_path: Path) -> None:
    kernel = read(tmp_path, loop(body))
    assert kernel.original is not None
    assert body[-5:] in kernel.original.text
    check_as_original(kernel)


@pytest.mark.parametrize(("top", "body"), FUNCTIONS)
def test_functions_do_what_the_original_does(top: str, body: str, tmp_path: Path) -> None:
    check_as_original(read(tmp_path, loop(body, top=top)))


@pytest.mark.parametrize(("body", "message"), LEFT_AS_THEY_ARE)
def test_what_has_no_such_form_is_refused(body: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path, loop(body))


ROWS = """
void f(int n, int m, const int *a, int *b, int c[n][m]) {
  for (int i = 0; i < n; i++) {
    const int *row = a + i * m;
    int *dst = &b[i * m], *p = &c[i][0];
    for (int j = 0; j < m; j++) { S0: dst[j] = row[j]; S1: p[j] = row[m - 1 - j]; }
  }
}
"""
MOVING = """
void f(int n, const int *a, int *b) {
  const int *p = a;
  for (int i = 0; i < n; i++) { S0: *b++ = *p; p += 2; }
}
"""


@pytest.mark.parametrize(
    ("text", "name", "read_of", "write"),
    [
        (ROWS, "S0", "a[i, j]", "b[i, j]"),
        (ROWS, "S1", "a[i, m - 1 - j]", "c[i, j]"),
        (MOVING, "S0", "a[2i]", "b[i]"),
    ],
)
def test_pointers_are_the_elements_they_point_to(
    text: str, name: str, read_of: str, write: str, tmp_path: Path
) -> None:
    kernel = read(tmp_path, text)
    assert kernel.exact
    statement = next(s for s in kernel.statements if s.name == name)
    domain = statement.domain
    iterators = ", ".join(statement.iterators)
    found = {"read": (statement.reads[0].relation, read_of), "write": (statement.write.relation, write)}
    for relation, element in found.values():
        expected = isl.Map(f"[n, m] -> {{ {name}[{iterators}] -> {element} }}").intersect_domain(domain)
        assert relation.is_equal(expected.align_params(relation.get_space()))
