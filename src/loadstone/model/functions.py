"""Library functions without side effects that a kernel may call."""

from __future__ import annotations

from collections.abc import Sequence

from loadstone.model.types import DOUBLE, FLOAT, INT, LLONG, LONG, ScalarType

_ONE_ARGUMENT = (
    *("sqrt", "cbrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p"),
    *("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
    *("fabs", "floor", "ceil", "round", "trunc", "rint", "nearbyint"),
    *("erf", "erfc", "tgamma", "lgamma"),
)
_TWO_ARGUMENTS = ("pow", "atan2", "fmin", "fmax", "fmod", "hypot", "fdim", "copysign", "remainder")

SIGNATURES: dict[str, tuple[tuple[ScalarType, ...], ScalarType]] = {
    "abs": ((INT,), INT),
    "labs": ((LONG,), LONG),
    "llabs": ((LLONG,), LLONG),
    **dict.fromkeys(_ONE_ARGUMENT, ((DOUBLE,), DOUBLE)),
    **{name + "f": ((FLOAT,), FLOAT) for name in _ONE_ARGUMENT},
    **dict.fromkeys(_TWO_ARGUMENTS, ((DOUBLE, DOUBLE), DOUBLE)),
    **{name + "f": ((FLOAT, FLOAT), FLOAT) for name in _TWO_ARGUMENTS},
}

APPROXIMATE = ("exp", "log", "pow", "sin", "cos")
"""Functions whose last bits the C library leaves open, and that hardware computes by operators of its own."""

ERROR_BOUND = 0.52
"""How far results of approximate functions in hardware are from the exact ones at most, in units in the last place."""


def generic(function: str) -> str:
    """The name of a function for all types.

    >>> generic("expf"), generic("exp")
    ('exp', 'exp')
    """
    arguments, _ = SIGNATURES[function]
    return function.removesuffix("f") if arguments[0] == FLOAT else function


OVERLOADED = {f"__std_{name}": name for name in ("abs", *_ONE_ARGUMENT, *_TWO_ARGUMENTS)}
"""Functions of C++'s namespace std, which are several functions of C, one for each type of arguments."""


def overload(name: str, arguments: Sequence[ScalarType]) -> str:
    """The function of C that a function of C++ is for types of arguments.

    >>> overload("__std_exp", [FLOAT]), overload("__std_pow", [FLOAT, INT]), overload("__std_abs", [DOUBLE])
    ('expf', 'pow', 'fabs')
    """
    generic_name = OVERLOADED[name]
    if generic_name == "abs" and arguments[:1] and arguments[0].kind == "int":
        return "llabs" if arguments[0].bits > INT.bits else "abs"
    real = "fabs" if generic_name == "abs" else generic_name
    return f"{real}f" if all(kind == FLOAT for kind in arguments) else real


OPERATORS = {
    **dict.fromkeys(("min", "MIN", "imin", "umin"), "min"),
    **dict.fromkeys(("max", "MAX", "imax", "umax"), "max"),
    **dict.fromkeys(("floord", "intFloor"), "floordiv"),
    "intMod": "mod",
}
