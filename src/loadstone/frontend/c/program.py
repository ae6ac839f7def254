"""Finding the kernel in a C file: the scop, the function around it, and what that function sees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pycparser import c_ast, c_generator

from loadstone.errors import Diagnostic, InputError, Problems
from loadstone.frontend import syntax
from loadstone.frontend.c.declarations import Environment, shape_of
from loadstone.frontend.c.lower import Lowering, refused
from loadstone.frontend.c.parse import BARE_FUNCTION, Parsed, parse
from loadstone.frontend.c.pragmas import Pragma, read_directives
from loadstone.frontend.c.preprocess import preprocess
from loadstone.frontend.scopes import nodes
from loadstone.kernel.model import Original
from loadstone.kernel.types import INT, ScalarType


@dataclass(frozen=True, slots=True)
class _Scop:
    """The statements of the kernel, and the rest of their function."""

    function: c_ast.FuncDef
    items: tuple[c_ast.Node, ...]
    start: int
    end: int
    whole: bool


def read_c(
    path: Path, defines: Mapping[str, str], include: tuple[Path, ...], function: str | None
) -> syntax.Program:
    """The kernel of a C file as a syntax tree."""
    parsed = parse(preprocess(path, defines, include))
    problems = Problems()
    environment = Environment()
    for node in parsed.tree.ext:
        environment.declare(node)
    lowering = Lowering(parsed.span, environment, problems)
    scop = _find_scop(parsed, function)
    name = path.stem.replace("-", "_") if parsed.bare else scop.function.decl.name
    symbols = (*_globals(parsed, lowering), *_function_symbols(scop, lowering))
    items, result = _without_return(scop)
    body = _with_result_declared(syntax.Block(tuple(lowering.statements(items))), result)
    program = syntax.Program(
        name,
        _with_result(symbols, result),
        tuple(_inlinable_functions(parsed, lowering)),
        body,
        read_directives(tuple(_pragmas(parsed, scop)), lowering.expression_at, problems),
        Original(_preamble(parsed, scop), _text(parsed, scop), _undeclared_iterators(body, symbols)),
        parsed.span(scop.function),
        parsed.bare,
    )
    problems.raise_if_any()
    return program


def _find_scop(parsed: Parsed, wanted: str | None) -> _Scop:
    functions = [node for node in parsed.tree.ext if isinstance(node, c_ast.FuncDef)]
    named = [f for f in functions if wanted in (None, f.decl.name)]
    if wanted and not named:
        known = ", ".join(f.decl.name for f in functions) or "none"
        raise InputError(Diagnostic(f"there is no function '{wanted}'", None, f"functions in the file: {known}"))
    marked = [scop for f in named for scop in _marked_scops(f, parsed)]
    if len(marked) > 1:
        second = marked[1]
        other = second.function.decl.name
        hint = "choose one with --function NAME" if other != marked[0].function.decl.name else "keep one per function"
        raise refused("this is a second '#pragma scop'", parsed.preprocessed.span_at(second.start), hint)
    if marked:
        return marked[0]
    if len(named) == 1:
        return _whole_function(named[0], parsed)
    if not named:
        raise refused("there is no kernel in this file", parsed.preprocessed.source.span(1, 1), "write a loop nest")
    names = ", ".join(f.decl.name for f in named)
    raise refused(
        "several functions, and none is marked with '#pragma scop'", parsed.span(named[1]), f"--function, one of: {names}"
    )


def _whole_function(function: c_ast.FuncDef, parsed: Parsed) -> _Scop:
    items = tuple(function.body.block_items or ())
    start = parsed.offset(function.body)
    opening = parsed.preprocessed.text.index("{", start) + 1 if not parsed.bare else 0
    return _Scop(function, items, opening, _closing_brace(parsed.preprocessed.text, opening), True)


def _closing_brace(text: str, start: int) -> int:
    depth = 1
    for offset in range(start, len(text)):
        depth += (text[offset] == "{") - (text[offset] == "}")
        if depth == 0:
            return offset
    return len(text)


def _marked_scops(function: c_ast.FuncDef, parsed: Parsed) -> Iterator[_Scop]:
    for block in _blocks(function.body):
        items = block.block_items or ()
        words = [_pragma_words(item) for item in items]
        starts = [k for k, w in enumerate(words) if w == ["scop"]]
        ends = [k for k, w in enumerate(words) if w == ["endscop"]]
        if ends and (not starts or ends[0] < starts[0]):
            raise refused("'#pragma endscop' without '#pragma scop'", parsed.span(items[ends[0]]))
        for position, start in enumerate(starts):
            limit = starts[position + 1] if position + 1 < len(starts) else len(items)
            end = next((k for k in ends if start < k < limit), None)
            if end is None:
                hint = "close the kernel with '#pragma endscop' in the same block"
                raise refused("'#pragma scop' is never closed", parsed.span(items[start]), hint)
            text_start = parsed.preprocessed.text.index("\n", parsed.offset(items[start]))
            text_end = parsed.preprocessed.text.rindex("\n", 0, parsed.offset(items[end]))
            yield _Scop(function, tuple(items[start + 1 : end]), text_start, text_end, False)


def _blocks(node: c_ast.Node) -> Iterator[c_ast.Compound]:
    if isinstance(node, c_ast.Compound):
        yield node
    for _, child in node.children():
        yield from _blocks(child)


def _pragma_words(node: c_ast.Node) -> list[str]:
    return (node.string or "").split() if isinstance(node, c_ast.Pragma) else []


def _pragmas(parsed: Parsed, scop: _Scop) -> Iterator[Pragma]:
    """The loadstone pragmas of the file's top level and of the kernel's function."""
    nodes = [*parsed.tree.ext, *_walk(scop.function)]
    for node in nodes:
        if isinstance(node, c_ast.Pragma) and (node.string or "").split()[:1] == ["loadstone"]:
            span = parsed.span(node)
            rest = node.string.split("loadstone", 1)[1]
            line = span.source.line(span.line)
            column = line.find("loadstone") + len("loadstone") + 1
            yield Pragma(rest, replace(span, column=max(column, 1)))


def _walk(node: c_ast.Node) -> Iterator[c_ast.Node]:
    yield node
    for _, child in node.children():
        yield from _walk(child)


def _globals(parsed: Parsed, lowering: Lowering) -> Iterator[syntax.Symbol]:
    for node in parsed.tree.ext:
        if isinstance(node, c_ast.Decl) and node.name and not isinstance(node.type, c_ast.FuncDecl):
            yield from _symbol_or_nothing(node, lowering, initialised=True, live_out=True)


def _symbol_or_nothing(
    node: c_ast.Decl, lowering: Lowering, *, initialised: bool, live_out: bool
) -> Iterator[syntax.Symbol]:
    try:
        yield lowering.symbol(node, initialised=initialised, live_out=live_out)
    except InputError:
        return


def _function_symbols(scop: _Scop, lowering: Lowering) -> Iterator[syntax.Symbol]:
    outside = _names_outside(scop)
    arguments = scop.function.decl.type.args
    for node in arguments.params if arguments else ():
        if isinstance(node, c_ast.Decl) and node.name:
            by_value = not shape_of(node.type, lowering.environment).extents
            yield from _symbol_or_nothing(
                node, lowering, initialised=True, live_out=not by_value or node.name in outside.after
            )
    for node in outside.declarations:
        lowering.environment.declare(node)
        known = node.name in outside.before or node.init is not None or "static" in node.storage
        seen = node.name in outside.after or "static" in node.storage
        yield from _symbol_or_nothing(node, lowering, initialised=known, live_out=seen)


@dataclass(frozen=True, slots=True)
class _Outside:
    """What the function holds beside the kernel: declarations before it, names used before and after it."""

    declarations: tuple[c_ast.Decl, ...]
    before: frozenset[str]
    after: frozenset[str]


def _names_outside(scop: _Scop) -> _Outside:
    """The names that the function uses outside of the kernel; inside a loop around it, before is also after."""
    declarations: list[c_ast.Decl] = []
    before: set[str] = set()
    after: set[str] = set()
    inside = set(map(id, scop.items))

    def visit(node: c_ast.Node, looped: bool) -> bool:
        """Collect names; returns whether the kernel was met."""
        met = False
        looped = looped or isinstance(node, c_ast.For | c_ast.While | c_ast.DoWhile)
        for _, child in node.children():
            if id(child) in inside:
                met = True
                continue
            if isinstance(child, c_ast.Decl) and child.name and not met and not scop.whole:
                declarations.append(child)
            if isinstance(child, c_ast.ID):
                _add_name(child.name, after if met else before, (before, after) if looped else ())
            met = visit(child, looped) or met
        return met

    visit(scop.function.body, False)
    return _Outside(tuple(declarations), frozenset(before), frozenset(after))


def _add_name(name: str, names: set[str], also: tuple[set[str], ...]) -> None:
    for group in (names, *also):
        group.add(name)


def _without_return(scop: _Scop) -> tuple[tuple[c_ast.Node, ...], str | None]:
    """The kernel's statements without a final return, and the scalar that it returns."""
    if not scop.whole or not scop.items or not isinstance(scop.items[-1], c_ast.Return):
        return scop.items, None
    value = scop.items[-1].expr
    if value is None:
        return scop.items[:-1], None
    return (scop.items[:-1], value.name) if isinstance(value, c_ast.ID) else (scop.items, None)


