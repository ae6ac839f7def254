"""Structures taken apart, so that every member is a scalar, or an element of an array.

struct complex w;             ->  float w_re; float w_im;
struct complex *z;            ->  float (*z)[2];
z[i].re = w.im;               ->  z[i][0] = w_im;
z[i] = w;                     ->  z[i][0] = w_re; z[i][1] = w_im;
struct particle *p;           ->  float *p_mass; char *p_kind;

Arrays of structures whose members have one type are words that follow each other. Other structures become one variable
for each member. Those that the kernel shares with others keep their layout: a `Record` says where elements lie.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, field

from pycparser import c_ast

from loadstone.errors import InputError, Problems, Span, refused
from loadstone.frontend.c.declarations import Environment
from loadstone.frontend.c.records.layout import Layout, NotLaidOut, is_of_words, layout_of
from loadstone.frontend.c.trees import Rewriter, element, innermost, mapped, renamed, with_innermost
from loadstone.model.record import Member, Record

_ELEMENTS = "subscript every dimension of the member"
_Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Words:
    """A member of a structure whose members all have some bytes."""

    member: Member
    size: int

    def place(self, subscripts: list[c_ast.Node], base: c_ast.Node) -> c_ast.Node:
        """The position of a word in the structure."""
        total: c_ast.Node = c_ast.Constant("int", str(self.member.offset // self.size), base.coord)
        for stride, subscript in zip(self.member.strides, subscripts, strict=True):
            factor = c_ast.Constant("int", str(stride // self.size), base.coord)
            total = c_ast.BinaryOp("+", total, c_ast.BinaryOp("*", factor, subscript, base.coord), base.coord)
        return total


@dataclass(frozen=True, slots=True)
class _Variable:
    """A declared variable with structure type: what its members are called, and how many subscripts it has itself.

    `words` tell where members lie in a structure of words. `is_kept`: it keeps its layout, or nobody else sees it.
    """

    members: dict[_Path, str]
    rank: int
    words: dict[_Path, _Words] | None = None
    is_kept: bool = False


@dataclass(slots=True)
class Structures(Rewriter):
    """Takes the structures of one kernel apart; `used`: some from outside of it do not keep their layout.

    `records` tell where the variables that stand for others lie.
    """

    environment: Environment
    span: Callable[[c_ast.Node], Span]
    problems: Problems
    taken: set[str]
    used: bool = False
    records: dict[str, Record] = field(default_factory=dict[str, Record])
    _scopes: list[dict[str, _Variable | None]] = field(default_factory=lambda: [{}])

    def declarations(self, node: c_ast.Decl, *, is_kept: bool = False) -> list[c_ast.Decl]:
        """The declarations of the members, without values; a variable of another type is left as it is."""
        members = dict(self._members(node.type))
        if () in members:
            self._scopes[-1][node.name] = None
            return [node]
        names = {path: self.fresh("_".join((node.name, *path))) for path in members}
        self._scopes[-1][node.name] = _Variable(names, len(list(_layers(node.type))), is_kept=is_kept)
        return [_member(node, kind, names[path]) for path, kind in members.items()]

    def shared_declarations(self, node: c_ast.Decl) -> list[c_ast.Decl]:
        """The declarations of what the kernel shares with others; structures keep their layout."""
        layout, name = self._layout(node), _type_text(innermost(node.type))
        if layout is None or not name:
            return self.declarations(node)
        members = {tuple(step.name for step in member.steps): member for member, _ in layout.members}
        if is_of_words(layout) and list(_layers(node.type)):
            self.records[node.name] = Record(node.name, name, layout.size, tuple(members.values()))
            return [self._in_words(node, members, layout)]
        parts = self.declarations(node, is_kept=True)
        for part, member in zip(parts, members.values(), strict=True):
            self.records[part.name] = Record(node.name, name, layout.size, (member,))
        return parts

    def _layout(self, node: c_ast.Decl) -> Layout | None:
        """Where the members of a variable lie, if it is made of structures of numbers and has no given value."""
        structure = self._structure(node.type)
        if structure is None or node.init is not None:
            return None
        try:
            return layout_of(structure, self._structure, self.environment)
        except NotLaidOut:
            return None

    def _in_words(self, node: c_ast.Decl, members: dict[_Path, Member], layout: Layout) -> c_ast.Decl:
        """The declaration of an array of structures as one of words."""
        size = layout.members[0][1].storage.bits // 8
        words = {path: _Words(member, size) for path, member in members.items()}
        rank = len(list(_layers(node.type)))
        self._scopes[-1][node.name] = _Variable({path: str(node.name) for path in words}, rank, words, is_kept=True)
        inner = innermost(next(kind for _, kind in self._members(innermost(node.type))))
        row = c_ast.ArrayDecl(inner, c_ast.Constant("int", str(layout.size // size), node.coord), [], node.coord)
        result = copy(node)
        result.type = with_innermost(node.type, row)
        return renamed(result, node.name)

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

    def statement(self, node: c_ast.Node) -> list[c_ast.Node]:
        """What a statement becomes without structures."""
        match node:
            case c_ast.Compound():
                return [self.block(node)]
            case c_ast.Decl() if self._structure(node.type) is not None:
                return [*self._declared(node)]
            case c_ast.Decl():
                return [*self.declarations(self._plain(node))]
            case c_ast.If() | c_ast.For() | c_ast.While() | c_ast.DoWhile():
                return [self.rewritten(node, self._expression)]
            case c_ast.Assignment(op="=", rvalue=c_ast.CompoundLiteral()) if self._whole(node.lvalue):
                return self._assigned_list(node)
            case c_ast.Assignment(op="=", lvalue=lvalue) if variable := self._whole(lvalue):
                return [self._copy(node, path) for path in variable.members]
            case _:
                return [self._expression(node)]

    def _assigned_list(self, node: c_ast.Assignment) -> list[c_ast.Node]:
        """The assignment of `(type){...}`, by way of a variable of that type."""
        name, coord = self.fresh("listed"), node.coord
        declared = c_ast.Decl(name, [], [], [], [], node.rvalue.type.type, node.rvalue.init, None, coord)
        copied = c_ast.Assignment("=", node.lvalue, c_ast.ID(name, coord), coord)
        return [*self.statement(renamed(declared, name)), *self.statement(copied)]

    def _plain(self, node: c_ast.Decl) -> c_ast.Decl:
        """The declaration with structures taken out of its extents and of its value."""
        result = self._expression(node)
        assert isinstance(result, c_ast.Decl)
        return result

    def _declared(self, node: c_ast.Decl) -> list[c_ast.Decl]:
        """The declarations of the members of a structure, with their values."""
        parts = self.declarations(node, is_kept=True)
        if node.init is None:
            return parts
        listed = node.init.init if isinstance(node.init, c_ast.CompoundLiteral) else node.init
        if isinstance(listed, c_ast.InitList):
            values = self._listed(listed, parts)
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

    def block(self, node: c_ast.Node) -> c_ast.Node:
        """A block without structures, which is a scope."""
        self._scopes.append({})
        result = super(Structures, self).block(node)
        self._scopes.pop()
        return result

    def _copy(self, node: c_ast.Assignment, path: _Path) -> c_ast.Node:
        result = copy(node)
        result.lvalue = self._member_of(node.lvalue, path)
        result.rvalue = self._member_of(node.rvalue, path)
        return result

    def _whole(self, node: c_ast.Node) -> _Variable | None:
        """The structure variable that an expression names as a whole."""
        base, subscripts, path = _access(node)
        variable = self._lookup(base)
        return variable if variable and not path and len(subscripts) == variable.rank else None

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
            if len(changed) - variable.rank < len(variable.words[path].member.strides):
                raise refused(
                    "an array inside of a structure can only be used element by element", self.span(base), _ELEMENTS
                )
            place = variable.words[path].place(changed[variable.rank :], base)
            return element(c_ast.ID(variable.members[path], base.coord), [*changed[: variable.rank], place])
        self.used = self.used or not variable.is_kept
        member = c_ast.ID(variable.members[path], base.coord)
        return element(member, [self._expression(subscript) for subscript in subscripts])

    def _not_a_member(self, base: c_ast.Node, path: _Path, variable: _Variable) -> InputError:
        hint = "members are: " + ", ".join(".".join(member) for member in variable.members)
        if any(member[: len(path)] == path for member in variable.members):
            return refused("a structure can only be used member by member", self.span(base), hint)
        return refused(f"the structure has no member '{'.'.join(path)}'", self.span(base), hint)


def _type_text(node: c_ast.Node) -> str:
    """The name of a structure type, as the source uses it; empty if it has none."""
    match getattr(node, "type", None):
        case c_ast.IdentifierType(names=names):
            return " ".join(names)
        case c_ast.Struct(name=str() as name):
            return f"struct {name}"
        case _:
            return ""


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
