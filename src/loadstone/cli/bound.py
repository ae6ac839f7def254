"""`loadstone bound`: bounds on a piecewise quasi-polynomial, or on the live elements of a kernel."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from loadstone.cli.count import check_parameters, given_text
from loadstone.cli.shared.console import console, shown, table
from loadstone.cli.shared.parser import refuse
from loadstone.counting import bounding
from loadstone.counting.extremum import Extremum, Value, as_text, number
from loadstone.counting.pieces import Pieces, parameter_names, with_parameters
from loadstone.counting.reading import read_quasi_polynomial
from loadstone.counting.schedule_memory import Lifetime, live_count, read_schedule
from loadstone.counting.schedule_search import search
from loadstone.errors import UnsupportedError, refused
from loadstone.frontend.read import parse
from loadstone.model.kernel import Kernel
from loadstone.pipeline import parameter_values
from loadstone.poly.limits import LimitReached, operation_limit

BOUND_LIMIT, ATTEMPT_LIMIT = 40_000_000, 10_000_000
BEST = 5
_OF_KERNELS = ("schedule", "commutative", "early_inputs", "late_outputs", "search", "defines", "include", "function")
BASIC: dict[str, Callable[..., bounding.Basic]] = {
    "exact": bounding.Exact,
    "add-var": bounding.AddVariables,
    "mod-classes": bounding.ModClasses,
    "split-periods": bounding.SplitPeriods,
    "per-fraction": bounding.PerFraction,
    "poly-approx": bounding.PolyApproximation,
    "drop-frac": bounding.DropFractions,
}


def run(arguments: argparse.Namespace) -> int:
    """Print the bound."""
    if (arguments.values is None) == (arguments.live is None):
        raise refused("give either QPOLY or --live KERNEL", None, "loadstone bound '{ [i] -> i^2 : 0 <= i <= 9 }'")
    _check_effects(arguments)
    try:
        with operation_limit(BOUND_LIMIT):
            return _search(arguments) if arguments.search else _bound(arguments)
    except LimitReached as error:
        hint = "give parameters with -p, or take another method, --method add-var"
        raise refused(f"the bound is too hard: {error}", None, hint) from None


def _check_effects(arguments: argparse.Namespace) -> None:
    """Refuse options without effect."""
    if arguments.live is None:
        refuse(arguments, _OF_KERNELS, "without --live")
    if arguments.search is None:
        refuse(arguments, ("dimensions",), "without --search")
    else:
        refuse(arguments, ("schedule", "minimum", "accuracy", "halvings"), "with --search")
    if arguments.method not in (None, "hybrid"):
        refuse(arguments, ("basic",), f"with --method {arguments.method}")
        if arguments.method not in ("split-periods", "per-fraction"):
            refuse(arguments, ("threshold",), f"with --method {arguments.method}")


def _method(arguments: argparse.Namespace) -> bounding.Method:
    """The chosen method, or the hybrid one."""
    threshold = () if arguments.threshold is None else (arguments.threshold,)
    if arguments.method not in (None, "hybrid"):
        return BASIC[arguments.method](*threshold)
    return bounding.Hybrid(BASIC[arguments.basic](), *threshold)


def _bound(arguments: argparse.Namespace) -> int:
    kernel = None if arguments.live is None else _kernel(arguments)
    pieces = _values(arguments) if kernel is None else _live_values(kernel, arguments)
    name, found = _best(pieces, arguments)
    if kernel is not None and (arguments.method == "poly-approx" or not kernel.exact):
        found = found.unattained()
    info = _info(name, found, arguments, pieces)
    return shown(arguments, lambda: info, lambda: _show(info, arguments))


def _best(pieces: Pieces, arguments: argparse.Namespace) -> tuple[str, Extremum]:
    """The bound by the chosen method; else the exact one, or that of the first method that is not too hard."""
    ways = {"exact": bounding.Exact(), "hybrid": _method(arguments)} if arguments.method is None else {}
    for name, method in ways.items():
        with suppress(UnsupportedError, LimitReached), operation_limit(ATTEMPT_LIMIT):
            return name, _bounded(pieces, method, arguments)
    last = bounding.AddVariables() if arguments.method is None else _method(arguments)
    return arguments.method or "add-var", _bounded(pieces, last, arguments)


def _bounded(pieces: Pieces, method: bounding.Method, arguments: argparse.Namespace) -> Extremum:
    """The bound by a method, with the chosen accuracy."""
    accuracy, halvings = arguments.accuracy, arguments.halvings or 0
    return bounding.bound(pieces, method, minimum=arguments.minimum, accuracy=accuracy, halvings=halvings)


def _values(arguments: argparse.Namespace) -> Pieces:
    """The quasi-polynomial, for the given parameters."""
    values = dict(arguments.parameters)
    pieces = read_quasi_polynomial(given_text(arguments.values))
    check_parameters(values, parameter_names(pieces))
    return with_parameters(pieces, values)


def _live_values(kernel: Kernel, arguments: argparse.Namespace) -> Pieces:
    """The numbers of live elements of a kernel, for the given parameters."""
    values = dict(arguments.parameters)
    check_parameters(values, kernel.parameters)
    schedule = None if arguments.schedule is None else read_schedule(kernel, arguments.schedule)
    approximate = arguments.method == "poly-approx"
    return live_count(kernel, schedule, values, _lifetime(arguments), approximate=approximate)


def _kernel(arguments: argparse.Namespace) -> Kernel:
    defines = dict(arguments.defines)
    return parse(arguments.live, function=arguments.function, defines=defines, include=arguments.include)


def _lifetime(arguments: argparse.Namespace) -> Lifetime:
    return Lifetime(arguments.commutative, arguments.early_inputs, arguments.late_outputs)


def _info(name: str, found: Extremum, arguments: argparse.Namespace, pieces: Pieces) -> dict[str, Any]:
    """The result for programs; `value` where it depends on no parameters."""
    value = None if parameter_names(pieces) else number(found, minimum=arguments.minimum)
    return {
        "kind": "minimum" if arguments.minimum else "maximum",
        "method": name,
        "bound": as_text(found, minimum=arguments.minimum),
        "exact": found.attained,
        "value": _plain(value),
        "relative_error": found.relative_error,
    }


def _plain(value: Value | None) -> int | float | str | None:
    """A number for JSON, which has no infinity."""
    if value is None or isinstance(value, float):
        return None if value is None else str(value).replace("inf", "infty")
    return value.numerator if value.denominator == 1 else float(value)


def _show(info: dict[str, Any], arguments: argparse.Namespace) -> None:
    screen = console()
    if not info["bound"]:
        screen.print("there are no points, and so no values")
        return
    relation = "=" if info["exact"] else ">=" if arguments.minimum else "<="
    screen.print(f"{info['kind']} {relation} {info['bound']}", markup=False)
    screen.print(f"method {info['method']}: {'exact, a point has this value' if info['exact'] else 'a bound'}")
    error = info["relative_error"]
    if error and not info["exact"]:
        percent = f"{100 * error:.3g} %"
        screen.print(
            f"continuous extrema exceed the range of values by at most {percent}; Bernstein expansion adds to that"
        )


def _search(arguments: argparse.Namespace) -> int:
    """Print the schedules that need the least memory."""
    kernel = _kernel(arguments)
    values = parameter_values(kernel, dict(arguments.parameters))
    lifetime = _lifetime(arguments)
    dimensions, method = arguments.dimensions, _method(arguments)
    found = sorted(
        search(kernel, values, arguments.search, dimensions=dimensions, lifetime=lifetime, method=method),
        key=lambda one: (one.size, str(one.schedule)),
    )
    if arguments.json:
        keys = ({"schedule": str(one.schedule), "size": _plain(one.size), "exact": one.exact} for one in found[:BEST])
        print(json.dumps({"schedules": len(found), "best": list(keys)}))
        return 0
    screen = console()
    screen.print(
        f"{len(found)} legal schedules" + (f", memory from {found[0].size} to {found[-1].size}" if found else "")
    )
    rows = [(str(one.size), "" if one.exact else "bound", str(one.schedule)) for one in found[:BEST]]
    screen.print(table((">memory", "", "schedule"), rows))
    return 0
