"""Finding the kernel in a Python file, which is read and never run."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

from loadstone.errors import Diagnostic, InputError, Source, refused
from loadstone.files import UnreadableFile, file_text, unreadable
from loadstone.frontend.python.constants import folded
from loadstone.frontend.python.environment import Environment, Helper, Library, constant, module_environment
from loadstone.frontend.python.function import function_kernel
from loadstone.frontend.python.options import OPTIONS, Given
from loadstone.frontend.python.text import Script
from loadstone.model.kernel import Kernel
from loadstone.model.types import ScalarType


def read_python(
    path: Path, function: str | None = None, formats: Mapping[ScalarType, ScalarType] | None = None
) -> Kernel:
    """The kernel of a Python file: the function decorated with `kernel`, or the one that is named.

    `formats` says what values of some types become.
    """
    script = Script(_read(path))
    tree = _parsed(script)
    environment = module_environment(tree, script)
    chosen = _chosen(tree, script, environment, function)
    options = dict(_options(chosen, script, environment))
    return function_kernel(Helper(chosen, script, environment), options, formats)


def _read(path: Path) -> Source:
    try:
        text = file_text(path)
    except UnreadableFile as reason:
        hint = "give the path of a C file, or of a .py file in UTF-8"
        raise unreadable(f"'{path}'", reason, None, hint) from None
    return Source(str(path), text.replace("\r\n", "\n").replace("\r", "\n"))


def _parsed(script: Script) -> ast.Module:
    source = script.source
    try:
        return ast.parse(source.text)
    except SyntaxError as error:
        span = source.span(error.lineno or 1, max(error.offset or 1, 1))
        raise refused(f"this is not Python: {error.msg}", span) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise refused(f"'{source.name}' cannot be read as Python: {error}", None) from None


def _chosen(tree: ast.Module, script: Script, environment: Environment, wanted: str | None) -> ast.FunctionDef:
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    named = [function for function in functions if wanted in (None, function.name)]
    if wanted and not named:
        known = ", ".join(function.name for function in functions) or "none"
        raise InputError(Diagnostic(f"there is no function '{wanted}'", None, f"functions in the file: {known}"))
    marked = [function for function in named if _mark(function, environment)]
    candidates = marked or named
    if len(candidates) == 1:
        return candidates[0]
    if not candidates:
        hint = "decorate a function with @loadstone.kernel"
        raise refused("there is no kernel in this file", script.source.span(1, 1), hint)
    if wanted:
        raise refused(f"this is a second function '{wanted}'", script.span(candidates[1]), "rename one of them")
    names = ", ".join(function.name for function in candidates)
    what = "this is a second kernel" if marked else "several functions, and none is decorated with @loadstone.kernel"
    raise refused(what, script.span(candidates[1]), f"choose one with --function, one of: {names}")


def _mark(function: ast.FunctionDef, environment: Environment) -> ast.expr | None:
    """The decorator that makes the function a kernel."""
    for decorator in function.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if isinstance(called, ast.Attribute) and called.attr == "kernel":
            return decorator
        if isinstance(called, ast.Name):
            binding = environment.find(called.id)
            name = binding.name if isinstance(binding, Library) else called.id
            if name == "kernel":
                return decorator
    return None


def _options(function: ast.FunctionDef, script: Script, environment: Environment) -> Iterator[tuple[str, Given]]:
    """The options of the decorator, computed without running it."""
    decorator = _mark(function, environment)
    if not isinstance(decorator, ast.Call):
        return
    for argument in decorator.args:
        raise refused("options of a kernel are given by keyword", script.span(argument), "for example tile=(32, 32)")
    for keyword in decorator.keywords:
        if keyword.arg not in OPTIONS:
            hint = f"known are: {', '.join(OPTIONS)}"
            raise refused(f"unknown option '{keyword.arg or '**'}'", script.span(keyword), hint)
        value = folded(keyword.value, lambda name: constant(environment, name))
        if value is None and not (isinstance(keyword.value, ast.Constant) and keyword.value.value is None):
            hint = "in a file that is read and not run, options are made of literals and constants of the module"
            raise refused(f"the value of '{keyword.arg}' is not a constant", script.span(keyword.value), hint)
        if value is not None:
            yield keyword.arg, Given(value, keyword.value, script, script.span(keyword))
