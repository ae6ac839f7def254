"""Loops as they come: counters of all types, steps in conditions, `while`; what wraps is assumed away or refused."""

from __future__ import annotations

from pathlib import Path

import islpy as isl
import pytest

import loadstone as ls
from loadstone.errors import InputError
from loadstone.model.kernel import Kernel

HEAD = "#include <stddef.h>\n#include <stdint.h>\nvoid f(int n, unsigned u, uint8_t t, int a[300], int b[300])"


def parsed(tmp_path: Path, body: str) -> Kernel:
    path = tmp_path / "f.c"
    path.write_text(f"{HEAD}\n{{\n{body}\n}}\n")
    return ls.parse(path)


@pytest.mark.parametrize(
    ("loop", "domain", "assumed"),
    [
        ("unsigned i = u; i-- > 0;", "0 <= i < u", ""),
        ("size_t i = u; i-- != 0;", "0 <= i < u", ""),
        ("unsigned i = u; i--;", "0 <= i < u", ""),
        ("unsigned i = u - 1; i + 1 > 0; i--", "0 <= i < u", ""),
        ("int i = n; --i >= 0;", "0 <= i < n", ""),
        ("int i = n; i-- > 2;", "2 <= i < n", ""),
        ("int i = -1; ++i < n;", "0 <= i < n", ""),
        ("uint8_t i = 0; i < t; i++", "0 <= i < t", ""),
        ("uint8_t i = t; i-- > 0;", "0 <= i < t", ""),
        ("uint8_t i = 0; i < n; i++", "0 <= i < n", "n <= 255"),
        ("uint8_t i = 0; i != 255; i++", "0 <= i < 255", ""),
        ("int8_t i = 0; i < n; i++", "0 <= i < n", "n <= 127"),
        ("unsigned i = 0; i < u - 3; i++", "0 <= i < u - 3", "u >= 3"),
        ("unsigned i = 0; i <= u - 1; i++", "0 <= i < u", "u >= 1"),
        ("int i = n; i >= u; i--", "u <= i <= n", "u >= 1 and n >= 0"),
        ("int i = 0; i != n; i++", "0 <= i < n", "n >= 0"),
        ("int i = n; i != 0; i -= 2", "0 < i <= n and i mod 2 = 0", "n >= 0 and n mod 2 = 0"),
        ("unsigned i = u; i > 0; i -= 2", "0 < i <= u and i mod 2 = 0", "u mod 2 = 0"),
        ("int i = u - 1; i >= 0; i--", "0 <= i < u", ""),
        ("unsigned i = 1; i <= u; i++", "1 <= i <= u", ""),
        ("uint8_t i = 0; i < (n < u ? n : u); i++", "0 <= i < n and i < u", "0 <= n <= 255"),
    ],
)
def test_loops(tmp_path: Path, loop: str, domain: str, assumed: str) -> None:
    kernel = parsed(tmp_path, f"for ({loop}) a[i] = b[i] + t;")
    known = kernel.context
    expected = isl.Set(f"[n, u, t] -> {{ S0[i] : {domain} }}").intersect_params(known)
    assert kernel.statements[0].domain.intersect_params(known).is_equal(expected)
    types = isl.Set("[n, u, t] -> { : u >= 0 and 0 <= t <= 255 }")
    condition = types.intersect(isl.Set(f"[n, u, t] -> {{ : {assumed or 'true'} }}"))
    used = types.intersect(known)
    assert used.is_equal(condition)
    assert bool(kernel.assumptions) == bool(assumed)


@pytest.mark.parametrize(
    "body",
    [
        "int i = 0; while (i < n) { a[i] = b[i]; i++; }",
        "int i; i = 0; while (i < n) { a[i] = b[i]; i += 1; }",
        "for (int i = 0; i < n;) { a[i] = b[i]; i++; }",
        "int i = -1; while (++i < n) a[i] = b[i];",
        "int i = 0; while (i != n) { a[i] = b[i]; i = i + 1; }",
    ],
)
def test_while(tmp_path: Path, body: str) -> None:
    kernel = parsed(tmp_path, body)
    expected = isl.Set("[n] -> { S0[i] : 0 <= i < n }")
    assert kernel.statements[0].domain.is_equal(expected.align_params(kernel.context.get_space()))


def test_unsigned_values_may_wrap_and_come_back(tmp_path: Path) -> None:
    kernel = parsed(tmp_path, "for (unsigned i = 0; i < u; i++) a[i - 1 + 1] = b[(int)(i - 1) + 1];")
    assert kernel.exact
    assert not kernel.assumptions


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("for (unsigned i = u - 1; i >= 0; i--) a[i] = 0;", "is below zero, and wraps"),
        ("for (unsigned i = 0; i < u; i++) a[i - 1] = 0;", "is below zero, and wraps"),
        ("for (unsigned i = 0; i < u; i++) if (i - 2 < u) a[i] = 0;", "is below zero, and wraps"),
        ("for (unsigned i = 0; i < u; i++) a[i] = i - 2 < u ? b[i] : 0;", "is below zero, and wraps"),
        ("for (uint8_t i = 0; i < 256; i++) a[i] = 0;", "leaves 0 to 255, and wraps"),
        ("for (unsigned i = u; i-- >= 0;) a[i] = 0;", "is below zero, and wraps"),
        ("uint8_t i = 0; while (i < n) { a[i] = 0; i++; b[i] = 0; }", "depends on 'i'"),
    ],
)
def test_refused(tmp_path: Path, body: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parsed(tmp_path, body)
