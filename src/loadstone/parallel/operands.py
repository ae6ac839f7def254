"""What a direct implementation knows of the words that its statements read, before it runs.

The last word that was computed stays in a register until another element is computed. A read may find its element there
(`kept`), or may have to wait for it while it is on its way to memory (`open`); isl says where neither can happen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import islpy as isl

from loadstone.loops.facts import attempted, surely
from loadstone.model.kernel import Access, Kernel, Statement, union_of_maps
from loadstone.parallel.hazards import following, may_follow
from loadstone.poly.extrema import greatest
from loadstone.poly.order import earlier
from loadstone.poly.spaces import Dim


@dataclass(frozen=True, slots=True, eq=False)
class Word:
    """A word that an instance reads from memory, by the first of the reads that want it.

    `kept`: it may be the last word that was computed. `open`: it may have been computed before that one, and not have
    reached memory yet. `exact`: it surely exists.
    """

    position: int
    array: str
    kept: bool
    open: bool
    exact: bool


def words_read(kernel: Kernel, known: isl.Set) -> dict[str, tuple[Word, ...]]:
    """The words that each statement reads from memory, for known parameters; equal subscripts are one word."""
    writers = [each for each in kernel.statements if is_stored(kernel, each)]
    return {
        statement.name: tuple(
            _word(statement, position, writers, last, known) for position in _first_reads(kernel, statement)
        )
        for statement, last in ((each, _last_computed(kernel, each, writers, known)) for each in kernel.statements)
    }


def is_stored(kernel: Kernel, statement: Statement) -> bool:
    """Whether the result of a statement belongs into memory, and not into a scalar."""
    return kernel.arrays[statement.write.array].rank > 0


def reads_of(statement: Statement, position: int) -> list[int]:
    """All reads with the array and subscripts of one of them."""
    wanted = statement.reads[position]
    same = (wanted.array, wanted.subscripts)
    return [other for other, read in enumerate(statement.reads) if (read.array, read.subscripts) == same]


def _first_reads(kernel: Kernel, statement: Statement) -> Iterator[int]:
    """The first read of each element in memory."""
    for position, read in enumerate(statement.reads):
        if kernel.arrays[read.array].rank and reads_of(statement, position)[0] == position:
            yield position


def _word(
    statement: Statement, position: int, writers: Sequence[Statement], last: isl.UnionMap | None, known: isl.Set
) -> Word:
    """What is known of a word; `last` maps instances to the element that was computed last, if that is known."""
    reads = [statement.reads[other] for other in reads_of(statement, position)]
    pairs = [
        (writer, read)
        for writer in writers
        for read in reads
        if writer.write.array == read.array and may_follow(known, writer, statement, read)
    ]
    never = last is not None and all(_is_never(read, last) for read in reads)
    always = last is not None and all(_is_always(writer, statement, read, last, known) for writer, read in pairs)
    exact = any(read.exact for read in reads)
    return Word(position, reads[0].array, bool(pairs) and not never, bool(pairs) and not always, exact)


def _last_computed(
    kernel: Kernel, statement: Statement, writers: Sequence[Statement], known: isl.Set
) -> isl.UnionMap | None:
    """Instances of a statement to the element in memory that was computed last before them.

    None where it is hard to find, or depends on data.
    """

    def found() -> isl.UnionMap:
        length = max(each.schedule.dim(Dim.out) for each in kernel.statements)
        stores = (each.times(length).reverse().apply_range(each.write.relation) for each in writers)
        computed = union_of_maps(kernel, stores)
        moments = isl.Set.from_union_set(computed.domain())
        before = earlier(moments.get_space()).intersect_range(moments)
        last = greatest(statement.times(length).intersect_params(known).apply_range(before))
        return last.to_union_map().apply_range(computed)

    certain = all(each.write.exact for each in writers)
    return attempted(found) if writers and certain else None


def _is_never(read: Access, last: isl.UnionMap) -> bool:
    """Whether a read surely never touches the element that was computed last."""
    return surely(lambda: read.relation.to_union_map().intersect(last).is_empty())


def _is_always(writer: Statement, reader: Statement, read: Access, last: isl.UnionMap, known: isl.Set) -> bool:
    """Whether a read of what a statement wrote before surely touches the element that was computed last."""

    def holds() -> bool:
        after = following(known, writer, reader, read).range()
        return read.relation.intersect_domain(after).to_union_map().is_subset(last)

    return surely(holds)