def _with_result(symbols: tuple[syntax.Symbol, ...], result: str | None) -> tuple[syntax.Symbol, ...]:
    return tuple(replace(s, live_out=s.live_out or s.name == result) for s in symbols)


def _with_result_declared(block: syntax.Block, result: str | None) -> syntax.Block:
    """The body with the returned scalar's declaration, at its top level, marked live-out."""
    return syntax.Block(
        tuple(
            syntax.Declare(replace(item.symbol, live_out=True))
            if isinstance(item, syntax.Declare) and item.symbol.name == result
            else item
            for item in block.items
        )
    )


def _inlinable_functions(parsed: Parsed, lowering: Lowering) -> Iterator[syntax.Function]:
    """Functions of scalars whose body is one return of an expression without side effects."""
    for node in parsed.tree.ext:
        if isinstance(node, c_ast.FuncDef) and node.decl.name != BARE_FUNCTION:
            yield from _inlinable(node, lowering)


def _inlinable(node: c_ast.FuncDef, lowering: Lowering) -> Iterator[syntax.Function]:
    items = node.body.block_items or ()
    declaration = node.decl.type
    if len(items) != 1 or not isinstance(items[0], c_ast.Return) or items[0].expr is None:
        return
    parameters = declaration.args.params if declaration.args else ()
    shapes = [shape_of(p.type, lowering.environment) for p in parameters if isinstance(p, c_ast.Decl)]
    result = shape_of(declaration.type, lowering.environment)
    if result.element is None or result.extents or any(s.element is None or s.extents for s in shapes):
        return
    names = tuple((p.name, s.element) for p, s in zip(parameters, shapes, strict=False) if s.element and p.name)
    try:
        expression = lowering.expression(items[0].expr)
    except InputError:
        return
    yield syntax.Function(node.decl.name, names, expression, result.element)


