"""Structures taken apart, so that every member is a scalar, or an element of an array.

struct complex w;             ->  float w_re; float w_im;
struct complex *z;            ->  float (*z)[2];
z[i].re = w.im;               ->  z[i][0] = w_im;
z[i] = w;                     ->  z[i][0] = w_re; z[i][1] = w_im;

Arrays of structures that the kernel shares with others keep their layout: where all members have one type, they are
words that follow each other. Where they have not, and inside of the kernel, each member is an array of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dataclasses import dataclass, field
from math import prod

from pycparser import c_ast

from loadstone.errors import InputError, Problems, Span, refused
from loadstone.frontend.c.declarations import Environment, constant_number, shape_of
from loadstone.frontend.c.trees import element, innermost, items_of, mapped, renamed, subscripted, with_innermost

_Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Words:
    """Where a member lies in a structure, in words, and the distances of its elements."""

    first: int
    strides: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Variable:
    """A declared variable with structure type: what its members are called, and how many subscripts it has itself.

    `words` tell where members lie in a structure that keeps its layout, `inside` that the kernel declares it.
    """

    members: dict[_Path, str]
    rank: int
    words: dict[_Path, _Words] | None = None
    inside: bool = False


@dataclass(slots=True)
class Structures:
    """Takes the structures of one kernel apart; `used`: some from outside of it do not keep their layout.

    `records` are the types of variables that do.
    """

    environment: Environment
    span: Callable[[c_ast.Node], Span]
    problems: Problems
    taken: set[str]
    used: bool = False
    records: dict[str, str] = field(default_factory=dict[str, str])
    _scopes: list[dict[str, _Variable | None]] = field(default_factory=lambda: [{}])

    def declarations(self, node: c_ast.Decl, *, inside: bool = False) -> list[c_ast.Decl]:
        """The declarations of the members, without values; a variable of another type is left as it is."""
        members = dict(self._members(node.type))
        if () in members:
            self._scopes[-1][node.name] = None
            return [node]
        names = {path: self._fresh("_".join((node.name, *path))) for path in members}
        self._scopes[-1][node.name] = _Variable(names, len(list(_layers(node.type))), inside=inside)
        return [_member(node, kind, names[path]) for path, kind in members.items()]

    def shared_declarations(self, node: c_ast.Decl) -> list[c_ast.Decl]:
        """The declarations of what the kernel shares with others; an array keeps the layout of its structures."""
        rank = len(list(_layers(node.type)))
        words = self._words(node.type) if rank and node.init is None else None
        if words is None:
            return self.declarations(node)
        size, inner, places = words
        self._scopes[-1][node.name] = _Variable({path: str(node.name) for path in places}, rank, places)
        self.records[node.name] = _type_text(innermost(node.type))
        row = c_ast.ArrayDecl(inner, c_ast.Constant("int", str(size), node.coord), [], node.coord)
        result = copy(node)
        result.type = with_innermost(node.type, row)
        return [renamed(result, node.name)]

    def _words(self, node: c_ast.Node) -> tuple[int, c_ast.Node, dict[_Path, _Words]] | None:
        """The words of a structure, the declarator of one, and where members lie; None unless all have one type."""
        members = dict(self._members(innermost(node)))
        shapes = {path: shape_of(kind, self.environment) for path, kind in members.items()}
        if () in members or len({shape.element for shape in shapes.values()}) != 1:
            return None
        places: dict[_Path, _Words] = {}
        size = 0
        for path, shape in shapes.items():
            extents = [constant_number(extent, self.environment.enumerators) for extent in shape.extents]
            if shape.element is None or shape.pointer or not all(isinstance(extent, int) for extent in extents):
                return None
            whole = [int(extent) for extent in extents if extent is not None]
            places[path] = _Words(size, tuple(prod(whole[k + 1 :]) for k in range(len(whole))))
            size += prod(whole)
        return size, innermost(next(iter(members.values()))), places

    def statements(self, nodes: Iterable[c_ast.Node]) -> list[c_ast.Node]:
        """The statements without structures; those with problems are left out."""
        result: list[c_ast.Node] = []
        for node in nodes:
            try:
                result.extend(self._statement(node))
            except InputError as error:
                self.problems.extend(error)
        return result

    def _members(self, node: c_ast.Node, path: _Path = ()) -> Iterator[tuple[_Path, c_ast.Node]]:
        """The members of a type by path, with their types; an arithmetic type is its own only member."""
        structure = self._structure(node)
        if structure is None or (path and any(isinstance(layer, c_ast.PtrDecl) for layer in _layers(node))):
            yield path, node
            return
        for member in structure.decls or ():
            for below, kind in self._members(member.type, (*path, member.name)):
                yield below, kind if below == (*path, member.name) else with_innermost(member.type, kind)

    def _structure(self, node: c_ast.Node) -> c_ast.Struct | None:
        """The structure at the bottom of a type, with its members."""
        kind = getattr(innermost(node), "type", None)
        while isinstance(kind, c_ast.IdentifierType) and kind.names[0] in self.environment.typedefs:
            kind = getattr(self.environment.typedefs[kind.names[0]], "type", None)
        if not isinstance(kind, c_ast.Struct):
            return None
        known = kind if kind.decls else self.environment.structures.get(kind.name)
        return known if known and known.decls and all(m.name for m in known.decls) else None

    def _member_of(self, value: c_ast.Node, path: _Path) -> c_ast.Node:
        """The member of a structure-valued expression."""
        for name in path:
            value = c_ast.StructRef(value, ".", c_ast.ID(name, value.coord), value.coord)
        return self._expression(value)

    def _fresh(self, name: str) -> str:
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name

    def _statement(self, node: c_ast.Node) -> list[c_ast.Node]:
        match node:
            case c_ast.Compound():
                return [self._block(node)]
            case c_ast.Decl() if self._structure(node.type) is not None:
                return [*self._declared(node)]
            case c_ast.Decl():
                return [*self.declarations(self._plain(node))]
            case c_ast.If():
                return [self._with_blocks(node, ("cond",), ("iftrue", "iffalse"))]
            case c_ast.For():
                return [self._with_blocks(node, ("init", "cond", "next"), ("stmt",))]
            case c_ast.While():
                return [self._with_blocks(node, ("cond",), ("stmt",))]
            case c_ast.Assignment(op="=", lvalue=lvalue) if variable := self._whole(lvalue):
                return [self._copy(node, path) for path in variable.members]
            case _:
                return [self._expression(node)]

    def _plain(self, node: c_ast.Decl) -> c_ast.Decl:
        """The declaration with structures taken out of its extents and of its value."""
        result = self._expression(node)
        assert isinstance(result, c_ast.Decl)
        return result

    def _declared(self, node: c_ast.Decl) -> list[c_ast.Decl]:
        """The declarations of the members of a structure, with their values."""
        parts = self.declarations(node, inside=True)
        if node.init is None:
            return parts
        if isinstance(node.init, c_ast.InitList):
            values = self._listed(node.init, parts)
        else:
            variable = self._scopes[-1][node.name]
            values = [self._member_of(node.init, path) for path in variable.members] if variable else []
        for part, value in zip(parts, values, strict=True):
            part.init = value
        return parts

    def _listed(self, values: c_ast.InitList, parts: list[c_ast.Decl]) -> list[c_ast.Node]:
        """The values of a list for members that are scalars; those left out are zero."""
        listed: list[c_ast.Node] = list(values.exprs or ())
        nested = any(isinstance(value, c_ast.InitList | c_ast.NamedInitializer) for value in listed)
        if nested or len(listed) > len(parts) or any(list(_layers(part.type)) for part in parts):
            raise refused("this initialiser of a structure is not supported", self.span(values), "assign the members")
        missing = len(parts) - len(listed)
        zero = c_ast.Constant("int", "0", values.coord)
        return [*(self._expression(value) for value in listed), *([zero] * missing)]

    def _with_blocks(self, node: c_ast.Node, expressions: tuple[str, ...], blocks: tuple[str, ...]) -> c_ast.Node:
        result = copy(node)
        for change, slots in ((self._expression, expressions), (self._block, blocks)):
            for slot in slots:
                child = getattr(node, slot)
                setattr(result, slot, None if child is None else change(child))
        return result

    def _block(self, node: c_ast.Node) -> c_ast.Node:
        self._scopes.append({})
        items = self.statements(items_of(node))
        self._scopes.pop()
        return c_ast.Compound(items, node.coord)

    def _copy(self, node: c_ast.Assignment, path: _Path) -> c_ast.Node:
        result = copy(node)
        result.lvalue = self._member_of(node.lvalue, path)
        result.rvalue = self._member_of(node.rvalue, path)
        return result

    def _whole(self, node: c_ast.Node) -> _Variable | None:
        """The structure variable that an expression names as a whole."""
        base, subscripts = subscripted(node)
        variable = self._lookup(base)
        return variable if variable and len(subscripts) == variable.rank else None

    def _lookup(self, node: c_ast.Node) -> _Variable | None:
        if not isinstance(node, c_ast.ID):
            return None
        return next((scope[node.name] for scope in reversed(self._scopes) if node.name in scope), None)

    def _expression(self, node: c_ast.Node) -> c_ast.Node:
        base, subscripts, path = _access(node)
        variable = self._lookup(base)
        if variable is None:
            return mapped(node, self._expression)
        if path not in variable.members:
            raise self._not_a_member(base, path, variable)
        if variable.words is not None:
            changed = [self._expression(subscript) for subscript in subscripts]
            place = _place(variable.words[path], changed[variable.rank :], base)
            return element(c_ast.ID(variable.members[path], base.coord), [*changed[: variable.rank], place])
        self.used = self.used or not variable.inside
        member = c_ast.ID(variable.members[path], base.coord)
        return element(member, [self._expression(subscript) for subscript in subscripts])

    def _not_a_member(self, base: c_ast.Node, path: _Path, variable: _Variable) -> InputError:
        hint = "members are: " + ", ".join(".".join(member) for member in variable.members)
        if any(member[: len(path)] == path for member in variable.members):
            return refused("a structure can only be used member by member", self.span(base), hint)
        return refused(f"the structure has no member '{'.'.join(path)}'", self.span(base), hint)


def _place(words: _Words, subscripts: list[c_ast.Node], base: c_ast.Node) -> c_ast.Node:
    """The position of a word of a structure."""
    total: c_ast.Node = c_ast.Constant("int", str(words.first), base.coord)
    for stride, subscript in zip(words.strides, subscripts, strict=True):
        scaled = c_ast.BinaryOp("*", c_ast.Constant("int", str(stride), base.coord), subscript, base.coord)
        total = c_ast.BinaryOp("+", total, scaled, base.coord)
    return total


def _type_text(node: c_ast.Node) -> str:
    """The name of a structure type, as the source uses it."""
    kind = getattr(node, "type", None)
    return " ".join(kind.names) if isinstance(kind, c_ast.IdentifierType) else f"struct {getattr(kind, 'name', '')}"


def _member(node: c_ast.Decl, kind: c_ast.Node, name: str) -> c_ast.Decl:
    """The declaration of one member, without a value."""
    result = copy(node)
    result.type = with_innermost(node.type, kind)
    result.init = None
    return renamed(result, name)


def _access(node: c_ast.Node) -> tuple[c_ast.Node, list[c_ast.Node], _Path]:
    """The variable, all subscripts and the path of members of an expression like `b[i].c[k]` or `p->x`."""
    match node:
        case c_ast.ArrayRef():
            base, before, path = _access(node.name)
            return base, [*before, node.subscript], path
        case c_ast.StructRef(type=kind):
            base, before, path = _access(node.name)
            first = [c_ast.Constant("int", "0", node.coord)] if kind == "->" else []
            return base, [*before, *first], (*path, node.field.name)
        case c_ast.UnaryOp(op="*"):
            base, before, path = _access(node.expr)
            return base, [*before, c_ast.Constant("int", "0", node.coord)], path
        case _:
            return node, [], ()


def _layers(node: c_ast.Node) -> Iterator[c_ast.Node]:
    """The arrays and pointers of a declarator."""
    while isinstance(node, c_ast.ArrayDecl | c_ast.PtrDecl):
        yield node
        node = node.type
