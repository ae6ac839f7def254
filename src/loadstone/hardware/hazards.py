"""Which accesses may meet while instances overlap."""

from __future__ import annotations

import islpy as isl

from loadstone.loops.known import surely
from loadstone.model.kernel import Access, Kernel, Statement


def may_follow(kernel: Kernel, known: isl.Set, writer: Statement, access: Access) -> bool:
    """Whether an access may touch an element after an instance of a statement wrote it, for known parameters."""
    return not surely(lambda: _following(kernel, known, writer, access).is_empty())


def _following(kernel: Kernel, known: isl.Set, writer: Statement, access: Access) -> isl.UnionMap:
    """Instances of the writer to later ones that touch the same element."""
    same = writer.write.relation.apply_range(access.relation.reverse()).intersect_params(known)
    dates = kernel.schedule
    return same.to_union_map().intersect(dates.lex_lt_union_map(dates))