def _preamble(parsed: Parsed, scop: _Scop) -> str:
    """The typedefs, enumerations, constants and small functions that the kernel may use, as C."""
    generator = c_generator.CGenerator()
    lines: list[str] = []
    for node in parsed.tree.ext[_prelude_size(parsed) :]:
        if isinstance(node, c_ast.Typedef) or _is_enumeration(node) or _is_constant(node):
            lines.append(generator.visit(node) + ";")
        elif isinstance(node, c_ast.FuncDef) and node is not scop.function and _is_small(node):
            lines.append(generator.visit(node))
    return "\n".join(lines)


def _text(parsed: Parsed, scop: _Scop) -> str:
    """The kernel's statements as written, macros expanded, without a final return."""
    final = scop.items[-1] if scop.whole and scop.items else None
    end = parsed.offset(final) if isinstance(final, c_ast.Return) else scop.end
    return parsed.preprocessed.text[scop.start : end]


def _undeclared_iterators(
    body: syntax.Block, symbols: tuple[syntax.Symbol, ...]
) -> tuple[tuple[ScalarType, str], ...]:
    types = {symbol.name: symbol.type for symbol in symbols}
    loops = (node for node in nodes(body) if isinstance(node, syntax.For) and node.declared is None)
    return tuple((types.get(name, INT), name) for name in dict.fromkeys(loop.iterator for loop in loops))


def _prelude_size(parsed: Parsed) -> int:
    return next((k for k, node in enumerate(parsed.tree.ext) if node.coord and node.coord.line > 1), 0)


def _is_enumeration(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.Decl) and node.name is None


def _is_constant(node: c_ast.Node) -> bool:
    return (
        isinstance(node, c_ast.Decl)
        and node.init is not None
        and node.name is not None
        and "const" in (node.quals or [])
    )


def _is_small(node: c_ast.FuncDef) -> bool:
    items = node.body.block_items or ()
    return len(items) == 1 and isinstance(items[0], c_ast.Return)


