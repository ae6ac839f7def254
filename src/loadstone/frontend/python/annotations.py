"""Types in annotations.

    n: int                              the int of C, 32 bits
    x: float                            the double of C, as Python's float is
    a: "double[n][m]"                   an array, spelled as in C
    a: "float32[n, m]"                  or as numpy does; float32 is the float of C
    a: ls.float32["n", "m"]             by a type object, also numpy's
    a: Annotated[object, "double[n]"]   for type checkers

Quotes make no difference (formatters remove them), so that "float" is Python's too.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from loadstone.errors import refused
from loadstone.frontend.python.text import Finder, Script, Text
from loadstone.model import types

TYPES = {
    "int": types.INT,
    "float": types.DOUBLE,
    "bool": types.BOOL,
    "double": types.DOUBLE,
    "float32": types.FLOAT,
    "float64": types.DOUBLE,
    "int8": types.SCHAR,
    "int16": types.SHORT,
    "int32": types.INT,
    "int64": types.LONG,
    "uint8": types.UCHAR,
    "uint16": types.USHORT,
    "uint32": types.UINT,
    "uint64": types.ULONG,
}

_SPELLING = re.compile(r"\s*([A-Za-z_][\w.]*(?:\s+[A-Za-z_]\w*)*)\s*((?:\[[^\[\]]*\]\s*)*)")
_HINT = 'write int, float, or an array in a string: "double[n][m]"'


@dataclass(frozen=True, slots=True)
class ElementType:
    """A type to annotate with: `double`, or as an array `double["n", "m"]`; called, it converts a number."""

    name: str

    def __getitem__(self, extents: object) -> ElementType:
        """The type of an array; the extents are read from the source."""
        return self

    def __call__(self, value: types.Number) -> types.Number:
        """The number converted to the type."""
        return TYPES[self.name].wrap(value)


double, float32, float64 = map(ElementType, ("double", "float32", "float64"))
int8, int16, int32, int64 = map(ElementType, ("int8", "int16", "int32", "int64"))
uint8, uint16, uint32, uint64 = map(ElementType, ("uint8", "uint16", "uint32", "uint64"))


@dataclass(frozen=True, slots=True)
class Shape:
    """A type: its elements, and the extents (None where open), each with the means to find its parts."""

    element: types.ScalarType
    extents: tuple[tuple[ast.expr, Finder] | None, ...] = ()


def read_shape(node: ast.expr, script: Script, alias: Callable[[str], str | None]) -> Shape:
    """The shape that an annotation states; `alias` tells the types that names stand for."""
    match node:
        case ast.Constant(value=str()):
            return _spelled(script.string(node))
        case ast.Name(id=name) if spelling := alias(name):
            return _spelled(Text(spelling, script.span(node), exact=False))
        case ast.Name(id=name) | ast.Attribute(attr=name) if kind := TYPES.get(name) or types.type_named((name,)):
            return Shape(kind)
        case ast.Subscript(value=ast.Name(id=name) | ast.Attribute(attr=name), slice=ast.Tuple(elts=parts)) if (
            name == "Annotated"
        ):
            return read_shape(parts[-1], script, alias)
        case ast.Subscript(value=value, slice=index):
            shape = read_shape(value, script, alias)
            return Shape(shape.element, (*shape.extents, *_extents(index, script)))
        case _:
            raise refused(f"'{ast.unparse(node)}' is not a type that kernels can hold", script.span(node), _HINT)


def _extents(index: ast.expr, script: Script) -> Iterator[tuple[ast.expr, Finder] | None]:
    for part in index.elts if isinstance(index, ast.Tuple) else (index,):
        match part:
            case ast.Slice(lower=None, upper=None, step=None):
                yield None
            case ast.Constant(value=str()):
                yield script.string(part).parse()
            case _:
                yield part, script.span


def _spelled(text: Text) -> Shape:
    """The shape that a string spells as C does."""
    match = _SPELLING.fullmatch(text.text)
    words = tuple(word for word in match[1].split() if word != "const") if match else ()
    kind = (TYPES.get(words[0].split(".")[-1]) if len(words) == 1 else None) or types.type_named(words)
    if match is None or kind is None:
        raise refused(f"'{text.text.strip()}' is not a type that kernels can hold", text.stripped().span, _HINT)
    extents = text.part(match.start(2), match.end(2))
    brackets = re.finditer(r"\[([^\]]*)\]", extents.text)
    return Shape(kind, tuple(e for b in brackets for e in _spelled_extents(extents.part(b.start(1), b.end(1)))))


def _spelled_extents(text: Text) -> Iterator[tuple[ast.expr, Finder] | None]:
    if all(piece.text in ("", ":") for piece in text.split(",")):
        yield from (None for _ in text.split(","))
        return
    tree, finder = text.parse()
    for part in tree.elts if isinstance(tree, ast.Tuple) else (tree,):
        yield part, finder
