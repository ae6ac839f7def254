"""Flows of values: pairs in order, the certificate of last writers, and what takes the place of one that fails."""

from __future__ import annotations

from functools import lru_cache
from unittest.mock import Mock

import islpy as isl
import pytest

from loadstone.poly import flow
from loadstone.poly.flow import Accesses, Order, is_value_flow, ordered_pairs, value_flow, without_overwritten

MUST = isl.UnionMap("{ W[i] -> A[i mod 3] : 0 <= i < 9; V[i] -> A[0] : i = 0 }")
MAY = isl.UnionMap("{ M[i] -> A[e] : 0 <= i < 9 and 0 <= e < 3 and i mod 4 = 0 }")
ORDER = Order(isl.UnionMap("{ W[i] -> [i, 0]; V[i] -> [4, 1]; M[i] -> [i, 2]; R[i] -> [i, 3] }"))
READ = isl.UnionMap("{ R[i] -> A[0] : 0 <= i < 9; R[i] -> A[4] : i = 9 }")
NOTHING = isl.UnionMap("{ }")
SURE = Accesses(MUST, NOTHING, ORDER)
LAST = "W[0] -> R[i] : 0 <= i < 3; W[3] -> R[3]; V[0] -> R[i] : 4 <= i < 6; W[6] -> R[i] : 6 <= i < 9"
UNSURE = Accesses(MUST, MAY, ORDER)
BEHIND = f"{LAST}; M[0] -> R[i] : 0 <= i < 3; M[4] -> R[i] : 4 <= i < 6; M[8] -> R[8]"


def certified(found: str, accesses: Accesses, read: isl.UnionMap = READ) -> bool:
    sure, possible = (ordered_pairs(writes, read, ORDER) for writes in (accesses.must, accesses.may))
    return is_value_flow(isl.UnionMap(f"{{ {found} }}"), read, accesses, sure, possible)


def test_pairs_are_in_order_and_share_an_element() -> None:
    found = ordered_pairs(MUST, READ, ORDER)
    expected = "{ W[i] -> R[j] : 0 <= i <= j < 9 and i mod 3 = 0; V[0] -> R[i] : 4 <= i < 9 }"
    assert found.is_equal(isl.UnionMap(expected))


@pytest.mark.parametrize(("accesses", "expected"), [(SURE, LAST), (UNSURE, BEHIND)])
def test_last_writers(accesses: Accesses, expected: str) -> None:
    writers, unwritten = value_flow(READ, accesses)
    assert writers.is_equal(isl.UnionMap(f"{{ {expected} }}"))
    assert certified(expected, accesses)
    assert unwritten.is_equal(isl.UnionMap("{ R[9] -> A[4] }"))


@pytest.mark.parametrize(
    "wrong",
    [
        LAST.replace("V[0] -> R[i] : 4 <= i < 6", "W[3] -> R[i] : 4 <= i < 6"),
        LAST.replace("W[3] -> R[3]; ", ""),
        f"{LAST}; W[0] -> R[8]",
        f"{LAST}; W[1] -> R[3]",
        "",
    ],
    ids=["an earlier writer", "no writer", "two writers", "another element", "nothing"],
)
def test_the_certificate_refuses(wrong: str) -> None:
    assert not certified(wrong, SURE)


def test_a_possible_writer_must_not_be_missing() -> None:
    assert not certified(LAST, UNSURE)
    assert not certified(BEHIND.replace("; M[8] -> R[8]", ""), UNSURE)


def refused(*_: object) -> bool:
    return False


def test_a_flow_that_fails_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flow, "is_value_flow", refused)
    assert value_flow(READ, SURE)[0].is_equal(isl.UnionMap(f"{{ {LAST} }}"))
    assert isl.UnionMap(f"{{ {BEHIND} }}").is_subset(value_flow(READ, UNSURE)[0])


def test_a_flow_that_takes_isl_too_long_is_found_by_set_operations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flow, "FLOW_LIMIT", 1)
    assert value_flow(READ, SURE)[0].is_equal(isl.UnionMap(f"{{ {LAST} }}"))
    assert isl.UnionMap(f"{{ {BEHIND} }}").is_subset(value_flow(READ, UNSURE)[0])


def test_a_read_of_several_elements_may_see_one_from_before() -> None:
    """One element was written, the other one was not: the read may see what was there before all writes."""
    read = isl.UnionMap("{ R[0] -> A[0]; R[0] -> A[1] }")
    assert value_flow(read, SURE)[1].is_equal(isl.UnionMap("{ R[0] -> A[1] }"))


