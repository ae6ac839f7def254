"""Library functions as operators, and as C functions that give the same bits.

Roots, extrema, signs and integers next to a number are exact, in hardware as in the C library. The others are specified
by their operators: the C library leaves the last bits of its own open. A program that is compared with hardware calls
these functions instead of the library's, so that results can agree bit by bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Protocol

from loadstone import operators
from loadstone.model.definitions import approximate_functions
from loadstone.model.functions import SIGNATURES, generic
from loadstone.model.kernel import Kernel
from loadstone.model.types import ScalarType
from loadstone.operators.software import HELPERS, emit_function


class MakeFloat(Protocol):
    """Makes an operator on floating-point numbers."""

    def __call__(self, format: operators.Float, *, subnormals: bool = True) -> operators.Operator:
        """The operator for a format."""
        ...


_EXACT: dict[str, MakeFloat] = {
    "sqrt": operators.make_square_root,
    "fmin": operators.make_minimum,
    "fmax": operators.make_maximum,
    "floor": partial(operators.make_integral, rounding="floor"),
    "ceil": partial(operators.make_integral, rounding="ceil"),
    "trunc": partial(operators.make_integral, rounding="trunc"),
    "round": partial(operators.make_integral, rounding="round"),
    "rint": partial(operators.make_integral, rounding="rint"),
    "nearbyint": partial(operators.make_integral, rounding="rint"),
}
_SIGNS: dict[str, Callable[[operators.Float], operators.Operator]] = {
    "fabs": operators.make_absolute,
    "copysign": operators.make_copy_sign,
}
_APPROXIMATE: dict[str, MakeFloat] = {
    "exp": operators.make_exponential,
    "log": operators.make_logarithm,
    "pow": operators.make_power,
    "sin": operators.make_sine,
    "cos": operators.make_cosine,
}


def float_of(kind: ScalarType) -> operators.Float:
    """The format of a floating-point type."""
    return operators.DOUBLE if kind.bits == 64 else operators.SINGLE


def operator_of(function: str, subnormals: bool) -> operators.Operator | None:
    """The operator for a library function on floating-point numbers, where there is one."""
    format, name = float_of(SIGNATURES[function][1]), generic(function)
    if name in _SIGNS:
        return _SIGNS[name](format)
    make = (_EXACT | _APPROXIMATE).get(name)
    return None if make is None else make(format, subnormals=subnormals)


def hardware_functions(kernel: Kernel) -> str:
    """The approximate functions that a kernel calls, defined in C as hardware computes them; empty for none."""
    return emit_functions(approximate_functions(kernel))


def emit_functions(functions: Iterable[str]) -> str:
    """Functions of the C library, defined in C as hardware computes them; empty for none.

    >>> "float expf(float a)" in emit_functions(["expf"]), emit_functions([])
    (True, '')
    """
    found = [_definition(name) for name in functions]
    return "\n".join([_HEAD, HELPERS, *found, _FOOT]) if found else ""


_HEAD = """/* Functions of the C library as hardware computes them, bit by bit. A program that is linked with them, and
   compiled without built-in functions (gcc -fno-builtin), gives the results of the hardware. */
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
"""
_FOOT = """#ifdef __cplusplus
}
#endif
"""


def _definition(function: str) -> str:
    """A function of the library by that of its operator."""
    arguments, kind = SIGNATURES[function]
    operator = operator_of(function, True)
    assert operator is not None
    names = "ab"[: len(arguments)]
    word = "unsigned long long" if kind.bits == 64 else "unsigned"
    parameters = ", ".join(f"{kind} {name}" for name in names)
    copies = [f"  memcpy(&bits_of_{name}, &{name}, sizeof {name});" for name in names]
    words = ", ".join(f"bits_of_{name}" for name in (*names, "result"))
    given = ", ".join(f"bits_of_{name}" for name in names)
    return "\n".join(
        [
            emit_function(operator, f"bits_of_{function}"),
            f'__attribute__((visibility("hidden"))) {kind} {function}({parameters})',
            "{",
            f"  {kind} result;",
            f"  {word} {words};",
            *copies,
            f"  bits_of_result = ({word})bits_of_{function}({given});",
            "  memcpy(&result, &bits_of_result, sizeof result);",
            "  return result;",
            "}",
            "",
        ]
    )
