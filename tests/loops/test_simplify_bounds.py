"""Simplified loop trees run the same instances in the same order, and divide by powers of two only where they can."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from itertools import product
from pathlib import Path
from typing import Literal

import islpy as isl
import pytest

import loadstone as ls
from kernels import EXAMPLES, random_kernel, tiny_parameters
from loadstone.emit.c.printer import emit_expression, emit_loops
from loadstone.loops import Block, For, If, Instance, Node, generate
from loadstone.loops import facts as known
from loadstone.loops.candidates import needed_terms
from loadstone.loops.division import divisions, is_power_of_two, readable, tree_cost, without_division
from loadstone.loops.model import walk
from loadstone.loops.simplify import simplified
from loadstone.model.expression import Binary, Cast, Constant, Expression, Select, Unary, Variable, integer, substituted
from loadstone.model.from_isl import from_ast
from loadstone.model.kernel import Kernel, union_of_maps
from loadstone.model.types import INT
from loadstone.poly.spaces import Dim
from loadstone.transform.loop_names import StepError
from loadstone.transform.program import Program, program_of
from loadstone.transform.script import parse_script
from loadstone.transform.tiling import TiledKernel, Tiling, requested, tiled
from tilings import example_tilings

Option = Literal["atomic", "separate"] | None
Trace = list[tuple[object, ...]]
OPTIONS: tuple[Option, ...] = (None, "atomic", "separate")
TILED = ("devos_3_19", "matmul", "jacobi-1d", "floyd-warshall", "polymul", "fdtd-2d")
POSITIVE = isl.Set("[N, M] -> { : N >= 1 and M >= 1 }")
ALL = isl.Set("[N, M] -> { : }")
VI, VJ, N, M = (Variable(name, INT) for name in "ijNM")

# --- Running loop trees -----------------------------------------------------------------------------------------------


def truncated(dividend: int, divisor: int) -> int:
    return abs(dividend) // divisor * (1 if dividend >= 0 else -1)


def remainder(dividend: int, divisor: int) -> int:
    return dividend - divisor * truncated(dividend, divisor)


def python(expression: Expression) -> str:
    """The expression as Python; C's `/` and `%` become calls."""
    match expression:
        case Constant(value=value):
            return f"({value})"
        case Variable(name=name):
            return name
        case Unary(op=op, operand=operand):
            return f"({'not ' if op == '!' else op}{python(operand)})"
        case Cast(operand=operand):
            return python(operand)
        case Select(condition=condition, then=then, otherwise=otherwise):
            return f"({python(then)} if {python(condition)} else {python(otherwise)})"
        case Binary(op="min" | "max" | "/" | "%" as op, left=left, right=right):
            return f"{ {'/': 'truncated', '%': 'remainder'}.get(op, op) }({python(left)}, {python(right)})".strip()
        case Binary(op=op, left=left, right=right):
            spelled = {"floordiv": "//", "mod": "%", "&&": "and", "||": "or"}.get(op, op)
            return f"({python(left)} {spelled} {python(right)})"
        case _:
            raise AssertionError(f"{expression} is not in loop trees")


def python_lines(node: Node) -> list[str]:
    match node:
        case For(iterator=iterator, body=body):
            inside = [*python_lines(body), f"{iterator} += {python(node.step)}"]
            return [f"{iterator} = {python(node.start)}", f"while {python(node.condition)}:", *indented(inside)]
        case If(condition=condition, then=then, otherwise=otherwise):
            rest = [] if otherwise is None else ["else:", *indented(python_lines(otherwise))]
            return [f"if {python(condition)}:", *indented(python_lines(then)), *rest]
        case Block(items=items):
            return [line for item in items for line in python_lines(item)] or ["pass"]
        case Instance(statement=statement, arguments=arguments):
            return [f"trace.append(({statement!r}, {', '.join(map(python, arguments))}))"]


def indented(lines: Sequence[str]) -> list[str]:
    return [f" {line}" for line in lines]


def runner(node: Node, parameters: Sequence[str]) -> Callable[..., Trace]:
    """A function of the parameters that returns the instances that a tree executes, in order."""
    body = indented(["trace = []", *python_lines(node), "return trace"])
    scope: dict[str, Callable[..., Trace]] = {}
    exec("\n".join([f"def run({', '.join(parameters)}):", *body]), {**globals()}, scope)
    return scope["run"]


