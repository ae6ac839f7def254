"""What `info` says of accesses: which ones are approximated."""

from __future__ import annotations

import loadstone as ls
from loadstone.analysis.info import kernel_info

KERNEL = """void k(int n, int a[n], int b[n], int c[n]) {
#pragma scop
  for (int i = 0; i < n; i++) {
    c[i] = a[b[i]] + b[i];
    if (b[i] > 3) c[i] = a[i];
    c[i] = a[i];
  }
#pragma endscop
}
"""


def test_each_approximated_access_is_marked() -> None:
    indirect, conditional, exact = kernel_info(ls.parse(KERNEL))["statements"]
    assert [("a[" in read, may) for read, may in zip(indirect["reads"], indirect["may_reads"], strict=True)] == [
        ("a[" in read, "a[" in read) for read in indirect["reads"]
    ]
    assert (indirect["may"], indirect["may_writes"]) == (True, [False])
    assert (conditional["may"], conditional["may_reads"], conditional["may_writes"]) == (True, [False, True], [True])
    assert (exact["may"], exact["may_reads"], exact["may_writes"]) == (False, [False], [False])
