"""The least and the greatest number of iterations of loops, for pragmas by which HLS compilers estimate latencies."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import islpy as isl

from loadstone.loops.facts import attempted, condition_on, narrowed, range_of, visited, with_iterator
from loadstone.loops.model import Block, For, If, Instance, Node
from loadstone.loops.ranges import Limits, limits_of
from loadstone.model.expression import Binary, Variable
from loadstone.model.types import INT

_LENGTH = "length of a loop"


@lru_cache(maxsize=32)
def trip_counts(tree: Node, facts: isl.Set) -> tuple[Limits | None, ...]:
    """The iterations of each loop, parents first, where facts are known of the variables around; None if not known."""
    return tuple(_counts(tree, facts))


def _counts(node: Node, facts: isl.Set) -> Iterator[Limits | None]:
    match node:
        case For(body=body):
            span, inside = range_of(node, facts), with_iterator(facts, node.iterator)
            yield None if span is None else _trip_count(node, facts)
            yield from _counts(body, inside if span is None else narrowed(inside, lambda: visited(span, facts)))
        case If(condition=condition, then=then, otherwise=otherwise):
            yield from _counts(then, narrowed(facts, lambda: condition_on(condition, facts)))
            rest = narrowed(facts, lambda: facts.subtract(condition_on(condition, facts)))
            yield from () if otherwise is None else _counts(otherwise, rest)
        case Block(items=items):
            for item in items:
                yield from _counts(item, facts)
        case Instance():
            pass


def _trip_count(loop: For, facts: isl.Set) -> Limits | None:
    span = range_of(loop, facts)
    assert span is not None
    length = Binary("==", Variable(_LENGTH, INT), Binary("-", span.last, span.start, INT), INT)
    found = attempted(lambda: condition_on(length, with_iterator(facts, _LENGTH)))
    limits = None if found is None else limits_of(found, _LENGTH)
    if limits is None:
        return None
    least, greatest = (max(0, limit // span.step + 1) for limit in limits)
    return least, greatest


def in_beats(words: Limits | None, size: int) -> Limits | None:
    """The beats of some size that so many elements are in, wherever they begin."""
    if words is None:
        return None
    least, greatest = words
    return -(-least // size), (greatest + size - 2) // size + 1 if greatest else 0
