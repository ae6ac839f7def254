"""Lists that give arrays their values, as assignments.

int t[4] = {x, y};  ->  int t[4]; for (int t_0 = 0; t_0 < 4; t_0++) t[t_0] = 0; t[0] = x; t[1] = y;

Elements that a list leaves out are zero. A list that gives all elements needs no loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import prod

from pycparser import c_ast

from loadstone.errors import Span, refused
from loadstone.frontend import syntax
from loadstone.frontend.c.declarations import constant_number
from loadstone.frontend.c.trees import element, integer_declaration
from loadstone.model.types import INT

_Value = tuple[int, c_ast.Node]
"""The position of an element, row by row, and what it is set to."""


class Unlisted(Exception):
    """A list does not fit the array; `node` is the value that has no place."""

    def __init__(self, node: c_ast.Node) -> None:
        super().__init__()
        self.node = node


def initial_values(
    declared: c_ast.Decl, extents: Sequence[int], names: Mapping[str, int], span: Callable[[c_ast.Node], Span]
) -> Iterator[c_ast.Node]:
    """The statements that set an array to the values of its list; `names` are constants."""
    try:
        values = dict(_listed(declared.init, extents, names))
    except Unlisted as error:
        hint = "give values row by row, each row in braces of its own"
        raise refused("this value has no place in the array", span(error.node), hint) from None
    if len(values) < prod(extents):
        yield _zeros(declared, extents)
        values = {at: value for at, value in values.items() if constant_number(value, names) != 0}
    for at, value in values.items():
        yield _assigned(declared, _subscripts(at, extents, declared), value)


def completed(
    extents: tuple[syntax.Expr | None, ...], values: c_ast.Node | None, span: Span
) -> tuple[syntax.Expr | None, ...]:
    """The extents of `type name[] = {...}`, as long as its list, which names no elements."""
    if extents != (None,) or not isinstance(values, c_ast.InitList):
        return extents
    listed = values.exprs or ()
    if any(isinstance(value, c_ast.NamedInitializer) for value in listed):
        return extents
    return (syntax.Literal(len(listed), INT, str(len(listed)), span),)


def _listed(node: c_ast.Node, extents: Sequence[int], names: Mapping[str, int]) -> Iterator[_Value]:
    """The values of a list for an array; a row is given by a list of its own, or element by element."""
    if not isinstance(node, c_ast.InitList):
        raise Unlisted(node)
    at, row = 0, prod(extents[1:])
    for item in node.exprs or ():
        value = item
        if isinstance(item, c_ast.NamedInitializer):
            at, value = _designated(item, extents, names), item.expr
        if at >= prod(extents):
            raise Unlisted(value)
        if not isinstance(value, c_ast.InitList):
            yield at, value
            at += 1
        elif len(extents) == 1 or at % row:
            raise Unlisted(value)
        else:
            yield from ((at + place, each) for place, each in _listed(value, extents[1:], names))
            at += row


def _designated(item: c_ast.NamedInitializer, extents: Sequence[int], names: Mapping[str, int]) -> int:
    """The position of the first element that designators name."""
    places = [constant_number(getattr(place, "expr", None), names) for place in item.name]
    if len(places) > len(extents) or (len(places) > 1 and isinstance(item.expr, c_ast.InitList)):
        raise Unlisted(item.expr)
    at = 0
    for position, extent in enumerate(extents):
        place = places[position] if position < len(places) else 0
        if not isinstance(place, int) or not 0 <= place < extent:
            raise Unlisted(item.expr)
        at = at * extent + place
    return at


def _zeros(declared: c_ast.Decl, extents: Sequence[int]) -> c_ast.Node:
    """The loops that set all elements to zero."""
    names = [f"{declared.name}_{position}" for position in range(len(extents))]
    coord = declared.coord
    subscripts: list[c_ast.Node] = [c_ast.ID(name, coord) for name in names]
    loop: c_ast.Node = _assigned(declared, subscripts, c_ast.Constant("int", "0", coord))
    for name, extent in reversed(list(zip(names, extents, strict=True))):
        start = c_ast.DeclList([integer_declaration(name, c_ast.Constant("int", "0", coord), coord)], coord)
        limit = c_ast.Constant("int", str(extent), coord)
        condition = c_ast.BinaryOp("<", c_ast.ID(name, coord), limit, coord)
        loop = c_ast.For(start, condition, c_ast.UnaryOp("p++", c_ast.ID(name, coord), coord), loop, coord)
    return loop


def _subscripts(at: int, extents: Sequence[int], declared: c_ast.Decl) -> list[c_ast.Node]:
    found: list[c_ast.Node] = []
    for extent in reversed(extents):
        at, place = divmod(at, extent)
        found.insert(0, c_ast.Constant("int", str(place), declared.coord))
    return found


def _assigned(declared: c_ast.Decl, subscripts: list[c_ast.Node], value: c_ast.Node) -> c_ast.Assignment:
    coord = declared.coord
    return c_ast.Assignment("=", element(c_ast.ID(declared.name, coord), subscripts), value, coord)
