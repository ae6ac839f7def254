"""The decorator that makes a kernel of a function in a running program."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import overload

from loadstone.errors import refused
from loadstone.frontend.python.environment import Helper, function_tree, running_environment
from loadstone.frontend.python.function import function_kernel
from loadstone.frontend.python.options import Given
from loadstone.model.kernel import Kernel

Schedule = str | Mapping[str, str | Sequence[str]]


@overload
def kernel(function: Callable[..., object], /) -> Kernel: ...


@overload
def kernel(
    *,
    tile: int | Sequence[int] | None = None,
    schedule: Schedule | None = None,
    strip: int | None = None,
    defaults: Mapping[str, int] | None = None,
    assume: str | Sequence[str] | None = None,
) -> Callable[[Callable[..., object]], Kernel]: ...


def kernel(
    function: Callable[..., object] | None = None,
    /,
    *,
    tile: int | Sequence[int] | None = None,
    schedule: Schedule | None = None,
    strip: int | None = None,
    defaults: Mapping[str, int] | None = None,
    assume: str | Sequence[str] | None = None,
) -> Kernel | Callable[[Callable[..., object]], Kernel]:
    """The kernel that the decorated function states; raises `InputError` with all its problems.

        @kernel(tile=(32, 32, 32), defaults={"n": 64}, assume="n >= 1")
        def matmul(n: int, a: "int[n][n]", b: "int[n][n]", c: "int[n][n]"):
            for i in range(n):
                for j in range(n):
                    for k in range(n):
                        c[i, j] += a[i, k] * b[k, j]

    The function is read, never run. Its arithmetic is that of C on the annotated types: `int` has 32 bits and wraps
    around. Division, `//`, `%` and comparisons mean what they mean in Python. Written arrays are results, scalars only
    when they are returned. An array declared without a value (`t: "double[n]"`) is local. Names of numbers outside of
    the function stand for their value at the time of decoration. `assume` and `assert` state what is known of the
    parameters; `schedule` gives the tiled dimensions of each statement: {"S0": "t, t + i"} or "S0: t, t + i".
    """
    given = {"tile": tile, "schedule": schedule, "strip": strip, "defaults": defaults, "assume": assume}
    options = {name: value for name, value in given.items() if value is not None}
    if function is not None:
        return _kernel_of(function, options)
    return lambda decorated: _kernel_of(decorated, options)


def _kernel_of(function: Callable[..., object], options: Mapping[str, object]) -> Kernel:
    if not isinstance(function, FunctionType):
        raise refused(f"{function!r} is not a function that can be read", None, "decorate a function written in Python")
    tree, script = function_tree(function)
    nodes = option_nodes(tree)
    span = script.span(tree)
    given = {name: Given(value, nodes.get(name), script, span) for name, value in options.items()}
    return function_kernel(Helper(tree, script, running_environment(function)), given)


def option_nodes(tree: ast.FunctionDef) -> dict[str, ast.expr]:
    """The options that the decorator of a function spells, where it is called `kernel`."""
    for decorator in tree.decorator_list:
        match decorator:
            case ast.Call(func=ast.Name(id="kernel") | ast.Attribute(attr="kernel"), keywords=keywords):
                return {keyword.arg: keyword.value for keyword in keywords if keyword.arg}
            case _:
                continue
    return {}
