"""From one Python function to the kernel."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace

from loadstone.errors import InputError, Problems, refused
from loadstone.frontend import syntax
from loadstone.frontend.build import build_kernel
from loadstone.frontend.python.annotations import Shape, read_shape
from loadstone.frontend.python.calls import helper_types
from loadstone.frontend.python.constants import folded
from loadstone.frontend.python.environment import Helper
from loadstone.frontend.python.expressions import Expressions
from loadstone.frontend.python.options import Given, read_options
from loadstone.frontend.python.statements import Statements
from loadstone.frontend.python.variables import with_scopes
from loadstone.frontend.recursion_limit import MAX_NESTING
from loadstone.model.kernel import Kernel
from loadstone.model.types import DOUBLE, INT, ScalarType

_SCOPES = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)


def function_kernel(
    function: Helper, options: Mapping[str, Given], formats: Mapping[ScalarType, ScalarType] | None = None
) -> Kernel:
    """The kernel that a function states, with other types for some; raises `InputError` with all its problems."""
    if _depth(function.tree) > MAX_NESTING:
        hint = f"at most {MAX_NESTING} levels are handled; split long expressions and nests"
        raise refused("the function is nested too deeply", function.script.span(function.tree), hint)
    kernel = build_kernel(replace(_program(function, options), formats=formats or {}))
    signature = dict(_signature_defaults(function))
    defaults = {name: value for name, value in signature.items() if name in kernel.parameters}
    return replace(kernel, defaults=defaults | dict(kernel.defaults))


def _depth(tree: ast.AST) -> int:
    """How deeply the nodes of a tree are nested."""
    depth, level = 0, [tree]
    while level:
        depth, level = depth + 1, [child for node in level for child in ast.iter_child_nodes(node)]
    return depth


def _program(function: Helper, options: Mapping[str, Given]) -> syntax.Program:
    problems = Problems()
    tree, script = function.tree, function.script
    arguments = frozenset(argument.arg for argument in _arguments(tree))
    expressions = Expressions(script.span, function.environment, arguments | _variables(tree) | _iterators(tree))
    expressions.iterators |= dict.fromkeys(_iterators(tree), INT)
    statements = Statements(script, expressions, problems, arguments, _variables(tree))
    _declare_arguments(function, statements)
    body, results = _without_return(tree)
    block = statements.block(node for node in body if not isinstance(node, ast.Assert))
    _check_results(results, function, statements)
    directives = _directives(options, body, expressions, problems)
    functions = tuple(_helpers(expressions, problems))
    problems.raise_if_any()
    outside = (symbol for symbol in expressions.symbols.values() if not symbol.local)
    symbols = tuple(replace(symbol, live_out=symbol.live_out or symbol.name in results) for symbol in outside)
    scoped = with_scopes(block, results)
    return syntax.Program(tree.name, symbols, functions, scoped, directives, None, script.span(tree))


def _arguments(tree: ast.FunctionDef) -> tuple[ast.arg, ...]:
    return (*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs)


def _iterators(tree: ast.FunctionDef) -> frozenset[str]:
    loops = (node.target for node in _nodes(tree) if isinstance(node, ast.For))
    return frozenset(target.id for target in loops if isinstance(target, ast.Name))


def _variables(tree: ast.FunctionDef) -> frozenset[str]:
    """The names that are assigned otherwise than by a loop."""
    targets = {id(node.target) for node in _nodes(tree) if isinstance(node, ast.For)}
    stores = (node for node in _nodes(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    return frozenset(node.id for node in stores if id(node) not in targets)


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function that belong to its own scope."""
    for child in ast.iter_child_nodes(tree):
        if not isinstance(child, _SCOPES):
            yield child
            yield from _nodes(child)


def _declare_arguments(function: Helper, statements: Statements) -> None:
    """Give every argument its symbol: scalars first, since the extents of arrays use them."""
    script, expressions, problems = function.script, statements.expressions, statements.problems
    for extra in (function.tree.args.vararg, function.tree.args.kwarg):
        if extra is not None:
            hint = "name every argument"
            problems.add("arguments with '*' are not supported in a kernel", script.span(extra), hint)
    shapes: dict[ast.arg, Shape] = {}
    for argument in _arguments(function.tree):
        try:
            statements.check_name(argument.arg, script.span(argument))
            shapes[argument] = _argument_shape(argument, statements)
        except InputError as error:
            problems.extend(error)
            shapes[argument] = Shape(DOUBLE)
            expressions.untyped.add(argument.arg)
        kind = shapes[argument].element
        symbol = syntax.Symbol(argument.arg, kind, (), True, False, script.span(argument))
        expressions.symbols[argument.arg] = symbol
    for argument, shape in shapes.items():
        if shape.extents:
            expressions.symbols[argument.arg] = _array(expressions, argument.arg, shape, problems)


