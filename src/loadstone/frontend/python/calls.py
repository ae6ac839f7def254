"""Calls: Python's own functions, those of math and numpy, type conversions, and the user's helper functions."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce

from loadstone.errors import InputError, Span, refused
from loadstone.frontend import syntax
from loadstone.frontend.python.annotations import TYPES, read_shape
from loadstone.frontend.python.environment import Helper, type_alias
from loadstone.frontend.python.inference import Inference
from loadstone.frontend.scopes import expressions
from loadstone.model.functions import OPERATORS, SIGNATURES
from loadstone.model.types import FLOAT, INT, ScalarType, promoted

_MODULES = frozenset({"", "builtins", "math", "numpy", "loadstone"})
_SPELLINGS = {
    "absolute": "abs",
    "minimum": "min",
    "maximum": "max",
    "power": "pow",
    "gamma": "tgamma",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctan2": "atan2",
}
_ROUNDINGS = {"floor": "floor", "ceil": "ceil", "trunc": "trunc", "round": "rint"}


@dataclass(frozen=True, slots=True)
class Callee:
    """A function by its module (empty when it needs no import) and name."""

    module: str
    name: str


def math_constant(name: str) -> float | None:
    """The value of `math.name` where it is a finite number."""
    value = getattr(math, name, None)
    return value if isinstance(value, float) and math.isfinite(value) else None


@dataclass(slots=True)
class Functions:
    """The functions that a kernel calls; the user's own, by the names that stand for them, are collected here."""

    helpers: dict[str, Helper] = field(default_factory=dict[str, Helper])
    types: dict[str, ScalarType] = field(default_factory=dict[str, ScalarType])

    def inlined(self, helper: Helper, arguments: tuple[syntax.Expr, ...], span: Span) -> syntax.Expr:
        """The call of a helper function, which is taken note of."""
        name = helper.tree.name
        name += "_" * (name in SIGNATURES or name in OPERATORS or name == "ceild")
        known = self.helpers.setdefault(name, helper)
        if (known.script.source.name, known.tree.lineno) != (helper.script.source.name, helper.tree.lineno):
            raise refused(f"two functions are called '{helper.tree.name}'", span, "rename one of them")
        self.types.setdefault(name, helper_types(helper)[1])
        return syntax.Invocation(name, arguments, span)

    def called(self, callee: Callee, arguments: Sequence[syntax.Expr], types: Inference, span: Span) -> syntax.Expr:
        """The call of a function of Python or of a library."""
        name = _SPELLINGS.get(callee.name, callee.name)
        if name in ("min", "max") and len(arguments) > 1:
            return reduce(lambda left, right: syntax.BinaryOp(name, left, right, span), arguments)
        _check(callee, name, len(arguments), span)
        if name in TYPES:
            return _converted(name, arguments[0], types, span)
        if name == "abs":
            return _absolute(arguments[0], types, span)
        if name in _ROUNDINGS and callee.module != "numpy":
            return _rounded(name, arguments[0], types, span)
        single = callee.module == "numpy" and all(types.type_of(argument) == FLOAT for argument in arguments)
        return syntax.Invocation(_ROUNDINGS.get(name, name) + "f" * single, tuple(arguments), span)


def unknown_effects(name: str, span: Span) -> InputError:
    """The error for a call of something that a kernel cannot call."""
    hint = "only mathematical functions and functions that return one expression of their arguments are allowed"
    return refused(f"the call of '{name}' has unknown effects", span, hint)


def _check(callee: Callee, name: str, given: int, span: Span) -> None:
    """Refuse functions that are not known, and wrong numbers of arguments."""
    if callee.module not in _MODULES or not (name in SIGNATURES or name in TYPES or name in ("min", "max", "round")):
        raise unknown_effects(callee.name, span)
    wanted = len(SIGNATURES[name][0]) if name in SIGNATURES else 2 if name in ("min", "max") else 1
    if given != wanted:
        raise refused(f"'{callee.name}' takes {wanted} argument{'s' * (wanted != 1)} in a kernel, not {given}", span)


def _converted(name: str, value: syntax.Expr, types: Inference, span: Span) -> syntax.Expr:
    """A conversion; `int` leaves integers as they are, whatever their width."""
    if name == "int" and types.are_integers(value):
        return value
    return syntax.Conversion(TYPES[name], value, span)


def _absolute(value: syntax.Expr, types: Inference, span: Span) -> syntax.Expr:
    """The absolute value; of iterators and parameters as a maximum, which is affine."""
    kind = promoted(types.type_of(value))
    if not kind.is_integer:
        return syntax.Invocation("fabsf" if kind == FLOAT else "fabs", (value,), span)
    if not kind.signed:
        return value
    if not any(isinstance(part, syntax.Subscript | syntax.Invocation) for part in expressions(value)):
        return syntax.BinaryOp("max", value, syntax.UnaryOp("-", value, span), span)
    return syntax.Invocation("abs" if kind == INT else "labs", (value,), span)


def _rounded(name: str, value: syntax.Expr, types: Inference, span: Span) -> syntax.Expr:
    """A rounding to an integer, as the functions of Python and of math do."""
    if types.are_integers(value):
        return value
    return syntax.Conversion(INT, syntax.Invocation(_ROUNDINGS[name], (value,), span), span)


def helper_types(helper: Helper) -> tuple[tuple[tuple[str, ScalarType], ...], ScalarType]:
    """The parameters of a helper function with their types, and the type of its result."""
    arguments = helper.tree.args
    parameters = (*arguments.posonlyargs, *arguments.args)
    annotations = [*((p, p.annotation) for p in parameters), (helper.tree, helper.tree.returns)]
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs:
        raise refused(f"'{helper.tree.name}' has arguments that are not plain", helper.script.span(helper.tree))
    kinds = [_scalar(helper, node, annotation) for node, annotation in annotations]
    return tuple(zip((p.arg for p in parameters), kinds, strict=False)), kinds[-1]


def _scalar(helper: Helper, node: ast.AST, annotation: ast.expr | None) -> ScalarType:
    hint = f"annotate it: def {helper.tree.name}(x: float) -> float"
    if annotation is None:
        raise refused(f"'{helper.tree.name}' is called by the kernel and lacks a type", helper.script.span(node), hint)
    shape = read_shape(annotation, helper.script, lambda name: type_alias(helper.environment, name))
    if shape.extents:
        raise refused(f"'{helper.tree.name}' takes or returns arrays", helper.script.span(annotation), "pass numbers")
    return shape.element