def function(body: str) -> Callable[[int, int], int]:
    """An expression of Python as a function of N and M."""
    return eval(f"lambda N, M: {body}", {**globals()})


def check_same(before: Node, after: Node, values: Iterator[dict[str, int]]) -> int:
    """Compare the traces of two trees for some parameters; returns how many instances there were."""
    rows = list(values)
    first, second = (runner(tree, list(rows[0]) if rows else ()) for tree in (before, after))
    total = 0
    for row in rows:
        expected = first(**row)
        assert second(**row) == expected, row
        total += len(expected)
    return total


def box(most_n: int, most_m: int, least: int = 1) -> Iterator[dict[str, int]]:
    return ({"N": n, "M": m} for n, m in product(range(least, most_n + 1), range(least, most_m + 1)))


def only_shifts(node: Node) -> bool:
    return all(map(is_power_of_two, divisions(node)))


def text(node: Node) -> str:
    def instance(leaf: Instance) -> list[str]:
        return [f"{leaf.statement}({', '.join(map(emit_expression, leaf.arguments))});"]

    return "\n".join(emit_loops(node, instance))


# --- Figures 5.14 and 5.15 of Devos -----------------------------------------------------------------------------------


def affine(constant: int, **factors: int) -> Expression:
    terms = (Binary("*", integer(factor), Variable(name, INT), INT) for name, factor in factors.items())
    return reduce(lambda total, term: Binary("+", total, term, INT), terms, integer(constant))


def floor(value: Expression, divisor: int) -> Expression:
    return Binary("floordiv", value, integer(divisor), INT)


def ceiling(value: Expression, divisor: int) -> Expression:
    return Unary("-", floor(Unary("-", value, INT), divisor), INT)


def chain(op: str, *operands: Expression) -> Expression:
    return reduce(lambda left, right: Binary(op, left, right, INT), operands)


def loop(iterator: str, start: Expression, last: Expression, body: Node) -> For:
    return For(iterator, start, Binary("<=", Variable(iterator, INT), last, INT), integer(1), body)


S = Instance("S", (VI, VJ))
FIGURE_5_14 = loop(
    "i",
    integer(0),
    floor(affine(39, N=8), 8),
    loop(
        "j",
        chain("max", integer(0), ceiling(affine(-2, i=-1), 7), ceiling(affine(0, i=-1), 3)),
        chain("min", floor(affine(-5, i=1, M=7), 7), floor(affine(-1, M=4), 4), floor(affine(-3, i=1, M=3), 3)),
        S,
    ),
)
FIGURE_5_15 = loop(
    "i",
    integer(0),
    floor(affine(63, N=8), 32),
    loop(
        "j",
        chain(
            "max",
            integer(0),
            ceiling(affine(-44, i=60, N=-15), 68),
            ceiling(affine(-975, i=512, N=-128), 16),
            ceiling(affine(-27, i=-32), 4),
            ceiling(affine(-20, i=28, N=-7), 36),
        ),
        chain(
            "min", floor(affine(36, i=24, M=5), 20), floor(affine(224, i=136, M=31), 124), floor(affine(47, M=4), 16)
        ),
        S,
    ),
)
AFTER_5_14 = """\
for (int i = 0; i <= N + 4; i++) {
  for (int j = 0; j < M; j++) {
    S(i, j);
  }
}"""
AFTER_5_15 = """\
for (int i = 0; i <= (N + 7) / 4; i++) {
  for (int j = N + 2 >= 4 * i ? 0 : 1; j <= (i == 0 ? (M + 7) / 4 : (M + 11) / 4); j++) {
    S(i, j);
  }
}"""


def test_figure_5_14() -> None:
    assert divisions(FIGURE_5_14) == (3, 4, 7, 8)
    for context, least in ((POSITIVE, 1), (ALL, -9)):
        result = simplified(FIGURE_5_14, context)
        assert text(result) == AFTER_5_14
        assert check_same(FIGURE_5_14, result, box(20, 20, least)) > 0


def test_figure_5_15() -> None:
    """The bounds of Figure 5.15(b) without the branch that is never taken; 2 + floor((M-1)/4) is floor((M+7)/4)."""
    assert divisions(FIGURE_5_15) == (4, 16, 20, 32, 36, 68, 124)
    result = simplified(FIGURE_5_15, POSITIVE)
    assert text(result) == AFTER_5_15
    assert divisions(result) == (4,)
    assert check_same(FIGURE_5_15, result, box(79, 59)) > 100_000


