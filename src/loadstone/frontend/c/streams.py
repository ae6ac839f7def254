"""Streams taken for arrays: the k-th value that is read or written is element k.

hls::stream<int> in, out;                            int in[n * 8], out[n];
for (i = 0; i < n; i++) {                            for (i = 0; i < n; i++) {
  s = 0;                                               s = 0;
  for (j = 0; j < 8; j++) s += in.read();     ->       for (j = 0; j < 8; j++) s += in[8 * i + j];
  out.write(s);                                        out[i] = s;
}                                                    }

Loops whose number of iterations is not constant give arrays of more dimensions: `in[i][j]` for n x m values. What is
read or written under a condition, or by loops whose bounds depend on outer ones, has no such position, and is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import TypeGuard

from pycparser import c_ast, c_generator

from loadstone.errors import Span, refused
from loadstone.frontend.c.declarations import constant_number
from loadstone.frontend.c.trees import element, innermost, items_of, mapped, names_used, walk

_CONVERSIONS = {
    "to_int": ["int"],
    "to_uint": ["unsigned", "int"],
    "to_long": ["long"],
    "to_int64": ["long"],
    "to_uint64": ["unsigned", "long"],
    "to_float": ["float"],
    "to_double": ["double"],
}
_ACCESS_HINT = "read and write each stream once per iteration, outside of conditions"
_Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class _Loop:
    """A loop around accesses: the number of the iteration, how many there are, and accesses in each."""

    index: c_ast.Node
    trip: c_ast.Node
    count: int | None
    node: c_ast.For


@dataclass(frozen=True, slots=True)
class _Place:
    """Where statements stand: the loops around, and for each stream the accesses before in each of them."""

    loops: tuple[_Loop, ...] = ()
    before: tuple[Mapping[_Key, int | None], ...] = ({},)


@dataclass(slots=True)
class Streams:
    """Turns the streams of one kernel into arrays; `types` are typedefs of streams, `constants` known numbers.

    `parameters` are the streams that come from outside.
    """

    types: Collection[str]
    constants: Mapping[str, int]
    span: Callable[[c_ast.Node], Span]
    parameters: list[str] = field(default_factory=list[str])
    _local: set[str] = field(default_factory=set[str])
    _same: dict[str, c_ast.Node] = field(default_factory=dict[str, c_ast.Node])
    _shapes: dict[_Key, list[c_ast.Node]] = field(default_factory=dict[_Key, list[c_ast.Node]])

    def declare(self, node: c_ast.Decl) -> None:
        """Take note of a parameter, if it is a stream."""
        if self._is_stream(node):
            self.parameters.append(node.name)

    def extents(self, name: str) -> list[c_ast.Node]:
        """The extents of the array that a stream is."""
        found = [shape for way in ("read", "write") if (shape := self._shapes.get((name, way))) is not None]
        return found[0] if found else [_number(0)]

    def statements(self, nodes: Sequence[c_ast.Node]) -> list[c_ast.Node]:
        """The statements with streams as arrays."""
        self._local = {declared.name for declared in self._declared_in(nodes)}
        self._same = _synonyms(nodes)
        changed = self._block(list(nodes), _Place())
        for name in sorted(self._local):
            self._check_local(name, nodes)
        return [self._declared(node) for node in changed]

    def _is_stream(self, node: c_ast.Node) -> TypeGuard[c_ast.Decl]:
        kind = getattr(innermost(node.type), "type", None) if isinstance(node, c_ast.Decl) and node.name else None
        return isinstance(kind, c_ast.IdentifierType) and kind.names[0] in self.types

    def _declared_in(self, nodes: Sequence[c_ast.Node]) -> Iterator[c_ast.Decl]:
        """The declarations of streams."""
        return (part for node in nodes for part in walk(node) if self._is_stream(part))

    def _check_local(self, name: str, nodes: Sequence[c_ast.Node]) -> None:
        """Refuse a stream of the kernel that is written and read in different shapes."""
        shapes = [self._shapes.get((name, way), []) for way in ("write", "read")]
        one, other = ([c_generator.CGenerator().visit(extent) for extent in shape] for shape in shapes)
        if one != other:
            node = next(declared for declared in self._declared_in(nodes) if declared.name == name)
            message = f"'{name}' is written and read by different loops"
            raise refused(message, self.span(innermost(node.type)), "use the same loops on both sides")

    def _declared(self, node: c_ast.Node) -> c_ast.Node:
        """A statement in which streams are declared as arrays."""
        if not self._is_stream(node):
            return mapped(node, self._declared) if isinstance(node, c_ast.Compound | c_ast.For | c_ast.If) else node
        kind: c_ast.Node = node.type
        for extent in reversed(self.extents(node.name)):
            kind = c_ast.ArrayDecl(kind, extent, [], node.coord)
        return c_ast.Decl(node.name, [], [], [], [], kind, None, None, node.coord)

    def _block(self, items: list[c_ast.Node], place: _Place) -> list[c_ast.Node]:
        result: list[c_ast.Node] = []
        for item in items:
            result.append(self._statement(item, place))
            place = self._behind(item, place)
        return result

    def _behind(self, node: c_ast.Node, place: _Place) -> _Place:
        """The place behind a statement."""
        before = dict(place.before[-1])
        for key in self._keys(node):
            earlier, here = before.get(key, 0), self._total(node, key)
            before[key] = None if earlier is None or here is None else earlier + here
        return replace(place, before=(*place.before[:-1], before))

    def _keys(self, node: c_ast.Node) -> set[_Key]:
        return {key for part in walk(node) if (key := self._accessed(part)) is not None}

    def _accessed(self, node: c_ast.Node) -> _Key | None:
        """The stream that a call or a shift accesses, and how."""
        match node:
            case c_ast.FuncCall(name=c_ast.StructRef(name=c_ast.ID(name=name), field=c_ast.ID(name=method))):
                return (name, method) if self._knows(name) and method in ("read", "write") else None
            case c_ast.BinaryOp(op="<<" | ">>" as op, left=c_ast.ID(name=name)) if self._knows(name):
                return name, "write" if op == "<<" else "read"
            case _:
                return None

    def _knows(self, name: str) -> bool:
        return name in self.parameters or name in self._local

    def _total(self, node: c_ast.Node, key: _Key) -> int | None:
        """The accesses of a statement, where their number is constant."""
        match node:
            case c_ast.For():
                inner, trip = self._total(node.stmt, key), self._constant(self._loop(node, ()).trip)
                return None if inner is None or trip is None else inner * max(trip, 0)
            case c_ast.Compound():
                totals = [self._total(item, key) for item in items_of(node) if key in self._keys(item)]
                return None if None in totals else sum(total for total in totals if total is not None)
            case _:
                return sum(1 for part in walk(node) if self._accessed(part) == key)

    def _constant(self, node: c_ast.Node) -> int | None:
        value = constant_number(node, self.constants)
        return value if isinstance(value, int) else None

    def _statement(self, node: c_ast.Node, place: _Place) -> c_ast.Node:
        match node:
            case _ if not self._keys(node):
                return self._expression(node, place)
            case c_ast.Compound():
                return c_ast.Compound(self._block(items_of(node), place), node.coord)
            case c_ast.For():
                loop = self._loop(node, place.loops)
                inner = _Place((*place.loops, loop), (*place.before, {}))
                result = copy(node)
                result.stmt = c_ast.Compound(self._block(items_of(node.stmt), inner), node.coord)
                return result
            case c_ast.If():
                access = next(part for part in walk(node) if self._accessed(part) is not None)
                raise refused("a stream is accessed under a condition", self.span(access), _ACCESS_HINT)
            case _:
                self._check_once(node)
                return self._expression(node, place)

    def _check_once(self, node: c_ast.Node) -> None:
        for key in self._keys(node):
            accesses = [part for part in walk(node) if self._accessed(part) == key]
            if len(accesses) > 1:
                message = f"the order of these accesses to '{key[0]}' is not defined"
                raise refused(message, self.span(accesses[1]), "use a statement for each")
            sometimes = (part for part in walk(node) if isinstance(part, c_ast.TernaryOp) or _is_logical(part))
            if any(accesses[0] in list(walk(part)) for part in sometimes):
                raise refused("a stream is accessed under a condition", self.span(accesses[0]), _ACCESS_HINT)

    def _expression(self, node: c_ast.Node, place: _Place) -> c_ast.Node:
        match node, self._accessed(node):
            case c_ast.FuncCall(), (_, "write") as key:
                (value,) = self._arguments(node, 1)
                return c_ast.Assignment(
                    "=", self._element(key, node, place), self._expression(value, place), node.coord
                )
            case c_ast.FuncCall(), (_, "read") as key if node.args is not None:
                (target,) = self._arguments(node, 1)
                return c_ast.Assignment("=", target, self._element(key, node, place), node.coord)
            case c_ast.FuncCall(), (_, "read") as key:
                return self._element(key, node, place)
            case c_ast.BinaryOp(right=right), (_, way) as key:
                found, other = self._element(key, node, place), self._expression(right, place)
                sides = (found, other) if way == "write" else (other, found)
                return c_ast.Assignment("=", *sides, node.coord)
            case c_ast.FuncCall(name=c_ast.StructRef()), _:
                return self._method(node, place)
            case _:
                return mapped(node, lambda child: self._expression(child, place))

    def _arguments(self, node: c_ast.FuncCall, count: int) -> list[c_ast.Node]:
        arguments = list(node.args.exprs) if node.args else []
        if len(arguments) != count:
            raise refused(f"this takes {count} argument", self.span(node), "write s.write(x)")
        return arguments

    def _method(self, node: c_ast.FuncCall, place: _Place) -> c_ast.Node:
        """A method of a number: a conversion."""
        method = node.name.field.name
        if method not in _CONVERSIONS:
            hint = f"known are: read, write, {', '.join(_CONVERSIONS)}"
            raise refused(f"the method '{method}' is not supported", self.span(node), hint)
        kind = c_ast.IdentifierType(_CONVERSIONS[method], node.coord)
        target = c_ast.Typename(None, [], None, c_ast.TypeDecl("", [], None, kind, node.coord), node.coord)
        return c_ast.Cast(target, self._expression(node.name.name, place), node.coord)

    def _element(self, key: _Key, node: c_ast.Node, place: _Place) -> c_ast.Node:
        """The element that an access reads or writes."""
        linear = self._linear(key, place)
        if linear is not None:
            subscripts, shape = [linear], [self._whole(key, place)]
        else:
            self._check_only(key, node, place)
            subscripts, shape = [loop.index for loop in place.loops], [loop.trip for loop in place.loops]
        known = self._shapes.setdefault(key, shape)
        if len(known) != len(shape):
            raise refused(f"the position in '{key[0]}' is not affine", self.span(node), _ACCESS_HINT)
        if linear is not None and (self._constant(shape[0]) or 0) >= (self._constant(known[0]) or 0):
            self._shapes[key] = shape
        return element(c_ast.ID(key[0], node.coord), subscripts)

    def _linear(self, key: _Key, place: _Place) -> c_ast.Node | None:
        """The position as a sum of multiples of iterations, if these are constant."""
        position = place.before[0].get(key, 0)
        terms: list[c_ast.Node] = []
        for depth, loop in enumerate(place.loops):
            each = self._total(loop.node.stmt, key)
            before = place.before[depth + 1].get(key, 0)
            if each is None or before is None or position is None:
                return None
            position += before
            terms.append(c_ast.BinaryOp("*", _number(each), loop.index) if each != 1 else loop.index)
        if position is None:
            return None
        terms += [_number(position)] if position or not terms else []
        total = terms[0]
        for term in terms[1:]:
            total = c_ast.BinaryOp("+", total, term)
        return total

    def _whole(self, key: _Key, place: _Place) -> c_ast.Node:
        """The accesses up to the end of the outermost statement around."""
        before = place.before[0].get(key, 0) or 0
        if not place.loops:
            return _number(before + 1)
        each, loop = self._total(place.loops[0].node.stmt, key) or 0, place.loops[0]
        if loop.count is not None:
            return _number(before + each * max(loop.count, 0))
        all_of_it = loop.trip if each == 1 else c_ast.BinaryOp("*", _number(each), loop.trip)
        return c_ast.BinaryOp("+", _number(before), all_of_it) if before else all_of_it

    def _check_only(self, key: _Key, node: c_ast.Node, place: _Place) -> None:
        """Refuse a position in several dimensions unless the access is the only one, in each iteration of its loops."""
        others = any(before.get(key, 0) != 0 for before in place.before)
        repeated = any(sum(1 for part in walk(loop.node) if self._accessed(part) == key) != 1 for loop in place.loops)
        if others or repeated or key in self._shapes:
            raise refused(f"the position in '{key[0]}' is not affine", self.span(node), _ACCESS_HINT)

    def _resolved(self, node: c_ast.Node) -> c_ast.Node:
        """An expression in which names that only stand for others are replaced."""
        if isinstance(node, c_ast.ID) and node.name in self._same:
            return self._resolved(self._same[node.name])
        return mapped(node, self._resolved)

    def _loop(self, node: c_ast.For, around: tuple[_Loop, ...]) -> _Loop:
        """A loop that counts by one from a start to an end that do not depend on the loops around."""
        iterator, start = _start(node)
        end = _end(node, iterator)
        if iterator is None or start is None or end is None or not _counts_up(node, iterator):
            message = "streams need loops that count up by one"
            raise refused(message, self.span(node), "write for (int i = 0; i < n; i++)")
        outer = {name for loop in around for name in [_start(loop.node)[0]]}
        if outer & {*names_used(start), *names_used(end)}:
            message = "streams need loops whose bounds do not depend on outer loops"
            raise refused(message, self.span(node), "use a rectangular nest")
        start, end = self._resolved(start), self._resolved(end)
        first = self._constant(start)
        index, trip = (
            (c_ast.ID(iterator), end) if first == 0 else (_minus(c_ast.ID(iterator), start), _minus(end, start))
        )
        count = self._constant(trip)
        return _Loop(index, trip if count is None else _number(count), count, node)


def _synonyms(nodes: Sequence[c_ast.Node]) -> dict[str, c_ast.Node]:
    """The scalars that are declared as another name or a number, and never change."""
    parts = [part for node in nodes for part in walk(node)]
    targets = {part.lvalue.name for part in parts if isinstance(part, c_ast.Assignment) and _is_name(part.lvalue)}
    targets |= {part.expr.name for part in parts if isinstance(part, c_ast.UnaryOp) and _is_name(part.expr)}
    declared = [part for part in parts if isinstance(part, c_ast.Decl) and part.name not in targets]
    simple = (part for part in declared if isinstance(part.init, c_ast.ID | c_ast.Constant))
    return {part.name: part.init for part in simple if isinstance(part.type, c_ast.TypeDecl)}


def _is_name(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.ID)


def _is_logical(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.BinaryOp) and node.op in ("&&", "||")


def _number(value: int) -> c_ast.Node:
    return c_ast.Constant("int", str(value))


def _minus(left: c_ast.Node, right: c_ast.Node) -> c_ast.Node:
    return c_ast.BinaryOp("-", left, right)


def _start(node: c_ast.For) -> tuple[str | None, c_ast.Node | None]:
    match node.init:
        case c_ast.DeclList(decls=[c_ast.Decl(name=str(name), init=c_ast.Node() as start)]):
            return name, start
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=str(name)), rvalue=start):
            return name, start
        case _:
            return None, None


def _end(node: c_ast.For, iterator: str | None) -> c_ast.Node | None:
    match node.cond:
        case c_ast.BinaryOp(op="<" | "!=", left=c_ast.ID(name=name), right=end) if name == iterator:
            return end
        case c_ast.BinaryOp(op="<=", left=c_ast.ID(name=name), right=end) if name == iterator:
            return c_ast.BinaryOp("+", end, _number(1))
        case _:
            return None


def _counts_up(node: c_ast.For, iterator: str) -> bool:
    match node.next:
        case c_ast.UnaryOp(op="++" | "p++", expr=c_ast.ID(name=name)):
            return name == iterator
        case c_ast.Assignment(op="+=", lvalue=c_ast.ID(name=name), rvalue=c_ast.Constant(value="1")):
            return name == iterator
        case _:
            return False
