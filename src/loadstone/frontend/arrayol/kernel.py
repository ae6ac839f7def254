"""An Array-OL specification as a program of our syntax tree, checked."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from loadstone.errors import Problems, Source, refused
from loadstone.frontend import syntax
from loadstone.frontend.arrayol.body_checks import body_problems
from loadstone.frontend.arrayol.checks import check
from loadstone.frontend.arrayol.flat import Application, flattened
from loadstone.frontend.arrayol.order import in_order
from loadstone.frontend.arrayol.reading import read_specification
from loadstone.frontend.arrayol.specification import TYPES, Before, Specification
from loadstone.frontend.arrayol.text import function_text, indented
from loadstone.frontend.c.dialect import Dialect
from loadstone.frontend.c.preprocess import Preprocessed
from loadstone.frontend.c.program import read_dialect


def read_array_ol(source: Source) -> syntax.Program:
    """The program that a specification means; raises `InputError` with every problem of it."""
    return program_of(read_application(source), Path(source.name).stem)


def read_application(source: Source) -> Application:
    """The tasks of a specification, in the order of execution; raises `InputError` with every problem of it."""
    return application_of(read_specification(source))


def application_of(specification: Specification) -> Application:
    """The tasks of a specification, checked, in the order of execution."""
    application = flattened(specification)
    _check_initials(application)
    check(application)
    application = replace(application, tasks=tuple(in_order(application)))
    problems = Problems()
    for task in application.tasks:
        for found in body_problems(task, application, TYPES):
            problems.add(found.message, found.span, found.hint)
    problems.raise_if_any()
    return application


def c_text(application: Application) -> Preprocessed:
    """An application as a C function, its tasks one after the other."""
    return function_text(application, application.tasks, TYPES)


def c_file(application: Application) -> str:
    """An application as a file in C, indented by its braces and by loops without them."""
    return "\n".join(("#include <stdint.h>", "", *indented(c_text(application).text), ""))


def program_of(application: Application, name: str) -> syntax.Program:
    """The program that an application means, under a name of its file."""
    return read_dialect(Dialect(c_text(application)), name, application.name, {})


def _check_initials(application: Application) -> None:
    """Raise `InputError` for an initial value that the array of its output cannot hold."""
    for task in application.tasks:
        for before in task.before:
            _check_initial(before, application.arrays[task.outputs[before.output].array].type)


def _check_initial(before: Before, type: str) -> None:
    """Raise `InputError` for an initial value that its array cannot hold."""
    if type in {"float", "double"}:
        return
    signed, bits = not type.startswith("u"), int(re.sub(r"\D", "", type) or 32)
    least, greatest = -(1 << bits - 1) if signed else 0, (1 << bits - signed) - 1
    value = Fraction(before.initial)
    if value.denominator != 1 or not least <= value <= greatest:
        hint = f"{type} holds whole numbers from {least} to {greatest}"
        raise refused(f"{before.initial} is no value of {type}", before.span, hint)
