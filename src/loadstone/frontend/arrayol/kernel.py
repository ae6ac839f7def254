"""An Array-OL specification as a program of our syntax tree, checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from loadstone.errors import Diagnostic, Problems, Source, refused
from loadstone.frontend import syntax
from loadstone.frontend.arrayol.checks import box, check, in_order
from loadstone.frontend.arrayol.flat import Application, Elementary, Place, flattened
from loadstone.frontend.arrayol.reading import read_specification
from loadstone.frontend.arrayol.specification import ArrayShape, Sizes
from loadstone.frontend.arrayol.text import Pieces, declaration, function_text, patterns, rewritten
from loadstone.frontend.build import build_kernel
from loadstone.frontend.c.dialect import Dialect
from loadstone.frontend.c.preprocess import Preprocessed
from loadstone.frontend.c.program import read_dialect
from loadstone.model.kernel import Access, Kernel
from loadstone.poly.enumeration import sample_point

_TYPES = {
    **{f"{sign}int{bits}": f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)},
    **{name: name for name in ("int", "float", "double")},
}


def read_array_ol(source: Source) -> syntax.Program:
    """The program that a specification means; raises `InputError` with every problem of it."""
    return program_of(read_application(source), Path(source.name).stem)


def read_application(source: Source) -> Application:
    """The tasks of a specification, in the order of execution; raises `InputError` with every problem of it."""
    application = flattened(read_specification(source))
    types = _types(application)
    check(application)
    application = replace(application, tasks=tuple(in_order(application)))
    problems = Problems()
    for task in application.tasks:
        for found in _body_problems(task, application, types):
            problems.add(found.message, found.span, found.hint)
    problems.raise_if_any()
    return application


def c_text(application: Application) -> Preprocessed:
    """An application as a C function, its tasks one after the other."""
    return function_text(application, application.tasks, _TYPES)


def c_file(application: Application) -> str:
    """An application as a file in C, indented by its braces and by loops without them."""
    lines, depth, pending = ["#include <stdint.h>", ""], 0, 0
    for line in filter(None, map(str.strip, c_text(application).text.splitlines())):
        depth -= line.startswith("}")
        around = 0 if line.startswith(("{", "#")) else pending
        lines.append("" if line.startswith("#") else "  " * (depth + around))
        lines[-1] += line
        pending = pending + 1 if line.startswith("for") and not line.endswith(("{", ";")) else 0
        depth += line.endswith("{")
    return "\n".join((*lines, ""))


def program_of(application: Application, name: str) -> syntax.Program:
    """The program that an application means, under a name of its file."""
    return read_dialect(Dialect(c_text(application)), name, application.name, {})


def _types(application: Application) -> dict[str, str]:
    """The types of C that the arrays have."""
    for array in application.arrays.values():
        if array.type not in _TYPES:
            raise refused(f"there is no type '{array.type}'", array.span, f"types are {', '.join(_TYPES)}")
    return _TYPES


def _body_problems(task: Elementary, application: Application, types: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Subscripts that leave patterns, and outputs that are not written, found in the body as a kernel of its own."""
    body = build_kernel(read_dialect(Dialect(_body_text(task, application, types)), task.name, task.name, {}))
    sizes = {name: _in_probe(place) for name, place in patterns(task).items()}
    for statement in body.statements:
        for access in (*statement.reads, statement.write):
            if access.array in sizes and access.exact:
                yield from _beyond(access, sizes[access.array])
        if statement.write.array in sizes and statement.write.array not in task.outputs:
            message = f"the body writes '{statement.write.array}', which is an input"
            yield Diagnostic(message, statement.write.span, "write outputs only")
    for name in task.outputs:
        yield from _unwritten(task, body, name, sizes[name])


def _in_probe(place: Place) -> Sizes:
    """The sizes of a pattern in the body alone; a single element is an array of one."""
    return place.pattern or (1,)


def _beyond(access: Access, sizes: Sizes) -> Iterator[Diagnostic]:
    """A subscript that leaves its pattern."""
    outside = access.relation.range().subtract(box(sizes).set_tuple_name(access.array))
    if not outside.is_empty():
        _, point = sample_point(outside)
        element = access.array + "".join(f"[{k}]" for k in point)
        hint = f"the pattern has the sizes {list(sizes)}"
        yield Diagnostic(f"the body uses {element}, which is not in the pattern", access.span, hint)


def _unwritten(task: Elementary, body: Kernel, name: str, sizes: Sizes) -> Iterator[Diagnostic]:
    """An element of an output that no statement of the body surely or possibly writes."""
    missing = box(sizes).set_tuple_name(name)
    for statement in body.statements:
        if statement.write.array == name:
            missing = missing.subtract(statement.write.relation.range())
    if not missing.is_empty():
        _, point = sample_point(missing)
        element = name + "".join(f"[{k}]" for k in point)
        yield Diagnostic(f"the body of {task.name} does not write {element}", task.outputs[name].span, "write it")


def _body_text(task: Elementary, application: Application, types: Mapping[str, str]) -> Preprocessed:
    """The body as a C function of its patterns."""
    pieces = Pieces()
    pieces.add_all(task.body.around)
    parameters = [
        declaration(name, ArrayShape(_in_probe(place), application.arrays[place.array].type, task.span), types)
        for name, place in patterns(task).items()
    ]
    single = {name: 0 for name, place in patterns(task).items() if not place.pattern}
    pieces.add(f"void {task.name}({', '.join(parameters)}) {{\n#pragma scop\n", task.span)
    pieces.add_all(rewritten(task.body.tokens, single, lambda name, _: f"{name}[0]"))
    pieces.add("\n#pragma endscop\n}\n", task.span)
    return pieces.preprocessed(task.span)
