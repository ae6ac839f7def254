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
