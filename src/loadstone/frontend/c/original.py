"""The kernel's own C text with the definitions that it needs, for a compiler."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from copy import copy

from pycparser import c_ast, c_generator

from loadstone.frontend.c.trees import names_used, parameters_of, walk
from loadstone.model.kernel import Original
from loadstone.model.types import ScalarType


def original_text(
    definitions: Sequence[c_ast.Node],
    functions: Collection[str],
    text: str,
    scalars: tuple[tuple[ScalarType, str], ...],
    records: Sequence[str],
) -> Original:
    """The text with the types, also of records, and with the constants and functions of its file that it uses.

    Functions that use variables of the file stand inside of the text, where those variables are declared, and so do
    their callers.
    """
    types = {word for record in records for word in _words(record)}
    outside, inside = _needed(definitions, functions, {*_words(text), *types})
    defined, _ = _needed(definitions, (), types)
    return Original("\n".join(outside), "\n".join([*inside, text]), scalars, records="\n".join(defined))


def without_statics(text: str, names: Collection[str]) -> str:
    """The text without the declarations of some static variables, which are memory of the caller; its lines stay."""
    for name in names:
        declared = re.compile(rf"\b(?:static|extern)\b[^;{{}}()=]*\b{name}\b[^;]*;")
        text = declared.sub(lambda found: ";" + "\n" * found[0].count("\n"), text)
    return text


def _needed(
    definitions: Sequence[c_ast.Node], functions: Collection[str], names: Collection[str]
) -> tuple[list[str], list[str]]:
    """The definitions that some names lean on: those outside of the text, and nested functions."""
    nested, needed = _nested_functions(definitions), set(names)
    outside: list[str] = []
    inside: list[str] = []
    for node in reversed(definitions):
        if not needed & set(_defined_names(node, functions)):
            continue
        is_nested = isinstance(node, c_ast.FuncDef) and node.decl.name in nested
        code = _code(node, is_nested)
        needed |= set(_words(code))
        (inside if is_nested else outside).insert(0, code)
    return outside, inside


def are_defined_before(definitions: Sequence[c_ast.Node], functions: Collection[str]) -> bool:
    """Whether each of some functions stands before its callers among them."""
    known: set[str] = set()
    for node in definitions:
        if isinstance(node, c_ast.FuncDef) and node.decl.name in functions:
            if set(names_used(node.body)) & (set(functions) - known):
                return False
            known.add(node.decl.name)
    return True


def _nested_functions(definitions: Sequence[c_ast.Node]) -> set[str]:
    """The functions that use variables of the file, or call one that does and stands before them."""
    found: set[str] = set()
    for node in definitions:
        if isinstance(node, c_ast.FuncDef) and (
            _variables_used(node, definitions) or found & set(names_used(node.body))
        ):
            found.add(node.decl.name)
    return found


def _words(text: str) -> list[str]:
    return re.findall(r"[A-Za-z_]\w*", text)


def _defined_names(node: c_ast.Node, functions: Collection[str]) -> list[str]:
    """The names that a definition gives to types, constants and the functions that may be called."""
    match node:
        case c_ast.Typedef(name=name):
            return [name, *_tags(node)]
        case c_ast.FuncDef(decl=declaration):
            return [declaration.name] if declaration.name in functions else []
        case c_ast.Decl() if node.name is None:
            return _tags(node)
        case c_ast.Decl() if _is_constant(node):
            return [node.name]
        case _:
            return []


def _tags(node: c_ast.Node) -> list[str]:
    """The names of structures, enumerations and their constants in a definition."""
    parts = (part for part in walk(node) if isinstance(part, c_ast.Struct | c_ast.Enum | c_ast.Enumerator))
    return [part.name for part in parts if part.name]


def _is_constant(node: c_ast.Decl) -> bool:
    return node.init is not None and "const" in (node.quals or [])


def _variables_used(node: c_ast.FuncDef, definitions: Sequence[c_ast.Node]) -> set[str]:
    declarations = (d for d in definitions if isinstance(d, c_ast.Decl) and not isinstance(d.type, c_ast.FuncDecl))
    variables = {d.name for d in declarations if not _is_constant(d)}
    return (set(names_used(node.body)) - {p.name for p in parameters_of(node)}) & variables


def _code(node: c_ast.Node, is_nested: bool) -> str:
    """A definition as C; a nested function has no storage class."""
    generator = c_generator.CGenerator()
    if not isinstance(node, c_ast.FuncDef):
        return generator.visit(node) + ";"
    function = copy(node)
    if is_nested:
        function.decl = copy(node.decl)
        function.decl.storage, function.decl.funcspec = [], []
    return generator.visit(function)
