"""The meaning of the names of a kernel: which of its scalars are parameters."""

from __future__ import annotations

from dataclasses import replace

from loadstone.frontend import scopes, syntax
from loadstone.frontend.control_names import steering_names
from loadstone.frontend.typing import Names
from loadstone.model.types import ScalarType


def names_of(program: syntax.Program, resolved: scopes.Resolved) -> Names:
    """The meaning of names: a parameter is an integer scalar that never changes and steers control.

    What is neither a parameter nor an iterator nor steers control gets its other type, if there is one.
    """
    changing = scopes.written_names(resolved.body) | set(scopes.iterators(resolved.body))
    used = {
        name
        for node in scopes.nodes(resolved.body)
        for part in scopes.own_expressions(node)
        for name in scopes.names_in(part)
    }
    steering = steering_names(resolved) | _names_in_functions(program.functions, resolved)
    for name in used & set(resolved.symbols):
        steering |= {n for e in resolved.symbols[name].extents if e is not None for n in scopes.names_in(e)}
    asked = {n for e in program.directives.assumptions for n in scopes.names_in(e)}
    parameters = tuple(
        name
        for name, symbol in resolved.symbols.items()
        if name in steering | asked
        and not symbol.extents
        and symbol.type.is_integer
        and not symbol.constant
        and name not in changing
    )
    for name, symbol in tuple(resolved.symbols.items()):
        if name not in steering | asked | set(scopes.iterators(resolved.body)):
            resolved.symbols[name] = _retyped(symbol, program.formats.get(symbol.type, symbol.type))
    return Names(resolved.symbols, parameters, {f.name: f for f in program.functions}, {}, program.externals)


def _retyped(symbol: syntax.Symbol, kind: ScalarType) -> syntax.Symbol:
    """The symbol with another type."""
    values = None if symbol.values is None else tuple(map(kind.wrap, symbol.values))
    return symbol if symbol.type == kind else replace(symbol, type=kind, values=values)


def _names_in_functions(functions: tuple[syntax.Function, ...], resolved: scopes.Resolved) -> set[str]:
    """The names that the functions called in bounds, conditions and subscripts use beside their parameters."""
    known = {function.name: function for function in functions}
    waiting = [part for control in scopes.control_expressions(resolved.body) for part in scopes.expressions(control)]
    found: set[str] = set()
    while waiting:
        part = waiting.pop()
        if isinstance(part, syntax.Invocation) and part.function in known:
            function = known.pop(part.function)
            found |= scopes.names_in(function.result) - {name for name, _ in function.parameters}
            waiting.extend(scopes.expressions(function.result))
    return found
