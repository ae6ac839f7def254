"""Long conditions and bounds have names in HLS C++."""

from __future__ import annotations

from functools import reduce

from loadstone.emit.c.code import PLAIN, Block, Text
from loadstone.emit.c.loops.long_conditions import LONGEST, named_head, named_test, unnested
from loadstone.emit.c.printer import LoopCode
from loadstone.loops.model import For, If, Instance
from loadstone.model.expression import Binary, Expression, Variable, integer
from loadstone.model.types import INT

TILE, X = Variable("a_rather_long_name_of_a_tile", INT), Variable("x", INT)
FALSE = Binary("==", integer(1), integer(0), INT)


def compared(op: str, number: int) -> Expression:
    return Binary(op, TILE, integer(number), INT)


def chain(op: str, terms: list[Expression]) -> Expression:
    return reduce(lambda one, other: Binary(op, one, other, INT), terms)


def test_alternatives_have_names() -> None:
    condition = chain("||", [compared("==", 1), FALSE, compared("==", 20), compared(">=", 300), compared("==", 7)])
    tree = If(condition, Instance("S", ()), Instance("T", ()))
    body = LoopCode(lambda leaf: (Text(f"{leaf.statement};"),), test=named_test).code(tree)
    assert list(PLAIN.lines(body)) == [
        "{",
        "  const bool guard_1 = a_rather_long_name_of_a_tile == 1;",
        "  const bool guard_2 = a_rather_long_name_of_a_tile == 20;",
        "  const bool guard_3 = a_rather_long_name_of_a_tile >= 300;",
        "  const bool guard_4 = a_rather_long_name_of_a_tile == 7;",
        *("  if (guard_1 || guard_2 || guard_3 || guard_4) {", "    S;", "  }"),
        *("  else {", "    T;", "  }", "}"),
    ]


def test_short_conditions_stay() -> None:
    assert named_test(chain("||", [compared("==", 1), compared("==", 2)])) == (
        (),
        Text("a_rather_long_name_of_a_tile == 1 || a_rather_long_name_of_a_tile == 2", frozenset({TILE.name})),
    )


def test_bounds_have_names_in_the_braces_around() -> None:
    bound = chain("min", [Binary("+", TILE, integer(number), INT) for number in range(5)])
    loop = For("x", bound, Binary("<=", X, bound, INT), integer(1), Instance("S", ()))
    tree = For("y", integer(0), Binary("<", Variable("y", INT), integer(3), INT), integer(1), loop)
    lines = list(PLAIN.lines(unnested(LoopCode(lambda _: (Text("S;"),), head=named_head).code(tree))))
    assert lines[0] == "for (int y = 0; y < 3; y++) {"
    assert [line.strip().split(" = ")[0] for line in lines[1:4]] == [
        "const int loop_first",
        "const int loop_last",
        "for (int x",
    ]
    assert lines[3] == "  for (int x = loop_first; x <= loop_last; x++) {"
    assert max(map(len, lines[3:])) < LONGEST


def test_braces_that_a_scope_needs_stay() -> None:
    inner = Block(Text(""), (Text("int x;"),))
    assert unnested((Block(Text("if (a)"), (Text("b;"), inner)),)) == (Block(Text("if (a)"), (Text("b;"), inner)),)