@pytest.mark.parametrize(
    ("pairs", "kept"),
    [
        ("W[i] -> R[j] : 0 <= i <= j < 9; M[i] -> R[j] : 0 <= i <= j < 9", "M[i] -> R[j] : 0 <= i <= j < 9"),
        ("W[i] -> R[i + 1] : 0 <= i < 8; M[i] -> R[i + 1] : 0 <= i < 9", "M[i] -> R[i + 1] : 0 <= i < 9"),
        ("W[i] -> R[j] : 0 <= i <= j < 9; M[i] -> R[j] : 0 < i <= j < 9", None),
        ("W[i] -> R[i + 1] : 0 <= i < 8; V[i] -> R[i + 1] : 0 <= i < 8", None),
    ],
    ids=["of several reads", "of more reads", "all but one", "not always later"],
)
def test_statements_whose_values_are_overwritten_are_left_out(pairs: str, kept: str | None) -> None:
    found = without_overwritten(isl.UnionMap(f"{{ {pairs} }}"), ORDER)
    assert found.is_equal(isl.UnionMap(f"{{ {kept or pairs} }}"))


def test_isl_is_told_of_writers_that_matter_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that writes something else, and one that is overwritten, cost no time."""
    must = isl.UnionMap("{ W[i] -> A[i]; M[i] -> A[i]; V[i] -> B[i] }")
    judge = Mock(return_value=True)
    monkeypatch.setattr(flow, "is_value_flow", judge)
    writers, _ = value_flow(isl.UnionMap("{ R[i] -> A[i - 1] : 0 <= i < 9 }"), Accesses(must, NOTHING, ORDER))
    assert writers.is_equal(isl.UnionMap("{ M[i] -> R[i + 1] : -1 <= i < 8 }"))
    sure: isl.UnionMap = judge.call_args.args[3]
    assert sure.domain().is_equal(isl.UnionSet("{ M[i] : -1 <= i < 8 }"))


@pytest.fixture
def every_pair_by_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flow, "FEW_PAIRS", 0)


@pytest.mark.usefixtures("every_pair_by_shape")
def test_pairs_of_statements_of_one_shape_are_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Statements of a nest differ in their names and positions; of the positions, only their order matters."""
    many = range(12)
    dates = isl.UnionMap("{ " + "; ".join(f"S{k}[i] -> [i, {k}] : 0 <= i < 9" for k in many) + " }")
    writes = isl.UnionMap("{ " + "; ".join(f"S{k}[i] -> A[i] : 0 <= i < 9" for k in many) + " }")
    computed = Mock(wraps=flow._ordered.__wrapped__)  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(flow, "_ordered", lru_cache(computed))
    found = ordered_pairs(writes, writes, Order(dates))
    monkeypatch.setattr(flow, "FEW_PAIRS", 1000)
    assert found.is_equal(ordered_pairs(writes, writes, Order(dates)))
    assert computed.call_count == 3


@pytest.mark.usefixtures("every_pair_by_shape")
def test_pairs_by_shape_are_those_of_plain_unions(monkeypatch: pytest.MonkeyPatch) -> None:
    sides = (MUST, MAY, READ)
    by_shape = [ordered_pairs(first, second, ORDER) for first in sides for second in sides]
    monkeypatch.setattr(flow, "FEW_PAIRS", 1000)
    plain = [ordered_pairs(first, second, ORDER) for first in sides for second in sides]
    assert all(one.is_equal(other) for one, other in zip(by_shape, plain, strict=True))


def test_a_number_against_an_iterator_is_part_of_the_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    """W and U have dates of one shape, but for a number that is compared with an iterator of R."""
    order = Order(isl.UnionMap("{ W[i] -> [2]; U[i] -> [5]; R[i] -> [i] }"))
    accesses = isl.UnionMap("{ W[0] -> A[0]; U[0] -> A[0] }")
    monkeypatch.setattr(flow, "FEW_PAIRS", 0)
    found = ordered_pairs(accesses, isl.UnionMap("{ R[i] -> A[0] : 0 <= i < 9 }"), order)
    assert found.is_equal(isl.UnionMap("{ W[0] -> R[i] : 2 < i < 9; U[0] -> R[i] : 5 < i < 9 }"))


def test_many_unions_are_joined_in_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flow, "FEW_UNIONS", 2)
    parts = [isl.UnionMap(f"{{ S{k}[i] -> A[{k}] }}") for k in range(9)]
    joined = flow.union_of_all(parts, parts[0].get_space())
    assert joined.n_map() == 9
    assert all(part.is_subset(joined) for part in parts)
