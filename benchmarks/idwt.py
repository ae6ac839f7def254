"""The variants of the 2-D inverse wavelet transform of Devos, Tables 3.5, 3.6 and B.1, published and ours.

    python benchmarks/idwt.py        takes a few minutes of processor time

Each variant is the kernel `idwt/idwt.c` (the program of Figure 3.22, three levels) after a script of `idwt/`; it is
checked for legality, and run as compiled C in both styles against the original at 72 x 88 pixels. Columns are
published/ours.

Steps: how URUK counts is not told; ours treat the statements of a loop together. Lines: loops, conditions, closing
braces and one line per statement; `compact` compares with CLooG's `-f -1`, `separated` with `-f 1`. Neither the source
nor the generated programs of the thesis are known. Where the parts to separate are too many for our limit, isl's own
separation takes over, which overlooks some bounds: conditions remain then, and programs are shorter.

Reuse distances: the thesis measures with SLO, which counts an access of A[i][j] as two, one of a row pointer A[i] and
one of the element. Ours count both too (the second table shows elements alone). SLO also sees the coefficients and the
accumulation of sums, which make no long distances; in our C coefficients are constants. So Table B.1, which counts
misses of caches of 2^i - 1 elements, compares from i = 6 on, where these are over. Exits with 1 where a variant is
illegal or wrong, or where for some distance it has fewer reuses than RC in one of the two and not in the other.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import published

import loadstone as ls
from loadstone.analysis import Dependences, dependences
from loadstone.emit.c.printer import emit_kernel, emit_loops
from loadstone.locality import Profile, exceeding, measure, order_of
from loadstone.loops.transformed import Style, program_loops
from loadstone.model.expression import Expression, Operand, binary, rebuilt
from loadstone.model.kernel import Access, Array, Kernel, Statement
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.poly.spaces import Dim
from loadstone.simulate.memory import copied, initial_memory, live_out_arrays, mismatches
from loadstone.simulate.programs.compiled import CompiledKernel, compile_original
from loadstone.simulate.programs.compiled import Sources as Files
from loadstone.transfer.volumes import count
from loadstone.transform.legality import program_violation
from loadstone.transform.program import Program, program_of
from loadstone.transform.script import read_script

FOLDER = Path(__file__).parent / "idwt"
IMAGE = {"r": 9, "c": 11}
EXPONENTS = (9, 11, 13, 14)
SEPARATION_LIMIT = 400_000_000


class Published(NamedTuple):
    """A row of Table 3.6: steps, lines of C with `-f 1` and `-f -1`, reuses with distances greater than 2^9 to 2^14."""

    steps: int
    separated: int
    compact: int
    distances: tuple[int, ...]


def published_row(row: published.Row) -> Published:
    """A row of Table 3.6."""
    distances = tuple(row[f"rd_gt_2_{exponent}"] for exponent in EXPONENTS)
    return Published(row["elementary_steps"], row["lines_f_1"], row["lines_f_minus_1"], distances)


PUBLISHED = {name: published_row(row) for name, row in published.table("devos_3", "table_3_6").items()}
MISSES = published.table("devos_3", "table_b_1")
"""Table B.1: misses of a cache of 2^i - 1 elements, by i and variant."""
COMPARABLE = 6
"""The first i for which Table B.1 compares: coefficients and sums are reused in between."""
STEPS = published.table("devos_3", "table_3_5")
SEQUENCES = {
    "rc2lb": ("lb", None),
    "tile_v": ("rc_v", None),
    "tile_h": ("rc_h", None),
    "overlap": ("rc_v_overlap", "rc_v"),
}
"""The scripts of primary sequences: a variant, without the steps of another one."""
OVERLAPPING = ("rc_v_overlap", "rc_h_overlap", "lb_v_overlap")


class Code(NamedTuple):
    """The C of a variant, and the lines of its loops, one for each statement in them."""

    text: str
    lines: int


class Row(NamedTuple):
    """A variant: its steps, code by style (None: takes more than the limit), reuses, instances, whether it is right."""

    name: str
    steps: int
    compact: Code | None
    separated: Code | None
    distances: tuple[int, ...]
    misses: tuple[int, ...]
    elements: tuple[int, ...]
    instances: int
    right: bool


def variant(kernel: Kernel, name: str) -> tuple[Program, int]:
    """The program of a variant, and the number of steps to it."""
    program, steps = program_of(kernel), () if name == "rc" else read_script(FOLDER / f"{name}.steps")
    for step in steps:
        program = step.step.applied(program)
    return program, len(steps)


def row_of(kernel: Kernel, known: Dependences, name: str) -> Row:
    """All numbers of a variant."""
    program, steps = variant(kernel, name)
    compact, separated = code_of(program, "compact"), code_of(program, "separated")
    with_rows = measure(order_of(with_row_pointers(program.kernel)), IMAGE)
    return Row(
        name,
        steps,
        compact,
        separated,
        long_reuses(with_rows),
        misses_of(with_rows),
        long_reuses(measure(order_of(program.kernel), IMAGE)),
        sum(count(statement.domain, IMAGE) for statement in program.kernel.statements),
        program_violation(program, known) is None and all(is_right(program, c.text) for c in (compact, separated) if c),
    )


def code_of(program: Program, style: Style) -> Code | None:
    """The C of a variant; None where it takes more than the limit."""
    try:
        with operation_limit(SEPARATION_LIMIT):
            loops = program_loops(program, style)
            lines = emit_loops(loops, lambda leaf: [leaf.statement])
            return Code(emit_kernel(program.kernel, loops, program.base.name), len(lines))
    except LimitReached:
        return None


def long_reuses(profile: Profile) -> tuple[int, ...]:
    """The numbers of reuses with a distance greater than 2^9, 2^11, 2^13 and 2^14."""
    return tuple(exceeding(profile, 2**exponent) for exponent in EXPONENTS)


def misses_of(profile: Profile) -> tuple[int, ...]:
    """The reuses that miss in caches of 2^i - 1 elements, first accesses not counted."""
    return tuple(exceeding(profile, 2**exponent - 2) for exponent in MISSES)


def kinds_of(sequence: str) -> list[str]:
    """The kinds of the steps of a primary sequence, in the order in which they first appear."""
    name, without = SEQUENCES[sequence]
    steps = read_script(FOLDER / f"{name}.steps")
    skipped = len(read_script(FOLDER / f"{without}.steps")) if without else 0
    return list(dict.fromkeys(type(step.step).__name__ for step in steps[skipped:]))


def printed_order(sequence: str) -> list[str]:
    """The kinds of the steps of a primary sequence in the order of Table 3.5; brackets mark unnecessary ones."""
    row = STEPS[sequence]
    places = [(number, kind) for kind, text in row.items() if kind != "sequence" and text for number in text.split(",")]
    ordered = sorted(places, key=lambda place: int(place[0].strip("()")))
    return [f"({kind})" if number.startswith("(") else kind for number, kind in ordered]


def with_row_pointers(kernel: Kernel) -> Kernel:
    """The kernel with a read of a row pointer before each access of an element, as SLO counts."""
    rows = {pointer.name: pointer for pointer in map(row_pointers, kernel.arrays.values())}
    return replace(
        kernel, arrays={**kernel.arrays, **rows}, statements=tuple(map(reading_row_pointers, kernel.statements))
    )


def row_pointers(array: Array) -> Array:
    """The array of the row pointers of an array."""
    return replace(array, name=f"rows_{array.name}", extents=array.extents[:1], initialised=True, live_out=False)


def reading_row_pointers(statement: Statement) -> Statement:
    """The statement with a read of a row pointer before each of its accesses."""
    reads = tuple(part for read in statement.reads for part in (row_pointer(read), read))

    def changed(part: Expression) -> Expression:
        if isinstance(part, Operand):
            pointer, element = (replace(part, position=2 * part.position + k) for k in (0, 1))
            return binary("+", pointer, element)
        return rebuilt(part, changed)

    value = binary("+", changed(statement.value), Operand(len(reads), statement.value.type))
    return replace(statement, reads=(*reads, row_pointer(statement.write)), value=value)


def row_pointer(access: Access) -> Access:
    """The access of the row pointer of an element."""
    name = f"rows_{access.array}"
    relation = access.relation.project_out(Dim.out, 1, 1).set_tuple_name(Dim.out, name)
    return replace(access, array=name, subscripts=access.subscripts[:1], relation=relation)


def is_right(program: Program, code: str) -> bool:
    """Whether the C of a variant computes what the original does."""
    base = program.base
    start = initial_memory(base, IMAGE)
    expected, actual = copied(start), copied(start)
    compile_original(base).run(IMAGE, expected)
    files = Files({"kernel.c": f"{code}\n{entry_of(base)}"}, ["kernel.c"], ("-std=gnu11", "-O1", "-w"))
    CompiledKernel(base, files, "entry").run(IMAGE, actual)
    return not mismatches(expected, actual, live_out_arrays(base))


def entry_of(kernel: Kernel) -> str:
    """A C function that calls the kernel with the arrays and parameters that it finds in two vectors."""
    values = [f"values[{k}]" for k in range(len(kernel.parameters))]
    arrays = [f"arrays[{k}]" for k, array in enumerate(kernel.arrays.values()) if array.initialised or array.live_out]
    arguments = ", ".join((*values, *arrays))
    return f"void entry(void **arrays, long long *values, long *words) {{ {kernel.name}({arguments}); }}\n"


def agrees(row: Row, original: Row) -> bool:
    """Whether the variant has fewer reuses than RC for the same distances as published."""
    published = zip(PUBLISHED[row.name].distances, PUBLISHED["rc"].distances, strict=True)
    ours = zip(row.distances, original.distances, strict=True)
    return all((p < q) == (a < b) for (p, q), (a, b) in zip(published, ours, strict=True))


def pair(published: int, ours: int | str) -> str:
    return f"{published}/{ours}"


def lines(code: Code | None) -> str:
    return "-" if code is None else str(code.lines)


def print_table(rows: list[Row]) -> None:
    """Table 3.6, published and ours."""
    heads = "".join(f"{f'> 2^{exponent}':>14}" for exponent in EXPONENTS)
    print(f"{'variant':8}{'steps':>8}{'compact':>9}{'separated':>11}{heads}")
    for row in rows:
        known = PUBLISHED[row.name]
        print(f"{row.name:8}{pair(known.steps, row.steps):>8}{pair(known.compact, lines(row.compact)):>9}", end="")
        print(f"{pair(known.separated, lines(row.separated)):>11}", end="")
        print("".join(f"{pair(*numbers):>14}" for numbers in zip(known.distances, row.distances, strict=True)))


def print_sequences() -> None:
    """Table 3.5, published and ours."""
    print("\nTable 3.5, steps in order")
    for name in STEPS:
        print(f"{name:8} published: {', '.join(printed_order(name))}\n{'':8} ours:      {', '.join(kinds_of(name))}")


def print_misses(rows: list[Row]) -> None:
    """Table B.1, published and ours."""
    print("\nTable B.1, misses of a cache of 2^i - 1 elements, published/ours")
    print(f"{'i':>2}" + "".join(f"{row.name:>15}" for row in rows))
    for position, (exponent, known) in enumerate(MISSES.items()):
        print(f"{exponent:2}" + "".join(f"{pair(known[row.name], row.misses[position]):>15}" for row in rows))


def print_elements(rows: list[Row], original: Row) -> None:
    """Ours, row pointers not counted, and what overlapping stripes compute more than once."""
    heads = "".join(f"{f'> 2^{exponent}':>8}" for exponent in EXPONENTS)
    print(f"{'variant':14}{'steps':>6}{'compact':>8}{heads}{'instances':>11}{'twice':>7}")
    for row in rows:
        print(f"{row.name:14}{row.steps:6}{lines(row.compact):>8}", end="")
        print("".join(f"{number:8}" for number in row.elements), end="")
        print(f"{row.instances:11}{row.instances - original.instances:7}{'' if row.right else '  WRONG'}")


def main() -> int:
    """Print the tables and judge them."""
    start = time.perf_counter()
    kernel = ls.parse(FOLDER / "idwt.c")
    known = dependences(kernel)
    rows = [row_of(kernel, known, name) for name in (*PUBLISHED, *OVERLAPPING)]
    named = [row for row in rows if row.name in PUBLISHED]
    print("published/ours, 72 x 88 pixels, 3 levels")
    print_table(named)
    print_sequences()
    print_misses(named)
    print("\nours, row pointers not counted")
    print_elements(rows, rows[0])
    skipped = [row.name for row in rows if row.compact is None or row.separated is None]
    print(f"\nskipped, because they take more than {SEPARATION_LIMIT} operations: {', '.join(skipped) or 'none'}")
    different = [row.name for row in named if not agrees(row, rows[0])]
    wrong = [row.name for row in rows if not row.right]
    print(f"more or fewer reuses than RC for other distances than published: {', '.join(different) or 'none'}")
    print(f"illegal, or different from the original: {', '.join(wrong) or 'none'}")
    print(f"{time.perf_counter() - start:.0f} s")
    return 1 if different or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