def test_figure_5_15_without_context() -> None:
    result = simplified(FIGURE_5_15, ALL)
    assert divisions(result) == (4,)
    assert check_same(FIGURE_5_15, result, box(25, 25, -25)) > 0


@pytest.mark.parametrize("figure", [FIGURE_5_14, FIGURE_5_15])
def test_a_reached_limit_leaves_the_tree(figure: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known, "QUESTION_LIMIT", 1)
    assert divisions(simplified(figure, POSITIVE)) == divisions(figure)


@pytest.mark.parametrize("limit", [100, 1_000, 5_000, 20_000])
def test_limits_on_the_way_are_safe(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known, "QUESTION_LIMIT", limit)
    check_same(FIGURE_5_15, simplified(FIGURE_5_15, POSITIVE), box(17, 17))


# --- The equations of Table 5.4 ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected", "wanted"),
    [
        ("floor((8N + 39)/8)", "N + 4", "(8 * N + 39) // 8"),
        ("floor((4M + 47)/16)", "floord(M + 11, 4)", "(4 * M + 47) // 16"),
        ("-floor((20 - 12N)/36)", "floord(N + 1, 3)", "-((20 - 12 * N) // 36)"),
        ("floor((6N + 3)/4) + 5", "N + floord(N + 11, 2)", "(6 * N + 3) // 4 + 5"),
        ("2 - floor((3 - N)/8)", "floord(N + 20, 8)", "2 - (3 - N) // 8"),
    ],
)
def test_divisions_in_lowest_terms(value: str, expected: str, wanted: str) -> None:
    """Equations (5.1) and (5.2), and constants inside of floors."""
    ((_, piece),) = isl.PwAff(f"[N, M] -> {{ [({value})] }}").get_pieces()
    result = readable(piece)
    assert emit_expression(result) == expected
    found, right = function(python(result)), function(wanted)
    assert all(found(n, m) == right(n, m) for n in range(-40, 40) for m in range(-40, 40))


@pytest.mark.parametrize("op", ["<", "<=", ">", ">="])
@pytest.mark.parametrize("rounded", [floor, ceiling])
@pytest.mark.parametrize("mirrored", [False, True])
def test_comparisons_lose_their_division(
    op: str, rounded: Callable[[Expression, int], Expression], mirrored: bool
) -> None:
    """Equations (5.7) and (5.8), their negations, and what follows with the right form of (5.9)."""
    left, right = (M, rounded(N, 3)) if mirrored else (rounded(N, 3), M)
    before = Binary(op, left, right, INT)
    after = without_division(before)
    assert "floordiv" not in repr(after)
    first, second = function(python(before)), function(python(after))
    assert all(first(n, m) == second(n, m) for n in range(-20, 20) for m in range(-8, 8))


def test_terms_that_never_decide() -> None:
    """Equations (5.5) and (5.6): a term goes exactly if it never decides."""
    where = isl.Set("[i, N] -> { : 0 <= i <= N }")
    zero, negative, positive = integer(0), ceiling(affine(-2, i=-1), 7), ceiling(affine(0, i=1), 7)
    assert needed_terms("max", (zero, negative), where) == (zero,)
    assert needed_terms("max", (zero, positive), where) == (positive,)
    assert needed_terms("min", (zero, positive), where) == (zero,)
    assert needed_terms("min", (N, VI, affine(1, i=2)), where) == (VI,)
    assert needed_terms("max", (integer(3), VI), where) == (integer(3), VI)


# --- Trees ------------------------------------------------------------------------------------------------------------


def compared(left: Expression, op: str, right: Expression) -> Expression:
    return Binary(op, left, right, INT)


def test_what_never_runs_goes() -> None:
    never = loop("j", integer(1), integer(0), S)
    idle = loop("j", integer(0), N, If(compared(VJ, "<", integer(0)), S, None))
    always = If(compared(VI, ">=", integer(0)), Instance("A", (VI,)), Instance("B", (VI,)))
    tree = loop("i", integer(0), N, Block((never, idle, always)))
    assert text(simplified(tree, ALL)) == "for (int i = 0; i <= N; i++) {\n  A(i);\n}"
    assert simplified(idle, ALL) == Block(())


