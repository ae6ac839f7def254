"""Which accesses may meet while instances overlap."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import islpy as isl

from loadstone.loops.facts import attempted, surely
from loadstone.model.kernel import Access, Statement
from loadstone.parallel.groups import Grouping
from loadstone.poly.dimensions import padded
from loadstone.poly.spaces import Dim


def may_follow(known: isl.Set, writer: Statement, reader: Statement, access: Access) -> bool:
    """Whether an access of a statement may touch an element after another one wrote it, for known parameters."""
    return not surely(lambda: following(known, writer, reader, access).is_empty())


def meeting_lanes(
    known: isl.Set, grouping: Grouping, writer: Statement, reader: Statement, access: Access
) -> Iterator[tuple[int, int]]:
    """The lanes of a writer and of a reader whose access may touch an element after it was written."""
    ordered = attempted(lambda: following(known, writer, reader, access))
    for one, other in product(range(grouping.lanes(writer.name)), range(grouping.lanes(reader.name))):
        first, second = grouping.instances(writer.name, one), grouping.instances(reader.name, other)

        def never(first: isl.Set = first, second: isl.Set = second) -> bool:
            return ordered is not None and ordered.intersect_domain(first).intersect_range(second).is_empty()

        if not surely(never):
            yield one, other


def following(known: isl.Set, writer: Statement, reader: Statement, access: Access) -> isl.Map:
    """Instances of the writer to later ones of the reader whose access touches the same element."""
    same = writer.write.relation.apply_range(access.relation.reverse()).intersect_params(known)
    length = max(each.schedule.dim(Dim.out) for each in (writer, reader))
    first, second = (padded(each.schedule, length).intersect_domain(each.domain) for each in (writer, reader))
    return same.intersect(first.lex_lt_map(second))
