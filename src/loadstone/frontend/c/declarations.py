"""C types and declarations: typedefs, enumerations, scalars, arrays, constant initialisers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pycparser import c_ast

from loadstone.frontend.c.trees import walk
from loadstone.model.types import FLOAT, INT, Number, ScalarType, type_named


@dataclass(slots=True)
class Environment:
    """What a file declares: typedefs, other types that some of these get, enumeration constants and structures."""

    typedefs: dict[str, c_ast.Node] = field(default_factory=dict[str, c_ast.Node])
    formats: dict[str, ScalarType] = field(default_factory=dict[str, ScalarType])
    enumerators: dict[str, int] = field(default_factory=dict[str, int])
    structures: dict[str, c_ast.Struct] = field(default_factory=dict[str, c_ast.Struct])

    def declare(self, node: c_ast.Node) -> None:
        """Take note of a typedef, an enumeration or a structure."""
        if isinstance(node, c_ast.Typedef):
            self.typedefs[node.name] = node.type
        for part in () if isinstance(node, c_ast.FuncDef) else walk(node):
            if isinstance(part, c_ast.Enum):
                self._number(part)
            elif isinstance(part, c_ast.Struct) and part.name and part.decls:
                self.structures[part.name] = part

    def is_structure(self, node: c_ast.Node) -> bool:
        """Whether a type is a structure, or a name of one."""
        kind = getattr(node, "type", None)
        while isinstance(kind, c_ast.IdentifierType) and kind.names[0] in self.typedefs:
            kind = getattr(self.typedefs[kind.names[0]], "type", None)
        return isinstance(kind, c_ast.Struct)

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
    chosen: ScalarType | None = None
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
                chosen = chosen or environment.formats.get(node.names[0])
                node = environment.typedefs[node.names[0]]
            case c_ast.IdentifierType():
                return Shape(chosen or type_named(tuple(node.names)), tuple(extents), constant, pointer)
            case c_ast.Enum():
                return Shape(INT, tuple(extents), constant, pointer)
            case _:
                return Shape(None, tuple(extents), constant, pointer)


def ranks_declared(node: c_ast.Node, environment: Environment) -> Iterator[tuple[str, int]]:
    """The numbers of dimensions of the variables that a tree declares, those that pointers hide among them."""
    for part in walk(node):
        if isinstance(part, c_ast.Decl) and part.name:
            yield part.name, len(shape_of(part.type, environment).extents)


def constant_number(node: c_ast.Node | None, names: Mapping[str, int]) -> Number | None:
    """The value of a constant expression, or None where it is not one (or its arithmetic is not that of double)."""
    match node:
        case c_ast.Constant(type=kind) if kind not in ("string", "char"):
            return literal_value(node.value)[0]
        case c_ast.ID(name=name):
            return names.get(name)
        case c_ast.UnaryOp(op="-" | "+" | "~" as op, expr=expr):
            return _folded_unary(op, constant_number(expr, names))
        case c_ast.Cast(to_type=to_type, expr=expr):
            return _converted(to_type, constant_number(expr, names))
        case c_ast.BinaryOp(op=op, left=left, right=right) if not (_is_single(left) or _is_single(right)):
            return _folded(op, constant_number(left, names), constant_number(right, names))
        case _:
            return None


def _folded_unary(op: str, value: Number | None) -> Number | None:
    match op:
        case "-" if value is not None:
            return -value
        case "~":
            return ~value if isinstance(value, int) else None
        case _:
            return value


def _converted(to_type: c_ast.Node, value: Number | None) -> Number | None:
    names = getattr(getattr(getattr(to_type, "type", None), "type", None), "names", ())
    kind = type_named(tuple(names))
    return None if kind is None or value is None else kind.wrap(value)


def _is_single(node: c_ast.Node) -> bool:
    """Whether a literal of type float takes part."""
    parts = (part for part in walk(node) if isinstance(part, c_ast.Constant))
    return any(literal_value(part.value)[1] == FLOAT for part in parts if part.type not in ("string", "char"))


def _folded(op: str, left: Number | None, right: Number | None) -> Number | None:
    if left is None or right is None:
        return None
    match op:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/" if right and not (isinstance(left, int) and isinstance(right, int)):
            return left / right
        case _ if isinstance(left, int) and isinstance(right, int):
            return _folded_integers(op, left, right)
        case _:
            return None


def _folded_integers(op: str, left: int, right: int) -> int | None:
    match op:
        case "/" | "%" if right:
            quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
            return quotient if op == "/" else left - quotient * right
        case "<<" | ">>" if 0 <= right < 64:
            return left << right if op == "<<" else left >> right
        case "&":
            return left & right
        case "|":
            return left | right
        case "^":
            return left ^ right
        case _:
            return None


def constant_values(
    node: c_ast.Node, extents: Sequence[int | None], names: Mapping[str, int]
) -> tuple[Number, ...] | None:
    """The numbers of an initialiser, row by row, rows but the last filled up with zeros.

    None when one of them is not a constant.
    """
    if not isinstance(node, c_ast.InitList):
        value = constant_number(node, names)
        return None if value is None else (value,)
    row = _product(extents[1:])
    values: list[Number] = []
    for item in node.exprs or ():
        inner = constant_values(item, extents[1:], names)
        if inner is None or (isinstance(item, c_ast.InitList) and (row is None or len(values) % row)):
            return None
        padding = row - len(inner) if row is not None and isinstance(item, c_ast.InitList) else 0
        values.extend((*inner, *(0,) * padding))
    return tuple(values)


def _product(extents: Sequence[int | None]) -> int | None:
    size = 1
    for extent in extents:
        if extent is None:
            return None
        size *= extent
    return size


def literal_value(text: str) -> tuple[Number, ScalarType | None]:
    """The value and type of a numeric literal; the type is None for what we do not support (long double).

    >>> print(*literal_value("0x10u"))
    16 unsigned int
    """
    lower = text.lower()
    is_hex = lower.startswith("0x")
    if (not is_hex and any(c in lower for c in ".e")) or (is_hex and "p" in lower):
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
