"""Items of Devos' thesis, chapter 4 and appendices C, D and E."""

from __future__ import annotations

from collections.abc import Callable

import bounds
import published

from documents.items import Finding, Item, tested
from loadstone.counting.cardinality import number_of_points

DEVOS = "Devos"
SMALL, LARGE = 64, 512
BOUNDS, THESIS, COUNTING = (f"tests/counting/test_{name}.py::" for name in ("bounds", "thesis", "counting"))
QUICK = ("4.6a", "4.6b", "4.7a", "4.7b", "4.11a", "4.12a")
FURTHER = ("4.13a",)
"""Tables with a method that is less accurate than printed."""
REASONS = {
    "4.6b": "the printed minimum is 100; (1, -1) is the reversal of (-1, 1) and needs 99",
    "4.7b": "the printed minimum is 100; (1, -1) is the reversal of (-1, 1) and needs 99",
    "4.10a": "the printed maxima count C twice: more than all elements there are",
    "4.10b": "the printed maxima count C twice: more than all elements there are",
    "4.10c": "5,600 schedules, two and a half hours of processor time: found if it is named",
    "4.11b": "the printed minimum is 100; (1, -1) is the reversal of (-1, 1) and needs 99",
    "4.13a": "minimum and maximum of Poly Approx are those printed, and in 4.13c its distance too; 10.81 does not fit",
    "4.12b": "the printed minimum is 100; (1, -1) is the reversal of (-1, 1) and needs 99",
}


def finder(name: str) -> Callable[[], Finding]:
    """How the rows of a table of schedules are found."""

    def find() -> Finding:
        table = bounds.TABLES[name]
        rows = bounds.rows_of(name)
        exact, others = rows[0], rows[1:]
        known = (
            f"{exact.printed[0]:g} to {exact.printed[1]:g}; rmse {'/'.join(f'{row.printed[2]:g}' for row in others)}"
        )
        ours = f"{exact.least:g} to {exact.most:g}; rmse {'/'.join(f'{row.halved:.2f}' for row in others)}"
        return Finding(known, ours, "reproduced" if bounds.is_right(table, rows) else "partly")

    return find


def chambers() -> Finding:
    """The chambers of Table 4.7a, by their numbers of points."""
    table = bounds.TABLES["4.7a"]
    counts = [bounds.count_of(table, each, approximate=False) for each in range(len(bounds.schedules_of(table)))]
    sizes = [number_of_points(piece.domain) or 0 for pieces in counts for piece in pieces]
    small, large = [size for size in sizes if size < SMALL], [size for size in sizes if size > LARGE]
    known = published.table("devos_4", "chambers")["4.7a"]
    text = "{} chambers, {} below 64 points ({}), {} above 512 ({})"
    ours = text.format(len(sizes), len(small), sum(small), len(large), sum(large))
    return Finding(text.format(*(value for column, value in known.items() if column != "table")), ours, "partly")


TABLES = tuple(
    Item(
        name,
        DEVOS,
        f"Table {name}: memory of schedules; rmse of six methods",
        f"python benchmarks/bounds.py {name}",
        finder(name),
        reason=REASONS.get(name, ""),
        status="partly" if name in FURTHER else "reproduced",
        quick=name in QUICK,
        slow=bounds.TABLES[name].slow,
    )
    for name in bounds.TABLES
)
ITEMS: tuple[Item, ...] = (
    tested("4.1", DEVOS, "equation 4.6: live elements in the order i + 3j", "75", COUNTING + "test_equation_4_6"),
    tested(
        "4.4",
        DEVOS,
        "equations 4.4 and 4.5: periodic numbers",
        "[0, 5/6, 2/3, 1/2, 1/3, 7/6]_n",
        THESIS + "test_periodic_numbers",
        THESIS + "test_the_periodic_number_of_the_thesis",
    ),
    tested("4.2 figure", DEVOS, "Figure 4.2: Bernstein bounds", "5, 3, 4", BOUNDS + "test_figure_4_2"),
    tested("4.1a", DEVOS, "Table 4.1(a), theorems 4 and 5: MRE", "36 values", BOUNDS + "test_table_4_1_a"),
    tested("4.1b", DEVOS, "Table 4.1(b), equation 4.14: K - 1", "68 values", BOUNDS + "test_table_4_1_b"),
    tested("4.2", DEVOS, "Table 4.2, Example 7: errors in two variables", "18 values", BOUNDS + "test_table_4_2"),
    tested("4.3", DEVOS, "Table 4.3: Rivlin's bound", "6 rows", BOUNDS + "test_table_4_3"),
    tested(
        "4.4 methods",
        DEVOS,
        "Table 4.4 and 4.6.3: seven methods",
        "7 methods",
        BOUNDS + "test_bounds_on_random_functions_hold",
        BOUNDS + "test_drop_fractions_example",
    ),
    tested(
        "4.5",
        DEVOS,
        "Table 4.5: Examples 8 to 11",
        "16 values",
        BOUNDS + "test_table_4_5",
        BOUNDS + "test_table_4_5_exact",
        BOUNDS + "test_bernstein_values_of_example_10",
        reason="Example 10 is garbled in the text; its values fix it",
    ),
    tested(
        "4.6.2",
        DEVOS,
        "a choice for each fraction",
        "stated",
        THESIS + "test_each_fraction_is_treated_on_its_own",
    ),
    *TABLES,
    Item(
        "4.8 chambers",
        DEVOS,
        "chambers of Table 4.7a",
        "python benchmarks/papers.py --only '4.8 chambers'",
        chambers,
        status="partly",
        reason="isl merges neighbouring chambers with the same polynomial; the large ones are the same",
        quick=True,
    ),
    tested("C.1", DEVOS, "Table C.1: chambers", "3 chambers", THESIS + "test_table_c_1"),
    tested(
        "C", DEVOS, "Appendix C: Bernstein expansion of p x y", "p (11 - p)^2 / 2", BOUNDS + "test_appendix_c_example"
    ),
    tested(
        "D",
        DEVOS,
        "Appendix D, 4.5.1: cubics with the largest error",
        "2 families",
        THESIS + "test_extremal_cubics_reach_the_maximal_relative_error",
        THESIS + "test_no_cubic_exceeds_the_maximal_relative_error",
        reason="x^3 + b x^2 + c x, where the text once prints c; the limit of the second case is 3/(8k^2)",
    ),
    tested(
        "E",
        DEVOS,
        "Appendix E: methods as options",
        "6 options",
        BOUNDS + "test_command_line_methods",
    ),
)
