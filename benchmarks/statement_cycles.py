"""Cycles of a statement by the memories of Devos, Figure 5.12: values read again, or handed on in registers.

    python benchmarks/statement_cycles.py [KERNEL.c ...]        without any, the statement of Figure 5.12

An array is a memory that takes an address in a cycle and has the data two cycles later. A statement takes a cycle for
its arguments, one for each address, two for the last data, one to compute and one to write. Unoptimised all addresses
are in sequence. Optimised those of different arrays are at the same time, and an element that the instance before has
read, along the innermost loop, stays in a register; the first instance of a loop has no instance before.

Which reads are handed on is decided by isl on the access relations of any kernel; not those of arrays that it writes.
`thesis/statement_units.py` makes circuits that take these cycles, for arrays of one dimension. The datapaths of
Loadstone's own accelerators are pipelines instead (`docs/datapaths.md`), which read a value again.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

import islpy as isl

import loadstone as ls
from loadstone.model.kernel import Kernel, Statement

ARGUMENTS, LATENCY, COMPUTE, WRITE = 1, 2, 1, 1
FIGURE_5_12 = """
void figure(int N, int A[N + 1], int B[2 * N + 1], int C[N + 1]) {
#pragma scop
  for (int i = 1; i <= N; i++)
S:  A[i] = (B[i] + B[i - 1] + C[i]) * B[2 * i];
#pragma endscop
}
"""


class Cycles(NamedTuple):
    """Cycles of an instance: unoptimised, optimised, and optimised where a loop begins."""

    unoptimised: int
    optimised: int
    first: int


def figure_5_12() -> Kernel:
    """The kernel of the figure."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "figure.c"
        path.write_text(FIGURE_5_12)
        return ls.parse(path)


def cycles(statement: Statement, written: Collection[str] = ()) -> Cycles:
    """The cycles of an instance of a statement, in a kernel that writes some arrays."""
    fixed = ARGUMENTS + LATENCY + COMPUTE + WRITE
    arrays = Counter(read.array for read in statement.reads)
    handed = Counter(statement.reads[read].array for read in handed_on(statement, written))
    left = (arrays[name] - handed[name] for name in arrays)
    return Cycles(fixed + arrays.total(), fixed + max(left, default=0), fixed + max(arrays.values(), default=0))


def handed_on(statement: Statement, written: Collection[str] = ()) -> dict[int, int]:
    """Reads of elements that the instance before, along the innermost loop, has read, to its read of them.

    Not those of arrays that are written: what the instance before has read may be another value.
    """
    before, found = predecessor(statement), dict[int, int]()
    for number, read in enumerate(statement.reads):
        wanted = read.relation.intersect_domain(statement.domain).intersect_domain(before.domain())
        if read.array in {statement.write.array, *written} or wanted.is_empty():
            continue
        others = (k for k, other in enumerate(statement.reads) if other.array == read.array)
        sources = [k for k in others if wanted.is_subset(before.apply_range(statement.reads[k].relation))]
        if sources:
            found[number] = sources[0]
    return found


def predecessor(statement: Statement) -> isl.Map:
    """Each instance and the one before it along the innermost loop."""
    names = ", ".join(statement.iterators)
    *outer, inner = statement.iterators
    moved = ", ".join((*outer, f"{inner} - 1"))
    step = isl.Map.read_from_str(
        statement.domain.get_ctx(), f"{{ {statement.name}[{names}] -> {statement.name}[{moved}] }}"
    )
    return step.intersect_domain(statement.domain).intersect_range(statement.domain)


def main() -> None:
    """Print the cycles of all statements in loops."""
    for kernel in map(ls.parse, map(Path, sys.argv[1:])) if sys.argv[1:] else (figure_5_12(),):
        written = {statement.write.array for statement in kernel.statements}
        for statement in kernel.statements:
            if statement.iterators:
                found = cycles(statement, written)
                text = (
                    f"{found.unoptimised} cycles, {found.optimised} with registers, {found.first} where a loop begins"
                )
                print(f"{kernel.name} {statement.name}: {text}")


if __name__ == "__main__":
    main()
