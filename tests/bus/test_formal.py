"""Bounded proofs: queues and masters keep the rules of handshakes for all inputs of some cycles from the reset on."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable

import pytest

from bounded_proofs import disproved
from formal_designs import watched_queue, watched_reader, watched_registers, watched_writer
from loadstone.bus.ports import Bus, Protocol
from loadstone.rtl.module import Module
from loadstone.rtl.types import unsigned

pytestmark = pytest.mark.skipif(importlib.util.find_spec("pyosys") is None, reason="needs pyosys")
STEPS = {1: 8, 2: 10, 3: 12, 5: 14}


def small(protocol: Protocol, outstanding: int | None = None) -> Bus:
    return Bus(protocol, 32, address_width=14, burst=2, count_width=3, outstanding=outstanding)


DEPTHS = (2, *(pytest.param(depth, marks=pytest.mark.sweep) for depth in (1, 3, 5)))


@pytest.mark.parametrize("depth", DEPTHS)
def test_queues(depth: int) -> None:
    assert not disproved(watched_queue(depth, unsigned(2)), "broken", STEPS[depth])


def test_a_queue_that_is_taken_for_a_smaller_one() -> None:
    assert disproved(watched_queue(2, unsigned(2), room=1), "broken", 6)


def test_the_slave_for_registers() -> None:
    assert not disproved(watched_registers(), "broken", 10)
    assert disproved(watched_registers(hasty=True), "broken", 6)


@pytest.mark.sweep
@pytest.mark.parametrize("outstanding", [None, 1, 2])
@pytest.mark.parametrize("protocol", ["axi", "avalon"])
def test_readers(protocol: Protocol, outstanding: int | None) -> None:
    assert not disproved(watched_reader(small(protocol, outstanding), outstanding), "broken", 12)


@pytest.mark.sweep
@pytest.mark.parametrize("outstanding", [None, 1])
@pytest.mark.parametrize("protocol", ["axi", "avalon"])
def test_writers(protocol: Protocol, outstanding: int | None) -> None:
    assert not disproved(watched_writer(small(protocol, outstanding), outstanding), "broken", 12)


@pytest.mark.sweep
@pytest.mark.parametrize("outstanding", [None, 1])
@pytest.mark.parametrize("protocol", ["axi", "avalon"])
@pytest.mark.parametrize("watched", [watched_reader, watched_writer])
def test_masters_of_slices(watched: Callable[..., Module], protocol: Protocol, outstanding: int | None) -> None:
    assert not disproved(watched(small(protocol, outstanding), outstanding, sliced=True), "broken", 12)


@pytest.mark.sweep
def test_masters_that_break_rules_are_found() -> None:
    assert disproved(watched_reader(small("axi"), fickle=True), "broken", 10)
    assert disproved(watched_reader(small("axi", 2), 1), "broken", 14)
    assert disproved(watched_writer(small("axi", 2), 1), "broken", 14)
    assert disproved(watched_reader(small("axi"), fickle=True, sliced=True), "broken", 10)
    assert disproved(watched_writer(small("axi", 2), 1, sliced=True), "broken", 14)
