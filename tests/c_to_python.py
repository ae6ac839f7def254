"""A C kernel, as the C front end reads it, written down in Python: what one front end accepts, the other must too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from loadstone.errors import Problems
from loadstone.frontend import syntax
from loadstone.frontend.python.inference import Inference
from loadstone.frontend.scopes import iterators, names_in, nodes, resolve
from loadstone.model.types import DOUBLE, FLOAT, INT, LONG, SCHAR, SHORT, UCHAR, UINT, ULONG, USHORT, ScalarType

NAMES = {
    INT: "int32",
    LONG: "int64",
    SHORT: "int16",
    SCHAR: "int8",
    UINT: "uint32",
    ULONG: "uint64",
    USHORT: "uint16",
    UCHAR: "uint8",
    FLOAT: "float32",
    DOUBLE: "float64",
}
WORDS = {"&&": "and", "||": "or"}
ROUNDINGS = ("floor", "ceil", "trunc", "round")


class NotExpressible(Exception):
    """The kernel uses something of C that Python has no short way to say."""


def python_source(program: syntax.Program, parameters: tuple[str, ...]) -> str:
    """A Python file with the same kernel, whose parameters these are."""
    resolved = resolve(program, Problems())
    outside = {name: s for name, s in resolved.symbols.items() if not s.local and name not in iterators(resolved.body)}
    types = dict.fromkeys(iterators(resolved.body), INT)
    results = {function.name: function.type for function in program.functions}
    printer = _Printer(Inference(resolved.symbols, types, results), frozenset((*types, *parameters)))
    constants = [printer.constant(s) for s in outside.values() if s.constant]
    arguments = ", ".join(printer.declared(s) for s in outside.values() if not s.constant)
    helpers = [line for function in program.functions for line in printer.helper(function)]
    body = list(printer.block(resolved.body, "    ")) or ["    pass"]
    returned = [n.symbol.name for n in nodes(resolved.body) if isinstance(n, syntax.Declare) and n.symbol.live_out]
    end = [f"    return {', '.join(returned)}"] if returned else []
    head = ["import numpy as np", *constants, *helpers, f"def {program.name}({arguments}):"]
    known = [f"    assert {printer.value(assumption)}" for assumption in program.directives.assumptions]
    return "\n".join([*head, *known, *body, *end, ""])


@dataclass(frozen=True, slots=True)
class _Printer:
    types: Inference
    control: frozenset[str]

    def constant(self, symbol: syntax.Symbol) -> str:
        if symbol.type not in (INT, DOUBLE) or symbol.values is None or len(symbol.extents) > 1:
            raise NotExpressible(symbol.name)
        return f"{symbol.name} = {list(symbol.values) if symbol.extents else symbol.values[0]}"

    def declared(self, symbol: syntax.Symbol) -> str:
        extents = "".join(f"[{self.value(e) if e else ''}]" for e in symbol.extents)
        return f'{symbol.name}: "{self.kind(symbol.type)}{extents}"'

    def kind(self, kind: ScalarType) -> str:
        return "float32" if kind == FLOAT else str(kind)

    def helper(self, function: syntax.Function) -> Iterator[str]:
        parameters = {
            name: syntax.Symbol(name, kind, (), True, False, function.result.span) for name, kind in function.parameters
        }
        inner = _Printer(Inference(parameters, {}, self.types.functions), frozenset(parameters))
        arguments = ", ".join(f'{name}: "{self.kind(kind)}"' for name, kind in function.parameters)
        yield f'def {function.name}({arguments}) -> "{self.kind(function.type)}":'
        yield f"    return {inner.value(function.result)}"

    def block(self, block: syntax.Block, margin: str) -> Iterator[str]:
        followers = (*block.items[1:], None)
        for node, follower in zip(block.items, followers, strict=False):
            if not (isinstance(node, syntax.Declare) and self.initialises(follower, node.symbol)):
                yield from self.node(node, margin)

    def initialises(self, node: syntax.Node | None, symbol: syntax.Symbol) -> bool:
        """Whether a statement is the initialiser of a declaration, with which it is printed."""
        return isinstance(node, syntax.Assign) and node.target == syntax.Name(symbol.name, symbol.span)

    def node(self, node: syntax.Node, margin: str) -> Iterator[str]:
        match node:
            case syntax.Declare(symbol=symbol):
                yield margin + self.declared(symbol)
            case syntax.Assign():
                yield margin + self.assignment(node)
            case syntax.If(condition=condition, then=then, otherwise=otherwise):
                yield f"{margin}if {self.value(condition)}:"
                yield from self.block(then, margin + "    ")
                yield f"{margin}    pass"
                yield f"{margin}else:"
                yield from self.block(otherwise, margin + "    ")
                yield f"{margin}    pass"
            case syntax.For(iterator=iterator, start=start, step=step, body=body):
                yield f"{margin}for {iterator} in range({self.value(start)}, {self.stop(node)}, {step}):"
                yield from self.block(body, margin + "    ")
                yield f"{margin}    pass"
            case syntax.Block():
                yield from self.block(node, margin)
            case syntax.Jump():
                raise NotExpressible

    def assignment(self, node: syntax.Assign) -> str:
        target, value = self.value(node.target), node.value
        symbol = self.types.symbols.get(target)
        if symbol and symbol.local and self.initialises(node, symbol):
            target = self.declared(symbol)
        match value:
            case _ if self.types.are_integers(node.target) and not self.types.are_integers(value):
                return f"{target} = {self.converted(self.types.type_of(node.target), value)}"
            case syntax.BinaryOp(op="+" | "-" | "*" | "&" | "|" | "^" as op, left=left, right=right) if (
                left == node.target
            ):
                return f"{target} {op}= {self.value(right)}"
            case _:
                return f"{target} = {self.value(value)}"

    def converted(self, kind: ScalarType, value: syntax.Expr) -> str:
        if kind not in NAMES:
            raise NotExpressible(str(kind))
        return f"{NAMES[kind]}({self.value(value)})"

    def stop(self, node: syntax.For) -> str:
        match node.condition:
            case syntax.BinaryOp(op=op, left=syntax.Name(id=name), right=bound) if name == node.iterator:
                pass
            case _:
                raise NotExpressible("loop condition")
        if (op in ("<", "<=")) != (node.step > 0) or op not in ("<", "<=", ">", ">="):
            raise NotExpressible("loop condition")
        return self.value(bound) + {"<": "", "<=": " + 1", ">": "", ">=": " - 1"}[op]

    def value(self, node: syntax.Expr) -> str:
        match node:
            case syntax.Name(id=name):
                return name
            case syntax.Literal(value=value, type=kind):
                return repr(value) if kind in (INT, DOUBLE) else f"{NAMES.get(kind, 'int')}({value!r})"
            case syntax.Subscript(base=base, indices=indices):
                return f"{base}[{', '.join(map(self.value, indices))}]"
            case syntax.UnaryOp(op=op, operand=operand):
                return f"({'not ' if op == '!' else op}{self.value(operand)})"
            case syntax.BinaryOp():
                return f"({self.binary(node)})"
            case syntax.Conditional(condition=condition, then=then, otherwise=otherwise):
                return f"({self.value(then)} if {self.value(condition)} else {self.value(otherwise)})"
            case syntax.Invocation(function=function, arguments=arguments):
                module = "np." if function in ROUNDINGS else ""
                return f"{module}{function.lower()}({', '.join(map(self.value, arguments))})"
            case syntax.Conversion(type=kind, operand=operand):
                return self.converted(kind, operand)

    def binary(self, node: syntax.BinaryOp) -> str:
        left, right = self.value(node.left), self.value(node.right)
        whole = self.types.are_integers(node.left, node.right)
        match node.op:
            case "/" | "%" if whole:
                return self.truncated(node, left, right)
            case "&&" | "||":
                return f"{self.truth(node.left)} {WORDS[node.op]} {self.truth(node.right)}"
            case op:
                return f"{left} {op} {right}"

    def truth(self, node: syntax.Expr) -> str:
        return self.value(node) if self.types.is_truth(node) else f"({self.value(node)} != 0)"

    def truncated(self, node: syntax.BinaryOp, left: str, right: str) -> str:
        if (
            not isinstance(node.right, syntax.Literal)
            or node.right.value <= 0
            or not names_in(node.left) <= self.control
        ):
            raise NotExpressible("division")
        sign = "//" if node.op == "/" else "%"
        return f"{left} {sign} {right} if {left} >= 0 else -(-{left} {sign} {right})"
