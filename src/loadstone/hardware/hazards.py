"""Which accesses may meet while instances overlap."""

from __future__ import annotations

import islpy as isl

from loadstone.loops.known import surely
from loadstone.model.kernel import Access, Statement, padded
from loadstone.poly.spaces import Dim


def may_follow(known: isl.Set, writer: Statement, reader: Statement, access: Access) -> bool:
    """Whether an access of a statement may touch an element after another one wrote it, for known parameters."""
    return not surely(lambda: following(known, writer, reader, access).is_empty())


def following(known: isl.Set, writer: Statement, reader: Statement, access: Access) -> isl.Map:
    """Instances of the writer to later ones of the reader whose access touches the same element."""
    same = writer.write.relation.apply_range(access.relation.reverse()).intersect_params(known)
    length = max(each.schedule.dim(Dim.out) for each in (writer, reader))
    first, second = (padded(each.schedule, length).intersect_domain(each.domain) for each in (writer, reader))
    return same.intersect(first.lex_lt_map(second))
