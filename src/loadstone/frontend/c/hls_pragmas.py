"""The pragmas of HLS tools in a kernel's function, and in the functions that it calls."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from pycparser import c_ast

from loadstone.errors import Span
from loadstone.frontend.c.trees import walk
from loadstone.model.hls_pragma import HlsPragma


def hls_pragmas(
    root: c_ast.FuncDef,
    outside: Iterable[c_ast.Node],
    functions: Mapping[str, c_ast.FuncDef],
    constants: Mapping[str, int],
    span: Callable[[c_ast.Node], Span],
) -> Iterator[HlsPragma]:
    """The pragmas outside of functions, then those of callees behind their callers', with numbers for constants."""
    for node in outside:
        if isinstance(node, c_ast.Pragma):
            yield from (_pragma(found, "", constants, span(found)) for found, _ in _with_loops(node, ""))
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
        loop = _iterator(node) or loop
    for _, child in node.children():
        yield from _with_loops(child, loop)


def _iterator(node: c_ast.For) -> str | None:
    names = (
        (part.name for part in walk(node.init) if isinstance(part, c_ast.Decl | c_ast.ID)) if node.init else iter(())
    )
    return next(names, None)


def _pragma(node: c_ast.Pragma, loop: str, constants: Mapping[str, int], span: Span) -> HlsPragma:
    text = " ".join(str(node.string or "").split())
    parts = re.sub(r"\s*=\s*", "=", text).split()[1:]
    pairs = [part.partition("=") for part in parts[1:]]
    options = {name.lower(): str(constants.get(value, value)) for name, equals, value in pairs if equals}
    words = tuple(name.lower() for name, equals, _ in pairs if not equals)
    return HlsPragma(text, parts[0].upper() if parts else "", words, options, loop, span)
