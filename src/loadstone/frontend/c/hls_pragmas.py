"""The pragmas of HLS tools in a kernel's function, and in the functions that it calls."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from pycparser import c_ast

from loadstone.errors import Span
from loadstone.frontend.c.trees import walk
from loadstone.model.hls_pragma import HlsPragma


def hls_pragmas(
    root: c_ast.FuncDef,
    functions: Mapping[str, c_ast.FuncDef],
    constants: Mapping[str, int],
    span: Callable[[c_ast.Node], Span],
) -> Iterator[HlsPragma]:
    """The pragmas, those of callees behind those of their callers; names of constants give way to numbers."""
    waiting, seen = [root.decl.name], {root.decl.name}
    bodies = {**functions, root.decl.name: root}
    while waiting:
        body = bodies[waiting.pop(0)].body
        for node, loop in _with_loops(body, ""):
            yield _pragma(node, loop, constants, span(node))
        calls = (part.name for part in walk(body) if isinstance(part, c_ast.FuncCall))
        found = [name.name for name in calls if isinstance(name, c_ast.ID) and name.name in bodies]
        waiting += [name for name in dict.fromkeys(found) if name not in seen]
        seen.update(found)


def _with_loops(node: c_ast.Node, loop: str) -> Iterator[tuple[c_ast.Pragma, str]]:
    """The pragmas of HLS below a node, and the iterators of the loops that they stand in."""
    if isinstance(node, c_ast.Pragma) and str(node.string or "").split()[:1] in (["HLS"], ["hls"]):
        yield node, loop
    if isinstance(node, c_ast.For):
        assigned = (part for part in walk(node.init) if isinstance(part, c_ast.ID)) if node.init else ()
        declared = (part.name for part in walk(node.init) if isinstance(part, c_ast.Decl)) if node.init else ()
        loop = next(declared, None) or next((part.name for part in assigned), loop)
    for _, child in node.children():
        yield from _with_loops(child, loop)


def _pragma(node: c_ast.Pragma, loop: str, constants: Mapping[str, int], span: Span) -> HlsPragma:
    text = " ".join(str(node.string or "").split())
    parts = re.sub(r"\s*=\s*", "=", text).split()[1:]
    pairs = [part.partition("=") for part in parts[1:]]
    options = {name.lower(): str(constants.get(value, value)) for name, equals, value in pairs if equals}
    words = tuple(name.lower() for name, equals, _ in pairs if not equals)
    return HlsPragma(text, parts[0].upper() if parts else "", words, options, loop, span)
