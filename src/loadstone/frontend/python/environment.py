"""What a function sees around it: constants, library functions and helper functions, of a file or of a program."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from types import CellType, FunctionType, ModuleType
from typing import Protocol

from loadstone.errors import Source, refused
from loadstone.frontend.python.annotations import TYPES, ElementType
from loadstone.frontend.python.constants import Value, as_value, folded
from loadstone.frontend.python.text import Script


@dataclass(frozen=True, slots=True)
class Known:
    """A name that stands for a constant."""

    value: Value


@dataclass(frozen=True, slots=True)
class Library:
    """A name that stands for a function or constant of a module, or, with no name, for the module itself."""

    module: str
    name: str


@dataclass(frozen=True, slots=True)
class Helper:
    """A function of the user, to be inlined."""

    tree: ast.FunctionDef
    script: Script
    environment: Environment


Binding = Known | Library | Helper


class Environment(Protocol):
    """What names outside of a function mean."""

    def find(self, name: str) -> Binding | None:
        """The meaning of a name, None when it has none that a kernel can use."""
        ...


def constant(environment: Environment, name: str) -> Value | None:
    """The constant that a name stands for, or None."""
    binding = environment.find(name)
    return binding.value if isinstance(binding, Known) else None


def type_alias(environment: Environment, name: str) -> str | None:
    """The type, spelled as in C, that a name stands for: a string, or a type object of a library."""
    match environment.find(name):
        case Known(value=str(spelling)):
            return spelling
        case Library(name=original) if original in TYPES:
            return original
        case _:
            return None


@dataclass(frozen=True, slots=True)
class ModuleEnvironment:
    """The top level of a file that is read and not run; names that are bound twice have no meaning."""

    script: Script
    bindings: dict[str, Binding | None] = field(default_factory=dict[str, Binding | None])

    def find(self, name: str) -> Binding | None:
        """The meaning of a name."""
        return self.bindings.get(name)


def module_environment(tree: ast.Module, script: Script) -> ModuleEnvironment:
    """The names that a file binds at its top level."""
    environment = ModuleEnvironment(script)
    changing = {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}
    for statement in tree.body:
        for name, binding in _bindings(statement, environment):
            seen = name in environment.bindings and not isinstance(binding, Library)
            environment.bindings[name] = None if seen or name in changing else binding
    return environment


def _bindings(node: ast.stmt, environment: ModuleEnvironment) -> Iterator[tuple[str, Binding | None]]:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            yield name, _folded(value, environment)
        case ast.AnnAssign(target=ast.Name(id=name), value=value):
            yield name, _folded(value, environment)
        case ast.FunctionDef(name=name):
            yield name, Helper(node, environment.script, environment)
        case _:
            yield from _imports_and_stores(node)


def _folded(value: ast.expr | None, environment: ModuleEnvironment) -> Known | None:
    result = folded(value, lambda name: constant(environment, name))
    return None if result is None else Known(result)


def _imports_and_stores(node: ast.AST) -> Iterator[tuple[str, Binding | None]]:
    """The names that a statement binds, the bodies of functions and classes left out."""
    match node:
        case ast.Import(names=names):
            for alias in names:
                yield alias.asname or alias.name.split(".")[0], Library(alias.name, "")
        case ast.ImportFrom(module=str(module), names=names, level=0):
            for alias in names:
                yield alias.asname or alias.name, Library(module, alias.name)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name, None
        case ast.Name(id=name, ctx=ast.Store()):
            yield name, None
        case _:
            for child in ast.iter_child_nodes(node):
                yield from _imports_and_stores(child)


@dataclass(frozen=True, slots=True)
class RunningEnvironment:
    """The globals and the closure of a function object."""

    names: tuple[Mapping[str, object], ...]

    def find(self, name: str) -> Binding | None:
        """The meaning of a name."""
        return next((_meaning(names[name]) for names in self.names if name in names), None)


def running_environment(function: FunctionType) -> RunningEnvironment:
    """What a function object sees."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return RunningEnvironment((dict(_contents(cells)), function.__globals__))


def _contents(cells: Iterable[tuple[str, CellType]]) -> Iterator[tuple[str, object]]:
    """The contents of the cells of a closure; one that is still empty is left out."""
    for name, cell in cells:
        with suppress(ValueError):
            yield name, cell.cell_contents


def _meaning(value: object) -> Binding | None:
    match value:
        case ModuleType():
            return Library(value.__name__, "")
        case ElementType():
            return Library("loadstone", value.name)
        case FunctionType():
            return Helper(*function_tree(value), running_environment(value))
        case _:
            known = as_value(value)
            return _library_function(value) if known is None else Known(known)


def _library_function(value: object) -> Library | None:
    name = getattr(value, "__name__", None)
    owner = getattr(value, "__module__", None) or type(value).__module__
    return Library(str(owner).split(".")[0], name) if callable(value) and isinstance(name, str) else None


def function_tree(function: FunctionType) -> tuple[ast.FunctionDef, Script]:
    """The tree of a function object, with positions in the file or notebook cell that holds it."""
    name = inspect.getsourcefile(function) or function.__code__.co_filename
    try:
        lines, start = inspect.findsource(function)
    except (OSError, TypeError):
        hint = "define the kernel in a file or in a notebook cell"
        raise refused(f"the source of '{function.__name__}' is not available", None, hint) from None
    script = Script(Source(name, "".join(lines)))
    block = "".join(inspect.getblock(lines[start:]))
    tree = _first_statement(block, start, function, script)
    if not isinstance(tree, ast.FunctionDef):
        what = "an 'async' function" if isinstance(tree, ast.AsyncFunctionDef) else "a lambda"
        raise refused(f"{what} cannot be a kernel", script.source.span(start + 1, 1), "write a function with 'def'")
    return tree, script


def _first_statement(block: str, start: int, function: FunctionType, script: Script) -> ast.stmt:
    """The statement that a piece of a file holds, parsed where it stands: lines and columns are those of the file."""
    indented = block[:1] in (" ", "\t")
    try:
        tree = ast.parse(f"if True:\n{block}" if indented else block)
    except SyntaxError:
        hint = "write the kernel as a function of its own"
        raise refused(f"cannot read '{function.__name__}'", script.source.span(start + 1, 1), hint) from None
    ast.increment_lineno(tree, start - indented)
    first = tree.body[0]
    return first.body[0] if indented and isinstance(first, ast.If) else first
