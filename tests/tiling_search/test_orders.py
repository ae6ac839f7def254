"""Legal orders against the exact check of tilings: legal for all sizes means legal for each."""

from __future__ import annotations

from itertools import permutations, product

import pytest

import loadstone as ls
from kernels import ROOT, ROWS_LATER
from loadstone.model.kernel import Kernel
from loadstone.tiling_search.orders import Order, is_legal_order, legal_orders, numbering, permuted, sign_patterns
from loadstone.transform.choice import choose_tiling, is_legal
from loadstone.transform.tiling import TiledKernel, Tiling, tiled

SKEWED = """
void skewed(int n, int a[n][n]) {
  for (int i = 1; i < n; i++)
    for (int j = 0; j < n - 1; j++)
      a[i][j] = a[i - 1][j + 1] + 1;
}
"""


def parsed(text: str) -> Kernel:
    return ls.parse(text)


@pytest.mark.parametrize("text", [ROWS_LATER, SKEWED])
def test_orders_are_legal_for_all_sizes_exactly_if_the_check_says_so(text: str) -> None:
    base = tiled(parsed(text), Tiling(1))
    patterns = sign_patterns(base.kernel, base.theta)
    assert patterns is not None
    for dims in permutations(range(2)):
        for single in ((), (0,), (1,), (0, 1)):
            ways = [(1,) if k in single else (1, 2, 3) for k in dims]
            tilings = (TiledKernel(base.kernel, permuted(base.theta, dims), sizes, 1) for sizes in product(*ways))
            assert is_legal_order(patterns, dims, single) == all(map(is_legal, tilings)), (dims, single)


def test_loops_against_a_dependence_need_size_one() -> None:
    base = tiled(parsed(SKEWED), Tiling(1))
    patterns = sign_patterns(base.kernel, base.theta)
    assert patterns is not None
    assert patterns == {(1, -1)}
    assert Order((0,), (1,), frozenset({0})) in list(legal_orders(patterns, 2, numbering(base.theta)))


def test_all_orders_of_a_matrix_product_are_legal() -> None:
    base = choose_tiling(ls.parse(ROOT / "examples" / "polybench" / "gemm.c"))
    patterns = sign_patterns(base.kernel, base.theta)
    assert patterns is not None
    found = list(legal_orders(patterns, 3, numbering(base.theta)))
    assert len({(frozenset(order.outer), order.strip) for order in found}) == len(found) == 3 + 6 + 1
    assert not any(order.single for order in found)


def test_equal_dates_against_the_order_of_statements_are_refused() -> None:
    text = """
    void turned(int n, int a[n], int b[n]) {
      for (int t = 0; t < n; t++)
        for (int i = 0; i < n; i++) {
          a[i] = b[i] + 1;
          b[i] = a[i];
        }
    }
    """
    kernel = parsed(text)
    collapsed = tiled(kernel, Tiling(1, "[n] -> { S0[t, i] -> [i]; S1[t, i] -> [i] }"))
    assert sign_patterns(kernel, collapsed.theta) is None
