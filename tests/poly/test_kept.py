"""Results that are kept by the text of their arguments."""

from __future__ import annotations

import islpy as isl

from loadstone.poly.kept import MOST_KEPT, kept_by_text


def test_equal_texts_are_looked_up_and_others_are_not() -> None:
    asked: list[str] = []

    @kept_by_text
    def first(points: isl.Set, name: str) -> str:
        asked.append(f"{name}: {points}")
        return asked[-1]

    one, other = isl.Set("{ [i] : 0 <= i < 3 }"), isl.Set("{ [i] : 0 <= i < 4 }")
    found = [first(one, "x"), first(isl.Set("{ [i] : 0 <= i < 3 }"), "x"), first(other, "x"), first(one, "y")]
    assert found == [asked[0], asked[0], asked[1], asked[2]]
    assert len(asked) == 3


def test_old_results_are_dropped() -> None:
    asked: list[int] = []

    @kept_by_text
    def itself(number: int) -> int:
        asked.append(number)
        return number

    assert [itself(number) for number in (*range(MOST_KEPT + 1), MOST_KEPT, 0)] == [*range(MOST_KEPT + 1), MOST_KEPT, 0]
    assert asked == [*range(MOST_KEPT + 1), 0]
