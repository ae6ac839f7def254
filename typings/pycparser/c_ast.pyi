"""The part of pycparser's tree that Loadstone uses; children are not typed."""

from collections.abc import Sequence
from typing import Any

class Node:
    __slots__: tuple[str, ...]
    coord: Any
    def children(self) -> Sequence[tuple[str, Node]]: ...

class ArrayDecl(Node):
    type: Any
    dim: Any
    dim_quals: Any
    def __init__(self, type: Any, dim: Any, dim_quals: Any, coord: Any = None) -> None: ...

class ArrayRef(Node):
    name: Any
    subscript: Any
    def __init__(self, name: Any, subscript: Any, coord: Any = None) -> None: ...

class Assignment(Node):
    op: str
    lvalue: Any
    rvalue: Any
    def __init__(self, op: str, lvalue: Any, rvalue: Any, coord: Any = None) -> None: ...

class BinaryOp(Node):
    op: str
    left: Any
    right: Any
    def __init__(self, op: str, left: Any, right: Any, coord: Any = None) -> None: ...

class Break(Node):
    def __init__(self, coord: Any = None) -> None: ...

class Case(Node):
    expr: Any
    stmts: Any
    def __init__(self, expr: Any, stmts: Any, coord: Any = None) -> None: ...

class Cast(Node):
    to_type: Any
    expr: Any
    def __init__(self, to_type: Any, expr: Any, coord: Any = None) -> None: ...

class Compound(Node):
    block_items: Any
    def __init__(self, block_items: Any, coord: Any = None) -> None: ...

class CompoundLiteral(Node):
    type: Any
    init: Any
    def __init__(self, type: Any, init: Any, coord: Any = None) -> None: ...

class Constant(Node):
    type: str
    value: str
    def __init__(self, type: str, value: str, coord: Any = None) -> None: ...

class Continue(Node):
    def __init__(self, coord: Any = None) -> None: ...

class Decl(Node):
    name: Any
    quals: Any
    align: Any
    storage: Any
    funcspec: Any
    type: Any
    init: Any
    bitsize: Any
    def __init__(
        self,
        name: Any,
        quals: Any,
        align: Any,
        storage: Any,
        funcspec: Any,
        type: Any,
        init: Any,
        bitsize: Any,
        coord: Any = None,
    ) -> None: ...

class DeclList(Node):
    decls: Any
    def __init__(self, decls: Any, coord: Any = None) -> None: ...

class Default(Node):
    stmts: Any
    def __init__(self, stmts: Any, coord: Any = None) -> None: ...

class DoWhile(Node):
    cond: Any
    stmt: Any
    def __init__(self, cond: Any, stmt: Any, coord: Any = None) -> None: ...

class EllipsisParam(Node):
    def __init__(self, coord: Any = None) -> None: ...

class EmptyStatement(Node):
    def __init__(self, coord: Any = None) -> None: ...

class Enum(Node):
    name: Any
    values: Any
    underlying_type: Any
    def __init__(self, name: Any, values: Any, underlying_type: Any, coord: Any = None) -> None: ...

class Enumerator(Node):
    name: str
    value: Any
    def __init__(self, name: str, value: Any, coord: Any = None) -> None: ...

class EnumeratorList(Node):
    enumerators: Any
    def __init__(self, enumerators: Any, coord: Any = None) -> None: ...

class ExprList(Node):
    exprs: Any
    def __init__(self, exprs: Any, coord: Any = None) -> None: ...

class FileAST(Node):
    ext: Any
    def __init__(self, ext: Any, coord: Any = None) -> None: ...

class For(Node):
    init: Any
    cond: Any
    next: Any
    stmt: Any
    def __init__(self, init: Any, cond: Any, next: Any, stmt: Any, coord: Any = None) -> None: ...

class FuncCall(Node):
    name: Any
    args: Any
    def __init__(self, name: Any, args: Any, coord: Any = None) -> None: ...

class FuncDecl(Node):
    args: Any
    type: Any
    def __init__(self, args: Any, type: Any, coord: Any = None) -> None: ...

class FuncDef(Node):
    decl: Any
    param_decls: Any
    body: Any
    def __init__(self, decl: Any, param_decls: Any, body: Any, coord: Any = None) -> None: ...

class Goto(Node):
    name: str
    def __init__(self, name: str, coord: Any = None) -> None: ...

class ID(Node):
    name: str
    def __init__(self, name: str, coord: Any = None) -> None: ...

class IdentifierType(Node):
    names: Any
    def __init__(self, names: Any, coord: Any = None) -> None: ...

class If(Node):
    cond: Any
    iftrue: Any
    iffalse: Any
    def __init__(self, cond: Any, iftrue: Any, iffalse: Any, coord: Any = None) -> None: ...

class InitList(Node):
    exprs: Any
    def __init__(self, exprs: Any, coord: Any = None) -> None: ...

class Label(Node):
    name: str
    stmt: Any
    def __init__(self, name: str, stmt: Any, coord: Any = None) -> None: ...

class NamedInitializer(Node):
    name: Any
    expr: Any
    def __init__(self, name: Any, expr: Any, coord: Any = None) -> None: ...

class ParamList(Node):
    params: Any
    def __init__(self, params: Any, coord: Any = None) -> None: ...

class PtrDecl(Node):
    quals: Any
    type: Any
    def __init__(self, quals: Any, type: Any, coord: Any = None) -> None: ...

class Return(Node):
    expr: Any
    def __init__(self, expr: Any, coord: Any = None) -> None: ...

class Struct(Node):
    name: Any
    decls: Any
    def __init__(self, name: Any, decls: Any, coord: Any = None) -> None: ...

class StructRef(Node):
    name: Any
    type: str
    field: Any
    def __init__(self, name: Any, type: str, field: Any, coord: Any = None) -> None: ...

class Switch(Node):
    cond: Any
    stmt: Any
    def __init__(self, cond: Any, stmt: Any, coord: Any = None) -> None: ...

class TernaryOp(Node):
    cond: Any
    iftrue: Any
    iffalse: Any
    def __init__(self, cond: Any, iftrue: Any, iffalse: Any, coord: Any = None) -> None: ...

class TypeDecl(Node):
    declname: str
    quals: Any
    align: Any
    type: Any
    def __init__(self, declname: str, quals: Any, align: Any, type: Any, coord: Any = None) -> None: ...

class Typedef(Node):
    name: str
    quals: Any
    storage: Any
    type: Any
    def __init__(self, name: str, quals: Any, storage: Any, type: Any, coord: Any = None) -> None: ...

class Typename(Node):
    name: Any
    quals: Any
    align: Any
    type: Any
    def __init__(self, name: Any, quals: Any, align: Any, type: Any, coord: Any = None) -> None: ...

class UnaryOp(Node):
    op: str
    expr: Any
    def __init__(self, op: str, expr: Any, coord: Any = None) -> None: ...

class Union(Node):
    name: Any
    decls: Any
    def __init__(self, name: Any, decls: Any, coord: Any = None) -> None: ...

class While(Node):
    cond: Any
    stmt: Any
    def __init__(self, cond: Any, stmt: Any, coord: Any = None) -> None: ...

class Pragma(Node):
    string: Any
    def __init__(self, string: Any, coord: Any = None) -> None: ...
