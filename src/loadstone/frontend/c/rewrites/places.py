"""Pointers replaced by what they point to: arrays, rows of arrays, elements and what follows them.

const int *row = a + i * m;  row[j]   ->  a[i * m + j]
int *p = &b[i][0];           p[j]     ->  b[i][j]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field

from pycparser import c_ast

from loadstone.errors import Span, refused
from loadstone.frontend.c.declarations import Environment, shape_of
from loadstone.frontend.c.trees import element, integer_declaration, mapped, names_used, renamed, subscripted, summands


@dataclass(frozen=True, slots=True)
class Place:
    """What a pointer points to: the elements of `base[subscripts]`, or that one where it is an address."""

    base: c_ast.Node
    subscripts: list[c_ast.Node]
    is_address: bool

    def fixed(self, fresh: Callable[[], str]) -> tuple[list[c_ast.Decl], Place]:
        """The declarations that note the values of subscripts, and the place by these values."""
        noted: list[c_ast.Decl] = []
        subscripts: list[c_ast.Node] = []
        for subscript in self.subscripts:
            if isinstance(subscript, c_ast.Constant):
                subscripts.append(subscript)
            else:
                noted.append(integer_declaration(fresh(), subscript))
                subscripts.append(c_ast.ID(noted[-1].name, subscript.coord))
        return noted, Place(self.base, subscripts, self.is_address)

    def behind(self, offset: c_ast.Node) -> Place:
        """The place so many elements behind this one."""
        if not self.is_address:
            return Place(self.base, [*self.subscripts, offset], is_address=True)
        *rows, last = self.subscripts
        return Place(self.base, [*rows, c_ast.BinaryOp("+", last, offset, offset.coord)], is_address=True)


def place_of(pointer: c_ast.Node, environment: Environment, ranks: Mapping[str, int]) -> Place | None:
    """What an expression points to, if it is an array, a row, an address, or the sum of one and integers.

    `ranks` are the numbers of dimensions of variables.
    """
    while isinstance(pointer, c_ast.Cast) and shape_of(pointer.to_type.type, environment).extents:
        pointer = pointer.expr
    if isinstance(pointer, c_ast.BinaryOp):
        return _place_of_sum(pointer, environment, ranks)
    address = pointer.expr if isinstance(pointer, c_ast.UnaryOp) and pointer.op == "&" else None
    base, subscripts = subscripted(address or pointer)
    if not isinstance(base, c_ast.ID | c_ast.StructRef):
        return None
    return Place(base, subscripts, address is not None)


def _place_of_sum(pointer: c_ast.BinaryOp, environment: Environment, ranks: Mapping[str, int]) -> Place | None:
    """The place so many elements behind another one."""
    terms = list(summands(pointer))
    start = next((k for k, (sign, term) in enumerate(terms) if sign == "+" and _is_pointer(term, ranks)), None)
    place = None if start is None else place_of(terms.pop(start)[1], environment, ranks)
    if place is None or (place.is_address and not place.subscripts):
        return None
    for sign, term in terms:
        place = place.behind(term if sign == "+" else c_ast.UnaryOp("-", term, term.coord))
    return place


def _is_pointer(node: c_ast.Node, ranks: Mapping[str, int]) -> bool:
    """Whether an expression is an address, or names an array or a row of one."""
    if isinstance(node, c_ast.UnaryOp) and node.op == "&":
        return True
    base, subscripts = subscripted(node)
    return isinstance(base, c_ast.ID) and len(subscripts) < ranks.get(base.name, 0)


@dataclass(slots=True)
class Substitution:
    """Statements with other names for variables, and places for pointers; with labels only if they are kept."""

    span: Callable[[c_ast.Node], Span]
    environment: Environment
    names: Mapping[str, str]
    places: dict[str, Place] = field(default_factory=dict[str, Place])
    keeps_labels: bool = False

    def substituted(self, node: c_ast.Node) -> c_ast.Node:
        """A part of the statements with names and pointers replaced."""
        match node:
            case c_ast.Label() if not self.keeps_labels:
                return self.substituted(node.stmt)
            case c_ast.Decl():
                self._check_declared(node)
                name: str = self.names.get(node.name) or node.name
                return mapped(renamed(node, name), self.substituted)
            case c_ast.StructRef(type="->"):
                zero = c_ast.Constant("int", "0", node.coord)
                pointed = self.substituted(c_ast.ArrayRef(node.name, zero, node.coord))
                return c_ast.StructRef(pointed, ".", node.field, node.coord)
            case c_ast.StructRef():
                return c_ast.StructRef(self.substituted(node.name), node.type, node.field, node.coord)
            case c_ast.UnaryOp(op="*"):
                return self.substituted(c_ast.ArrayRef(node.expr, c_ast.Constant("int", "0", node.coord), node.coord))
            case c_ast.ArrayRef() | c_ast.ID():
                return self._access(node)
            case _:
                return mapped(node, self.substituted)

    def _check_declared(self, node: c_ast.Decl) -> None:
        if node.name in self.places:
            message = f"'{node.name}' hides a pointer of that name"
            raise refused(message, self.span(node), "rename one of them")

    def _access(self, node: c_ast.Node) -> c_ast.Node:
        base, subscripts = subscripted(node)
        indices = [self.substituted(subscript) for subscript in subscripts]
        if not isinstance(base, c_ast.ID):
            changed = self.substituted(base)
            place = _place_of_sum(changed, self.environment, {}) if isinstance(changed, c_ast.BinaryOp) else None
            return element(changed, indices) if place is None else self._at(place, indices, node)
        if base.name in self.places:
            return self._at(self.places[base.name], indices, node)
        return element(c_ast.ID(self.names.get(base.name, base.name), base.coord), indices)

    def _at(self, place: Place, indices: list[c_ast.Node], node: c_ast.Node) -> c_ast.Node:
        """The element of a place, or the place itself where there is no subscript."""
        if not place.is_address:
            return _moved(element(place.base, [*place.subscripts, *indices]), node)
        if not indices:
            return c_ast.UnaryOp("&", element(place.base, place.subscripts), node.coord)
        first, *rest = indices
        if isinstance(first, c_ast.Constant) and first.value == "0":
            return _moved(element(place.base, [*place.subscripts, *rest]), node)
        if not place.subscripts:
            raise refused("this leaves the variable that was passed", self.span(node), "pass an array")
        *rows, last = place.subscripts
        moved = c_ast.BinaryOp("+", last, first, first.coord)
        return _moved(element(place.base, [*rows, moved, *rest]), node)


def _moved(node: c_ast.Node, to: c_ast.Node) -> c_ast.Node:
    """The node as if it stood where another does."""
    result = copy(node)
    result.coord = to.coord
    return result


_STEPS = ("p++", "++", "p--", "--")


def sets_of(node: c_ast.Node, name: str) -> Iterator[c_ast.Node]:
    """The assignments and steps of a variable in a statement."""
    match node:
        case c_ast.Assignment(lvalue=c_ast.ID(name=target)) if target == name:
            yield node
        case c_ast.UnaryOp(op=op, expr=c_ast.ID(name=target)) if target == name and op in _STEPS:
            yield node
        case _:
            pass
    for _, child in node.children():
        yield from sets_of(child, name)


def moves_by_steps(nodes: Iterable[c_ast.Node], name: str) -> bool:
    """Whether statements set a pointer by steps and by adding to it alone."""
    return all(_is_step(each, name) for node in nodes for each in sets_of(node, name))


def with_steps_counted(
    name: str, place: Place, nodes: list[c_ast.Node], fresh: Callable[[str], str]
) -> tuple[list[c_ast.Decl], Place, list[c_ast.Node]]:
    """The declaration of how far a pointer has moved, the place so far behind its start, and the statements that count.

    Nothing changes where the pointer stays, or points to a scalar.
    """
    start = next((each for node in nodes for each in sets_of(node, name)), None)
    if start is None or (place.is_address and not place.subscripts):
        return [], place, nodes
    counter = integer_declaration(fresh(f"{name}_steps"), c_ast.Constant("int", "0", start.coord))
    moved = place.behind(c_ast.ID(counter.name, start.coord))
    return [counter], moved, [with_steps_of(node, name, counter.name) for node in nodes]


def _is_step(node: c_ast.Node, name: str) -> bool:
    match node:
        case c_ast.UnaryOp() | c_ast.Assignment(op="+=" | "-="):
            return True
        case c_ast.Assignment(op="=", rvalue=c_ast.BinaryOp(op="+" | "-", left=c_ast.ID(name=left), right=right)):
            return left == name and name not in names_used(right)
        case _:
            return False


def with_steps_of(node: c_ast.Node, name: str, counter: str) -> c_ast.Node:
    """The statement with another variable that is stepped in place of one."""
    match node:
        case c_ast.UnaryOp(op=op, expr=c_ast.ID(name=target, coord=at)) if target == name and op in _STEPS:
            return c_ast.UnaryOp(op, c_ast.ID(counter, at), node.coord)
        case c_ast.Assignment(lvalue=c_ast.ID(name=target, coord=at), rvalue=value) if target == name:
            if node.op == "=":
                value = c_ast.BinaryOp(value.op, c_ast.ID(counter, at), value.right, value.coord)
            return c_ast.Assignment(node.op, c_ast.ID(counter, at), value, node.coord)
        case _:
            return mapped(node, lambda child: with_steps_of(child, name, counter))