def test_only_an_else_branch_remains() -> None:
    idle = loop("j", integer(1), integer(0), S)
    tree = loop("i", integer(0), N, If(compared(floor(VI, 4), "<", M), idle, Instance("B", (VI,))))
    result = simplified(tree, POSITIVE)
    assert text(result) == "for (int i = 4 * M; i <= N; i++) {\n  B(i);\n}"
    assert check_same(tree, result, box(20, 6)) > 0


def test_what_is_not_affine_stays() -> None:
    square = Binary("*", VI, VI, INT)
    tree = loop("i", integer(0), floor(affine(39, N=8), 8), loop("j", integer(0), square, S))
    expected = "for (int i = 0; i <= N + 4; i++) {\n  for (int j = 0; j <= i * i; j++) {\n    S(i, j);\n  }\n}"
    assert text(simplified(tree, ALL)) == expected


def test_a_loop_may_hide_a_name() -> None:
    inner = loop("i", integer(5), integer(6), If(compared(VI, ">=", integer(5)), Instance("A", (VI,)), None))
    tree = loop("i", integer(0), integer(3), inner)
    assert text(simplified(inner, ALL)) == "for (int i = 5; i <= 6; i++) {\n  A(i);\n}"
    assert [leaf for leaf in walk(simplified(tree, ALL)) if isinstance(leaf, If)] != []


def test_strides_are_kept() -> None:
    step = replace(
        loop("i", integer(1), N, If(compared(VI, ">=", integer(2)), Instance("A", (VI,)), None)), step=integer(4)
    )
    result = simplified(step, ALL)
    assert check_same(step, result, box(30, 1, -3)) > 0


# --- Generated loops --------------------------------------------------------------------------------------------------


def check_kernel(kernel: Kernel, schedule: isl.UnionMap, option: Option) -> Node:
    """The simplified loops of a schedule, which do the same and cost no more."""
    tree = generate(schedule, kernel.context, option=option)
    result = simplified(tree, kernel.context)
    check_same(tree, result, tiny_parameters(kernel))
    assert tree_cost(result) <= tree_cost(tree)
    return result


def order_of(tiles: TiledKernel) -> isl.UnionMap:
    orders = (tiles.instance_to_order(statement.name) for statement in tiles.kernel.statements)
    return union_of_maps(tiles.kernel, (order.reset_tuple_id(Dim.out) for order in orders))


def binary_tiling(kernel: Kernel) -> TiledKernel:
    """A tiling with sizes that are powers of two, legal or not."""
    tiles = requested(kernel, kernel.tiling) if kernel.tiling else tiled(kernel, Tiling())
    return replace(tiles, sizes=tuple((4, 2, 8)[position % 3] for position in range(len(tiles.sizes))))


@pytest.mark.parametrize("path", EXAMPLES[::2], ids=lambda path: path.stem)
def test_examples(path: Path) -> None:
    kernel = ls.parse(path)
    for option in OPTIONS:
        assert only_shifts(check_kernel(kernel, kernel.schedule, option))


@pytest.mark.parametrize("path", [path for path in EXAMPLES if path.stem in TILED], ids=lambda path: path.stem)
def test_tiled_examples(path: Path) -> None:
    kernel = ls.parse(path)
    assert only_shifts(check_kernel(kernel, order_of(binary_tiling(kernel)), None))
    for tiles in example_tilings(kernel):
        check_kernel(kernel, order_of(tiles), "atomic")


@pytest.mark.sweep
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_all_tiled_examples(path: Path) -> None:
    kernel = ls.parse(path)
    for option in OPTIONS:
        assert only_shifts(check_kernel(kernel, order_of(binary_tiling(kernel)), option))
        for tiles in example_tilings(kernel):
            check_kernel(kernel, order_of(tiles), option)


# --- Random kernels, strip-mined by powers of two ---------------------------------------------------------------------


def in_binary(kernel: Kernel) -> bool:
    """Whether the source itself multiplies iterators and divides by powers of two only."""
    domains = " ".join(str(statement.domain) for statement in kernel.statements)
    numbers = re.findall(r"(\d+)(?=[A-Za-z(*])|mod (\d+)|/(\d+)", domains)
    return all(is_power_of_two(int(number)) for row in numbers for number in row if number)


