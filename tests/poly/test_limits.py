"""Operation limits: what isl says when it has used up its operations."""

from __future__ import annotations

import contextlib

import islpy as isl
import pytest

from loadstone.poly.limits import LimitReached, operation_limit


def test_a_limit_that_is_reached_inside_of_a_text_is_a_limit() -> None:
    with pytest.raises(LimitReached), operation_limit(10):
        raise_after_exhaustion()


def raise_after_exhaustion() -> None:
    """What islpy does when isl has no text for a number because no operations are left."""
    with contextlib.suppress(isl.Error):
        isl.Set("{ [i, j] : 0 <= i <= j and exists a : 2 a = i + j }").lexmin()
    raise TypeError("int() argument must be a string, a bytes-like object or a real number, not 'NoneType'")


def test_other_errors_of_type_pass_through() -> None:
    with pytest.raises(TypeError), operation_limit(1_000_000):
        raise TypeError("unrelated")


def flow_of_a_chain() -> isl.UnionMap:
    """Each element is read by the instance behind the one that wrote it."""
    writes, reads = isl.UnionMap("{ S[i] -> A[i] : 0 <= i < 9 }"), isl.UnionMap("{ S[i] -> A[i - 1] : 0 <= i < 9 }")
    info = isl.UnionAccessInfo.from_sink(reads).set_must_source(writes)
    return info.set_schedule_map(isl.UnionMap("{ S[i] -> [i] }")).compute_flow().get_must_dependence()


@pytest.mark.parametrize("operations", range(1, 120, 3))
def test_wherever_the_limit_is_reached_it_is_a_limit_and_isl_goes_on(operations: int) -> None:
    """isl refuses to copy a `union_access_info` behind its limit, and does not say why."""
    with contextlib.suppress(LimitReached), operation_limit(operations):
        flow_of_a_chain()
    assert flow_of_a_chain().is_equal(isl.UnionMap("{ S[i] -> S[i + 1] : 0 <= i < 8 }"))


def some_work() -> None:
    isl.Set("{ [i, j] : 0 <= i <= j and exists a : 2 a = i + j }").lexmin()


def test_an_inner_limit_leaves_the_count_of_the_outer_one() -> None:
    """Without it, work in small pieces would never reach its limit."""
    with pytest.raises(LimitReached), operation_limit(20_000):
        work_between_limits(1_000)


def work_between_limits(times: int) -> None:
    for _ in range(times):
        some_work()
        with operation_limit(1_000_000):
            pass


def test_what_is_used_inside_does_not_count_outside() -> None:
    with operation_limit(20_000):
        for _ in range(50):
            with operation_limit(1_000_000):
                some_work()
    some_work()


def test_an_inner_limit_that_is_reached_leaves_the_outer_one_in_force() -> None:
    with pytest.raises(LimitReached, match="20000"), operation_limit(20_000):
        work_behind_a_limit(1_000)


def work_behind_a_limit(times: int) -> None:
    with contextlib.suppress(LimitReached), operation_limit(10):
        some_work()
    for _ in range(times):
        some_work()
