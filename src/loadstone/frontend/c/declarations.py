"""C types and declarations: typedefs, enumerations, scalars, arrays, constant initialisers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pycparser import c_ast

from loadstone.kernel.types import FIXED_WIDTH, INT, Number, ScalarType, type_named


@dataclass(slots=True)
class Environment:
    """What a file declares: typedefs and enumeration constants."""

    typedefs: dict[str, c_ast.Node] = field(default_factory=dict)
    enumerators: dict[str, int] = field(default_factory=dict)

    def declare(self, node: c_ast.Node) -> None:
        """Take note of a typedef or an enumeration."""
        if isinstance(node, c_ast.Typedef) and node.name not in FIXED_WIDTH:
            self.typedefs[node.name] = node.type
        for enum in _enumerations(node):
            self._number(enum)

    def _number(self, enum: c_ast.Enum) -> None:
        value = 0
        for item in enum.values.enumerators if enum.values else ():
            given = constant_number(item.value, self.enumerators) if item.value else value
            value = int(given) if given is not None else value
            self.enumerators[item.name] = value
            value += 1


@dataclass(frozen=True, slots=True)
class Shape:
    """The type of a declared object: element type, extents (None where open), whether elements are constant."""

    element: ScalarType | None
    extents: tuple[c_ast.Node | None, ...]
    constant: bool
    pointer: bool


def shape_of(node: c_ast.Node, environment: Environment) -> Shape:
    """The shape of a declared type; `element` is None for structures, functions and the like."""
    extents: list[c_ast.Node | None] = []
    pointer = constant = False
    while True:
        match node:
            case c_ast.ArrayDecl():
                extents.append(node.dim)
                node = node.type
            case c_ast.PtrDecl():
                extents.append(None)
                pointer = True
                node = node.type
            case c_ast.TypeDecl():
                constant = constant or "const" in node.quals
                node = node.type
            case c_ast.IdentifierType() if len(node.names) == 1 and node.names[0] in environment.typedefs:
                node = environment.typedefs[node.names[0]]
            case c_ast.IdentifierType():
                return Shape(type_named(tuple(node.names)), tuple(extents), constant, pointer)
            case c_ast.Enum():
                return Shape(INT, tuple(extents), constant, pointer)
            case _:
                return Shape(None, tuple(extents), constant, pointer)


def constant_number(node: c_ast.Node | None, names: Mapping[str, int]) -> Number | None:
    """The value of a constant expression, or None."""
    match node:
        case c_ast.Constant(type=kind) if kind not in ("string", "char"):
            return literal_value(node.value)[0]
        case c_ast.ID(name=name):
            return names.get(name)
        case c_ast.UnaryOp(op="-", expr=expr):
            value = constant_number(expr, names)
            return None if value is None else -value
        case c_ast.UnaryOp(op="+", expr=expr) | c_ast.Cast(expr=expr):
            return constant_number(expr, names)
        case c_ast.BinaryOp(op=op, left=left, right=right):
            return _fold(op, constant_number(left, names), constant_number(right, names))
        case _:
            return None


def _fold(op: str, left: Number | None, right: Number | None) -> Number | None:
    if left is None or right is None:
        return None
    match op:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "<<" if isinstance(left, int) and isinstance(right, int):
            return left << right
        case "/" if right:
            both_integers = isinstance(left, int) and isinstance(right, int)
            return int(left / right) if both_integers else left / right
        case _:
            return None


def constant_values(node: c_ast.Node, names: Mapping[str, int]) -> tuple[Number, ...] | None:
    """The numbers of an initialiser (lists flattened, row by row), or None when one is not a constant."""
    if not isinstance(node, c_ast.InitList):
        value = constant_number(node, names)
        return None if value is None else (value,)
    values: list[Number] = []
    for item in node.exprs or ():
        inner = constant_values(item, names)
        if inner is None:
            return None
        values.extend(inner)
    return tuple(values)


def literal_value(text: str) -> tuple[Number, ScalarType | None]:
    """The value and type of a numeric literal; the type is None for what we do not support (long double).

    >>> literal_value("0x10u")
    (16, ScalarType(name='unsigned int', kind='int', bits=32, signed=False))
    """
    lower = text.lower()
    is_hex = lower.startswith("0x")
    if not is_hex and any(c in lower for c in ".e") or is_hex and "p" in lower:
        return _floating_literal(lower, is_hex)
    digits = lower.rstrip("ul")
    suffix = lower[len(digits) :]
    is_octal = digits.startswith("0") and digits.isdigit() and len(digits) > 1
    value = int(digits, 8 if is_octal else 0)
    return value, _integer_literal_type(value, suffix, decimal=not (is_hex or is_octal))


def _floating_literal(lower: str, is_hex: bool) -> tuple[float, ScalarType | None]:
    digits = lower.rstrip("l" if is_hex else "fl")
    value = float.fromhex(digits) if is_hex else float(digits)
    if lower.endswith("l"):
        return value, None
    kind = type_named(("float",) if lower.endswith("f") else ("double",))
    return float(kind.wrap(value)) if kind else value, kind


def _integer_literal_type(value: int, suffix: str, *, decimal: bool) -> ScalarType | None:
    long_words = {0: (), 1: ("long",), 2: ("long", "long")}[suffix.count("l")]
    for words in ((), ("long",), ("long", "long")):
        if len(words) < len(long_words):
            continue
        for unsigned in (True,) if "u" in suffix else (False,) if decimal else (False, True):
            kind = type_named((*words, "int", *(("unsigned",) if unsigned else ())))
            if kind and kind.wrap(value) == value:
                return kind
    return None


def _enumerations(node: c_ast.Node) -> list[c_ast.Enum]:
    found = [node] if isinstance(node, c_ast.Enum) else []
    for _, child in node.children():
        if not isinstance(node, c_ast.FuncDef):
            found.extend(_enumerations(child))
    return found
