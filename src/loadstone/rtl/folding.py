"""Operators on numbers that are known when hardware is described, so that no hardware is needed for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from loadstone.rtl.types import RtlError

BinaryOperator = Literal["add", "sub", "mul", "and", "or", "xor"]
CompareOperator = Literal["eq", "ne", "lt", "le", "gt", "ge"]


_FOLD: Mapping[BinaryOperator, Callable[[int, int], int]] = {
    "add": int.__add__,
    "sub": int.__sub__,
    "mul": int.__mul__,
    "and": int.__and__,
    "or": int.__or__,
    "xor": int.__xor__,
}


def folded(operator: BinaryOperator, left: int, right: int) -> int:
    """What an operation gives for two numbers."""
    return _FOLD[operator](left, right)


def decided(operator: CompareOperator, left: tuple[int, int], right: tuple[int, int]) -> bool | None:
    """What a comparison of values in two ranges always gives; None if it depends."""
    (least, greatest), (low, high) = left, right
    match operator:
        case "lt":
            return True if greatest < low else False if least >= high else None
        case "ge":
            return True if least >= high else False if greatest < low else None
        case "gt":
            return decided("lt", right, left)
        case "le":
            return decided("ge", right, left)
        case "eq":
            return False if greatest < low or high < least else True if least == greatest == low == high else None
        case "ne":
            equal = decided("eq", left, right)
            return None if equal is None else not equal


def bit_range(index: int | slice, width: int) -> tuple[int, int]:
    """The first bit and the one after the last; bits beyond the value are an error."""
    if isinstance(index, int):
        index = index + width if index < 0 else index
        low, high = index, index + 1
    else:
        low, high, step = index.indices(width)
        if step != 1 or (isinstance(index.stop, int) and index.stop > width):
            raise RtlError(f"bits {index.start}:{index.stop}:{index.step} of {width}")
    if not 0 <= low < high <= width:
        raise RtlError(f"bits {low}:{high} of {width}")
    return low, high
