"""Reading and rebuilding pycparser's trees; nothing here changes a tree in place."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from typing import Any, cast

from pycparser import c_ast

from loadstone.errors import InputError, Problems


def walk(node: c_ast.Node) -> Iterator[c_ast.Node]:
    """The node and everything below it, in the order of the text."""
    yield node
    for _, child in node.children():
        yield from walk(child)


def names_used(node: c_ast.Node) -> Iterator[str]:
    """The names that a tree uses as values or calls; names of members are not among them."""
    if isinstance(node, c_ast.ID):
        yield node.name
        return
    children = (node.name,) if isinstance(node, c_ast.StructRef) else (child for _, child in node.children())
    for child in children:
        yield from names_used(child)


def names_declared(node: c_ast.Node) -> Iterator[str]:
    """The names of the variables that a tree declares; names of members and functions are not among them."""
    if isinstance(node, c_ast.Decl) and node.name and not isinstance(node.type, c_ast.FuncDecl):
        yield node.name
    if not isinstance(node, c_ast.Struct | c_ast.Union | c_ast.FuncDecl):
        for _, child in node.children():
            yield from names_declared(child)


def mapped(node: c_ast.Node, change: Callable[[c_ast.Node], c_ast.Node]) -> c_ast.Node:
    """A copy of the node whose children are changed."""
    result = copy(node)
    for slot in type(node).__slots__:
        value: Any = None if slot in ("coord", "__weakref__") else getattr(node, slot)
        if isinstance(value, c_ast.Node):
            setattr(result, slot, change(value))
        elif isinstance(value, list):
            items = cast("list[object]", value)
            setattr(result, slot, [change(item) if isinstance(item, c_ast.Node) else item for item in items])
    return result


def items_of(node: c_ast.Node | None) -> list[c_ast.Node]:
    """The statements of a block; a single statement is a block of one."""
    if node is None:
        return []
    return list(node.block_items or ()) if isinstance(node, c_ast.Compound) else [node]


def innermost(node: c_ast.Node) -> c_ast.Node:
    """The part of a declarator that holds the name: below all arrays and pointers."""
    while isinstance(node, c_ast.ArrayDecl | c_ast.PtrDecl):
        node = node.type
    return node


def with_innermost(node: c_ast.Node, inner: c_ast.Node) -> c_ast.Node:
    """The declarator with the part below all arrays and pointers replaced."""
    if not isinstance(node, c_ast.ArrayDecl | c_ast.PtrDecl):
        return inner
    result = copy(node)
    result.type = with_innermost(node.type, inner)
    return result


def renamed(declaration: c_ast.Decl, name: str) -> c_ast.Decl:
    """The declaration of another name with the same type."""
    result = copy(declaration)
    inner = copy(innermost(declaration.type))
    if isinstance(inner, c_ast.TypeDecl):
        inner.declname = name
    result.name = name
    result.type = with_innermost(declaration.type, inner)
    return result


def subscripted(node: c_ast.Node) -> tuple[c_ast.Node, list[c_ast.Node]]:
    """What is subscripted, and all its subscripts, outer first."""
    subscripts: list[c_ast.Node] = []
    while isinstance(node, c_ast.ArrayRef):
        subscripts.insert(0, node.subscript)
        node = node.name
    return node, subscripts


def summands(node: c_ast.Node, sign: str = "+") -> Iterator[tuple[str, c_ast.Node]]:
    """The terms of a sum, with their signs."""
    if isinstance(node, c_ast.BinaryOp) and node.op in ("+", "-"):
        yield from summands(node.left, sign)
        yield from summands(node.right, sign if node.op == "+" else {"+": "-", "-": "+"}[sign])
    else:
        yield sign, node


def element(base: c_ast.Node, subscripts: list[c_ast.Node]) -> c_ast.Node:
    """`base[subscripts]...`."""
    for subscript in subscripts:
        base = c_ast.ArrayRef(base, subscript, base.coord)
    return base


def parameters_of(function: c_ast.FuncDef) -> list[c_ast.Decl]:
    """The declarations of a function's parameters, in the order of its arguments; old style is understood."""
    arguments = function.decl.type.args
    old_style = {declared.name: declared for declared in function.param_decls or ()}
    found = [old_style.get(getattr(p, "name", None), p) for p in (arguments.params if arguments else ())]
    return [
        integer_declaration(p.name, None, p.coord) if isinstance(p, c_ast.ID) else p
        for p in found
        if isinstance(p, c_ast.ID | c_ast.Decl)
    ]


def integer_declaration(name: str, value: c_ast.Node | None, coord: object = None) -> c_ast.Decl:
    """The declaration `int name = value`."""
    coord = value.coord if value is not None else coord
    kind = c_ast.TypeDecl(name, [], None, c_ast.IdentifierType(["int"], coord), coord)
    return c_ast.Decl(name, [], [], [], [], kind, value, None, coord)


class Rewriter(ABC):
    """Rewrites statements one by one; `taken` are names in use."""

    __slots__ = ()
    problems: Problems
    taken: set[str]

    @abstractmethod
    def statement(self, node: c_ast.Node) -> Iterable[c_ast.Node]:
        """What a statement becomes; raises `InputError` where it makes no sense."""

    def statements(self, nodes: Iterable[c_ast.Node]) -> list[c_ast.Node]:
        """What statements become; those with problems are left out."""
        result: list[c_ast.Node] = []
        for node in nodes:
            try:
                result.extend(self.statement(node))
            except InputError as error:
                self.problems.extend(error)
        return result

    def block(self, node: c_ast.Node) -> c_ast.Node:
        """A block of what its statements become."""
        return c_ast.Compound(self.statements(items_of(node)), node.coord)

    def with_blocks(self, node: c_ast.Node, **changes: c_ast.Node) -> c_ast.Node:
        """A copy of a loop or conditional with what its blocks become, and with other changes."""
        result = copy(node)
        for slot in ("stmt", "iftrue", "iffalse"):
            child = getattr(node, slot, None)
            if child is not None:
                changes[slot] = self.block(child)
        for slot, child in changes.items():
            setattr(result, slot, child)
        return result

    def rewritten(self, node: c_ast.Node, change: Callable[[c_ast.Node], c_ast.Node]) -> c_ast.Node:
        """A copy of a loop or conditional with its expressions changed, and with what its blocks become."""
        parts = {slot: getattr(node, slot, None) for slot in ("init", "cond", "next")}
        return self.with_blocks(node, **{slot: change(part) for slot, part in parts.items() if part is not None})

    def fresh(self, name: str) -> str:
        """A name that is not in use yet."""
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name