def _argument_shape(argument: ast.arg, statements: Statements) -> Shape:
    if argument.annotation is None:
        hint = f'annotate it: {argument.arg}: int, {argument.arg}: float or {argument.arg}: "double[n]"'
        raise refused(f"the argument '{argument.arg}' has no type", statements.script.span(argument), hint)
    return read_shape(argument.annotation, statements.script, statements.expressions.type_alias)


def _array(expressions: Expressions, name: str, shape: Shape, problems: Problems) -> syntax.Symbol:
    extents: list[syntax.Expr | None] = []
    for extent in shape.extents:
        try:
            extents.append(extent and expressions.expression_at(*extent))
        except InputError as error:
            problems.extend(error)
            extents.append(None)
    return replace(expressions.symbols[name], extents=tuple(extents), live_out=True)


def _without_return(tree: ast.FunctionDef) -> tuple[list[ast.stmt], frozenset[str]]:
    """The statements without a final return, and the variables that it returns."""
    last = tree.body[-1]
    match last:
        case ast.Return(value=None | ast.Constant(value=None)):
            return tree.body[:-1], frozenset()
        case ast.Return(value=ast.Name(id=name)):
            return tree.body[:-1], frozenset({name})
        case ast.Return(value=ast.Tuple(elts=parts)) if all(isinstance(part, ast.Name) for part in parts):
            return tree.body[:-1], frozenset(part.id for part in parts if isinstance(part, ast.Name))
        case _:
            return tree.body, frozenset()


def _check_results(results: frozenset[str], function: Helper, statements: Statements) -> None:
    for name in sorted(results - set(statements.expressions.symbols)):
        span = function.script.span(function.tree.body[-1])
        statements.problems.add(f"'{name}' is returned, but is not a variable of the kernel", span, "remove the return")


def _directives(
    options: Mapping[str, Given], body: list[ast.stmt], expressions: Expressions, problems: Problems
) -> syntax.Directives:
    """What the decorator says, and what the function asserts at its top level."""
    directives = syntax.Directives()
    try:
        directives = read_options(options, expressions)
        asserted = tuple(expressions.condition(node.test) for node in body if isinstance(node, ast.Assert))
        directives = replace(directives, assumptions=directives.assumptions + asserted)
    except InputError as error:
        problems.extend(error)
    return directives


def _helpers(expressions: Expressions, problems: Problems) -> Iterator[syntax.Function]:
    """The helper functions called by the kernel, directly or not."""
    done: set[str] = set()
    while waiting := [name for name in expressions.functions.helpers if name not in done]:
        for name in waiting:
            done.add(name)
            try:
                yield _helper(name, expressions)
            except InputError as error:
                problems.extend(error)


def _helper(name: str, caller: Expressions) -> syntax.Function:
    helper = caller.functions.helpers[name]
    span = helper.script.span(helper.tree)
    parameters, result = helper_types(helper)
    body = [node for node in helper.tree.body if not isinstance(node, ast.Expr)]
    if len(body) != 1 or not isinstance(body[0], ast.Return) or body[0].value is None:
        hint = "it must hold one 'return' of an expression; write longer computations in the kernel"
        raise refused(f"'{helper.tree.name}' is called by the kernel and cannot be inlined", span, hint)
    names = frozenset(name for name, _ in parameters)
    symbols = {name: syntax.Symbol(name, kind, (), True, False, span) for name, kind in parameters}
    functions, prefix = caller.functions, _unused_prefix(name, caller)
    inner = Expressions(helper.script.span, helper.environment, names, symbols, functions=functions, prefix=prefix)
    expression = inner.expression(body[0].value)
    caller.symbols |= {name: symbol for name, symbol in inner.symbols.items() if symbol.constant}
    return syntax.Function(name, parameters, expression, result)


def _unused_prefix(name: str, caller: Expressions) -> str:
    """The start of names that the kernel does not use."""
    prefix = name + "_"
    while any(taken.startswith(prefix) for taken in (*caller.assigned, *caller.symbols)):
        prefix += "_"
    return prefix


def _signature_defaults(function: Helper) -> Iterator[tuple[str, int]]:
    """The integers that arguments have by default."""
    arguments = function.tree.args
    positional = [*arguments.posonlyargs, *arguments.args]
    first = len(positional) - len(arguments.defaults)
    pairs = [*zip(positional[first:], arguments.defaults, strict=True)]
    for argument, default in [*pairs, *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]:
        value = folded(default, lambda name: None)
        if isinstance(value, int) and not isinstance(value, bool):
            yield argument.arg, value