def random_steps(program: Program, source: random.Random) -> list[str]:
    """Steps that skew, interchange and shift loops, and then strip-mine some by powers of two."""
    nested = [part for part in program.parts if len(part.loops) > 1]
    lines: list[str] = []
    for part in source.sample(nested, min(len(nested), 2)):
        first, second = (f"{part.name}.{found.name}" for found in source.sample(part.loops, 2))
        lines.append(
            source.choice((f"skew {first} by {second}", f"interchange {first} {second}", f"shift {first} by 3"))
        )
    loops = [f"{part.name}.{found.name}" for part in program.parts for found in part.loops]
    strips = source.sample(loops, min(len(loops), source.randint(1, 4)))
    return [*lines, *(f"strip-mine {name} by {source.choice((2, 4, 8))}" for name in strips)]


def transformed(kernel: Kernel, source: random.Random) -> Program:
    """The program after random steps that are possible; they need not be legal."""
    program = program_of(kernel)
    for step in parse_script("\n".join(random_steps(program, source))):
        try:
            program = step.step.applied(program)
        except StepError:
            continue
    return program


def check_random_kernel(seed: int, options: Sequence[Option]) -> None:
    kernel, _ = random_kernel(seed)
    program = transformed(kernel, random.Random(seed))
    for option in options:
        result = check_kernel(program.kernel, program.kernel.schedule, option)
        assert only_shifts(result) or not in_binary(kernel)


@pytest.mark.parametrize("seed", range(12))
def test_random_kernels(seed: int) -> None:
    check_random_kernel(seed, OPTIONS[seed % 3 :][:1])


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(12, 150))
def test_many_random_kernels(seed: int) -> None:
    check_random_kernel(seed, OPTIONS)


# --- Loops around convex hulls of strips ------------------------------------------------------------------------------


def random_strips(source: random.Random) -> str:
    """A union of strip-mined, shifted and skewed rectangles, as conditions on their strips (it, jt)."""
    pieces: list[str] = []
    for _ in range(source.randint(1, 2)):
        a, b = (source.choice((2, 4, 8)) for _ in range(2))
        i, j = f"i + {source.randint(0, 5)}", f"j + {source.choice((0, 0, 1))}i + {source.randint(0, 5)}"
        strips = f"{a}it <= {i} < {a}it + {a} and {b}jt <= {j} < {b}jt + {b}"
        pieces.append(f"(exists i, j: 0 <= i < N and 0 <= j < M and {strips})")
    return " or ".join(pieces)


def around_hull(condition: str) -> Node:
    """Loops over the convex hull of a set of strips, which divide by anything, around a test for the set itself."""
    exact = isl.Set(f"[N, M] -> {{ S[it, jt] : {condition} }}").intersect_params(POSITIVE)
    hull = isl.Set.from_basic_set(exact.polyhedral_hull())
    loops = generate(hull.identity().reset_tuple_id(Dim.out).to_union_map(), POSITIVE, ("it", "jt"))
    build = isl.AstBuild.from_context(isl.Set("[N, M, it, jt] -> { : N >= 1 and M >= 1 }"))
    test = from_ast(build.expr_from_set(isl.Set(f"[N, M, it, jt] -> {{ : {condition} }}")))
    return guarded(loops, test)


def guarded(node: Node, test: Expression) -> Node:
    match node:
        case For(body=body):
            return replace(node, body=guarded(body, test))
        case If(then=then):
            return replace(node, then=guarded(then, test))
        case Block(items=items):
            return Block(tuple(guarded(item, test) for item in items))
        case Instance(arguments=arguments):
            return If(substituted(test, dict(zip(("it", "jt"), arguments, strict=True))), node, None)


def check_hull(seed: int) -> tuple[Node, Node]:
    tree = around_hull(random_strips(random.Random(seed)))
    result = simplified(tree, POSITIVE)
    assert only_shifts(result)
    check_same(tree, result, box(13, 13))
    return tree, result


@pytest.mark.parametrize("seed", [7, 11, 23, 40, 48, 50, 98])
def test_bounds_of_hulls(seed: int) -> None:
    tree, result = check_hull(seed)
    assert not only_shifts(tree)
    assert tree_cost(result) < tree_cost(tree)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(100))
def test_bounds_of_many_hulls(seed: int) -> None:
    check_hull(seed)
